"""What a stage has made, last time: the current rows of one stage of one corpus.

The caches only ever grow; a manifest says which of their rows are current. Everything downstream reads the manifest of
the stage above it, so a deleted document is gone as soon as the documents' manifest no longer lists it.
"""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from aipk_core.errors import StoreError
from aipk_core.hashing import digest_lines

_METADATA = b"aipk"


@dataclass(frozen=True)
class Manifest:
    """The rows of one stage, as an Arrow table with string columns, and facts about the stage as a whole.

    Attributes:
        fingerprint: digest of the stage's version and of all settings that affect its output.
        facts: JSON values that later stages need (revision of a source, counts …).
        written_version: what ``version`` was when the manifest was written, so that reading need not work it out again.
    """

    stage: str
    fingerprint: str
    rows: pa.Table
    facts: dict[str, Any] = field(default_factory=dict)
    written_version: str = ""

    @cached_property
    def version(self) -> str:
        """Digest of the rows: equal when, and only when, the stage's output is equal."""
        if self.written_version:
            return self.written_version
        columns = [self.rows[name].to_pylist() for name in self.rows.column_names]
        return digest_lines(
            json.dumps([*self.rows.column_names, *row], ensure_ascii=False) for row in zip(*columns, strict=True)
        )

    def column(self, name: str) -> list[str]:
        values: list[str] = self.rows[name].to_pylist()
        return values


def write_manifest(path: Path, manifest: Manifest) -> None:
    """Write ``manifest`` so that a reader sees the old one or the new one, never half of it, also after a power cut."""
    facts = {
        "stage": manifest.stage,
        "fingerprint": manifest.fingerprint,
        "version": manifest.version,
        "facts": manifest.facts,
    }
    table = manifest.rows.replace_schema_metadata({_METADATA: json.dumps(facts).encode()})
    buffer = pa.BufferOutputStream()
    pq.write_table(table, buffer, compression="zstd")
    write_atomically(path, buffer.getvalue().to_pybytes())


def read_manifest(path: Path) -> Manifest | None:
    """The manifest at ``path``, or ``None`` when the stage has never run.

    Raises:
        StoreError: the file is there but damaged.
    """
    try:
        table = pq.read_table(path)
        facts = json.loads(table.schema.metadata[_METADATA])
        rows = table.replace_schema_metadata(None)
        return Manifest(facts["stage"], facts["fingerprint"], rows, facts["facts"], facts["version"])
    except FileNotFoundError:
        return None
    except (pa.ArrowException, OSError, KeyError, TypeError, ValueError) as error:
        raise StoreError(
            f"a stage manifest cannot be read: {error}", where=str(path), remedy="Delete the file and build again"
        ) from error


def read_version(path: Path) -> str:
    """The version of the manifest at ``path`` without its rows; empty when there is none that can be read."""
    try:
        return str(json.loads(pq.read_schema(path).metadata[_METADATA])["version"])
    except (pa.ArrowException, OSError, KeyError, TypeError, ValueError):
        return ""


def write_atomically(path: Path, data: bytes) -> None:
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
