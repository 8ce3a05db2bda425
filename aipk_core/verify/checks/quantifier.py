"""All, most, some, none, only, both, neither."""

from __future__ import annotations

import re
from collections.abc import Iterator

from aipk_core.verify.alignment import Alignment
from aipk_core.verify.findings import Finding
from aipk_core.verify.lexicon import cues
from aipk_core.verify.pairing import SegmentPair

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


def check_quantifiers(alignment: Alignment, pairs: list[SegmentPair]) -> Iterator[Finding]:
    statement = alignment.statement.text
    for pair in pairs:
        target = pair.target
        if target is None or pair.share < 0.5:
            continue
        mine = statement[pair.segment.start : pair.segment.end]
        theirs = target.text
        for here, there, message in (
            (_ALL, _NOT_ALL, "all here, not all in the claim"),
            (_FEW, _WHOLE, "a few here, all in the claim"),
            (_BOTH, _NEITHER, "both here, neither in the claim"),
            (_NEITHER, _BOTH, "neither here, both in the claim"),
            (_EVERYONE, _ONLY, "everyone here, a limited circle in the claim"),
        ):
            found, other = here.search(mine), there.search(theirs)
            if not found or not other or there.search(mine) or here.search(theirs):
                continue
            if here is _NEITHER and pair.opposites:
                continue
            offset, claim_offset = pair.segment.start, target.segment.start
            yield Finding(
                "quantifier", message, (found.start() + offset, found.end() + offset), target.claim,
                (other.start() + claim_offset, other.end() + claim_offset), True,
            )  # fmt: skip
            return
        exclusive = _ONLY.search(mine)
        whole = re.search(r"\b(?:both|all|every|each)\b", theirs, re.IGNORECASE)
        if exclusive and whole and not cues.EXCLUSIVE.search(theirs):
            offset = pair.segment.start
            yield Finding(
                "quantifier", "only one here, all in the claim", (exclusive.start() + offset, exclusive.end() + offset),
                target.claim, (whole.start() + target.segment.start, whole.end() + target.segment.start), True,
            )  # fmt: skip
            return
