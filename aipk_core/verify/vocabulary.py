"""The bare words of a text: one look at them tells which patterns cannot match, before each is tried at every letter."""

from __future__ import annotations

import re
from functools import lru_cache

_LETTERS = re.compile(r"[a-z]+")


@lru_cache(maxsize=4096)
def bare_words(text: str) -> frozenset[str] | None:
    """Runs of letters in lower case; ``None`` for a text that is not ASCII, in which any pattern may match."""
    return frozenset(_LETTERS.findall(text.lower())) if text.isascii() else None


_DIGIT = re.compile(r"\d")


def has_digit(text: str) -> bool:
    return _DIGIT.search(text) is not None


def lacks(words: frozenset[str] | None, wanted: frozenset[str]) -> bool:
    """Whether none of the wanted words is among ``words``."""
    return words is not None and words.isdisjoint(wanted)
