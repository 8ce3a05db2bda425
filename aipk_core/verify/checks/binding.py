"""Which value belongs to which subject: exchanged values, exchanged roles."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from aipk_core.verify.alignment import Alignment, word_relation
from aipk_core.verify.analysis import Analysis, Word
from aipk_core.verify.findings import Finding
from aipk_core.verify.identifiers import Identifier
from aipk_core.verify.lexicon.wordnet import Relation, wordnet
from aipk_core.verify.quantities import Quantity


@dataclass(frozen=True, slots=True)
class _Item:
    """A word, quantity or identifier of a text; ``kind`` groups those that can stand for each other."""

    start: int
    end: int
    kind: str
    thing: Word | Quantity | Identifier

    def same(self, other: _Item) -> bool:
        mine, theirs = self.thing, other.thing
        if isinstance(mine, Word) and isinstance(theirs, Word):
            return word_relation(mine.stem, mine.norm, theirs.stem, theirs.norm) >= Relation.DERIVED
        if isinstance(mine, Quantity) and isinstance(theirs, Quantity):
            return mine.same_as(theirs) and (mine.kind == "label") == (theirs.kind == "label")
        if isinstance(mine, Identifier) and isinstance(theirs, Identifier):
            return mine.norm.casefold() == theirs.norm.casefold()
        return False

    def opposes(self, other: _Item) -> bool:
        mine, theirs = self.thing, other.thing
        return (
            isinstance(mine, Word)
            and isinstance(theirs, Word)
            and word_relation(mine.stem, mine.norm, theirs.stem, theirs.norm) is Relation.OPPOSITE
        )

    def rivals(self, other: _Item) -> bool:
        """Whether the two are of one kind and differ: two lengths, two part numbers, flood and ebb."""
        mine, theirs = self.thing, other.thing
        if isinstance(mine, Word) and isinstance(theirs, Word):
            if not (mine.norm.isascii() and theirs.norm.isascii()):
                return False
            return wordnet().relation(mine.norm, theirs.norm) in (Relation.OPPOSITE, Relation.SIBLING) or (
                mine.name and theirs.name
            )
        return self.kind == other.kind and not self.same(other)


@dataclass(frozen=True, slots=True, eq=False)
class _Group:
    """Items that stand together in one clause; ``claim`` is -1 for the statement."""

    claim: int
    items: tuple[_Item, ...]
    inherited: tuple[_Item, ...] = ()


class _Places:
    """Which items of the statement stand in which clauses, worked out once."""

    def __init__(self, mine: list[_Group], theirs: list[_Group]) -> None:
        self.mine, self.theirs = mine, theirs
        here = list({id(item): item for group in mine for item in group.items}.values())
        there = list({id(item): item for group in theirs for item in (*group.items, *group.inherited)}.values())
        self._same = {(id(a), id(b)) for a in here for b in there if a.same(b)}
        self._same |= {(b, a) for a, b in self._same}
        self._same |= {(id(a), id(b)) for a in here for b in here if a is b or a.same(b)}
        self._memory: dict[tuple[int, int], bool] = {}

    def has(self, group: _Group, item: _Item) -> bool:
        key = (id(group), id(item))
        if key not in self._memory:
            self._memory[key] = any(
                other is item or (id(item), id(other)) in self._same for other in (*group.items, *group.inherited)
            )
        return self._memory[key]

    def leads(self, group: _Group, item: _Item) -> bool:
        """Whether ``item`` stands at the start of ``group``, where its subject is."""
        return any((id(item), id(other)) in self._same for other in group.items[:_SUBJECT])

    def anywhere(self, item: _Item) -> bool:
        return any(self.has(group, item) for group in self.theirs)

    def in_statement(self, item: _Item) -> bool:
        return any(self.has(group, item) for group in self.mine)


def check_binding(alignment: Alignment) -> Iterator[Finding]:
    mine = _groups(alignment.statement, -1)
    theirs = [group for number, claim in enumerate(alignment.claims) for group in _groups(claim, number)]
    if len(theirs) < 2:
        return
    places = _Places(mine, theirs)
    for group in mine:
        items = (*group.items, *group.inherited)
        for x in group.items:
            with_x = [g for g in theirs if places.has(g, x)]
            if not with_x:
                continue
            for y in items:
                if x is y:
                    continue
                with_y = [g for g in theirs if places.has(g, y)]
                if not with_y or any(g in with_y for g in with_x):
                    continue
                finding = _exchanged(places, x, y, with_x, with_y, group)
                if finding is not None:
                    yield finding
                    return


def _exchanged(
    places: _Places, x: _Item, y: _Item, with_x: list[_Group], with_y: list[_Group], group: _Group
) -> Finding | None:
    """``x`` stands with ``y`` here and apart from it in the claims; is it because the two were exchanged?"""
    for there_x in with_x:
        for there_y in with_y:
            if (_marks(x) or _marks(y) or x.opposes(y)) and _full_exchange(places, x, y, there_x, there_y, group):
                return _finding(x, y, there_x)
            if _replaced(places, x, there_x, there_y, group):
                return _finding(x, y, there_x)
            if there_x.claim != there_y.claim or not (_is_value(x) or _is_value(y)):
                continue
            other_x = any(item.rivals(x) and not places.in_statement(item) for item in there_y.items)
            if other_x and any(item.rivals(y) and not places.has(group, item) for item in there_x.items):
                return _finding(x, y, there_x)
    return None


def _replaced(places: _Places, x: _Item, there_x: _Group, there_y: _Group, group: _Group) -> bool:
    """Whether everything else of the clause stands over there, where something of the kind of ``x`` stands in its place."""
    named = isinstance(x.thing, Word) and x.thing.name
    rivals = [item for item in (*there_y.items, *there_y.inherited) if _can_replace(item, x, named=named)]
    rivals = [item for item in rivals if not places.in_statement(item)]
    if not rivals or (named and any(item.same(other) for item in rivals for other in _whole(places, there_x))):
        return False  # "the superintendent may …" and "Ann is superintendent": the rival is the bridge between the two
    others = [
        item
        for item in group.items
        if item is not x and not item.same(x) and not (named and _is_name(item)) and places.anywhere(item)
    ]
    there = [item for item in others if places.has(there_y, item)]
    if len(there) < 2 or len(there) * 4 < len(others) * 3:
        return False
    with_x = [item for item in others if places.has(there_x, item) and not places.has(there_y, item)]
    return not with_x or (
        len(with_x) == 1 and len(there) >= 3 and isinstance(x.thing, Identifier)
    )  # "level A incidents"


def _can_replace(item: _Item, x: _Item, *, named: bool) -> bool:
    if _is_value(x):
        return item.rivals(x)
    return _is_name(item) and not item.same(x) if named else item.opposes(x)


def _whole(places: _Places, group: _Group) -> list[_Item]:
    """Everything in the claim that ``group`` is a clause of."""
    return [item for other in places.theirs if other.claim == group.claim for item in other.items]


def _is_name(item: _Item) -> bool:
    return isinstance(item.thing, Word) and item.thing.name


_SUBJECT = 3
"""Items at the start of a clause among which its subject is looked for."""
_JOINED = re.compile(r"[\s,]*(?:and|but|or|und|et|y|и)\b", re.IGNORECASE)


def _marks(item: _Item) -> bool:
    """Whether an item tells things apart: a name, a value, an identifier; without capitals, any word may be a name."""
    return _is_value(item) or (isinstance(item.thing, Word) and (item.thing.name or not item.thing.norm.isascii()))


def _is_value(item: _Item) -> bool:
    return isinstance(item.thing, Quantity | Identifier)


def _full_exchange(places: _Places, x: _Item, y: _Item, there_x: _Group, there_y: _Group, group: _Group) -> bool:
    """Whether another clause here pairs what the claims pair the other way round.

    A name changes places with a name, a value with anything, and the subject of one clause with that of another.
    """
    values = _is_value(x) or _is_value(y) or x.opposes(y)
    for other in places.mine:
        if other is group:
            continue
        open_items = [item for item in other.items if not places.has(group, item)]
        of_x = [item for item in open_items if places.has(there_x, item) and not places.has(there_y, item)]
        of_y = [item for item in open_items if places.has(there_y, item) and not places.has(there_x, item)]
        if not (of_x and of_y):
            continue
        if values or (_marks(x) and any(map(_marks, of_y))) or (_marks(y) and any(map(_marks, of_x))):
            return True
        leading = x in group.items[:_SUBJECT] and places.leads(there_x, x)
        if leading and any(item in other.items[:_SUBJECT] and places.leads(there_y, item) for item in of_y):
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


def _groups(analysis: Analysis, claim: int) -> list[_Group]:
    """Clauses with what stands in them; headings ("Fares > Bicycles:") belong to every clause after them.

    A clause without a name of its own inherits those of the clause before.
    """
    groups: list[_Group] = []
    headings: tuple[_Item, ...] = ()
    all_items = _items(analysis)
    for start, end in _merged_clauses(analysis, all_items):
        items = tuple(item for item in all_items if start <= item.start < end)
        if not items:
            continue
        if analysis.text[start:end].rstrip().endswith((":", ">", "：")) and end < len(analysis.text):
            headings += items
            continue
        goes_on = not any(_is_subject_like(item) for item in items) or (
            not _is_subject_like(items[0]) and bool(_JOINED.match(analysis.text, start))
        )
        inherited = headings
        if groups and goes_on:
            before = groups[-1]
            inherited += tuple(item for item in (*before.items, *before.inherited) if _is_subject_like(item))
        groups.append(_Group(claim, items, inherited))
    return groups


def _merged_clauses(analysis: Analysis, items: list[_Item]) -> list[tuple[int, int]]:
    """Clauses, each with at least two items: a lone one belongs to the clause before it."""
    spans: list[tuple[int, int]] = []
    for start, end in analysis.clauses:
        count = sum(start <= item.start < end for item in items)
        previous = sum(spans[-1][0] <= item.start < spans[-1][1] for item in items) if spans else 0
        heading = bool(spans) and analysis.text[spans[-1][0] : spans[-1][1]].rstrip().endswith((":", ">", "："))
        if spans and not heading and (count < 2 or previous < 2) and analysis.text[spans[-1][1] - 1] not in ";；。":
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
    return spans


def _items(analysis: Analysis) -> list[_Item]:
    items = [_Item(word.start, word.end, "word", word) for word in analysis.words]
    items += [
        _Item(q.start, q.end, f"label:{q.noun}" if q.kind == "label" else f"{q.kind}:{q.key}", q)
        for q in analysis.quantities
    ]
    items += [_Item(i.start, i.end, f"id:{i.family}", i) for i in analysis.identifiers]
    return sorted(items, key=lambda item: item.start)


def _is_subject_like(item: _Item) -> bool:
    thing = item.thing
    if isinstance(thing, Word):
        return thing.name
    return isinstance(thing, Identifier) or thing.kind == "label"
