"""Stage ``chunks``: every document cut into what retrieval indexes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from aipk_core.chunks import STAGE_VERSION, Chunk, ChunkSettings, chunk_document
from aipk_core.hashing import digest
from aipk_core.stages.documents import document_keys, read_documents
from aipk_core.stages.model import StageContext, StageResult, inputs_digest, is_current
from aipk_core.store.manifest import Manifest
from aipk_core.store.tables import TableCache

if TYPE_CHECKING:
    from aipk_core.embedding.deferred import DeferredEmbedder

SCHEMA = pa.schema(
    [(name, pa.string()) for name in ("id", "document", "text", "heading_path", "context", "anchor", "lang")]
    + [(name, pa.int64()) for name in ("start", "end", "page", "tokens")]
)

_DOCUMENTS_AT_ONCE = 256
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
        return _result(context, current, hits=documents.count, misses=0, unchanged=True)

    cache = context.workspace.tables("document_chunks", SCHEMA)
    keys = [
        digest("chunks", fingerprint, document, name)
        for document, name in zip(documents.column("digest"), documents.column("id"), strict=True)
    ]
    misses = _cut_missing(context, cache, keys, document_keys(documents), settings, embedder)
    rows = cache.joined(keys)
    tokens = rows["tokens"].to_numpy()
    facts = {
        "inputs": inputs,
        "documents": len(keys),
        "tokens": {
            "tokens on average": round(float(tokens.mean())) if len(tokens) else 0,
            "tokens at most": int(tokens.max(initial=0)),
        },
    }
    manifest = Manifest("chunks", fingerprint, rows, facts)
    context.workspace.write_manifest(context.corpus.name, manifest)
    return _result(context, manifest, hits=len(keys) - misses, misses=misses, unchanged=False)


def _cut_missing(
    context: StageContext,
    cache: TableCache,
    keys: list[str],
    stored: list[str],
    settings: ChunkSettings,
    embedder: DeferredEmbedder,
) -> int:
    """Cut the documents that have no chunks yet, and return how many there were; a stop half-way keeps most of them.

    Args:
        keys: of the documents' chunks.
        stored: of the documents themselves.
    """
    known = cache.known()
    missing = {name: key for key, name in zip(keys, stored, strict=True) if key not in known}
    names = list(missing)
    for first in range(0, len(names), _DOCUMENTS_AT_ONCE):
        fresh: dict[str, pa.Table] = {}
        some = names[first : first + _DOCUMENTS_AT_ONCE]
        for done, (name, document) in enumerate(read_documents(context, some), first + 1):
            chunks = chunk_document(document, settings, embedder.count_tokens)
            fresh[missing[name]] = pa.Table.from_pylist([_record(chunk) for chunk in chunks], schema=SCHEMA)
            context.progress("cutting documents into chunks", done, len(names))
        cache.put(fresh)
    return len(names)


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
    facts = {"chunks": manifest.count, "documents": hits + misses, **manifest.facts["tokens"]}
    sample = [
        {"document": row["document"], "tokens": row["tokens"], "text": row["text"][:200]} for row in manifest.head(10)
    ]
    return StageResult(
        "chunks",
        manifest.count,
        hits,
        misses,
        manifest.version,
        context.workspace.manifest_path(context.corpus.name, "chunks"),
        unchanged=unchanged,
        facts=facts,
        sample=tuple(sample),
    )
