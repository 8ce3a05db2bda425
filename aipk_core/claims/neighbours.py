"""The nearest neighbours of vectors, and the same again after a few vectors have come and gone.

Similarities are whole numbers: vectors are rounded so that every sum in a product of two is below 2^24, where float32 is
exact. So the outcome depends on no processor, no number of threads and no order, and lists that were brought up to date
equal those that are made anew.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from aipk_core.embedding.model import Vectors

EXACT_UP_TO = 200_000
"""Beyond so many vectors a search that looks only at nearby cells takes the place of the exact one."""

_UNIT = 4_000
"""What 1.0 is rounded to: the square of this, and a little more, must stay below 2^24."""

_BLOCK = 2_048
_PROBES = 6
_ROUNDS = 4
_UPDATE_SHARE = 4
"""Lists are brought up to date when at most one in so many vectors must be compared with all."""

_Numbers = npt.NDArray[np.int64]


@dataclass(slots=True)
class NeighbourLists:
    """For each of n vectors its nearest others, the nearest first, those of equal similarity by number.

    Attributes:
        numbers: ``[n, k]`` int32; -1 where there are fewer than k that are similar enough.
        similarities: ``[n, k]`` int32, see ``cosine``.
    """

    numbers: npt.NDArray[np.int32]
    similarities: npt.NDArray[np.int32]

    @classmethod
    def empty(cls, count: int, neighbours: int) -> NeighbourLists:
        shape = (count, neighbours)
        return cls(np.full(shape, -1, np.int32), np.zeros(shape, np.int32))

    def pairs(self) -> tuple[_Numbers, _Numbers, _Numbers]:
        """First, second and similarity of all pairs of which one is in the list of the other, sorted, first < second."""
        here, place = np.nonzero(self.numbers >= 0)
        there = self.numbers[here, place].astype(np.int64)
        first, second = np.minimum(here, there), np.maximum(here, there)
        _, chosen = np.unique(first * len(self.numbers) + second, return_index=True)
        return first[chosen], second[chosen], self.similarities[here, place][chosen].astype(np.int64)


def cosine(similarity: int) -> float:
    """The cosine, to four places, that a similarity stands for."""
    return round(int(similarity) / _UNIT**2, 4)


def nearest(vectors: Vectors, neighbours: int, min_similarity: float) -> NeighbourLists:
    """The nearest ``neighbours`` of each vector among all others.

    Args:
        vectors: ``[n, dimensions]`` float32, each of length 1.
        min_similarity: cosine below which two are no neighbours.
    """
    rounded = _rounded(vectors)
    search = _Search(NeighbourLists.empty(len(vectors), neighbours), min_similarity)
    for i in range(0, len(rounded), _BLOCK):
        for j in range(i, len(rounded), _BLOCK):
            tile = rounded[i : i + _BLOCK] @ rounded[j : j + _BLOCK].T
            if i == j:
                np.fill_diagonal(tile, -(_UNIT**2))
            rows, columns = np.arange(i, i + tile.shape[0]), np.arange(j, j + tile.shape[1])
            search.offer(rows, columns, tile)
            if i != j:
                search.offer_back(rows, columns, tile)
    return search.lists


def updated(
    vectors: Vectors, neighbours: int, min_similarity: float, before: NeighbourLists, kept: _Numbers
) -> NeighbourLists:
    """What ``nearest`` would give, from what it gave before some vectors came and others went.

    Args:
        kept: ``[n]`` the number that each vector had before, ascending but for -1, which stands for a new one.
    """
    count = len(vectors)
    place = np.full(len(before.numbers) + 1, -1, np.int32)  # the last stands for "none"
    place[kept[kept >= 0]] = np.flatnonzero(kept >= 0)
    lists = NeighbourLists.empty(count, neighbours)
    old = np.flatnonzero(kept >= 0)
    numbers = before.numbers[kept[old]]
    moved = place[numbers]
    # A list that was full may have left out others that would now be in it, so it is made anew when one of it is gone.
    torn = ((moved < 0) & (numbers >= 0)).any(axis=1) & (numbers[:, -1] >= 0)
    order = np.argsort(moved < 0, axis=1, kind="stable")
    whole = old[~torn]
    lists.numbers[whole] = np.take_along_axis(moved, order, axis=1)[~torn]
    lists.similarities[whole] = np.take_along_axis(before.similarities[kept[old]], order, axis=1)[~torn]
    lists.similarities[lists.numbers < 0] = 0
    fresh = np.flatnonzero(kept < 0)
    asking = np.sort(np.concatenate([fresh, old[torn]]))
    if len(asking) * _UPDATE_SHARE > count:
        return nearest(vectors, neighbours, min_similarity)
    rounded = _rounded(vectors)
    search = _Search(lists, min_similarity)
    for i in range(0, len(asking), _BLOCK):
        some = asking[i : i + _BLOCK]
        new = np.isin(some, fresh)
        for j in range(0, count, _BLOCK):
            others = np.arange(j, min(j + _BLOCK, count))
            tile = rounded[some] @ rounded[others].T
            tile[some[:, None] == others[None, :]] = -(_UNIT**2)
            search.offer(some, others, tile)
            # Those that stay as they are need to hear of new vectors only; the others they know.
            staying = ~np.isin(others, asking)
            search.offer_back(some[new], others[staying], tile[np.ix_(new, staying)])
    return search.lists


class _Search:
    """Lists while they are filled, with the least similarity that still gets into each."""

    def __init__(self, lists: NeighbourLists, min_similarity: float) -> None:
        self.lists = lists
        self._floor = max(math.ceil(min_similarity * _UNIT**2), 1 - _UNIT**2)
        full = lists.numbers[:, -1] >= 0
        self._least = np.where(full, lists.similarities[:, -1], self._floor).astype(np.float32)

    def offer(self, rows: _Numbers, columns: _Numbers, tile: npt.NDArray[Any]) -> None:
        """Let ``columns`` into the lists of ``rows``, neither of which had met before; ``tile`` has their products."""
        # Numbers of one dimension are found several times as quickly as pairs of them.
        inside = np.flatnonzero(tile >= self._least[rows][:, None])
        if len(inside):
            at, by = np.divmod(inside, len(columns))
            self._enter(rows[at], columns[by], tile[at, by].astype(np.int64))

    def offer_back(self, rows: _Numbers, columns: _Numbers, tile: npt.NDArray[Any]) -> None:
        """The other way round: let ``rows`` into the lists of ``columns``."""
        inside = np.flatnonzero(tile >= self._least[columns][None, :])
        if len(inside):
            at, by = np.divmod(inside, len(columns))
            self._enter(columns[by], rows[at], tile[at, by].astype(np.int64))

    def _enter(self, rows: _Numbers, others: _Numbers, similarities: _Numbers) -> None:
        lists = self.lists
        length = lists.numbers.shape[1]
        touched, at = np.unique(rows, return_inverse=True)
        held_at, held = np.nonzero(lists.numbers[touched] >= 0)
        at = np.concatenate([at, held_at])
        others = np.concatenate([others, lists.numbers[touched][held_at, held]])
        similarities = np.concatenate([similarities, lists.similarities[touched][held_at, held]])
        order = np.lexsort((others, -similarities, at))
        at, others, similarities = at[order], others[order], similarities[order]
        rank = np.arange(len(at)) - np.searchsorted(at, np.arange(len(touched)))[at]
        kept = rank < length
        numbers = np.full((len(touched), length), -1, np.int32)
        values = np.zeros((len(touched), length), np.int32)
        numbers[at[kept], rank[kept]] = others[kept]
        values[at[kept], rank[kept]] = similarities[kept]
        lists.numbers[touched], lists.similarities[touched] = numbers, values
        self._least[touched] = np.where(numbers[:, -1] >= 0, values[:, -1], self._floor)


def _rounded(vectors: Vectors) -> Vectors:
    rounded: Vectors = np.multiply(vectors, np.float32(_UNIT), dtype=np.float32)
    np.rint(rounded, out=rounded)  # in place: the vectors of a large corpus are what takes most memory here
    return rounded


def nearest_in_cells(vectors: Vectors, neighbours: int, min_similarity: float) -> NeighbourLists:
    """Like ``nearest`` for very many vectors: they are sorted into about sqrt(n) cells by spherical k-means, and each is
    compared with those of its six nearest cells. A few neighbours are missed."""
    rounded = _rounded(vectors)
    search = _Search(NeighbourLists.empty(len(vectors), neighbours), min_similarity)
    centres = _centres(vectors, math.isqrt(len(vectors)))
    probes = _nearest_cells(vectors, centres, min(_PROBES, len(centres)))
    members = _members(probes[:, 0], len(centres))
    askers: list[list[int]] = [[] for _ in members]
    for number, cells in enumerate(probes):
        for cell in cells:
            askers[cell].append(number)
    for cell, held in enumerate(members):
        asking = np.asarray(askers[cell], dtype=np.int64)
        for start in range(0, len(asking), _BLOCK):
            some = asking[start : start + _BLOCK]
            tile = rounded[some] @ rounded[held].T
            tile[some[:, None] == held[None, :]] = -(_UNIT**2)
            search.offer(some, held, tile)
    return search.lists


def _centres(vectors: Vectors, count: int) -> Vectors:
    """Unit vectors of ``count`` cells, by a few rounds of k-means on the sphere from evenly spaced starts."""
    centres = vectors[np.linspace(0, len(vectors) - 1, count).astype(np.int64)].copy()
    for _ in range(_ROUNDS):
        owner = _nearest_cells(vectors, centres, 1)[:, 0]
        sums = np.zeros_like(centres)
        np.add.at(sums, owner, vectors)
        lengths = np.linalg.norm(sums, axis=1, keepdims=True)
        centres = np.where(lengths > 1e-6, sums / np.maximum(lengths, 1e-6), centres).astype(np.float32)
    return centres


def _nearest_cells(vectors: Vectors, centres: Vectors, count: int) -> _Numbers:
    """``[n, count]`` numbers of the nearest cells, the nearest first."""
    found = np.empty((len(vectors), count), dtype=np.int64)
    for start in range(0, len(vectors), _BLOCK):
        cosines = vectors[start : start + _BLOCK] @ centres.T
        best = np.argpartition(-cosines, count - 1, axis=1)[:, :count]
        order = np.argsort(-np.take_along_axis(cosines, best, axis=1), axis=1, kind="stable")
        found[start : start + _BLOCK] = np.take_along_axis(best, order, axis=1)
    return found


def _members(owner: _Numbers, cells: int) -> list[_Numbers]:
    order = np.argsort(owner, kind="stable")
    bounds = np.searchsorted(owner[order], np.arange(cells + 1))
    return [order[bounds[cell] : bounds[cell + 1]] for cell in range(cells)]
