"""Ask a corpus's questions in several ways and say what became of the answers.

Two ways are compared. *Vanilla* is retrieval-augmented generation as it is commonly done: the best chunks go to the
model, or without a model the best chunk is the answer; nobody checks it. *Strict-render* answers from canonical claims
only, with a citation after every statement, and refuses when they do not answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from aipk_core.answer.answerer import Answerer
from aipk_core.answer.model import Answer, Enforcement, Judge, Mode
from aipk_core.evaluation.questions import Question
from aipk_core.retrieval.model import Retriever
from aipk_core.verify import VerifiableClaim, Verifier
from aipk_core.verify.model import Outcome, Verdict

VANILLA = "vanilla"
STRICT = "strict-render"

Tell = Callable[[str, int, int | None], None]


@dataclass(frozen=True, slots=True)
class Asked:
    """One question asked in one way.

    Attributes:
        coverage: share of the answer's statements that the canonical claims support; 0 for a refusal, ``None`` when the
            answer states nothing.
        contradicts_gold: whether the answer says something else than the gold answer.
        gold_cited: whether a sentence that the gold answer rests on is among the answer's sources.
    """

    question: Question
    way: str
    text: str
    refused: bool
    reason: str
    coverage: float | None
    contradicts_gold: bool
    gold_cited: bool


@dataclass(frozen=True, slots=True)
class Summary:
    """What became of all questions asked in one way; counts are questions."""

    way: str
    engine: str
    answerable: int
    unanswerable: int
    coverage_answerable: float
    coverage_unanswerable: float
    right_refusals: int
    wrong_refusals: int
    contradictions: int
    gold_cited: int

    def row(self) -> dict[str, str]:
        """The summary as a table row."""
        return {
            "way": f"{self.way} ({self.engine})",
            "coverage, answerable": f"{self.coverage_answerable:.3f}",
            "coverage, unanswerable": f"{self.coverage_unanswerable:.3f}",
            "refused, unanswerable": f"{self.right_refusals}/{self.unanswerable}",
            "refused, answerable": f"{self.wrong_refusals}/{self.answerable}",
            "contradicts gold": f"{self.contradictions}/{self.answerable}",
            "gold sentence cited": f"{self.gold_cited}/{self.answerable}",
        }


def ask_all(
    questions: Sequence[Question], answerer: Answerer, retriever: Retriever, judge: Judge, progress: Tell
) -> list[Asked]:
    """Every question in both ways, vanilla first."""
    asked: list[Asked] = []
    total = 2 * len(questions)
    for question in questions:
        for way in (VANILLA, STRICT):
            answer = _answered(question, way, answerer, retriever)
            asked.append(_judged(question, way, answer, judge))
            progress("asking questions", len(asked), total)
    return asked


def summarise(asked: Sequence[Asked], engine: str) -> list[Summary]:
    """One summary for each way, in the order in which they were asked."""
    return [
        _summary(way, engine, [item for item in asked if item.way == way])
        for way in dict.fromkeys(item.way for item in asked)
    ]


def asked_record(item: Asked) -> dict[str, Any]:
    """One asked question as JSON values."""
    return {
        "id": item.question.id,
        "question": item.question.question,
        "way": item.way,
        "answer": item.text,
        "refused": item.refused,
        "reason": item.reason,
        "coverage": item.coverage,
        "answerable": item.question.answerable,
        "contradicts_gold": item.contradicts_gold,
        "gold_cited": item.gold_cited,
    }


def _answered(question: Question, way: str, answerer: Answerer, retriever: Retriever) -> Answer:
    if way == STRICT:
        return answerer.answer(question.question, mode=Mode.STRICT_RENDER, enforcement=Enforcement.BLOCK)
    if answerer.engine != "extractive":
        return answerer.answer(question.question, mode=Mode.NORMAL, enforcement=Enforcement.OBSERVE)
    hits = retriever.chunks(question.question, limit=1)
    text = hits[0].chunk.text if hits else ""
    return Answer(text, Mode.NORMAL, Enforcement.OBSERVE)


def _judged(question: Question, way: str, answer: Answer, judge: Judge) -> Asked:
    report = judge.verify(answer.text)
    refused = answer.refused or report.outcome in {Outcome.REFUSAL, Outcome.EMPTY}
    return Asked(
        question=question,
        way=way,
        text=answer.text,
        refused=refused,
        reason=answer.refusal.code.value if answer.refusal else "",
        coverage=0.0 if refused else report.coverage,
        contradicts_gold=not refused and question.answerable and _contradicts(answer, question, judge),
        gold_cited=_cites_gold(answer, question),
    )


def _contradicts(answer: Answer, question: Question, judge: Judge) -> bool:
    """Whether somebody who believes the answer must think the gold answer wrong.

    The gold answer is judged with the answer's own statements as evidence, each as a claim. The other way round an
    answer that adds a true detail would count as wrong.
    """
    statements = [
        VerifiableClaim(id=f"statement-{number}", text=_uncited(unit.text, unit.citations))
        for number, unit in enumerate(judge.verify(answer.text).factual_units)
    ]
    # A statement that says what the gold answer says settles it; beside others about other things it may look different.
    if any(_verdict([statement], question.answer) is Verdict.SUPPORTED for statement in statements):
        return False
    return _verdict(statements, question.answer) is Verdict.CONTRADICTED


def _verdict(statements: Sequence[VerifiableClaim], gold: str) -> Verdict | None:
    verdicts = {unit.verdict for unit in Verifier(statements).verify(gold).factual_units}
    if Verdict.CONTRADICTED in verdicts:
        return Verdict.CONTRADICTED
    return Verdict.SUPPORTED if verdicts == {Verdict.SUPPORTED} else None


def _uncited(text: str, citations: Sequence[str]) -> str:
    for name in citations:
        text = text.replace(f"[{name}]", "")
    return text.strip()


def _cites_gold(answer: Answer, question: Question) -> bool:
    """For a vanilla answer without citations its own text is the source that it shows."""
    sources = [(citation.document, citation.quote) for citation in answer.citations]
    if not sources:
        return any(gold.sentence in answer.text for gold in question.gold)
    return any(
        gold.sentence in quote and document == gold.document for gold in question.gold for document, quote in sources
    )


def _summary(way: str, engine: str, items: Sequence[Asked]) -> Summary:
    answerable = [item for item in items if item.question.answerable]
    unanswerable = [item for item in items if not item.question.answerable]
    return Summary(
        way=way,
        engine=engine,
        answerable=len(answerable),
        unanswerable=len(unanswerable),
        coverage_answerable=_mean(answerable),
        coverage_unanswerable=_mean(unanswerable),
        right_refusals=sum(item.refused for item in unanswerable),
        wrong_refusals=sum(item.refused for item in answerable),
        contradictions=sum(item.contradicts_gold for item in answerable),
        gold_cited=sum(item.gold_cited for item in answerable),
    )


def _mean(items: Sequence[Asked]) -> float:
    return fmean(item.coverage or 0.0 for item in items) if items else 0.0
