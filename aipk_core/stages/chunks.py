"""Stage ``chunks``: every document cut into what retrieval indexes."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import pyarrow as pa

from aipk_core.chunks import STAGE_VERSION, Chunk, ChunkSettings, chunk_document
from aipk_core.documents.records import document_from_record
from aipk_core.hashing import digest
from aipk_core.stages.documents import document_keys
from aipk_core.stages.model import StageContext, StageResult, inputs_digest, is_current
from aipk_core.store.cache import cached
from aipk_core.store.manifest import Manifest

SCHEMA = pa.schema(
    [(name, pa.string()) for name in ("id", "document", "text", "heading_path", "context", "anchor", "lang")]
    + [(name, pa.int64()) for name in ("start", "end", "page", "tokens")]
)

_OWN_TOKENS = 2  # the start and end marks that embedders put around a text


def chunks_stage(context: StageContext) -> StageResult:
    """Cut the current documents into chunks, one cached row for each document."""
    documents = context.manifest("documents")
    table = context.corpus.settings.chunks
    embedder = context.embedder()
    # A few words left over at the end of a section join the chunk before them, as far as the embedder reads.
    room = embedder.identity.max_tokens - _OWN_TOKENS
    settings = ChunkSettings(
        target_tokens=table.target_tokens,
        limit_tokens=max(table.target_tokens, min(table.target_tokens * 5 // 4, room)),
        overlap_sentences=table.overlap_sentences,
    )
    # Chunks are cut by the embedder's own tokens: another tokenizer means other chunks.
    fingerprint = digest("chunks", STAGE_VERSION, settings.fingerprint(), embedder.identity.digest)
    inputs = inputs_digest(fingerprint, documents.version)
    current = is_current(context, "chunks", inputs)
    if current is not None:
        return _result(context, current, hits=documents.rows.num_rows, misses=0, unchanged=True)

    cache = context.workspace.cache("chunks")
    digests = documents.column("digest")
    ids = documents.column("id")
    keys = [digest("chunks", fingerprint, document, name) for document, name in zip(digests, ids, strict=True)]
    document_cache = context.workspace.cache("documents")
    stored = document_keys(documents)
    total = len(keys)

    def compute(missing: list[int]) -> Iterable[tuple[int, Any]]:
        wanted = {stored[position]: position for position in missing}
        for done, (key, record) in enumerate(document_cache.items(list(wanted)), 1):
            document = document_from_record(record["document"])
            yield wanted[key], [_record(chunk) for chunk in chunk_document(document, settings, embedder.count_tokens)]
            context.progress("cutting documents into chunks", done, len(missing))

    misses = cached(cache, keys, compute)
    rows = cache.get(keys)
    records = [record for key in keys for record in rows[key]]
    table = pa.Table.from_pylist(records, schema=SCHEMA)
    manifest = Manifest("chunks", fingerprint, table, {"inputs": inputs, "documents": total})
    context.workspace.write_manifest(context.corpus.name, manifest)
    return _result(context, manifest, hits=total - misses, misses=misses, unchanged=False)


def read_chunks(manifest: Manifest) -> list[Chunk]:
    """The chunks that the stage made, in document order."""
    return [chunk_from_row(row) for row in manifest.rows.to_pylist()]


def chunk_from_row(row: dict[str, Any]) -> Chunk:
    """One row of the manifest as a ``Chunk``."""
    values = {
        **row,
        "heading_path": tuple(json.loads(row["heading_path"])),
        "context": tuple(json.loads(row["context"])),
    }
    return Chunk(**values)


def _record(chunk: Chunk) -> dict[str, Any]:
    return {
        "id": chunk.id,
        "document": chunk.document,
        "text": chunk.text,
        "heading_path": json.dumps(chunk.heading_path, ensure_ascii=False),
        "context": json.dumps(chunk.context, ensure_ascii=False),
        "anchor": chunk.anchor,
        "lang": chunk.lang,
        "start": chunk.start,
        "end": chunk.end,
        "page": chunk.page,
        "tokens": chunk.tokens,
    }


def _result(context: StageContext, manifest: Manifest, *, hits: int, misses: int, unchanged: bool) -> StageResult:
    tokens = manifest.rows["tokens"].to_pylist()
    facts = {
        "chunks": manifest.rows.num_rows,
        "documents": hits + misses,
        "tokens on average": round(sum(tokens) / len(tokens)) if tokens else 0,
        "tokens at most": max(tokens, default=0),
    }
    sample = [
        {"document": row["document"], "tokens": row["tokens"], "text": row["text"][:200]}
        for row in manifest.rows.slice(0, 10).to_pylist()
    ]
    return StageResult(
        "chunks",
        manifest.rows.num_rows,
        hits,
        misses,
        manifest.version,
        context.workspace.manifest_path(context.corpus.name, "chunks"),
        unchanged=unchanged,
        facts=facts,
        sample=tuple(sample),
    )
