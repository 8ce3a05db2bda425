"""From a question to an answer that was checked, or to a refusal that says why."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace

from aipk_core.answer import enforcement as gate
from aipk_core.answer.extractive import HOPELESS_BELOW, compose, select, statements
from aipk_core.answer.knowledge import Knowledge
from aipk_core.answer.model import (
    Answer,
    Backend,
    Citation,
    Completion,
    Enforcement,
    Judge,
    Message,
    Mode,
    Refusal,
    RefusalCode,
    Sampling,
)
from aipk_core.answer.prompts import chunk_prompt, claim_prompt, repair_prompt
from aipk_core.answer.question import analyse, standalone
from aipk_core.answer.relevance import WordSimilarity, relevance
from aipk_core.claims.model import Claim
from aipk_core.embedding.model import Embedder
from aipk_core.retrieval.model import ChunkHit, ClaimHit, Retriever
from aipk_core.verify.model import Report, UnitReport, Verdict

EXTRACTIVE = "extractive"

_REFUSALS = {
    RefusalCode.NOT_IN_SOURCES: "I don't know. Nothing in the reviewed sources answers this question.",
    RefusalCode.NO_CLAIMS: "I don't know. This package holds no reviewed claims, so nothing can be answered from it.",
    RefusalCode.NO_QUESTION: "There is no question to answer.",
    RefusalCode.EMPTY_ANSWER: "I don't know. The language model gave no answer.",
    RefusalCode.MODEL_DECLINED: "I don't know. The language model found no answer in the reviewed sources.",
    RefusalCode.UNSUPPORTED: "I don't know. An answer was drafted, but the reviewed sources do not support it, so it is withheld.",
    RefusalCode.NOTHING_TO_CHECK: "I don't know. The draft of an answer stated nothing that the sources could support.",
    RefusalCode.TRUNCATED: "I don't know. The draft of an answer was cut off before its end, so it is withheld.",
}


@dataclass(frozen=True, slots=True)
class Limits:
    """How much is looked at and given to a model."""

    claims_considered: int = 24
    claims_in_prompt: int = 10
    chunks_in_prompt: int = 6


class Answerer:
    """Answers questions over one package or several that were opened together; safe to call from several threads.

    Args:
        judge: the verifier over exactly the claims of ``knowledge``.
        backend: the language model; without one, answers are put together from claims alone.
        embedder: judges which words are close in meaning; without one only equal words count.
        persona: tone and role that the corpus asks for; it never overrides the rules.
    """

    def __init__(
        self,
        retriever: Retriever,
        judge: Judge,
        knowledge: Knowledge,
        *,
        backend: Backend | None = None,
        embedder: Embedder | None = None,
        persona: str = "",
        limits: Limits | None = None,
    ) -> None:
        self._retriever = retriever
        self._judge = judge
        self._knowledge = knowledge
        self._backend = backend
        self._words = WordSimilarity(embedder)
        self._persona = persona
        self._limits = limits or Limits()

    @property
    def engine(self) -> str:
        """``extractive``, or the name of the language model."""
        return self._backend.name if self._backend else EXTRACTIVE

    def with_backend(self, backend: Backend | None) -> Answerer:
        """The same knowledge with another language model, or with none; what was learned about words is shared."""
        other = copy(self)
        other._backend = backend
        return other

    def warm(self) -> None:
        """Load now what the first answer would otherwise wait for: tables, word lists, a parser.

        Raises:
            EmbedderError, PackageError: what answers need does not work.
        """
        self._words.scales()
        for hit in self._known(self._retriever.claims("What is this about?", limit=1)):
            self._judge.verify(f"{hit.claim.text} [{hit.claim.id}]", require_citations=True)
            self._judge.verify(hit.claim.text)

    def answer(
        self,
        asked: str | Sequence[Message],
        *,
        mode: Mode = Mode.STRICT_RENDER,
        enforcement: Enforcement = Enforcement.BLOCK,
        sampling: Sampling | None = None,
    ) -> Answer:
        """Answer the last question of a conversation.

        Raises:
            EmbedderError, PackageError: the search failed; there is no answer without it.
            ModelError: the language model failed; nothing that it may have said is used.
        """
        conversation = [Message("user", asked)] if isinstance(asked, str) else list(asked)
        query = standalone(conversation)
        blank = Answer("", mode, enforcement, engine=self.engine)
        if not query:
            return _refused(blank, RefusalCode.NO_QUESTION)
        if not self._knowledge.claims and (mode.strict or self._backend is None):
            return _refused(blank, RefusalCode.NO_CLAIMS)
        if self._backend is None:
            return self._extract(query, blank)
        return self._generate(self._backend, conversation, query, blank, sampling or Sampling())

    def _extract(self, query: str, blank: Answer) -> Answer:
        question = analyse(query)
        hits = self._known(self._retriever.claims(query, limit=self._limits.claims_considered))
        chosen = select(relevance(question, hits, self._knowledge.vocabulary, self._words))
        if not chosen:
            return _refused(blank, RefusalCode.NOT_IN_SOURCES)
        # Every statement is a claim's own text, yet it goes through the same judge as a model's: what does not pass
        # with its context is tried without, and what does not pass then is left out.
        literal = [hit.claim.text for hit in hits]
        kept: list[str] = []
        for statement in statements(question, chosen, self._knowledge.named):
            for text in statement.forms():
                if gate.standing(self._judge.verify(text, require_citations=True), literal=literal) is None:
                    kept.append(text)
                    break
        if not kept:
            return _refused(blank, RefusalCode.UNSUPPORTED)
        text = compose(kept)
        report = self._judge.verify(text, require_citations=True)
        if gate.standing(report, literal=literal) is not None:
            text = kept[0]
            report = self._judge.verify(text, require_citations=True)
        return replace(
            _with_report(blank, report), text=text, citations=self._claim_citations(report), notes=tuple(report.notes)
        )

    def _generate(
        self, backend: Backend, conversation: Sequence[Message], query: str, blank: Answer, sampling: Sampling
    ) -> Answer:
        claims: list[ClaimHit] = []
        chunks: list[ChunkHit] = []
        if blank.mode.strict:
            claims = self._known(self._retriever.claims(query, limit=self._limits.claims_in_prompt))
            if self._beside_the_point(query, claims):
                return _refused(blank, RefusalCode.NOT_IN_SOURCES)
            prompt = claim_prompt(conversation, claims, blank.mode, persona=self._persona)
        else:
            chunks = self._retriever.chunks(query, limit=self._limits.chunks_in_prompt)
            prompt = chunk_prompt(conversation, chunks, persona=self._persona)
        if not claims and not chunks:
            return _refused(blank, RefusalCode.NOT_IN_SOURCES)
        literal = [hit.chunk.text for hit in chunks] + [
            text for hit in claims for evidence in hit.claim.evidence[:3] for text in (evidence.quote, evidence.url)
        ]
        completion = backend.complete(prompt, sampling)
        text, report = self._judged(completion, blank.mode)
        answer = replace(_with_report(blank, report), text=text, usage=completion.usage)
        fault = _standing(completion, report, literal)
        if fault and blank.enforcement is Enforcement.REPAIR and fault in _REPAIRABLE:
            again = backend.complete(repair_prompt(prompt, text, report), sampling)
            usage = completion.usage + again.usage
            text, report = self._judged(again, blank.mode)
            answer = replace(_with_report(blank, report), text=text, usage=usage, repaired=True)
            fault = _standing(again, report, literal)
            if fault in _REPAIRABLE and fault is not RefusalCode.EMPTY_ANSWER:
                text, report = self._trimmed(report, literal, blank.mode, cut=fault is RefusalCode.TRUNCATED)
                answer = replace(
                    _with_report(answer, report), text=text, notes=("Unsupported statements were left out.",)
                )
                fault = gate.standing(report, literal=literal)
                if fault not in (None, RefusalCode.MODEL_DECLINED):
                    fault = RefusalCode.UNSUPPORTED
        if fault is None and blank.enforcement.withholds and (talk := gate.remarks(report, query)):
            text = gate.without(report, talk)
            report = self._judge.verify(text, require_citations=blank.mode is Mode.STRICT_RENDER)
            notes = (*answer.notes, "Remarks that could not be checked were left out.")
            answer = replace(_with_report(answer, report), text=text, notes=notes)
            fault = gate.standing(report, literal=literal)
            if fault is None and gate.remarks(report, query):
                fault = RefusalCode.UNSUPPORTED
        return self._released(answer, fault, report, chunks)

    def _beside_the_point(self, query: str, claims: Sequence[ClaimHit]) -> bool:
        """Whether no claim comes near the question: a model would answer with something true about something else."""
        question = analyse(query)
        if not question.english or not question.terms:
            return False
        ranked = relevance(question, claims, self._knowledge.vocabulary, self._words)
        return bool(ranked) and ranked[0].score < HOPELESS_BELOW

    def _judged(self, completion: Completion, mode: Mode) -> tuple[str, Report]:
        text = gate.visible(completion.text)
        return text, self._judge.verify(text, require_citations=mode is Mode.STRICT_RENDER)

    def _trimmed(self, report: Report, literal: Sequence[str], mode: Mode, *, cut: bool) -> tuple[str, Report]:
        dropped = gate.faults(report, literal=literal)
        if cut and report.units and report.units[-1] not in dropped:
            dropped.append(report.units[-1])
        text = gate.without(report, dropped)
        return text, self._judge.verify(text, require_citations=mode is Mode.STRICT_RENDER)

    def _released(
        self, answer: Answer, fault: RefusalCode | None, report: Report, chunks: Sequence[ChunkHit]
    ) -> Answer:
        """``answer`` as far as its enforcement lets it out."""
        strict = answer.mode.strict
        if fault is RefusalCode.EMPTY_ANSWER and (strict or answer.enforcement.withholds):
            return _refused(answer, fault)
        if fault is not None and answer.enforcement.withholds:
            return _refused(answer, fault)
        citations = self._claim_citations(report)
        sources = [_chunk_citation(len(citations) + number, hit) for number, hit in enumerate(chunks, 1)]
        answer = replace(answer, citations=(*citations, *sources), notes=(*answer.notes, *report.notes))
        if fault is None:
            return answer
        if fault in (RefusalCode.MODEL_DECLINED, RefusalCode.EMPTY_ANSWER):
            return replace(answer, citations=(), refusal=Refusal(fault, _REFUSALS[fault]), text=answer.text)
        flagged = replace(answer, flagged=True)
        if answer.enforcement is Enforcement.WARN:
            return replace(flagged, text=f"{answer.text}\n\n{_warning(fault, report)}")
        return flagged

    def _known(self, hits: Sequence[ClaimHit]) -> list[ClaimHit]:
        """Only claims that the judge knows as canonical may be shown to a model or a reader."""
        return [hit for hit in hits if hit.claim.id in self._knowledge.claims]

    def _claim_citations(self, report: Report) -> tuple[Citation, ...]:
        """What the supported units stand on: the claims that they cite, or else the best ones that were found."""
        ids: dict[str, None] = {}
        for unit in report.units:
            if unit.verdict is Verdict.SUPPORTED:
                ids.update(dict.fromkeys(_grounds(unit)))
        known = [self._knowledge.claims[name] for name in ids if name in self._knowledge.claims]
        return tuple(_claim_citation(number, package, claim) for number, (package, claim) in enumerate(known, 1))


_REPAIRABLE = frozenset(
    {RefusalCode.UNSUPPORTED, RefusalCode.NOTHING_TO_CHECK, RefusalCode.TRUNCATED, RefusalCode.EMPTY_ANSWER}
)


def _standing(completion: Completion, report: Report, literal: Sequence[str]) -> RefusalCode | None:
    fault = gate.standing(report, literal=literal)
    if fault is None and completion.finish == "length":
        return RefusalCode.TRUNCATED
    return fault


def _grounds(unit: UnitReport) -> list[str]:
    if unit.citations:
        return list(unit.citations)
    best = sorted(unit.claims, key=lambda match: -match.score)
    return [match.claim.id for match in best[:1]]


def _with_report(answer: Answer, report: Report) -> Answer:
    return replace(answer, report=report, coverage=report.coverage, counts=dict(report.counts))


def _refused(answer: Answer, code: RefusalCode) -> Answer:
    """A refusal in place of ``answer``: no word of what is withheld stays in any field."""
    return replace(
        answer,
        text=_REFUSALS[code],
        coverage=None,
        refusal=Refusal(code, _REFUSALS[code]),
        citations=(),
        report=None,
        flagged=False,
        notes=(),
    )


def _warning(fault: RefusalCode, report: Report) -> str:
    if fault is RefusalCode.UNSUPPORTED:
        bad = sum(1 for unit in report.factual_units if unit.verdict is not Verdict.SUPPORTED)
        total = len(report.factual_units)
        return f"⚠ Not verified: {bad} of {total} statements above are not supported by the reviewed sources."
    if fault is RefusalCode.TRUNCATED:
        return "⚠ Not verified: the answer above was cut off before its end."
    return "⚠ Not verified: nothing in the answer above could be checked against the reviewed sources."


def _claim_citation(number: int, package: str, claim: Claim) -> Citation:
    evidence = claim.evidence[0]
    return Citation(
        number=number,
        id=claim.id,
        kind="claim",
        package=package,
        document=evidence.document,
        start=evidence.start,
        end=evidence.end,
        quote=evidence.quote,
        text=claim.text,
        context=claim.context,
        heading_path=evidence.heading_path,
        url=evidence.url,
        page=evidence.page,
    )


def _chunk_citation(number: int, hit: ChunkHit) -> Citation:
    chunk = hit.chunk
    return Citation(
        number=number,
        id=chunk.id,
        kind="chunk",
        package=hit.package,
        document=chunk.document,
        start=chunk.start,
        end=chunk.end,
        quote=chunk.text,
        text=chunk.text,
        context=chunk.context,
        heading_path=chunk.heading_path,
        page=chunk.page,
    )
