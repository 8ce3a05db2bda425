"""One content-addressed cache: rows that are found by the digest of what they were computed from.

A row, once written, is never changed: the same key always means the same value. Rows live in one Lance table per cache,
and its key field is marked as primary key, so that two builds that write the same key at once leave one row.
"""

from __future__ import annotations

import contextlib
import json
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from aipk_core.errors import StoreError

if TYPE_CHECKING:
    from lancedb.table import Table

_PRIMARY_KEY = {"lance-schema:unenforced-primary-key": "true"}
_ROWS_AT_ONCE = 4096
MAX_VALUE_BYTES = 256 << 20
_MAX_PRUNINGS = 5  # the first pass writes a version of its own, which the next removes
_LENGTH_BYTES = 8


class Cache:
    """Rows ``key -> value`` in one Lance table.

    Args:
        folder: the LanceDB database: a folder, made when first written, or the address of an object store
            (``s3://bucket/path``), whose credentials come from the environment.
        name: table name.
        value: Arrow type of the values.
    """

    def __init__(self, folder: Path | str, name: str, value: pa.DataType) -> None:
        self.folder = folder
        self.name = name
        self.schema = pa.schema(
            [pa.field("key", pa.string(), nullable=False, metadata=_PRIMARY_KEY), pa.field("value", value)]
        )
        self.used: set[str] = set()
        """Keys that were read or written since somebody last emptied this; garbage collection keeps what stages use."""
        self._table: Table | None = None
        self._offsets: dict[str, int] | None = None
        self._lock = threading.Lock()

    @classmethod
    def existing(cls, folder: Path | str, name: str) -> Cache:
        """The cache called ``name`` that is on disk already, whatever its values are."""
        cache = cls(folder, name, pa.null())
        with _reported(f"{folder}/{name}"):
            cache._table = _database(folder).open_table(name)
            cache.schema = cache._table.schema
        return cache

    def known(self) -> frozenset[str]:
        """All keys that have a row."""
        with self._lock:
            return frozenset(self._key_offsets())

    def exists(self) -> bool:
        """Whether there is such a table at all; in a folder, told without opening the database."""
        if isinstance(self.folder, Path):
            return any((self.folder / f"{self.name}.lance" / "_versions").glob("*.manifest"))
        return self.name in table_names(self.folder)

    def rows(self, keys: Sequence[str]) -> pa.Table:
        """The rows of those ``keys`` that are there, each once, in no promised order; columns ``key`` and ``value``."""
        return pa.concat_tables([self.schema.empty_table(), *self.slices(keys)])

    def slices(self, keys: Sequence[str]) -> Iterator[pa.Table]:
        """Like ``rows``, a few thousand rows at a time."""
        self.used.update(keys)
        with self._lock:
            offsets = self._key_offsets()
            wanted = sorted({offsets[key] for key in keys if key in offsets})
            table = self._open()
        if table is None:
            return
        for first in range(0, len(wanted), _ROWS_AT_ONCE):
            some = wanted[first : first + _ROWS_AT_ONCE]
            with _reported(f"{self.folder}/{self.name}"):
                rows = table.take_offsets(some).to_arrow().select(["key", "value"])
            if rows.num_rows != len(some):
                gone = len(some) - rows.num_rows
                raise StoreError(
                    f"{gone} rows that the table lists are not in it", where=str(self.folder), remedy=REBUILD
                )
            yield rows.cast(self.schema)

    def put(self, keys: Sequence[str], values: pa.Array) -> int:
        """Add rows whose key has none yet, and return how many were new. Committed to disk when this returns."""
        self.used.update(keys)
        batch = pa.table(
            [pa.array(keys, pa.string()), values.cast(self.schema.field("value").type)], schema=self.schema
        )
        batch = _first_of_each_key(batch)
        if not batch.num_rows:
            return 0
        with self._lock, _reported(f"{self.folder}/{self.name}"):
            table = self._open(create=True)
            assert table is not None
            result = table.merge_insert("key").when_not_matched_insert_all().execute(batch)
            self._offsets = None
            return int(result.num_inserted_rows)

    def compact(self, keep: frozenset[str] | None = None) -> int:
        """Drop the rows whose key is not in ``keep`` (all stay when it is ``None``), merge fragments, and delete old
        versions. Returns the number of rows dropped. The caller holds the store's exclusive lock."""
        from datetime import timedelta

        with self._lock, _reported(f"{self.folder}/{self.name}"):
            table = self._open()
            if table is None:
                return 0
            dropped = 0
            if keep is not None:
                gone = [key for key in self._key_offsets() if key not in keep]
                dropped = len(gone)
                for first in range(0, len(gone), 1000):
                    quoted = ", ".join(f"'{key}'" for key in gone[first : first + 1000])
                    table.delete(f"key IN ({quoted})")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # that another process may be writing: the exclusive lock says none is
                for _ in range(_MAX_PRUNINGS):
                    table.optimize(cleanup_older_than=timedelta(0), delete_unverified=True)
                    if len(table.list_versions()) == 1:
                        break
            self._offsets = None
            return dropped

    def size(self) -> int:
        """Bytes on disk; 0 in an object store, which has its own ways to tell."""
        return bytes_under(self.folder / f"{self.name}.lance") if isinstance(self.folder, Path) else 0

    def _key_offsets(self) -> dict[str, int]:
        table = self._open()
        if table is None:
            return {}
        with _reported(f"{self.folder}/{self.name}"):
            # Another process may have added rows since; a version is cheap to ask for and never lies.
            before = table.version
            table.checkout_latest()
            if self._offsets is None or table.version != before:
                keys = table.search().select(["key"]).limit(None).to_arrow()["key"].to_pylist()
                self._offsets = {key: offset for offset, key in enumerate(keys)}
        return self._offsets

    def _open(self, create: bool = False) -> Table | None:
        if self._table is None:
            if not create and self.name not in table_names(self.folder):
                return None
            with _reported(f"{self.folder}/{self.name}"):
                if isinstance(self.folder, Path):
                    self.folder.mkdir(parents=True, exist_ok=True)
                self._table = _database(self.folder).create_table(self.name, schema=self.schema, exist_ok=True)
        return self._table


