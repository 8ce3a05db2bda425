"""The review queue: all claims of a corpus in memory, those that most need a person first, kept up to date with the ledger.

Loading looks at every claim once; after that a decision touches one claim, whatever the size of the corpus.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from aipk_core.claims.deciding import Request, approval, approvers, take, undo
from aipk_core.claims.edited import edited_claim
from aipk_core.claims.ledger import UNDO, Decision
from aipk_core.claims.ledger_file import LedgerFile
from aipk_core.claims.model import Claim, Status
from aipk_core.claims.pairs import ClaimPair, PairKind, pairs_by_claim
from aipk_core.claims.policy import Gate, Policy, Standing, with_standing
from aipk_core.claims.risk import risk_of
from aipk_core.errors import ReviewError

WAITING = "waiting"
ALL = "all"
_LISTS_KEPT = 8


@dataclass(frozen=True, slots=True)
class Filter:
    """Which claims to list; empty fields do not filter.

    Attributes:
        view: ``waiting`` (for a person), ``all``, or a status.
        why: a value of ``Standing.why``.
        pair: ``conflict`` or ``duplicate``: only claims that are in such a pair.
        check: only claims that fail the check with this name.
        containing: words that text, context or id hold, in any order, whatever their case.
        reviewer: only claims whose last counting decision is this person's.
        person: of the claims that wait, only those that this person can bring further: not those that they have approved
            already and that need another one.
    """

    view: str = WAITING
    why: str = ""
    kind: str = ""
    engine: str = ""
    document: str = ""
    check: str = ""
    pair: str = ""
    containing: str = ""
    reviewer: str = ""
    person: str = ""


@dataclass(frozen=True, slots=True)
class Order:
    """A decision as a page or a command asks for it.

    Attributes:
        action: a key of ``TRANSITIONS``, or ``approve``: the step towards canonical that this person can take.
        status: the status that the reviewer saw; ``None`` takes the present one.
        last_entry: the last ledger entry on the claim that the reviewer knew of; ``None`` does not ask.
    """

    claim: str
    action: str
    reason: str = ""
    text: str = ""
    status: Status | None = None
    last_entry: str | None = None
    valid_from: str = ""
    valid_until: str = ""


@dataclass(slots=True)
class Entry:
    """One claim in the queue: as extracted, where it stands, and why a person should look at it."""

    claim: Claim
    standing: Standing
    risk: int
    reasons: tuple[str, ...]


class ReviewQueue:
    """The claims of a corpus under review.

    Args:
        file: the open ledger; other programs may write to it at the same time.
    """

    def __init__(
        self, claims: Sequence[Claim], pairs: Iterable[ClaimPair], file: LedgerFile, policy: Policy, today: str = ""
    ) -> None:
        pairs = list(pairs)
        self.file = file
        self.policy = policy
        self.pairs = {kind: pairs_by_claim(pairs, kind) for kind in PairKind}
        self._lock = threading.RLock()
        self._extracted = {claim.id for claim in claims}
        self._ledger = file.ledger
        self._taken_in = len(self._ledger.decisions)
        self.gate = Gate(claims, self._ledger, policy, pairs, today)
        self._entries = {claim.id: self._entry(claim) for claim in claims}
        self._order = [entry.claim.id for entry in sorted(self._entries.values(), key=_place)]
        self._search: dict[str, str] = {}
        # The last few lists, until a decision changes them: several people, or one who leafs through, ask for the same.
        self._lists: dict[Filter, list[str]] = {}
        self._counts = Counter(str(entry.standing.status) for entry in self._entries.values())
        self._waiting = sum(entry.standing.waits_for_people for entry in self._entries.values())

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def counts(self) -> Mapping[str, int]:
        """Claims by status."""
        return self._counts

    @property
    def waiting(self) -> int:
        """Claims that a person should look at."""
        return self._waiting

    def entry(self, claim: str) -> Entry:
        """Raises: ReviewError: there is no such claim (code ``claim-unknown``)."""
        try:
            return self._entries[claim]
        except KeyError:
            raise ReviewError(
                f"there is no claim '{claim[:80]}'", code="claim-unknown", remedy="See 'aipk claims list'"
            ) from None

    def __contains__(self, claim: str) -> bool:
        return claim in self._entries

    def claim(self, claim: str) -> Claim:
        """The claim with status, reason and predecessor as they are now."""
        entry = self.entry(claim)
        return with_standing(entry.claim, entry.standing, self._ledger)

    def last_entry(self, claim: str) -> str:
        return self._ledger.last_entry(claim)

    def history(self, claim: str) -> list[Decision]:
        return self._ledger.history(claim)

    def select(self, wanted: Filter) -> list[str]:
        """Ids of the claims that pass the filter, the riskiest first."""
        with self._lock:
            lists, order = self._lists, self._order
            found = lists.get(wanted)
        if found is None:
            # Without the lock: a decision must not wait for somebody's search through a large corpus.
            words = wanted.containing.casefold().split()
            found = [name for name in order if self._passes(name, self._entries.get(name), wanted, words)]
            with self._lock:
                while len(lists) >= _LISTS_KEPT:
                    del lists[next(iter(lists))]
                lists[wanted] = found
        return list(found)

    def refresh(self) -> bool:
        """Take in what other programs have written to the ledger; returns whether there was anything."""
        with self._lock:
            self.file.refresh()
            return self._take_in()

    def decide(self, orders: Sequence[Order], reviewer: str, *, now: str = "") -> list[Decision]:
        """Take decisions, all or none; they are on disk when this returns.

        Raises:
            ReviewError: code ``review-clash`` when somebody has decided meanwhile; others as ``deciding.take``.
        """
        with self._lock:
            self.refresh()
            requests = [self._request(order, reviewer) for order in orders]
            decisions = take(self.file, requests, self.policy.rules, now=now)
            self._take_in()
            return decisions

    def undo(self, entries: Sequence[str], reviewer: str, *, reason: str = "", now: str = "") -> list[Decision]:
        """Take back one's own decisions by new entries, all or none.

        Raises:
            ReviewError: as ``deciding.undo``.
        """
        with self._lock:
            self.refresh()

            def current(claim: str) -> Status:
                return self._entries[claim].standing.status if claim in self._entries else Status.EXTRACTED

            decisions = undo(self.file, entries, reviewer=reviewer, reason=reason, current=current, now=now)
            self._take_in()
            return decisions

    def _request(self, order: Order, reviewer: str) -> Request:
        claim = self.claim(order.claim)
        last = self._ledger.last_entry(order.claim)
        stale_view = order.last_entry is not None and order.last_entry != last
        if stale_view or (order.status is not None and order.status is not claim.status):
            history = self._ledger.history(order.claim)
            who = (
                f"{history[-1].reviewer} has decided meanwhile ({history[-1].action})"
                if stale_view and history
                else f"the claim is {claim.status} now"
            )
            raise ReviewError(
                who, code="review-clash", where=claim.id, remedy="Look at the claim again and decide anew"
            )
        action = order.action
        if action == "approve":
            action = approval(claim.status, self.policy.rules, reviewer.strip())
        succession = self.gate.successions.get(claim.id)
        return Request(
            claim,
            action,
            reviewer,
            order.reason,
            last,
            order.text,
            succession.predecessor if succession else "",
            order.valid_from,
            order.valid_until,
            self._reason_required(claim.id, action),
        )

    def _reason_required(self, claim: str, action: str) -> str:
        if action != "promote" or not self.policy.block_conflicts:
            return ""
        for pair in self.pairs[PairKind.CONFLICT].get(claim, ()):
            other = pair.other(claim)
            if other in self._entries and self._entries[other].standing.status is not Status.DEPRECATED:
                return f"it is in conflict with {other}"
        return ""

    def _take_in(self) -> bool:
        if self.file.ledger is not self._ledger:
            self._lists = {}
            self._ledger = self.gate.ledger = self.file.ledger
            self._taken_in = len(self._ledger.decisions)
            edits = self._ledger.edits()
            kept = {decision.edit.id for decision in edits if decision.edit is not None}
            for name in [name for name in self._entries if name not in self._extracted and name not in kept]:
                self._remove(name)
            for decision in edits:
                self._add_edited(decision)
            self.gate.refresh()
            self._update(list(self._entries))
            return True
        fresh = self._ledger.decisions[self._taken_in :]
        self._taken_in += len(fresh)
        if fresh:
            self._lists = {}
        changed: dict[str, None] = {}
        everything = elsewhere = False
        for decision in fresh:
            self._follow_edit(decision)
            changed[decision.claim] = None
            elsewhere |= decision.claim not in self._entries
            if decision.claim in self._entries:
                everything |= self.gate.note_decision(self._entries[decision.claim].claim)
            if self.policy.block_conflicts:
                # Its partner is blocked no more, or again.
                changed.update((p.other(decision.claim), None) for p in self.gate.conflicts.get(decision.claim, ()))
        if elsewhere:
            # A decision on a claim whose sentence has moved changes what the claim there brought along.
            self.gate.refresh()
            everything = True
        self._update(list(self._entries) if everything else [name for name in changed if name in self._entries])
        return bool(fresh)

    def _follow_edit(self, decision: Decision) -> None:
        if decision.edit is not None:
            self._add_edited(decision)
        elif decision.action == UNDO:
            undone = self._ledger.entry(decision.undoes)
            if undone is not None and undone.edit is not None and undone.edit.id not in self._extracted:
                self._remove(undone.edit.id)

    def _add_edited(self, decision: Decision) -> None:
        old = self._entries.get(decision.claim)
        if old is None or decision.edit is None or decision.edit.id in self._entries:
            return
        claim = edited_claim(old.claim, decision.edit.text)
        entry = self._entries[claim.id] = self._entry(claim)
        if claim.id not in self._order:
            self._order = [claim.id, *self._order]
        self._counts[str(entry.standing.status)] += 1
        self._waiting += entry.standing.waits_for_people

    def _remove(self, claim: str) -> None:
        entry = self._entries.pop(claim, None)
        if entry is not None:
            self._counts[str(entry.standing.status)] -= 1
            self._waiting -= entry.standing.waits_for_people

    def _update(self, claims: Iterable[str]) -> None:
        for name in claims:
            entry = self._entries[name]
            before, after = entry.standing, self.gate.standing(entry.claim)
            entry.standing = after
            self._counts[str(before.status)] -= 1
            self._counts[str(after.status)] += 1
            self._waiting += after.waits_for_people - before.waits_for_people

    def _entry(self, claim: Claim) -> Entry:
        standing = self.gate.standing(claim)
        risk, reasons = risk_of(
            claim,
            standing,
            conflicts=len(self.pairs[PairKind.CONFLICT].get(claim.id, ())),
            duplicates=len(self.pairs[PairKind.DUPLICATE].get(claim.id, ())),
        )
        return Entry(claim, standing, risk, reasons)

    def _passes(self, name: str, entry: Entry | None, wanted: Filter, words: Sequence[str]) -> bool:
        if entry is None:
            return False
        standing, claim = entry.standing, entry.claim
        if wanted.view == WAITING:
            if not standing.waits_for_people:
                return False
            if wanted.person and standing.why == "second" and approvers(self._ledger, claim) == {wanted.person}:
                return False
        elif wanted.view != ALL and standing.status != wanted.view:
            return False
        if wanted.why and standing.why != wanted.why:
            return False
        if wanted.kind and claim.kind != wanted.kind:
            return False
        if wanted.engine and claim.engine != wanted.engine:
            return False
        if wanted.pair and name not in self.pairs[PairKind(wanted.pair)]:
            return False
        if wanted.check and all(check.name != wanted.check for check in claim.failed_checks):
            return False
        if wanted.document and all(wanted.document not in place.document for place in claim.evidence):
            return False
        if wanted.reviewer:
            decision = self.gate.decision_on(name)
            if decision is None or decision.reviewer != wanted.reviewer:
                return False
        if words:
            text = self._search.get(name)
            if text is None:
                text = self._search[name] = f"{claim.id} {claim.full_text}".casefold()
            return all(word in text for word in words)
        return True


def filter_with_defaults(values: Mapping[str, str]) -> Filter:
    """A filter from strings as a page or a command gives them.

    Raises:
        ReviewError: a field is unknown, or a view or kind of pair does not exist.
    """
    known = {name: str(value)[:200] for name, value in values.items() if value}
    unknown = sorted(set(known) - set(Filter.__slots__))
    if unknown:
        raise ReviewError(f"there is no filter '{unknown[0][:40]}'", remedy=f"Use {', '.join(Filter.__slots__)}")
    made = replace(Filter(), **known)
    if made.view not in (WAITING, ALL, *Status):
        raise ReviewError(f"there is no view '{made.view}'", remedy=f"Use {', '.join((WAITING, ALL, *Status))}")
    if made.pair and made.pair not in tuple(PairKind):
        raise ReviewError(f"there is no kind of pair '{made.pair}'", remedy=f"Use {', '.join(PairKind)}")
    return made


def _place(entry: Entry) -> tuple[int, str, int, str]:
    first = entry.claim.evidence[0] if entry.claim.evidence else None
    return (-entry.risk, first.document if first else "", first.start if first else 0, entry.claim.id)
