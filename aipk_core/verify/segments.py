"""Clauses with their logic: what is denied, allowed, required, limited, and under which condition."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache

from aipk_core.verify.analysis import KEPT, Analysis
from aipk_core.verify.lexicon import cues
from aipk_core.verify.vocabulary import bare_words, lacks


class Mood(StrEnum):
    """What a clause does with its content."""

    STATED = "stated"
    PERMITTED = "permitted"
    FORBIDDEN = "forbidden"
    REQUIRED = "required"
    OPTIONAL = "optional"
    ADVISED = "advised"


@dataclass(frozen=True, slots=True)
class Segment:
    """One clause: ``text[start:end]``.

    Attributes:
        items: numbers of its words in ``analysis.words``.
        negations: spans of the words that deny.
        exception: "only", "unless", "without" … or "": a denial with it is a condition.
    """

    start: int
    end: int
    items: tuple[int, ...]
    negations: tuple[tuple[int, int], ...]
    mood: Mood
    mood_span: tuple[int, int] | None
    exception: str

    @property
    def negative(self) -> bool:
        return len(self.negations) % 2 == 1


@lru_cache(maxsize=KEPT)
def segments_of(analysis: Analysis) -> tuple[Segment, ...]:
    """Clauses of a text that have content of their own; neighbours that only make sense together are joined."""
    text, lang = analysis.text, analysis.lang
    masked = text
    for start, end in cues.hedges(text) if lang == "en" else ():
        masked = masked[:start] + " " * (end - start) + masked[end:]
    words = bare_words(masked)
    if not lacks(words, cues.WORDS_OF["pseudo"]):
        masked = _mask(cues.PSEUDO_NEGATION, masked)
        words = bare_words(masked)
    refused: list[int] = []
    if lang == "en" and "? " in masked:
        for answer in _ANSWER_NO.finditer(masked):
            refused.append(answer.start())
            masked = masked[: answer.start("no")] + " " * len(answer["no"]) + masked[answer.end("no") :]
    moods = _Moods(masked, lang, words)
    exceptions = cues.pattern_for(cues.EXCEPTION, lang)
    if lang == "en" and lacks(words, cues.WORDS_OF["exception"]):
        exceptions = None
    opens = not lacks(words, cues.WORDS_OF["opening"])
    starts = [word.start for word in analysis.words]
    segments: list[Segment] = []
    for start, end in _joined(analysis, masked, moods):
        items = tuple(range(bisect_left(starts, start), bisect_left(starts, end)))
        mood, span = moods.of(start, end)
        excepted = exceptions.search(masked, start, end) if exceptions else None
        exception = _family(excepted[0]) if excepted else ""
        if not exception and lang == "en" and _NOT_BEFORE.search(masked, start, end):
            exception = "before"
        if opens and segments and not segments[-1].exception and (opened := _OPENS_EXCEPTION.match(masked, start)):
            segments[-1] = replace(segments[-1], exception=_family(opened[1]))
        negations = moods.negations(start, end)
        if any(start <= at < end for at in refused):
            mood, negations = _REFUSED.get(mood, mood), negations if mood in _REFUSED else ((start, start), *negations)
        segments.append(Segment(start, end, items, negations, mood, span, exception))
    return tuple(segments)


_ANSWER_NO = re.compile(
    r"\?\s+(?:(?:sorry|unfortunately|alas|i['’]m afraid|we['’]re afraid|well|oh)[,.!]?\s+)*(?P<no>no|nope|not at all|certainly not)\b(?=\s*[,.;:!–—-])",
    re.IGNORECASE,
)
_REFUSED = {
    Mood.PERMITTED: Mood.FORBIDDEN, Mood.FORBIDDEN: Mood.PERMITTED, Mood.REQUIRED: Mood.OPTIONAL, Mood.OPTIONAL: Mood.REQUIRED,
}  # fmt: skip
"""What the question asks for, once the answer is no."""
_OPENS_EXCEPTION = re.compile(
    r"[\s,(]*(unless|without|until|except|only|provided|as long as|es sei denn|außer|sofern|пока|кроме)\b",
    re.IGNORECASE,
)


def _family(word: str) -> str:
    first = word.casefold().split()[0]
    return "only" if first in ("solely", "only", "alone", "nur", "только", "лишь") else first


class _Moods:
    """Moods and denials of the clauses of one text; what needs a word that the text has not is not looked for."""

    def __init__(self, text: str, lang: str, words: frozenset[str] | None) -> None:
        self._text = text
        known = words if lang == "en" else None
        self._patterns = [
            (mood, pattern)
            for mood, table in _MOODS
            if (pattern := cues.pattern_for(table, lang)) is not None and not lacks(known, cues.WORDS_OF[mood.value])
        ]
        self._negation = cues.negations(lang)
        self._denies = not lacks(known, cues.WORDS_OF["negation"])

    def of(self, start: int, end: int) -> tuple[Mood, tuple[int, int] | None]:
        for mood, pattern in self._patterns:
            if match := pattern.search(self._text, start, end):
                return mood, match.span()
        return Mood.STATED, None

    def negations(self, start: int, end: int) -> tuple[tuple[int, int], ...]:
        if not self._denies:
            return ()
        found = [match.span() for match in self._negation.finditer(self._text, start, end)]
        if len(found) > 1 and _NEITHER_NOR.search(self._text, start, end):
            found = [span for span in found if self._text[slice(*span)].casefold() != "nor"]  # one denial of two things
        return tuple(found)


_NEITHER_NOR = re.compile(r"\bneither\b.*\bnor\b", re.IGNORECASE)
_NOT_BEFORE = re.compile(r"(?:\b(?:not|never|nobody|no one|cannot)\b|n['’]t\b)[^.;,]*\bbefore\b", re.IGNORECASE)
"""A denial up to a moment: "do not restart before it has stopped"."""
_MOODS = (
    (Mood.OPTIONAL, cues.OPTIONAL),
    (Mood.FORBIDDEN, cues.FORBIDDEN),
    (Mood.REQUIRED, cues.REQUIRED),
    (Mood.ADVISED, cues.ADVISED),
    (Mood.PERMITTED, cues.PERMITTED),
)


_STRONG = re.compile(
    r"\s*(?:but|while|whereas|because|unless|if|when|although|which|who|rather than|instead of|without|except|aber|sondern|weil|wenn|но|а)\b",
    re.IGNORECASE,
)


def _joined(analysis: Analysis, masked: str, moods: _Moods) -> list[tuple[int, int]]:
    """Clause spans; a piece with less than two things of its own goes with its neighbour, unless logic divides them."""
    spans: list[tuple[int, int]] = []
    weights: list[float] = []
    if len(analysis.clauses) == 1:
        return list(analysis.clauses)
    for start, end in analysis.clauses:
        weight = _weight(analysis, start, end)
        opens = len(spans) == 1 and weights[-1] < 2  # "On site, …": a beginning that is no clause yet
        if (
            spans
            and (weight < 2 or weights[-1] < 2)
            and (opens or not _divided(masked, spans[-1], (start, end), moods))
        ):
            spans[-1] = (spans[-1][0], end)
            weights[-1] += weight
        else:
            spans.append((start, end))
            weights.append(weight)
    return spans


def _weight(analysis: Analysis, start: int, end: int) -> float:
    """How much stands in a span; pairs of ideographs count for less, a word makes two or three of them."""
    words = sum(
        0.4 if word.norm[0] >= "\u3040" and not "가" <= word.norm[0] <= "힣" else 1.0
        for word in analysis.words
        if start <= word.start < end
    )
    others = sum(start <= item.start < end for items in (analysis.quantities, analysis.identifiers) for item in items)
    return words + others


def _divided(masked: str, left: tuple[int, int], right: tuple[int, int], moods: _Moods) -> bool:
    if (
        masked[left[1] - 1] in ";；。："
        or _STRONG.match(masked, right[0])
        or masked[left[1] - 2 : left[1]] in (". ", "! ")
    ):
        return True
    if bool(moods.negations(*left)) != bool(moods.negations(*right)):
        return True
    theirs = moods.of(*right)[0]
    return theirs is not Mood.STATED and moods.of(*left)[0] is not theirs


def _mask(pattern: re.Pattern[str], text: str) -> str:
    return pattern.sub(lambda match: " " * len(match[0]), text)
