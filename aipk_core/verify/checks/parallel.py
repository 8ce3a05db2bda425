"""Rows of one pattern: what the claims pair in two like clauses, a statement must not pair crosswise.

"The bookshop is on Rope Street and the café on Anchor Lane" has two rows with two slots each, bookshop | café and
Rope Street | Anchor Lane. A clause that has the café with Rope Street, and neither of their partners, contradicts it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

from aipk_core.verify.alignment import Alignment
from aipk_core.verify.analysis import KEPT, Analysis
from aipk_core.verify.checks.binding import layout_of, same_items
from aipk_core.verify.checks.polarity import sign_of
from aipk_core.verify.findings import Finding
from aipk_core.verify.lexicon import cues
from aipk_core.verify.quantities import Quantity
from aipk_core.verify.segments import Segment, segments_of

_MOST_ROWS = 24
_MOST_ITEMS = 12
"""Items of a row: longer clauses are no rows of a pattern."""
_COVERED = 0.7
"""Share of the statement's clause that the claims of the two rows must have."""
_COMPARES = re.compile(
    r"\b(?:than|respectively|instead|rather|between|same|like|unlike|compared|difference|differ|or|either|neither|nor|"
    r"by|until|before|after|except|only)\b",
    re.IGNORECASE,
)
"""Words with which a clause may speak of both rows at once."""
_BOTH = re.compile(r"\bboth\b", re.IGNORECASE)


class _Row(NamedTuple):
    """A clause of claim number ``claim``: its span and the numbers of its items, from ``first`` up to ``last``."""

    claim: int
    analysis: Analysis
    start: int
    end: int
    first: int
    last: int


class _Hit(NamedTuple):
    """An item of the statement that stands in a slot of one of the two rows (0 or 1)."""

    item: int
    slot: int
    row: int


def check_parallel(alignment: Alignment) -> Iterator[Finding]:
    statement = alignment.statement
    if statement.lang not in ("en", "de", "fr", "es", "ru"):
        return
    rows = [_Row(n, claim, *span) for n, claim in enumerate(alignment.claims) for span in _rows(claim)]
    if not 2 <= len(rows) <= _MOST_ROWS:
        return
    found = [_found_in(row, statement) for row in rows]
    for (a, mine), (b, theirs) in combinations(enumerate(found), 2):
        if not (mine.keys() - theirs.keys() and theirs.keys() - mine.keys()):
            continue
        finding = _crossed(statement, (rows[a], rows[b]), (mine, theirs))
        if finding is not None:
            yield finding
            return


def _found_in(row: _Row, statement: Analysis) -> dict[int, set[int]]:
    """Items of the statement that the row has, each with the numbers of their equals in its claim."""
    found: dict[int, set[int]] = {}
    for mine, theirs in _same(statement, row.analysis):
        if row.first <= theirs < row.last:
            found.setdefault(mine, set()).add(theirs)
    return found


@lru_cache(maxsize=256)
def _same(statement: Analysis, claim: Analysis) -> tuple[tuple[int, int], ...]:
    return tuple(same_items(statement, claim))


def _crossed(
    statement: Analysis, rows: tuple[_Row, _Row], found: tuple[dict[int, set[int]], dict[int, set[int]]]
) -> Finding | None:
    slots = _slots(rows[0].analysis, rows[0][2:], rows[1].analysis, rows[1][2:])
    if len(slots) < 2:
        return None
    hits = []
    for row in (0, 1):
        for item, places in found[row].items():
            if item in found[1 - row]:
                continue
            hits += [_Hit(item, number, row) for number, slot in enumerate(slots) if places & slot[row]]
    counted = Counter(place for row in (0, 1) for item in found[row] for place in _places(found, row, item))
    hits = sorted(hit for hit in hits if all(counted[p] == 1 for p in _places(found, hit.row, hit.item)))
    known = frozenset(mine for row in rows for mine, _ in _same(statement, row.analysis))
    for i, j in combinations(sorted({hit.slot for hit in hits}), 2):
        chosen = [hit for hit in hits if hit.slot in (i, j)]
        pair = _wrong_pair(statement, chosen, known)
        if pair is not None:
            return _finding(statement, rows, found, pair)
    return None


def _places(found: tuple[dict[int, set[int]], dict[int, set[int]]], row: int, item: int) -> set[tuple[int, int]]:
    """Items of the claims with their row; one that answers to several items of the statement tells nothing apart."""
    return {(row, place) for place in found[row][item]}


