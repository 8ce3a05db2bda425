"""Which claims are decided ones whose sentence has moved: the same words under other headings, where they have another id.

A sentence that cannot be read alone takes its headings into its claim's id. When its page is moved, split or written anew
around it, the old id is gone, and what was decided must follow the words, to the letter:

- words that say something by themselves (six or more) are followed to wherever they stand now; of several places, to those
  that share most of the old headings;
- a label or a value ("Defaults to 1.", "false") means something only with its row or term: it is followed within its page
  and under the same term, column and row.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from aipk_core.claims.ledger import SEEN_TEXT, Decision, Ledger, Seen
from aipk_core.claims.model import Claim

_TELLING_WORDS = 6
_WORD = re.compile(r"\w+")
_GENERIC_FILES = frozenset({"index", "_index", "readme"})
NO_DECISION = frozenset({"edit", "reopen"})
"""Actions that leave nothing to follow: an edited claim has a decision of its own, a reopened one has none."""


Moves = Mapping[str, Sequence[Decision]]
"""Claim that nobody has decided on -> the decisions on what it was before its sentence moved. They agree; the last counts."""


def find_moves(claims: Sequence[Claim], ledger: Ledger) -> Moves:
    """The claims that bring decisions along.

    A sentence that stood once and was put in several places since takes its decision to all of them; one that stood in
    several places and stands in one now brings what was decided in each. A claim whose likest predecessors were decided
    on differently brings nothing.
    """
    wanted = _gone_by_text(claims, ledger)
    if not wanted:
        return {}
    candidates: dict[str, list[Claim]] = defaultdict(list)
    for claim in claims:
        if claim.engine != "edited" and claim.evidence and ledger.latest(claim.id) is None:
            for text in _spellings(claim) & wanted.keys():
                candidates[text].append(claim)
    offers: dict[str, list[tuple[int, Decision]]] = defaultdict(list)
    for text, found in candidates.items():
        for decision in wanted[text]:
            for score, claim in _places(text, decision.seen, found):
                offers[claim.id].append((score, decision))
    agreed = {name: _agreed(some) for name, some in offers.items()}
    return {name: decisions for name, decisions in agreed.items() if decisions}


def file_name(document: str) -> str:
    """What a document keeps when its folder is renamed; empty when the name says nothing (``index.md``)."""
    name = document.rpartition("/")[2].partition(".")[0].casefold()
    return "" if name in _GENERIC_FILES else name


def _gone_by_text(claims: Iterable[Claim], ledger: Ledger) -> dict[str, list[Decision]]:
    """Text -> the counting decisions on claims that are gone, oldest first, without those that a later one continues."""
    present = {claim.id for claim in claims}
    gone = {}
    for name in ledger.claims():
        decision = ledger.latest(name)
        if decision is not None and name not in present and decision.action not in NO_DECISION:
            gone[name] = decision
    for decision in list(gone.values()):
        gone.pop(decision.predecessor, None)
    by_text: dict[str, list[Decision]] = defaultdict(list)
    for decision in gone.values():
        # A text that was cut when it was noted could be another one.
        if decision.seen is not None and 0 < len(decision.seen.text) < SEEN_TEXT:
            by_text[" ".join(decision.seen.text.split())].append(decision)
    return by_text


def _spellings(claim: Claim) -> set[str]:
    """The claim's text and, where it stands for several that differ in case or punctuation only, theirs."""
    own = " ".join(claim.text.split())
    words = _WORD.findall(own.casefold())
    quotes = {" ".join(place.quote.split()) for place in claim.evidence} - {own}
    return {own, *(quote for quote in quotes if _WORD.findall(quote.casefold()) == words)}


def _places(text: str, seen: Seen | None, claims: Sequence[Claim]) -> list[tuple[int, Claim]]:
    """The claims among ``claims``, all with the same text, that are the one that was seen; and how much they share."""
    assert seen is not None
    if len(text.split()) < _TELLING_WORDS:
        claims = [claim for claim in claims if _same_row(seen, claim) and _same_page(seen, claim)]
    scored = [(_shared(seen, claim), claim) for claim in claims]
    best = max((score for score, _ in scored), default=0)
    return [(score, claim) for score, claim in scored if score == best]


def _shared(seen: Seen, claim: Claim) -> int:
    """How many headings, terms and lead-ins both have, and one more for the same file name."""
    theirs = set(map(_folded, claim.context))
    theirs.update(_folded(part) for place in claim.evidence for part in place.heading_path)
    mine = set(map(_folded, (*seen.context, *seen.heading_path)))
    return len(mine & theirs) + _same_file(seen, claim)


def _same_file(seen: Seen, claim: Claim) -> bool:
    if any(place.document == seen.document for place in claim.evidence):
        return True
    name = file_name(seen.document)
    return bool(name) and any(file_name(place.document) == name for place in claim.evidence)


def _same_page(seen: Seen, claim: Claim) -> bool:
    return _same_file(seen, claim) or (
        bool(seen.context and claim.context) and _folded(seen.context[0]) == _folded(claim.context[0])
    )


def _same_row(seen: Seen, claim: Claim) -> bool:
    """Whether the term of an item, or the row and the column of a cell, are the same."""
    parts = 2 if claim.kind == "row" else 1
    if min(len(seen.context), len(claim.context)) < parts:
        return False
    return [_folded(part) for part in seen.context[-parts:]] == [_folded(part) for part in claim.context[-parts:]]


def _agreed(offers: list[tuple[int, Decision]]) -> list[Decision]:
    best = max(score for score, _ in offers)
    outcomes = {decision.after for score, decision in offers if score == best}
    offers = sorted(offers, key=lambda offer: offer[0])  # the likest last; of equally like ones the latest
    return [decision for _, decision in offers if {decision.after} == outcomes]


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
