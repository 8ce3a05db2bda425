"""Stage ``embeddings``: a vector for the text of every chunk and every claim; equal texts share one."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from aipk_core.embedding.model import Embedder, EmbedderIdentity, Vectors
from aipk_core.errors import StoreError
from aipk_core.executors.model import Shard
from aipk_core.hashing import digest, digest_bytes
from aipk_core.stages.model import StageContext, StageResult, inputs_digest, is_current
from aipk_core.stages.shard_work import embed_payload, vectors_of
from aipk_core.store.manifest import Manifest

STAGE_VERSION = 1

SCHEMA = pa.schema([(name, pa.string()) for name in ("kind", "id", "key")])
_TEXTS_AT_ONCE = 1024
_TEXTS_PER_SHARD = 256
_ROWS_AT_ONCE = 4096


def embeddings_stage(context: StageContext) -> StageResult:
    """Embed what has no vector yet. A stop half-way keeps all vectors but those of the last thousand texts."""
    chunks = context.manifest("chunks")
    claims = context.manifest("claims")
    embedder = context.embedder()
    identity = embedder.identity
    fingerprint = digest("embeddings", STAGE_VERSION, identity.digest)
    inputs = inputs_digest(fingerprint, chunks.version, claims.version)
    cache = context.workspace.vectors("vectors", identity.dimensions)
    current = is_current(context, "embeddings", inputs)
    # The cache may have been deleted under the manifest; then the texts are embedded again.
    if current is not None and cache.exists():
        distinct = int(current.facts["distinct"])
        return _result(context, current, identity, distinct, hits=distinct, misses=0, unchanged=True)

    known = cache.known()
    texts: dict[str, str] = {}
    columns: list[pa.Table] = []
    for kind, manifest in (("chunk", chunks), ("claim", claims)):
        ids, keys = [], []
        for name, text in _texts(kind, manifest):
            key = vector_key(identity, text)
            ids.append(name)
            keys.append(key)
            if key not in known:
                texts[key] = text
        columns.append(pa.table([pa.repeat(pa.scalar(kind), len(ids)), pa.array(ids), pa.array(keys)], schema=SCHEMA))
    rows = pa.concat_tables(columns)
    distinct = pc.count_distinct(rows["key"]).as_py()

    # Short texts first, so that the texts of one batch are about equally long and little is padded; the order is part
    # of no result, since a vector depends on its own text alone.
    missing = sorted(texts, key=lambda key: (len(texts[key]), key))
    done = 0
    for some, vectors in _embedded(context, embedder, texts, missing, distinct):
        cache.put(some, _as_arrow(vectors))
        done += len(some)
        context.progress("embedding", done, len(missing))

    facts = {"inputs": inputs, "distinct": distinct, "chunks": chunks.count, "claims": claims.count}
    manifest = Manifest("embeddings", fingerprint, rows, facts | {"embedder": _identity_record(identity)})
    context.workspace.write_manifest(context.corpus.name, manifest)
    return _result(
        context, manifest, identity, distinct, hits=distinct - len(missing), misses=len(missing), unchanged=False
    )


def vector_key(identity: EmbedderIdentity, text: str) -> str:
    """Where the cache has the vector of ``text``: ``digest("vector", identity.digest, text)``, which many texts make
    worth writing out."""
    start = f'["vector",{_quoted(identity.digest)},{_quoted(text)}]'
    return digest_bytes(start.encode("utf-8", "surrogatepass"))


_quoted = json.encoder.encode_basestring
_unpacked = lru_cache(maxsize=4096)(json.loads)


def _texts(kind: str, manifest: Manifest) -> Iterator[tuple[str, str]]:
    """Id and text of every row; only what the text is made of is unpacked, for the rest can be large."""
    joined = "\n" if kind == "chunk" else " > "  # as Chunk.full_text and Claim.full_text join them
    for batch in manifest.columns("id", "context", "text").to_batches(max_chunksize=_ROWS_AT_ONCE):
        for name, context, text in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            yield name, joined.join((*_unpacked(context), text))


def _embedded(
    context: StageContext, embedder: Embedder, texts: dict[str, str], missing: list[str], distinct: int
) -> Iterator[tuple[list[str], Vectors]]:
    """Keys and vectors of what is missing, so many at a time that a stop loses little."""
    executor = context.remote_executor() if missing else None
    if executor is None:
        for first in range(0, len(missing), _TEXTS_AT_ONCE):
            some = missing[first : first + _TEXTS_AT_ONCE]
            yield some, embedder.embed_passages([texts[key] for key in some])
        return
    settings, identity = context.corpus.settings.embedding, embedder.identity
    # A key belongs to its shard whatever else is missing: a build that was stopped asks for the same shards again, and
    # finds what workers have done meanwhile.
    parts = -(-distinct // _TEXTS_PER_SHARD)
    groups: dict[int, list[str]] = {}
    for key in sorted(missing):
        groups.setdefault(int(key[:12], 16) % parts, []).append(key)
    shards: dict[Shard, list[str]] = {}
    for some in groups.values():
        shards[Shard("embed", embed_payload(settings, identity.digest, [texts[key] for key in some]))] = some
    for shard, result in executor.map(list(shards)):
        yield shards[shard], vectors_of(result, identity.dimensions)


def vector_keys(manifest: Manifest, kind: str, ids: Sequence[str]) -> list[str]:
    """Where the cache has the vectors of ``kind`` (``chunk`` or ``claim``) for ``ids``."""
    table = manifest.rows
    rows = table.filter(pc.equal(table["kind"], kind))
    key_of = dict(zip(rows["id"].to_pylist(), rows["key"].to_pylist(), strict=True))
    return [key_of[name] for name in ids]


def read_vectors(context: StageContext, manifest: Manifest, kind: str, ids: Sequence[str]) -> Vectors:
    """The vectors of ``kind`` (``chunk`` or ``claim``) for ``ids``: ``[len(ids), dimensions]`` float32."""
    dimensions = int(manifest.facts["embedder"]["dimensions"])
    cache = context.workspace.vectors("vectors", dimensions)
    wanted: dict[str, list[int]] = {}
    for number, key in enumerate(vector_keys(manifest, kind, ids)):
        wanted.setdefault(key, []).append(number)
    vectors = np.zeros((len(ids), dimensions), np.float32)
    # Slice by slice into their places: a copy of all vectors would be the largest thing that a build holds.
    for some in cache.slices(list(wanted)):
        values = some["value"].combine_chunks()
        flat = np.asarray(values.flatten(), dtype=np.float32).reshape(-1, dimensions)
        for key, vector in zip(some["key"].to_pylist(), flat, strict=True):
            vectors[wanted.pop(key)] = vector
    if wanted:
        raise StoreError(
            f"{len(wanted)} vectors are not in the store",
            code="vector-missing",
            where=str(context.workspace.caches),
            remedy="Build with --force embeddings",
        )
    return vectors


def _as_arrow(vectors: Vectors) -> pa.Array:
    flat = pa.array(np.ascontiguousarray(vectors, dtype=np.float32).reshape(-1))
    return pa.FixedSizeListArray.from_arrays(flat, vectors.shape[1])


def _identity_record(identity: EmbedderIdentity) -> dict[str, str | int]:
    return {
        "name": identity.name,
        "revision": identity.revision,
        "digest": identity.digest,
        "dimensions": identity.dimensions,
        "max_tokens": identity.max_tokens,
    }


def _result(
    context: StageContext,
    manifest: Manifest,
    identity: EmbedderIdentity,
    distinct: int,
    *,
    hits: int,
    misses: int,
    unchanged: bool,
) -> StageResult:
    facts = {
        "chunks": manifest.facts["chunks"],
        "claims": manifest.facts["claims"],
        "different texts": distinct,
        "embedder": f"{identity.name} {identity.revision}",
        "dimensions": identity.dimensions,
    }
    return StageResult(
        "embeddings",
        manifest.count,
        hits,
        misses,
        manifest.version,
        context.workspace.manifest_path(context.corpus.name, "embeddings"),
        unchanged=unchanged,
        facts=facts,
        model_calls=misses,
        sample=tuple(manifest.head(10)),
    )
