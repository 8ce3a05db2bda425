"""Conditions that the claim makes and the statement denies or drops."""

from __future__ import annotations

from collections.abc import Iterator

from aipk_core.verify.alignment import Alignment
from aipk_core.verify.findings import Finding
from aipk_core.verify.lexicon import cues


def check_conditions(alignment: Alignment) -> Iterator[Finding]:
    statement = alignment.statement
    if statement.lang != "en":
        return
    if alignment.coverage < 0.35:
        return
    denied = cues.CONDITION_DENIED.search(statement.text)
    if not denied:
        return
    for number, claim in enumerate(alignment.claims):
        shared = statement.stems & claim.stems
        condition = cues.CONDITION.search(claim.text) or cues.EXCEPTION["en"].search(claim.text)
        if condition and len(shared) >= 2 and not cues.CONDITION_DENIED.search(claim.text):
            yield Finding(
                "condition", f"“{denied[0]}” here, a condition (“{condition[0]} …”) in the claim", denied.span(), number,
                condition.span(), True,
            )  # fmt: skip
            return
