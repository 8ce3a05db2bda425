"""What comes before what, what causes what, what is more than what."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from aipk_core.verify.alignment import Alignment
from aipk_core.verify.analysis import KEPT, Analysis, Word, word_at
from aipk_core.verify.findings import Finding
from aipk_core.verify.lexicon import cues
from aipk_core.verify.lexicon.wordnet import Relation
from aipk_core.verify.vocabulary import bare_words, lacks

_MORE = r"more|greater|higher|larger|bigger|longer|later|heavier|older|faster|taller|wider|deeper|better|hotter|warmer|stronger|louder|further|farther|above|over"
_LESS = r"less|fewer|lower|smaller|shorter|earlier|lighter|younger|slower|narrower|shallower|worse|colder|cooler|weaker|quieter|nearer|closer|below|under|cheaper"
_THAN = re.compile(
    rf"\b(?P<word>(?P<more>{_MORE})|(?P<less>{_LESS}))\b(?P<what>[^,;.]{{0,30}}?)\bthan\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class _Ordered:
    """``first`` comes before, causes, or exceeds ``second``."""

    first: tuple[Word, ...]
    second: tuple[Word, ...]
    span: tuple[int, int]


def check_order(alignment: Alignment) -> Iterator[Finding]:
    statement = alignment.statement
    if statement.lang != "en":
        return
    for kind, reader, message in (
        ("order", _time_order, "the other way round in the claim: what comes first"),
        ("cause", _cause_order, "the other way round in the claim: what is the cause"),
        ("comparison", _size_order, "the other way round in the claim: which is more"),
    ):
        for mine in reader(statement):
            for number, claim in enumerate(alignment.claims):
                for theirs in reader(claim):
                    straight = _overlap(mine.first, theirs.first) + _overlap(mine.second, theirs.second)
                    crossed = _overlap(mine.first, theirs.second) + _overlap(mine.second, theirs.first)
                    if crossed > straight and crossed >= 1.2:
                        yield Finding(kind, message, mine.span, number, theirs.span, True)
                        return
    yield from _compared_values(alignment)


_TIME_CUE = re.compile(r"\b(?:before|prior to|ahead of|after|following|earlier than|later than|until)\b", re.IGNORECASE)
_POINTS_BACK = re.compile(r"\s*(?:that|this|which|[,.;]|$)")


_NOT_BEFORE = re.compile(r"\b(?:not|never|nobody|cannot)\b(?! (?:later|less|more|earlier))|n['’]t\b", re.IGNORECASE)
_DENIED = re.compile(r"\b(?:not?|never|nobody|nothing|none|cannot)\b|n['’]t\b", re.IGNORECASE)


@lru_cache(maxsize=KEPT)
def _time_order(analysis: Analysis) -> tuple[_Ordered, ...]:
    found: list[_Ordered] = []
    words = bare_words(analysis.text)
    if lacks(words, cues.WORDS_OF["time"]):
        return ()
    for match in _TIME_CUE.finditer(analysis.text):
        if _next_is_quantity(analysis, match.end()) or _POINTS_BACK.match(analysis.text, match.end()):
            continue
        main, other = _sides(analysis, match.start(), match.end())
        if main and other:
            earlier = bool(re.match(r"before|prior|ahead|earlier|until", match[0], re.IGNORECASE))
            if (match[0].casefold() == "until" and _DENIED.search(analysis.text)) or (
                match[0].casefold() == "before" and _NOT_BEFORE.search(analysis.text, 0, match.start())
            ):
                earlier = False  # "not returned until released", "until released, it is not returned": first released
            found.append(_Ordered(main, other, match.span()) if earlier else _Ordered(other, main, match.span()))
    return tuple(found)


@lru_cache(maxsize=KEPT)
def _cause_order(analysis: Analysis) -> tuple[_Ordered, ...]:
    found = []
    words = bare_words(analysis.text)
    for match in () if lacks(words, cues.WORDS_OF["cause_after"]) else cues.CAUSE_AFTER.finditer(analysis.text):
        if match[0].lower() == "since" and _next_is_quantity(analysis, match.end()):
            continue
        effect, cause = _sides(analysis, match.start(), match.end())
        if effect and cause:
            found.append(_Ordered(cause, effect, match.span()))
    for match in () if lacks(words, cues.WORDS_OF["cause_before"]) else cues.CAUSE_BEFORE.finditer(analysis.text):
        cause, effect = _sides(analysis, match.start(), match.end())
        if effect and cause:
            found.append(_Ordered(cause, effect, match.span()))
    return tuple(found)


@lru_cache(maxsize=KEPT)
def _size_order(analysis: Analysis) -> tuple[_Ordered, ...]:
    found = []
    for match in _THAN.finditer(analysis.text) if "than" in analysis.lowered else ():
        if _next_is_quantity(analysis, match.end()):
            continue
        left, right = _sides(analysis, match.start(), match.end())
        if left and right:
            found.append(_Ordered(left, right, match.span()) if match["more"] else _Ordered(right, left, match.span()))
    return tuple(found)


def _sides(analysis: Analysis, start: int, end: int) -> tuple[tuple[Word, ...], tuple[Word, ...]]:
    """Words of the main part and of the part that the cue opens; a cue at the start of a sentence opens up to a comma."""
    text = analysis.text
    begin = max(text.rfind(mark, 0, start) for mark in ";.") + 1
    stop = min((place for mark in ";." if (place := text.find(mark, end)) >= 0), default=len(text))
    if not text[begin:start].strip():
        comma = text.find(",", end, stop)
        if comma < 0:
            return (), ()
        return _words(analysis, comma, stop), _words(analysis, end, comma)
    return _words(analysis, begin, start), _words(analysis, end, stop)


def _words(analysis: Analysis, start: int, end: int) -> tuple[Word, ...]:
    words = [word for word in analysis.words if start <= word.start < end]
    words += [
        word_at(i.start, i.end, i.norm.casefold(), i.norm.casefold(), name=True)
        for i in analysis.identifiers
        if start <= i.start < end
    ]
    words += [
        word_at(q.start, q.end, q.text, f"{q.noun} {q.value}", name=True)
        for q in analysis.quantities
        if start <= q.start < end and q.kind == "label"
    ]
    return tuple(words)


def _overlap(mine: tuple[Word, ...], theirs: tuple[Word, ...]) -> float:
    """Share of the smaller side that has an equal on the other, 0..1."""
    if not mine or not theirs:
        return 0.0
    hits = sum(any(word.relation(other) >= Relation.DERIVED for other in theirs) for word in mine)
    return hits / min(len(mine), len(theirs)) if len(mine) <= len(theirs) else hits / len(mine)


def _next_is_quantity(analysis: Analysis, end: int) -> bool:
    return any(
        0 <= q.start - end <= 12 and q.kind in ("measure", "count", "date", "time", "weekday")
        for q in analysis.quantities
    )


_HEAVIER = re.compile(rf"(?P<word>\b(?:{_MORE}|{_LESS})\b)", re.IGNORECASE)


def _compared_values(alignment: Alignment) -> Iterator[Finding]:
    """``A is heavier than B`` against two values in the claims: A 94 t, B 128 t."""
    statement = alignment.statement
    for ordered in _size_order(statement):
        first = _value_of(ordered.first, ordered.second, alignment)
        second = _value_of(ordered.second, ordered.first, alignment)
        if first is None or second is None or first[1] != second[1]:
            continue
        if first[0] < second[0]:
            yield Finding("comparison", "the values in the claim say the opposite", ordered.span, first[2], None, True)
            return


def _once(word: Word, claim: Analysis) -> bool:
    """Whether a plain word tells two values apart: it stands in the claim once."""
    return len(claim.forms.get(word.form, ())) == 1


def _value_of(words: tuple[Word, ...], others: tuple[Word, ...], alignment: Alignment) -> tuple[float, str, int] | None:
    """The value that stands nearest after the one word that only this side has."""
    own = {word.stem for word in words} - {word.stem for word in others}
    for number, claim in enumerate(alignment.claims):
        places = [
            (label.end, label)
            for label in claim.quantities
            if label.kind == "label" and f"{label.noun} {label.value}" in own
        ] + [(word.end, word) for word in claim.words if word.stem in own and (word.name or _once(word, claim))]
        for place, _ in places:
            after = [q for q in claim.quantities if q.start >= place and q.kind in ("measure", "date", "count")]
            later_labels = [q.start for q in claim.quantities if q.kind == "label" and q.start >= place]
            if after and after[0].start - place < 60 and not any(start < after[0].start for start in later_labels):
                quantity = after[0]
                value = float(quantity.value) if quantity.value is not None else float(quantity.fields[0] or 0)
                return value, quantity.key, number
    return None
