"""Relations that can be told from either end: who comes before whom, lies above what, answers to whom, lends to whom.

"Mirela succeeded Rolf" and "Rolf came before Mirela" say the same with other words and in the other order, so neither the words
nor their order tells. Each telling is read as *first* and *second* of one family, and two readings with changed ends contradict.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from aipk_core.verify.alignment import Alignment
from aipk_core.verify.analysis import KEPT, Analysis
from aipk_core.verify.checks.binding import layout_of, same_items
from aipk_core.verify.findings import Finding
from aipk_core.verify.lexicon import cues
from aipk_core.verify.vocabulary import bare_words, lacks

_BY = r"(?P<by>(?:is|are|was|were|been|being|be|gets?|got)\s(?:\w+\s)?)?"


class _Cue(NamedTuple):
    """``left``: what stands before the pattern is the first; a passive turns that round."""

    family: str
    pattern: re.Pattern[str]
    left: bool


def _cue(family: str, words: str, *, left: bool, passive: bool = False) -> _Cue:
    pattern = rf"\b{_BY}(?:{words})(?:\s(?P<agent>by))?\b" if passive else rf"\b(?:{words})\b"
    return _Cue(family, re.compile(pattern, re.IGNORECASE), left)


_CUES = (
    _cue("time", r"before|prior to|older than|earlier than|ahead of", left=True),
    _cue("time", r"after|later than|younger than|newer than|more (?:recent|modern) than|(?:takes?|took|taken|taking) over from", left=False),
    _cue("time", r"preced(?:es?|ed)|predat(?:es?|ed)|antedat(?:es?|ed)", left=True, passive=True),
    _cue("time", r"succeed(?:s|ed)?|supersed(?:es?|ed)|replac(?:es?|ed)|follow(?:s|ed)?", left=False, passive=True),
    _cue("place", r"above|on top of|higher than|(?:north|east) of|(?:upstream|uphill) (?:of|from)|to the left of|in front of", left=True),
    _cue("place", r"below|beneath|underneath|under|lower than|(?:south|west) of|(?:downstream|downhill) (?:of|from)|to the right of|behind", left=False),
    _cue("rank", r"(?:report|answer)(?:s|ed|ing)? to|(?:accountable|subordinate|responsible) to|works? (?:for|under)|worked (?:for|under)|deputi[sz]e[sd]? for", left=False),
    _cue("rank", r"supervise[sd]?|manage[sd]?|oversees?|oversaw|overseen|heads?|headed|leads?|led|employ(?:s|ed)?|direct(?:s|ed)?", left=True, passive=True),
)  # fmt: skip
"""Every pattern of one family whose first end is on the left, and those whose first end is on the right."""
_AXES = re.compile(
    r"(?P<height>above|on top|higher|below|beneath|under|lower)|(?P<map>north|south)|(?P<across>east|west)|(?P<stream>stream|hill)"
    r"|(?P<side>left|right)|(?P<depth>front|behind)",
    re.IGNORECASE,
)
_GIVES = r"lend(?:s|ing)?|lent|loan(?:s|ed)?|giv(?:es?|en|ing)|gave|sells?|sold|selling|suppl(?:y|ies|ied)|deliver(?:s|ed)?|sends?|sent|return(?:s|ed)?|donat(?:es?|ed)|transfer(?:s|red)?|pay(?:s|ing)?|paid|leas(?:es?|ed)|hand(?:s|ed)?|pass(?:es|ed)?|issu(?:es?|ed)|teach(?:es)?|taught|award(?:s|ed)?|rent(?:s|ed)?|export(?:s|ed)?|grant(?:s|ed)?|refer(?:s|red)?|submit(?:s|ted)?|forward(?:s|ed)?"
_GETS = r"borrow(?:s|ed)?|buys?|bought|purchas(?:es?|ed)|receiv(?:es?|ed)|gets?|got|obtain(?:s|ed)?|acquir(?:es?|ed)|inherit(?:s|ed)?|learn(?:s|ed|t)?|import(?:s|ed)?|leas(?:es?|ed)|rent(?:s|ed)?|hir(?:es?|ed)"
_TRANSFERS = (
    re.compile(rf"\b{_BY}(?P<verb>(?P<gives>{_GIVES}))\b", re.IGNORECASE),
    re.compile(rf"\b{_BY}(?P<verb>(?P<gets>{_GETS}))\b", re.IGNORECASE),
)
_WORDS = frozenset(re.findall(r"[a-z]{3,}", "before prior older earlier ahead after later younger newer recent modern over above top higher north east "
    "upstream uphill left front below beneath underneath under lower south west downstream downhill right behind report reports reported "
    "reporting answer answers answered answering accountable subordinate responsible works work worked deputise deputises deputize "
    "deputizes precede precedes preceded predate predates predated antedates succeed succeeds succeeded supersede supersedes superseded "
    "replace replaces replaced follow follows followed supervise supervises supervised manage manages managed oversee oversees oversaw "
    "then afterwards first followed finally overseen head heads headed lead leads led employ employs employed direct directs directed"))  # fmt: skip
_TRANSFER_WORD = re.compile(rf"\b(?:{_GIVES}|{_GETS})\b", re.IGNORECASE)


_MOST_CHARACTERS = 2000
"""A longer text is no sentence."""


class _Reading(NamedTuple):
    """Item numbers of both ends, and where the relation is told."""

    family: str
    first: frozenset[int]
    second: frozenset[int]
    span: tuple[int, int]


def check_converse(alignment: Alignment) -> Iterator[Finding]:
    statement = alignment.statement
    if statement.lang != "en":
        return
    mine = _readings(statement)
    if not mine:
        return
    marks = frozenset(item.number for item in layout_of(statement).items if item.value or item.named)
    for number, claim in enumerate(alignment.claims):
        theirs = _readings(claim) if claim.lang == "en" else ()
        if not theirs:
            continue
        same = set(same_items(statement, claim))
        for here in mine:
            for there in theirs:
                if here.family == there.family and _changed_ends(here, there, same, marks):
                    check = {"time": "order", "place": "comparison"}.get(here.family.split()[0], "role")
                    yield Finding(
                        check, "the two have changed places in the claim", here.span, number, there.span, True
                    )
                    return


def _changed_ends(here: _Reading, there: _Reading, same: set[tuple[int, int]], marks: frozenset[int]) -> bool:
    """Whether each end stands at the other end over there; what stays in place must not tell more than what changes."""

    def meet(mine: frozenset[int], theirs: frozenset[int]) -> set[int]:
        return {a for a in mine for b in theirs if (a, b) in same}

    crossed = meet(here.first, there.second), meet(here.second, there.first)
    if not (crossed[0] and crossed[1]):
        return False
    straight = meet(here.first, there.first), meet(here.second, there.second)
    if not (straight[0] and straight[1]) and sum(map(len, crossed)) > sum(map(len, straight)):
        return True
    return (
        not (straight[0] and straight[1])
        and all(end & marks for end in crossed)
        and not ((straight[0] | straight[1]) & marks)
    )


@lru_cache(maxsize=KEPT)
def _readings(analysis: Analysis) -> tuple[_Reading, ...]:
    if len(analysis.text) > _MOST_CHARACTERS:
        return ()
    words = bare_words(analysis.text)
    found: list[_Reading] = []
    if not lacks(words, _WORDS):
        for cue in _CUES:
            for match in cue.pattern.finditer(analysis.text):
                found += _read(analysis, match, cue)
        found += _sequences(analysis)
    if _TRANSFER_WORD.search(analysis.text):
        found += _transfers(analysis)
    return tuple(found)


_TIME_WORD = re.compile(r"\b(?:before|after|prior|following)\b", re.IGNORECASE)
_THEN = re.compile(
    r"(?:,|;|\band)\s+(?:then|afterwards|after that|finally)\b|,?\s(?:and )?followed by\b", re.IGNORECASE
)
_FIRST = re.compile(r"\bfirst\b(?=[^.;]{0,100}\b(?:afterwards|next|later|after that|last)\b)", re.IGNORECASE)


def _sequences(analysis: Analysis) -> Iterator[_Reading]:
    """``A first and B afterwards``, ``A, then B``."""
    text = analysis.text
    for match in _THEN.finditer(text):
        start, _ = _clause(text, match.start(), match.start())
        stop = _ENDS.search(text, match.end())
        yield from _in_turn(analysis, (start, match.start()), (match.end(), stop.start() if stop else len(text)), match)
    for match in _FIRST.finditer(text):
        start, end = _clause(text, match.start(), match.end())
        stop = _ENDS.search(text, end + 1)
        yield from _in_turn(analysis, (start, end), (end, stop.start() if stop else len(text)), match)


def _in_turn(
    analysis: Analysis, one: tuple[int, int], two: tuple[int, int], match: re.Match[str]
) -> Iterator[_Reading]:
    first, second = _exclusive(analysis, one, two)
    if first and second and not cues.negations("en").search(analysis.text, one[0], two[1]):
        yield _Reading("time", first, second, match.span())


def _read(analysis: Analysis, match: re.Match[str], cue: _Cue) -> list[_Reading]:
    text = analysis.text
    left = cue.left
    groups = match.groupdict()
    if groups.get("by") is not None or groups.get("agent") is not None:
        if not (groups.get("by") and groups.get("agent")):
            return []
        left = not left
    start, end = _clause(text, match.start(), match.end())
    if cues.negations("en").search(text, start, end):
        return []
    family = cue.family
    if family == "time" and len(_TIME_WORD.findall(text, start, end)) > 1:
        return []  # "after an alarm … before a restart"
    if family == "place":
        axis = _AXES.search(match[0])
        family += f" {axis.lastgroup}" if axis else ""
    before, after = _exclusive(analysis, (start, match.start()), (match.end(), _head_end(analysis, match.end(), end)))
    if not before or not after:
        return []
    first, second = (before, after) if left else (after, before)
    return [_Reading(family, first, second, match.span())]


def _transfers(analysis: Analysis) -> Iterator[_Reading]:
    """``A lends … to B``, ``A lends B …``, ``B borrows … from A``: the giver is the first."""
    text = analysis.text
    for pattern in _TRANSFERS:
        for match in pattern.finditer(text):
            start, end = _clause(text, match.start(), match.end())
            if cues.negations("en").search(text, start, end):
                continue
            gives = "gives" in pattern.groupindex
            if match["by"] is None:
                mark = re.compile(r"\bto\b" if gives else r"\b(?:from|off)\b").search(text, match.end(), end)
                if mark is None and not gives:
                    continue
                other = (mark.end() if mark else match.end(), end)
                subject, partner = _exclusive(analysis, (start, match.start()), other)
            else:
                agent = re.compile(r"\bby\b").search(text, match.end(), end)
                mark = re.compile(r"\bto\b" if gives else r"\bfrom\b").search(text, match.end(), end)
                if agent is None or mark is None:
                    continue
                spans = [(agent.end(), mark.start() if mark.start() > agent.end() else end)]
                spans.append((mark.end(), agent.start() if agent.start() > mark.end() else end))
                subject, partner = _exclusive(analysis, *spans)
            if subject and partner:
                first, second = (subject, partner) if gives else (partner, subject)
                yield _Reading("transfer", first, second, match.span("verb"))


_BEGINS = re.compile(r"[.;:!?]\s|,\s|\s(?:and|but|while|whereas|which|who|that|because|so|when|if)\s", re.IGNORECASE)
_ENDS = re.compile(r"[.;:!?](?:\s|$)|,\s|\s(?:and|but|while|whereas|because|so|when|if)\s", re.IGNORECASE)


def _clause(text: str, start: int, end: int) -> tuple[int, int]:
    """The clause around ``text[start:end]``."""
    begin = 0
    for match in _BEGINS.finditer(text, 0, start):
        begin = match.end()
    stop = _ENDS.search(text, end)
    return begin, stop.start() if stop else len(text)


_MORE = re.compile(r"\s(?:that|which|who|whose|where|it|he|she|they|as|when|in|on|at|for|during|with)\s", re.IGNORECASE)


def _head_end(analysis: Analysis, start: int, end: int) -> int:
    """Where what is said of the second end itself begins: "the tower *it hangs in*"."""
    for match in _MORE.finditer(analysis.text, start, end):
        if any(start <= item.start < match.start() for item in layout_of(analysis).items):
            return match.start()
    return end


def _exclusive(
    analysis: Analysis, left: tuple[int, int], right: tuple[int, int]
) -> tuple[frozenset[int], frozenset[int]]:
    """Items of two spans that the other has not."""
    items = [item for item in layout_of(analysis).items if getattr(item.thing, "kind", "") != "ordinal"]
    before = [item for item in items if left[0] <= item.start < left[1]]
    after = [item for item in items if right[0] <= item.start < right[1]]
    only_before = [item for item in before if not any(item.same(other) for other in after)]
    only_after = [item for item in after if not any(item.same(other) for other in before)]
    if any(item.value and getattr(item.thing, "kind", "") in ("measure", "time") for item in only_after[:1]):
        return frozenset(), frozenset()  # "above 40 °C", "after two hours"
    return frozenset(item.number for item in only_before), frozenset(item.number for item in only_after)
