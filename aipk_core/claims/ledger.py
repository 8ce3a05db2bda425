"""The review ledger: every decision that a person took, one JSON object a line, append-only and hash-chained.

``reviews.jsonl`` lives in git beside the corpus. Each entry names, by digest, the entries that were last when it was
written. On one branch that is a chain; when two reviewers worked on two branches and git merged the lines, the next
entry names both ends. Whatever is changed, removed or put in later breaks a digest and is found when the ledger is read.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from filelock import FileLock

from aipk_core.claims.identity import reviewed_digest
from aipk_core.claims.model import Claim, Status
from aipk_core.errors import ReviewError
from aipk_core.hashing import digest

_MAX_LINE_BYTES = 64 << 10
_MAX_FILE_BYTES = 1 << 30

TRANSITIONS: dict[str, dict[Status, Status]] = {
    "review": {Status.EXTRACTED: Status.REVIEWED},
    "promote": {Status.EXTRACTED: Status.CANONICAL, Status.REVIEWED: Status.CANONICAL},
    "demote": {Status.CANONICAL: Status.REVIEWED},
    "reject": {
        Status.EXTRACTED: Status.DEPRECATED,
        Status.REVIEWED: Status.DEPRECATED,
        Status.CANONICAL: Status.DEPRECATED,
    },
    "reopen": {Status.DEPRECATED: Status.EXTRACTED},
}
"""Action -> status before -> status after. What is not here is forbidden; a rejected claim never comes back by itself."""

REASON_NEEDED = frozenset({"reject", "reopen", "demote"})


@dataclass(frozen=True, slots=True)
class Decision:
    """One line of the ledger.

    Attributes:
        claim: id of the claim.
        action: a key of ``TRANSITIONS``.
        before, after: the claim's status around the decision.
        reviewed: digest of the text, context and quotes that the reviewer saw.
        at: ISO 8601, UTC.
        parents: digests of the entries that were last when this one was written; empty for the first.
        digest: SHA-256 over all other fields.
    """

    claim: str
    action: str
    before: Status
    after: Status
    reviewer: str
    reason: str
    reviewed: str
    at: str
    parents: tuple[str, ...] = ()
    digest: str = field(default="")

    def sealed(self) -> Decision:
        """The same decision with its digest filled in."""
        values = asdict(self)
        del values["digest"]
        values["parents"] = list(self.parents)
        return Decision(**{**values, "parents": self.parents, "digest": digest("decision", values)})


class Ledger:
    """All decisions of a corpus, in file order."""

    def __init__(self, decisions: Iterable[Decision] = ()) -> None:
        self.decisions = list(decisions)
        self._latest: dict[str, Decision] = {decision.claim: decision for decision in self.decisions}

    @property
    def heads(self) -> tuple[str, ...]:
        """Digests of the entries that no other entry names as a parent: one, or one for each merged branch."""
        named = {parent for decision in self.decisions for parent in decision.parents}
        return tuple(sorted(decision.digest for decision in self.decisions if decision.digest not in named))

    @property
    def version(self) -> str:
        """Digest of all decisions."""
        return digest("ledger", [decision.digest for decision in self.decisions])

    def latest(self, claim: str) -> Decision | None:
        """The last decision on a claim."""
        return self._latest.get(claim)

    def history(self, claim: str) -> list[Decision]:
        """All decisions on a claim, oldest first."""
        return [decision for decision in self.decisions if decision.claim == claim]


def read_ledger(path: Path) -> Ledger:
    """Read and verify the ledger at ``path``; a file that does not exist is an empty ledger.

    Raises:
        ReviewError: a line is malformed, was changed, or names a parent that does not stand above it.
    """
    if not path.exists():
        return Ledger()
    if path.stat().st_size > _MAX_FILE_BYTES:
        raise ReviewError("the ledger is larger than 1 GiB", where=str(path), remedy="Check what wrote it")
    decisions: list[Decision] = []
    seen: set[str] = set()
    with path.open("rb") as stream:
        for number, line in enumerate(stream, 1):
            if not line.strip():
                continue
            where = f"{path}:{number}"
            decision = _parsed(line, where)
            if decision.digest != decision.sealed().digest:
                raise ReviewError(
                    "the entry was changed after it was written", code="ledger-broken", where=where, remedy=_RESTORE
                )
            missing = [parent for parent in decision.parents if parent not in seen]
            if missing or (not decision.parents and decisions):
                raise ReviewError(
                    "an entry above this one is missing", code="ledger-broken", where=where, remedy=_RESTORE
                )
            seen.add(decision.digest)
            decisions.append(decision)
    return Ledger(decisions)


def decide(path: Path, claim: Claim, action: str, *, reviewer: str, reason: str = "", now: str = "") -> Decision:
    """Append one decision on ``claim`` and return it once it is on disk.

    Args:
        claim: as it stands now, with its present status.
        now: ISO 8601 time; the clock's when empty.

    Raises:
        ReviewError: the action is unknown, not allowed in the claim's status, or lacks a reviewer or a reason.
    """
    if action not in TRANSITIONS:
        raise ReviewError(f"there is no action '{action}'", where=claim.id, remedy=f"Use {', '.join(TRANSITIONS)}")
    after = TRANSITIONS[action].get(claim.status)
    if after is None:
        raise ReviewError(
            f"a claim that is {claim.status} cannot be the object of '{action}'",
            code="transition-forbidden",
            where=claim.id,
            remedy="Reopen it with a reason first" if claim.status is Status.DEPRECATED else "Choose another action",
        )
    if not reviewer.strip():
        raise ReviewError("a decision needs a reviewer", where=claim.id, remedy="Say who decides")
    if action in REASON_NEEDED and not reason.strip():
        raise ReviewError(f"'{action}' needs a reason", where=claim.id, remedy="Say why")
    moment = now or datetime.now(UTC).isoformat(timespec="seconds")
    path.parent.mkdir(parents=True, exist_ok=True)
    # The lock file is no part of the ledger and not for git; two reviewers on one machine wait for each other here.
    with FileLock(path.with_name(f".{path.name}.lock")):
        heads = read_ledger(path).heads
        decision = Decision(
            claim.id,
            action,
            claim.status,
            after,
            reviewer.strip(),
            reason.strip(),
            reviewed_digest(claim),
            moment,
            heads,
        ).sealed()
        line = json.dumps(asdict(decision), ensure_ascii=False, sort_keys=True).encode("utf-8")
        if len(line) > _MAX_LINE_BYTES:
            raise ReviewError("the reason is too long", where=claim.id, remedy="Shorten it to a few sentences")
        _append(path, line + b"\n")
    return decision


_RESTORE = "Restore the ledger from git; entries are added by commands, never edited"


def _append(path: Path, line: bytes) -> None:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
    try:
        size = os.fstat(descriptor).st_size
        if size and os.pread(descriptor, 1, size - 1) != b"\n":
            line = b"\n" + line
        os.write(descriptor, line)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _parsed(line: bytes, where: str) -> Decision:
    try:
        values: dict[str, Any] = json.loads(line)
        decision = Decision(
            **{
                **values,
                "before": Status(values["before"]),
                "after": Status(values["after"]),
                "parents": tuple(values["parents"]),
            }
        )
        if not all(isinstance(value, str) for value in (decision.claim, decision.action, decision.reason, decision.at)):
            raise TypeError("a field is not a string")
    except (ValueError, KeyError, TypeError) as error:
        raise ReviewError(
            f"the line is not a ledger entry: {error}", code="ledger-broken", where=where, remedy=_RESTORE
        ) from error
    return decision
