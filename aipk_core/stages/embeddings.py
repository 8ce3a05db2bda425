"""Stage ``embeddings``: a vector for the text of every chunk and every claim; equal texts share one."""

from __future__ import annotations

import json
from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from aipk_core.embedding.model import Embedder, EmbedderIdentity, Vectors
from aipk_core.executors.model import Shard
from aipk_core.hashing import digest
from aipk_core.stages.model import StageContext, StageResult, inputs_digest, is_current
from aipk_core.stages.shard_work import embed_payload, vectors_of
from aipk_core.store.cache import Cache
from aipk_core.store.manifest import Manifest

STAGE_VERSION = 1

SCHEMA = pa.schema([(name, pa.string()) for name in ("kind", "id", "key")])
_TEXTS_AT_ONCE = 1024
_TEXTS_PER_SHARD = 256


def embeddings_stage(context: StageContext) -> StageResult:
    """Embed what has no vector yet. A stop half-way keeps all vectors but those of the last thousand texts."""
    chunks = context.manifest("chunks")
    claims = context.manifest("claims")
    embedder = context.embedder()
    identity = embedder.identity
    fingerprint = digest("embeddings", STAGE_VERSION, identity.digest)
    inputs = inputs_digest(fingerprint, chunks.version, claims.version)
    cache = context.workspace.vectors("vectors", identity.dimensions)
    known = cache.known()
    current = is_current(context, "embeddings", inputs)
    # The cache may have been deleted under the manifest; then the texts are embedded again.
    if current is not None and known.issuperset(current.column("key")):
        distinct = int(current.facts["distinct"])
        return _result(context, current, identity, distinct, hits=distinct, misses=0, unchanged=True)

    texts: dict[str, str] = {}
    rows: list[dict[str, str]] = []
    for kind, name, text in (*_texts("chunk", chunks), *_texts("claim", claims)):
        key = digest("vector", identity.digest, text)
        texts.setdefault(key, text)
        rows.append({"kind": kind, "id": name, "key": key})

    # Short texts first, so that the texts of one batch are about equally long and little is padded; the order is part
    # of no result, since a vector depends on its own text alone.
    missing = sorted((key for key in texts if key not in known), key=lambda key: (len(texts[key]), key))
    done = 0
    for some, vectors in _embedded(context, embedder, texts, missing):
        cache.put(some, _as_arrow(vectors))
        done += len(some)
        context.progress("embedding", done, len(missing))

    manifest = Manifest(
        "embeddings",
        fingerprint,
        pa.Table.from_pylist(rows, schema=SCHEMA),
        {"inputs": inputs, "distinct": len(texts), "embedder": _identity_record(identity)},
    )
    context.workspace.write_manifest(context.corpus.name, manifest)
    return _result(
        context, manifest, identity, len(texts), hits=len(texts) - len(missing), misses=len(missing), unchanged=False
    )


def _texts(kind: str, manifest: Manifest) -> Iterator[tuple[str, str, str]]:
    """Kind, id and text of every row; only what the text is made of is unpacked, for the rest can be large."""
    joined = "\n" if kind == "chunk" else " > "  # as Chunk.full_text and Claim.full_text join them
    for name, context, text in zip(*(manifest.column(part) for part in ("id", "context", "text")), strict=True):
        yield kind, name, joined.join((*json.loads(context), text))


def _embedded(
    context: StageContext, embedder: Embedder, texts: dict[str, str], missing: list[str]
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
    parts = -(-len(texts) // _TEXTS_PER_SHARD)
    groups: dict[int, list[str]] = {}
    for key in sorted(missing):
        groups.setdefault(int(key[:12], 16) % parts, []).append(key)
    shards: dict[Shard, list[str]] = {}
    for some in groups.values():
        shards[Shard("embed", embed_payload(settings, identity.digest, [texts[key] for key in some]))] = some
    for shard, result in executor.map(list(shards)):
        yield shards[shard], vectors_of(result, identity.dimensions)


def read_vectors(context: StageContext, manifest: Manifest, kind: str, ids: list[str]) -> Vectors:
    """The vectors of ``kind`` (``chunk`` or ``claim``) for ``ids``: ``[len(ids), dimensions]`` float32."""
    dimensions = int(manifest.facts["embedder"]["dimensions"])
    cache = context.workspace.vectors("vectors", dimensions)
    kinds, names, all_keys = (manifest.column(name) for name in ("kind", "id", "key"))
    key_of = {name: key for one, name, key in zip(kinds, names, all_keys, strict=True) if one == kind}
    keys = [key_of[name] for name in ids]
    return _from_arrow(cache, keys, dimensions)


def _from_arrow(cache: Cache, keys: list[str], dimensions: int) -> Vectors:
    rows = cache.rows(keys)
    position = {key: index for index, key in enumerate(rows["key"].to_pylist())}
    values = rows["value"].combine_chunks()
    if isinstance(values, pa.ChunkedArray):
        values = pa.concat_arrays(values.chunks) if values.num_chunks else pa.array([], values.type)
    flat = np.asarray(values.flatten(), dtype=np.float32).reshape(-1, dimensions)
    return flat[[position[key] for key in keys]] if keys else np.zeros((0, dimensions), np.float32)


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
    kinds = manifest.column("kind")
    facts = {
        "chunks": kinds.count("chunk"),
        "claims": kinds.count("claim"),
        "different texts": distinct,
        "embedder": f"{identity.name} {identity.revision}",
        "dimensions": identity.dimensions,
    }
    return StageResult(
        "embeddings",
        len(kinds),
        hits,
        misses,
        manifest.version,
        context.workspace.manifest_path(context.corpus.name, "embeddings"),
        unchanged=unchanged,
        facts=facts,
        model_calls=misses,
        sample=tuple(manifest.head(10)),
    )
