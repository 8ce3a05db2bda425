"""Reading pieces of text for claims: those that nobody has read yet, here or on workers elsewhere."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from aipk_core.claims.engine import ClaimEngine, Draft, Work
from aipk_core.corpus import ClaimTable
from aipk_core.documents.model import Document
from aipk_core.executors.model import Executor, Shard
from aipk_core.hashing import digest
from aipk_core.stages.model import StageContext
from aipk_core.stages.shard_work import extract_payload
from aipk_core.store.cache import JsonCache

CACHE = "claims"
"""The cache of pieces that were read."""

_PARTS = 16
_FEW_PIECES = 64
"""Below this, a message to a worker takes longer than the work."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One piece of an engine's work with its key, and its number in its document."""

    key: str
    work: Work
    number: int


class Pieces(tuple[Piece, ...]):
    """All pieces of one document, in reading order."""

    __slots__ = ()

    @classmethod
    def of(cls, engine: ClaimEngine[Any], document: Document) -> Pieces:
        return cls(Piece(engine.key(work), work, number) for number, work in enumerate(engine.work(document)))


@dataclass(frozen=True, slots=True)
class Extracted:
    """Key of a piece -> its drafts, for all pieces that could be read; ``fresh`` of them were read now."""

    by_key: Mapping[str, list[Draft]]
    fresh: int


def extracted(
    context: StageContext,
    engine: ClaimEngine[Any],
    documents: Sequence[tuple[Document, Pieces]],
    figures: Counter[str],
) -> Extracted:
    """The drafts of all pieces of ``documents``.

    What is read now is on disk before this returns, that of a slow engine a few pieces at a time, so that a stop
    half-way costs little.

    Args:
        figures: what workers counted is added here.
    """
    cache = context.workspace.cache(CACHE)
    drafts: dict[str, Any] = cache.get([piece.key for _, pieces in documents for piece in pieces])
    missing: dict[str, tuple[Document, Piece]] = {}
    for document, pieces in documents:
        for piece in pieces:
            if piece.key not in drafts:
                missing.setdefault(piece.key, (document, piece))
    executor = _executor(context) if len(missing) > _FEW_PIECES else None
    if executor is None:
        fresh = _here(cache, engine, missing)
    else:
        fresh = _elsewhere(cache, executor, context.corpus.settings.claims, engine.fingerprint(), missing, figures)
    drafts |= fresh
    return Extracted({key: [Draft.from_json(value) for value in values] for key, values in drafts.items()}, len(fresh))


def _executor(context: StageContext) -> Executor | None:
    table = context.corpus.settings.claims
    # Workers cannot keep to one budget together; a build that has one asks the model itself.
    limited = table.max_requests is not None or table.max_cost is not None
    return None if limited else context.remote_executor()


def _here(
    cache: JsonCache, engine: ClaimEngine[Any], missing: Mapping[str, tuple[Document, Piece]]
) -> dict[str, list[dict[str, Any]]]:
    keys = list(missing)
    fresh: dict[str, list[dict[str, Any]]] = {}
    waiting: dict[str, list[dict[str, Any]]] = {}
    try:
        for number, found in engine.extract([piece.work for _, piece in missing.values()]):
            waiting[keys[number]] = [draft.to_json() for draft in found]
            if len(waiting) >= engine.commit_every:
                cache.put(waiting)
                fresh |= waiting
                waiting = {}
    finally:
        if waiting:
            cache.put(waiting)
    return fresh | waiting


def _elsewhere(
    cache: JsonCache,
    executor: Executor,
    settings: ClaimTable,
    fingerprint: str,
    missing: Mapping[str, tuple[Document, Piece]],
    figures: Counter[str],
) -> dict[str, list[dict[str, Any]]]:
    fresh: dict[str, list[dict[str, Any]]] = {}
    shards = {
        Shard(
            "extract", extract_payload(settings, fingerprint, [(document, numbers) for document, numbers, _ in some])
        ): [keys for _, _, keys in some]
        for some in _shares(missing)
    }
    for shard, result in executor.map(list(shards)):
        answer = json.loads(result)
        found = {shards[shard][place][number]: values for place, number, values in answer["drafts"]}
        cache.put(found)
        fresh |= found
        figures.update(answer["figures"])
    return fresh


def _shares(
    missing: Mapping[str, tuple[Document, Piece]],
) -> Iterator[list[tuple[Document, list[int], dict[int, str]]]]:
    """Documents with the numbers of their pieces to read, and number -> key, a share for each shard.

    A document belongs to its share by its content, so that a build that was stopped asks for the same shards again.
    """
    documents: dict[str, Document] = {}
    numbers: dict[str, dict[int, str]] = {}
    for key, (document, piece) in missing.items():
        documents[document.id] = document
        numbers.setdefault(document.id, {})[piece.number] = key
    shares: dict[int, list[tuple[Document, list[int], dict[int, str]]]] = {}
    for name in sorted(documents):
        document = documents[name]
        share = int(digest("share", document.id)[:12], 16) % _PARTS
        shares.setdefault(share, []).append((document, sorted(numbers[name]), numbers[name]))
    for share in sorted(shares):
        yield shares[share]
