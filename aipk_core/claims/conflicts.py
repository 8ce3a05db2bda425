"""Conflicts and duplicates among the claims of a corpus.

Each claim is compared with its nearest neighbours by meaning, never with all claims. A pair of neighbours is judged by
the verifier's own checks, in both directions: a claim that the verifier would call contradicted by another is in
conflict with it, provided that both speak of the same thing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from aipk_core.claims.model import Claim
from aipk_core.claims.neighbours import nearest_pairs
from aipk_core.claims.pairs import ClaimPair, PairKind
from aipk_core.embedding.model import Vectors
from aipk_core.hashing import digest

STAGE_VERSION = 2

PairJudge = Callable[[Claim, Claim, ClaimPair], ClaimPair | None]
"""A second opinion on a pair that the rules found: the pair as it should be, or ``None`` to drop it."""


class VerdictStore(Protocol):
    """Keeps what the rules said of a pair of texts; a pair whose texts have not changed is not judged again."""

    def get(self, keys: Sequence[str]) -> Mapping[str, Any]:
        """The verdicts of those ``keys`` that have one: ``[kind, reasons]``, or ``None`` for no finding."""
        ...

    def put(self, verdicts: Mapping[str, Any]) -> int:
        """Keep verdicts."""
        ...


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
    verdicts: VerdictStore | None = None,
    progress: Progress = lambda done, total: None,
) -> list[ClaimPair]:
    """All conflicts and duplicates that are found, conflicts first, the most similar first.

    Args:
        vectors: ``[len(claims), dimensions]`` float32 unit vectors, one for each claim's ``full_text``.
        judge: asked about each conflict that the rules find.
        verdicts: where the rules' verdicts are kept between runs.
    """
    settings = settings or PairSettings()
    candidates = nearest_pairs(vectors, settings.neighbours, settings.min_similarity)
    pairs = [
        (claims[first], claims[second], similarity)
        if claims[first].id < claims[second].id
        else (claims[second], claims[first], similarity)
        for first, second, similarity in candidates
    ]
    found: list[ClaimPair] = []
    for pair, one, other in _by_rules(pairs, verdicts, progress):
        kept = judge(one, other, pair) if judge is not None and pair.kind is PairKind.CONFLICT else pair
        if kept is not None:
            found.append(kept)
    return sorted(found, key=lambda pair: (pair.kind is not PairKind.CONFLICT, -pair.similarity, pair.a, pair.b))


_PAIRS_AT_ONCE = 2048


def _by_rules(
    pairs: Sequence[tuple[Claim, Claim, float]], verdicts: VerdictStore | None, progress: Progress
) -> Iterator[tuple[ClaimPair, Claim, Claim]]:
    """The pairs in which the rules find something; what they say of the others is kept as well."""
    for start in range(0, len(pairs), _PAIRS_AT_ONCE):
        some = pairs[start : start + _PAIRS_AT_ONCE]
        keys = [_pair_key(one, other) for one, other, _ in some]
        known = dict(verdicts.get(keys)) if verdicts is not None else {}
        fresh: dict[str, Any] = {}
        for number, ((one, other, similarity), key) in enumerate(zip(some, keys, strict=True), start + 1):
            if key not in known:
                from aipk_core.claims.pair_rules import judge_pair  # reads the verifier's tables, when there is a need

                pair = judge_pair(one, other, similarity)
                known[key] = fresh[key] = None if pair is None else [str(pair.kind), list(pair.reasons)]
            if known[key] is not None:
                kind, reasons = known[key]
                a, b = sorted((one.id, other.id))
                yield ClaimPair(PairKind(kind), a, b, tuple(reasons), round(similarity, 4)), one, other
            progress(number, len(pairs))
        if verdicts is not None and fresh:
            verdicts.put(fresh)


def _pair_key(one: Claim, other: Claim) -> str:
    """Digest of all that the rules look at in two claims."""
    sides = [[claim.id, claim.text, list(claim.context), claim.lang, claim.kind] for claim in (one, other)]
    return digest("pair", STAGE_VERSION, sides)