def _wrong_pair(statement: Analysis, hits: Sequence[_Hit], known: frozenset[int]) -> tuple[_Hit, _Hit] | None:
    """Two items of different slots and different rows that the statement puts together."""
    runs: list[_Hit] = []
    for hit in hits:
        if not runs or (runs[-1].slot, runs[-1].row) != (hit.slot, hit.row):
            runs.append(hit)
    kinds = {(hit.slot, hit.row) for hit in runs}
    if len(kinds) == 2:
        a, b = runs[0], runs[-1]
        if len(runs) != 2 or a.slot == b.slot or a.row == b.row:
            return None
        return (a, b) if _about_the_rows(statement, _common_segment(statement, a, b), known) else None
    if len(kinds) == 4 and len(runs) == 4:
        pairs = ((runs[0], runs[1]), (runs[2], runs[3]))
        if all(a.slot != b.slot and a.row != b.row for a, b in pairs) and not _COMPARES.search(statement.text):
            return pairs[0]
        return None
    if len(kinds) == 3 and len(runs) == 3 and runs[0].slot == runs[2].slot != runs[1].slot:
        first, middle, last = runs
        a, b = (first, middle) if first.row != middle.row else (middle, last)
        alone = _common_segment(statement, first, last) is None
        return (a, b) if alone and _about_the_rows(statement, _common_segment(statement, a, b), known) else None
    if len(kinds) == 3 and len(runs) == 3 and _BOTH.search(statement.text):
        shared = next((hit for hit in runs if sum(other.slot == hit.slot for other in runs) == 1), None)
        other = next((hit for hit in runs if shared is not None and hit.row != shared.row), None)
        if shared and other and all(sign_of(segment) > 0 for segment in segments_of(statement)):
            return other, shared
    return None


def _common_segment(statement: Analysis, a: _Hit, b: _Hit) -> Segment | None:
    """The clause of the statement in which both stand."""
    items = layout_of(statement).items
    first, second = items[a.item].start, items[b.item].start
    return next((s for s in segments_of(statement) if s.start <= first < s.end and s.start <= second < s.end), None)


def _about_the_rows(statement: Analysis, segment: Segment | None, known: frozenset[int]) -> bool:
    """Whether the clause asserts something plain, and almost all of it stands in their claims."""
    if segment is None or sign_of(segment) <= 0 or _COMPARES.search(statement.text, segment.start, segment.end):
        return False
    items = [item for item in layout_of(statement).items if segment.start <= item.start < segment.end]
    told = sum(item.number in known for item in items)
    bounded = any(isinstance(item.thing, Quantity) and item.thing.bound for item in items)
    return told >= 2 and told >= _COVERED * len(items) and not bounded


def _finding(
    statement: Analysis,
    rows: tuple[_Row, _Row],
    found: tuple[dict[int, set[int]], dict[int, set[int]]],
    pair: tuple[_Hit, _Hit],
) -> Finding:
    first, second = (layout_of(statement).items[hit.item] for hit in pair)
    row = rows[pair[0].row]
    there = layout_of(row.analysis).items[min(found[pair[0].row][pair[0].item])]
    said, of = statement.text[first.start : first.end], statement.text[second.start : second.end]
    return Finding(
        "binding", f"a claim says “{said}” of something else than “{of}”", (first.start, first.end), row.claim,
        (there.start, there.end), True,
    )  # fmt: skip


_SUBORDINATE = re.compile(
    r"[\s,]*(?:before|after|when|whenever|if|because|although|though|since|which|who|whose|where|that|as|unless|until|"
    r"with|by|including|set|made|based|called|named|known)\b",
    re.IGNORECASE,
)
"""Opens a clause that says more about the one before it rather than the same of something else."""


@lru_cache(maxsize=KEPT)
def _rows(analysis: Analysis) -> tuple[tuple[int, int, int, int], ...]:
    """Clauses with at least two items and no denial; a label before a colon belongs to what it labels."""
    items = layout_of(analysis).items
    starts = [item.start for item in items]
    text = analysis.text
    spans: list[tuple[int, int]] = []
    for start, end in analysis.clauses:
        if spans:
            before, stop = spans[-1]
            count = bisect_left(starts, end) - bisect_left(starts, start)
            previous = bisect_left(starts, stop) - bisect_left(starts, before)
            ended = text[before:stop].rstrip()
            if ended.endswith((":", "：")) or (
                (count < 2 or previous < 2) and not ended.endswith((";", "；", ".", "!", "?", ">"))
            ):
                spans[-1] = (before, end)
                continue
        spans.append((start, end))
    rows = []
    negations = cues.negations(analysis.lang)
    for start, end in spans:
        first, last = bisect_left(starts, start), bisect_left(starts, end)
        if _SUBORDINATE.match(text, start):
            continue
        if 2 <= last - first <= _MOST_ITEMS and not negations.search(text, start, end):
            rows.append((start, end, first, last))
    return tuple(rows)


