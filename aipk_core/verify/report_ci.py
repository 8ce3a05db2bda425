"""Reports for continuous integration: SARIF 2.1.0 and JUnit XML."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from aipk_core import __version__
from aipk_core.verify.model import Report, UnitReport, Verdict

_LEVELS = {Verdict.CONTRADICTED: "error", Verdict.PARTLY_SUPPORTED: "warning", Verdict.NOT_FOUND: "warning"}
_RULES = {
    Verdict.CONTRADICTED: "The claims say otherwise.",
    Verdict.PARTLY_SUPPORTED: "The claims support only part of this.",
    Verdict.NOT_FOUND: "No claim supports this.",
}
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def reports_to_sarif(reports: Sequence[tuple[str, Report]]) -> dict[str, Any]:
    """A SARIF log; each report with the name (a path) of the answer it judges."""
    results = [
        _result(name, report, unit) for name, report in reports for unit in report.units if unit.verdict in _LEVELS
    ]
    rules = [{"id": verdict.value, "shortDescription": {"text": text}} for verdict, text in _RULES.items()]
    driver = {"name": "aipk verify", "version": __version__, "rules": rules}
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}],
    }


def _result(name: str, report: Report, unit: UnitReport) -> dict[str, Any]:
    line, column = _position(report.answer, unit.start)
    end_line, end_column = _position(report.answer, unit.end)
    region = {
        "startLine": line,
        "startColumn": column,
        "endLine": end_line,
        "endColumn": end_column,
        "charOffset": unit.start,
        "charLength": unit.end - unit.start,
    }
    return {
        "ruleId": unit.verdict.value,
        "level": _LEVELS[unit.verdict],
        "message": {"text": _message(unit)},
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": name.replace("\\", "/")}, "region": region}}],
    }


def reports_to_junit(reports: Sequence[tuple[str, Report]]) -> str:
    """JUnit XML: a suite for each answer, a case for each unit that states something."""
    suites = []
    for name, report in reports:
        cases = [_case(name, unit) for unit in report.factual_units]
        failed = sum(unit.verdict is not Verdict.SUPPORTED for unit in report.factual_units)
        suites.append(
            f'<testsuite name={_attribute(name)} tests="{len(cases)}" failures="{failed}">{"".join(cases)}</testsuite>'
        )
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>{"".join(suites)}</testsuites>\n'


def _case(name: str, unit: UnitReport) -> str:
    title = " ".join(unit.text.split())[:120]
    if unit.verdict is Verdict.SUPPORTED:
        return f"<testcase classname={_attribute(name)} name={_attribute(title)}/>"
    body = f"<failure type={_attribute(unit.verdict.value)} message={_attribute(_message(unit))}>{_text(unit.text)}</failure>"
    return f"<testcase classname={_attribute(name)} name={_attribute(title)}>{body}</testcase>"


def _message(unit: UnitReport) -> str:
    reasons = "; ".join(reason.message for reason in unit.reasons) or _RULES.get(unit.verdict, "")
    return f"{unit.verdict.value.replace('_', ' ')}: {reasons}"


def _position(text: str, offset: int) -> tuple[int, int]:
    before = text[:offset]
    return before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1


def _attribute(text: str) -> str:
    return quoteattr(_NOT_XML.sub("\ufffd", text))


def _text(text: str) -> str:
    return escape(_NOT_XML.sub("\ufffd", text))
