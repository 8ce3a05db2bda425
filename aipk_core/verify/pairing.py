"""Which clause of the claims each clause of a statement talks about."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from aipk_core.verify.alignment import Alignment, related_words
from aipk_core.verify.analysis import KEPT, Analysis, Word
from aipk_core.verify.lexemes import Lexeme
from aipk_core.verify.lexicon.wordnet import Relation, wordnet
from aipk_core.verify.quantities import Quantity
from aipk_core.verify.segments import Segment, segments_of

_WORTH = (0.0, 0.1, 0.6, 0.7, 0.85, 0.9, 1.0, 0.7)
"""By ``Relation``: nothing, sibling, narrower, broader, derived, synonym, same; the last is the opposite's, -1."""
_CONTINUES = re.compile(
    r"[\s,]*(?:but|and|yet|or|nor|aber|und|oder|sondern|mais|et|ou|pero|y|o|но|и|а|или)\b", re.IGNORECASE
)


@dataclass(frozen=True, eq=False)
class ClaimSegment:
    """A clause of a claim; ``borrowed`` are words of the clause before that it leaves out ("… ; B is not").

    ``borrowed_places`` says for each borrowed word, by its number in the claim, where in ``borrowed`` it stands.
    """

    claim: int
    number: int
    analysis: Analysis
    segment: Segment
    borrowed: tuple[Word, ...] = ()
    borrowed_places: Mapping[int, int] = field(default_factory=dict)

    @cached_property
    def words(self) -> list[Word]:
        return [self.analysis.words[i] for i in self.segment.items]

    @cached_property
    def text(self) -> str:
        return self.analysis.text[self.segment.start : self.segment.end]

    @cached_property
    def stems(self) -> frozenset[str]:
        return frozenset(word.stem for word in self.words)

    @cached_property
    def forms(self) -> frozenset[Lexeme]:
        return frozenset(word.form for word in self.words)

    @cached_property
    def all_forms(self) -> frozenset[Lexeme]:
        """Those of the borrowed words as well."""
        return self.forms.union(word.form for word in self.borrowed)

    @cached_property
    def quantities(self) -> list[Quantity]:
        return [q for q in self.analysis.quantities if self.segment.start <= q.start < self.segment.end]

    def has(self, word: Word, relation: Relation = Relation.DERIVED) -> bool:
        """Whether the clause itself has a word as near as this to ``word``."""
        return any(found >= relation for found in word.form.related(self.forms).values())


@dataclass(frozen=True, slots=True, eq=False)
class SegmentPair:
    """A clause of the statement with its nearest clause; ``share`` of its words found there, 0..1."""

    segment: Segment
    words: tuple[Word, ...]
    target: ClaimSegment | None
    share: float
    opposites: tuple[tuple[Word, Word], ...]


def claim_segments(alignment: Alignment) -> list[ClaimSegment]:
    return [segment for number, claim in enumerate(alignment.claims) for segment in _segments_of_claim(claim, number)]


@lru_cache(maxsize=KEPT)
def _segments_of_claim(claim: Analysis, number: int) -> tuple[ClaimSegment, ...]:
    found: list[ClaimSegment] = []
    before: ClaimSegment | None = None
    numbers: list[int] = []  # of the words that the clause before has or borrowed
    for place, segment in enumerate(segments_of(claim)):
        elliptical = (segment.negative and len(segment.items) <= 3) or bool(
            _CONTINUES.match(claim.text, segment.start, segment.end)
        )
        if not elliptical or before is None:
            numbers = []
        borrowed = tuple(claim.words[i] for i in numbers)
        before = ClaimSegment(number, place, claim, segment, borrowed, {i: at for at, i in enumerate(numbers)})
        numbers = [*segment.items, *numbers]
        found.append(before)
    return tuple(found)


def holders_of(word: Word, segments: list[ClaimSegment]) -> list[ClaimSegment]:
    """Clauses of the claims that have the word or one that means the same."""
    return [segment for segment in segments if segment.has(word)]


def pair_segments(alignment: Alignment) -> list[SegmentPair]:
    """One pair for each clause of the statement that has words."""
    statement = alignment.statement
    targets = claim_segments(alignment)
    holders: dict[str, int] = {}
    for target in targets:
        for stem in target.stems:
            holders[stem] = holders.get(stem, 0) + 1
    rows = [related_words(statement, claim) for claim in alignment.claims]
    pairs = []
    for segment in segments_of(statement):
        words = tuple(statement.words[i] for i in segment.items)
        quantities = [q for q in statement.quantities if segment.start <= q.start < segment.end]
        names = [i.norm for i in statement.identifiers if segment.start <= i.start < segment.end]
        total = float(len(words) + len(quantities) + len(names))
        if not total:
            continue
        scores, shares = [0.0] * len(targets), [0.0] * len(targets)
        for i in segment.items:
            for place, target in enumerate(targets):
                row = rows[target.claim][i]
                if row:
                    worth, stem = _best_in(row, target)
                    scores[place] += worth * (1.0 + 1.0 / holders.get(stem, 1) if stem else 1.0)
                    shares[place] += worth
        for place, target in enumerate(targets):
            for quantity in quantities:
                hit = any(quantity.same_as(other) for other in target.quantities)
                scores[place] += 2.0 * hit
                shares[place] += hit
            for name in names:
                hit = name in target.text
                scores[place] += 2.0 * hit
                shares[place] += hit
        highest = max(scores, default=0.0)
        best = scores.index(highest) if highest > 0.0 else -1
        if best >= 0 and segment.mood_span is not None:  # "you're welcome to": a word for the mood is no content
            known = rows[targets[best].claim]
            total -= sum(_within(statement.words[i], segment.mood_span) and not known[i] for i in segment.items)
        pairs.append(
            SegmentPair(
                segment, words, targets[best] if best >= 0 else None, min(1.0, shares[best] / max(total, 1.0)) if best >= 0 else 0.0,
                _opposites(statement, words, segment, targets[best] if best >= 0 else None, targets),
            )
        )  # fmt: skip
    return pairs


