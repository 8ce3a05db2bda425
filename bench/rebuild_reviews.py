"""Do review decisions outlive changes of the source? Decided by the review queue, judged from the texts alone.

At the first state a named reviewer decides on a sample of claims: of sentences that a later state edits, and of pages that
a later state edits, moves, drops or leaves alone. After each change every decided claim has one of these fates, found without the code under test:

- **stands**: a sentence of some page is, but for white space, the claim's source sentence. A label or value of fewer than six
  words ("false") stands when it does so in a file of the same name under the same heading, column, row and lead-in, and is
  counted apart;
- **edited**: it stands nowhere, and on its page (or the page that took the place of its page) a sentence that was not there
  before is at least 0.6 like it by ``difflib`` over words, and of all sentences that vanished from the page none that is
  liker to that one takes it;
- **gone**: anything else.
"""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from rebuild_state import Label, State, folded, is_label

from aipk_core.claims.model import Claim
from aipk_core.claims.policy import Policy
from aipk_core.claims.queue import ALL, Filter, Order, ReviewQueue
from aipk_core.review.desk import ReviewDesk
from aipk_core.review.records import difference_record

REVIEWER = "Marta Brandt"
ACTIONS = ("promote", "promote", "promote", "reject", "review")
NEAR = 0.6
_SAME_PAGE = 0.3
_SHOWN = 12
SENTENCE, PAGE, MOVED, ALONE = FATES = ("sentence edited", "page edited", "page moved or dropped", "page left alone")


@dataclass(frozen=True)
class Decided:
    """A claim that was decided on: its source sentence, page and place then, and where the review stood after that."""

    claim: str
    quote: str
    page: str
    status: str
    start: int = 0


@dataclass
class Outcome:
    """What became of the decisions after one step.

    Attributes:
        stand, kept: claims whose sentence stands, and those of them that keep their decision.
        labels, labels_kept: the same of labels and values.
        edited, offered: claims whose sentence was edited, and those that are offered as a linked successor with a diff.
        right: of the offered, those whose successor is the sentence that ``difflib`` finds.
        gone: claims of neither kind.
        missed: some of those not kept or not offered, with the reason.
    """

    stand: int = 0
    kept: int = 0
    labels: int = 0
    labels_kept: int = 0
    edited: int = 0
    offered: int = 0
    right: int = 0
    gone: int = 0
    why: Counter[str] = field(default_factory=Counter)
    missed: list[dict[str, Any]] = field(default_factory=list)


class Fates:
    """What later states do to the page files of the first one, to choose a sample by; found from the raw files alone."""

    def __init__(self, states: Sequence[Path]) -> None:
        self._states = states
        self._words: dict[str, list[str]] = {}

    def of(self, page: str, quote: str) -> str:
        """The fate of a sentence, from its page file's own words; a sentence that shortcodes are part of follows its page."""
        files = [state / page for state in self._states]
        if not all(file.is_file() for file in files):
            return MOVED
        if page not in self._words:
            self._words[page] = [_spaced(file.read_text()) for file in files]
        first, *later = self._words[page]
        if all(text == first for text in later):
            return ALONE
        words = _spaced(quote)
        return SENTENCE if words in first and not all(words in text for text in later) else PAGE


def _spaced(text: str) -> str:
    return f" {' '.join(re.findall(_WORD, text))} "


_WORD = r"\w+"


def decide_sample(corpus: Path, fates: Fates, each: int, seed: int = 1) -> list[Decided]:
    """Decide on up to ``each`` claims of every kind of page, by the queue that commands and page use.

    The queue gets the policy ``manual``, so that claims which the corpus's policy would take at once are decided as well.
    """
    desk = ReviewDesk(corpus)
    claims = [desk.queue.claim(name) for name in sorted(desk.queue.select(Filter(ALL)))]
    queue = ReviewQueue(claims, desk.pairs, desk.queue.file, Policy())
    chance = random.Random(seed)
    groups: dict[str, list[Claim]] = defaultdict(list)
    for claim in claims:
        if claim.evidence:
            groups[fates.of(claim.evidence[0].document, claim.evidence[0].quote)].append(claim)
    chosen = [claim for name in FATES for claim in _some(chance, groups[name], each)]
    orders = []
    for number, claim in enumerate(chosen):
        action = ACTIONS[number % len(ACTIONS)]
        orders.append(Order(claim.id, action, reason="It is out of scope here" if action == "reject" else ""))
    for first in range(0, len(orders), _AT_ONCE):
        queue.decide(orders[first : first + _AT_ONCE], REVIEWER)
    return [
        Decided(
            claim.id,
            folded(claim.evidence[0].quote),
            claim.evidence[0].document,
            str(queue.entry(claim.id).standing.status),
            claim.evidence[0].start,
        )
        for claim in chosen
    ]


_AT_ONCE = 100


