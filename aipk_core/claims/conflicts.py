"""Conflicts and duplicates among the claims of a corpus.

Each claim is compared with its nearest neighbours by meaning, never with all claims. A pair of neighbours is judged by
the verifier's own checks, in both directions: a claim that the verifier would call contradicted by another is in
conflict with it, provided that both speak of the same thing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from aipk_core.claims.model import Claim
from aipk_core.claims.neighbours import EXACT_UP_TO, NeighbourLists, cosine, nearest, nearest_in_cells, updated
from aipk_core.claims.pairs import ClaimPair, PairKind
from aipk_core.embedding.model import Vectors

STAGE_VERSION = 3

PairJudge = Callable[[Claim, Claim, ClaimPair], ClaimPair | None]
"""A second opinion on a pair that the rules found: the pair as it should be, or ``None`` to drop it."""

Progress = Callable[[int, int], None]
"""Told how many candidate pairs are judged, and how many there are."""

Finding = tuple[PairKind, tuple[str, ...]]
"""What the rules say of a pair, with their reasons."""


@dataclass(frozen=True, slots=True)
class PairSettings:
    """Attributes:
    neighbours: how many neighbours of each claim are looked at.
    min_similarity: cosine below which two claims are not compared.
    """

    neighbours: int = 8
    min_similarity: float = 0.75


@dataclass(slots=True)
class Comparison:
    """Claims compared with their neighbours; the next comparison starts from it and looks at what is new.

    Attributes:
        ids: of the claims, sorted.
        marks: ``[n]`` int64: a claim whose mark is the same has the same vector, and looks the same to the rules.
        findings: of pairs of numbers of claims, first < second; pairs of neighbours in which nothing was found are absent.
    """

    ids: list[str]
    marks: npt.NDArray[np.int64]
    lists: NeighbourLists
    findings: dict[tuple[int, int], Finding] = field(default_factory=dict)


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
    marks = np.zeros(len(claims), dtype=np.int64)
    ids = [claim.id for claim in claims]
    return pairs_found(compare(claims, ids, marks, vectors, settings, progress=progress), claims, judge)


def compare(
    claims: Sequence[Claim],
    ids: list[str],
    marks: npt.NDArray[np.int64],
    vectors: Vectors,
    settings: PairSettings | None = None,
    *,
    before: Comparison | None = None,
    progress: Progress = lambda done, total: None,
) -> Comparison:
    """Judge every claim and its neighbours by the rules.

    Args:
        claims: in the order of ``ids``; asked for one by one, and only for those that must be judged.
        before: an earlier comparison with the same settings and sorted ids; the outcome is the same without it.
    """
    settings = settings or PairSettings()
    kept = _kept(ids, marks, before)
    if len(ids) > EXACT_UP_TO:
        lists = nearest_in_cells(vectors, settings.neighbours, settings.min_similarity)
    elif before is not None:
        lists = updated(vectors, settings.neighbours, settings.min_similarity, before.lists, kept)
    else:
        lists = nearest(vectors, settings.neighbours, settings.min_similarity)
    compared = Comparison(ids, marks, lists)
    first, second, similarity = lists.pairs()
    judged = np.zeros(len(first), dtype=bool)
    if before is not None:
        judged = _known(before, kept, first, second)
        _carry_over(before, kept, compared)
    fresh = np.flatnonzero(~judged)
    new = zip(first[fresh].tolist(), second[fresh].tolist(), similarity[fresh].tolist(), strict=True)
    for done, (i, j, value) in enumerate(new, 1):
        from aipk_core.claims.pair_rules import judge_pair  # reads the verifier's tables, when there is a need

        pair = judge_pair(*_by_id(claims[i], claims[j]), cosine(value))
        if pair is not None:
            compared.findings[i, j] = (pair.kind, pair.reasons)
        progress(done, len(fresh))
    return compared


def pairs_found(compared: Comparison, claims: Sequence[Claim], judge: PairJudge | None = None) -> list[ClaimPair]:
    """What a comparison found, conflicts first, the most similar first.

    Args:
        judge: asked about each conflict that the rules found.
    """
    found: list[ClaimPair] = []
    first, second, similarities = compared.lists.pairs()
    for i, j, similarity in zip(first.tolist(), second.tolist(), similarities.tolist(), strict=True):
        finding = compared.findings.get((i, j))
        if finding is None:
            continue
        a, b = sorted((compared.ids[i], compared.ids[j]))
        pair = ClaimPair(finding[0], a, b, finding[1], cosine(similarity))
        if judge is not None and pair.kind is PairKind.CONFLICT:
            kept = judge(*_by_id(claims[i], claims[j]), pair)
            if kept is None:
                continue
            pair = kept
        found.append(pair)
    return sorted(found, key=lambda pair: (pair.kind is not PairKind.CONFLICT, -pair.similarity, pair.a, pair.b))


def _by_id(one: Claim, other: Claim) -> tuple[Claim, Claim]:
    return (one, other) if one.id < other.id else (other, one)


def _kept(ids: list[str], marks: npt.NDArray[np.int64], before: Comparison | None) -> npt.NDArray[np.int64]:
    """The number that each claim had in the comparison ``before``; -1 for one that is new or has changed."""
    kept = np.full(len(ids), -1, dtype=np.int64)
    if before is not None:
        numbers = {name: number for number, name in enumerate(before.ids)}
        old = np.asarray([numbers.get(name, -1) for name in ids], dtype=np.int64)
        here = np.flatnonzero(old >= 0)
        same = here[before.marks[old[here]] == marks[here]]
        kept[same] = old[same]
    return kept


def _known(
    before: Comparison, kept: npt.NDArray[np.int64], first: npt.NDArray[np.int64], second: npt.NDArray[np.int64]
) -> npt.NDArray[np.bool_]:
    """Which pairs were judged before."""
    i, j = kept[first], kept[second]
    count = len(before.ids)
    one, other, _ = before.lists.pairs()
    known: npt.NDArray[np.bool_] = (i >= 0) & (j >= 0) & np.isin(i * count + j, one * count + other)
    return known


def _carry_over(before: Comparison, kept: npt.NDArray[np.int64], compared: Comparison) -> None:
    """Take over what was found in pairs that both still stand; those that are no neighbours any more are never asked for."""
    now = {old: number for number, old in enumerate(kept.tolist()) if old >= 0}
    first, second, _ = compared.lists.pairs()
    current = set(zip(first.tolist(), second.tolist(), strict=True))
    for (i, j), finding in before.findings.items():
        pair = (now.get(i, -1), now.get(j, -1))
        if pair in current:
            compared.findings[pair] = finding
