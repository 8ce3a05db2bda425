"""Conflicts and duplicates among the claims of a corpus.

Each claim is compared with its nearest neighbours by meaning, never with all claims. A pair of neighbours is judged by
the verifier's own checks, in both directions: a claim that the verifier would call contradicted by another is in
conflict with it, provided that both speak of the same thing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from aipk_core.claims.model import Claim
from aipk_core.claims.neighbours import nearest_pairs
from aipk_core.claims.pairs import ClaimPair, PairKind
from aipk_core.embedding.model import Vectors

STAGE_VERSION = 2

PairJudge = Callable[[Claim, Claim, ClaimPair], ClaimPair | None]
"""A second opinion on a pair that the rules found: the pair as it should be, or ``None`` to drop it."""

Progress = Callable[[int, int], None]
"""Told how many candidate pairs are judged, and how many there are."""


@dataclass(frozen=True, slots=True)
class PairSettings:
    """Attributes:
    neighbours: how many neighbours of each claim are looked at.
    min_similarity: cosine below which two claims are not compared.
    """

    neighbours: int = 8
    min_similarity: float = 0.75


def find_conflicts(
    claims: Sequence[Claim],
    vectors: Vectors,
    settings: PairSettings | None = None,
    *,
    judge: PairJudge | None = None,
    progress: Progress = lambda done, total: None,
) -> list[ClaimPair]:
    """All conflicts and duplicates that are found, conflicts first, the most similar first.

    Args:
        vectors: ``[len(claims), dimensions]`` float32 unit vectors, one for each claim's ``full_text``.
        judge: asked about each conflict that the rules find.
    """
    from aipk_core.claims.pair_rules import judge_pair  # reads the verifier's tables, which listing pairs needs not

    settings = settings or PairSettings()
    candidates = nearest_pairs(vectors, settings.neighbours, settings.min_similarity)
    found: list[ClaimPair] = []
    for done, (first, second, similarity) in enumerate(candidates, 1):
        one, other = sorted((claims[first], claims[second]), key=lambda claim: claim.id)
        pair = judge_pair(one, other, similarity)
        if pair is not None and judge is not None and pair.kind is PairKind.CONFLICT:
            pair = judge(one, other, pair)
        if pair is not None:
            found.append(pair)
        progress(done, len(candidates))
    return sorted(found, key=lambda pair: (pair.kind is not PairKind.CONFLICT, -pair.similarity, pair.a, pair.b))
