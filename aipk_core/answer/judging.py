"""The verifier over a package: over all of its claims when they are few, over those that can matter when they are many."""

from __future__ import annotations

import re

from aipk_core.answer.knowledge import EAGER_CLAIMS, Knowledge
from aipk_core.answer.model import Judge
from aipk_core.claims.model import Claim
from aipk_core.embedding.model import Embedder
from aipk_core.retrieval.model import Retriever
from aipk_core.verify import Report, VerifiableClaim, Verifier

_PIECE = re.compile(r"[^\n.!?。！？]+(?:[.!?。！？](?!\s|$)[^\n.!?。！？]*)*")
_ID = re.compile(r"[\w.:@#-]{2,200}")
_MAX_PIECES = 60
_MAX_IDS = 500
_CLAIMS_PER_PIECE = 6


def judge_over(knowledge: Knowledge, retriever: Retriever, embedder: Embedder) -> Judge:
    """The judge for a package's answers; building it takes about a millisecond for each claim, up to a second."""
    if len(knowledge.claims) <= EAGER_CLAIMS:
        return Verifier([verifiable(claim) for _, claim in knowledge.claims.values()], embedder=embedder)
    return NearbyJudge(knowledge, retriever)


class NearbyJudge:
    """Judges an answer by the claims that it cites and those that a search finds for each of its pieces.

    The judgement is the verifier's own; only the claims that it never has to look at are left out.
    """

    def __init__(self, knowledge: Knowledge, retriever: Retriever) -> None:
        self._knowledge = knowledge
        self._retriever = retriever

    def verify(self, answer: str, *, require_citations: bool = False) -> Report:
        near: dict[str, Claim] = {}
        for name in list(dict.fromkeys(_ID.findall(answer)))[:_MAX_IDS]:
            found = self._knowledge.claims.get(name) if any(character.isdigit() for character in name) else None
            if found is not None:
                near[name] = found[1]
        if not require_citations:
            for piece in _PIECE.findall(answer)[:_MAX_PIECES]:
                if piece.strip():
                    hits = self._retriever.claims(piece.strip(), limit=_CLAIMS_PER_PIECE)
                    near.update((hit.claim.id, hit.claim) for hit in hits if hit.claim.id in self._knowledge.claims)
        return Verifier([verifiable(claim) for claim in near.values()]).verify(
            answer, require_citations=require_citations
        )


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
