"""Denials and opposites: whether a clause and its counterpart say yes and no to the same thing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from aipk_core.verify.alignment import Alignment
from aipk_core.verify.analysis import Analysis, Word, stem_of
from aipk_core.verify.findings import Finding
from aipk_core.verify.lexicon import cues
from aipk_core.verify.lexicon.wordnet import Relation
from aipk_core.verify.pairing import ClaimSegment, SegmentPair, claim_segments, holders_of
from aipk_core.verify.segments import Mood, Segment

_WITH_OPPOSITE = 0.4
_ENOUGH = 0.5
"""Share of a clause's words that must be found in its counterpart before the two can contradict each other."""


def check_polarity(alignment: Alignment, pairs: list[SegmentPair]) -> Iterator[Finding]:
    segments = claim_segments(alignment)
    for pair in pairs:
        target = pair.target
        if _SAME_APPLIES.search(alignment.statement.text, pair.segment.start, pair.segment.end):
            continue  # says yes or no with the sentence before
        enough = _WITH_OPPOSITE if pair.opposites else _ENOUGH
        if target is None or pair.share < enough or pair.segment.exception != target.segment.exception:
            continue  # "not without" and "only with" say the same
        mine, theirs = sign_of(pair.segment), sign_of(target.segment)
        if mine * theirs * (-1) ** len(pair.opposites) >= 0:
            continue
        if not pair.opposites and not _denies_something_shared(alignment, pair, target, mine, theirs):
            continue
        if mine > 0 and any(
            other is not pair and other.target is target and sign_of(other.segment) < 0 for other in pairs
        ):
            continue  # denied in the clause before, "there are no rumours that …"
        if not pair.opposites and (
            _denies_by_meaning(alignment, pair, target) or agrees_elsewhere(pair, mine, segments, target)
        ):
            continue
        yield _finding(pair, target)
        return
    yield from _denied_words(alignment, pairs, segments)


_NEITHER_NOR = re.compile(r"\bneither\b.*\bnor\b", re.IGNORECASE)
_SAME_APPLIES = re.compile(
    r"\b(?:that|this|it|the same|which) (?:also )?(?:goes|applies|holds|is true)\b", re.IGNORECASE
)


def _denies_something_shared(
    alignment: Alignment, pair: SegmentPair, target: ClaimSegment, mine: int, theirs: int
) -> bool:
    """Whether what the "not" stands before is spoken of on the other side too."""
    if mine < 0 < theirs:
        denied = denied_word(alignment.statement, pair.segment)
        others: list[Word] = [*target.words, *target.borrowed]
    else:
        if _NEITHER_NOR.search(target.text):
            return True  # of each of the two
        denied = denied_word(target.analysis, target.segment)
        others = list(pair.words)
    if denied is None:
        return True
    return any(denied.relation(other) >= Relation.NARROWER for other in others)


_AFTER_THE_WORD = ("ko", "ja", "hi")


def denied_word(analysis: Analysis, segment: Segment) -> Word | None:
    """The word that a clause's denial bears on: the next one that carries meaning (the one before it in Korean, Japanese)."""
    span = segment.mood_span if segment.mood is Mood.FORBIDDEN and segment.mood_span else None
    span = span or (segment.negations[0] if segment.negations else None)
    if span is None:
        return None
    words = [analysis.words[i] for i in segment.items]
    before = [word for word in words if word.end <= span[0] + 1]
    after = [word for word in words if word.start >= span[1]]
    within = [word for word in words if span[0] <= word.start < span[1]]
    if analysis.lang in _AFTER_THE_WORD:
        return before[-1] if before else None
    if segment.mood is Mood.FORBIDDEN and within:
        return None  # "prohibited": the verdict word itself says it
    return after[0] if after else None


def _denies_by_meaning(alignment: Alignment, pair: SegmentPair, target: ClaimSegment) -> bool:
    """Whether one side has a word such as "outside" or "unfit" that the other lacks, and that may balance a "not"."""
    return bool(_denials(_text(alignment, pair.segment)) ^ _denials(target.text))


@lru_cache(maxsize=20_000)
def _denials(text: str) -> frozenset[str]:
    return frozenset(stem_of(match[0].casefold(), "en") for match in cues.LEXICAL_DENIAL.finditer(text))


