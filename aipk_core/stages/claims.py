"""Stage ``claims``: the atomic statements of all documents, each with every place where it stands."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from aipk_core.claims.engine import ClaimEngine, Draft, Work
from aipk_core.claims.engines import open_engine
from aipk_core.claims.identity import claim_id
from aipk_core.claims.ledger import Ledger, read_ledger
from aipk_core.claims.model import Check, Claim, Evidence, Status
from aipk_core.documents.links import citation_url
from aipk_core.documents.model import Document
from aipk_core.documents.records import document_from_record
from aipk_core.errors import StoreError
from aipk_core.hashing import digest
from aipk_core.stages.documents import document_keys
from aipk_core.stages.edited_claims import edits_version, with_edited_rows
from aipk_core.stages.model import StageContext, StageResult, inputs_digest, is_current
from aipk_core.store.manifest import Manifest

STAGE_VERSION = 3

SCHEMA = pa.schema(
    [
        (name, pa.string())
        for name in ("id", "text", "context", "kind", "lang", "engine", "checks", "evidence", "predecessor")
    ]
)
_BATCH_WORK = 20_000


def claims_stage(context: StageContext) -> StageResult:
    """Find the claims of the current documents, with one cached row for each piece of work of the engine.

    Pieces that could not be done (a model that fails, a budget that is used up) are named in the warnings and tried again
    by the next run; all others are kept.
    """
    documents = context.manifest("documents")
    engine = open_engine(context.corpus.settings.claims, context.progress)
    fingerprint = digest("claims", STAGE_VERSION, engine.fingerprint())
    ledger = read_ledger(context.corpus.ledger)
    decided = frozenset(decision.claim for decision in ledger.decisions)
    previous = context.workspace.read_manifest(context.corpus.name, "claims")
    variants = frozenset(previous.facts.get("variants", ())) if previous is not None else frozenset()
    inputs = _inputs(fingerprint, documents, ledger, decided & variants)
    current = is_current(context, "claims", inputs)
    if current is not None:
        return _result(context, current, hits=int(current.facts["units"]), misses=0, unchanged=True)

    merged: dict[str, _Merged] = {}
    hits = misses = undone = 0
    for batch in _batches(context, documents, engine):
        drafts, fresh = _drafts(context, engine, batch)
        misses += fresh
        for item in batch:
            if item.key in drafts:
                for value in drafts[item.key]:
                    _merge(merged, Draft.from_json(value), item)
            else:
                undone += 1
        hits += sum(item.key in drafts for item in batch)
    hits -= misses

    claims, variants = _without_variants(merged, decided)
    inputs = _inputs(fingerprint, documents, ledger, decided & variants)
    rows = with_edited_rows([claim.row(engine.name) for claim in claims], ledger, claim_from_row)
    facts: dict[str, Any] = {
        "inputs": "" if undone else inputs,  # an unfinished run is never taken for the current one
        "units": hits + misses,
        "variants": sorted(variants),
        "undone": undone,
        "shown": _figures(claims, hits + misses, undone) | engine.figures(),
    }
    manifest = Manifest("claims", fingerprint, pa.Table.from_pylist(rows, schema=SCHEMA), facts)
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
    """A piece of work with the document that it stands in, and where the document's blocks start."""

    key: str
    work: Work
    document: Document
    starts: list[int]


class _Merged:
    """One claim while its locations are collected; the first location in document order gives context and checks."""

    def __init__(self, name: str, draft: Draft) -> None:
        self.id = name
        self.draft = draft
        self.locations: list[list[Any]] = []

    def row(self, engine: str) -> dict[str, str]:
        draft = self.draft
        return {
            "id": self.id,
            "text": draft.text,
            "context": json.dumps(draft.context, ensure_ascii=False),
            "kind": draft.kind,
            "lang": draft.lang,
            "engine": engine,
            "checks": json.dumps([[c.name, c.passed, c.reason] for c in draft.checks], ensure_ascii=False),
            "evidence": json.dumps(self.locations, ensure_ascii=False),
            "predecessor": "",
        }


def _drafts(
    context: StageContext, engine: ClaimEngine[Any], batch: list[_Placed]
) -> tuple[dict[str, list[dict[str, Any]]], int]:
    """Key -> drafts of the pieces that are done, and how many were done now. Fresh ones are on disk before this returns,
    those of a slow engine a few at a time, so that a stop half-way costs little."""
    cache = context.workspace.cache("claims")
    drafts: dict[str, list[dict[str, Any]]] = cache.get([item.key for item in batch])
    missing = list({item.key: item for item in batch if item.key not in drafts}.values())
    waiting: dict[str, list[dict[str, Any]]] = {}
    fresh = 0
    try:
        for number, found in engine.extract([item.work for item in missing]):
            waiting[missing[number].key] = [draft.to_json() for draft in found]
            fresh += 1
            if len(waiting) >= engine.commit_every:
                cache.put(waiting)
                drafts |= waiting
                waiting = {}
    finally:
        if waiting:
            cache.put(waiting)
    return drafts | waiting, fresh


