"""What a stage has made, last time: the current rows of one stage of one corpus.

The caches only ever grow; a manifest says which of their rows are current. Everything downstream reads the manifest of
the stage above it, so a deleted document is gone as soon as the documents' manifest no longer lists it.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from aipk_core.errors import StoreError
from aipk_core.store.tables import table_digest

_METADATA = b"aipk"


class Manifest:
    """The rows of one stage, as an Arrow table, and facts about the stage as a whole.

    A manifest that was read from disk reads its rows when they are asked for: a build that finds nothing changed needs
    none of them.

    Args:
        rows: the table, or the open file to take it from.
        written_version: what ``version`` was when the manifest was written, so that reading need not work it out again.

    Attributes:
        fingerprint: digest of the stage's version and of all settings that affect its output.
        facts: JSON values that later stages need (revision of a source, counts …).
    """

    def __init__(
        self,
        stage: str,
        fingerprint: str,
        rows: pa.Table | pq.ParquetFile,
        facts: dict[str, Any] | None = None,
        written_version: str = "",
    ) -> None:
        self.stage = stage
        self.fingerprint = fingerprint
        self.facts = facts if facts is not None else {}
        self._rows = rows
        self._version = written_version

    @property
    def rows(self) -> pa.Table:
        """All rows; they are not kept, so hold on to them as long as they are needed."""
        return self.columns(*self.names)

    def columns(self, *names: str) -> pa.Table:
        """The columns called ``names`` of all rows.

        Raises:
            StoreError: the file is damaged.
        """
        if isinstance(self._rows, pa.Table):
            return self._rows.select(list(names))
        with _damage_reported(self.stage):
            return self._rows.read(columns=list(names), use_threads=False).replace_schema_metadata(None)

    def column(self, name: str) -> list[Any]:
        """The values of one column."""
        values: list[Any] = self.columns(name)[name].to_pylist()
        return values

    def head(self, count: int) -> list[dict[str, Any]]:
        """The first rows, as a sample for people."""
        if isinstance(self._rows, pa.Table):
            return list(self._rows.slice(0, count).to_pylist())
        with _damage_reported(self.stage):
            batch = next(self._rows.iter_batches(batch_size=count, use_threads=False), None)
            return list(batch.to_pylist()) if batch is not None else []

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        table = self._rows if isinstance(self._rows, pa.Table) else self._rows.schema_arrow
        return list(table.column_names if isinstance(table, pa.Table) else table.names)

    @property
    def count(self) -> int:
        """Number of rows."""
        return int(self._rows.num_rows if isinstance(self._rows, pa.Table) else self._rows.metadata.num_rows)

    @property
    def version(self) -> str:
        """Digest of the rows: equal when, and only when, the stage's output is equal."""
        if not self._version:
            self._version = table_digest(self.rows)
        return self._version


def write_manifest(path: Path, manifest: Manifest) -> None:
    """Write ``manifest`` so that a reader sees the old one or the new one, never half of it, also after a power cut."""
    facts = {
        "stage": manifest.stage,
        "fingerprint": manifest.fingerprint,
        "version": manifest.version,
        "facts": manifest.facts,
    }
    table = manifest.rows.replace_schema_metadata({_METADATA: json.dumps(facts).encode()})
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd", use_dictionary=False, write_statistics=False)
    write_atomically(path, sink.getvalue())


def read_manifest(path: Path) -> Manifest | None:
    """The manifest at ``path``, or ``None`` when the stage has never run.

    Raises:
        StoreError: the file is there but damaged.
    """
    try:
        file = pq.ParquetFile(path)
        facts = json.loads(file.schema_arrow.metadata[_METADATA])
        return Manifest(facts["stage"], facts["fingerprint"], file, facts["facts"], facts["version"])
    except FileNotFoundError:
        return None
    except (pa.ArrowException, OSError, KeyError, TypeError, ValueError) as error:
        raise _damaged(error, str(path)) from error


def read_version(path: Path) -> str:
    """The version of the manifest at ``path`` without its rows; empty when there is none that can be read."""
    try:
        return str(json.loads(pq.read_schema(path).metadata[_METADATA])["version"])
    except (pa.ArrowException, OSError, KeyError, TypeError, ValueError):
        return ""


@contextmanager
def _damage_reported(where: str) -> Iterator[None]:
    try:
        yield
    except (pa.ArrowException, OSError, KeyError, ValueError) as error:
        raise _damaged(error, where) from error


def _damaged(error: Exception, where: str) -> StoreError:
    return StoreError(
        f"a stage manifest cannot be read: {error}", where=where, remedy="Delete the file and build again"
    )


def write_atomically(path: Path, data: bytes | pa.Buffer) -> None:
    """Replace the file at ``path`` by ``data`` in one step: written beside it, flushed to disk, renamed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        Path(name).replace(path)
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    except OSError as error:
        Path(name).unlink(missing_ok=True)
        full = error.errno == 28
        raise StoreError(
            "the disk is full" if full else f"cannot write: {error.strerror or error}",
            code="disk-full" if full else "store-unwritable",
            where=str(path),
            remedy="Free some space and build again" if full else "Check the folder's permissions",
        ) from error
