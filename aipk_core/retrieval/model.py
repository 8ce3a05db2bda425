"""What retrieval gives back, and what the parts above it may rely on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from aipk_core.chunks import Chunk
from aipk_core.claims.model import Claim


@dataclass(frozen=True, slots=True)
class ChunkHit:
    """A chunk with how well it fits the query: cosine similarity and the fused rank score, higher is better."""

    package: str
    chunk: Chunk
    similarity: float
    score: float


@dataclass(frozen=True, slots=True)
class ClaimHit:
    """A claim with how well it fits the query: cosine similarity and the fused rank score, higher is better."""

    package: str
    claim: Claim
    similarity: float
    score: float


class Retriever(Protocol):
    """Hybrid search (vectors and full text) over one or several packages."""

    def claims(self, query: str, *, limit: int = 8) -> list[ClaimHit]:
        """The best canonical claims for ``query``, best first."""
        ...

    def chunks(self, query: str, *, limit: int = 8) -> list[ChunkHit]:
        """The best chunks for ``query``, best first."""
        ...
