"""Which claims are canonical: what people decided, and for the rest what the corpus's policy says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from aipk_core.claims.identity import reviewed_digest
from aipk_core.claims.ledger import Ledger
from aipk_core.claims.model import Claim, Status


@dataclass(frozen=True, slots=True)
class Policy:
    """``manual``: only people decide. ``auto``: a claim that passes all of ``checks`` becomes canonical by itself."""

    name: Literal["manual", "auto"] = "manual"
    checks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ReviewCounts:
    """How the review stands; ``waiting`` claims need a person, ``stale`` ones of them were decided on another text."""

    by_status: dict[str, int]
    waiting: int
    stale: int
    decided_by_people: int


def apply_review(claims: Iterable[Claim], ledger: Ledger, policy: Policy) -> list[Claim]:
    """The claims in their order with status and reason set."""
    return [_reviewed(claim, ledger, policy) for claim in claims]


def count_review(claims: Sequence[Claim], ledger: Ledger) -> ReviewCounts:
    """Figures over claims that ``apply_review`` has been through."""
    statuses = Counter(str(claim.status) for claim in claims)
    stale = sum(1 for claim in claims if claim.reason.startswith(_STALE))
    decided = sum(1 for claim in claims if ledger.latest(claim.id) is not None)
    waiting = statuses[Status.EXTRACTED] + statuses[Status.REVIEWED]
    return ReviewCounts(dict(sorted(statuses.items())), waiting, stale, decided)


_STALE = "the source has changed since it was reviewed"


def _reviewed(claim: Claim, ledger: Ledger, policy: Policy) -> Claim:
    decision = ledger.latest(claim.id)
    if decision is not None and decision.after is Status.DEPRECATED:
        # A rejection holds whatever the evidence looks like now: rejected claims never come back by themselves.
        return replace(claim, status=Status.DEPRECATED, reason=decision.reason)
    if decision is not None and decision.reviewed != reviewed_digest(claim):
        return replace(claim, status=Status.EXTRACTED, reason=f"{_STALE} by {decision.reviewer} on {decision.at[:10]}")
    if decision is not None and decision.action != "reopen":
        return replace(claim, status=decision.after, reason=decision.reason)
    if decision is not None:
        return replace(claim, status=Status.EXTRACTED, reason=decision.reason)
    if policy.name == "auto":
        return _by_checks(claim, policy.checks)
    return replace(claim, status=Status.EXTRACTED, reason="")


def _by_checks(claim: Claim, names: Sequence[str]) -> Claim:
    results = {check.name: check for check in claim.checks}
    for check in claim.checks:
        if check.name in names and not check.passed:
            return replace(claim, status=Status.EXTRACTED, reason=f"{check.name}: {check.reason}")
    missing = [name for name in names if name not in results]
    if missing:
        return replace(claim, status=Status.EXTRACTED, reason=f"{missing[0]}: the check has not run")
    return replace(claim, status=Status.CANONICAL, reason=f"passed {', '.join(names)}")