def share_in(pair: SegmentPair, target: ClaimSegment) -> float:
    """Share of the clause's words that ``target`` has, borrowed ones included."""
    found = sum(
        any(relation >= Relation.DERIVED for relation in word.form.related(target.all_forms).values())
        for word in pair.words
    )
    return found / max(1, len(pair.words))


def _best_in(row: Sequence[tuple[int, Relation]], target: ClaimSegment) -> tuple[float, str]:
    """Worth and stem of the nearest word of a clause; the row has the related words of its claim, by number."""
    best, stem = 0.0, ""
    start, end = target.segment.start, target.segment.end
    words = target.analysis.words
    borrowed = target.borrowed_places
    half, half_at = 0.0, -1
    for number, relation in row:
        worth = _WORTH[relation]
        if start <= words[number].start < end:
            if worth > best:
                best, stem = worth, words[number].stem
        elif number in borrowed and (worth > half or (worth == half and borrowed[number] < borrowed[half_at])):
            half, half_at = worth, number
    if 0.5 * half > best:
        best, stem = 0.5 * half, words[half_at].stem
    return best, stem


_CONVERSE = frozenset(
    frozenset(pair.split())
    for pair in (
        "lend borrow", "loan borrow", "sell buy", "sell purchase", "give receive", "give take", "give get", "teach learn",
        "precede follow", "precede succeed", "send receive", "win lose", "north south", "east west", "above below",
    )
)  # fmt: skip
"""Verbs that tell one deed from its two ends."""


def _converse(word: Word, other: Word) -> bool:
    lemmas = wordnet().lemmas
    return any(frozenset((a, b)) in _CONVERSE for a in lemmas(word.norm) for b in lemmas(other.norm))


_TURNS = re.compile(
    r"\b(?:outside|beyond|out of|other than|except|before|after|until)\s(?:(?:of|the|its|their|our|your)\s){0,2}$",
    re.IGNORECASE,
)


def _turned(text: str, word: Word) -> bool:
    """Whether what stands before a word already turns it round: "outside opening hours" is when it is shut."""
    return bool(_TURNS.search(text, max(0, word.start - 20), word.start))


def _opposites(
    statement: Analysis,
    words: tuple[Word, ...],
    segment: Segment,
    target: ClaimSegment | None,
    targets: list[ClaimSegment],
) -> tuple[tuple[Word, Word], ...]:
    """Words of the clause that mean the opposite of a word over there and have no equal there."""
    if target is None:
        return ()
    found = []
    for word in words:
        relations = word.form.related(target.all_forms)
        if Relation.OPPOSITE not in relations.values() or _within(word, segment.mood_span):
            continue
        if any(relation >= Relation.DERIVED for relation in relations.values()) or holders_of(word, targets):
            continue
        others = [*target.words, *target.borrowed]
        opposite = next(other for other in others if relations.get(other.form) is Relation.OPPOSITE)
        if _converse(word, opposite) and words[0].relation((target.words or [opposite])[0]) is not Relation.SAME:
            continue  # "A lends to B" and "B borrows from A"
        if _turned(target.analysis.text, opposite) or _turned(statement.text, word):
            continue
        if not _within(opposite, target.segment.mood_span):
            matched = any(w.relation(opposite) is Relation.SAME for w in words)
            if not matched and _share_more(word, words, statement, segment, target):
                found.append((word, opposite))
    return tuple(found)


def _share_more(
    word: Word, words: tuple[Word, ...], statement: Analysis, segment: Segment, target: ClaimSegment
) -> bool:
    """Whether the two clauses have something in common besides the opposites."""
    if any(
        other is not word and other.relation(there) >= Relation.DERIVED for other in words for there in target.words
    ):
        return True
    if any(
        other is not word and other.relation(there) >= Relation.DERIVED for other in words for there in target.borrowed
    ):
        return True
    return any(
        segment.start <= quantity.start < segment.end and any(quantity.same_as(there) for there in target.quantities)
        for quantity in statement.quantities
    ) or any(identifier.norm in target.text for identifier in statement.identifiers)


def _within(word: Word, span: tuple[int, int] | None) -> bool:
    return span is not None and span[0] <= word.start < span[1]
