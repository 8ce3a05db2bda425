"""Two claims of one corpus that say the same, or that cannot both be true."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class PairKind(StrEnum):
    """What two claims are to each other."""

    CONFLICT = "conflict"
    DUPLICATE = "duplicate"


@dataclass(frozen=True, slots=True)
class ClaimPair:
    """Two claims, named by their ids with ``a < b``, so that a pair has one form only.

    Attributes:
        reasons: why, in words for a person; the first is the most telling.
        similarity: cosine of the two claims' vectors, -1..1.
        judge: who says so: ``rules``, or ``rules+<model>`` when a language model was asked too.
    """

    kind: PairKind
    a: str
    b: str
    reasons: tuple[str, ...]
    similarity: float
    judge: str = "rules"

    def other(self, claim: str) -> str:
        """The partner of ``claim`` in this pair."""
        return self.b if claim == self.a else self.a


def pairs_by_claim(pairs: Iterable[ClaimPair], kind: PairKind | None = None) -> dict[str, list[ClaimPair]]:
    """Claim id -> the pairs that it is in; only those of ``kind``, if given. Claims without a pair are absent."""
    found: dict[str, list[ClaimPair]] = defaultdict(list)
    for pair in pairs:
        if kind is None or pair.kind is kind:
            found[pair.a].append(pair)
            found[pair.b].append(pair)
    return dict(found)