def _batches(context: StageContext, documents: Manifest, engine: ClaimEngine[Any]) -> Iterator[list[_Placed]]:
    """The work of all documents in document order, so much at a time that memory stays bounded."""
    cache = context.workspace.cache("documents")
    keys = document_keys(documents)
    batch: list[_Placed] = []
    for first in range(0, len(keys), _DOCUMENTS_AT_ONCE):
        some = keys[first : first + _DOCUMENTS_AT_ONCE]
        records = cache.get(some)
        for position, key in enumerate(some, first):
            document = document_from_record(records[key]["document"])
            starts = [block.start for block in document.blocks]
            batch.extend(_Placed(engine.key(work), work, document, starts) for work in engine.work(document))
            context.progress("reading documents for claims", position + 1, len(keys))
        if len(batch) >= _BATCH_WORK:
            yield batch
            batch = []
    if batch:
        yield batch


_DOCUMENTS_AT_ONCE = 100


def _merge(merged: dict[str, _Merged], draft: Draft, item: _Placed) -> None:
    for span in draft.spans:
        if not 0 <= span.start < span.end <= len(item.work.text):
            raise _misfit(draft, item)
    name = claim_id(draft.text, draft.needed, draft.lang)
    entry = merged.get(name)
    if entry is None:
        entry = merged[name] = _Merged(name, draft)
    elif " ".join(entry.draft.text.split()) != " ".join(draft.text.split()):
        raise StoreError(
            f"two claims have the id {name}: {entry.draft.text[:60]!r} and {draft.text[:60]!r}",
            code="claim-id-clash",
            where=item.document.id,
            remedy="Change a word in one of the two sentences",
        )
    for part in draft.spans:
        span = part.shifted(item.work.start)
        quote = item.document.quote(span)
        if quote != part.of(item.work.text):
            raise _misfit(draft, item)
        block = item.document.blocks[bisect_right(item.starts, span.start) - 1]
        url = citation_url(item.document, span)
        location = [item.document.id, span.start, span.end, quote, list(block.heading_path), url, block.page]
        if location not in entry.locations:
            entry.locations.append(location)


def _misfit(draft: Draft, item: _Placed) -> StoreError:
    return StoreError(
        f"a cached claim does not fit its source: {draft.text[:60]!r}",
        where=item.document.id,
        remedy="Delete the store's folder 'caches' and build again",
    )


def _inputs(fingerprint: str, documents: Manifest, ledger: Ledger, decided_variants: frozenset[str]) -> str:
    """What the claims are made from; a decision counts only when it says which of several variants stays."""
    return inputs_digest(fingerprint, documents.version, edits_version(ledger), digest(sorted(decided_variants)))


def _without_variants(merged: dict[str, _Merged], decided: frozenset[str]) -> tuple[list[_Merged], frozenset[str]]:
    """One claim for texts that differ in nothing but case, punctuation and white space, with the places of all of them;
    and the ids of all claims that have variants.

    A variant that somebody decided on always stays itself, so that no new page takes a decision away. Of the others the
    one with the smallest id stays, so that the outcome depends on no order.
    """
    groups: dict[tuple[str, ...], list[_Merged]] = {}
    for name in sorted(merged, key=lambda name: (name not in decided, name)):
        claim = merged[name]
        key = (claim.draft.lang, _folded(claim.draft.text), *map(_folded, claim.draft.needed))
        groups.setdefault(key, []).append(claim)
    kept: list[_Merged] = []
    variants: set[str] = set()
    for group in groups.values():
        first, *others = group
        kept.append(first)
        if others:
            variants.update(claim.id for claim in group)
        for claim in others:
            if claim.id in decided:
                kept.append(claim)
            else:
                first.locations = sorted([*first.locations, *claim.locations], key=lambda place: (place[0], place[1]))
    return sorted(kept, key=lambda claim: claim.id), frozenset(variants)


def _folded(text: str) -> str:
    """What stays of a text when nothing that is only typography counts; signs that carry meaning stay."""
    letters = "".join(c if c.isalnum() or c in "-−+±%<>=/*$€£°#@_&|~^.:" else " " for c in text.casefold())
    return " ".join(word.rstrip(".:") or word for word in letters.split())


def _figures(claims: list[_Merged], pieces: int, undone: int) -> dict[str, int]:
    kinds = Counter(claim.draft.kind for claim in claims)
    failed = Counter(check.name for claim in claims for check in claim.draft.checks if not check.passed)
    figures = {"claims": len(claims), "places": sum(len(claim.locations) for claim in claims)}
    figures["pieces of text read"] = pieces
    if undone:
        figures["pieces of text left for the next run"] = undone
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
        warnings=_warnings(manifest),
    )


def _warnings(manifest: Manifest) -> tuple[str, ...]:
    undone = int(manifest.facts["undone"])
    if not undone:
        return ()
    return (
        f"{undone} pieces of text gave no claims yet, because the model failed or the budget is used up; build again",
    )
