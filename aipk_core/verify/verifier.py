"""The verifier: claims in, an answer in, a report out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

from aipk_core.embedding.model import Embedder
from aipk_core.errors import AipkError, EmbedderError, ModelError, UsageError
from aipk_core.verify.analysis import Analysis, analyse
from aipk_core.verify.checks.role import texts_to_parse
from aipk_core.verify.citations import CitationReader
from aipk_core.verify.claim_index import ClaimIndex, full_text, text_offset
from aipk_core.verify.coverage_of_languages import note_languages
from aipk_core.verify.decision import Nearness, Opinion, decide
from aipk_core.verify.findings import Finding
from aipk_core.verify.judges import Judge, Pair, reads
from aipk_core.verify.meaning import BUNDLED_MINILM, WordVectors, bundled_word_vectors
from aipk_core.verify.model import (
    ClaimMatch,
    Outcome,
    Reason,
    Report,
    UnitKind,
    UnitReport,
    Verdict,
    VerifiableClaim,
)
from aipk_core.verify.parsing import parse_ahead
from aipk_core.verify.passages import Passage, passages_of
from aipk_core.verify.units import FACTUAL_KINDS, MAX_ANSWER, AnswerUnit, Statement, read_units

CLAIMS_COMPARED = 4
"""Claims besides the cited ones that a unit is compared with."""
PASSAGES_COMPARED = 5
"""Sentences of long evidence that a sentence is compared with."""
SHOWN_CLAIMS = 3
_READ_TOGETHER = 16
"""Units whose sentences are parsed in one go."""


class _Evidence(NamedTuple):
    """Numbers of the claims for one unit: those it cites, all that it is compared with, and one that it repeats."""

    cited: list[int]
    numbers: list[int]
    verbatim: int | None = None


_MULTILINGUAL = "multilingual-e5"
"""Embedders whose cosines across languages were measured."""


class Verifier:
    """Judges answers by a fixed set of claims.

    >>> verifier = Verifier([VerifiableClaim("c-1", "The warranty lasts 3 years.")])
    >>> verifier.verify("The warranty lasts 9 years. [c-1]").units[0].verdict
    <Verdict.CONTRADICTED: 'contradicted'>

    Args:
        claims: the only evidence there is; ids must be unique.
        embedder: finds claims that share no word with a unit, also across languages when it is multilingual.
        judges: asked in order until one answers; the bundled model when not given, none for an empty list.
        known_ids: ids of claims that exist but are no evidence here (another package, deprecated): citing one is an error.
        meaning: ``none`` compares words by dictionary only, which is faster and accepts fewer paraphrases.
        parse: whether exchanged roles are looked for with a parser.

    Raises:
        UsageError: two claims share an id.
    """

    def __init__(
        self,
        claims: Sequence[VerifiableClaim],
        *,
        embedder: Embedder | None = None,
        judges: Sequence[Judge] | None = None,
        known_ids: Iterable[str] = (),
        meaning: Literal["bundled", "none"] = "bundled",
        parse: bool = True,
    ) -> None:
        ids = Counter(claim.id for claim in claims)
        if doubled := [id_ for id_, count in ids.items() if count > 1]:
            raise UsageError(
                f"claim id {doubled[0]!r} stands for {ids[doubled[0]]} claims",
                code="duplicate-claim-id",
                remedy="Give every claim an id of its own",
            )
        self._index = ClaimIndex(claims, embedder)
        self._embedder = embedder
        self._bridge = embedder if embedder is not None and embedder.identity.name.startswith(_MULTILINGUAL) else None
        self._foreign = frozenset(known_ids) - set(ids)
        self._reader = CitationReader(ids, self._foreign)
        self._judges = None if judges is None else tuple(judges)
        self._word_vectors = meaning
        self._parse = parse

    def verify(self, answer: str, *, lang: str | None = None, require_citations: bool = False) -> Report:
        """Judges every unit of ``answer``.

        Args:
            lang: language of the answer; guessed when not given.
            require_citations: a unit is supported only by the claims that it cites itself, all of them together;
                without it the best claims found count as well.

        Raises:
            UsageError: the answer is longer than ``MAX_ANSWER`` characters.
        """
        if len(answer) > MAX_ANSWER:
            raise UsageError(
                f"the answer has {len(answer):,} characters, more than {MAX_ANSWER:,}", code="answer-too-long"
            )
        read = read_units(answer, self._reader, lang)
        notes: dict[str, None] = {}
        units: list[UnitReport] = []
        for at in range(0, len(read.units), _READ_TOGETHER):
            group = [
                (unit, self._evidence(unit, read.lang, require_citations))
                for unit in read.units[at : at + _READ_TOGETHER]
            ]
            if self._parse:
                self._parse_ahead(group, read.lang)
            units += [self._judge_unit(answer, *found, read.lang, require_citations, notes) for found in group]
        return _report(answer, tuple(units), read.cut_off, notes)

    def judge(self, sentence: str, evidence: Sequence[VerifiableClaim], *, lang: str | None = None) -> UnitReport:
        """Judges one sentence by exactly these claims, whatever it cites; offsets are those of ``sentence``.

        A text of several sentences is as good as the worst of them.
        """
        passages = passages_of(evidence)
        cut = len(passages) > len(evidence)
        index = ClaimIndex([passage.piece for passage in passages])
        reader = CitationReader(claim.id for claim in evidence)
        read = read_units(sentence, reader, lang)
        factual = [replace(unit, cut_off=False) for unit in read.units if unit.kind in FACTUAL_KINDS]
        whole = AnswerUnit(0, len(sentence), UnitKind.SENTENCE, Statement(sentence, ((0, 0, len(sentence)),)))
        notes: dict[str, None] = {}
        reports = []
        for unit in factual or [whole]:
            numbers = list(range(len(passages)))
            if len(numbers) > PASSAGES_COMPARED:
                found = index.find(analyse(unit.statement.text, read.lang), PASSAGES_COMPARED)
                numbers = sorted(number for number, _ in found) or numbers[:1]
            report = self._weigh(
                unit, sentence, index, numbers, set(), read.lang, notes,
                only_cited=False, longer="\n".join(full_text(claim) for claim in evidence) if cut else "",
            )  # fmt: skip
            reports.append(_in_whole_claims(report, passages))
        return _worst(sentence, reports)

    def _evidence(self, unit: AnswerUnit, lang: str, require_citations: bool) -> _Evidence:
        """The claims that a unit is to be compared with."""
        if unit.kind not in FACTUAL_KINDS:
            return _Evidence([], [])
        cited = [self._index.by_id[id_] for id_ in unit.citations]
        same = [
            number for number in self._index.verbatim(unit.statement.text) if number in cited or not require_citations
        ]
        if same and not unit.cut_off and not unit.unknown_citations:
            return _Evidence(cited, [], next((number for number in same if number in cited), same[0]))
        numbers = list(cited)
        if not require_citations:
            analysis = analyse(unit.statement.text, lang)
            vector = self._index.vector_of(unit.statement.text, self._same_model())
            found = self._index.find(analysis, CLAIMS_COMPARED + len(cited), vector)
            numbers += [number for number, _ in found if number not in cited]
        return _Evidence(cited, numbers)

    def _same_model(self) -> WordVectors | None:
        """The word vectors, when the embedder is the model that they are of: one run then gives both."""
        if self._embedder is None or self._word_vectors == "none" or self._embedder.identity.name != BUNDLED_MINILM:
            return None
        return bundled_word_vectors()

    def _parse_ahead(self, group: Sequence[tuple[AnswerUnit, _Evidence]], lang: str) -> None:
        """Parses what the check of roles will look at, for several units in one go."""
        texts: list[str] = []
        for unit, evidence in group:
            if evidence.numbers:
                analyses = [self._index.analysis(number) for number in evidence.numbers]
                texts += texts_to_parse(analyse(unit.statement.text, lang), analyses)
        parse_ahead(texts)

    def _judge_unit(
        self,
        answer: str,
        unit: AnswerUnit,
        evidence: _Evidence,
        lang: str,
        require_citations: bool,
        notes: dict[str, None],
    ) -> UnitReport:
        if unit.kind not in FACTUAL_KINDS:
            verdict = Verdict.REFUSAL if unit.kind is UnitKind.REFUSAL else Verdict.NOT_FACTUAL
            return UnitReport(
                unit.start, unit.end, answer[unit.start : unit.end], unit.kind, verdict,
                citations=unit.citations, unknown_citations=unit.unknown_citations,
            )  # fmt: skip
        cited = set(evidence.cited)
        if evidence.verbatim is not None:
            match = ClaimMatch(self._index.claims[evidence.verbatim], 1.0, evidence.verbatim in cited)
            return _unit_report(answer, unit, Verdict.SUPPORTED, (), (match,), 1.0, "verbatim")
        return self._weigh(
            unit, answer, self._index, evidence.numbers, cited, lang, notes, only_cited=require_citations
        )

    def _weigh(
        self,
        unit: AnswerUnit,
        answer: str,
        index: ClaimIndex,
        numbers: list[int],
        cited: set[int],
        lang: str,
        notes: dict[str, None],
        *,
        only_cited: bool,
        longer: str = "",
    ) -> UnitReport:
        """Judges a unit by the claims at ``numbers``; ``longer`` is the text that they were cut from, if they were."""
        statement = analyse(unit.statement.text, lang)
        reasons: list[Reason] = [
            Reason("citation", _unknown_message(id_, self._foreign), (unit.start, unit.end))
            for id_ in unit.unknown_citations
        ]
        analyses = [index.analysis(number) for number in numbers]
        note_languages(statement, analyses, notes, bridged=self._bridge is not None)
        if not numbers:
            message = "it cites no claim" if only_cited else "no claim speaks of this"
            reasons.append(Reason("citation" if only_cited else "coverage", message, (unit.start, unit.end)))
            return _unit_report(answer, unit, Verdict.NOT_FOUND, reasons, (), 0.0, "rules")
        claims = [(number, index.analysis(number)) for number in numbers]
        nearness = self._nearness(statement, index, numbers)
        opinion = None
        if nearness is None or len(nearness.cosines) < len(claims):  # the learned judge reads one language
            opinion = self._opinion(statement, index, numbers, notes, longer)
        outcome = decide(
            statement, claims, opinion, self._words(notes),
            parse=self._parse, nearness=nearness, passages=bool(longer),
        )  # fmt: skip
        reasons += [_reason(finding, unit.statement, index, numbers) for finding in outcome.findings]
        verdict = outcome.verdict
        if unit.cut_off and verdict is Verdict.SUPPORTED:
            verdict = Verdict.PARTLY_SUPPORTED
            reasons.append(Reason("truncated", "the answer stops in the middle of this", (unit.start, unit.end)))
        matches = tuple(
            ClaimMatch(index.claims[number], round(score, 4), number in cited)
            for number, score in outcome.scores[:SHOWN_CLAIMS]
        )
        return _unit_report(answer, unit, verdict, reasons, matches, outcome.score, outcome.method)

    def _nearness(self, statement: Analysis, index: ClaimIndex, numbers: Sequence[int]) -> Nearness | None:
        """Cosines of the claims in other languages, when the embedder knows several."""
        if self._bridge is None:
            return None
        foreign = [place for place, number in enumerate(numbers) if index.analysis(number).lang != statement.lang]
        if not foreign:
            return None
        texts = [statement.text, *(full_text(index.claims[numbers[place]]) for place in foreign)]
        mine, *theirs = self._bridge.embed_queries(texts)
        cosines = {place: float(row @ mine) for place, row in zip(foreign, theirs, strict=True)}
        return Nearness(self._bridge.identity.name, cosines)

    def _opinion(
        self, statement: Analysis, index: ClaimIndex, numbers: Sequence[int], notes: dict[str, None], longer: str
    ) -> Opinion | None:
        """What the first judge that can answer says; it reads text that was cut as it stood."""
        evidence = longer or "\n".join(full_text(index.claims[number]) for number in numbers)
        for judge in self._asked(notes):
            if not reads(judge, statement.lang):
                continue
            try:
                return Opinion(judge.name, judge.judge([Pair(evidence, statement.text)])[0])
            except AipkError as error:
                notes[f"{judge.name} did not run: {error}"] = None
        return None

    def _asked(self, notes: dict[str, None]) -> Sequence[Judge]:
        if self._judges is not None:
            return self._judges
        try:
            from aipk_core.verify.learned import bundled_judge

            return (bundled_judge(),)
        except ModelError as error:
            notes[f"the learned model did not run: {error}"] = None
            return ()

    def _words(self, notes: dict[str, None]) -> WordVectors | None:
        if self._word_vectors == "none":
            return None
        try:
            return bundled_word_vectors()
        except EmbedderError as error:
            notes[f"words were compared by a dictionary only: {error}"] = None
            return None


_FROM_WORST = (Verdict.CONTRADICTED, Verdict.NOT_FOUND, Verdict.PARTLY_SUPPORTED, Verdict.SUPPORTED)


def _worst(sentence: str, reports: Sequence[UnitReport]) -> UnitReport:
    """One report on the whole text: the worst verdict and score, all reasons."""
    worst = min(reports, key=lambda report: (_FROM_WORST.index(report.verdict), report.score or 0.0))
    verdict = worst.verdict
    if verdict is Verdict.NOT_FOUND and any(report.verdict is Verdict.SUPPORTED for report in reports):
        verdict = Verdict.PARTLY_SUPPORTED
    reasons = tuple(reason for report in reports for reason in report.reasons)
    score = min(report.score or 0.0 for report in reports)
    return replace(worst, start=0, end=len(sentence), text=sentence, verdict=verdict, reasons=reasons, score=score)


def _in_whole_claims(report: UnitReport, passages: Sequence[Passage]) -> UnitReport:
    """The report with the claims as they were given in place of their pieces."""
    by_piece = {passage.piece.id: passage for passage in passages}
    reasons = []
    for reason in report.reasons:
        passage = by_piece.get(reason.claim_id)
        if passage is not None:
            span = reason.claim_span
            moved = (span[0] + passage.offset, span[1] + passage.offset) if span else None
            reason = replace(reason, claim_id=passage.claim.id, claim_span=moved)
        reasons.append(reason)
    matches: dict[str, ClaimMatch] = {}
    for match in report.claims:
        claim = by_piece[match.claim.id].claim
        matches.setdefault(claim.id, ClaimMatch(claim, match.score, match.cited))
    return replace(report, reasons=tuple(reasons), claims=tuple(matches.values()))


def _unknown_message(id_: str, foreign: frozenset[str]) -> str:
    if id_ in foreign:
        return f"“{id_}” is a claim of another package or no longer valid"
    return f"no claim has the id “{id_}”"


def _reason(finding: Finding, statement: Statement, index: ClaimIndex, numbers: Sequence[int]) -> Reason:
    span = statement.span_in_answer(*finding.span) if finding.span else None
    if finding.claim < 0:
        return Reason(finding.check, finding.message, span, contradicts=finding.contradicts)
    claim = index.claims[numbers[finding.claim]]
    claim_span = None
    if finding.claim_span:
        offset = text_offset(claim)
        start, end = finding.claim_span[0] - offset, finding.claim_span[1] - offset
        claim_span = (start, end) if start >= 0 else None
    return Reason(finding.check, finding.message, span, claim.id, claim_span, finding.contradicts)


def _unit_report(
    answer: str,
    unit: AnswerUnit,
    verdict: Verdict,
    reasons: Sequence[Reason],
    claims: tuple[ClaimMatch, ...],
    score: float,
    method: str,
) -> UnitReport:
    return UnitReport(
        unit.start, unit.end, answer[unit.start : unit.end], unit.kind, verdict, tuple(reasons), unit.citations,
        unit.unknown_citations, claims, round(score, 4), method,
    )  # fmt: skip


_TOKEN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]{1,2}|\w+(?:[.,:'’-]\w+)*")


def _tiny(units: Sequence[UnitReport]) -> bool:
    """Whether all that is said is one word or number."""
    said = (re.sub(r"[\[【][^\]】]*[\]】]", " ", unit.text) for unit in units)
    return sum(len(_TOKEN.findall(text)) for text in said) < 2


def _report(answer: str, units: tuple[UnitReport, ...], cut_off: bool, notes: dict[str, None]) -> Report:
    counts = Counter(unit.verdict.value for unit in units)
    factual = [unit for unit in units if unit.factual]
    supported = counts[Verdict.SUPPORTED.value]
    coverage = supported / len(factual) if factual else None
    if not answer.strip():
        outcome = Outcome.EMPTY
    elif cut_off:
        outcome = Outcome.TRUNCATED
    elif factual and _tiny(factual):
        outcome, coverage = Outcome.TINY, None
    elif factual:
        outcome = Outcome.JUDGED
    elif counts[Verdict.REFUSAL.value]:
        outcome = Outcome.REFUSAL
    else:
        outcome = Outcome.NOTHING_TO_CHECK
    methods = dict.fromkeys(unit.method for unit in units if unit.factual)
    return Report(answer, outcome, units, coverage, dict(counts), "; ".join(methods) or "rules", tuple(notes))
