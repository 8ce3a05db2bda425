"""The tables of an unpacked package, opened with the first question that needs them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from aipk_core.errors import PackageError
from aipk_core.package.lance import connect, reading_tables
from aipk_core.package.tables import DATABASE

_ROWS_PER_READ = 1_024
_LONGEST_ID = 4_000

Item = TypeVar("Item")


class StoredTables:
    """Rows of the three tables as plain values; safe to share between threads.

    Every method raises ``PackageError`` (``tables-damaged``) when LanceDB cannot read a table, and (``closed``) after
    ``close``. Conditions (``where``) are SQL and come from this package's code only, never from a user.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._open: dict[str, Any] = {}
        self._lock = threading.Lock()
        self._closed = False

    def close(self) -> None:
        with self._lock:
            self._open.clear()
            self._closed = True

    def schema(self, table: str) -> pa.Schema:
        with reading_tables(self._folder):
            return self._table(table).schema

    def rows(self, table: str, columns: Sequence[str], where: str | None = None) -> Iterator[dict[str, Any]]:
        """All rows, or those that ``where`` holds for, in stored order (which is that of their ids), read in batches."""
        with reading_tables(self._folder):
            query = self._table(table).search().select(list(columns))
            query = query.where(where) if where else query
            for batch in query.to_batches(batch_size=_ROWS_PER_READ):
                yield from batch.to_pylist()

    def row(self, table: str, row_id: str, columns: Sequence[str]) -> dict[str, Any] | None:
        """The row with this id; the id may come from anywhere."""
        quoted = row_id.replace("'", "''")
        if "\0" in quoted or len(quoted) > _LONGEST_ID or any("\ud800" <= letter <= "\udfff" for letter in quoted):
            return None
        with reading_tables(self._folder):
            query = self._table(table).search().select(list(columns)).where(f"id = '{quoted}'")
            rows = query.limit(1).to_arrow().to_pylist()
        return rows[0] if rows else None

    def nearest(
        self, table: str, vector: npt.NDArray[np.float32], limit: int, where: str | None
    ) -> list[dict[str, Any]]:
        """The rows whose vectors point most nearly in the direction of ``vector``."""
        with reading_tables(self._folder):
            query = self._table(table).search(vector, vector_column_name="vector").distance_type("cosine")
            query = query.where(where, prefilter=True) if where else query
            return list(query.limit(limit).to_arrow().to_pylist())

    def matching(self, table: str, terms: str, limit: int, where: str | None) -> list[dict[str, Any]]:
        """The rows that hold at least one of ``terms``, weighed by BM25 in ``_score``; equal ones in no promised order."""
        with reading_tables(self._folder):
            from lancedb.query import MatchQuery

            query = self._table(table).search(MatchQuery(terms, "search"), query_type="fts")
            query = query.where(where, prefilter=True) if where else query
            return list(query.limit(limit).to_arrow().to_pylist())

    def _table(self, name: str) -> Any:
        with self._lock:
            if self._closed:
                raise PackageError("the package was closed", code="closed", where=str(self._folder))
            if name not in self._open:
                self._open[name] = connect(self._folder / DATABASE).open_table(name)
            return self._open[name]


def converted(convert: Callable[[Mapping[str, Any]], Item], row: Mapping[str, Any], where: Path) -> Item:
    """``convert(row)``, with the errors of a row that makes no sense turned into a ``PackageError``."""
    try:
        return convert(row)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, RecursionError) as error:
        raise PackageError(
            f"a row of its tables makes no sense ({type(error).__name__}: {error})"[:500],
            code="tables-damaged",
            where=str(where),
            remedy="Build the package anew, or get it again from where it came from",
        ) from error
