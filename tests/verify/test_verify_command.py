"""``aipk verify`` as a script uses it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from aipk_core.cli import application
from aipk_core.cli.verify import exit_code
from aipk_core.verify import VerifiableClaim, Verifier

RUNNER = CliRunner()


def run(*arguments: str, stdin: str | None = None) -> tuple[int, str]:
    result = RUNNER.invoke(application(), ["verify", *arguments], input=stdin)
    return result.exit_code, result.stdout


def test_pairs_need_no_package(tmp_path: Path) -> None:
    pairs = tmp_path / "pairs.jsonl"
    rows = [
        {"id": "a", "evidence": ["The tank holds 40 L."], "sentence": "The tank holds 40 litres."},
        {"id": "b", "evidence": ["The tank holds 40 L."], "sentence": "The tank holds 90 litres."},
    ]
    pairs.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    code, output = run("--pairs", str(pairs), "--rules-only")
    lines = [json.loads(line) for line in output.splitlines()]
    assert code == 0
    assert [(line["id"], line["verdict"]) for line in lines] == [("a", "supported"), ("b", "contradicted")]
    assert {"id", "verdict", "score", "reasons", "method"} == set(lines[0])


def test_a_broken_line_is_reported_in_its_place() -> None:
    code, output = run(
        "--pairs",
        "-",
        "--rules-only",
        stdin='nonsense\n{"id": 1, "evidence": "It is blue.", "sentence": "It is blue."}\n',
    )
    first, second = map(json.loads, output.splitlines())
    assert code == 2
    assert first["error"]["code"] == "usage"
    assert second["verdict"] == "supported"


def test_without_package_or_pairs_it_says_what_to_do() -> None:
    result = RUNNER.invoke(application(), ["verify"])
    assert result.exit_code == 2
    assert "no package was named" in result.stderr


@pytest.mark.parametrize(
    ("answer", "minimum", "fails", "code"),
    [
        ("It holds 40 L.", 1.0, (), 0),
        ("It holds 90 L.", 1.0, (), 1),
        ("It holds 40 L. It holds 90 L.", 0.5, (), 0),
        ("It holds 40 L. It holds 90 L.", 0.5, ("contradicted",), 1),
        ("", 0.0, (), 1),
        ("Hello!", 0.0, (), 1),
    ],
)
def test_exit_codes(answer: str, minimum: float, fails: tuple[str, ...], code: int) -> None:
    report = Verifier([VerifiableClaim("c-1", "It holds 40 L.")], judges=[]).verify(answer)
    assert exit_code([report], minimum, fails) == code  # type: ignore[arg-type]
