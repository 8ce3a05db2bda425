"""The claims of single documents: a table for each, cached by what the document says, so that a document that has not
changed is neither loaded nor split into sentences again.

Below that lies a second cache, of the engine's pieces of work: of an edited document only the pieces that changed are
read again, and text that moved to another page costs nothing.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from aipk_core.claims.engine import ClaimEngine, Draft, Work
from aipk_core.claims.identity import claim_id
from aipk_core.documents.links import citation_url
from aipk_core.documents.model import Document
from aipk_core.errors import StoreError
from aipk_core.hashing import digest
from aipk_core.stages.documents import document_keys, read_documents
from aipk_core.stages.extraction import CACHE as PIECES
from aipk_core.stages.extraction import Pieces, extracted
from aipk_core.stages.model import StageContext
from aipk_core.store.manifest import Manifest
from aipk_core.store.tables import noted_rows, noting_rows

TABLE_VERSION = 2
"""Version of the tables as such; what stands in them follows from the engine."""

CACHE = "document_claims"
"""The cache of the tables."""

TABLE = pa.schema(
    [(name, pa.string()) for name in ("id", "text", "context", "kind", "lang", "checks", "evidence", "fold")]
    + [("places", pa.int64())]
)
"""Columns of a document's table: a claim, where the document says it (JSON), and what of its text is more than
typography (``fold``, a digest)."""

_PIECES_AT_ONCE = 8_000


@dataclass(slots=True)
class DocumentClaims:
    """What was found.

    Attributes:
        rows: ``TABLE`` of all documents below each other, in document order; a claim that stands in two has two rows.
        hits, misses: pieces of text whose claims were known, and those that were read now.
        undone: pieces that could not be read, because a model failed or a budget is used up.
        figures: what happened meanwhile, counted.
    """

    rows: pa.Table
    hits: int = 0
    misses: int = 0
    undone: int = 0
    figures: Counter[str] = field(default_factory=Counter)


def find_document_claims(
    context: StageContext, documents: Manifest, engine: ClaimEngine[Any], fingerprint: str
) -> DocumentClaims:
    """The claims of every current document.

    Raises:
        StoreError: what the cache holds does not fit its document, or two claims of a document clash.
    """
    cache = context.workspace.tables(CACHE, TABLE)
    pairs = zip(documents.column("digest"), documents.column("id"), strict=True)
    keys = [digest("document claims", TABLE_VERSION, fingerprint, text, name) for text, name in pairs]
    known = cache.known()
    missing = {key: name for key, name in zip(keys, document_keys(documents), strict=True) if key not in known}
    found = DocumentClaims(TABLE.empty_table())
    unfinished: dict[str, pa.Table] = {}
    for batch in _batches(context, engine, missing):
        drafts = extracted(context, engine, [(item.document, item.pieces) for item in batch], found.figures)
        finished: dict[str, pa.Table] = {}
        for item in batch:
            done = [piece for piece in item.pieces if piece.key in drafts.by_key]
            found.undone += len(item.pieces) - len(done)
            table = _table(item.document, [(piece.work, drafts.by_key[piece.key]) for piece in done])
            (finished if len(done) == len(item.pieces) else unfinished)[item.key] = noting_rows(
                table, PIECES, [piece.key for piece in item.pieces]
            )
        cache.put(finished)
        found.misses += drafts.fresh
    tables = dict(cache.items([key for key in keys if key not in unfinished])) | unfinished
    found.hits = sum(noted_rows(table, PIECES) for table in tables.values()) - found.undone - found.misses
    parts = [tables[key].replace_schema_metadata(None) for key in keys]
    found.rows = pa.concat_tables(parts).combine_chunks() if parts else TABLE.empty_table()
    return found


@dataclass(frozen=True, slots=True)
class _Opened:
    """A document that is read, with the key of its table."""

    key: str
    document: Document
    pieces: Pieces


def _batches(context: StageContext, engine: ClaimEngine[Any], missing: dict[str, str]) -> Iterator[list[_Opened]]:
    """The documents without claims, so many at a time that memory stays bounded.

    Args:
        missing: key of a document's claims -> key of the document itself.
    """
    batch: list[_Opened] = []
    pieces = 0
    by_document = {stored: key for key, stored in missing.items()}
    for done, (stored, document) in enumerate(read_documents(context, list(by_document)), 1):
        batch.append(_Opened(by_document[stored], document, Pieces.of(engine, document)))
        pieces += len(batch[-1].pieces)
        context.progress("reading documents for claims", done, len(by_document))
        if pieces >= _PIECES_AT_ONCE:
            yield batch
            batch, pieces = [], 0
    if batch:
        yield batch


class _Collected:
    """One claim while its places in a document are collected; the first gives context and checks."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.places: list[list[Any]] = []


def _table(document: Document, read: Sequence[tuple[Work, list[Draft]]]) -> pa.Table:
    """The claims of ``document`` as rows of ``TABLE``, in the order in which they are first said."""
    starts = [block.start for block in document.blocks]
    collected: dict[str, _Collected] = {}
    for work, drafts in read:
        for draft in drafts:
            _collect(collected, draft, work, document, starts)
    return pa.Table.from_pylist([_row(name, item) for name, item in collected.items()], schema=TABLE)


def _collect(
    collected: dict[str, _Collected], draft: Draft, work: Work, document: Document, starts: Sequence[int]
) -> None:
    name = claim_id(draft.text, draft.needed, draft.lang)
    entry = collected.setdefault(name, _Collected(draft))
    refuse_clash(name, entry.draft.text, draft.text, document.id)
    for part in draft.spans:
        span = part.shifted(work.start)
        if not 0 <= part.start < part.end <= len(work.text) or document.quote(span) != part.of(work.text):
            raise StoreError(
                f"a cached claim does not fit its source: {draft.text[:60]!r}",
                where=document.id,
                remedy="Delete the store's folder 'caches' and build again",
            )
        block = document.blocks[bisect_right(starts, span.start) - 1]
        url = citation_url(document, span)
        quote = document.quote(span)
        place = [document.id, span.start, span.end, quote, list(block.heading_path), url, block.page]
        if place not in entry.places:
            entry.places.append(place)


def refuse_clash(name: str, one: str, other: str, where: str) -> None:
    """Two claims with one id must have the same words.

    Raises:
        StoreError: code ``claim-id-clash``.
    """
    if one != other and " ".join(one.split()) != " ".join(other.split()):
        raise StoreError(
            f"two claims have the id {name}: {one[:60]!r} and {other[:60]!r}",
            code="claim-id-clash",
            where=where,
            remedy="Change a word in one of the two sentences",
        )


def _row(name: str, item: _Collected) -> dict[str, Any]:
    draft = item.draft
    return {
        "id": name,
        "text": draft.text,
        "context": json.dumps(draft.context, ensure_ascii=False),
        "kind": draft.kind,
        "lang": draft.lang,
        "checks": json.dumps([[c.name, c.passed, c.reason] for c in draft.checks], ensure_ascii=False),
        "evidence": json.dumps(item.places, ensure_ascii=False),
        "fold": digest(draft.lang, _folded(draft.text), [_folded(part) for part in draft.needed])[:32],
        "places": len(item.places),
    }


def _folded(text: str) -> str:
    """What stays of a text when nothing that is only typography counts; signs that carry meaning stay."""
    letters = "".join(c if c.isalnum() or c in "-−+±%<>=/*$€£°#@_&|~^.:" else " " for c in text.casefold())
    return " ".join(word.rstrip(".:") or word for word in letters.split())
