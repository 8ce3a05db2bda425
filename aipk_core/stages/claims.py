"""Stage ``claims``: the atomic statements of all documents, each with every place where it stands."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from aipk_core.claims.edited import edits_key, with_edited
from aipk_core.claims.extractive import Draft, ExtractionSettings, Unit, extract, units
from aipk_core.claims.ledger import Ledger, read_ledger
from aipk_core.claims.model import Check, Claim, Evidence, Status
from aipk_core.documents.links import citation_url
from aipk_core.documents.model import Document
from aipk_core.documents.records import document_from_record
from aipk_core.errors import StoreError
from aipk_core.hashing import digest
from aipk_core.stages.documents import document_keys
from aipk_core.stages.model import StageContext, StageResult, inputs_digest, is_current
from aipk_core.store.manifest import Manifest
from aipk_core.text.spans import Span

STAGE_VERSION = 2

SCHEMA = pa.schema(
    [
        (name, pa.string())
        for name in ("id", "text", "context", "kind", "lang", "engine", "checks", "evidence", "predecessor")
    ]
)
_BATCH_UNITS = 20_000


def claims_stage(context: StageContext) -> StageResult:
    """Extract the claims of the current documents, one cached row for each block of prose."""
    documents = context.manifest("documents")
    table = context.corpus.settings.claims
    settings = ExtractionSettings(min_words=table.min_words, max_characters=table.max_characters)
    fingerprint = digest("claims", STAGE_VERSION, settings.fingerprint())
    ledger = read_ledger(context.corpus.ledger)
    inputs = inputs_digest(fingerprint, documents.version, digest(edits_key(ledger)))
    current = is_current(context, "claims", inputs)
    if current is not None:
        return _result(context, current, hits=int(current.facts["units"]), misses=0, unchanged=True)

    merged: dict[str, _Merged] = {}
    hits = misses = 0
    cache = context.workspace.cache("claims")
    known = set(cache.known())
    for batch in _batches(context, documents, settings):
        keys = [item.key for item in batch]
        stored = cache.get([key for key in keys if key in known])
        fresh = {
            item.key: [draft.to_json() for draft in extract(item.unit, settings)]
            for item in batch
            if item.key not in known
        }
        cache.put(fresh)
        known.update(fresh)
        hits += len(batch) - len(fresh)
        misses += len(fresh)
        for item in batch:
            for value in fresh[item.key] if item.key in fresh else stored[item.key]:
                _merge(merged, Draft.from_json(value), item)

    rows = _with_edited_rows([merged[name].row() for name in sorted(merged)], ledger)
    table_of_claims = pa.Table.from_pylist(rows, schema=SCHEMA)
    facts = {"inputs": inputs, "units": hits + misses, "shown": _figures(merged, hits + misses)}
    manifest = Manifest("claims", fingerprint, table_of_claims, facts)
    context.workspace.write_manifest(context.corpus.name, manifest)
    return _result(context, manifest, hits=hits, misses=misses, unchanged=False)


def read_claims(manifest: Manifest) -> list[Claim]:
    """The claims that the stage made, as extracted, sorted by id."""
    return [claim_from_row(row) for row in manifest.rows.to_pylist()]


def claim_from_row(row: dict[str, Any]) -> Claim:
    """One row of the manifest as a ``Claim``."""
    evidence = tuple(
        Evidence(document, start, end, quote, tuple(path), url, page)
        for document, start, end, quote, path, url, page in json.loads(row["evidence"])
    )
    return Claim(
        id=row["id"],
        text=row["text"],
        context=tuple(json.loads(row["context"])),
        evidence=evidence,
        status=Status.EXTRACTED,
        kind=row["kind"],
        lang=row["lang"],
        engine=row["engine"],
        checks=tuple(Check(*check) for check in json.loads(row["checks"])),
        predecessor=row["predecessor"],
    )


@dataclass(frozen=True, slots=True)
class _Placed:
    """A unit with the document that it stands in, and where the document's blocks start."""

    key: str
    unit: Unit
    document: Document
    starts: list[int]


