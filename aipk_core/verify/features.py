"""How far a statement is covered by claims, as a few numbers that a small linear model weighs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from aipk_core.verify.alignment import Alignment
from aipk_core.verify.findings import Finding
from aipk_core.verify.lexicon import cues
from aipk_core.verify.meaning import WordVectors, nearness
from aipk_core.verify.segments import segments_of

MATCHED = 0.7
"""Worth of a word match from which the word counts as found."""


@dataclass(frozen=True, slots=True)
class Features:
    """Numbers about one statement and some claims, all about 0..1 unless said otherwise.

    Attributes:
        coverage: share of the content that has an equal or a synonym.
        farthest: nearness of the word that fits least, 1 when all are found.
        second: nearness of the next one.
        mean: mean nearness, found words counting 1.
        strange: share of the words that are neither found nor near.
        whole: cosine of the statement and its nearest claim.
        weakest: mean nearness in the clause that fits least.
        unknown_names: names that no claim has, counted.
        missing: quantities and identifiers that no claim has, counted.
        agreed: quantities and identifiers that agree, counted, at most 3, over 3.
        widened: "all", "any" … that no claim has.
        growth: logarithm of the statement's length over the claims'.
        strangest: the word that fits least, as its number in the statement's words; -1 if all are found.
    """

    coverage: float
    farthest: float
    second: float
    mean: float
    strange: float
    whole: float
    weakest: float
    unknown_names: float
    missing: float
    agreed: float
    widened: float
    growth: float
    strangest: int

    def vector(self) -> tuple[float, ...]:
        return (
            self.coverage, self.farthest, self.second, self.mean, self.strange, self.whole, self.weakest, self.unknown_names,
            self.missing, self.agreed, self.widened, self.growth,
        )  # fmt: skip


def features_of(alignment: Alignment, findings: Sequence[Finding], words: WordVectors | None) -> Features:
    """The features; without word vectors, a word that is not found counts as far."""
    statement = alignment.statement
    open_words = [i for i, match in enumerate(alignment.words) if match.worth < MATCHED]
    near = [max(0.0, match.worth) if match.worth < MATCHED else 1.0 for match in alignment.words]
    whole = alignment.coverage
    if words is not None:
        spans = [(statement.words[i].start, statement.words[i].end) for i in open_words]
        values, whole = nearness(words, statement.text, spans, [claim.text for claim in alignment.claims])
        for i, value in zip(open_words, values, strict=True):
            near[i] = max(near[i], value)
    ordered = sorted(near) or [1.0]
    strangest = min(open_words, key=lambda i: near[i], default=-1)
    clauses = [[near[i] for i in segment.items] for segment in segments_of(statement)]
    clause_means = [sum(values) / len(values) for values in clauses if values]
    mine, theirs = (
        len(statement.words) + len(statement.quantities),
        sum(len(c.words) + len(c.quantities) for c in alignment.claims),
    )
    equal = sum(match.equal for match in alignment.quantities) + sum(match.equal for match in alignment.identifiers)
    universal = cues.UNIVERSAL.search(statement.text)
    widened = bool(universal) and not any(cues.UNIVERSAL.search(claim.text) for claim in alignment.claims)
    return Features(
        coverage=alignment.coverage,
        farthest=ordered[0],
        second=ordered[1] if len(ordered) > 1 else 1.0,
        mean=sum(near) / len(near) if near else 1.0,
        strange=sum(value < 0.45 for value in near) / len(near) if near else 0.0,
        whole=whole,
        weakest=min(clause_means, default=1.0),
        unknown_names=float(sum(match.word.name and match.worth < MATCHED for match in alignment.words)),
        missing=float(sum(finding.unsupported for finding in findings)),
        agreed=min(3, equal) / 3,
        widened=float(widened),
        growth=math.log((mine + 1) / (theirs + 1)),
        strangest=strangest,
    )
