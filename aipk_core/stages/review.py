"""Stage ``reviewed_claims``: the gate. What people decided, and what the corpus's policy says of the rest."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pyarrow as pa

from aipk_core.claims.deciding import Rules
from aipk_core.claims.ledger import read_ledger
from aipk_core.claims.model import Claim, Status
from aipk_core.claims.policy import Gate, Policy, build_date, count_review, with_standing
from aipk_core.claims.sampling import SampleRules
from aipk_core.corpus import Corpus
from aipk_core.hashing import digest
from aipk_core.stages.claims import read_claims
from aipk_core.stages.conflicts import read_pairs
from aipk_core.stages.model import StageContext, StageResult, inputs_digest, is_current
from aipk_core.store.manifest import Manifest

STAGE_VERSION = 3

SCHEMA = pa.schema([(name, pa.string()) for name in ("id", "status", "reason", "predecessor")])


def review_stage(context: StageContext) -> StageResult:
    """Set the status of every claim from the ledger and the review policy."""
    claims = context.manifest("claims")
    conflicts = context.manifest("conflicts")
    policy = policy_of(context.corpus)
    ledger = read_ledger(context.corpus.ledger)
    fingerprint = digest("review", STAGE_VERSION, policy_record(context))
    # The date matters only where a decision has one: without such decisions a build of another day is the same.
    today = build_date()
    dated = sorted(
        [d.digest, bool(d.valid_from and d.valid_from > today), bool(d.valid_until and d.valid_until < today)]
        for d in ledger.decisions
        if d.valid_from or d.valid_until
    )
    inputs = inputs_digest(fingerprint, claims.version, conflicts.version, ledger.version, digest(dated))
    current = is_current(context, "reviewed_claims", inputs)
    if current is not None:
        return _result(context, current, unchanged=True)

    previous = context.workspace.read_manifest(context.corpus.name, "reviewed_claims")
    known = previous.facts.get("ledger_heads", []) if previous is not None else []
    lost = [name for name in known if ledger.entry(name) is None]
    all_claims = read_claims(claims)
    gate = Gate(all_claims, ledger, policy, read_pairs(conflicts), today)
    reviewed = [with_standing(claim, gate.standing(claim), ledger) for claim in all_claims]
    counts = count_review(reviewed, ledger)
    rows = [
        {"id": claim.id, "status": str(claim.status), "reason": claim.reason, "predecessor": claim.predecessor}
        for claim in reviewed
    ]
    facts: dict[str, Any] = {
        "inputs": inputs,
        "by_status": counts.by_status,
        "waiting": counts.waiting,
        "stale": counts.stale,
        "decided_by_people": counts.decided_by_people,
        "policy": policy.name,
        "ledger_heads": list(ledger.heads),
        "ledger_lost": len(lost),
        "sample": [_sample(claim) for claim in reviewed if claim.status is not Status.CANONICAL][:10],
    }
    if gate.sample is not None:
        outcome = gate.sample
        facts["review_sample"] = {
            "read": f"{outcome.read} of {outcome.size}",
            "wrong": outcome.wrong,
            "upper bound": f"{outcome.upper_bound * 100:.2f} %",
            "accepted": outcome.accepted,
        }
    manifest = Manifest("reviewed_claims", fingerprint, pa.Table.from_pylist(rows, schema=SCHEMA), facts)
    context.workspace.write_manifest(context.corpus.name, manifest)
    return _result(context, manifest, unchanged=False)


def policy_of(corpus: Corpus) -> Policy:
    """The review policy that ``corpus.toml`` asks for."""
    review = corpus.settings.review
    return Policy(
        review.policy,
        review.checks,
        SampleRules(review.sample_percent, review.max_error_percent, review.confidence_percent, review.sample_seed),
        Rules(review.people_needed, dict(review.people)),
        block_conflicts=corpus.settings.claims.conflicts == "block",
    )


def read_reviewed_claims(claims: Manifest, reviewed: Manifest) -> list[Claim]:
    """All claims with their status, sorted by id."""
    found = {row["id"]: row for row in reviewed.rows.to_pylist()}
    return [
        replace(
            claim,
            status=Status(found[claim.id]["status"]),
            reason=found[claim.id]["reason"],
            predecessor=found[claim.id]["predecessor"],
        )
        for claim in read_claims(claims)
    ]


def _sample(claim: Claim) -> dict[str, str]:
    return {"id": claim.id, "status": str(claim.status), "reason": claim.reason[:160], "text": claim.text[:160]}


def _result(context: StageContext, manifest: Manifest, *, unchanged: bool) -> StageResult:
    facts = manifest.facts
    shown: dict[str, Any] = {"policy": facts["policy"]}
    shown |= {name: facts["by_status"].get(name, 0) for name in map(str, Status)}
    shown |= {"waiting for review": facts["waiting"], "decided by people": facts["decided_by_people"]}
    shown["decided on another text"] = facts["stale"]
    shown |= {f"sample {name}": value for name, value in facts.get("review_sample", {}).items()}
    lost = facts["ledger_lost"]
    warnings = (f"the ledger has lost entries since the last build ({lost} of its ends)",) if lost else ()
    rows = manifest.count
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
        warnings=warnings,
        waiting=waiting,
    )


def policy_record(context: StageContext) -> str:
    """The review policy and whether conflicts block, as JSON."""
    settings = context.corpus.settings
    values = {**settings.review.model_dump(mode="json"), "conflicts": settings.claims.conflicts}
    return json.dumps(values, sort_keys=True, ensure_ascii=False)
