"""Writing a package: tables in a folder beside the destination, sealed into one file, moved into place at once."""

from __future__ import annotations

import glob
import json
import os
import shutil
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pydantic import ValidationError

from aipk_core.claims.model import Status
from aipk_core.documents.model import Document
from aipk_core.embedding.model import Vectors
from aipk_core.errors import PackageError
from aipk_core.hashing import digest_bytes, digest_file
from aipk_core.package.container import Container, disk_full, write_container, writing
from aipk_core.package.contents import PackageContents, check_contents
from aipk_core.package.digests import content_digest, content_parts, vectors_digest
from aipk_core.package.lance import connect, writing_tables
from aipk_core.package.manifest import MANIFEST_NAME, Counts, EmbedderRecord, Licence, Manifest, Member
from aipk_core.package.tables import (
    CHUNKS,
    CLAIMS,
    DATABASE,
    DOCUMENT_SCHEMA,
    DOCUMENTS,
    chunk_batches,
    chunk_schema,
    claim_batches,
    claim_schema,
    document_batches,
)

VECTOR_INDEX_ROWS = 200_000
"""From so many rows on a table gets a vector index; below, comparing with every row is exact and quick enough."""

PERSONA = "persona.md"
TOOLS = "tools.json"
QUESTIONS = "questions.jsonl"
LEDGER = "audit/reviews.jsonl"
REPORT = "report.json"

_TERM_LENGTH = 64
_MAX_PRUNINGS = 5
_PARTIAL = ".partial"
_ABANDONED_SECONDS = 600

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class PackageInfo:
    """What was written.

    Attributes:
        sha256: digest of the file.
        unchanged: the destination already held this very content and was left alone.
    """

    path: Path
    manifest: Manifest
    sha256: str
    size: int
    unchanged: bool = False


def write_package(
    destination: Path,
    contents: PackageContents,
    *,
    vector_index_rows: int = VECTOR_INDEX_ROWS,
    progress: Progress | None = None,
) -> PackageInfo:
    """Write ``contents`` to the file ``destination``: all of it or nothing.

    A destination that already holds the same content, intact, stays as it is.

    Args:
        vector_index_rows: tables of at least so many rows get a vector index.
        progress: told the name of each step.

    Raises:
        PackageError: the contents break a rule (see ``check_contents``), or cannot be described by a manifest.
        StoreError: the disk is full or cannot be written; nothing is left behind.
    """
    tell = progress or (lambda step: None)
    tell("checking")
    check_contents(contents)
    contents = _sorted(contents)
    parts = content_parts(contents)
    vectors = vectors_digest(contents.chunk_vectors, contents.claim_vectors)
    same = _same_package(destination, content_digest(parts), vectors)
    if same is not None:
        return same

    with writing(destination.parent):
        destination.parent.mkdir(parents=True, exist_ok=True)
    _require_space(destination.parent, contents)
    with _work_folder(destination) as work:
        tables = work / DATABASE
        tell("tables")
        with writing_tables(destination.parent):
            _write_tables(tables, contents, vector_index_rows, tell)
        members = _plain_members(contents)
        files = {
            f"{DATABASE}/{path.relative_to(tables).as_posix()}": path for path in tables.rglob("*") if path.is_file()
        }
        tell("sealing")
        with writing(destination.parent):
            manifest = _manifest(contents, parts, vectors, members, files)
            sealed = work / "sealed"
            write_container(sealed, {**members, **files, MANIFEST_NAME: manifest.encoded()})
            sha256, size = digest_file(sealed), sealed.stat().st_size
            sealed.replace(destination)
            _sync_folder(destination.parent)
    return PackageInfo(destination, manifest, sha256, size)