def judge(corpus: Path, decided: Sequence[Decided], first: State, now: State) -> Outcome:
    """What became of the decisions, in the state that the last build has left."""
    desk = ReviewDesk(corpus)
    queue = desk.queue
    successor_of = {found.predecessor: name for name, found in queue.gate.successions.items()}
    stands = now.sentences
    labels = {_label(name, one) for name, page in now.pages.items() for one in page.labels.values()}
    standings = _by_quote(queue)
    moved = _moved_here(queue)
    edits = _Edits(first, now)
    outcome = Outcome()
    for one in decided:
        label = is_label(one.quote)
        if _label(one.page, first.pages[one.page].labels[one.start]) in labels if label else one.quote in stands:
            fault = "" if (one.quote, one.status) in moved else _lost(queue, one)
            if label:
                outcome.labels += 1
                outcome.labels_kept += not fault
            else:
                outcome.stand += 1
                outcome.kept += not fault
            if fault:
                fault = f"label: {fault}" if label else fault
                linked = one.claim in successor_of
                _note(outcome, one, f"{fault}{', but is offered as a successor' if linked else ''}", one.quote)
            continue
        text = edits.of(one)
        if not text:
            outcome.gone += 1
            continue
        outcome.edited += 1
        name = successor_of.get(one.claim, "")
        difference = difference_record(queue, name) if name else None
        if difference is None:
            standing = standings.get(text)
            why = f"the new sentence is a claim, {standing}" if standing else "the new sentence is no claim"
            _note(outcome, one, why, text)
        elif any(kind != "same" for kind, _ in difference["pieces"]):
            outcome.offered += 1
            outcome.right += folded(queue.entry(name).claim.evidence[0].quote) == text
        else:
            _note(outcome, one, "the difference shows nothing", text)
    return outcome


class _Edits:
    """Which sentence of now took the place of a sentence of then, by ``difflib`` over each page's sentences."""

    def __init__(self, first: State, now: State) -> None:
        self._first, self._now = first, now
        self._everywhere = now.sentences
        self._moved = _moved_pages(first, now)
        self._pages: dict[str, dict[str, str]] = {}

    def of(self, one: Decided) -> str:
        if one.page not in self._pages:
            self._pages[one.page] = self._matched(one.page)
        return self._pages[one.page].get(one.quote, "")

    def _matched(self, name: str) -> dict[str, str]:
        now = self._now.pages.get(self._moved.get(name, name))
        if now is None:
            return {}
        then = self._first.pages[name]
        gone = [text for text in dict.fromkeys(then.readable) if text not in self._everywhere]
        old = set(then.sentences)
        fresh = [text for text in dict.fromkeys(now.readable) if text not in old]
        pairs = [(_likeness(a, b), a, b) for a in gone for b in fresh]
        found: dict[str, str] = {}
        taken: set[str] = set()
        for likeness, a, b in sorted(pairs, reverse=True):
            if likeness >= NEAR and a not in found and b not in taken:
                found[a] = b
                taken.add(b)
        return found


def _moved_pages(first: State, now: State) -> dict[str, str]:
    """Pages that are gone -> the new page that shares most of their sentences, if that is a good part of them."""
    fresh = {name: set(page.readable) for name, page in now.pages.items() if name not in first.pages}
    holders: dict[str, list[str]] = defaultdict(list)
    for name, sentences in fresh.items():
        for sentence in sentences:
            holders[sentence].append(name)
    moved = {}
    for name, page in first.pages.items():
        if name in now.pages:
            continue
        shared = Counter(holder for sentence in set(page.readable) for holder in holders.get(sentence, ()))
        for best, count in sorted(shared.items(), key=lambda item: (-item[1], item[0]))[:1]:
            if count >= _SAME_PAGE * min(len(set(page.readable)), len(fresh[best])):
                moved[name] = best
    return moved


def _lost(queue: ReviewQueue, one: Decided) -> str:
    """Why a decision does not count any more; empty when it does."""
    if one.claim not in queue:
        return "its claim is no more"
    standing = queue.entry(one.claim).standing
    if standing.why == "decided" and str(standing.status) == one.status:
        return ""
    return f"its claim is {standing.status} ({standing.why})"


def _by_quote(queue: ReviewQueue) -> dict[str, str]:
    """Source sentence -> how its claim stands."""
    entries = [queue.entry(name) for name in queue.select(Filter(ALL))]
    return {folded(place.quote): entry.standing.why for entry in entries for place in entry.claim.evidence}


def _label(page: str, label: Label) -> Label:
    return (page.rpartition("/")[2], *label)


def _moved_here(queue: ReviewQueue) -> set[tuple[str, str]]:
    """Source sentence and status of the claims that stand as decided because of an earlier place of their sentence."""
    entries = [queue.entry(name) for name in queue.select(Filter(ALL))]
    moved = [entry for entry in entries if entry.standing.predecessor and entry.standing.why == "decided"]
    return {(folded(place.quote), str(entry.standing.status)) for entry in moved for place in entry.claim.evidence}


def _note(outcome: Outcome, one: Decided, why: str, text: str) -> None:
    outcome.why[why] += 1
    if outcome.why[why] <= _SHOWN:
        outcome.missed.append({"claim": one.claim, "page": one.page, "why": why, "was": one.quote, "is": text})


def _likeness(one: str, other: str) -> float:
    a, b = one.split(), other.split()
    matcher = SequenceMatcher(None, a, b, autojunk=False)
    # The quick bounds first: most pairs of sentences have little in common.
    if matcher.real_quick_ratio() < NEAR or matcher.quick_ratio() < NEAR:
        return 0.0
    return matcher.ratio()


def _some(chance: random.Random, claims: list[Claim], number: int) -> Iterable[Claim]:
    return sorted(chance.sample(claims, min(number, len(claims))), key=lambda claim: claim.id)
