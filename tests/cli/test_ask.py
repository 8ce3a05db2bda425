"""``aipk ask``: what is printed, and the exit code."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

sys.path.insert(0, str(Path(__file__).parent.parent / "answer"))

from ferry_package import write_ferry_package

from aipk_core.answer.model import Answer, Citation, Enforcement, Mode
from aipk_core.claims.model import Status
from aipk_core.cli.ask import ask, numbered

QUESTION = "How long are camera recordings kept?"
TRUE = "Camera recordings are kept for 45 days."


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_ferry_package(tmp_path_factory.mktemp("ask") / "saltmarsh.aipk")


def run(*arguments: str, text: str = "") -> Result:
    app = typer.Typer()
    app.command()(ask)
    return CliRunner().invoke(app, list(arguments), input=text)


def test_the_answer_is_followed_by_its_exact_source_sentence(package: Path) -> None:
    result = run(str(package), QUESTION)
    assert result.exit_code == 0
    lines = [line.strip() for line in result.stdout.splitlines()]
    assert lines[0] == f"{TRUE} [1]"
    assert f"[1] “{TRUE}”" in lines
    assert any("Safety procedure › Records" in line for line in lines)
    assert "https://ferries.example/safety-procedure#records" in lines


def test_a_refusal_exits_with_1_and_says_why(package: Path) -> None:
    result = run(str(package), "What does the Heron 12 cost?")
    assert result.exit_code == 1
    assert result.stdout.startswith("I don't know.")
    assert "not-in-sources" in result.stdout


def test_json_holds_the_answer_and_its_report(package: Path) -> None:
    result = run(str(package), QUESTION, "--json")
    value = json.loads(result.stdout)
    assert value["coverage"] == 1.0
    assert value["citations"][0]["quote"] == TRUE
    assert value["refusal"] is None


def test_the_question_may_come_from_standard_input_or_in_several_words(package: Path) -> None:
    assert TRUE in run(str(package), "-", text=QUESTION).stdout
    assert TRUE in run(str(package), *QUESTION.split()).stdout


def test_a_package_without_canonical_claims_refuses_in_every_mode(tmp_path: Path) -> None:
    path = write_ferry_package(tmp_path / "raw.aipk", status=Status.EXTRACTED)
    for mode in Mode:
        result = run(str(path), QUESTION, "--mode", mode.value, "--cache-dir", str(tmp_path / "cache"))
        assert result.exit_code == 1
        assert "no-claims" in result.stdout


def test_errors_are_one_line_and_exit_with_2(package: Path, tmp_path: Path) -> None:
    for arguments in (
        [str(tmp_path / "missing.aipk"), QUESTION],
        [str(package)],
        [QUESTION],
        [str(package), QUESTION, "--api-base", "http://127.0.0.1:1/v1"],
        [str(package), QUESTION, "--model", "openai/x", "--model-key-env", "NO_SUCH_VARIABLE"],
        [str(package), QUESTION, "--embedder", "word2vec"],
    ):
        result = run(*arguments)
        assert result.exit_code == 2
        assert "error:" in result.stderr
        assert result.stdout == ""


def test_only_known_ids_become_numbers() -> None:
    citation = Citation(1, "c-1", "claim", "p", "d.md", 0, 1, "q", "t")
    answer = Answer(
        "One [c-1]. Two [c-1, x]. See [the manual](a) and x[0].", Mode.NORMAL, Enforcement.OBSERVE, (citation,)
    )
    assert numbered(answer) == "One [1]. Two [c-1, x]. See [the manual](a) and x[0]."
