"""The same report as JSON, HTML, SARIF, JUnit and on a terminal; untrusted text stays text."""

from __future__ import annotations

import io
import json
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest
from rich.console import Console

from aipk_core.verify import Report, VerifiableClaim, Verifier
from aipk_core.verify.report_ci import reports_to_junit, reports_to_sarif
from aipk_core.verify.report_html import report_to_html
from aipk_core.verify.report_json import report_schema, report_to_dict
from aipk_core.verify.report_terminal import print_report

SCHEMA = Path(__file__).resolve().parents[2] / "docs" / "verification-report.schema.json"


@pytest.fixture(scope="module")
def report() -> Report:
    claim = VerifiableClaim(
        "c-<1>", "The <b>tank</b> holds 40 L.", quote="The tank holds 40 L.", document="tank.md", start=3, end=23,
        url="javascript:alert(1)", context=("Tanks",),
    )  # fmt: skip
    verifier = Verifier([claim], judges=[])
    return verifier.verify(
        "The <b>tank</b> holds 90 L. [c-<1>]\n\x1b[31mIt was built by <script>alert(1)</script> elves."
    )


def test_json_follows_the_schema(report: Report) -> None:
    jsonschema.validate(json.loads(json.dumps(report_to_dict(report))), report_schema())


def test_the_published_schema_is_current() -> None:
    assert json.loads(SCHEMA.read_text("utf-8")) == report_schema(), "run: python -m aipk_core.verify.report_json"


def test_html_escapes_everything_and_runs_nothing(report: Report) -> None:
    page = report_to_html(report)
    assert "<script" not in page
    assert "javascript:" not in page
    assert "<mark>90 L</mark>" in page
    assert "<mark>40 L</mark>" in page


def test_sarif_places_results_in_the_answer(report: Report) -> None:
    log = reports_to_sarif([("answer.md", report)])
    results = log["runs"][0]["results"]
    assert [result["level"] for result in results] == ["error", "warning"]
    region = results[1]["locations"][0]["physicalLocation"]["region"]
    assert region["startLine"] == 2


def test_junit_counts_failures(report: Report) -> None:
    suite = ElementTree.fromstring(reports_to_junit([("answer.md", report)])).find("testsuite")
    assert suite is not None
    assert suite.get("tests") == "2"
    assert suite.get("failures") == "2"


def test_the_terminal_gets_no_control_characters(report: Report) -> None:
    shown = io.StringIO()
    print_report(report, Console(file=shown, width=120, color_system=None))
    assert "\x1b" not in shown.getvalue()
    assert "contradicted" in shown.getvalue()
