"""One decision on many claims, which nobody may take without having seen a sample of them first."""

from __future__ import annotations

import random
import secrets
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

from aipk_core.claims.deciding import approval
from aipk_core.claims.ledger import TRANSITIONS, Decision
from aipk_core.claims.model import Status
from aipk_core.claims.queue import Filter, Order, ReviewQueue
from aipk_core.errors import ReviewError

ACTIONS = ("approve", "reject", "reopen")
MOST_CLAIMS = 5000
SAMPLE = 12
_TICKETS_KEPT = 20


@dataclass(frozen=True, slots=True)
class Preview:
    """What a bulk decision would do.

    Attributes:
        ticket: names this preview when the decision is taken.
        count: claims that it would decide on; ``passed_over`` pass the filter, but their status does not allow it.
        more: claims beyond the most that one bulk decision may touch.
        sample: ids of a random few, to be read first.
    """

    ticket: str
    count: int
    passed_over: int
    more: int
    sample: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a bulk decision did; ``clashes`` are claims that somebody decided on after the preview, left as they are."""

    decisions: tuple[Decision, ...]
    clashes: tuple[str, ...]


class BulkDesk:
    """Previews that wait for their decision; only the last few are kept."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tickets: OrderedDict[str, tuple[str, str, list[Order]]] = OrderedDict()

    def preview(self, queue: ReviewQueue, wanted: Filter, action: str, reviewer: str) -> Preview:
        """Freeze what the filter finds now.

        Raises:
            ReviewError: the action is not one for many claims at once, or nothing would be decided.
        """
        if action not in ACTIONS:
            raise ReviewError(f"'{action[:40]}' is no bulk action", remedy=f"Use {', '.join(ACTIONS)}")
        queue.refresh()
        found = queue.select(wanted)
        orders = [self._order(queue, name, action) for name in found if _allowed(queue, name, action, reviewer)]
        if not orders:
            raise ReviewError(
                "no claim in this list can be decided on like this",
                code="nothing-to-decide",
                remedy="Change the filter or the action",
            )
        chosen = orders[:MOST_CLAIMS]
        sample = random.Random(secrets.token_bytes(16)).sample(chosen, min(SAMPLE, len(chosen)))  # noqa: S311 - no secret
        ticket = secrets.token_urlsafe(16)
        with self._lock:
            self._tickets[ticket] = (action, reviewer.strip(), chosen)
            while len(self._tickets) > _TICKETS_KEPT:
                self._tickets.popitem(last=False)
        names = tuple(order.claim for order in sample)
        return Preview(ticket, len(chosen), len(found) - len(orders), len(orders) - len(chosen), names)

    def decide(self, queue: ReviewQueue, ticket: str, reviewer: str, reason: str) -> Outcome:
        """Decide on the claims of a preview, but for those that somebody has decided on since.

        Raises:
            ReviewError: the preview is not known any more (``ticket-unknown``), is another person's, or lacks a reason.
        """
        with self._lock:
            found = self._tickets.pop(ticket, None)
        if found is None or found[1] != reviewer.strip():
            raise ReviewError(
                "the sample was not shown, or is too old", code="ticket-unknown", remedy="Look at the sample again"
            )
        if not reason.strip():
            with self._lock:
                self._tickets[ticket] = found
            raise ReviewError("a bulk decision needs a reason", code="reason-missing", remedy="Say why")
        queue.refresh()
        unchanged = [order for order in found[2] if _unchanged(queue, order)]
        orders = [_with_reason(order, reason) for order in unchanged]
        decisions = queue.decide(orders, reviewer) if orders else []
        decided = {order.claim for order in orders}
        return Outcome(tuple(decisions), tuple(o.claim for o in found[2] if o.claim not in decided))

    @staticmethod
    def _order(queue: ReviewQueue, name: str, action: str) -> Order:
        status = queue.entry(name).standing.status
        return Order(name, action, status=status, last_entry=queue.last_entry(name))


def _allowed(queue: ReviewQueue, name: str, action: str, reviewer: str) -> bool:
    status = queue.entry(name).standing.status
    if action == "approve":
        if status not in (Status.EXTRACTED, Status.REVIEWED):
            return False
        action = approval(status, queue.policy.rules, reviewer.strip())
        own = action == "promote" and queue.policy.rules.people_needed > 1 and _is_own(queue, name, reviewer)
        if own:
            return False
    return status in TRANSITIONS[action]


def _is_own(queue: ReviewQueue, name: str, reviewer: str) -> bool:
    """Whether the only approval so far is this person's own, so that another one has to follow."""
    decision = queue.gate.decision_on(name)
    return decision is not None and decision.reviewer == reviewer.strip()


def _unchanged(queue: ReviewQueue, order: Order) -> bool:
    return (
        order.claim in queue
        and queue.last_entry(order.claim) == order.last_entry
        and queue.entry(order.claim).standing.status is order.status
    )


def _with_reason(order: Order, reason: str) -> Order:
    return Order(order.claim, order.action, f"{reason.strip()} (bulk)", "", order.status, order.last_entry)


def bulk_record(outcome: Outcome) -> dict[str, object]:
    """The outcome as JSON values."""
    entries: Sequence[str] = [decision.digest for decision in outcome.decisions]
    return {"decided": len(entries), "entries": entries, "clashes": list(outcome.clashes)[:100]}
