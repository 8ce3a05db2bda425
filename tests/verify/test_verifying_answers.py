"""Whole answers: outcomes, coverage, citations, and the forms that must not score well by accident."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from aipk_core.errors import ModelError, UsageError
from aipk_core.verify import Outcome, Pair, Probabilities, Verdict, VerifiableClaim, Verifier

CLAIMS = [
    VerifiableClaim("c-ferry", "The ferry leaves at 07:40 and takes 35 minutes.", lang="en"),
    VerifiableClaim("c-dogs", "Dogs travel free but must be kept on a lead."),
    VerifiableClaim("c-bikes", "A bicycle costs 4 euros.", context=("Fares",)),
    VerifiableClaim("c-deck", "The upper deck is closed in winter."),
]
VERIFIER = Verifier(CLAIMS, judges=[])


def test_three_lines() -> None:
    verifier = Verifier([VerifiableClaim("c-1", "The warranty lasts 3 years.")], judges=[])
    reason = verifier.verify("The warranty lasts nine years. [c-1]").units[0].reasons[0]
    assert reason.message == "“nine years” here, “3 years” in the claim"


def test_a_supported_answer() -> None:
    report = VERIFIER.verify("The ferry leaves at 7:40 a.m. [c-ferry] Dogs travel free [c-dogs].")
    assert report.outcome is Outcome.JUDGED
    assert report.coverage == 1.0
    assert report.counts == {"supported": 2}
    assert [unit.claims[0].claim.id for unit in report.units] == ["c-ferry", "c-dogs"]


def test_units_are_spans_of_the_answer() -> None:
    answer = "Hello! The ferry leaves at 07:40. [c-ferry]\n- Dogs travel free."
    for unit in VERIFIER.verify(answer).units:
        assert answer[unit.start : unit.end] == unit.text


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        ("", Outcome.EMPTY),
        (" \n\t ", Outcome.EMPTY),
        ("Hello! Thank you for asking.", Outcome.NOTHING_TO_CHECK),
        ("Yes.", Outcome.NOTHING_TO_CHECK),
        ("[c-ferry] [c-dogs]", Outcome.NOTHING_TO_CHECK),
        ("```\nc-ferry\n```", Outcome.NOTHING_TO_CHECK),
        ("Shall I look it up?", Outcome.NOTHING_TO_CHECK),
        ("I don't know; the claims do not mention this.", Outcome.REFUSAL),
        ("<think>The ferry leaves at 07:40.</think>", Outcome.NOTHING_TO_CHECK),
    ],
)
def test_nothing_to_check_is_never_full_coverage(answer: str, outcome: Outcome) -> None:
    report = VERIFIER.verify(answer)
    assert report.outcome is outcome
    assert report.coverage is None


def test_an_answer_that_is_cut_off_is_not_fully_supported() -> None:
    report = VERIFIER.verify("Dogs travel free [c-dogs]. The ferry leaves at 07:40 and takes")
    assert report.outcome is Outcome.TRUNCATED
    assert report.coverage == 0.5


def test_one_invented_bullet_lowers_the_coverage() -> None:
    report = VERIFIER.verify(
        "- Dogs travel free [c-dogs]\n- A bicycle costs 4 euros [c-bikes]\n- The captain plays the violin [c-dogs]"
    )
    assert [unit.verdict for unit in report.units][:2] == [Verdict.SUPPORTED, Verdict.SUPPORTED]
    assert report.units[2].verdict is Verdict.NOT_FOUND
    assert report.coverage == pytest.approx(2 / 3)


def test_text_after_the_last_citation_is_judged() -> None:
    report = VERIFIER.verify("Dogs travel free [c-dogs] and the captain plays the violin.")
    assert report.coverage == 0.0


def test_exchanged_citations_support_nothing_when_citations_are_required() -> None:
    answer = "The ferry leaves at 07:40. [c-dogs] Dogs travel free. [c-ferry]"
    assert VERIFIER.verify(answer, require_citations=True).coverage == 0.0
    assert VERIFIER.verify(answer).coverage == 1.0


def test_without_a_citation_nothing_is_supported_when_citations_are_required() -> None:
    report = VERIFIER.verify("Dogs travel free.", require_citations=True)
    assert report.units[0].verdict is Verdict.NOT_FOUND
    assert report.units[0].reasons[0].check == "citation"


def test_several_cited_claims_count_together() -> None:
    answer = "Dogs travel free, and a bicycle costs 4 euros [c-dogs, c-bikes]."
    assert VERIFIER.verify(answer, require_citations=True).coverage == 1.0


def test_ids_of_other_packages_are_named_as_such() -> None:
    verifier = Verifier(CLAIMS, judges=[], known_ids=["c-other"])
    (unit,) = verifier.verify("Dogs travel free [c-other].", require_citations=True).units
    assert unit.unknown_citations == ("c-other",)
    assert "another package" in unit.reasons[0].message


def test_refusals_are_neither_supported_nor_unsupported() -> None:
    report = VERIFIER.verify("Dogs travel free [c-dogs]. I do not know the price for cars.")
    assert [unit.verdict for unit in report.units] == [Verdict.SUPPORTED, Verdict.REFUSAL]
    assert report.coverage == 1.0


def test_no_claims_support_nothing() -> None:
    assert Verifier([], judges=[]).verify("Dogs travel free.").coverage == 0.0


def test_an_id_stands_for_one_claim() -> None:
    with pytest.raises(UsageError, match="stands for 2 claims"):
        Verifier([CLAIMS[0], CLAIMS[0]])


class _Yes:
    name = "yes-man"

    def judge(self, pairs: Sequence[Pair]) -> list[Probabilities]:
        return [Probabilities(0.99, 0.005, 0.005) for _ in pairs]


class _Broken:
    name = "broken"

    def judge(self, pairs: Sequence[Pair]) -> list[Probabilities]:
        raise ModelError("no answer")


def test_a_contradiction_by_a_rule_beats_any_judge() -> None:
    report = Verifier(CLAIMS, judges=[_Yes()]).verify("A bicycle costs 9 euros.")
    assert report.units[0].verdict is Verdict.CONTRADICTED
    assert report.method == "rules+yes-man"


def test_a_judge_that_fails_is_reported_and_the_rules_go_on() -> None:
    report = Verifier(CLAIMS, judges=[_Broken()]).verify("A bicycle costs four euros.")
    assert report.coverage == 1.0
    assert report.method == "rules"
    assert any("broken did not run" in note for note in report.notes)


def test_the_report_says_what_a_language_lacks() -> None:
    report = VERIFIER.verify("Собаки путешествуют бесплатно.")
    assert any("Russian" in note for note in report.notes)
