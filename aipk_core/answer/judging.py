"""The verifier over a package: over all of its claims when they are few, over those that can matter when they are many."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from aipk_core.answer.knowledge import EAGER_CLAIMS, ClaimsOnDemand, Knowledge
from aipk_core.answer.model import Judge
from aipk_core.answer.package_embedder import MULTILINGUAL, embedder_for
from aipk_core.claims.model import Claim, Status
from aipk_core.embedding.model import Embedder
from aipk_core.package import open_package
from aipk_core.retrieval import PackageRetriever
from aipk_core.retrieval.model import Retriever
from aipk_core.verify import Report, VerifiableClaim, Verifier
from aipk_core.verify.judges import Judge as Opinion


class PackageJudge(Protocol):
    """Judges answers by the canonical claims of a package."""

    def verify(self, answer: str, *, lang: str | None = None, require_citations: bool = False) -> Report: ...


_PIECE = re.compile(r"[^\n.!?。！？]+(?:[.!?。！？](?!\s|$)[^\n.!?。！？]*)*")
_ID = re.compile(r"[\w.:@#-]{2,200}")
_MAX_PIECES = 300
_MAX_IDS = 500
_CLAIMS_PER_PIECE = 6


def judge_over(knowledge: Knowledge, retriever: Retriever, embedder: Embedder) -> Judge:
    """The judge for a package's answers; building it takes about a millisecond for each claim, up to a second."""
    if len(knowledge.claims) <= EAGER_CLAIMS:
        return Verifier([verifiable(claim) for _, claim in knowledge.claims.values()], embedder=embedder)
    return NearbyJudge(knowledge.claims, retriever, embedder=embedder)


@contextmanager
def opened_judge(path: Path, cache_dir: Path | None, opinions: Sequence[Opinion] | None) -> Iterator[PackageJudge]:
    """A judge of answers over the package at ``path``, without any answering around it.

    Args:
        opinions: the models beside the rules; ``None`` for the bundled one.

    Raises:
        PackageError, EmbedderError: the package or, when it has many claims, its embedder cannot be opened.
    """
    with open_package(path, cache_dir) as package:
        if package.manifest.counts.claims <= EAGER_CLAIMS:
            claims = [verifiable(claim) for claim in package.claims(Status.CANONICAL)]
            multilingual = package.manifest.embedder.name == MULTILINGUAL
            yield Verifier(claims, judges=opinions, embedder=embedder_for([package]) if multilingual else None)
            return
        embedder = embedder_for([package])
        retriever = PackageRetriever([package], embedder)
        yield NearbyJudge(ClaimsOnDemand(retriever), retriever, opinions, embedder=embedder)


class NearbyJudge:
    """Judges an answer by the claims that it cites and those that a search finds for each of its pieces.

    The judgement is the verifier's own; only the claims that it never has to look at are left out.
    """

    def __init__(
        self,
        claims: Mapping[str, tuple[str, Claim]],
        retriever: Retriever,
        opinions: Sequence[Opinion] | None = None,
        *,
        embedder: Embedder | None = None,
    ) -> None:
        self._claims = claims
        # vectors find the claims already; in the verifier only one that knows several languages adds something
        self._bridge = embedder if embedder is not None and embedder.identity.name == MULTILINGUAL else None
        self._retriever = retriever
        self._opinions = opinions

    def verify(self, answer: str, *, lang: str | None = None, require_citations: bool = False) -> Report:
        near: dict[str, Claim] = {}
        for name in list(dict.fromkeys(_ID.findall(answer)))[:_MAX_IDS]:
            found = self._claims.get(name) if any(character.isdigit() for character in name) else None
            if found is not None:
                near[name] = found[1]
        if not require_citations:
            for piece in _PIECE.findall(answer)[:_MAX_PIECES]:
                if piece.strip():
                    hits = self._retriever.claims(piece.strip(), limit=_CLAIMS_PER_PIECE)
                    near.update((hit.claim.id, hit.claim) for hit in hits if hit.claim.id in self._claims)
        claims = [verifiable(claim) for claim in near.values()]
        verifier = Verifier(claims, judges=self._opinions, embedder=self._bridge)
        return verifier.verify(answer, lang=lang, require_citations=require_citations)


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
