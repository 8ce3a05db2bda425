"""A cache whose values are small Arrow tables, and the digest of a table.

What a stage makes of one document is a table of its own: found by the document's digest, and put together with those of
the other documents without ever becoming Python objects, so that an unchanged document costs next to nothing.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from aipk_core.errors import StoreError
from aipk_core.store.cache import MAX_VALUE_BYTES, REBUILD, Cache, compressed, decompressed


class TableCache:
    """A ``Cache`` whose values are Arrow tables of one schema.

    Each may carry notes (``noting_rows``), which are no part of its rows.
    """

    def __init__(self, folder: Path | str, name: str, schema: pa.Schema) -> None:
        self._cache = Cache(folder, name, pa.large_binary())
        self.schema = schema

    @property
    def cache(self) -> Cache:
        return self._cache

    def known(self) -> frozenset[str]:
        """All keys that have a table."""
        return self._cache.known()

    def put(self, tables: Mapping[str, pa.Table]) -> int:
        """Add tables whose key has none yet, and return how many were new. Committed to disk when this returns."""
        packed = [_packed(table.cast(self.schema.with_metadata(table.schema.metadata))) for table in tables.values()]
        return self._cache.put(list(tables), pa.array(packed, pa.large_binary()))

    def joined(self, keys: Sequence[str]) -> pa.Table:
        """The tables of ``keys`` below each other, in the order of ``keys``; all must be there.

        Raises:
            StoreError: one is missing or cannot be read back.
        """
        tables = dict(self.items(keys))
        missing = [key for key in keys if key not in tables]
        if missing:
            where = f"{self._cache.folder}/{self._cache.name}"
            raise StoreError(f"{len(missing)} cached tables are missing", where=where, remedy=REBUILD)
        if not keys:
            return self.schema.empty_table()
        return pa.concat_tables([tables[key].replace_schema_metadata(None) for key in keys]).combine_chunks()

    def items(self, keys: Sequence[str]) -> Iterator[tuple[str, pa.Table]]:
        """Key and table of those ``keys`` that have one, in no promised order; notes are the metadata of the schema."""
        for rows in self._cache.slices(keys):
            for key, value in zip(rows["key"].to_pylist(), rows["value"], strict=True):
                yield key, self._unpacked(value.as_buffer())

    def _unpacked(self, data: pa.Buffer) -> pa.Table:
        try:
            with pa.ipc.open_stream(decompressed(data)) as reader:
                table = reader.read_all()
            if not table.schema.equals(self.schema):
                raise ValueError("it has other columns than expected")
        except (ValueError, OSError, pa.ArrowException) as error:
            where = f"{self._cache.folder}/{self._cache.name}"
            raise StoreError(f"a cached table cannot be read: {error}", where=where, remedy=REBUILD) from error
        return table


def rows_behind(cache: Cache, keys: Sequence[str]) -> dict[str, set[str]]:
    """Name of another cache -> keys of its rows that the tables ``keys`` of a ``TableCache`` were made of, as noted by
    ``noting_rows``."""
    found: dict[str, set[str]] = {}
    for rows in cache.slices(keys):
        for value in rows["value"]:
            with pa.ipc.open_stream(decompressed(value.as_buffer())) as reader:
                for name, packed in (reader.schema.metadata or {}).items():
                    if name.startswith(_ROWS_OF):
                        found.setdefault(name.removeprefix(_ROWS_OF).decode(), set()).update(_keys(packed))
    return found


def noting_rows(table: pa.Table, cache: str, keys: Sequence[str]) -> pa.Table:
    """``table`` with a note that it was made of the rows ``keys`` of ``cache``: they are kept as long as it is, for what
    changes next is made of most of them again."""
    return table.replace_schema_metadata({_ROWS_OF + cache.encode(): b"".join(map(bytes.fromhex, keys))})


def noted_rows(table: pa.Table, cache: str) -> int:
    """How many rows of ``cache`` are noted in ``table``."""
    return len((table.schema.metadata or {}).get(_ROWS_OF + cache.encode(), b"")) // _KEY_BYTES


_ROWS_OF = b"rows of "
_KEY_BYTES = 32


def _keys(packed: bytes) -> list[str]:
    return [packed[start : start + _KEY_BYTES].hex() for start in range(0, len(packed), _KEY_BYTES)]


def table_digest(table: pa.Table) -> str:
    """64 hex characters: equal when, and only when, names, values and order are, however the rows lie in memory.

    Columns hold text, bytes, whole numbers or truth values.
    """
    hasher = hashlib.sha256(json.dumps([table.num_rows, table.column_names]).encode())
    for column in table.columns:
        for part in _parts(column):
            hasher.update(part)
    return hasher.hexdigest()


def _parts(column: pa.ChunkedArray) -> Iterator[bytes | memoryview]:
    """The values of a column as bytes: first what is null and how long each is, then all values in a row."""
    if pa.types.is_boolean(column.type):
        column = column.cast(pa.int8())
    yield str(column.type).removeprefix("large_").encode()
    if pa.types.is_integer(column.type):
        for chunk in column.chunks:
            yield np.asarray(chunk.is_null()).tobytes()
        for chunk in column.chunks:
            yield np.ascontiguousarray(chunk.fill_null(0).to_numpy(zero_copy_only=False)).data.cast("B")
        return
    for chunk in column.chunks:
        lengths = pc.binary_length(chunk).fill_null(-1).cast(pa.int64())
        yield np.ascontiguousarray(lengths.to_numpy(zero_copy_only=False)).data.cast("B")
    for chunk in column.chunks:
        yield from _text(chunk)


def _text(chunk: pa.Array) -> Iterator[memoryview]:
    """The bytes of all values of a text or binary array, without those that lie before, behind or under a null."""
    if chunk.null_count:
        chunk = chunk.drop_null()
    if not len(chunk):
        return
    kind = np.dtype(
        np.int64 if pa.types.is_large_string(chunk.type) or pa.types.is_large_binary(chunk.type) else np.int32
    )
    _, offsets, data = chunk.buffers()
    bounds = np.frombuffer(offsets, dtype=kind, count=len(chunk) + 1, offset=chunk.offset * kind.itemsize)
    if data is not None:
        yield memoryview(data)[int(bounds[0]) : int(bounds[-1])]


def _packed(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table.combine_chunks())
    data = sink.getvalue()
    if data.size > MAX_VALUE_BYTES:
        raise StoreError(
            f"the rows of one document have {data.size} bytes, more than {MAX_VALUE_BYTES}",
            code="too-large",
            remedy="Split the document into several files",
        )
    return compressed(data)
