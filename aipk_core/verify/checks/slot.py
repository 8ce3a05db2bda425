"""Another member of a closed class in the same place: a yellow bin for a pink one, Lydia Bell for Agnes Bell."""

from __future__ import annotations

import re
from collections.abc import Iterator

from aipk_core.verify.alignment import Alignment
from aipk_core.verify.analysis import Analysis, Word
from aipk_core.verify.checks.polarity import sign_of
from aipk_core.verify.findings import Finding
from aipk_core.verify.lexicon.wordnet import Relation
from aipk_core.verify.pairing import ClaimSegment, SegmentPair

_ENOUGH = 0.5
_WITH_HEAD = 0.3
"""Share of the clause that must be found when the word after both is the same."""
_CLASSES = {
    "colour": "black white red blue green yellow pink purple violet brown grey gray orange amber turquoise beige crimson",
    "season": "spring summer autumn winter",
}
_CLASS_OF = {word: name for name, words in _CLASSES.items() for word in words.split()}
_TITLES = re.compile(
    r"dr|mr|mrs|ms|miss|prof|professor|sir|lady|lord|dame|captain|major|colonel|general|sergeant|judge|"
    r"king|queen|prince|princess|saint|st|father|mother|sister|brother|uncle|aunt|mayor|president|chief|"
    r"officer|minister|bishop|pope|young|old|little|big|new|great|north|south|east|west|upper|lower|mount|"
    r"lake|river|port|fort|cape"
)
"""What stands before a name without being part of it."""
_PLACES = re.compile(
    r"ward|building|street|road|lane|hall|house|room|tower|bridge|park|square|gate|station|office|school|"
    r"college|university|hospital|church|company|island|river|lake|mountain|valley|bay|harbour|port|centre|"
    r"center|club|committee|society|bank|avenue|city|county|state|war|league|cup|award|prize|act|agreement|"
    r"treaty|battle|garden|wing|line|airport|museum|library|theatre|hotel|district|group|team|party|"
    r"council"
)
"""Last words of names that many share: Aspen Ward is another ward than Juniper Ward, not a mistake for it."""


def check_slots(alignment: Alignment, pairs: list[SegmentPair]) -> Iterator[Finding]:
    statement = alignment.statement
    worth = {match.word: match.worth for match in alignment.words}
    for pair in pairs:
        target = pair.target
        if target is None or pair.share < _WITH_HEAD or sign_of(pair.segment) != sign_of(target.segment):
            continue
        for word in pair.words:
            if worth.get(word, 1.0) >= 0.7:
                continue
            other = _of_same_class(word, pair, target, statement) or _of_same_name(word, pair, target, statement)
            if other is not None:
                yield Finding(
                    "entity", f"“{_said(statement, word)}” here, “{_said(target.analysis, other)}” in the claim",
                    (word.start, word.end), target.claim, (other.start, other.end), True,
                )  # fmt: skip
                return


def _of_same_class(word: Word, pair: SegmentPair, target: ClaimSegment, statement: Analysis) -> Word | None:
    kind = _CLASS_OF.get(word.norm)
    if kind is None or sum(_CLASS_OF.get(mine.norm) == kind for mine in pair.words) != 1:
        return None
    others = [other for other in target.words if _CLASS_OF.get(other.norm) == kind]
    if len(others) != 1 or others[0].stem in statement.stems or word.relation(others[0]) >= Relation.DERIVED:
        return None
    heads = _next(word, statement.words), _next(others[0], target.analysis.words)
    same_head = None not in heads and heads[0].relation(heads[1]) is Relation.SAME  # type: ignore[union-attr, arg-type]
    return others[0] if same_head or pair.share >= _ENOUGH else None


def _of_same_name(word: Word, pair: SegmentPair, target: ClaimSegment, statement: Analysis) -> Word | None:
    """The other first name that stands before the same last name over there."""
    if not word.name or _TITLES.fullmatch(word.norm) or pair.share < 0.4:
        return None
    here = _next(word, statement.words)
    if here is None or not here.name or not _adjacent(word, here) or _PLACES.fullmatch(here.norm):
        return None
    for shared in target.words:
        if shared.norm != here.norm or not shared.name:
            continue
        other = _before(shared, target.analysis.words)
        if other is None or not _adjacent(other, shared) or not target.analysis.text[other.start].isupper():
            continue
        if not _TITLES.fullmatch(other.norm) and other.stem not in statement.stems and other.norm[:3] != word.norm[:3]:
            return other
    return None


def _next(word: Word, words: tuple[Word, ...]) -> Word | None:
    return next((other for other in words if other.start >= word.end), None)


def _before(word: Word, words: tuple[Word, ...]) -> Word | None:
    return next((other for other in reversed(words) if other.end <= word.start), None)


def _adjacent(one: Word, two: Word) -> bool:
    return max(one.start, two.start) - min(one.end, two.end) == 1


def _said(analysis: Analysis, word: Word) -> str:
    return analysis.text[word.start : word.end]
