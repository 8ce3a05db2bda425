"""Which value belongs to which subject: exchanged values, exchanged roles."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from aipk_core.verify.alignment import Alignment, related_words
from aipk_core.verify.analysis import KEPT, Analysis, Word
from aipk_core.verify.findings import Finding
from aipk_core.verify.identifiers import Identifier
from aipk_core.verify.lexicon.wordnet import Relation
from aipk_core.verify.quantities import Quantity


class _Item:
    """A word, quantity or identifier of a text; ``kind`` groups those that can stand for each other.

    Attributes:
        number: its place among the items of its text.
        value: a quantity or an identifier.
        named: a word that is a name.
        marks: it tells things apart: a name, a value, an identifier; without capitals, any word may be a name.
        subject: it can be what a clause is about.
    """

    __slots__ = ("end", "kind", "marks", "named", "number", "start", "subject", "thing", "value")

    def __init__(self, kind: str, thing: Word | Quantity | Identifier) -> None:
        self.start, self.end = thing.start, thing.end
        self.kind, self.thing = kind, thing
        self.number = 0
        self.value = not isinstance(thing, Word)
        self.named = isinstance(thing, Word) and thing.name
        self.marks = self.value or self.named or (isinstance(thing, Word) and not thing.norm.isascii())
        self.subject = (
            self.named or isinstance(thing, Identifier) or (isinstance(thing, Quantity) and thing.kind == "label")
        )

    def same(self, other: _Item) -> bool:
        mine, theirs = self.thing, other.thing
        if isinstance(mine, Word) and isinstance(theirs, Word):
            return mine.relation(theirs) >= Relation.DERIVED
        if isinstance(mine, Quantity) and isinstance(theirs, Quantity):
            return mine.same_as(theirs) and (mine.kind == "label") == (theirs.kind == "label")
        if isinstance(mine, Identifier) and isinstance(theirs, Identifier):
            return mine.norm.casefold() == theirs.norm.casefold()
        return False

    def opposes(self, other: _Item) -> bool:
        mine, theirs = self.thing, other.thing
        return isinstance(mine, Word) and isinstance(theirs, Word) and mine.relation(theirs) is Relation.OPPOSITE

    def rivals(self, other: _Item) -> bool:
        """Whether the two are of one kind and differ: two lengths, two part numbers, flood and ebb."""
        mine, theirs = self.thing, other.thing
        if isinstance(mine, Word) and isinstance(theirs, Word):
            if not (mine.norm.isascii() and theirs.norm.isascii()):
                return False
            return (mine.name and theirs.name) or mine.form.in_dictionary(theirs.form) in _EXCLUDE
        return self.kind == other.kind and not self.same(other)


_EXCLUDE = (Relation.OPPOSITE, Relation.SIBLING)
_SUBJECT = 3
"""Items at the start of a clause among which its subject is looked for."""


class _Clause(NamedTuple):
    """Items that stand together in one clause, and those that it takes over from the clauses before."""

    items: tuple[_Item, ...]
    inherited: tuple[_Item, ...]


class _Layout(NamedTuple):
    """The clauses of a text; for each item the clauses that have it, as bits, and those that begin with it.

    ``own`` says which items stand in a clause themselves; the others are headings.
    """

    items: tuple[_Item, ...]
    clauses: tuple[_Clause, ...]
    within: tuple[int, ...]
    leading: tuple[int, ...]
    own: tuple[bool, ...]


class _Group(NamedTuple):
    """A clause with its ``bit`` among the clauses compared; ``claim`` is -1 for the statement."""

    claim: int
    bit: int
    items: tuple[_Item, ...]
    inherited: tuple[_Item, ...]


class _Places:
    """Which items stand in which clauses here and there, worked out once; sets of clauses are bits of a number.

    Attributes:
        there: for each item of the statement the clauses of the claims that have it.
        leads: likewise, those that begin with it.
        here: for each item of the statement the clauses of the statement that have it.
    """

    def __init__(self, statement: Analysis, claims: Sequence[Analysis]) -> None:
        mine = layout_of(statement)
        self.mine = [_Group(-1, 1 << n, *clause) for n, clause in enumerate(mine.clauses)]
        self.theirs: list[_Group] = []
        self.there = [0] * len(mine.items)
        self.leads = [0] * len(mine.items)
        self._back: list[list[int]] = []
        for number, claim in enumerate(claims):
            layout = layout_of(claim)
            offset = len(self.theirs)
            self.theirs += [_Group(number, 1 << (offset + n), *clause) for n, clause in enumerate(layout.clauses)]
            back = [0] * len(layout.items)
            for i, j in same_items(statement, claim):
                if mine.own[i]:
                    self.there[i] |= layout.within[j] << offset
                    self.leads[i] |= layout.leading[j] << offset
                    back[j] |= mine.within[i]
            self._back.append(back)
        self.here = list(mine.within)
        for i, j in same_items(statement, statement):
            if mine.own[i] and mine.own[j]:
                self.here[i] |= mine.within[j]

    def groups(self, bits: int) -> list[_Group]:
        return [group for group in self.theirs if group.bit & bits]

    def back(self, claim: int, item: _Item) -> int:
        """The clauses of the statement that have this item of a claim."""
        return self._back[claim][item.number]


def check_binding(alignment: Alignment) -> Iterator[Finding]:
    if sum(len(layout_of(claim).clauses) for claim in alignment.claims) < 2:
        return
    places = _Places(alignment.statement, alignment.claims)
    there = places.there
    for group in places.mine:
        items = (*group.items, *group.inherited)
        for x in group.items:
            with_x = there[x.number]
            if not with_x:
                continue
            for y in items:
                with_y = there[y.number]
                if not with_y or with_x & with_y or x is y:
                    continue
                finding = _exchanged(alignment, places, x, y, group)
                if finding is not None:
                    yield finding
                    return


def _exchanged(alignment: Alignment, places: _Places, x: _Item, y: _Item, group: _Group) -> Finding | None:
    """``x`` stands with ``y`` here and apart from it in the claims; is it because the two were exchanged?"""
    with_y = places.groups(places.there[y.number])
    may_change = x.marks or y.marks or x.opposes(y)
    valued = x.value or y.value
    for there_x in places.groups(places.there[x.number]):
        for there_y in with_y:
            if may_change and _full_exchange(places, x, y, there_x, there_y, group):
                return _finding(x, y, there_x)
            if _replaced(places, x, there_x, there_y, group):
                return _finding(x, y, there_x)
            if there_x.claim != there_y.claim or not valued:
                continue
            if _of_another_time(alignment, places, x, y, there_x, there_y, group):
                return _finding(x, y, there_x)
            other_x = any(not places.back(there_y.claim, item) and item.rivals(x) for item in there_y.items)
            if not _told_by_both(alignment.statement.text, places, there_x, there_y, group):
                continue
            if other_x and any(
                not places.back(there_x.claim, item) & group.bit and item.rivals(y) for item in there_x.items
            ):
                return _finding(x, y, there_x)
    return None


_TOLD = 0.7


_UP_TO = re.compile(r"\b(?:by|before|after|since|until)\s$", re.IGNORECASE)


def _told_by_both(text: str, places: _Places, there_x: _Group, there_y: _Group, group: _Group) -> bool:
    """Whether the two clauses together have almost all of this one, and none of its values is a mere limit in time."""
    both = there_x.bit | there_y.bit
    told = sum(bool(places.there[item.number] & both) for item in group.items)
    return told >= _TOLD * len(group.items) and not any(
        isinstance(item.thing, Quantity) and (item.thing.bound or _UP_TO.search(text, 0, item.start))
        for item in group.items
    )


_ANOTHER_TIME = re.compile(
    r"\b(?:year|month|week|quarter|season|later|earlier|previous(?:ly)?|following|next|now|today|since|then)\b",
    re.IGNORECASE,
)


def _of_another_time(
    alignment: Alignment, places: _Places, x: _Item, y: _Item, there_x: _Group, there_y: _Group, group: _Group
) -> bool:
    """``97 % in 2022`` where the claim has 91 % in 2022 and 97 % elsewhere."""
    if not (isinstance(x.thing, Quantity) and isinstance(y.thing, Quantity) and y.thing.kind in ("date", "weekday")):
        return False
    if x.thing.kind not in ("measure", "count", "time") or x.thing.bound or not group.items:
        return False
    instead = any(not places.back(there_y.claim, item) and item.rivals(x) for item in there_y.items)
    told = sum(bool(places.there[item.number]) for item in group.items)
    elsewhere = alignment.claims[there_x.claim].text[there_x.items[0].start : there_x.items[-1].end + 20]
    dated = bool(_ANOTHER_TIME.search(elsewhere)) or any(item.rivals(y) for item in there_x.items)
    return (
        instead
        and dated
        and told >= _TOLD * len(group.items)
        and not _UP_TO.search(alignment.statement.text, 0, y.start)
    )


def _replaced(places: _Places, x: _Item, there_x: _Group, there_y: _Group, group: _Group) -> bool:
    """Whether everything else of the clause stands over there, where something of the kind of ``x`` stands in its place."""
    named = x.named
    rivals = [
        item
        for item in (*there_y.items, *(there_y.inherited if x.value or named else ()))
        if not places.back(there_y.claim, item) and _can_replace(item, x, named=named)
    ]
    if not rivals or (named and any(item.same(other) for item in rivals for other in _whole(places, there_x))):
        return False  # "the superintendent may …" and "Ann is superintendent": the rival is the bridge between the two
    others = [
        item
        for item in group.items
        if item is not x and places.there[item.number] and not (named and item.named) and not item.same(x)
    ]
    there = [item for item in others if places.there[item.number] & there_y.bit]
    if len(there) < 2 or len(there) * 4 < len(others) * 3:
        return False
    with_x = [
        item
        for item in others
        if places.there[item.number] & there_x.bit and not places.there[item.number] & there_y.bit
    ]
    return not with_x or (
        len(with_x) == 1 and len(there) >= 3 and isinstance(x.thing, Identifier)
    )  # "level A incidents"


def _can_replace(item: _Item, x: _Item, *, named: bool) -> bool:
    if x.value:
        return item.rivals(x)
    return item.named and not item.same(x) if named else item.opposes(x)


def _whole(places: _Places, group: _Group) -> list[_Item]:
    """Everything in the claim that ``group`` is a clause of."""
    return [item for other in places.theirs if other.claim == group.claim for item in other.items]


def _full_exchange(places: _Places, x: _Item, y: _Item, there_x: _Group, there_y: _Group, group: _Group) -> bool:
    """Whether another clause here pairs what the claims pair the other way round.

    A name changes places with a name, a value with anything, and the subject of one clause with that of another.
    """
    values = x.value or y.value or x.opposes(y)
    there = places.there
    for other in places.mine:
        if other is group:
            continue
        open_items = [item for item in other.items if not places.here[item.number] & group.bit]
        of_x = [i for i in open_items if there[i.number] & there_x.bit and not there[i.number] & there_y.bit]
        if not of_x:
            continue
        of_y = [i for i in open_items if there[i.number] & there_y.bit and not there[i.number] & there_x.bit]
        if not of_y:
            continue
        if values or (x.marks and any(item.marks for item in of_y)) or (y.marks and any(item.marks for item in of_x)):
            return True
        leading = x in group.items[:_SUBJECT] and places.leads[x.number] & there_x.bit
        if leading and any(item in other.items[:_SUBJECT] and places.leads[item.number] & there_y.bit for item in of_y):
            return True
    return False


def _finding(x: _Item, y: _Item, there_x: _Group) -> Finding:
    match = next(item for item in (*there_x.items, *there_x.inherited) if item.same(x))
    return Finding(
        "binding", f"a claim says “{_text(x)}” of something else than “{_text(y)}”", (x.start, x.end), there_x.claim,
        (match.start, match.end), True,
    )  # fmt: skip


def _text(item: _Item) -> str:
    thing = item.thing
    if isinstance(thing, Quantity):
        return f"{thing.noun} {thing.text}" if thing.kind == "label" else thing.text
    return thing.norm


_JOINED = re.compile(r"[\s,]*(?:and|but|or|und|et|y|и)\b", re.IGNORECASE)


@lru_cache(maxsize=KEPT)
def layout_of(analysis: Analysis) -> _Layout:
    """Clauses with what stands in them; headings ("Fares > Bicycles:") belong to every clause after them.

    A clause without a name of its own inherits those of the clause before.
    """
    clauses: list[_Clause] = []
    headings: tuple[_Item, ...] = ()
    all_items = _items(analysis)
    starts = [item.start for item in all_items]
    for start, end in _merged_clauses(analysis, starts):
        items = tuple(all_items[bisect_left(starts, start) : bisect_left(starts, end)])
        if not items:
            continue
        if analysis.text[start:end].rstrip().endswith((":", ">", "：")) and end < len(analysis.text):
            headings += items
            continue
        goes_on = not any(item.subject for item in items) or (
            not items[0].subject and bool(_JOINED.match(analysis.text, start))
        )
        inherited = headings
        if clauses and goes_on:
            before = clauses[-1]
            inherited += tuple(item for item in (*before.items, *before.inherited) if item.subject)
        clauses.append(_Clause(items, inherited))
    within, leading, own = [0] * len(all_items), [0] * len(all_items), [False] * len(all_items)
    for number, clause in enumerate(clauses):
        for item in clause.items:
            within[item.number] |= 1 << number
            own[item.number] = True
        for item in clause.inherited:
            within[item.number] |= 1 << number
        for item in clause.items[:_SUBJECT]:
            leading[item.number] |= 1 << number
    return _Layout(tuple(all_items), tuple(clauses), tuple(within), tuple(leading), tuple(own))


def same_items(mine: Analysis, theirs: Analysis) -> Iterator[tuple[int, int]]:
    """Numbers of the items of both that say the same."""
    here, there = layout_of(mine), layout_of(theirs)
    rows = related_words(mine, theirs)
    places = [item.number for item in there.items if not item.value]
    words = iter(rows)
    values = [item for item in there.items if item.value]
    for item in here.items:
        if not item.value:
            for number, relation in next(words):
                if relation >= Relation.DERIVED:
                    yield item.number, places[number]
        else:
            for other in values:
                if item.same(other):
                    yield item.number, other.number


def _merged_clauses(analysis: Analysis, starts: list[int]) -> list[tuple[int, int]]:
    """Clauses, each with at least two items: a lone one belongs to the clause before it."""
    text = analysis.text
    spans: list[tuple[int, int]] = []
    for start, end in analysis.clauses:
        if spans:
            before, stop = spans[-1]
            count = bisect_left(starts, end) - bisect_left(starts, start)
            previous = bisect_left(starts, stop) - bisect_left(starts, before)
            if (
                (count < 2 or previous < 2)
                and text[stop - 1] not in ";；。"
                and not text[before:stop].rstrip().endswith((":", ">", "："))
            ):
                spans[-1] = (before, end)
                continue
        spans.append((start, end))
    return spans


def _items(analysis: Analysis) -> list[_Item]:
    items = [_Item("word", word) for word in analysis.words]
    items += [_Item(f"label:{q.noun}" if q.kind == "label" else f"{q.kind}:{q.key}", q) for q in analysis.quantities]
    items += [_Item(f"id:{i.family}", i) for i in analysis.identifiers]
    items.sort(key=lambda item: item.start)
    for number, item in enumerate(items):
        item.number = number
    for item, after in pairwise(items):  # the first word of a sentence is part of the name that it begins
        if after.named and not item.value and after.start == item.end + 1 and analysis.text[item.start].isupper():
            item.named = item.marks = item.subject = True
    return items