def _sorted(contents: PackageContents) -> PackageContents:
    """``contents`` in the order of ids, so that the order in which stages produced them leaves no trace; title and
    description on one line."""
    chunk_order = sorted(range(len(contents.chunks)), key=lambda index: contents.chunks[index].id)
    claim_order = sorted(range(len(contents.claims)), key=lambda index: contents.claims[index].id)
    return replace(
        contents,
        title=_line(contents.title),
        description=_line(contents.description),
        documents=sorted(contents.documents, key=lambda document: document.id),
        chunks=[contents.chunks[index] for index in chunk_order],
        chunk_vectors=_taken(contents.chunk_vectors, chunk_order),
        claims=[contents.claims[index] for index in claim_order],
        claim_vectors=_taken(contents.claim_vectors, claim_order),
    )


def _taken(vectors: Vectors, order: list[int]) -> Vectors:
    if order == list(range(len(order))):
        return vectors
    return np.ascontiguousarray(vectors[order])


def _same_package(destination: Path, content: str, vectors: str) -> PackageInfo | None:
    """The package that is there already, when it is intact and has this very content."""
    if not destination.exists():
        return None
    try:
        with Container(destination) as container:
            manifest = container.manifest
            if manifest.content_digest != content or manifest.vectors_digest != vectors:
                return None
            container.verify()
            return PackageInfo(destination, manifest, container.digest(), container.size, unchanged=True)
    except PackageError:
        return None  # whatever lies there is about to be replaced by a good package


@contextmanager
def _work_folder(destination: Path) -> Iterator[Path]:
    """A folder on the destination's own disk, so that the last step is a mere renaming; gone afterwards."""
    with writing(destination.parent):
        _remove_abandoned(destination)
        prefix = f".{destination.name}.{os.getpid()}."
        work = Path(tempfile.mkdtemp(prefix=prefix, suffix=_PARTIAL, dir=destination.parent))
    try:
        yield work
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _remove_abandoned(destination: Path) -> None:
    """Remove what a killed writer left behind: its process is gone, and nothing has touched the folder for a while."""
    for folder in destination.parent.glob(f".{glob.escape(destination.name)}.*{_PARTIAL}"):
        process = folder.name.removeprefix(f".{destination.name}.").split(".")[0]
        quiet = time.time() - folder.stat().st_mtime > _ABANDONED_SECONDS
        if quiet and process.isdigit() and not _is_alive(int(process)):
            shutil.rmtree(folder, ignore_errors=True)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _require_space(folder: Path, contents: PackageContents) -> None:
    """Refuse before the work is done when the disk is certainly too small: tables and the sealed file stand side by side."""
    vectors = contents.chunk_vectors.nbytes + contents.claim_vectors.nbytes
    text = sum(len(document.text) for document in contents.documents)
    needed = 2 * (vectors + text)
    with writing(folder):
        free = shutil.disk_usage(folder).free
    if free < needed:
        raise disk_full(folder, needed)


def _write_tables(folder: Path, contents: PackageContents, vector_index_rows: int, tell: Progress) -> None:
    database = connect(folder)
    dimensions = contents.embedder.dimensions
    documents = _create(database, DOCUMENTS, DOCUMENT_SCHEMA, document_batches(contents.documents))
    chunks = _create(database, CHUNKS, chunk_schema(dimensions), chunk_batches(contents.chunks, contents.chunk_vectors))
    claims = _create(database, CLAIMS, claim_schema(dimensions), claim_batches(contents.claims, contents.claim_vectors))
    tell("indexes")
    for table, rows in (
        (documents, len(contents.documents)),
        (chunks, len(contents.chunks)),
        (claims, len(contents.claims)),
    ):
        if rows:
            _index(table, rows, vector_index_rows)
        _prune(table)


def _create(database: Any, name: str, schema: pa.Schema, batches: Iterator[pa.RecordBatch]) -> Any:
    reader = pa.RecordBatchReader.from_batches(schema, batches)
    return database.create_table(name, data=reader, schema=schema)


