"""The review ledger: every decision that a person took, one JSON object a line, append-only and hash-chained.

``reviews.jsonl`` lives in git beside the corpus. Each entry names, by digest, the entries that were last when it was
written. On one branch that is a chain; when two reviewers worked on two branches and git merged the lines, the next
entry names both ends. Whatever is changed, removed or put in later breaks a digest and is found when the ledger is read.

What counts for a claim is its last decision, with two exceptions: a decision that a later entry undoes counts no more,
and a rejection holds until somebody who knew of it reopens the claim, so that no merge can bring a rejected claim back.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from aipk_core.claims.model import Claim, Status
from aipk_core.errors import ReviewError
from aipk_core.hashing import digest

MAX_LINE_BYTES = 64 << 10
MAX_FILE_BYTES = 1 << 30

TRANSITIONS: dict[str, dict[Status, Status]] = {
    "review": {Status.EXTRACTED: Status.REVIEWED},
    "promote": {Status.EXTRACTED: Status.CANONICAL, Status.REVIEWED: Status.CANONICAL},
    "demote": {Status.CANONICAL: Status.REVIEWED},
    "reject": {
        Status.EXTRACTED: Status.DEPRECATED,
        Status.REVIEWED: Status.DEPRECATED,
        Status.CANONICAL: Status.DEPRECATED,
    },
    "edit": {
        Status.EXTRACTED: Status.DEPRECATED,
        Status.REVIEWED: Status.DEPRECATED,
        Status.CANONICAL: Status.DEPRECATED,
    },
    "reopen": {Status.DEPRECATED: Status.EXTRACTED},
}
"""Action -> status before -> status after. What is not here is forbidden; a rejected claim never comes back by itself.
``edit`` replaces a claim by one with another text. The one further action, ``undo``, takes back one earlier entry."""

UNDO = "undo"
REASON_NEEDED = frozenset({"reject", "reopen", "demote"})

SEEN_QUOTE = 1000
SEEN_TEXT = 2000
_SEEN_QUOTES, _SEEN_CONTEXT, _SEEN_HEADING = 4, 8, 200


@dataclass(frozen=True, slots=True)
class Seen:
    """What the reviewer had before their eyes, kept so that a later change of the source can be shown as a difference.

    Long texts are cut, and only the first few places of a claim are kept; the digest ``Decision.reviewed`` covers all.
    """

    text: str
    quotes: tuple[str, ...] = ()
    context: tuple[str, ...] = ()
    document: str = ""
    heading_path: tuple[str, ...] = ()

    @classmethod
    def of(cls, claim: Claim) -> Seen:
        first = claim.evidence[0] if claim.evidence else None
        quotes = dict.fromkeys(place.quote[:SEEN_QUOTE] for place in claim.evidence)
        return cls(
            claim.text[:SEEN_TEXT],
            tuple(quotes)[:_SEEN_QUOTES],
            tuple(part[:_SEEN_HEADING] for part in claim.context[:_SEEN_CONTEXT]),
            first.document[:SEEN_QUOTE] if first else "",
            tuple(part[:_SEEN_HEADING] for part in first.heading_path[:_SEEN_CONTEXT]) if first else (),
        )


@dataclass(frozen=True, slots=True)
class Edit:
    """The claim that a reviewer wrote in the place of another one."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Decision:
    """One line of the ledger. Fields that are empty and have a default do not stand in the file.

    Attributes:
        claim: id of the claim.
        action: a key of ``TRANSITIONS``, or ``undo``.
        before, after: the claim's status around the decision.
        reviewed: digest of the text, context and quotes that the reviewer saw.
        at: ISO 8601, UTC.
        parents: digests of the entries that were last when this one was written; empty for the first.
        digest: SHA-256 over all other fields.
        edit: what the claim is replaced by, for the action ``edit``.
        predecessor: id of the claim that this one continues, when the source sentence was changed.
        undoes: digest of the entry that an ``undo`` takes back.
        valid_from, valid_until: ISO dates, both included, between which the claim is true; empty for no bound.
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
    digest: str = ""
    seen: Seen | None = None
    edit: Edit | None = None
    predecessor: str = ""
    undoes: str = ""
    valid_from: str = ""
    valid_until: str = ""

    def sealed(self) -> Decision:
        """The same decision with its digest filled in."""
        values = self.record()
        del values["digest"]
        return replace(self, digest=digest("decision", values))

    def record(self) -> dict[str, Any]:
        """The decision as JSON values."""
        values: dict[str, Any] = {name: getattr(self, name) for name in _ALWAYS}
        values["before"], values["after"] = str(self.before), str(self.after)
        values["parents"] = list(self.parents)
        values |= {name: getattr(self, name) for name in _TEXTS if getattr(self, name)}
        if self.seen is not None:
            seen = {name: getattr(self.seen, name) for name in Seen.__slots__}
            values["seen"] = {k: list(v) if isinstance(v, tuple) else v for k, v in seen.items()}
        if self.edit is not None:
            values["edit"] = {"id": self.edit.id, "text": self.edit.text}
        return values

    def line(self) -> bytes:
        """The decision as it stands in the file, with its line end."""
        return json.dumps(self.record(), ensure_ascii=False, sort_keys=True).encode("utf-8") + b"\n"


class Ledger:
    """All decisions of a corpus, in file order, and what counts of them."""

    def __init__(self, decisions: Iterable[Decision] = ()) -> None:
        self.decisions: list[Decision] = []
        self._by_digest: dict[str, Decision] = {}
        self._heads: dict[str, None] = {}
        self._all: dict[str, list[Decision]] = {}
        self._counting: dict[str, list[Decision]] = {}
        for decision in decisions:
            self.add(decision)

    @property
    def heads(self) -> tuple[str, ...]:
        """Digests of the entries that no other entry names as a parent: one, or one for each merged branch."""
        return tuple(sorted(self._heads))

    @property
    def version(self) -> str:
        """Digest of all decisions."""
        return digest("ledger", [decision.digest for decision in self.decisions])

    def claims(self) -> list[str]:
        """Ids of all claims that somebody has decided on, in the order of their first decision."""
        return list(self._all)

    def entry(self, name: str) -> Decision | None:
        """The decision with the digest ``name``."""
        return self._by_digest.get(name)

    def latest(self, claim: str) -> Decision | None:
        """The decision that counts for a claim; ``None`` if there is none, or all were undone."""
        counting = self._counting.get(claim)
        return counting[-1] if counting else None

    def counting(self, claim: str) -> list[Decision]:
        """The decisions on a claim that count, oldest first, without undone and overruled ones."""
        return list(self._counting.get(claim, ()))

    def history(self, claim: str) -> list[Decision]:
        """All decisions on a claim, oldest first."""
        return list(self._all.get(claim, ()))

    def last_entry(self, claim: str) -> str:
        """Digest of the last entry on a claim, whether it counts or not; ``""`` if there is none."""
        entries = self._all.get(claim)
        return entries[-1].digest if entries else ""

    def edits(self) -> list[Decision]:
        """The decisions by which claims were replaced by claims with another text, as far as they count."""
        return [d for found in self._counting.values() for d in found[-1:] if d.edit is not None]

    def add(self, decision: Decision) -> None:
        """Take in one more entry, which must be a sound one (``check_entry``)."""
        self.decisions.append(decision)
        self._by_digest[decision.digest] = decision
        for parent in decision.parents:
            self._heads.pop(parent, None)
        self._heads[decision.digest] = None
        self._all.setdefault(decision.claim, []).append(decision)
        counting = self._counting.setdefault(decision.claim, [])
        if decision.action == UNDO:
            self._counting[decision.claim] = [d for d in counting if d.digest != decision.undoes]
        elif not _overruled(decision, counting):
            counting.append(decision)


def read_ledger(path: Path) -> Ledger:
    """Read and verify the ledger at ``path``; a file that does not exist is an empty ledger.

    A last line without its end is what a crash left of an entry that nobody was told is stored; it is passed over.

    Raises:
        ReviewError: a line is malformed, was changed, names a parent that does not stand above it, or takes a decision
            that the table of transitions forbids.
    """
    ledger = Ledger()
    if not path.exists():
        return ledger
    if path.stat().st_size > MAX_FILE_BYTES:
        raise ReviewError("the ledger is larger than 1 GiB", where=str(path), remedy="Check what wrote it")
    with path.open("rb") as stream:
        add_lines(ledger, stream, path)
    return ledger


def add_lines(ledger: Ledger, lines: Iterable[bytes], path: Path, first_line: int = 1) -> int:
    """Check ``lines`` and add them to ``ledger``; returns the number of bytes that hold whole entries.

    Raises:
        ReviewError: as ``read_ledger`` does.
    """
    taken = 0
    for number, line in enumerate(lines, first_line):
        if is_torn(line):
            break
        taken += len(line)
        if not line.strip():
            continue
        where = f"{path}:{number}"
        decision = _parsed(line, where)
        # Two branches that took the same commits over can both bring the same line; it is still one decision.
        if ledger.entry(decision.digest) is None:
            check_entry(ledger, decision, where)
            ledger.add(decision)
        elif decision.sealed().digest != decision.digest:
            raise _changed(where)
    return taken


def check_entry(ledger: Ledger, decision: Decision, where: str) -> None:
    """Whether ``decision`` may follow the entries of ``ledger``.

    Raises:
        ReviewError: code ``ledger-broken``.
    """
    if decision.digest != decision.sealed().digest:
        raise _changed(where)
    if any(ledger.entry(parent) is None for parent in decision.parents):
        raise _broken("an entry above this one is missing", where)
    if decision.action == UNDO:
        undone = ledger.entry(decision.undoes)
        if undone is None or undone.claim != decision.claim or undone.action == UNDO:
            raise _broken("the entry undoes something that is no decision on this claim", where)
    elif TRANSITIONS.get(decision.action, {}).get(decision.before) is not decision.after:
        raise _broken(f"'{decision.action}' cannot lead from {decision.before} to {decision.after}", where)
    if (decision.action == "edit") != (decision.edit is not None):
        raise _broken("an edit without a text, or a text without an edit", where)


def is_torn(line: bytes) -> bool:
    """Whether ``line`` is the beginning of an entry that was never written to its end."""
    if line.endswith(b"\n") or not line.startswith(b"{"):
        return False
    try:
        json.loads(line)
    except ValueError:
        return True
    return False


_RESTORE = "Restore the ledger from git; entries are added by commands, never edited"
_ALWAYS = ("claim", "action", "reviewer", "reason", "reviewed", "at", "digest")
_TEXTS = ("predecessor", "undoes", "valid_from", "valid_until")


def _overruled(decision: Decision, counting: list[Decision]) -> bool:
    """Whether a decision was taken without knowing of a rejection on another branch, which then holds."""
    return (
        bool(counting)
        and counting[-1].after is Status.DEPRECATED
        and decision.before is not Status.DEPRECATED
        and decision.after is not Status.DEPRECATED
    )


def _broken(message: str, where: str) -> ReviewError:
    return ReviewError(message, code="ledger-broken", where=where, remedy=_RESTORE)


def _changed(where: str) -> ReviewError:
    return _broken("the entry was changed after it was written", where)


def _parsed(line: bytes, where: str) -> Decision:
    if len(line) > MAX_LINE_BYTES:
        raise _broken(f"the line is longer than {MAX_LINE_BYTES} bytes", where)
    try:
        values: dict[str, Any] = json.loads(line)
        decision = Decision(
            **{
                **values,
                "before": Status(values["before"]),
                "after": Status(values["after"]),
                "parents": _strings(values["parents"]),
                "seen": _seen(values["seen"]) if "seen" in values else None,
                "edit": Edit(**values["edit"]) if "edit" in values else None,
            }
        )
        texts = [getattr(decision, name) for name in (*_ALWAYS, *_TEXTS)]
        if decision.edit is not None:
            texts += [decision.edit.id, decision.edit.text]
        if not all(isinstance(text, str) for text in texts):
            raise TypeError("a field is not a string")
        decision.line()  # what cannot be written as UTF-8 was never read by anybody
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise _broken(f"the line is not a ledger entry: {error}", where) from error
    return decision


def _seen(values: dict[str, Any]) -> Seen:
    seen = Seen(
        values["text"],
        _strings(values["quotes"]),
        _strings(values["context"]),
        values["document"],
        _strings(values["heading_path"]),
    )
    if len(values) != len(Seen.__slots__) or not isinstance(seen.text, str) or not isinstance(seen.document, str):
        raise TypeError("what was seen is not told in the known fields")
    return seen


def _strings(values: Any) -> tuple[str, ...]:
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise TypeError("a list of strings is expected")
    return tuple(values)
