"""The three tables of a package: how documents, chunks and claims become rows, and rows become them again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np
import pyarrow as pa

from aipk_core.chunks import Chunk
from aipk_core.claims.model import Check, Claim, Evidence, Status
from aipk_core.documents.model import Document
from aipk_core.documents.records import document_from_record, document_record
from aipk_core.embedding.model import Vectors
from aipk_core.package.search_terms import index_terms

DATABASE: Final = "lance"
DOCUMENTS: Final = "documents"
CHUNKS: Final = "chunks"
CLAIMS: Final = "claims"

_ROWS_PER_BATCH = 1_024
_DOCUMENTS_PER_BATCH = 32
# Columns of their own, so that a listing of documents does not have to read their structure.
_DOCUMENT_COLUMNS = ("id", "text", "title", "url", "lang", "media_type", "source", "licence", "attribution")

_TEXT = pa.string()
_TEXTS = pa.list_(pa.string())

DOCUMENT_SCHEMA: Final = pa.schema(
    [
        pa.field("id", _TEXT, nullable=False),
        pa.field("text", pa.large_string(), nullable=False),
        *(pa.field(name, _TEXT, nullable=False) for name in _DOCUMENT_COLUMNS[2:]),
        pa.field("structure", pa.large_string(), nullable=False),
    ]
)

_EVIDENCE = pa.struct(
    [
        pa.field("document", _TEXT, nullable=False),
        pa.field("start", pa.int64(), nullable=False),
        pa.field("end", pa.int64(), nullable=False),
        pa.field("quote", _TEXT, nullable=False),
        pa.field("heading_path", _TEXTS),
        pa.field("url", _TEXT),
        pa.field("page", pa.int32()),
    ]
)
_CHECK = pa.struct([pa.field("name", _TEXT), pa.field("passed", pa.bool_()), pa.field("reason", _TEXT)])


def chunk_schema(dimensions: int) -> pa.Schema:
    return pa.schema(
        [
            pa.field("id", _TEXT, nullable=False),
            pa.field("document", _TEXT, nullable=False),
            pa.field("start", pa.int64(), nullable=False),
            pa.field("end", pa.int64(), nullable=False),
            pa.field("text", _TEXT, nullable=False),
            pa.field("heading_path", _TEXTS),
            pa.field("context", _TEXTS),
            pa.field("anchor", _TEXT),
            pa.field("page", pa.int32()),
            pa.field("lang", _TEXT, nullable=False),
            pa.field("tokens", pa.int32(), nullable=False),
            pa.field("search", _TEXT, nullable=False),
            pa.field("vector", pa.list_(pa.float32(), dimensions)),
        ]
    )


def claim_schema(dimensions: int) -> pa.Schema:
    return pa.schema(
        [
            pa.field("id", _TEXT, nullable=False),
            pa.field("text", _TEXT, nullable=False),
            pa.field("context", _TEXTS),
            pa.field("evidence", pa.list_(_EVIDENCE)),
            pa.field("status", _TEXT, nullable=False),
            pa.field("kind", _TEXT, nullable=False),
            pa.field("lang", _TEXT, nullable=False),
            pa.field("engine", _TEXT, nullable=False),
            pa.field("checks", pa.list_(_CHECK)),
            pa.field("predecessor", _TEXT, nullable=False),
            pa.field("reason", _TEXT, nullable=False),
            pa.field("search", _TEXT, nullable=False),
            pa.field("vector", pa.list_(pa.float32(), dimensions)),
        ]
    )


def document_row(document: Document) -> dict[str, Any]:
    record = document_record(document)
    row = {name: record.pop(name) for name in _DOCUMENT_COLUMNS}
    row["structure"] = json.dumps(record, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return row


def document_of(row: Mapping[str, Any]) -> Document:
    """The document in a row.

    Raises:
        KeyError, TypeError, ValueError, RecursionError: the row is not one that ``document_row`` wrote.
    """
    columns = {name: row[name] for name in _DOCUMENT_COLUMNS}
    return document_from_record({**json.loads(row["structure"]), **columns})


def chunk_row(chunk: Chunk) -> dict[str, Any]:
    return {
        "id": chunk.id,
        "document": chunk.document,
        "start": chunk.start,
        "end": chunk.end,
        "text": chunk.text,
        "heading_path": list(chunk.heading_path),
        "context": list(chunk.context),
        "anchor": chunk.anchor,
        "page": chunk.page,
        "lang": chunk.lang,
        "tokens": chunk.tokens,
    }


def chunk_of(row: Mapping[str, Any]) -> Chunk:
    return Chunk(
        id=row["id"],
        document=row["document"],
        start=row["start"],
        end=row["end"],
        text=row["text"],
        heading_path=tuple(row["heading_path"]),
        context=tuple(row["context"]),
        anchor=row["anchor"],
        page=row["page"],
        lang=row["lang"],
        tokens=row["tokens"],
    )


def claim_row(claim: Claim) -> dict[str, Any]:
    return {
        "id": claim.id,
        "text": claim.text,
        "context": list(claim.context),
        "evidence": [
            {
                "document": evidence.document,
                "start": evidence.start,
                "end": evidence.end,
                "quote": evidence.quote,
                "heading_path": list(evidence.heading_path),
                "url": evidence.url,
                "page": evidence.page,
            }
            for evidence in claim.evidence
        ],
        "status": str(claim.status),
        "kind": claim.kind,
        "lang": claim.lang,
        "engine": claim.engine,
        "checks": [{"name": check.name, "passed": check.passed, "reason": check.reason} for check in claim.checks],
        "predecessor": claim.predecessor,
        "reason": claim.reason,
    }


def claim_of(row: Mapping[str, Any]) -> Claim:
    """The claim in a row.

    Raises:
        KeyError, TypeError, ValueError: the row is not one that ``claim_row`` wrote.
    """
    return Claim(
        id=row["id"],
        text=row["text"],
        context=tuple(row["context"]),
        evidence=tuple(
            Evidence(
                document=item["document"],
                start=item["start"],
                end=item["end"],
                quote=item["quote"],
                heading_path=tuple(item["heading_path"]),
                url=item["url"],
                page=item["page"],
            )
            for item in row["evidence"]
        ),
        status=Status(row["status"]),
        kind=row["kind"],
        lang=row["lang"],
        engine=row["engine"],
        checks=tuple(Check(item["name"], item["passed"], item["reason"]) for item in row["checks"]),
        predecessor=row["predecessor"],
        reason=row["reason"],
    )


def document_batches(documents: Sequence[Document]) -> Iterator[pa.RecordBatch]:
    for start in range(0, len(documents), _DOCUMENTS_PER_BATCH):
        rows = [document_row(document) for document in documents[start : start + _DOCUMENTS_PER_BATCH]]
        yield pa.RecordBatch.from_pylist(rows, schema=DOCUMENT_SCHEMA)


def chunk_batches(chunks: Sequence[Chunk], vectors: Vectors) -> Iterator[pa.RecordBatch]:
    schema = chunk_schema(vectors.shape[1])
    for start in range(0, len(chunks), _ROWS_PER_BATCH):
        part = chunks[start : start + _ROWS_PER_BATCH]
        rows = [{**chunk_row(chunk), "search": index_terms(chunk.full_text)} for chunk in part]
        yield _with_vectors(rows, vectors[start : start + len(part)], schema)


def claim_batches(claims: Sequence[Claim], vectors: Vectors) -> Iterator[pa.RecordBatch]:
    schema = claim_schema(vectors.shape[1])
    for start in range(0, len(claims), _ROWS_PER_BATCH):
        part = claims[start : start + _ROWS_PER_BATCH]
        rows = [{**claim_row(claim), "search": index_terms(claim.full_text)} for claim in part]
        yield _with_vectors(rows, vectors[start : start + len(part)], schema)


def _with_vectors(rows: list[dict[str, Any]], vectors: Vectors, schema: pa.Schema) -> pa.RecordBatch:
    plain = pa.RecordBatch.from_pylist(rows, schema=pa.schema(list(schema)[:-1]))
    flat = pa.array(np.ascontiguousarray(vectors).reshape(-1))
    column = pa.FixedSizeListArray.from_arrays(flat, vectors.shape[1])
    return pa.RecordBatch.from_arrays([*plain.columns, column], schema=schema)
