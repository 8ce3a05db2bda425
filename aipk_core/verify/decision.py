"""From findings and scores to a verdict.

A claim alone, or the claims together, must carry the statement without a contradiction. A contradiction that a rule found
stands unless one claim by itself clearly says what the statement says.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from aipk_core.verify.across_languages import judge_across
from aipk_core.verify.alignment import Alignment, align
from aipk_core.verify.analysis import Analysis
from aipk_core.verify.features import Features, features_of
from aipk_core.verify.findings import Finding
from aipk_core.verify.judges import Probabilities
from aipk_core.verify.meaning import WordVectors
from aipk_core.verify.model import Verdict
from aipk_core.verify.rules import RuleJudgement, judge_by_rules
from aipk_core.verify.scoring import SUPPORTED_FROM, Evidence, score_of

MOST_TOGETHER = 3
"""Claims that are read together."""
JUDGE_CONTRADICTS = 0.65
"""Share of "contradicted" in a judge's disbelief from which it names the verdict of a statement that is not supported anyway."""
SAME_SUBJECT = 0.25
"""Share of the statement that the claims must cover before a judge may call it contradicted: else they speak of other things."""


@dataclass(frozen=True, slots=True)
class Opinion:
    """What a judge said about the statement and all its claims."""

    name: str
    probabilities: Probabilities


@dataclass(frozen=True, slots=True)
class Nearness:
    """How near claims in another language are in meaning.

    Attributes:
        name: the embedder that says so.
        cosines: of the statement and the claim at each place of the list that is judged.
    """

    name: str
    cosines: Mapping[int, float]


@dataclass(frozen=True, slots=True)
class Decision:
    """``findings`` name claims by their place in the list that was judged; ``scores`` by their number."""

    verdict: Verdict
    score: float
    findings: tuple[Finding, ...]
    scores: tuple[tuple[int, float], ...]
    method: str


@dataclass(frozen=True, slots=True)
class _Reading:
    """The statement read against some of the claims: ``places`` in the list."""

    places: tuple[int, ...]
    judgement: RuleJudgement
    features: Features
    score: float

    @property
    def supports(self) -> bool:
        return not self.judgement.contradicted and not self.lacks_a_value and self.score >= SUPPORTED_FROM

    @property
    def words(self) -> float:
        """Share of the statement's words that stand in these claims; says which claim is about the same thing."""
        matches = self.judgement.alignment.words
        return sum(match.worth >= 0.7 for match in matches) / max(1, len(matches))

    @property
    def lacks_a_value(self) -> bool:
        """Whether a figure or a name that must match letter by letter is in no claim."""
        text = self.judgement.alignment.statement.text
        return any(
            finding.unsupported
            and finding.span is not None
            and (
                finding.check == "identifier"
                or (finding.check == "quantity" and any(map(str.isdigit, text[slice(*finding.span)])))
            )
            for finding in self.judgement.findings
        )


def decide(
    statement: Analysis,
    claims: Sequence[tuple[int, Analysis]],
    opinion: Opinion | None,
    words: WordVectors | None,
    *,
    parse: bool = True,
    nearness: Nearness | None = None,
    passages: bool = False,
) -> Decision:
    """The verdict on ``statement`` by ``claims`` (number, analysis), the cited ones first.

    Args:
        nearness: of the claims in other languages; without it they are read as if they were in the statement's.
        passages: the claims are sentences of longer text.
    """
    evidence = Evidence.PASSAGES if passages else Evidence.CLAIMS
    if statement.lang != "en":
        evidence = Evidence.OTHER_LANGUAGE
    if nearness is None or not nearness.cosines:
        return _decide(statement, claims, opinion, words, evidence, parse=parse)
    own = [place for place in range(len(claims)) if place not in nearness.cosines]
    inside = None
    if own:
        inside = _decide(statement, [claims[place] for place in own], opinion, words, evidence, parse=parse)
    if inside is not None and inside.verdict in (Verdict.SUPPORTED, Verdict.CONTRADICTED):
        return _moved(inside, own)
    crossing = judge_across(statement, [analysis for _, analysis in claims], nearness.cosines)
    if inside is not None and crossing.verdict is not Verdict.SUPPORTED:
        return _moved(inside, own)
    scores = sorted(
        ((claims[place][0], round(max(0.0, near), 4)) for place, near in nearness.cosines.items()), key=lambda s: -s[1]
    )
    found = Decision(
        crossing.verdict, crossing.score, crossing.findings, tuple(scores), f"rules+embedder:{nearness.name}"
    )
    return _moved(found, [crossing.place])


def _moved(decision: Decision, places: Sequence[int]) -> Decision:
    """The decision on some of the claims with its findings naming their places in the whole list."""
    findings = (replace(f, claim=places[f.claim]) if f.claim >= 0 else f for f in decision.findings)
    return replace(decision, findings=tuple(findings))


