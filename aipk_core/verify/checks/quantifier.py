"""All, most, some, none, only, both, neither."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from aipk_core.text.abbreviations import words as words_of
from aipk_core.verify.alignment import Alignment
from aipk_core.verify.checks.polarity import sign_of
from aipk_core.verify.findings import Finding
from aipk_core.verify.lexicon import cues
from aipk_core.verify.lexicon.wordnet import Relation
from aipk_core.verify.pairing import ClaimSegment, SegmentPair
from aipk_core.verify.vocabulary import bare_words, has_digit, lacks

_ALL = re.compile(r"\b(?:all|every|each|always|everyone|everybody|both|entirely|completely)\b", re.IGNORECASE)
_NOT_ALL = re.compile(
    r"\b(?:most|some|several|many|few|a few|certain|mostly|usually|often|sometimes|partly|half|rarely|(?P<k>one|two|three|four|five|six|\d+) of the \w+)\b",
    re.IGNORECASE,
)
_FEW = re.compile(r"\b(?:only|just|merely|no more than) (?:one|a single|two|a few|some)\b|\bonly some\b", re.IGNORECASE)
_WHOLE = re.compile(r"\b(?:all|every|each|both|everyone|everybody|anyone|anybody|any)\b", re.IGNORECASE)
_BOTH = re.compile(r"\b(?:both|either of)\b", re.IGNORECASE)
_NEITHER = re.compile(r"\b(?:neither|none|no)\b", re.IGNORECASE)
_ONLY = re.compile(
    r"\b(?:only|solely|exclusively)\b(?! (?:if|when|after|once|before|until|in|on|at|by|for|with|one|a|two|\d))|\b(?:alone|nobody else)\b",
    re.IGNORECASE,
)
_EVERYONE = re.compile(r"\b(?:everyone|everybody|anyone|anybody|all|any|every|both)\b", re.IGNORECASE)


_WHOLE_CIRCLE = re.compile(r"\b(?:both|all|every|each)\b", re.IGNORECASE)
_PEOPLE = r"(?:people|persons?|m[ae]n|wom[ae]n|artists?|authors?|hands?|makers?|workers?|members?|firms?|compan(?:y|ies)|famil(?:y|ies)|groups?|individuals?|teams?|owners?)"
_SEVERAL = re.compile(
    rf"\b(?:several|many|various|numerous|a number of|multiple|different)\s(?:\w+\s)?{_PEOPLE}\b", re.IGNORECASE
)
_SINGLE = re.compile(rf"\b(?:one|a single|the same|a lone)\s(?:\w+\s)?{_PEOPLE}\b", re.IGNORECASE)
_SOME_ARE = re.compile(
    r"^\W*(?:some|several|many|most|all|both|every|each|a few|a number of|certain|one|two|three)\b", re.IGNORECASE
)
_NOBODY_IS = re.compile(
    r"(?:^|[.>:]\s)\W*(?:nobody|no one|none|no(?! (?:more|less|later|fewer|longer|one)\b) \w+)\b", re.IGNORECASE
)
_FEW_OF = re.compile(r"(?<!\ba )\b(?:few|hardly any|almost no|a minority|only a handful)\b(?! more)", re.IGNORECASE)
_MOST_OF = re.compile(r"\b(?:most|the majority|a majority|nearly all|almost all|the bulk)\b(?! recent)", re.IGNORECASE)
_PAIRS = (
    (_ALL, _NOT_ALL, "all here, not all in the claim"),
    (_FEW, _WHOLE, "a few here, all in the claim"),
    (_BOTH, _NEITHER, "both here, neither in the claim"),
    (_NEITHER, _BOTH, "neither here, both in the claim"),
    (_FEW_OF, _MOST_OF, "few here, most in the claim"),
    (_MOST_OF, _FEW_OF, "most here, few in the claim"),
    (_SEVERAL, _SINGLE, "several here, one in the claim"),
    (_SINGLE, _SEVERAL, "one here, several in the claim"),
    (_EVERYONE, _ONLY, "everyone here, a limited circle in the claim"),
)
_COUNTING = words_of(
    """
    all every each always everyone everybody both entirely completely most some several many few certain mostly
    usually often sometimes partly half rarely one two three four five six only just merely no anyone anybody any
    either neither none solely exclusively alone nobody nothing hardly almost nearly minority majority handful bulk
    various numerous number multiple different single same lone
    """
)
"""Words of which every pattern needs one, or a number."""
_Span = tuple[int, int]
_SOME_SHARE = 0.4
"""Share of a clause from which "some" is held against "nobody"."""


@lru_cache(maxsize=20_000)
def _found(text: str) -> dict[re.Pattern[str], _Span]:
    """Where each kind of quantifier first stands in a clause."""
    if lacks(bare_words(text), _COUNTING) and not has_digit(text):
        return {}
    patterns = (
        _SEVERAL,
        _SINGLE,
        _FEW_OF,
        _MOST_OF,
        _ALL,
        _NOT_ALL,
        _FEW,
        _WHOLE,
        _BOTH,
        _NEITHER,
        _EVERYONE,
        _ONLY,
        _WHOLE_CIRCLE,
        cues.EXCLUSIVE,
    )
    return {pattern: match.span() for pattern in patterns if (match := pattern.search(text))}


def _nobody_is(statement: str, pair: SegmentPair, target: ClaimSegment) -> Finding | None:
    """``Some members are paid`` where nobody is: one in the same place as the other, and the rest in common."""
    some = _SOME_ARE.search(statement[pair.segment.start : pair.segment.end])
    nobody = _NOBODY_IS.search(target.text)
    if some is None or nobody is None or sign_of(pair.segment) < 0 or target.segment.exception:
        return None
    found = [other for word in pair.words for other in target.words if word.relation(other) >= Relation.DERIVED]
    if len(found) < 2 or not all(word in found for word in target.words):
        return None  # "no Scandinavian delegate" says nothing of the other delegates
    return Finding(
        "quantifier", "some here, nobody in the claim", _moved(some.span(), pair.segment.start), target.claim,
        _moved(nobody.span(), target.segment.start), True,
    )  # fmt: skip


def check_quantifiers(alignment: Alignment, pairs: list[SegmentPair]) -> Iterator[Finding]:
    statement = alignment.statement.text
    for pair in pairs:
        target = pair.target
        if target is None or pair.share < _SOME_SHARE:
            continue
        finding = _nobody_is(statement, pair, target)
        if finding is not None:
            yield finding
            return
        if pair.share < 0.5:
            continue
        mine, theirs = _found(statement[pair.segment.start : pair.segment.end]), _found(target.text)
        if not mine or not theirs:
            continue
        offset, claim_offset = pair.segment.start, target.segment.start
        for here, there, message in _PAIRS:
            if here not in mine or there not in theirs or there in mine or here in theirs:
                continue
            if here is _NEITHER and pair.opposites:
                continue
            yield Finding(
                "quantifier",
                message,
                _moved(mine[here], offset),
                target.claim,
                _moved(theirs[there], claim_offset),
                True,
            )
            return
        if _ONLY in mine and _WHOLE_CIRCLE in theirs and cues.EXCLUSIVE not in theirs:
            yield Finding(
                "quantifier", "only one here, all in the claim", _moved(mine[_ONLY], offset), target.claim,
                _moved(theirs[_WHOLE_CIRCLE], claim_offset), True,
            )  # fmt: skip
            return


def _moved(span: _Span, offset: int) -> _Span:
    return span[0] + offset, span[1] + offset