_TOKEN = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*|:(?=\s)")


@lru_cache(maxsize=KEPT)
def _tokens(analysis: Analysis, start: int, end: int) -> tuple[tuple[str, int], ...]:
    """The words of a row in order, each with its item's number or -1; quantities of one kind are one token."""
    items = [item for item in layout_of(analysis).items if start <= item.start < end]
    tokens: list[tuple[int, str, int]] = []
    for item in items:
        key = getattr(item.thing, "stem", "") or f"#{item.kind}"
        tokens.append((item.start, key, item.number))
    for match in _TOKEN.finditer(analysis.text, start, end):
        if not any(item.start < match.end() and match.start() < item.end for item in items):
            tokens.append((match.start(), match[0].casefold(), -1))
    return tuple((key, number) for _, key, number in sorted(tokens))


_Slot = tuple[frozenset[int], frozenset[int]]


@lru_cache(maxsize=KEPT)
def _slots(
    mine: Analysis, row: tuple[int, int, int, int], theirs: Analysis, other: tuple[int, int, int, int]
) -> tuple[_Slot, ...]:
    """Where two rows of one pattern differ: item numbers on both sides; none when they have no pattern in common."""
    here, there = _tokens(mine, *row[:2]), _tokens(theirs, *other[:2])
    matcher = SequenceMatcher(None, [token[0] for token in here], [token[0] for token in there], autojunk=False)
    found: list[_Slot] = []
    common = 0
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag == "equal":
            common += sum(not token[0].startswith("#") for token in here[a:b])
            for i in range(a, b):
                if (
                    here[i][0].startswith("#")
                    and here[i][1] >= 0
                    and _differ(mine, here[i][1], theirs, there[c + i - a][1])
                ):
                    found.append((frozenset((here[i][1],)), frozenset((there[c + i - a][1],))))
        elif tag == "replace":
            left = [number for _, number in here[a:b] if number >= 0]
            right = [number for _, number in there[c:d] if number >= 0]
            if not left or not right or len(left) > 4 or len(right) > 4:
                continue
            if len(left) != len(right) and _are_words(mine, left) and _are_words(theirs, right):
                opposed = _opposed(mine, left, theirs, right)
                if opposed is not None:
                    left, right = [opposed[0]], [opposed[1]]
                elif a and c and here[a - 1][0] == there[c - 1][0]:
                    shorter = min(len(left), len(right))  # "the owner pays …, the charterer …": a verb left out
                    left, right = left[:shorter], right[:shorter]
            if len(left) == len(right) > 1 and _are_words(mine, left) and _are_words(theirs, right):
                found.append((frozenset(left[:1]), frozenset(right[:1])))
                found.append((frozenset(left[1:]), frozenset(right[1:])))
            else:
                found.append((frozenset(left), frozenset(right)))
    plain = min(sum(not key.startswith("#") for key, _ in tokens) for tokens in (here, there))
    alike = (
        common * 3 >= plain
        and common > 0
        and common * 4 >= min(len(here), len(there))
        and max(len(here), len(there)) <= 2 * min(len(here), len(there))
    )
    return tuple(found) if alike else ()


def _opposed(mine: Analysis, left: list[int], theirs: Analysis, right: list[int]) -> tuple[int, int] | None:
    """The two items of a slot that are opposites: clockwise and anticlockwise."""
    here, there = layout_of(mine).items, layout_of(theirs).items
    return next(((x, y) for x in left for y in right if here[x].opposes(there[y])), None)


def _differ(mine: Analysis, number: int, theirs: Analysis, other: int) -> bool:
    return not layout_of(mine).items[number].same(layout_of(theirs).items[other])


def _are_words(analysis: Analysis, numbers: Sequence[int]) -> bool:
    """Whether the items are plain words: a name of several words is one slot."""
    items = layout_of(analysis).items
    return not any(items[number].named or items[number].value for number in numbers)
