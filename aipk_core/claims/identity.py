"""Ids and digests of claims: derived from what a claim says, never from where it stands or when it was found."""

from __future__ import annotations

import base64
from collections.abc import Sequence

from aipk_core.claims.model import Claim
from aipk_core.hashing import digest

_ID_CHARACTERS = 12  # 60 bits: among a million claims a clash has a chance of one in two million


def claim_id(text: str, context: Sequence[str], lang: str) -> str:
    """``c-`` and 12 characters of a-z and 2-7, the same for the same statement wherever it stands.

    Args:
        context: what the text needs to be understood; empty for a statement that can be read alone, so that moving
            it to another page or under another heading does not make it another claim.
    """
    raw = bytes.fromhex(digest("claim", " ".join(text.split()), [" ".join(part.split()) for part in context], lang))
    return "c-" + base64.b32encode(raw).decode("ascii").lower()[:_ID_CHARACTERS]


def reviewed_digest(claim: Claim) -> str:
    """Identifies what a reviewer saw: the statement and the quotes that it stands on, in any order.

    The context that the statement needs is part of its id already; the rest may change when a page is moved, and
    that is no reason to ask again. Nor is it one that a claim which quotes its source word for word gains or loses other
    places, whose spelling differs a little, as long as the reviewed sentence itself still stands somewhere.
    """
    quotes = {evidence.quote for evidence in claim.evidence}
    return digest("reviewed", claim.id, claim.text, [claim.text] if claim.text in quotes else sorted(quotes))
