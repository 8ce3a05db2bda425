"""Hybrid search: what vectors find and what words find, put in one order by reciprocal rank fusion.

Fusion follows Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning
Methods", SIGIR 2009: each list gives a hit 1 / (60 + its rank), and the sums decide. Only ranks count, so the two kinds
of score need no common scale.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

Mode = Literal["hybrid", "vectors", "text"]

_FUSION_CONSTANT = 60

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Candidate(Generic[Item]):
    """Something that one package found for a query.

    Attributes:
        id: id of the item; breaks ties, so that the order never depends on how tables are laid out.
        similarity: cosine of the angle between query and item, from -1 to 1, known for every candidate.
        by_vector: whether the item is among the nearest ones.
        text_rank: rank by words in its package, from 0; ``None`` when no word of the query stands in it.
    """

    id: str
    item: Item
    similarity: float
    by_vector: bool
    text_rank: int | None


@dataclass(frozen=True, slots=True)
class Scored(Generic[Item]):
    """A hit: cosine similarity, and the fused score that decides the order."""

    item: Item
    similarity: float
    score: float


def fuse(candidates: Sequence[Candidate[Item]], *, limit: int, mode: Mode = "hybrid") -> list[Scored[Item]]:
    """The best ``limit`` candidates, best first; they may come from several packages.

    Similarities compare across packages, so vectors are ranked over all; words weigh differently in each package, so
    their ranks are taken as they are.
    """
    scores = [0.0] * len(candidates)
    if mode != "text":
        near = [index for index, candidate in enumerate(candidates) if candidate.by_vector]
        near.sort(key=lambda index: (-candidates[index].similarity, candidates[index].id))
        for rank, index in enumerate(near):
            scores[index] += 1 / (_FUSION_CONSTANT + rank)
    if mode != "vectors":
        for index, candidate in enumerate(candidates):
            if candidate.text_rank is not None:
                scores[index] += 1 / (_FUSION_CONSTANT + candidate.text_rank)
    order = sorted(
        (index for index, score in enumerate(scores) if score > 0),
        key=lambda index: (-scores[index], -candidates[index].similarity, candidates[index].id),
    )
    return [
        Scored(candidates[index].item, candidates[index].similarity, scores[index]) for index in order[: max(limit, 0)]
    ]
