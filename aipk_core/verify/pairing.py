"""Which clause of the claims each clause of a statement talks about."""

from __future__ import annotations

import re
from dataclasses import dataclass

from aipk_core.verify.alignment import Alignment, word_relation
from aipk_core.verify.analysis import Analysis, Word
from aipk_core.verify.lexicon.wordnet import Relation
from aipk_core.verify.segments import Segment, segments_of

_WORTH = {
    Relation.SAME: 1.0, Relation.SYNONYM: 0.9, Relation.DERIVED: 0.85, Relation.BROADER: 0.7, Relation.NARROWER: 0.6,
    Relation.SIBLING: 0.1, Relation.OPPOSITE: 0.7, Relation.NONE: 0.0,
}  # fmt: skip


_CONTINUES = re.compile(
    r"[\s,]*(?:but|and|yet|or|nor|aber|und|oder|sondern|mais|et|ou|pero|y|o|но|и|а|или)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class ClaimSegment:
    """A clause of a claim; ``borrowed`` are words of the clause before that it leaves out ("… ; B is not")."""

    claim: int
    number: int
    analysis: Analysis
    segment: Segment
    borrowed: tuple[Word, ...] = ()

    @property
    def words(self) -> list[Word]:
        return [self.analysis.words[i] for i in self.segment.items]

    @property
    def text(self) -> str:
        return self.analysis.text[self.segment.start : self.segment.end]


@dataclass(frozen=True, slots=True)
class SegmentPair:
    """A clause of the statement with its nearest clause; ``share`` of its words found there, 0..1."""

    segment: Segment
    words: tuple[Word, ...]
    target: ClaimSegment | None
    share: float
    opposites: tuple[tuple[Word, Word], ...]


def claim_segments(alignment: Alignment) -> list[ClaimSegment]:
    found = []
    for number, claim in enumerate(alignment.claims):
        before: ClaimSegment | None = None
        for place, segment in enumerate(segments_of(claim)):
            elliptical = (segment.negative and len(segment.items) <= 3) or bool(
                _CONTINUES.match(claim.text, segment.start, segment.end)
            )
            borrowed = (*before.words, *before.borrowed) if elliptical and before is not None else ()
            before = ClaimSegment(number, place, claim, segment, tuple(borrowed))
            found.append(before)
    return found


def holders_of(word: Word, segments: list[ClaimSegment]) -> list[ClaimSegment]:
    """Clauses of the claims that have the word or one that means the same."""
    return [
        segment
        for segment in segments
        if any(
            word_relation(word.stem, word.norm, other.stem, other.norm) >= Relation.DERIVED for other in segment.words
        )
    ]


def pair_segments(alignment: Alignment) -> list[SegmentPair]:
    """One pair for each clause of the statement that has words."""
    statement = alignment.statement
    targets = claim_segments(alignment)
    holders: dict[str, int] = {}
    for target in targets:
        for stem in {word.stem for word in target.words}:
            holders[stem] = holders.get(stem, 0) + 1
    pairs = []
    for segment in segments_of(statement):
        words = tuple(statement.words[i] for i in segment.items)
        quantities = [q for q in statement.quantities if segment.start <= q.start < segment.end]
        names = [i.norm for i in statement.identifiers if segment.start <= i.start < segment.end]
        if not words and not quantities and not names:
            continue
        best, best_score, best_share = None, 0.0, 0.0
        for target in targets:
            score = total = share = 0.0
            for word in words:
                worth, stem = _best_in(word, target)
                rarity = 1.0 + 1.0 / holders.get(stem, 1) if stem else 1.0
                score += worth * rarity
                share += worth
                total += 1.0
            for quantity in quantities:
                there = [q for q in target.analysis.quantities if target.segment.start <= q.start < target.segment.end]
                hit = any(quantity.same_as(other) for other in there)
                score += 2.0 * hit
                share += hit
                total += 1.0
            for name in names:
                hit = name in target.text
                score += 2.0 * hit
                share += hit
                total += 1.0
            if score > best_score:
                best, best_score, best_share = target, score, share / max(total, 1.0)
        pairs.append(SegmentPair(segment, words, best, best_share, _opposites(words, segment, best, targets)))
    return pairs


def share_in(pair: SegmentPair, target: ClaimSegment) -> float:
    """Share of the clause's words that ``target`` has, borrowed ones included."""
    others = [*target.words, *target.borrowed]
    found = sum(
        any(word_relation(word.stem, word.norm, other.stem, other.norm) >= Relation.DERIVED for other in others)
        for word in pair.words
    )
    return found / max(1, len(pair.words))


def _best_in(word: Word, target: ClaimSegment) -> tuple[float, str]:
    best, stem = 0.0, ""
    for other in target.words:
        worth = _WORTH[word_relation(word.stem, word.norm, other.stem, other.norm)]
        if worth > best:
            best, stem = worth, other.stem
    for other in target.borrowed:
        worth = 0.5 * _WORTH[word_relation(word.stem, word.norm, other.stem, other.norm)]
        if worth > best:
            best, stem = worth, other.stem
    return best, stem


def _opposites(
    words: tuple[Word, ...], segment: Segment, target: ClaimSegment | None, targets: list[ClaimSegment]
) -> tuple[tuple[Word, Word], ...]:
    """Words of the clause that mean the opposite of a word over there and have no equal there."""
    if target is None:
        return ()
    others = [*target.words, *target.borrowed]
    found = []
    for word in words:
        if _within(word, segment.mood_span):
            continue
        relations = [(word_relation(word.stem, word.norm, other.stem, other.norm), other) for other in others]
        if any(relation >= Relation.DERIVED for relation, _ in relations) or holders_of(word, targets):
            continue
        opposite = next((other for relation, other in relations if relation is Relation.OPPOSITE), None)
        if opposite is not None and not _within(opposite, target.segment.mood_span):
            matched = any(word_relation(w.stem, w.norm, opposite.stem, opposite.norm) is Relation.SAME for w in words)
            if not matched:
                found.append((word, opposite))
    return tuple(found)


def _within(word: Word, span: tuple[int, int] | None) -> bool:
    return span is not None and span[0] <= word.start < span[1]
