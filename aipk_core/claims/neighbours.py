"""Pairs of vectors that lie close to each other, without comparing each with each."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from aipk_core.embedding.model import Vectors

_EXACT_UP_TO = 4_000
_PROBES = 6
_ROUNDS = 4
_BLOCK = 1_024
_Numbers = npt.NDArray[np.int64]


def nearest_pairs(vectors: Vectors, neighbours: int, min_similarity: float) -> list[tuple[int, int, float]]:
    """Pairs ``(i, j, cosine)`` with ``i < j`` where one is among the other's nearest ``neighbours``, sorted.

    Up to a few thousand vectors the search is exact. Beyond, vectors are sorted into about sqrt(n) cells by spherical
    k-means, and each is compared with those of its six nearest cells; the same vectors always give the same pairs.

    Args:
        vectors: ``[n, dimensions]`` float32, each of length 1.
    """
    count = len(vectors)
    if count < 2 or neighbours < 1:
        return []
    found: dict[tuple[int, int], float] = {}
    if count <= _EXACT_UP_TO:
        everything = np.arange(count)
        for start in range(0, count, _BLOCK):
            _collect(found, vectors, everything[start : start + _BLOCK], everything, neighbours, min_similarity)
    else:
        centres = _centres(vectors, math.isqrt(count))
        probes = _nearest_cells(vectors, centres, min(_PROBES, len(centres)))
        members = _members(probes[:, 0], len(centres))
        askers: list[list[int]] = [[] for _ in members]
        for number, cells in enumerate(probes):
            for cell in cells:
                askers[cell].append(number)
        for cell, held in enumerate(members):
            asking = np.asarray(askers[cell], dtype=np.int64)
            for start in range(0, len(asking), _BLOCK):
                _collect(found, vectors, asking[start : start + _BLOCK], held, neighbours, min_similarity)
        found = _best_of_each(found, neighbours)
    return sorted((first, second, similarity) for (first, second), similarity in found.items())


def _collect(
    found: dict[tuple[int, int], float],
    vectors: Vectors,
    asking: _Numbers,
    held: _Numbers,
    neighbours: int,
    min_similarity: float,
) -> None:
    """Add to ``found``, for each vector that asks, its nearest among those held."""
    if not len(asking) or not len(held):
        return
    cosines = vectors[asking] @ vectors[held].T
    cosines[asking[:, None] == held[None, :]] = -1.0
    take = min(neighbours, len(held))
    best = np.argpartition(-cosines, take - 1, axis=1)[:, :take]
    values = np.take_along_axis(cosines, best, axis=1)
    for row, column in zip(*np.nonzero(values >= min_similarity), strict=True):
        first, second = int(asking[row]), int(held[best[row, column]])
        pair = (first, second) if first < second else (second, first)
        found[pair] = round(float(values[row, column]), 4)


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


def _best_of_each(found: dict[tuple[int, int], float], neighbours: int) -> dict[tuple[int, int], float]:
    """Only the pairs that are among the nearest ``neighbours`` of at least one side."""
    kept: dict[tuple[int, int], float] = {}
    seen: dict[int, int] = {}
    for pair, similarity in sorted(found.items(), key=lambda item: (-item[1], item[0])):
        wanted = [side for side in pair if seen.get(side, 0) < neighbours]
        if wanted:
            kept[pair] = similarity
            for side in wanted:
                seen[side] = seen.get(side, 0) + 1
    return kept
