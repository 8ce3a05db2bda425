"""Taking a decision: who may decide what, in which status, and on which state of the claim."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path

from aipk_core.claims.edited import edited_claim
from aipk_core.claims.identity import reviewed_digest
from aipk_core.claims.ledger import REASON_NEEDED, TRANSITIONS, UNDO, Decision, Edit, Ledger, Seen
from aipk_core.claims.ledger_file import LedgerFile
from aipk_core.claims.model import Claim, Status
from aipk_core.errors import ReviewError

ROLES: dict[str, frozenset[str]] = {
    "reviewer": frozenset({"review", "reject", UNDO}),
    "approver": frozenset({*TRANSITIONS, UNDO}),
}
"""Role -> the actions that it allows."""

MAX_REASON = 2000
MAX_REVIEWER = 100


@dataclass(frozen=True, slots=True)
class Rules:
    """How a corpus is reviewed.

    Attributes:
        people_needed: 2 means that a claim becomes canonical only when two people have approved the same text.
        roles: reviewer -> a key of ``ROLES``; empty lets everybody do everything. Names are taken at their word.
    """

    people_needed: int = 1
    roles: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Request:
    """A decision that somebody wants to take.

    Attributes:
        claim: as the reviewer saw it, with the status that it had then.
        last_entry: digest of the last ledger entry on the claim that the reviewer knew of; ``None`` does not ask.
        text: the new text, for ``edit``.
        reason_required: why this decision needs a reason although its action does not; empty if it does not.
    """

    claim: Claim
    action: str
    reviewer: str
    reason: str = ""
    last_entry: str | None = None
    text: str = ""
    predecessor: str = ""
    valid_from: str = ""
    valid_until: str = ""
    reason_required: str = ""


def decide(
    path: Path,
    claim: Claim,
    action: str,
    *,
    reviewer: str,
    reason: str = "",
    now: str = "",
    rules: Rules | None = None,
    text: str = "",
) -> Decision:
    """Append one decision on ``claim`` to the ledger at ``path``, and return it once it is on disk.

    Args:
        claim: as it stands now, with its present status.
        now: ISO 8601 time; the clock's when empty.
        text: what the claim is replaced by, for ``edit``.

    Raises:
        ReviewError: the action is unknown, not allowed in the claim's status, or lacks a reviewer or a reason.
    """
    return take(LedgerFile(path), [Request(claim, action, reviewer, reason, text=text)], rules, now=now)[0]


def take(file: LedgerFile, requests: Sequence[Request], rules: Rules | None = None, *, now: str = "") -> list[Decision]:
    """Append the decisions that were asked for, all or none, and return them once they are on disk.

    An edit whose new text passes its birth checks is two decisions: the edit, and the approval of the new claim.

    Raises:
        ReviewError: a request breaks a rule, or was made on a state that is not the present one (``review-clash``).
    """
    rules = rules or Rules()
    for request in requests:
        _check(request, rules)
    moment = now or _now()

    def draft(ledger: Ledger) -> list[Decision]:
        decisions: list[Decision] = []
        for request in requests:
            _check_state(request, ledger, rules)
            decisions.extend(_decisions(request, ledger, rules, moment))
        return decisions

    return file.append(draft)


def undo(
    file: LedgerFile,
    entries: Sequence[str],
    *,
    reviewer: str,
    reason: str = "",
    current: Callable[[str], Status] | None = None,
    now: str = "",
) -> list[Decision]:
    """Take back decisions of one's own by new entries, all or none; ``entries`` are their digests, in any order.

    Args:
        current: the status of a claim as the review now sees it; by default what the ledger says.

    Raises:
        ReviewError: an entry is unknown, somebody else's, or no longer the last word on its claim (``review-clash``).
    """
    moment = now or _now()

    def draft(ledger: Ledger) -> list[Decision]:
        undone = []
        for name in entries:
            decision = ledger.entry(name)
            if decision is None or decision.action == UNDO:
                raise ReviewError("there is no such decision", code="entry-unknown", where=name[:80])
            if decision.reviewer != reviewer.strip():
                raise ReviewError(
                    f"that decision is {decision.reviewer}'s",
                    code="not-yours",
                    where=decision.claim,
                    remedy="Take a new decision on the claim",
                )
            if ledger.latest(decision.claim) is not decision:
                raise ReviewError(
                    "there is a later decision on the claim",
                    code="review-clash",
                    where=decision.claim,
                    remedy="Look at its history",
                )
            undone.append(decision)
        undone.extend(_made_by_edits(undone, ledger))
        # The last one first, so that an edit is undone after the approval of the claim that it made.
        place = {decision.digest: number for number, decision in enumerate(ledger.decisions)}
        undone.sort(key=lambda decision: place[decision.digest], reverse=True)
        return [
            Decision(
                decision.claim,
                UNDO,
                current(decision.claim) if current else decision.after,
                decision.before,
                decision.reviewer,
                _checked_reason(reason, decision.claim),
                decision.reviewed,
                moment,
                undoes=decision.digest,
            )
            for decision in undone
        ]

    return file.append(draft)


def _made_by_edits(undone: Sequence[Decision], ledger: Ledger) -> list[Decision]:
    """The decisions on claims that exist only by the edits in ``undone``, which go with them.

    Raises:
        ReviewError: somebody else has decided on such a claim (``review-clash``).
    """
    found = []
    for edit in undone:
        if edit.edit is None:
            continue
        for decision in ledger.counting(edit.edit.id):
            if decision.reviewer != edit.reviewer:
                raise ReviewError(
                    f"{decision.reviewer} has decided on the claim that replaced it",
                    code="review-clash",
                    where=edit.edit.id,
                    remedy="Look at its history",
                )
            if decision not in undone:
                found.append(decision)
    return found


def approval(status: Status, rules: Rules, reviewer: str) -> str:
    """The action by which ``reviewer`` approves a claim with ``status``: ``review`` if another person must follow."""
    role = rules.roles.get(reviewer, "")
    first_of_two = rules.people_needed > 1 and status is Status.EXTRACTED
    return "review" if first_of_two or (role and "promote" not in ROLES[role]) else "promote"


def _check(request: Request, rules: Rules) -> None:
    claim, action = request.claim, request.action
    if action not in TRANSITIONS:
        raise ReviewError(f"there is no action '{action}'", where=claim.id, remedy=f"Use {', '.join(TRANSITIONS)}")
    if claim.status not in TRANSITIONS[action]:
        raise ReviewError(
            f"a claim that is {claim.status} cannot be the object of '{action}'",
            code="transition-forbidden",
            where=claim.id,
            remedy="Reopen it with a reason first" if claim.status is Status.DEPRECATED else "Choose another action",
        )
    _check_reviewer(request.reviewer, action, rules, claim.id)
    _checked_reason(request.reason, claim.id)
    if not request.reason.strip():
        if action in REASON_NEEDED:
            raise ReviewError(f"'{action}' needs a reason", code="reason-missing", where=claim.id, remedy="Say why")
        if request.reason_required:
            raise ReviewError(
                f"the decision needs a reason: {request.reason_required}",
                code="reason-missing",
                where=claim.id,
                remedy="Say why",
            )
    for value in (request.valid_from, request.valid_until):
        if value and not _is_date(value):
            raise ReviewError(f"'{value[:40]}' is no date", where=claim.id, remedy="Write it as 2026-12-31")
    if request.valid_from and request.valid_until and request.valid_until < request.valid_from:
        raise ReviewError("the claim would end before it begins", where=claim.id, remedy="Correct the dates")


def _check_reviewer(reviewer: str, action: str, rules: Rules, where: str) -> None:
    name = reviewer.strip()
    if not name or len(name) > MAX_REVIEWER or not name.isprintable():
        raise ReviewError("a decision needs a reviewer", code="reviewer-missing", where=where, remedy="Say who decides")
    if not rules.roles:
        return
    role = rules.roles.get(name)
    if role is None:
        raise ReviewError(
            f"'{name}' is not among the people of this corpus",
            code="reviewer-unknown",
            where=where,
            remedy="Add the name under [review.people] in corpus.toml",
        )
    if action not in ROLES[role]:
        raise ReviewError(
            f"a {role} may not '{action}'", code="role-forbidden", where=where, remedy="Ask an approver to decide"
        )


def _check_state(request: Request, ledger: Ledger, rules: Rules) -> None:
    claim = request.claim
    if request.last_entry is not None and ledger.last_entry(claim.id) != request.last_entry:
        last = ledger.history(claim.id)[-1]
        raise ReviewError(
            f"{last.reviewer} has decided meanwhile: {last.action}, {last.at[:16].replace('T', ' ')}",
            code="review-clash",
            where=claim.id,
            remedy="Look at the claim again and decide anew",
        )
    if rules.people_needed > 1 and request.action == "promote":
        others = approvers(ledger, claim) - {request.reviewer.strip()}
        if not others:
            raise ReviewError(
                "two people are needed, and nobody else has approved this text",
                code="second-person-needed",
                where=claim.id,
                remedy="Record a 'review'; another person can then promote it",
            )


def approvers(ledger: Ledger, claim: Claim) -> set[str]:
    """Who has approved the claim in its present words since it was last rejected, reopened or demoted."""
    people: set[str] = set()
    own = ledger.counting(claim.id)
    before = _before_it_moved(claim, own, ledger)
    for decisions, seen in ((before, before[-1].reviewed if before else ""), (own, reviewed_digest(claim))):
        for decision in decisions:
            if decision.action in ("review", "promote"):
                if decision.reviewed == seen:
                    people.add(decision.reviewer)
            else:
                people.clear()
    return people


def _before_it_moved(claim: Claim, own: Sequence[Decision], ledger: Ledger) -> list[Decision]:
    """The decisions on what the claim was before its sentence moved, if it has not changed its words since."""
    name = own[0].predecessor if own else claim.predecessor
    decisions = ledger.counting(name) if name and claim.engine != "edited" else []
    seen = decisions[-1].seen if decisions else None
    same = seen is not None and seen.text.split() == claim.text.split()
    return decisions if same else []


def _decisions(request: Request, ledger: Ledger, rules: Rules, moment: str) -> list[Decision]:
    claim = request.claim
    reviewer, reason = request.reviewer.strip(), request.reason.strip()
    edit = None
    further: list[Decision] = []
    if request.action == "edit":
        fresh = edited_claim(claim, request.text)
        edit = Edit(fresh.id, fresh.text)
        if not any(check.name != "exact-quote" for check in fresh.failed_checks):
            action = approval(fresh.status, rules, reviewer)
            further = _decisions(Request(fresh, action, reviewer, reason, predecessor=claim.id), ledger, rules, moment)
    decision = Decision(
        claim.id,
        request.action,
        claim.status,
        TRANSITIONS[request.action][claim.status],
        reviewer,
        reason,
        reviewed_digest(claim),
        moment,
        seen=Seen.of(claim),
        edit=edit,
        predecessor=request.predecessor or claim.predecessor,
        valid_from=request.valid_from,
        valid_until=request.valid_until,
    )
    return [decision, *further]


def _checked_reason(reason: str, where: str) -> str:
    if len(reason) > MAX_REASON:
        raise ReviewError("the reason is too long", where=where, remedy="Shorten it to a few sentences")
    if any(unicodedata.category(character) in ("Cc", "Cs") and character not in "\n\r\t" for character in reason):
        raise ReviewError("the reason holds control characters", where=where, remedy="Write plain text")
    return reason.strip()


def _is_date(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
