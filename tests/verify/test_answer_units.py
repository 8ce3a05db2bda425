"""What an answer is cut into, and which citation belongs to which piece."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aipk_core.verify import VerifiableClaim, Verifier
from aipk_core.verify.citations import CitationReader
from aipk_core.verify.model import Outcome, UnitKind
from aipk_core.verify.units import AnswerUnits, read_units

READER = CitationReader(["c-1a2b", "c-99zz", "Employee Handbook 2024_0001"])


def units(answer: str) -> AnswerUnits:
    return read_units(answer, READER)


def cited(answer: str) -> list[tuple[str, ...]]:
    return [
        unit.citations
        for unit in units(answer).units
        if unit.kind in (UnitKind.SENTENCE, UnitKind.LIST_ITEM, UnitKind.TABLE_ROW)
    ]


def kinds(answer: str) -> list[UnitKind]:
    return [unit.kind for unit in units(answer).units]


@pytest.mark.parametrize(
    "answer",
    [
        "The pump weighs 40 kg [c-1a2b].",
        "The pump weighs 40 kg. [c-1a2b]",
        "[c-1a2b] The pump weighs 40 kg.",
        "The pump weighs 40 kg【c-1a2b】.",
        "The pump weighs 40 kg (c-1a2b).",
        "The pump weighs 40 kg [source: c-1a2b].",
        "The pump weighs 40 kg [[c-1a2b]].",
        "The pump weighs 40 kg [`c-1a2b`].",
        "The pump weighs 40 kg [c-1a2b](https://example.org/pump).",
        "The pump weighs 40 kg<sup>c-1a2b</sup>.",
        "The pump weighs 40 kg.\n[c-1a2b]",
        "The pump weighs 40 kg.¹\n\n¹ c-1a2b",
        "The pump weighs 40 kg.[^1]\n\n[^1]: c-1a2b",
        "The pump weighs 40 kg [1].\n\nSources:\n[1] c-1a2b",
        "The pump weighs 40 kg. Source: c-1a2b",
    ],
)
def test_every_form_of_citation_is_read(answer: str) -> None:
    assert cited(answer) == [("c-1a2b",)]


@pytest.mark.parametrize(
    "group", ["[c-1a2b, c-99zz]", "[c-1a2b][c-99zz]", "[c-1a2b; c-99zz]", "[c-1a2b] [c-99zz]", "[c-1a2b and c-99zz]"]
)
def test_several_ids_at_once(group: str) -> None:
    assert cited(f"The pump weighs 40 kg {group}. It is blue.") == [("c-1a2b", "c-99zz"), ()]


def test_ids_may_hold_spaces() -> None:
    assert cited("Leave is 28 days [Employee Handbook 2024_0001].") == [("Employee Handbook 2024_0001",)]


@pytest.mark.parametrize(
    "answer",
    [
        "See the [manual](https://example.org).",
        "- [x] done by Friday",
        "- [ ] not done yet",
        "Read arr[0] first.",
        "The list [1, 2, 3] is sorted.",
        "`[c-1]` is code.",
    ],
)
def test_what_only_looks_like_a_citation(answer: str) -> None:
    assert all(not unit.citations and not unit.unknown_citations for unit in units(answer).units)


def test_ids_that_no_claim_has_are_reported() -> None:
    (unit,) = units("The pump weighs 40 kg [c-zz00].").units
    assert unit.unknown_citations == ("c-zz00",)


def test_leading_citations_go_with_what_follows() -> None:
    assert cited("[c-1a2b] The pump weighs 40 kg. [c-99zz] It is blue.") == [("c-1a2b",), ("c-99zz",)]


def test_text_after_the_last_citation_is_a_unit() -> None:
    answer = "The pump weighs 40 kg [c-1a2b] and can fly at 900 km/h."
    (unit,) = units(answer).units
    assert "900 km/h" in unit.statement.text


def test_kinds_of_units() -> None:
    answer = (
        "Hello!\n\n# Pumps\n\nHere is a summary:\n\n- The pump weighs 40 kg.\n- It is blue.\n\n| part | mass |\n|---|---|\n| pump | 40 kg |\n\n"
        "```sh\npump --on\n```\n\nI do not know the price. Shall I look it up?"
    )
    assert kinds(answer) == [
        UnitKind.GREETING, UnitKind.HEADING, UnitKind.HEADING, UnitKind.LIST_ITEM, UnitKind.LIST_ITEM, UnitKind.HEADING,
        UnitKind.TABLE_ROW, UnitKind.CODE, UnitKind.REFUSAL, UnitKind.QUESTION,
    ]  # fmt: skip


def test_reasoning_is_not_judged_even_when_it_never_ends() -> None:
    assert kinds("<think>The pump weighs 1 t.</think>It weighs 40 kg.") == [UnitKind.REASONING, UnitKind.SENTENCE]
    assert kinds("<think>The pump weighs 1 t.") == [UnitKind.REASONING]


def test_a_list_item_is_read_with_its_lead_in() -> None:
    item = units("The pump has:\n- a mass of 40 kg\n- two valves").units[1]
    assert item.statement.text == "The pump has: a mass of 40 kg"


def test_a_table_row_is_read_with_its_column_names() -> None:
    answer = "| part | mass |\n|---|---|\n| pump | 40 kg |"
    row = units(answer).units[1]
    assert row.statement.text == "pump · mass: 40 kg"
    start = row.statement.text.index("40 kg")
    assert answer[slice(*row.statement.span_in_answer(start, start + 5))] == "40 kg"


@pytest.mark.parametrize(
    "refusal",
    [
        "I don't know.",
        "The provided claims do not mention the price.",
        "제공된 자료에는 해당 정보가 없습니다.",
        "提供的资料中没有相关信息。",
        "その情報は見つかりません。",
        "В документах нет информации об этом.",
        "Das geht aus den Unterlagen nicht hervor, dazu liegen keine Angaben vor.",
        "Je ne sais pas.",
        "No dispongo de esa información.",
        "لا توجد معلومات عن ذلك.",
        "मुझे इसकी जानकारी नहीं है।",
    ],
)
def test_refusals_in_the_supported_languages(refusal: str) -> None:
    assert set(kinds(refusal)) == {UnitKind.REFUSAL}


def test_a_refusal_that_goes_on_to_state_something_is_judged() -> None:
    assert kinds("I don't know the price, but the pump weighs 40 kg.") == [UnitKind.SENTENCE]


@pytest.mark.parametrize(
    "answer", ["The pump weighs 40 kg. It also has a", "```sh\npump", "The pump weighs 40 kg, and the", "<think>let me"]
)
def test_an_answer_that_stops_in_the_middle(answer: str) -> None:
    assert units(answer).cut_off


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="ab .!?\n[]()|-*`#<>/:c-1a2b【】¹^1", max_size=120))
def test_units_are_spans_in_order(answer: str) -> None:
    found = units(answer).units
    assert all(0 <= unit.start < unit.end <= len(answer) for unit in found)
    for unit in found:
        start, end = unit.statement.span_in_answer(0, len(unit.statement.text))
        assert 0 <= start <= end <= len(answer)


@pytest.mark.parametrize("answer", ["Warranty", "42", "[c-1] Warranty.", "保修"])
def test_one_word_states_nothing(answer: str) -> None:
    verifier = Verifier([VerifiableClaim("c-1", "The warranty lasts 42 months.")], judges=[])
    report = verifier.verify(answer)
    assert (report.outcome, report.coverage) == (Outcome.TINY, None)


def test_two_words_are_judged() -> None:
    report = Verifier([VerifiableClaim("c-1", "The warranty lasts 42 months.")], judges=[]).verify("42 months. [c-1]")
    assert (report.outcome, report.coverage) == (Outcome.JUDGED, 1.0)
