"""How much a claim needs a person's eyes: a number for the order of the queue, and the reasons in words."""

from __future__ import annotations

import re

from aipk_core.claims.model import Claim
from aipk_core.claims.policy import Standing

_BY_STANDING = {
    "stale": (90, "its source has changed since it was reviewed"),
    "successor": (80, "seems to continue a claim that was decided on"),
    "expired": (70, "is no longer valid"),
    "second": (30, "needs a second person"),
    "sample": (25, "is in the sample"),
}
_CONFLICT = 100
_FAILED_CHECK = 40
_MOST_FOR_CHECKS = 80
_WRITTEN = 20
_NUMBER = 4
_DUPLICATE = 3
_MANY_PLACES = 5
_HAS_NUMBER = re.compile(r"\d")


def risk_of(claim: Claim, standing: Standing, *, conflicts: int, duplicates: int) -> tuple[int, tuple[str, ...]]:
    """A number, the higher the more urgent, and what makes it up, the weightiest first.

    A conflict outweighs a changed source, which outweighs failed checks; what merely makes an error likelier (words that
    are not the source's own, numbers) or costlier (many places) decides among claims that are otherwise alike.
    """
    found: list[tuple[int, str]] = []
    if conflicts:
        found.append((_CONFLICT, f"in conflict with {conflicts} other claim{'s' if conflicts > 1 else ''}"))
    if standing.why in _BY_STANDING:
        found.append(_BY_STANDING[standing.why])
    own_words = claim.engine != "extractive"
    failed = [check for check in claim.failed_checks if not (own_words and check.name == "exact-quote")]
    if failed:
        weight = min(_MOST_FOR_CHECKS, _FAILED_CHECK * len(failed))
        found.append((weight, f"fails {', '.join(check.name for check in failed)}"))
    if own_words:
        found.append((_WRITTEN, "is not in the source's own words"))
    if len(claim.evidence) > 1:
        found.append((_MANY_PLACES, f"stands in {len(claim.evidence)} places"))
    if _HAS_NUMBER.search(claim.text):
        found.append((_NUMBER, "has numbers"))
    if duplicates:
        found.append((_DUPLICATE, f"nearly the same as {duplicates} other claim{'s' if duplicates > 1 else ''}"))
    found.sort(key=lambda item: -item[0])
    return sum(weight for weight, _ in found), tuple(reason for _, reason in found)