def _decide(
    statement: Analysis,
    claims: Sequence[tuple[int, Analysis]],
    opinion: Opinion | None,
    words: WordVectors | None,
    evidence: Evidence,
    *,
    parse: bool,
) -> Decision:
    probabilities = opinion.probabilities if opinion else None
    method = f"rules+{opinion.name}" if opinion else "rules"
    alone = [align(statement, [analysis]) for _, analysis in claims]
    scores = tuple(sorted(((claims[i][0], one.coverage) for i, one in enumerate(alone)), key=lambda pair: -pair[1]))
    chosen = _complementary(alone)

    def read(places: tuple[int, ...]) -> _Reading:
        return _read(statement, claims, places, probabilities, words, evidence, parse=parse)

    single = [read((chosen[0],))]
    if single[0].supports and (single[0].words == 1.0 or len(chosen) == 1):
        return Decision(Verdict.SUPPORTED, single[0].score, _relocated(single[0], contradicting=False), scores, method)
    single += [read((place,)) for place in chosen[1:] if alone[place].coverage >= 0.5]
    joint = single[0] if len(chosen) == 1 else read(tuple(sorted(chosen)))
    best = max((joint, *single), key=lambda reading: (reading.supports, reading.score))
    denying = [
        reading for reading in (joint, *single) if reading.judgement.contradicted and reading.words > best.words + 0.05
    ]
    if best.supports and not denying:
        return Decision(Verdict.SUPPORTED, best.score, _relocated(best, contradicting=False), scores, method)
    readings = denying or sorted(
        (joint, *single),
        key=lambda reading: (reading is joint, reading.judgement.alignment.coverage),
        reverse=True,
    )
    contradicted = next((reading for reading in readings if reading.judgement.contradicted), None)
    if contradicted is not None:
        findings = _relocated(contradicted, contradicting=True)
        return Decision(Verdict.CONTRADICTED, min(best.score, 0.2), findings, scores, method)
    score = min(joint.score, SUPPORTED_FROM - 0.01)
    findings = (*_relocated(joint, contradicting=False), *_missing(joint))
    if _denied(probabilities) and joint.judgement.alignment.coverage >= SAME_SUBJECT:
        note = Finding(
            "model", "the model reads the claims as saying otherwise", (0, len(statement.text)), contradicts=True
        )
        return Decision(Verdict.CONTRADICTED, min(score, 0.2), (*findings, note), scores, method)
    verdict = Verdict.PARTLY_SUPPORTED if _partly(joint) else Verdict.NOT_FOUND
    return Decision(verdict, score, findings, scores, method)


def _denied(probabilities: Probabilities | None) -> bool:
    """Whether a judge that does not believe a statement holds it for contradicted rather than open."""
    if probabilities is None or probabilities.supported >= 0.5:
        return False
    disbelief = probabilities.contradicted + probabilities.not_found
    return probabilities.contradicted >= JUDGE_CONTRADICTS * disbelief > 0


def _complementary(alone: Sequence[Alignment]) -> list[int]:
    """The claim that covers most, then those that cover something still open; at most ``MOST_TOGETHER``."""
    order = sorted(range(len(alone)), key=lambda place: -alone[place].coverage)
    chosen = order[:1]
    covered = set(alone[chosen[0]].covered)
    for place in order[1:]:
        new = alone[place].covered - covered
        if new and len(chosen) < MOST_TOGETHER:
            chosen.append(place)
            covered |= new
    return chosen


def _read(
    statement: Analysis,
    claims: Sequence[tuple[int, Analysis]],
    places: tuple[int, ...],
    probabilities: Probabilities | None,
    words: WordVectors | None,
    evidence: Evidence,
    *,
    parse: bool,
) -> _Reading:
    judgement = judge_by_rules(statement, [claims[place][1] for place in places], parse=parse)
    features = features_of(judgement.alignment, judgement.findings, words)
    return _Reading(places, judgement, features, score_of(features, probabilities, evidence))


def _relocated(reading: _Reading, *, contradicting: bool) -> tuple[Finding, ...]:
    """The findings with claims named by their place in the whole list."""
    return tuple(
        Finding(
            f.check,
            f.message,
            f.span,
            reading.places[f.claim] if f.claim >= 0 else -1,
            f.claim_span,
            f.contradicts,
            f.unsupported,
        )
        for f in reading.judgement.findings
        if f.contradicts or not contradicting
    )


def _missing(reading: _Reading) -> tuple[Finding, ...]:
    """The words that fit least, as a reason."""
    statement = reading.judgement.alignment.statement
    index = reading.features.strangest
    if index < 0:
        return (Finding("coverage", "no claim says all of this", (0, len(statement.text)), unsupported=True),)
    word = statement.words[index]
    said = statement.text[word.start : word.end]
    return (Finding("addition", f"no claim speaks of “{said}”", (word.start, word.end), unsupported=True),)


def _partly(reading: _Reading) -> bool:
    """Whether one clause is covered while another is not."""
    features = reading.features
    return features.coverage >= 0.5 and features.weakest < 0.6 and features.mean - features.weakest > 0.15
