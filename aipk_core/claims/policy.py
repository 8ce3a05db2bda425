"""Which claims are canonical: what people decided, and for the rest what the corpus's policy says."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Literal

from aipk_core.claims.checks import blocking_failure
from aipk_core.claims.deciding import Rules, approvers
from aipk_core.claims.identity import reviewed_digest
from aipk_core.claims.ledger import Decision, Ledger
from aipk_core.claims.model import Claim, Status
from aipk_core.claims.moves import Moves, find_moves
from aipk_core.claims.pairs import ClaimPair, PairKind, pairs_by_claim
from aipk_core.claims.sampling import SampleOutcome, SampleRules, in_sample, judge_sample
from aipk_core.claims.successors import Succession, find_successions, was_rejected


@dataclass(frozen=True, slots=True)
class Policy:
    """Who or what decides.

    ``manual``: only people. ``auto``: a claim that passes all of ``checks`` becomes canonical by itself. ``sample``: a
    claim that passes all of ``checks`` becomes canonical when enough of such claims were read by people and found right.

    Attributes:
        block_conflicts: whether a claim in a conflict stays out until a person has decided.
    """

    name: Literal["manual", "auto", "sample"] = "manual"
    checks: tuple[str, ...] = ()
    sample: SampleRules = field(default_factory=SampleRules)
    rules: Rules = field(default_factory=Rules)
    block_conflicts: bool = False


@dataclass(frozen=True, slots=True)
class Standing:
    """What the review says of one claim.

    Attributes:
        why: ``decided`` by people, ``stale``, ``expired``, ``early`` (not valid yet), ``second`` (another person is
            needed), ``policy`` (it decided), ``sample`` (to be read by people), ``held`` (waits for the sample),
            ``checks`` (it fails one), ``conflict``, ``successor`` (continues a claim that was decided), ``new``.
        predecessor: id of the claim that this one was before its sentence moved, when a decision on that one counts.
    """

    status: Status
    reason: str
    why: str
    predecessor: str = ""

    @property
    def waits_for_people(self) -> bool:
        """Whether a person should look at the claim."""
        return self.status in (Status.EXTRACTED, Status.REVIEWED) and self.why not in ("held", "early")


@dataclass(frozen=True, slots=True)
class ReviewCounts:
    """How the review stands; ``waiting`` claims need a person, ``stale`` ones of them were decided on another text."""

    by_status: dict[str, int]
    waiting: int
    stale: int
    decided_by_people: int


class Gate:
    """Says of every claim where it stands; made once for a list of claims, asked again after every decision.

    Args:
        pairs: conflicts and duplicates among the claims.
        today: ISO date that validity is judged by; today's (UTC), or that of ``SOURCE_DATE_EPOCH``, when empty.
    """

    def __init__(
        self,
        claims: Sequence[Claim],
        ledger: Ledger,
        policy: Policy,
        pairs: Iterable[ClaimPair] = (),
        today: str = "",
    ) -> None:
        self.claims = claims
        self.ledger = ledger
        self.policy = policy
        self.today = today or build_date()
        self.conflicts = pairs_by_claim(pairs, PairKind.CONFLICT)
        self.successions: dict[str, Succession] = {}
        self.moves: Moves = {}
        self.sample: SampleOutcome | None = None
        self._sampled: dict[str, bool] = {}
        self._read: dict[str, bool] = {}
        self.refresh()

    def refresh(self) -> None:
        """Work out again what depends on many decisions: moves, successions, and the outcome of the sample."""
        self.moves = find_moves(self.claims, self.ledger)
        self.successions = find_successions(self.claims, self.ledger, self.moves)
        if self.policy.name == "sample":
            self._sampled = {
                claim.id: in_sample(claim.id, self.policy.sample)
                for claim in self.claims
                if not _failure(claim, self.policy.checks) and not self._set_apart(claim) and claim.engine != "edited"
            }
            self._read = {}
            for claim in self.claims:
                self._note_reading(claim)
            self._judge_sample()

    def note_decision(self, claim: Claim) -> bool:
        """Count a claim of the sample again after a decision on it; returns whether that changes what the policy says
        of the other claims."""
        if not self._sampled.get(claim.id):
            return False
        before = self.sample
        self._note_reading(claim)
        after = self._judge_sample()
        return before is None or (before.accepted, before.finished) != (after.accepted, after.finished)

    def decision_on(self, claim: str) -> Decision | None:
        """The decision that counts for a claim: its own, or the one that it brought along when its sentence moved."""
        moved = self.moves.get(claim)
        return self.ledger.latest(claim) or (moved[-1] if moved else None)

    def in_sample(self, claim: str) -> bool:
        """Whether the claim is one that people read for the policy ``sample``."""
        return self._sampled.get(claim, False)

    def standing(self, claim: Claim) -> Standing:
        """Where a claim stands now."""
        decided = self._by_people(claim)
        if decided is not None:
            return decided
        succession = self.successions.get(claim.id)
        if succession is not None:
            what = "rejected" if was_rejected(succession) else "approved"
            reason = f"seems to continue {succession.predecessor}, which was {what} by {succession.decision.reviewer}"
            return Standing(Status.EXTRACTED, reason, "successor")
        if self.policy.name == "manual" or claim.engine == "edited":
            failed = [f"{check.name}: {check.reason}" for check in claim.failed_checks if check.name != "exact-quote"]
            reason = failed[0] if claim.engine == "edited" and failed else ""
            return Standing(Status.EXTRACTED, reason, "checks" if reason else "new")
        failure = _failure(claim, self.policy.checks)
        if failure:
            return Standing(Status.EXTRACTED, failure, "checks")
        if self.policy.block_conflicts:
            for pair in self.conflicts.get(claim.id, ()):
                other = self.decision_on(pair.other(claim.id))
                if other is None or other.after is not Status.DEPRECATED:
                    reason = f"in conflict with {pair.other(claim.id)}: {'; '.join(pair.reasons)}"
                    return Standing(Status.EXTRACTED, reason[:300], "conflict")
        if self.policy.name == "auto":
            return Standing(Status.CANONICAL, f"passed {', '.join(self.policy.checks)}", "policy")
        return self._by_sample(claim)

    def _by_people(self, claim: Claim) -> Standing | None:
        decision = self.decision_on(claim.id)
        if decision is None:
            return None
        if decision.claim != claim.id:
            return self._moved(claim, decision)
        if decision.after is Status.DEPRECATED:
            # A rejection holds whatever the evidence looks like now: rejected claims never come back by themselves.
            reason = f"replaced by {decision.edit.id}" if decision.edit is not None else decision.reason
            return Standing(Status.DEPRECATED, reason, "decided")
        if decision.reviewed != reviewed_digest(claim):
            reason = f"{_STALE} by {decision.reviewer} on {decision.at[:10]}"
            return Standing(Status.EXTRACTED, reason, "stale")
        if decision.action == "reopen":
            return Standing(Status.EXTRACTED, decision.reason, "decided")
        if decision.after is Status.CANONICAL:
            return self._canonical(claim, decision)
        return Standing(decision.after, decision.reason, self._why(decision))

    def _moved(self, claim: Claim, decision: Decision) -> Standing:
        """As before the sentence moved; its words are the same, so there is nothing to be stale."""
        moved = replace(claim, predecessor=decision.claim)
        if decision.after is Status.CANONICAL:
            standing = self._canonical(moved, decision)
        else:
            why = "decided" if decision.after is Status.DEPRECATED else self._why(decision)
            standing = Standing(decision.after, decision.reason, why)
        said = f"{_MOVED} {decision.claim} by {decision.reviewer} on {decision.at[:10]}"
        reason = f"{said}: {standing.reason}" if standing.reason else said
        return replace(standing, reason=reason, predecessor=decision.claim)

    def _why(self, decision: Decision) -> str:
        return "second" if decision.after is Status.REVIEWED and self.policy.rules.people_needed > 1 else "decided"

    def _canonical(self, claim: Claim, decision: Decision) -> Standing:
        if decision.valid_until and decision.valid_until < self.today:
            return Standing(Status.EXTRACTED, f"was valid until {decision.valid_until}", "expired")
        if self.policy.rules.people_needed > 1:
            people = approvers(self.ledger, claim)
            if len(people) < self.policy.rules.people_needed:
                return Standing(Status.REVIEWED, f"approved by {', '.join(people)}; one more person must", "second")
        if decision.valid_from and decision.valid_from > self.today:
            return Standing(Status.REVIEWED, f"is valid from {decision.valid_from}", "early")
        return Standing(Status.CANONICAL, decision.reason, "decided")

    def _by_sample(self, claim: Claim) -> Standing:
        outcome = self.sample
        assert outcome is not None
        if self._sampled.get(claim.id):
            return Standing(Status.EXTRACTED, "is in the sample that people read", "sample")
        figures = f"{outcome.wrong} of {outcome.read} wrong, upper bound {outcome.upper_bound * 100:.2f} %"
        limit = f"limit {self.policy.sample.max_error_percent:g} %"
        if outcome.accepted:
            return Standing(Status.CANONICAL, f"accepted by the sample: {figures} ({limit})", "policy")
        if outcome.finished:
            return Standing(Status.EXTRACTED, f"the sample was not good enough: {figures} ({limit})", "new")
        return Standing(Status.EXTRACTED, f"waits for the sample: {outcome.read} of {outcome.size} read", "held")

    def _note_reading(self, claim: Claim) -> None:
        if not self._sampled.get(claim.id):
            return
        decided = self._by_people(claim)
        if decided is not None and decided.why == "decided" and decided.status is not Status.EXTRACTED:
            self._read[claim.id] = decided.status is Status.DEPRECATED
        else:
            self._read.pop(claim.id, None)

    def _judge_sample(self) -> SampleOutcome:
        size = sum(self._sampled.values())
        wrong = sum(self._read.values())
        self.sample = judge_sample(size, len(self._read), wrong, len(self._sampled) - size, self.policy.sample)
        return self.sample

    def _set_apart(self, claim: Claim) -> bool:
        """Whether a claim must be read by a person anyway, so that a sample says nothing of it."""
        return claim.id in self.successions or (self.policy.block_conflicts and claim.id in self.conflicts)


def apply_review(
    claims: Iterable[Claim], ledger: Ledger, policy: Policy, pairs: Iterable[ClaimPair] = (), today: str = ""
) -> list[Claim]:
    """The claims in their order with status, reason and predecessor set."""
    claims = list(claims)
    gate = Gate(claims, ledger, policy, pairs, today)
    return [with_standing(claim, gate.standing(claim), ledger) for claim in claims]


def with_standing(claim: Claim, standing: Standing, ledger: Ledger) -> Claim:
    """``claim`` with what the review says of it."""
    decision = ledger.latest(claim.id)
    predecessor = (decision.predecessor if decision else "") or standing.predecessor or claim.predecessor
    return replace(claim, status=standing.status, reason=standing.reason, predecessor=predecessor)


def count_review(claims: Sequence[Claim], ledger: Ledger) -> ReviewCounts:
    """Figures over claims that ``apply_review`` has been through."""
    statuses = Counter(str(claim.status) for claim in claims)
    stale = sum(1 for claim in claims if claim.reason.startswith(_STALE))
    decided = sum(1 for claim in claims if ledger.latest(claim.id) is not None or claim.reason.startswith(_MOVED))
    waiting = statuses[Status.EXTRACTED] + statuses[Status.REVIEWED]
    return ReviewCounts(dict(sorted(statuses.items())), waiting, stale, decided)


def build_date() -> str:
    """Today (UTC) as an ISO date, or the day that ``SOURCE_DATE_EPOCH`` names, so that a build can be repeated."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    moment = datetime.fromtimestamp(int(epoch), UTC) if epoch.isdecimal() else datetime.now(UTC)
    return moment.date().isoformat()


_STALE = "the source has changed since it was reviewed"
_MOVED = "its sentence moved; decided as"


def _failure(claim: Claim, names: Sequence[str]) -> str:
    """Why a claim does not pass the checks called ``names``, or one that no policy may pass over; empty when it does."""
    blocking = blocking_failure(claim.checks)
    if blocking is not None:
        return f"{blocking.name}: {blocking.reason}"
    results = {check.name: check for check in claim.checks}
    for check in claim.checks:
        if check.name in names and not check.passed:
            return f"{check.name}: {check.reason}"
    missing = [name for name in names if name not in results]
    return f"{missing[0]}: the check has not run" if missing else ""