def agrees_elsewhere(pair: SegmentPair, mine: int, segments: list[ClaimSegment], target: ClaimSegment) -> bool:
    """Whether a word of the clause stands only in clauses of the claims that have the same sign as this one."""
    theirs = target.stems.union(word.stem for word in target.borrowed)
    for word in pair.words:
        if word.stem in theirs:
            continue
        holders = holders_of(word, segments)
        holders = [
            holder
            for holder in holders
            if (len(holder.segment.items) >= 2 or holder.borrowed) and not _CONDITION.match(holder.text)
        ]
        if holders and all(sign_of(holder.segment) == mine for holder in holders):
            return True
    return False


_CONDITION = re.compile(r"[\s,]*(?:if|when|whenever|once|provided|wenn|falls|если|когда)\b", re.IGNORECASE)
"""Opens a clause that neither asserts nor denies."""


def _text(alignment: Alignment, segment: Segment) -> str:
    return alignment.statement.text[segment.start : segment.end]


def sign_of(segment: Segment) -> int:
    if segment.mood is Mood.OPTIONAL:
        return 0
    if segment.mood is Mood.FORBIDDEN:
        extra = [span for span in segment.negations if segment.mood_span and not _inside(span, segment.mood_span)]
        return 1 if len(extra) % 2 and not segment.exception else -1
    return -1 if segment.negative else 1


def _finding(pair: SegmentPair, target: ClaimSegment) -> Finding:
    span = (pair.segment.start, pair.segment.end)
    if pair.opposites:
        word, other = pair.opposites[0]
        mine = "“" + word.norm + "”"
        return Finding(
            "antonym", f"{mine} here, “{other.norm}” in the claim", (word.start, word.end), target.claim,
            (other.start, other.end), True,
        )  # fmt: skip
    negation = target.segment.negations or ((target.segment.start, target.segment.end),)
    message = (
        "the claim denies this"
        if target.segment.negations or target.segment.mood is Mood.FORBIDDEN
        else "this denies what the claim says"
    )
    where = pair.segment.negations[0] if pair.segment.negations else span
    return Finding("polarity", message, where, target.claim, negation[0], True)


def _denied_words(alignment: Alignment, pairs: list[SegmentPair], segments: list[ClaimSegment]) -> Iterator[Finding]:
    """Words that the claims mention only to deny them ("…, not carbon fibre") and the statement asserts."""
    if not any(sign_of(s.segment) < 0 and not s.segment.exception for s in segments) or any(p.opposites for p in pairs):
        return
    for pair in pairs:
        if sign_of(pair.segment) <= 0 or pair.segment.exception:
            continue
        denials = _denials(alignment.statement.text[: pair.segment.end])  # the subject may stand a clause before
        if denials and denials - _denials(" ".join(claim.text for claim in alignment.claims)):
            continue
        for word in pair.words:
            holders = [s for s in segments if s.has(word, Relation.SYNONYM)]
            if len(holders) != 1 or sign_of(holders[0].segment) >= 0 or holders[0].segment.exception:
                continue
            holder = holders[0]
            if denials - _denials(holder.analysis.text):
                continue  # "removing X improves Y", where X prevents Y
            if holder.segment.mood is Mood.FORBIDDEN and pair.share < _ENOUGH:
                continue
            own = holder.stems
            if len(own & {w.stem for w in pair.words}) * 2 < len(own):
                continue
            denied = None if holder.borrowed else denied_word(holder.analysis, holder.segment)
            if denied is not None and not any(_same(w, denied) for w in pair.words):
                continue
            if not holder.borrowed and agrees_elsewhere(pair, 1, segments, holder):
                continue
            if not _same_matter(alignment, holder):
                continue
            yield Finding(
                "polarity", f"the claim says “{holder.text.strip(' ,;.')}”", (word.start, word.end), holder.claim,
                (holder.segment.start, holder.segment.end), True,
            )  # fmt: skip
            return


def _same_matter(alignment: Alignment, holder: ClaimSegment) -> bool:
    """Whether the statement is about what the whole claim is about, not only about one denied word of it."""
    return alignment.coverage >= 0.6


def _same(word: Word, other: Word) -> bool:
    return word.relation(other) >= Relation.SYNONYM


def _inside(span: tuple[int, int], outer: tuple[int, int]) -> bool:
    return outer[0] <= span[0] and span[1] <= outer[1]
