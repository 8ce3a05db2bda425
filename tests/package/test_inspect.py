"""``aipk inspect`` on good and bad packages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from ferry_contents import ferry_contents
from typer.testing import CliRunner, Result

from aipk_core.cli.inspect import inspect
from aipk_core.package import write_package


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    hostile = ferry_contents(title="Ferries [red]\\[/red]", questions=[])
    return write_package(tmp_path_factory.mktemp("inspect") / "ferry.aipk", hostile).path


def run(*arguments: object) -> Result:
    app = typer.Typer()
    app.command()(inspect)
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_the_manifest_for_people(path: Path) -> None:
    result = run(path)
    assert result.exit_code == 0
    assert "ferry@1.2.0" in result.output
    assert "5 (3 canonical, 2 extracted)" in result.output
    assert "[red]" in result.output


def test_everything_for_scripts(path: Path) -> None:
    result = run(path, "--json", "--verify", "--sample", 2, "--cache-dir", path.parent / "cache")
    value = json.loads(result.output)
    assert value["verified"] is True
    assert value["manifest"]["counts"]["documents"] == 2
    assert [claim["id"] for claim in value["sample"]] == ["rules-0", "rules-1"]


def test_members_and_claims_for_people(path: Path) -> None:
    result = run(path, "--members", "--verify", "--sample", 1, "--cache-dir", path.parent / "cache")
    assert result.exit_code == 0
    assert "persona.md" in result.output
    assert "Dogs must be kept on a lead." in result.output
    assert "sound" in result.output


def test_a_file_that_is_no_package(tmp_path: Path) -> None:
    (tmp_path / "notes.aipk").write_text("notes")
    result = run(tmp_path / "notes.aipk")
    assert result.exit_code == 2
    assert "[not-a-package]" in result.output
    assert result.output.count("\n") == 1