def table_names(folder: Path | str) -> list[str]:
    """The caches that a database has."""
    if isinstance(folder, Path):  # without opening the database, which costs seconds
        return sorted(path.stem for path in folder.glob("*.lance") if path.is_dir())
    names: list[str] = []
    page = None
    with _reported(folder):
        database = _database(folder)
        while True:
            answer = database.list_tables(page_token=page)
            names += answer.tables
            page = answer.page_token
            if not page:
                return sorted(names)


def _database(folder: Path | str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import lancedb
    return lancedb.connect(folder)


class JsonCache:
    """A ``Cache`` whose values are JSON, compressed."""

    def __init__(self, folder: Path | str, name: str) -> None:
        self._cache = Cache(folder, name, pa.large_binary())

    @property
    def cache(self) -> Cache:
        return self._cache

    def known(self) -> frozenset[str]:
        """All keys that have a value."""
        return self._cache.known()

    def exists(self) -> bool:
        """Whether anything was ever put into it and not deleted; told without opening it."""
        return self._cache.exists()

    def get(self, keys: Iterable[str]) -> dict[str, Any]:
        """The values of those ``keys`` that have one.

        Raises:
            StoreError: a row on disk cannot be read back.
        """
        return dict(self.items(list(keys)))

    def items(self, keys: Sequence[str]) -> Iterator[tuple[str, Any]]:
        """Like ``get``, one after the other, so that only one value at a time is unpacked."""
        for rows in self._cache.slices(keys):
            for key, value in zip(rows["key"].to_pylist(), rows["value"], strict=True):
                yield key, self._unpacked(value.as_buffer())

    def put(self, values: Mapping[str, Any]) -> int:
        """Add values whose key has none yet, and return how many were new. Committed to disk when this returns."""
        packed = pa.array([_packed(value) for value in values.values()], pa.large_binary())
        return self._cache.put(list(values), packed)

    def _unpacked(self, data: pa.Buffer) -> Any:
        where = f"{self._cache.folder}/{self._cache.name}"
        try:
            return json.loads(decompressed(data).to_pybytes())
        except (ValueError, OSError) as error:
            raise StoreError(f"a cached row cannot be read: {error}", where=where, remedy=REBUILD) from error


REBUILD = "Delete this folder and build again; nothing but time is lost"


def compressed(data: bytes | pa.Buffer) -> bytes:
    """``data`` as cached values hold it: its length, then its bytes, compressed."""
    packed: bytes = pa.compress(data, codec="zstd", asbytes=True)
    return len(data).to_bytes(_LENGTH_BYTES, "little") + packed


def decompressed(data: pa.Buffer) -> pa.Buffer:
    """What ``compressed`` was given.

    Raises:
        ValueError, OSError: it is damaged.
    """
    size = int.from_bytes(data[:_LENGTH_BYTES].to_pybytes(), "little")
    if size > MAX_VALUE_BYTES:
        raise ValueError("the row claims to be larger than any row can be")
    return pa.decompress(data[_LENGTH_BYTES:], size, codec="zstd")


def bytes_under(folder: Path) -> int:
    """Bytes of all files in ``folder``; 0 when it is not there. Files that vanish meanwhile are not counted."""
    total = 0
    for path in folder.rglob("*"):
        with contextlib.suppress(FileNotFoundError):
            if path.is_file() and not path.is_symlink():
                total += path.stat().st_size
    return total


class _reported:  # noqa: N801 - used as a statement, like a function
    """Turns what LanceDB and Arrow raise into a ``StoreError`` that says what to do."""

    def __init__(self, where: str) -> None:
        self.where = where

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, (OSError, RuntimeError, ValueError, pa.ArrowException)):
            text = str(error)
            if "No space left" in text or "os error 28" in text:
                raise StoreError(
                    "the disk is full",
                    code="disk-full",
                    where=self.where,
                    remedy="Free some space and build again",
                ) from error
            raise StoreError(text.splitlines()[0][:300], where=self.where, remedy=REBUILD) from error


def cached(cache: JsonCache, keys: Sequence[str], compute: Callable[[list[int]], Iterable[tuple[int, Any]]]) -> int:
    """Fill ``cache`` for ``keys``: hand the positions of those without a row to ``compute`` and store what it yields in
    batches, so that a stop half-way keeps what was done. Returns the number of keys that were missing."""
    known = cache.known()
    first: dict[str, int] = {}
    for position, key in enumerate(keys):
        if key not in known:
            first.setdefault(key, position)
    batch: dict[str, Any] = {}
    for position, value in compute(list(first.values())):
        batch[keys[position]] = value
        if len(batch) >= _BATCH_ROWS:
            cache.put(batch)
            batch = {}
    if batch:
        cache.put(batch)
    return len(first)


_BATCH_ROWS = 512


def _packed(value: Any) -> bytes:
    return compressed(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8"))


def _first_of_each_key(batch: pa.Table) -> pa.Table:
    if pc.count_distinct(batch["key"]).as_py() == batch.num_rows:
        return batch
    seen: dict[str, int] = {}
    for position, key in enumerate(batch["key"].to_pylist()):
        seen.setdefault(key, position)
    return batch.take(pa.array(sorted(seen.values())))
