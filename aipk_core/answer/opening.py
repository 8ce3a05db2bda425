"""From package files to an answerer: the embedder that fits, the canonical claims, the verifier over them."""

from __future__ import annotations

from collections.abc import Sequence

from aipk_core.answer.answerer import Answerer, Limits
from aipk_core.answer.judging import judge_over, verifiable
from aipk_core.answer.knowledge import Knowledge, canonical_claims
from aipk_core.answer.model import Backend
from aipk_core.answer.package_embedder import embedder_for
from aipk_core.embedding import Embedder
from aipk_core.package import Package
from aipk_core.retrieval import PackageRetriever

__all__ = ["canonical_claims", "embedder_for", "open_answerer", "verifiable"]

_PERSONA_CHARACTERS = 2_000


def open_answerer(
    packages: Sequence[Package],
    embedder: Embedder,
    *,
    backend: Backend | None = None,
    retriever: PackageRetriever | None = None,
    limits: Limits | None = None,
) -> Answerer:
    """An answerer over one package, or over several as one body of knowledge.

    Raises:
        EmbedderError: a package was built with another embedder.
        PackageError: a package cannot be read.
    """
    retriever = retriever or PackageRetriever(packages, embedder)
    knowledge = Knowledge.behind(retriever)
    return Answerer(
        retriever,
        judge_over(knowledge, retriever, embedder),
        knowledge,
        backend=backend,
        embedder=embedder,
        persona="\n\n".join(package.persona for package in packages if package.persona)[:_PERSONA_CHARACTERS],
        limits=limits,
    )
