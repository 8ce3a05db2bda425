"""Which new claim continues one that was decided on and whose sentence was edited in the source.

An edited sentence is a new claim with a new id; the decision on the old one says nothing of it. But a person who reads
the new one should see what was decided on the old one, and what changed.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from aipk_core.claims.ledger import Decision, Ledger, Seen
from aipk_core.claims.model import Claim, Status
from aipk_core.claims.moves import NO_DECISION, Moves, file_name, find_moves

_WORD = re.compile(r"\w+")
_MIN_OVERLAP = 0.4
_MIN_LIKENESS = 0.6
_MAX_CANDIDATES = 200


@dataclass(frozen=True, slots=True)
class Succession:
    """A claim that seems to continue an earlier one.

    Attributes:
        successor: id of the new claim.
        predecessor: id of the old one, which the sources no longer hold.
        decision: the decision that counted for the old one; its ``seen`` has the old text.
        likeness: of the words of both texts, 0..1.
    """

    successor: str
    predecessor: str
    decision: Decision
    likeness: float


def find_successions(claims: Sequence[Claim], ledger: Ledger, moves: Moves | None = None) -> dict[str, Succession]:
    """New claim -> what it seems to continue; each old claim has one successor at most.

    Candidates are claims that nobody has decided on, in the same document, in one of the same file name, or under the same
    heading (a document may have been renamed, a section moved), whose words are alike enough. What has only moved,
    unchanged, is no succession.

    Args:
        moves: what ``find_moves`` says of the same claims; found here when not given.
    """
    moves = find_moves(claims, ledger) if moves is None else moves
    gone = gone_decisions(claims, ledger, moves)
    if not gone:
        return {}
    near = _Near(gone, [claim for claim in claims if claim.id not in moves and ledger.latest(claim.id) is None])
    matches: list[Succession] = []
    for decision in gone:
        if decision.seen is not None:
            matches.extend(_matches(decision, decision.seen, near))
    matches.sort(key=lambda match: (-match.likeness, match.predecessor, match.successor))
    found: dict[str, Succession] = {}
    taken: set[str] = set()
    for match in matches:
        if match.successor not in found and match.predecessor not in taken:
            found[match.successor] = match
            taken.add(match.predecessor)
    return found


def gone_decisions(claims: Sequence[Claim], ledger: Ledger, moves: Moves | None = None) -> list[Decision]:
    """The counting decisions on claims that the sources no longer hold and that no other claim continues."""
    moves = find_moves(claims, ledger) if moves is None else moves
    present = {claim.id for claim in claims}
    continued = {decision.predecessor for decision in ledger.decisions if decision.predecessor}
    continued.update(decision.claim for decisions in moves.values() for decision in decisions)
    decisions = []
    for claim in ledger.claims():
        decision = ledger.latest(claim)
        if decision is None or claim in present or claim in continued:
            continue
        if decision.action not in NO_DECISION:
            decisions.append(decision)
    return decisions


def was_rejected(succession: Succession) -> bool:
    return succession.decision.after is Status.DEPRECATED


class _Near:
    """The claims that may continue one of the ``gone``, found by document, file name, heading or text."""

    def __init__(self, gone: Iterable[Decision], claims: Iterable[Claim]) -> None:
        self._by_key: dict[_Key, list[Claim]] = defaultdict(list)
        self._words: dict[str, frozenset[str]] = {}
        wanted = {key for decision in gone if decision.seen for key in _keys_of_seen(decision.seen)}
        for claim in claims:
            for key in _keys_of_claim(claim) & wanted:
                self._by_key[key].append(claim)

    def to(self, seen: Seen) -> Iterator[tuple[Claim, frozenset[str]]]:
        """Each claim once, with its words."""
        found: dict[str, Claim] = {}
        for key in _keys_of_seen(seen):
            found.update((claim.id, claim) for claim in self._by_key.get(key, ()))
        for name, claim in found.items():
            if name not in self._words:
                self._words[name] = frozenset(_words(claim.text))
            yield claim, self._words[name]


_Key = tuple[str, str]


def _keys_of_seen(seen: Seen) -> set[_Key]:
    return {("text", " ".join(seen.text.split())), *_keys(seen.document, seen.heading_path)}


def _keys_of_claim(claim: Claim) -> set[_Key]:
    places = {key for place in claim.evidence for key in _keys(place.document, place.heading_path)}
    return places | {("text", " ".join(claim.text.split()))} if places else set()


def _keys(document: str, headings: Sequence[str]) -> Iterator[_Key]:
    yield "document", document
    yield "heading", _heading(headings)
    if name := file_name(document):
        yield "file", name


def _matches(decision: Decision, seen: Seen, near: _Near) -> list[Succession]:
    old = _words(seen.text)
    distinct = set(old)
    candidates: list[tuple[float, Claim]] = []
    for claim, words in near.to(seen):
        overlap = len(distinct & words) / max(1, max(len(distinct), len(words)))
        if overlap >= _MIN_OVERLAP:
            candidates.append((overlap, claim))
    best = sorted(candidates, key=lambda item: (-item[0], item[1].id))[:_MAX_CANDIDATES]
    matches = []
    for _, claim in best:
        likeness = SequenceMatcher(None, old, _words(claim.text), autojunk=False).ratio()
        if likeness >= _MIN_LIKENESS:
            matches.append(Succession(claim.id, decision.claim, decision, likeness))
    return matches


def _heading(path: Sequence[str]) -> str:
    return " ".join(" > ".join(path[-2:]).casefold().split())


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())
