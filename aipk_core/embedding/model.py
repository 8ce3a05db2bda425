"""What every embedder promises."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

Vectors = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class EmbedderIdentity:
    """Which embedder made a vector; two vectors may be compared only when their identities are equal.

    Attributes:
        digest: SHA-256 (hex) over the model's and tokenizer's bytes, or over provider and model name for a remote one.
        max_tokens: input beyond this many tokens is cut by the embedder.
    """

    name: str
    revision: str
    digest: str
    dimensions: int
    max_tokens: int


@runtime_checkable
class Embedder(Protocol):
    """Turns text into unit vectors."""

    @property
    def identity(self) -> EmbedderIdentity: ...

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """``[len(texts), dimensions]`` float32, every row of length 1."""
        ...

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Like ``embed_passages``, for the asking side of models that tell the two apart."""
        ...

    def count_tokens(self, text: str) -> int:
        """Tokens of ``text`` without the model's own start and end tokens."""
        ...
