"""Stage ``claims``: the atomic statements of all documents, each with every place where it stands."""

from __future__ import annotations

import json
from collections import Counter
from functools import lru_cache
from sys import intern
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from aipk_core.claims.engines import open_engine
from aipk_core.claims.ledger import Ledger, read_ledger
from aipk_core.claims.model import Check, Claim, Evidence, Status
from aipk_core.hashing import digest
from aipk_core.stages.claim_merging import merge_claims
from aipk_core.stages.document_claims import TABLE, find_document_claims
from aipk_core.stages.edited_claims import edits_version, with_edited_rows
from aipk_core.stages.model import StageContext, StageResult, inputs_digest, is_current
from aipk_core.store.manifest import Manifest

STAGE_VERSION = 3

_ROWS_AT_ONCE = 2048

SCHEMA = pa.schema(
    [
        (name, pa.string())
        for name in ("id", "text", "context", "kind", "lang", "engine", "checks", "evidence", "predecessor")
    ]
)


def claims_stage(context: StageContext) -> StageResult:
    """Find the claims of the current documents; only documents whose claims nobody has found yet are opened.

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

    found = find_document_claims(context, documents, engine, fingerprint)
    merged = merge_claims(found.rows, decided)
    pieces = found.hits + found.misses
    done = Counter(engine.figures())
    done.update(found.figures)
    facts: dict[str, Any] = {
        # An unfinished run is never taken for the current one.
        "inputs": "" if found.undone else _inputs(fingerprint, documents, ledger, decided & merged.variants),
        "units": pieces,
        "variants": sorted(merged.variants),
        "undone": found.undone,
        "shown": _figures(merged.rows, pieces, found.undone) | dict(done),
    }
    found.rows = TABLE.empty_table()  # gives the memory back
    rows = with_edited_rows(_finished(merged.rows, engine.name), ledger, claim_from_row)
    manifest = Manifest("claims", fingerprint, rows, facts)
    context.workspace.write_manifest(context.corpus.name, manifest)
    calls = done.get("requests", 0)
    return _result(context, manifest, hits=found.hits, misses=found.misses, unchanged=False, calls=calls)


def read_claims(manifest: Manifest) -> list[Claim]:
    """The claims that the stage made, as extracted, sorted by id."""
    batches = manifest.rows.to_batches(max_chunksize=_ROWS_AT_ONCE)
    return [claim_from_row(row) for batch in batches for row in batch.to_pylist()]


def claim_from_row(row: dict[str, Any]) -> Claim:
    """One row of the manifest as a ``Claim``; what many claims have in common they share."""
    evidence = tuple(
        Evidence(intern(document), start, end, quote, _shared(tuple(path)), url, page)
        for document, start, end, quote, path, url, page in json.loads(row["evidence"])
    )
    return Claim(
        id=row["id"],
        text=row["text"],
        context=_texts(row["context"]),
        evidence=evidence,
        status=Status.EXTRACTED,
        kind=intern(row["kind"]),
        lang=intern(row["lang"]),
        engine=intern(row["engine"]),
        checks=_checks(row["checks"]),
        predecessor=row["predecessor"],
    )


@lru_cache(maxsize=8192)
def _shared(path: tuple[str, ...]) -> tuple[str, ...]:
    return path


@lru_cache(maxsize=8192)
def _texts(listed: str) -> tuple[str, ...]:
    return tuple(json.loads(listed))


@lru_cache(maxsize=8192)
def _checks(listed: str) -> tuple[Check, ...]:
    return tuple(Check(*check) for check in json.loads(listed))


def _finished(rows: pa.Table, engine: str) -> pa.Table:
    """``rows`` with the columns of ``SCHEMA``."""
    constants = {"engine": engine, "predecessor": ""}
    columns = [
        pa.repeat(pa.scalar(constants[name]), rows.num_rows) if name in constants else rows[name]
        for name in SCHEMA.names
    ]
    return pa.table(columns, schema=SCHEMA)


def _inputs(fingerprint: str, documents: Manifest, ledger: Ledger, decided_variants: frozenset[str]) -> str:
    """What the claims are made from; a decision counts only when it says which of several variants stays."""
    return inputs_digest(fingerprint, documents.version, edits_version(ledger), digest(sorted(decided_variants)))


def _figures(rows: pa.Table, pieces: int, undone: int) -> dict[str, int]:
    kinds = {pair["values"]: pair["counts"] for pair in pc.value_counts(rows["kind"]).to_pylist()}
    failed: Counter[str] = Counter()
    for pair in pc.value_counts(rows["checks"]).to_pylist():
        failed.update({name: pair["counts"] for name, passed, _ in json.loads(pair["values"]) if not passed})
    figures = {"claims": rows.num_rows, "places": pc.sum(rows["places"]).as_py() or 0}
    figures["pieces of text read"] = pieces
    if undone:
        figures["pieces of text left for the next run"] = undone
    figures |= {f"of kind {name}": count for name, count in sorted(kinds.items())}
    return figures | {f"failed {name}": count for name, count in sorted(failed.items())}


def _result(
    context: StageContext, manifest: Manifest, *, hits: int, misses: int, unchanged: bool, calls: int = 0
) -> StageResult:
    sample = [
        {"id": row["id"], "text": row["text"][:200], "context": " > ".join(json.loads(row["context"]))[:120]}
        for row in manifest.head(10)
    ]
    return StageResult(
        "claims",
        manifest.count,
        hits,
        misses,
        manifest.version,
        context.workspace.manifest_path(context.corpus.name, "claims"),
        unchanged=unchanged,
        model_calls=calls,
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
