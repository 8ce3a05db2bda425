"""Finding the claims and chunks that may answer a question."""

from __future__ import annotations

from aipk_core.retrieval.hybrid import PackageRetriever, check_embedder
from aipk_core.retrieval.model import ChunkHit, ClaimHit, Retriever

__all__ = ["ChunkHit", "ClaimHit", "PackageRetriever", "Retriever", "check_embedder"]
