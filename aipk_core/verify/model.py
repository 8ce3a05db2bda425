"""What goes into a verification and what comes out of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """What the evidence says about one unit of an answer."""

    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    PARTLY_SUPPORTED = "partly_supported"
    NOT_FOUND = "not_found"
    NOT_FACTUAL = "not_factual"
    REFUSAL = "refusal"


class UnitKind(StrEnum):
    """What a piece of an answer is; only sentences, list items and table rows can state facts."""

    SENTENCE = "sentence"
    LIST_ITEM = "list_item"
    TABLE_ROW = "table_row"
    CODE = "code"
    HEADING = "heading"
    QUESTION = "question"
    GREETING = "greeting"
    HEDGE = "hedge"
    REFUSAL = "refusal"
    REASONING = "reasoning"
    CITATION = "citation"


class Outcome(StrEnum):
    """What an answer is as a whole."""

    JUDGED = "judged"  # it has factual units
    EMPTY = "empty"
    REFUSAL = "refusal"  # it only says that it does not know
    NOTHING_TO_CHECK = "nothing_to_check"  # greetings, questions, code …
    TRUNCATED = "truncated"  # it stops in the middle of a unit
    TINY = "tiny"  # a single word or number, which states nothing that claims could support


@dataclass(frozen=True, slots=True)
class VerifiableClaim:
    """One claim as the verifier sees it; needs no package.

    Attributes:
        context: heading path, lead-in, column names that belong to the text, outermost first.
        quote: the exact source text; ``document[start:end] == quote``.
    """

    id: str
    text: str
    context: tuple[str, ...] = ()
    quote: str = ""
    document: str = ""
    start: int = 0
    end: int = 0
    url: str = ""
    lang: str = "en"


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a unit got its verdict, in words that a person understands.

    Attributes:
        check: which check speaks: ``quantity``, ``polarity``, ``modality``, ``entity``, ``model`` …
        unit_span: offsets in the answer of the words concerned, or ``None``.
        claim_id: the claim compared with; ``""`` if none.
        claim_span: offsets in that claim's text, or ``None``.
        contradicts: whether this reason alone makes the unit contradicted.
    """

    check: str
    message: str
    unit_span: tuple[int, int] | None = None
    claim_id: str = ""
    claim_span: tuple[int, int] | None = None
    contradicts: bool = False


@dataclass(frozen=True, slots=True)
class ClaimMatch:
    """A claim that was compared with a unit; ``score`` in 0..1, how far it supports the unit; ``cited`` by the answer."""

    claim: VerifiableClaim
    score: float
    cited: bool


@dataclass(frozen=True, slots=True)
class UnitReport:
    """The judgement of one unit: ``answer[start:end] == text``.

    Attributes:
        citations: ids that the answer cites for this unit, known to the verifier.
        unknown_citations: ids cited that no claim has.
        score: 0..1, belief that the evidence supports the unit; ``None`` for units that are not factual.
        method: which judges ran, e.g. ``rules`` or ``rules+model:grounding-v2``.
    """

    start: int
    end: int
    text: str
    kind: UnitKind
    verdict: Verdict
    reasons: tuple[Reason, ...] = ()
    citations: tuple[str, ...] = ()
    unknown_citations: tuple[str, ...] = ()
    claims: tuple[ClaimMatch, ...] = ()
    score: float | None = None
    method: str = "rules"

    @property
    def factual(self) -> bool:
        return self.verdict not in (Verdict.NOT_FACTUAL, Verdict.REFUSAL)


@dataclass(frozen=True, slots=True)
class Report:
    """The judgement of a whole answer.

    Attributes:
        coverage: supported factual units / factual units; ``None`` when there is no factual unit.
        counts: units per verdict.
        notes: what the checks did not cover, e.g. a language without a parser.
    """

    answer: str
    outcome: Outcome
    units: tuple[UnitReport, ...]
    coverage: float | None
    counts: dict[str, int]
    method: str
    notes: tuple[str, ...] = ()

    @property
    def factual_units(self) -> tuple[UnitReport, ...]:
        return tuple(unit for unit in self.units if unit.factual)
