"""Comparisons of claims in the store: what was found among one list of claims, from which the next one starts."""

from __future__ import annotations

import hashlib
import json

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from aipk_core.claims.conflicts import STAGE_VERSION, Comparison, Finding, PairSettings
from aipk_core.claims.neighbours import NeighbourLists
from aipk_core.claims.pairs import PairKind
from aipk_core.hashing import digest
from aipk_core.stages.model import StageContext
from aipk_core.store.tables import TableCache

_MAX_CLAIMS = 1_000_000

_NEIGHBOURS = pa.schema(
    [("id", pa.string()), ("mark", pa.int64()), ("numbers", pa.binary()), ("similarities", pa.binary())]
)
_FINDINGS = pa.schema([("first", pa.int64()), ("second", pa.int64()), ("kind", pa.string()), ("reasons", pa.string())])


def comparison_key(settings: PairSettings, ids: list[str], marks: npt.NDArray[np.int64]) -> str:
    """Where the store has the comparison of exactly these claims."""
    content = hashlib.sha256("\n".join(ids).encode() + marks.astype("<i8").tobytes()).hexdigest()
    return digest("comparison", STAGE_VERSION, settings.neighbours, f"{settings.min_similarity:.6f}", content)


def read_comparison(context: StageContext, key: str) -> Comparison | None:
    """The comparison that was stored under ``key``; ``None`` when there is none any more."""
    neighbours, findings = _caches(context)
    if not key or key not in neighbours.known() or key not in findings.known():
        return None
    rows = neighbours.joined([key])
    found: dict[tuple[int, int], Finding] = {}
    table = findings.joined([key])
    for first, second, kind, reasons in zip(*(column.to_pylist() for column in table.columns), strict=True):
        found[first, second] = (PairKind(kind), tuple(json.loads(reasons)))
    numbers, similarities = (_matrix(rows[name]) for name in ("numbers", "similarities"))
    marks = rows["mark"].combine_chunks().to_numpy()
    return Comparison(rows["id"].to_pylist(), marks, NeighbourLists(numbers, similarities), found)


def write_comparison(context: StageContext, key: str, compared: Comparison) -> None:
    """Store ``compared`` under ``key``; one of too many claims is not kept, and the next build starts anew."""
    if len(compared.ids) > _MAX_CLAIMS:
        return
    neighbours, findings = _caches(context)
    lists = compared.lists
    columns = [
        pa.array(compared.ids, pa.string()),
        pa.array(compared.marks, pa.int64()),
        *(
            pa.array([row.astype("<i4").tobytes() for row in matrix], pa.binary())
            for matrix in (lists.numbers, lists.similarities)
        ),
    ]
    pairs = sorted(compared.findings)
    found = [compared.findings[pair] for pair in pairs]
    # The findings first: a list of neighbours without them would say that nothing was found.
    findings.put(
        {
            key: pa.table(
                [
                    pa.array([first for first, _ in pairs], pa.int64()),
                    pa.array([second for _, second in pairs], pa.int64()),
                    pa.array([str(kind) for kind, _ in found], pa.string()),
                    pa.array([json.dumps(reasons, ensure_ascii=False) for _, reasons in found], pa.string()),
                ],
                schema=_FINDINGS,
            )
        }
    )
    neighbours.put({key: pa.table(columns, schema=_NEIGHBOURS)})


def _caches(context: StageContext) -> tuple[TableCache, TableCache]:
    tables = context.workspace.tables
    return tables("claim_neighbours", _NEIGHBOURS), tables("claim_findings", _FINDINGS)


def _matrix(column: pa.ChunkedArray) -> npt.NDArray[np.int32]:
    rows = column.to_pylist()
    return np.frombuffer(b"".join(rows), dtype="<i4").reshape(len(rows), -1).astype(np.int32)
