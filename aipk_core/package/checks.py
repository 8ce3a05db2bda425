"""What must hold before an unpacked package is served: its tables are what its manifest says, and every span is exact."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from aipk_core.chunks import Chunk
from aipk_core.claims.model import Claim
from aipk_core.documents.model import Document
from aipk_core.errors import PackageError
from aipk_core.hashing import digest, digest_bytes
from aipk_core.package.contents import check_blocks, check_chunks, check_claims, check_id
from aipk_core.package.digests import about_digest, embedder_digest, rows_digest
from aipk_core.package.tables import (
    CHUNKS,
    CLAIMS,
    DOCUMENT_SCHEMA,
    DOCUMENTS,
    chunk_row,
    chunk_schema,
    claim_row,
    claim_schema,
    document_row,
)

if TYPE_CHECKING:
    from aipk_core.package.reader import Package

Row = TypeVar("Row", Document, Chunk, Claim)


def check_unpacked(package: Package) -> None:
    """Read all of a package's content once, without keeping it, and compare it with the manifest.

    Raises:
        PackageError: a table has other columns or cannot be searched (``tables-damaged``), an id is unfit or stands twice (``id-invalid``), a
            span does not give its quote (``span-broken``), there are more or fewer rows than the manifest says
            (``counts-differ``), or the content is not that of the content digest (``content-differs``).
    """
    manifest = package.manifest
    dimensions = manifest.embedder.dimensions
    for table, schema in (
        (DOCUMENTS, DOCUMENT_SCHEMA),
        (CHUNKS, chunk_schema(dimensions)),
        (CLAIMS, claim_schema(dimensions)),
    ):
        stored = package.schema(table)
        if [(field.name, field.type) for field in stored] != [(field.name, field.type) for field in schema]:
            raise PackageError(
                f"the table {table} does not have the columns of this format",
                code="tables-damaged",
                remedy="Build the package anew",
            )
    texts: dict[str, str] = {}
    statuses: Counter[str] = Counter()
    counts = manifest.counts
    found = {
        "documents": rows_digest(
            document_row(document)
            for document in _documents(_distinct(package.each_document(), "document", counts.documents), texts)
        ),
        "chunks": rows_digest(
            chunk_row(chunk) for chunk in _chunks(_distinct(package.chunks(), "chunk", counts.chunks), texts)
        ),
        "claims": rows_digest(
            claim_row(claim) for claim in _claims(_distinct(package.claims(), "claim", counts.claims), texts, statuses)
        ),
        "about": about_digest(manifest.name, manifest.version, manifest.title, manifest.description),
        "embedder": embedder_digest(manifest.embedder.identity),
        "ledger": digest_bytes(package.ledger),
        "licences": digest(package.licence_texts),
        "persona": digest(package.persona),
        "questions": rows_digest(package.questions),
        "skills": digest(package.skills),
        "stages": digest(manifest.stages),
        "tools": rows_digest(package.tools),
    }
    if any(statuses[status] != count for status, count in counts.claims_by_status.items()):
        raise _miscounted("claims of a status", sum(statuses.values()))
    different = sorted(
        name for name in found.keys() | manifest.parts.keys() if found.get(name) != manifest.parts.get(name)
    )
    if different:
        raise PackageError(
            f"its content is not what its content digest says: {', '.join(different)[:200]}",
            code="content-differs",
            remedy="Build the package anew, or get it again from where it came from",
        )
    _try_indexes(package)


def _try_indexes(package: Package) -> None:
    """Search each table once: an index that cannot be read is better found now than with the first question."""
    direction = np.zeros(package.manifest.embedder.dimensions, dtype=np.float32)
    direction[0] = 1.0
    if package.manifest.counts.chunks:
        package.search_chunks("aipk", direction, 1)
    if package.manifest.counts.claims:
        package.search_claims("aipk", direction, 1, status=None)


def _documents(documents: Iterable[Document], texts: dict[str, str]) -> Iterator[Document]:
    for document in documents:
        check_blocks(document)
        texts[document.id] = document.text
        yield document


def _chunks(chunks: Iterable[Chunk], texts: dict[str, str]) -> Iterator[Chunk]:
    for chunk in chunks:
        check_chunks([chunk], texts)
        yield chunk


def _claims(claims: Iterable[Claim], texts: dict[str, str], statuses: Counter[str]) -> Iterator[Claim]:
    for claim in claims:
        check_claims([claim], texts)
        statuses[claim.status.value] += 1
        yield claim


def _distinct(rows: Iterable[Row], kind: str, expected: int) -> Iterator[Row]:
    """``rows``, as many as expected and each with an id of its own; a table without end is left at once."""
    seen: set[str] = set()
    for row in rows:
        check_id(kind, row.id)
        if row.id in seen:
            raise PackageError(
                f"two {kind}s have the id '{row.id}'", code="id-invalid", remedy="Build the package anew"
            )
        seen.add(row.id)
        if len(seen) > expected:
            raise _miscounted(f"{kind}s", len(seen))
        yield row
    if len(seen) != expected:
        raise _miscounted(f"{kind}s", len(seen))


def _miscounted(what: str, found: int) -> PackageError:
    return PackageError(
        f"the number of {what} in its tables ({found}) is not that of its manifest",
        code="counts-differ",
        remedy="Build the package anew, or get it again from where it came from",
    )