class _Merged:
    """One claim while its locations are collected; the first location in document order gives context and checks."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.locations: list[list[Any]] = []

    def row(self) -> dict[str, str]:
        draft = self.draft
        return {
            "id": draft.id,
            "text": draft.text,
            "context": json.dumps(draft.context, ensure_ascii=False),
            "kind": draft.kind,
            "lang": draft.lang,
            "engine": "extractive",
            "checks": json.dumps([[c.name, c.passed, c.reason] for c in draft.checks], ensure_ascii=False),
            "evidence": json.dumps(self.locations, ensure_ascii=False),
            "predecessor": "",
        }


def _with_edited_rows(rows: list[dict[str, str]], ledger: Ledger) -> list[dict[str, str]]:
    """``rows`` and those of the claims that reviewers wrote in the place of some of them, sorted by id."""
    by_id = {row["id"]: row for row in rows}
    replaced = [claim_from_row(by_id[name]) for name, _ in edits_key(ledger) if name in by_id]
    by_id.update({claim.id: _row(claim) for claim in with_edited(replaced, ledger) if claim.id not in by_id})
    return [by_id[name] for name in sorted(by_id)]


def _row(claim: Claim) -> dict[str, str]:
    places = [[e.document, e.start, e.end, e.quote, list(e.heading_path), e.url, e.page] for e in claim.evidence]
    return {
        "id": claim.id,
        "text": claim.text,
        "context": json.dumps(claim.context, ensure_ascii=False),
        "kind": claim.kind,
        "lang": claim.lang,
        "engine": claim.engine,
        "checks": json.dumps([[c.name, c.passed, c.reason] for c in claim.checks], ensure_ascii=False),
        "evidence": json.dumps(places, ensure_ascii=False),
        "predecessor": claim.predecessor,
    }


def _batches(context: StageContext, documents: Manifest, settings: ExtractionSettings) -> Iterator[list[_Placed]]:
    """The units of all documents in document order, so many at a time that memory stays bounded."""
    cache = context.workspace.cache("documents")
    keys = document_keys(documents)
    batch: list[_Placed] = []
    for first in range(0, len(keys), _DOCUMENTS_AT_ONCE):
        some = keys[first : first + _DOCUMENTS_AT_ONCE]
        records = cache.get(some)
        for position, key in enumerate(some, first):
            document = document_from_record(records[key]["document"])
            starts = [block.start for block in document.blocks]
            batch.extend(_Placed(unit.key(settings), unit, document, starts) for unit in units(document))
            context.progress("reading documents for claims", position + 1, len(keys))
        if len(batch) >= _BATCH_UNITS:
            yield batch
            batch = []
    if batch:
        yield batch


_DOCUMENTS_AT_ONCE = 100


def _merge(merged: dict[str, _Merged], draft: Draft, item: _Placed) -> None:
    span = Span(item.unit.start + draft.start, item.unit.start + draft.end)
    quote = item.document.quote(span)
    if quote != draft.text:
        raise StoreError(
            f"a cached claim does not fit its source: {draft.text[:60]!r}",
            where=item.document.id,
            remedy="Delete the store's folder 'caches' and build again",
        )
    entry = merged.get(draft.id)
    if entry is None:
        entry = merged[draft.id] = _Merged(draft)
    elif " ".join(entry.draft.text.split()) != " ".join(draft.text.split()):
        raise StoreError(
            f"two claims have the id {draft.id}: {entry.draft.text[:60]!r} and {draft.text[:60]!r}",
            code="claim-id-clash",
            where=item.document.id,
            remedy="Change a word in one of the two sentences",
        )
    block = item.document.blocks[bisect_right(item.starts, span.start) - 1]
    url = citation_url(item.document, span)
    location = [item.document.id, span.start, span.end, quote, list(block.heading_path), url, block.page]
    entry.locations.append(location)


def _figures(merged: dict[str, _Merged], blocks: int) -> dict[str, int]:
    kinds = Counter(entry.draft.kind for entry in merged.values())
    failed = Counter(check.name for entry in merged.values() for check in entry.draft.checks if not check.passed)
    figures = {"claims": len(merged), "places": sum(len(entry.locations) for entry in merged.values())}
    figures["blocks read"] = blocks
    figures |= {f"of kind {name}": count for name, count in sorted(kinds.items())}
    return figures | {f"failed {name}": count for name, count in sorted(failed.items())}


def _result(context: StageContext, manifest: Manifest, *, hits: int, misses: int, unchanged: bool) -> StageResult:
    sample = [
        {"id": row["id"], "text": row["text"][:200], "context": " > ".join(json.loads(row["context"]))[:120]}
        for row in manifest.rows.slice(0, 10).to_pylist()
    ]
    return StageResult(
        "claims",
        manifest.rows.num_rows,
        hits,
        misses,
        manifest.version,
        context.workspace.manifest_path(context.corpus.name, "claims"),
        unchanged=unchanged,
        facts=manifest.facts["shown"],
        sample=tuple(sample),
    )
