"""The bundled cross-encoder: what it accepts, what it refuses, and how it fails."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from aipk_core.errors import ModelError
from aipk_core.verify.judges import Judge, Pair
from aipk_core.verify.learned import LearnedJudge, bundled_judge

CLAIM = "The pottery lends out its wheels on Thursdays, and borrowers pay a deposit of 20 euros."


@pytest.fixture(scope="module")
def judge() -> LearnedJudge:
    return bundled_judge()


def test_it_is_a_judge(judge: LearnedJudge) -> None:
    assert isinstance(judge, Judge)
    assert judge.name.startswith("model:")


def test_the_three_probabilities_sum_to_one(judge: LearnedJudge) -> None:
    for answer in judge.judge([Pair(CLAIM, "Wheels can be borrowed."), Pair("", ""), Pair(CLAIM, "")]):
        assert answer.supported + answer.contradicted + answer.not_found == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize(
    "statement",
    [
        CLAIM,
        "On Thursdays the pottery lends out its wheels.",
    ],
)
def test_what_the_claim_says_is_supported(judge: LearnedJudge, statement: str) -> None:
    assert judge.judge([Pair(CLAIM, statement)])[0].supported > 0.5


@pytest.mark.parametrize(
    "statement",
    [
        "The pottery was founded by two sisters.",
        "The library is heated with wood.",
        "The pottery does not lend out its wheels.",
    ],
)
def test_what_it_does_not_say_is_not(judge: LearnedJudge, statement: str) -> None:
    assert judge.judge([Pair(CLAIM, statement)])[0].supported < 0.5


def test_half_of_the_claim_scores_far_above_what_it_never_says(judge: LearnedJudge) -> None:
    half, invented = judge.judge(
        [Pair(CLAIM, "Borrowers pay a deposit of 20 euros."), Pair(CLAIM, "The wheels were made by hand in Denmark.")]
    )
    assert half.supported > 2 * invented.supported


def test_the_answers_do_not_depend_on_what_else_is_in_the_batch(judge: LearnedJudge) -> None:
    pair = Pair(CLAIM, "Borrowers pay a deposit of 20 euros.")
    alone = judge.judge([pair])[0].supported
    among = judge.judge([Pair(CLAIM * 8, "Wheels can be borrowed."), pair, Pair("x", "y")])[1].supported
    assert among == pytest.approx(alone, abs=0.05)  # int8 rounding depends on the batch


def test_a_statement_of_two_sentences_is_as_good_as_the_worse_one(judge: LearnedJudge) -> None:
    good, bad = "Borrowers pay a deposit of 20 euros.", "The pottery was founded by two sisters."
    first, second, both = judge.judge([Pair(CLAIM, good), Pair(CLAIM, bad), Pair(CLAIM, f"{good} {bad}")])
    assert both.supported == pytest.approx(min(first.supported, second.supported), abs=0.05)


def test_the_right_sentence_is_found_in_long_evidence(judge: LearnedJudge) -> None:
    filler = "The garden behind the house is open to everyone in summer. " * 60
    found, missing = judge.judge([Pair(f"{filler}{CLAIM} {filler}", CLAIM), Pair(f"{filler}{filler}", CLAIM)])
    assert found.supported > 0.5 > missing.supported


def test_nothing_to_judge_gives_nothing(judge: LearnedJudge) -> None:
    assert judge.judge([]) == []


def test_hostile_lengths_are_bounded(judge: LearnedJudge) -> None:
    begun = time.monotonic()
    assert len(judge.judge([Pair("word " * 100_000, "word " * 100_000), Pair("ا" * 50_000, "�" * 50_000)])) == 2
    assert time.monotonic() - begun < 20


def test_a_folder_without_a_model_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(ModelError) as caught:
        LearnedJudge(tmp_path)
    assert caught.value.code == "verify-model-unreadable"
    assert str(tmp_path) in str(caught.value)
    assert caught.value.remedy


def test_it_tells_true_from_false_better_than_chance_on_human_labels(judge: LearnedJudge, shared_data: Path) -> None:
    rows = [
        json.loads(line) for line in (shared_data / "verify" / "fever_symmetric.jsonl").read_text("utf-8").splitlines()
    ]
    rows = rows[::12]
    right = [
        (answer.supported >= 0.5) == (row["label"] == "supported")
        for answer, row in zip(judge.judge([Pair(r["evidence"], r["sentence"]) for r in rows]), rows, strict=True)
    ]
    assert sum(right) / len(right) > 0.65
