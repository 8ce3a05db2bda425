"""Claims that reviewers wrote, put among those that an engine found; they live in the review ledger."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from aipk_core.claims.edited import edits_key, with_edited
from aipk_core.claims.ledger import Ledger
from aipk_core.claims.model import Claim
from aipk_core.hashing import digest


def edits_version(ledger: Ledger) -> str:
    """Digest of what of the ledger the list of claims depends on: the edits, and no other decision."""
    return digest("edits", edits_key(ledger))


def with_edited_rows(rows: pa.Table, ledger: Ledger, claim_of: Callable[[dict[str, Any]], Claim]) -> pa.Table:
    """Rows of the stage ``claims`` and those of the claims that reviewers wrote in the place of some, sorted by id."""
    replaced = pa.array([name for name, _ in edits_key(ledger)], pa.string())
    if not len(replaced):
        return rows
    old = [claim_of(row) for row in rows.filter(pc.is_in(rows["id"], value_set=replaced)).to_pylist()]
    present = {claim.id for claim in old}
    fresh = pa.Table.from_pylist(
        [claim_row(claim) for claim in with_edited(old, ledger) if claim.id not in present], schema=rows.schema
    )
    fresh = fresh.filter(pc.invert(pc.is_in(fresh["id"], value_set=rows["id"].combine_chunks())))
    return pa.concat_tables([rows, fresh]).sort_by("id")


def claim_row(claim: Claim) -> dict[str, Any]:
    """``claim`` as a row of the stage ``claims``."""
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