def _index(table: Any, rows: int, vector_index_rows: int) -> None:
    from lancedb.index import FTS, BTree, IvfFlat

    table.create_index("id", config=BTree())
    columns = set(table.schema.names)
    if "search" in columns:
        # Terms are made by search_terms; the index splits them at spaces and folds English endings and accents. Stop
        # words stay: which words tell nothing depends on the language.
        table.create_index(
            "search",
            config=FTS(
                base_tokenizer="whitespace",
                lower_case=True,
                stem=True,
                language="English",
                remove_stop_words=False,
                ascii_folding=True,
                max_token_length=_TERM_LENGTH,
                with_position=False,
            ),
        )
    if "vector" in columns and rows >= vector_index_rows:
        table.create_index("vector", config=IvfFlat(distance_type="cosine"))


def _prune(table: Any) -> None:
    """Compact and drop all versions but the last; the first pass writes a version of its own, which the next removes."""
    for _ in range(_MAX_PRUNINGS):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that no other process may be working on the table: none is
            table.optimize(cleanup_older_than=timedelta(0), delete_unverified=True)
        if len(table.list_versions()) == 1:
            return
    raise PackageError(
        "old versions of a table cannot be removed",
        code="table-versions",
        where=str(table.name),
        remedy="Report this error with the version of lancedb",
    )


def _plain_members(contents: PackageContents) -> dict[str, bytes]:
    members = {f"skills/{name}.md": text.encode("utf-8") for name, text in contents.skills.items()}
    members |= {f"licences/{name}.txt": text.encode("utf-8") for name, text in contents.licence_texts.items()}
    if contents.persona:
        members[PERSONA] = contents.persona.encode("utf-8")
    if contents.tools:
        members[TOOLS] = _json_lines([list(contents.tools)])
    if contents.questions:
        members[QUESTIONS] = _json_lines(contents.questions)
    if contents.ledger:
        members[LEDGER] = contents.ledger
    if contents.report:
        members[REPORT] = _json_lines([contents.report])
    return members


def _json_lines(values: Any) -> bytes:
    lines = (json.dumps(value, sort_keys=True, ensure_ascii=False, allow_nan=False) for value in values)
    return "".join(f"{line}\n" for line in lines).encode("utf-8")


def _manifest(
    contents: PackageContents,
    parts: dict[str, str],
    vectors: str,
    members: dict[str, bytes],
    files: dict[str, Path],
) -> Manifest:
    listed = [Member(path=path, size=len(data), sha256=digest_bytes(data)) for path, data in members.items()]
    listed += [Member(path=path, size=file.stat().st_size, sha256=digest_file(file)) for path, file in files.items()]
    by_status = Counter(str(claim.status) for claim in contents.claims)
    languages = {document.lang for document in contents.documents} | {claim.lang for claim in contents.claims}
    try:
        return Manifest(
            name=contents.name,
            version=contents.version,
            title=contents.title,
            description=contents.description,
            content_digest=content_digest(parts),
            parts=parts,
            vectors_digest=vectors,
            embedder=EmbedderRecord.of(contents.embedder),
            counts=Counts(
                documents=len(contents.documents),
                chunks=len(contents.chunks),
                claims=len(contents.claims),
                claims_by_status={status.value: by_status[status.value] for status in Status},
                questions=len(contents.questions),
            ),
            languages=sorted(languages),
            licences=_licences(contents),
            stages=dict(contents.stages),
            members=sorted(listed, key=lambda member: member.path),
        )
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise PackageError(
            f"the manifest cannot say {'.'.join(str(part) for part in first['loc'])}: {first['msg']}"[:500],
            code="manifest-invalid",
            where=contents.name,
            remedy="Correct the corpus settings that this value comes from",
        ) from error


def _licences(contents: PackageContents) -> list[Licence]:
    def terms(document: Document) -> tuple[str, str, str]:
        return document.source, document.licence, document.attribution

    counted = Counter(terms(document) for document in contents.documents)
    return [
        Licence(
            source=source, licence=licence, attribution=attribution, documents=counted[source, licence, attribution]
        )
        for source, licence, attribution in sorted(counted)
    ]


def _line(text: str) -> str:
    """``text`` on one line, as the manifest wants it."""
    return " ".join(text.split())


def _sync_folder(folder: Path) -> None:
    """Make the renaming itself survive a power cut; not every file system can."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
