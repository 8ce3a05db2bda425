"""What workers do for the stages: pure functions from a JSON payload to bytes.

Settings travel in the payload, so that a shard's name tells all that its result depends on. What is dear to open (a model,
the listing of a source) is opened once in a process.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import TypeAdapter

from aipk_core.claims.engines import open_engine
from aipk_core.corpus import ClaimTable
from aipk_core.documents.ingest import DocumentFailure, document_files, load_context, load_file
from aipk_core.documents.loaders.registry import Limits, LoadContext
from aipk_core.documents.model import Document
from aipk_core.documents.records import document_from_record, document_record
from aipk_core.documents.sources import GitSource, SourceFile, SourceSettings, SourceSnapshot, open_source
from aipk_core.embedding import Embedder, EmbeddingSettings, open_embedder
from aipk_core.errors import EmbedderError, SourceError, StoreError
from aipk_core.stages.model import no_progress


def embed_payload(settings: EmbeddingSettings, identity: str, texts: list[str]) -> str:
    """The payload of one embedding shard; ``identity`` is the digest of the embedder that must make the vectors."""
    values = {"settings": settings.model_dump_json(), "identity": identity, "texts": texts}
    return json.dumps(values, ensure_ascii=False, sort_keys=True)


def embed_shard(payload: str) -> bytes:
    """Little-endian float32, ``[len(texts), dimensions]``, row by row.

    Raises:
        EmbedderError: the worker has another embedder than the build (code ``embedder-mismatch``).
    """
    values = json.loads(payload)
    embedder = _embedder(values["settings"])
    if embedder.identity.digest != values["identity"]:
        raise EmbedderError(
            "a worker has another embedder than the build",
            code="embedder-mismatch",
            where=embedder.identity.name,
            remedy="Install the same packages on all machines",
        )
    return embedder.embed_passages(values["texts"]).astype("<f4").tobytes()


def vectors_of(result: bytes, dimensions: int) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    """What ``embed_shard`` has written, as ``[texts, dimensions]``."""
    return np.frombuffer(result, dtype="<f4").astype(np.float32).reshape(-1, dimensions)


def load_payload(snapshot: SourceSnapshot, corpus: Path, sources: Path, paths: list[str]) -> str:
    """The payload of one shard of documents: files of one state of a source, by path."""
    values = {
        "settings": snapshot.settings.model_dump_json(),
        "revision": snapshot.revision,
        "corpus": str(corpus),
        "sources": str(sources),
        "paths": paths,
    }
    return json.dumps(values, ensure_ascii=False, sort_keys=True)


def load_shard(payload: str) -> bytes:
    """A JSON list with a document record or a failure for each path.

    Raises:
        SourceError: the worker sees another state of the source than the build (code ``source-changed``).
    """
    values = json.loads(payload)
    opened = _source(values["settings"], values["revision"], values["corpus"], values["sources"])
    snapshot, files, context = opened
    records = []
    for path in values["paths"]:
        result = load_file(snapshot, files[path], snapshot.settings, context)
        records.append({"failure": asdict(result)} if isinstance(result, DocumentFailure) else document_record(result))
    return json.dumps(records, ensure_ascii=False).encode("utf-8", "surrogatepass")


def extract_payload(settings: ClaimTable, fingerprint: str, documents: Sequence[tuple[Document, Sequence[int]]]) -> str:
    """The payload of one shard of claims: documents, and the numbers of the pieces that are to be read in each.

    Args:
        fingerprint: of the engine that must read them.
    """
    values = {
        "settings": settings.model_dump_json(),
        "fingerprint": fingerprint,
        "documents": [[document_record(document), list(numbers)] for document, numbers in documents],
    }
    return json.dumps(values, ensure_ascii=False, sort_keys=True)


def extract_shard(payload: str) -> bytes:
    """JSON: ``drafts`` as a list of place of the document, number of the piece and its drafts, for every piece that
    could be read; and ``figures`` of what happened.

    Raises:
        StoreError: the worker has another engine than the build (code ``engine-mismatch``).
    """
    values = json.loads(payload)
    engine = open_engine(ClaimTable.model_validate_json(values["settings"]), no_progress)
    if engine.fingerprint() != values["fingerprint"]:
        raise StoreError(
            "a worker finds claims in another way than the build",
            code="engine-mismatch",
            where=engine.name,
            remedy="Install the same version of aipk on all machines",
        )
    asked: list[tuple[int, int]] = []
    work: list[Any] = []
    for place, (record, numbers) in enumerate(values["documents"]):
        wanted = set(numbers)
        for number, piece in enumerate(engine.work(document_from_record(record))):
            if number in wanted:
                asked.append((place, number))
                work.append(piece)
    drafts = [[*asked[index], [draft.to_json() for draft in found]] for index, found in engine.extract(work)]
    answer = {"drafts": drafts, "figures": engine.figures()}
    return json.dumps(answer, ensure_ascii=False).encode("utf-8", "surrogatepass")


@lru_cache(maxsize=2)
def _embedder(settings: str) -> Embedder:
    return open_embedder(EmbeddingSettings.model_validate_json(settings))


@lru_cache(maxsize=2)
def _source(
    settings: str, revision: str, corpus: str, sources: str
) -> tuple[SourceSnapshot, dict[str, SourceFile], LoadContext]:
    parsed = TypeAdapter(SourceSettings).validate_json(settings)
    if isinstance(parsed, GitSource):
        parsed = parsed.model_copy(update={"revision": revision})  # the branch may have moved on meanwhile
    snapshot = open_source(parsed, Path(corpus), Path(sources))
    if snapshot.revision != revision:
        raise SourceError(
            "the source has another state than at the start of the build",
            code="source-changed",
            where=parsed.name,
            remedy="Build again, and let workers and build read the same folder",
        )
    files = {file.path: file for file in document_files(snapshot, parsed)}
    return snapshot, files, load_context(snapshot, parsed, Limits(max_bytes=parsed.max_file_bytes))
