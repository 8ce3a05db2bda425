"""Clauses with their logic: what is denied, allowed, required, limited, and under which condition."""

from __future__ import annotations

import re
from dataclasses import dataclass
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
        exception: whether it says "only", "unless", "without" …: a denial with it is a condition.
    """

    start: int
    end: int
    items: tuple[int, ...]
    negations: tuple[tuple[int, int], ...]
    mood: Mood
    mood_span: tuple[int, int] | None
    exception: bool

    @property
    def negative(self) -> bool:
        return len(self.negations) % 2 == 1


@lru_cache(maxsize=20_000)
def segments_of(analysis: Analysis) -> tuple[Segment, ...]:
    """Clauses of a text that have content of their own; neighbours that only make sense together are joined."""
    text, lang = analysis.text, analysis.lang
    masked = _mask(cues.PSEUDO_NEGATION, text)
    spans = _joined(analysis)
    segments = []
    for start, end in spans:
        items = tuple(i for i, word in enumerate(analysis.words) if start <= word.start < end)
        negations = tuple(match.span() for match in cues.negations(lang).finditer(masked, start, end))
        mood, span = _mood(text, start, end, lang)
        exception = cues.pattern_for(cues.EXCEPTION, lang)
        segments.append(Segment(start, end, items, negations, mood, span, bool(exception and exception.search(text, start, end))))
    return tuple(segments)


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




def _joined(analysis: Analysis) -> list[tuple[int, int]]:
    """Clause spans; a piece without two words or a quantity of its own goes with the one before it."""
    spans: list[tuple[int, int]] = []
    text = analysis.text
    for start, end in analysis.clauses:
        words = sum(start <= word.start < end for word in analysis.words)
        quantities = sum(start <= quantity.start < end for quantity in analysis.quantities)
        strong = bool(re.match(r"\s*(?:but|while|whereas|because|unless|if|when|although|which|who|;|aber|sondern|weil|wenn|но|а)\b", text[start:end], re.IGNORECASE))
        previous_strong = bool(spans) and text[spans[-1][1] - 1 : spans[-1][1]] in ";；。:："
        if spans and words + quantities < 2 and not strong and not previous_strong:
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
    return spans


def _mask(pattern: re.Pattern[str], text: str) -> str:
    return pattern.sub(lambda match: " " * len(match[0]), text)
