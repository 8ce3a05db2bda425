"""What the splitter knows about one language, put together from the word lists."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from aipk_core.text.abbreviations import FINAL, INNER, NUMBER, STARTERS, TITLE, words
from aipk_core.text.languages import primary_language

_ORDINAL_LANGUAGES: Final = words("de da nb nn no fi et lv cs sk pl hu hr sr bs sl tr is")
"""Languages that write ordinal numbers with a full stop: "am 3. Oktober"."""

_EMPTY: Final[frozenset[str]] = frozenset()


@dataclass(frozen=True, slots=True)
class LanguageRules:
    """Word lists of one language (lower case, without the last stop) and the switches that differ between languages.

    Attributes:
        title: abbreviations whose stop never ends a sentence.
        number: abbreviations whose stop ends no sentence before a digit.
        inner: abbreviations whose stop ends a sentence only before one of ``starters``.
        final: abbreviations whose stop ends a sentence before any upper-case word.
        starters: words that typically start a sentence.
        known: all the abbreviations.
        ordinals: a number with a full stop is an ordinal, unless one of ``starters`` follows.
        informal: unpunctuated sentences of web English are found by their starting pronoun.
        thai: spaces can end a sentence.
        compounds: abbreviations that also stand at the end of longer words ("Hafenstr.").
    """

    title: frozenset[str]
    number: frozenset[str]
    inner: frozenset[str]
    final: frozenset[str]
    starters: frozenset[str]
    known: frozenset[str]
    ordinals: bool = False
    informal: bool = False
    thai: bool = False
    compounds: tuple[str, ...] = ()


def rules_for(tag: str) -> LanguageRules:
    """The rules for a BCP 47 tag. A language without lists of its own gets those of English for its abbreviations."""
    return _rules(primary_language(tag))


@lru_cache(maxsize=64)
def _rules(language: str) -> LanguageRules:
    lists = language if language in TITLE else "en"
    number = NUMBER.get(lists, NUMBER["en"])
    inner = INNER["en"] | INNER.get(lists, _EMPTY)
    final = FINAL.get(lists, FINAL["en"])
    return LanguageRules(
        title=TITLE[lists],
        number=number,
        inner=inner,
        final=final,
        starters=STARTERS.get(lists, STARTERS["en"]),
        known=TITLE[lists] | number | inner | final,
        ordinals=language in _ORDINAL_LANGUAGES,
        informal=language == "en",
        thai=language == "th",
        compounds=("str",) if lists == "de" else (),
    )
