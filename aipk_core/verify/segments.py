"""Clauses with their logic: what is denied, allowed, required, limited, and under which condition."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache

from aipk_core.verify.analysis import Analysis
from aipk_core.verify.lexicon import cues


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


@lru_cache(maxsize=20_000)
def segments_of(analysis: Analysis) -> tuple[Segment, ...]:
    """Clauses of a text that have content of their own; neighbours that only make sense together are joined."""
    text, lang = analysis.text, analysis.lang
    masked = _mask(cues.PSEUDO_NEGATION, _mask(cues.HEDGE, text) if lang == "en" else text)
    exceptions = cues.pattern_for(cues.EXCEPTION, lang)
    segments: list[Segment] = []
    for start, end in _joined(analysis, masked):
        items = tuple(i for i, word in enumerate(analysis.words) if start <= word.start < end)
        negations = tuple(match.span() for match in cues.negations(lang).finditer(masked, start, end))
        mood, span = _mood(masked, start, end, lang)
        excepted = exceptions.search(masked, start, end) if exceptions else None
        exception = _family(excepted[0]) if excepted else ""
        if segments and not segments[-1].exception and (opened := _OPENS_EXCEPTION.match(masked, start)):
            segments[-1] = replace(segments[-1], exception=_family(opened[1]))
        segments.append(Segment(start, end, items, negations, mood, span, exception))
    return tuple(segments)


_OPENS_EXCEPTION = re.compile(
    r"[\s,(]*(unless|without|until|except|only|provided|as long as|es sei denn|außer|sofern|пока|кроме)\b",
    re.IGNORECASE,
)


def _family(word: str) -> str:
    first = word.casefold().split()[0]
    return "only" if first in ("solely", "only", "alone", "nur", "только", "лишь") else first


def _mood(text: str, start: int, end: int, lang: str) -> tuple[Mood, tuple[int, int] | None]:
    for mood, table in (
        (Mood.OPTIONAL, cues.OPTIONAL),
        (Mood.FORBIDDEN, cues.FORBIDDEN),
        (Mood.REQUIRED, cues.REQUIRED),
        (Mood.ADVISED, cues.ADVISED),
        (Mood.PERMITTED, cues.PERMITTED),
    ):
        pattern = cues.pattern_for(table, lang)
        if pattern and (match := pattern.search(text, start, end)):
            return mood, match.span()
    return Mood.STATED, None


_STRONG = re.compile(
    r"\s*(?:but|while|whereas|because|unless|if|when|although|which|who|rather than|instead of|without|except|aber|sondern|weil|wenn|но|а)\b",
    re.IGNORECASE,
)


def _joined(analysis: Analysis, masked: str) -> list[tuple[int, int]]:
    """Clause spans; a piece with less than two things of its own goes with its neighbour, unless logic divides them."""
    spans: list[tuple[int, int]] = []
    weights: list[float] = []
    for start, end in analysis.clauses:
        weight = _weight(analysis, start, end)
        opens = len(spans) == 1 and weights[-1] < 2  # "On site, …": a beginning that is no clause yet
        if (
            spans
            and (weight < 2 or weights[-1] < 2)
            and (opens or not _divided(masked, spans[-1], (start, end), analysis.lang))
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


def _divided(masked: str, left: tuple[int, int], right: tuple[int, int], lang: str) -> bool:
    if masked[left[1] - 1] in ";；。：" or _STRONG.match(masked, right[0]) or masked[left[1] - 1 : left[1] + 1] == ". ":
        return True
    negations = cues.negations(lang)
    return bool(negations.search(masked, *left)) != bool(negations.search(masked, *right)) or (
        _mood(masked, *left, lang)[0] is not _mood(masked, *right, lang)[0]
        and Mood.STATED not in (_mood(masked, *right, lang)[0],)
    )


def _mask(pattern: re.Pattern[str], text: str) -> str:
    return pattern.sub(lambda match: " " * len(match[0]), text)
