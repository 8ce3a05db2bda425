"""Rules that hold for the input and the output of every embedder."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from aipk_core.embedding.model import Vectors
from aipk_core.errors import EmbedderError, UsageError

MAX_TEXT_CHARACTERS = 100_000
"""Text beyond this is cut before it is tokenized: no model reads so far, and tokenizers take time with length."""


def checked_texts(texts: Sequence[str]) -> list[str]:
    """``texts`` fit for any tokenizer: of bounded length, without lone surrogates and zero bytes.

    Raises:
        UsageError: a single string was given in place of a sequence of them.
    """
    if isinstance(texts, str):
        raise UsageError("an embedder takes a sequence of texts, not one string", remedy="Wrap the text in a list")
    return [_clean(text[:MAX_TEXT_CHARACTERS]) for text in texts]


def unit_rows(vectors: npt.NDArray[np.float32], *, where: str) -> Vectors:
    """``vectors`` scaled to length 1.

    Raises:
        EmbedderError: a row is not finite, or has no direction.
    """
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64))
    if not np.isfinite(lengths).all() or (lengths < 1e-12).any():
        raise EmbedderError(
            "the model gave a vector that is not finite or has no direction",
            code="embedder-invalid",
            where=where,
            remedy="Check the model's files or server",
        )
    return np.ascontiguousarray(vectors / lengths[:, np.newaxis], dtype=np.float32)


def _clean(text: str) -> str:
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")
