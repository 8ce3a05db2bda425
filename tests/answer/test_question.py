"""Taking questions apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aipk_core.answer.model import Message
from aipk_core.answer.question import Wanted, analyse, standalone, stem, stems_of


def stems(question: str) -> list[str]:
    return [term.stem for term in analyse(question).terms]


def test_question_words_are_left_out_and_content_stays() -> None:
    assert stems("How long are camera recordings kept?") == ["camera", "record", "keep"]
    assert stems("What is the draught of the Heron 12?") == ["draught", "heron", "heron 12"]


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("How many ferries are there?", Wanted.QUANTITY),
        ("How heavy is it?", Wanted.QUANTITY),
        ("How much does a ticket cost?", Wanted.MONEY),
        ("What is the price of the F4?", Wanted.MONEY),
        ("When was it founded?", Wanted.TIME),
        ("In which year was it founded?", Wanted.TIME),
        ("Who chairs the council?", Wanted.PERSON),
        ("Where is the office?", Wanted.PLACE),
        ("Why is the lift closed?", Wanted.REASON),
        ("Which battery does it have?", Wanted.ANYTHING),
        ("", Wanted.ANYTHING),
    ],
)
def test_what_kind_of_thing_is_asked_for(question: str, wanted: Wanted) -> None:
    assert analyse(question).wanted is wanted


def test_numbered_things_are_one_name() -> None:
    names = {term.stem for term in analyse("What follows a Level B event under SEV-1?").terms if term.name}
    assert {"level b", "sev-1"} <= names
    assert "level b" in stems_of("A level B event")
    assert "level a" not in stems_of("At this level a pump stops")


def test_forms_of_a_word_share_a_stem() -> None:
    for forms in (
        ("employee", "employees"),
        ("keep", "keeps", "kept"),
        ("recording", "recordings", "record"),
        ("policy", "policies"),
        ("send", "sent", "sending"),
    ):
        assert len({stem(form) for form in forms}) == 1, forms


def conversation(*questions: str) -> list[Message]:
    return [Message("user", question) for question in questions]


def test_a_follow_up_takes_over_what_it_leaves_out() -> None:
    asked = standalone(conversation("What is the response to SEV-1?", "And for SEV-2?"))
    assert "response" in asked
    assert "SEV-2" in asked
    assert "SEV-1" not in asked


def test_a_new_question_stands_alone() -> None:
    assert standalone(conversation("Who chairs the council?", "Where is the office?")) == "Where is the office?"


def test_without_a_user_there_is_no_question() -> None:
    assert standalone([Message("system", "Be nice"), Message("assistant", "Hi")]) == ""


@given(st.text(max_size=300))
def test_any_text_can_be_taken_apart(text: str) -> None:
    question = analyse(text)
    assert len(question.terms) == len({term.stem for term in question.terms})
    stems_of(text, names=False)
    standalone([Message("user", text), Message("user", text)])
