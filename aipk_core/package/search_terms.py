"""The words of a text as the full-text index knows them; the same function serves indexing and questions.

The index splits at spaces only, and everything else is decided here: so a question can never be a syntax error, an
identifier is found by its parts, and scripts without spaces between words are found by pairs of characters.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

_WORD = re.compile(r"[^\W_]+")
# Scripts that are written without spaces between words: kana, Han, Hangul (whose words carry endings), Thai, Lao, Khmer,
# Burmese. Pairs of characters stand in for words.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
    "\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]+"
)
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_LONGEST_TERM = 64
_MOST_QUERY_TERMS = 64
# Words that carry a question and say nothing about its matter. In a small corpus of statements "what" is rare, and a
# rare word weighs heavily. They are dropped from questions only, and never all of them.
_QUESTION_WORD_LIST = (
    "a an and any are at be been by can could did do does for from had has have how i if in into is it its me my of on or "
    "our please shall should tell than that the their them then there these they this those to us was we were what when "
    "where which who whom whose why will with would you your"
)
_QUESTION_WORDS = frozenset(_QUESTION_WORD_LIST.split())


def index_terms(text: str) -> str:
    """The terms of ``text`` for the full-text index, separated by spaces."""
    return " ".join(_terms(text))


def query_terms(text: str) -> str:
    """The terms of a question, separated by spaces, at most 64 different ones; ``""`` when it has no words."""
    terms = list(dict.fromkeys(_terms(text[:20_000])))
    telling = [term for term in terms if term not in _QUESTION_WORDS]
    return " ".join((telling or terms)[:_MOST_QUERY_TERMS])


def _terms(text: str) -> Iterator[str]:
    for match in _WORD.finditer(unicodedata.normalize("NFKC", text)):
        word = match.group()
        start = 0
        for piece in _UNSPACED.finditer(word):
            yield from _spaced(word[start : piece.start()])
            yield from _pairs(piece.group())
            start = piece.end()
        yield from _spaced(word[start:])


def _spaced(word: str) -> Iterator[str]:
    if not word:
        return
    yield word.casefold()[:_LONGEST_TERM]
    parts = _HUMP.split(word)
    if len(parts) > 1 and min(len(part) for part in parts) > 1:  # not IPv6
        for part in parts:
            yield part.casefold()[:_LONGEST_TERM]


def _pairs(run: str) -> Iterator[str]:
    run = run.casefold()
    if len(run) == 1:
        yield run
    for start in range(len(run) - 1):
        yield run[start : start + 2]
