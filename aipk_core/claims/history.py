"""What the ledger tells about the work: how fast people decide, and what happened to a claim."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

from aipk_core.claims.ledger import UNDO, Decision, Ledger

_PAUSE_SECONDS = 300
_LOOK_BACK_SECONDS = 24 * 3600
_MOST_ENTRIES = 5000


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast somebody decides.

    Attributes:
        today: decisions since midnight (UTC), without undone ones.
        per_minute: over the time at work of the last 24 hours; pauses of more than five minutes are not work, and many
            decisions at one moment (bulk) count once. 0 while there is too little to tell.
    """

    today: int
    per_minute: float


def pace_of(ledger: Ledger, reviewer: str, now: str = "") -> Pace:
    """The pace of ``reviewer``, from the last 5000 entries of the ledger; ``now`` is ISO 8601, the clock's when empty."""
    moment = datetime.fromisoformat(now) if now else datetime.now(UTC)
    midnight = moment.astimezone(UTC).date().isoformat()
    today = 0
    moments: set[float] = set()
    for decision in reversed(ledger.decisions[-_MOST_ENTRIES:]):
        if decision.reviewer != reviewer:
            continue
        if decision.at >= midnight:
            today += -1 if decision.action == UNDO else 1
        at = _seconds(decision)
        if at is not None and at > moment.timestamp() - _LOOK_BACK_SECONDS:
            moments.add(at)
    return Pace(max(0, today), _per_minute(sorted(moments)))


def decision_record(decision: Decision) -> dict[str, Any]:
    """A decision as JSON values for people and scripts, without what proves it."""
    values: dict[str, Any] = {
        "entry": decision.digest,
        "claim": decision.claim,
        "at": decision.at,
        "action": decision.action,
        "before": str(decision.before),
        "after": str(decision.after),
        "reviewer": decision.reviewer,
        "reason": decision.reason,
    }
    for name in ("predecessor", "undoes", "valid_from", "valid_until"):
        if getattr(decision, name):
            values[name] = getattr(decision, name)
    if decision.edit is not None:
        values["replaced_by"] = decision.edit.id
    return values


def whole_history(ledger: Ledger, claim: str, predecessor: str = "") -> list[Decision]:
    """The decisions on a claim and on those that it replaces or continues, oldest first.

    Args:
        predecessor: what the claim was before its sentence moved; no entry says that while nobody has decided anew.
    """
    origins: dict[str, str] = {claim: predecessor} if predecessor else {}
    for decision in ledger.decisions:
        if decision.edit is not None:
            origins[decision.edit.id] = decision.claim
        if decision.predecessor:
            origins.setdefault(decision.claim, decision.predecessor)
    line = [claim]
    while line[-1] in origins and origins[line[-1]] not in line:
        line.append(origins[line[-1]])
    wanted = set(line)
    return [decision for decision in ledger.decisions if decision.claim in wanted]


def _per_minute(moments: Sequence[float]) -> float:
    gaps = [later - earlier for earlier, later in pairwise(moments) if later - earlier <= _PAUSE_SECONDS]
    worked = sum(gaps)
    return round(len(gaps) / worked * 60, 1) if worked else 0.0


def _seconds(decision: Decision) -> float | None:
    try:
        return datetime.fromisoformat(decision.at).timestamp()
    except ValueError:
        return None
