"""Claims whose text a reviewer wrote: the same evidence, other words, a new id, linked to the claim they replace.

They live in the ledger, as part of the decision that replaced the old claim, so every build makes them again from the
evidence of today. When the old claim is no longer found in the sources, its replacement has no evidence and is gone too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from aipk_core.claims.checks import Statement, run_checks
from aipk_core.claims.identity import claim_id
from aipk_core.claims.ledger import Ledger
from aipk_core.claims.model import Claim, Status
from aipk_core.errors import ReviewError

MAX_TEXT = 2000


def edited_claim(old: Claim, text: str) -> Claim:
    """The claim with the words of ``text`` in the place of ``old``, with its birth checks, not yet approved.

    Raises:
        ReviewError: the text is empty, too long, holds control characters, or is the old one.
    """
    words = " ".join(text.split())
    if not words or len(words) > MAX_TEXT or not words.isprintable():
        raise ReviewError(
            "the new text is empty, too long or not plain text",
            where=old.id,
            remedy=f"Write 1 to {MAX_TEXT} characters",
        )
    if words == " ".join(old.text.split()):
        raise ReviewError("the new text is the old one", where=old.id, remedy="Change it, or approve the claim")
    statement = Statement(
        words,
        tuple(dict.fromkeys(place.quote for place in old.evidence)),
        old.context,
        complete=old.kind == "sentence",
    )
    return replace(
        old,
        # Derived from the old id rather than the context, so that a move under another heading changes nothing.
        id=claim_id(words, (old.id,), old.lang),
        text=words,
        status=Status.EXTRACTED,
        engine="edited",
        checks=run_checks(statement),
        predecessor=old.id,
        reason="",
    )


def with_edited(claims: Sequence[Claim], ledger: Ledger) -> list[Claim]:
    """``claims`` and the claims that reviewers wrote in the place of some of them, sorted by id."""
    by_id = {claim.id: claim for claim in claims}
    # An edited claim may have been edited again; each round finds the next link of such a chain.
    pending = ledger.edits()
    while pending:
        later = []
        for decision in pending:
            old = by_id.get(decision.claim)
            if old is None:
                later.append(decision)
            elif decision.edit is not None and decision.edit.id not in by_id:
                fresh = edited_claim(old, decision.edit.text)
                by_id[fresh.id] = fresh
        if len(later) == len(pending):
            break
        pending = later
    return sorted(by_id.values(), key=lambda claim: claim.id)


def edits_key(ledger: Ledger) -> list[list[str]]:
    """What of the ledger the list of claims depends on, as JSON values."""
    return sorted([decision.claim, decision.edit.id] for decision in ledger.edits() if decision.edit is not None)
