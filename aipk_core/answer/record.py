"""Answers and reports as JSON values, one shape for ``--json`` and for the server's ``_aipk`` object."""

from __future__ import annotations

from typing import Any

from aipk_core.answer.model import Answer, Citation
from aipk_core.verify.model import UnitReport


def answer_record(answer: Answer) -> dict[str, Any]:
    """Everything about an answer but its text: mode, verdicts with reasons, citations, refusal.

    Offsets of units are counted in the answer's text; those of citations in the document's canonical text.
    """
    report = answer.report
    return {
        "mode": answer.mode.value,
        "enforcement": answer.enforcement.value,
        "engine": answer.engine,
        "coverage": answer.coverage,
        "counts": answer.counts,
        "outcome": report.outcome.value if report else None,
        "method": report.method if report else None,
        "units": [_unit(unit) for unit in report.units] if report else [],
        "citations": [citation_record(citation) for citation in answer.citations],
        "refusal": {"code": answer.refusal.code.value, "message": answer.refusal.message} if answer.refusal else None,
        "flagged": answer.flagged,
        "repaired": answer.repaired,
        "notes": list(answer.notes),
    }


def citation_record(citation: Citation) -> dict[str, Any]:
    return {
        "number": citation.number,
        "id": citation.id,
        "kind": citation.kind,
        "package": citation.package,
        "document": citation.document,
        "start": citation.start,
        "end": citation.end,
        "quote": citation.quote,
        "text": citation.text,
        "context": list(citation.context),
        "heading_path": list(citation.heading_path),
        "url": citation.url,
        "page": citation.page,
    }


def _unit(unit: UnitReport) -> dict[str, Any]:
    return {
        "start": unit.start,
        "end": unit.end,
        "text": unit.text,
        "kind": unit.kind.value,
        "verdict": unit.verdict.value,
        "score": unit.score,
        "citations": list(unit.citations),
        "unknown_citations": list(unit.unknown_citations),
        "reasons": [
            {
                "check": reason.check,
                "message": reason.message,
                "unit_span": list(reason.unit_span) if reason.unit_span else None,
                "claim_id": reason.claim_id,
                "claim_span": list(reason.claim_span) if reason.claim_span else None,
                "contradicts": reason.contradicts,
            }
            for reason in unit.reasons
        ],
        "claims": [
            {"id": match.claim.id, "score": round(match.score, 4), "cited": match.cited} for match in unit.claims
        ],
    }
