"""Reports as JSON, and the schema of that JSON (``docs/verification-report.schema.json`` is made from here)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from aipk_core.verify.model import ClaimMatch, Outcome, Reason, Report, UnitKind, UnitReport, Verdict

SCHEMA_ID = "verification-report/1"

Span = Annotated[list[int], Field(min_length=2, max_length=2, description="[start, end) in code points")]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ReasonJson(_Model):
    """Why a unit got its verdict."""

    check: str = Field(description="which check speaks, e.g. quantity, polarity, modality, entity, addition, model")
    message: str
    unit_span: Span | None = Field(description="the words concerned, offsets in the answer")
    claim_id: str = Field(description="the claim compared with; empty if none")
    claim_span: Span | None = Field(description="offsets in that claim's text")
    contradicts: bool


class ClaimJson(_Model):
    """A claim that was compared with a unit."""

    id: str
    text: str
    context: list[str]
    quote: str = Field(description="the exact source text: document[start:end]")
    document: str
    start: int
    end: int
    url: str
    lang: str
    score: float
    cited: bool


class UnitJson(_Model):
    """One judged piece of the answer: answer[start:end] == text."""

    start: int
    end: int
    text: str
    kind: UnitKind
    verdict: Verdict
    factual: bool
    score: float | None
    method: str
    citations: list[str]
    unknown_citations: list[str]
    reasons: list[ReasonJson]
    claims: list[ClaimJson]


class ReportJson(_Model):
    """The judgement of one answer."""

    schema_: Literal["verification-report/1"] = Field(alias="schema")
    answer: str
    outcome: Outcome
    coverage: float | None = Field(description="supported factual units / factual units; null when there is none")
    counts: dict[str, int] = Field(description="units per verdict")
    method: str
    notes: list[str]
    units: list[UnitJson]


def report_to_dict(report: Report) -> dict[str, Any]:
    """JSON-ready; valid by ``report_schema()``."""
    return {
        "schema": SCHEMA_ID,
        "answer": report.answer,
        "outcome": report.outcome.value,
        "coverage": None if report.coverage is None else round(report.coverage, 4),
        "counts": dict(sorted(report.counts.items())),
        "method": report.method,
        "notes": list(report.notes),
        "units": [unit_to_dict(unit) for unit in report.units],
    }


def unit_to_dict(unit: UnitReport) -> dict[str, Any]:
    return {
        "start": unit.start,
        "end": unit.end,
        "text": unit.text,
        "kind": unit.kind.value,
        "verdict": unit.verdict.value,
        "factual": unit.factual,
        "score": unit.score,
        "method": unit.method,
        "citations": list(unit.citations),
        "unknown_citations": list(unit.unknown_citations),
        "reasons": [reason_to_dict(reason) for reason in unit.reasons],
        "claims": [_claim_to_dict(match) for match in unit.claims],
    }


def reason_to_dict(reason: Reason) -> dict[str, Any]:
    return {
        "check": reason.check,
        "message": reason.message,
        "unit_span": list(reason.unit_span) if reason.unit_span else None,
        "claim_id": reason.claim_id,
        "claim_span": list(reason.claim_span) if reason.claim_span else None,
        "contradicts": reason.contradicts,
    }


def _claim_to_dict(match: ClaimMatch) -> dict[str, Any]:
    claim = match.claim
    return {
        "id": claim.id,
        "text": claim.text,
        "context": list(claim.context),
        "quote": claim.quote,
        "document": claim.document,
        "start": claim.start,
        "end": claim.end,
        "url": claim.url,
        "lang": claim.lang,
        "score": match.score,
        "cited": match.cited,
    }


def report_schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of a report."""
    schema = ReportJson.model_json_schema(by_alias=True)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "Verification report"}


def main() -> None:
    """Writes the published schema: ``python -m aipk_core.verify.report_json``."""
    import json
    from pathlib import Path

    target = Path(__file__).resolve().parents[2] / "docs" / "verification-report.schema.json"
    target.write_text(json.dumps(report_schema(), indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
