"""Long evidence is cut to the sentences that a statement is about."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from aipk_core.verify.focus import focus, rough_sentences


def words(texts: Sequence[str]) -> list[int]:
    return [len(text.split()) for text in texts]


FILLER = "Nothing of interest happened that day. The weather was mild and the roads were dry. "


def test_short_evidence_is_left_as_it_is() -> None:
    assert focus("The kiln holds 40 pots.", "It holds 40 pots.", 60, words) == "The kiln holds 40 pots."


def test_the_sentence_that_matters_survives_wherever_it_stands() -> None:
    fact = "The glaze cracked because the kiln had cooled too fast."
    for evidence in (f"{fact} {FILLER * 40}", f"{FILLER * 40}{fact}", f"{FILLER * 20}{fact} {FILLER * 20}"):
        kept = focus(evidence, "Cooling the kiln too fast made the glaze crack.", 40, words)
        assert fact in kept
        assert len(kept.split()) <= 40


def test_two_sentences_are_kept_for_a_statement_with_two_facts() -> None:
    evidence = f"The kiln holds 40 pots. {FILLER * 30}The shop closes at noon. {FILLER * 30}"
    kept = focus(evidence, "The kiln holds 40 pots, and the shop closes at noon.", 30, words)
    assert "40 pots" in kept
    assert "closes at noon" in kept
    assert kept.index("40 pots") < kept.index("closes at noon")


def test_abbreviations_of_other_scripts_are_cut_too() -> None:
    assert rough_sentences("窯は冷えた。釉薬が割れた。") == ["窯は冷えた。", "釉薬が割れた。"]


@given(st.text(max_size=400), st.text(max_size=80), st.integers(min_value=1, max_value=60))
def test_nothing_is_invented(evidence: str, statement: str, budget: int) -> None:
    kept = focus(evidence, statement, budget, words)
    assert set(kept.split()) <= set(evidence.split())
