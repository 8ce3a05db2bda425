"""Stage ``reviewed_claims``: the gate. What people decided, and what the corpus's policy says of the rest."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pyarrow as pa

from aipk_core.claims.ledger import read_ledger
from aipk_core.claims.model import Claim, Status
from aipk_core.claims.policy import Policy, apply_review, count_review
from aipk_core.hashing import digest
from aipk_core.stages.claims import read_claims
from aipk_core.stages.model import StageContext, StageResult, inputs_digest, is_current
from aipk_core.store.manifest import Manifest

STAGE_VERSION = 1

SCHEMA = pa.schema([(name, pa.string()) for name in ("id", "status", "reason")])


def review_stage(context: StageContext) -> StageResult:
    """Set the status of every claim from the ledger and the review policy."""
    claims = context.manifest("claims")
    review = context.corpus.settings.review
    policy = Policy(review.policy, review.checks)
    ledger = read_ledger(context.corpus.ledger)
    fingerprint = digest("review", STAGE_VERSION, policy.name, list(policy.checks))
    inputs = inputs_digest(fingerprint, claims.version, ledger.version)
    current = is_current(context, "reviewed_claims", inputs)
    if current is not None:
        return _result(context, current, unchanged=True)

    reviewed = apply_review(read_claims(claims), ledger, policy)
    counts = count_review(reviewed, ledger)
    rows = [{"id": claim.id, "status": str(claim.status), "reason": claim.reason} for claim in reviewed]
    facts: dict[str, Any] = {
        "inputs": inputs,
        "by_status": counts.by_status,
        "waiting": counts.waiting,
        "stale": counts.stale,
        "decided_by_people": counts.decided_by_people,
        "policy": policy.name,
        "sample": [_sample(claim) for claim in reviewed if claim.status is not Status.CANONICAL][:10],
    }
    manifest = Manifest("reviewed_claims", fingerprint, pa.Table.from_pylist(rows, schema=SCHEMA), facts)
    context.workspace.write_manifest(context.corpus.name, manifest)
    return _result(context, manifest, unchanged=False)


def read_reviewed_claims(claims: Manifest, reviewed: Manifest) -> list[Claim]:
    """All claims with their status, sorted by id."""
    status = {row["id"]: (Status(row["status"]), row["reason"]) for row in reviewed.rows.to_pylist()}
    return [replace(claim, status=status[claim.id][0], reason=status[claim.id][1]) for claim in read_claims(claims)]


def _sample(claim: Claim) -> dict[str, str]:
    return {"id": claim.id, "status": str(claim.status), "reason": claim.reason[:160], "text": claim.text[:160]}


def _result(context: StageContext, manifest: Manifest, *, unchanged: bool) -> StageResult:
    facts = manifest.facts
    shown: dict[str, Any] = {"policy": facts["policy"]}
    shown |= {name: facts["by_status"].get(name, 0) for name in map(str, Status)}
    shown |= {"waiting for review": facts["waiting"], "decided by people": facts["decided_by_people"]}
    shown["decided on another text"] = facts["stale"]
    rows = manifest.rows.num_rows
    canonical = facts["by_status"].get(str(Status.CANONICAL), 0)
    waiting = "" if canonical else f"no claim is canonical; {facts['waiting']} wait for review"
    return StageResult(
        "reviewed_claims",
        rows,
        rows if unchanged else 0,
        0 if unchanged else rows,
        manifest.version,
        context.workspace.manifest_path(context.corpus.name, "reviewed_claims"),
        unchanged=unchanged,
        facts=shown,
        sample=tuple(facts["sample"]),
        waiting=waiting,
    )


def review_state(context: StageContext) -> str:
    """The ledger as JSON lines, for the package's audit trail; empty when nobody has decided anything."""
    return context.corpus.ledger.read_text(encoding="utf-8") if context.corpus.ledger.exists() else ""


def policy_record(context: StageContext) -> str:
    """The review policy as JSON, for the package's audit trail."""
    review = context.corpus.settings.review
    return json.dumps({"policy": review.policy, "checks": list(review.checks)}, sort_keys=True)
