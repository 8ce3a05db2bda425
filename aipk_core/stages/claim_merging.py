"""The claims of all documents put together: one row for each statement, with every place where it stands.

Nearly all claims stand in one place and pass through as they are; only those that stand in several are looked at one by
one.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from aipk_core.stages.document_claims import TABLE, refuse_clash


@dataclass(frozen=True, slots=True)
class MergedClaims:
    """``rows`` has the columns of ``TABLE`` and is sorted by id; ``variants`` are the ids of all claims that another one
    equals but for typography."""

    rows: pa.Table
    variants: frozenset[str]


def merge_claims(rows: pa.Table, decided: frozenset[str]) -> MergedClaims:
    """Make one claim of all rows that say the same.

    A variant that somebody decided on always stays itself, so that no new page takes a decision away. Of the others the
    one with the smallest id stays, so that the outcome depends on no order.

    Args:
        rows: ``TABLE`` of all documents, in document order.
        decided: ids of the claims that somebody decided on.

    Raises:
        StoreError: two statements have the same id (code ``claim-id-clash``).
    """
    rows = _once_each(rows)
    order = pc.sort_indices(rows["id"])
    return _without_variants(rows.take(order), decided)


def _once_each(rows: pa.Table) -> pa.Table:
    """One row for each id, at its first place, with the places of all of them."""
    first, repeated = _groups(rows["id"])
    joined: dict[int, tuple[str, int]] = {}
    if repeated:
        numbers = [number for group in repeated for number in group]
        texts, evidence, places = (
            dict(zip(numbers, rows[name].take(pa.array(numbers)).to_pylist(), strict=True))
            for name in ("text", "evidence", "places")
        )
        for group in repeated:
            for number in group[1:]:
                if texts[number] != texts[group[0]]:
                    where = json.loads(evidence[number])[0][0]
                    refuse_clash(rows["id"][number].as_py(), texts[group[0]], texts[number], where)
            # The lists of two documents never have a place in common, so their texts can be put together as they are.
            together = ", ".join(evidence[number][1:-1] for number in group)
            joined[group[0]] = (f"[{together}]", sum(places[number] for number in group))
    return _with_places(rows, joined).take(pa.array(first)) if repeated else rows


def _without_variants(rows: pa.Table, decided: frozenset[str]) -> MergedClaims:
    _, groups = _groups(rows["fold"])
    if not groups:
        return MergedClaims(rows, frozenset())
    numbers = [number for group in groups for number in group]
    names = dict(zip(numbers, rows["id"].take(pa.array(numbers)).to_pylist(), strict=True))
    evidence = dict(zip(numbers, rows["evidence"].take(pa.array(numbers)).to_pylist(), strict=True))
    joined: dict[int, tuple[str, int]] = {}
    dropped: list[int] = []
    for group in groups:
        first, *others = sorted(group, key=lambda number: (names[number] not in decided, names[number]))
        gone = [number for number in others if names[number] not in decided]
        if gone:
            places: list[list[Any]] = [place for number in (first, *gone) for place in json.loads(evidence[number])]
            places.sort(key=lambda place: (place[0], place[1]))
            joined[first] = (json.dumps(places, ensure_ascii=False), len(places))
            dropped += gone
    kept = np.ones(rows.num_rows, dtype=bool)
    kept[dropped] = False
    return MergedClaims(_with_places(rows, joined).filter(pa.array(kept)), frozenset(names.values()))


def _groups(column: pa.ChunkedArray) -> tuple[np.ndarray[Any, Any], list[list[int]]]:
    """The number of the first row of each value, in row order, and the rows of each value that stands more than once."""
    codes = column.combine_chunks().dictionary_encode()
    if isinstance(codes, pa.ChunkedArray):
        codes = codes.unify_dictionaries().combine_chunks()
    numbers = codes.indices.to_numpy(zero_copy_only=False)
    _, first, counts = np.unique(numbers, return_index=True, return_counts=True)
    rows = np.flatnonzero(counts[numbers] > 1) if len(numbers) else np.zeros(0, dtype=np.int64)
    groups: dict[int, list[int]] = {}
    for row in rows.tolist():
        groups.setdefault(int(numbers[row]), []).append(row)
    return np.sort(first), list(groups.values())


def _with_places(rows: pa.Table, joined: dict[int, tuple[str, int]]) -> pa.Table:
    """``rows`` with the evidence and the number of places of some rows replaced."""
    if not joined:
        return rows
    numbers = sorted(joined)
    mask = np.zeros(rows.num_rows, dtype=bool)
    mask[numbers] = True
    replaced: Sequence[tuple[str, Sequence[Any]]] = (
        ("evidence", [joined[number][0] for number in numbers]),
        ("places", [joined[number][1] for number in numbers]),
    )
    for name, values in replaced:
        field = TABLE.field(name)
        column = rows[name].combine_chunks()
        if isinstance(column, pa.ChunkedArray):
            column = pa.concat_arrays(column.chunks)
        changed = pc.replace_with_mask(column, pa.array(mask), pa.array(values, field.type))
        rows = rows.set_column(rows.schema.get_field_index(name), field, changed)
    return rows
