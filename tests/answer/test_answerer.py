"""What comes out for each mode and enforcement, and that nothing withheld comes out anywhere."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from answer_doubles import ExactJudge, ScriptedBackend, WordRetriever

from aipk_core.answer.answerer import Answerer
from aipk_core.answer.knowledge import Knowledge
from aipk_core.answer.model import Enforcement, Message, Mode, RefusalCode
from aipk_core.answer.record import answer_record
from aipk_core.claims.model import Claim
from aipk_core.errors import EmbedderError, ModelError

QUESTION = "How long are camera recordings kept?"
TRUE = "Camera recordings are kept for 45 days."
LIE = "Camera recordings are sold to Zanzibar Films."
STRICT = (Mode.STRICT_VERIFY, Mode.STRICT_RENDER)

Make = Callable[..., Answerer]


@pytest.fixture
def cited(ferry_claims: list[Claim]) -> str:
    name = next(claim.id for claim in ferry_claims if claim.text == TRUE)
    return f"{TRUE} [{name}]"


def test_a_cited_true_sentence_passes_every_mode_and_enforcement(ferry_answerer: Make, cited: str) -> None:
    for mode in Mode:
        for enforcement in Enforcement:
            answer = ferry_answerer(ScriptedBackend(cited)).answer(QUESTION, mode=mode, enforcement=enforcement)
            assert answer.text == cited
            assert answer.refusal is None
            assert answer.coverage == 1.0
            assert answer.citations[0].quote == TRUE


def test_strict_render_demands_the_citation_that_strict_verify_does_without(ferry_answerer: Make) -> None:
    make = ferry_answerer(ScriptedBackend(TRUE))
    assert make.answer(QUESTION, mode=Mode.STRICT_VERIFY).text == TRUE
    assert make.answer(QUESTION, mode=Mode.STRICT_RENDER).refusal is not None


def test_blocked_text_appears_nowhere(ferry_answerer: Make, cited: str) -> None:
    for mode in Mode:
        answer = ferry_answerer(ScriptedBackend(f"{cited}\n{LIE}")).answer(
            QUESTION, mode=mode, enforcement=Enforcement.BLOCK
        )
        assert answer.refusal is not None
        assert answer.refusal.code is RefusalCode.UNSUPPORTED
        assert "Zanzibar" not in answer.text + repr(answer) + json.dumps(answer_record(answer))
        assert answer.counts["not_found"] == 1


def test_observe_passes_with_the_report_and_warn_says_so_in_the_text(ferry_answerer: Make, cited: str) -> None:
    draft = f"{cited}\n{LIE}"
    observed = ferry_answerer(ScriptedBackend(draft)).answer(QUESTION, enforcement=Enforcement.OBSERVE)
    assert (observed.text, observed.flagged, observed.coverage) == (draft, True, 0.5)
    warned = ferry_answerer(ScriptedBackend(draft)).answer(QUESTION, enforcement=Enforcement.WARN)
    assert warned.text.startswith(draft)
    assert "1 of 2 statements" in warned.text


def test_repair_asks_once_more_with_the_reasons(ferry_answerer: Make, cited: str) -> None:
    backend = ScriptedBackend(LIE, cited)
    answer = ferry_answerer(backend).answer(QUESTION, enforcement=Enforcement.REPAIR)
    assert (answer.text, answer.repaired, answer.refusal) == (cited, True, None)
    assert LIE in backend.prompts[1][-1].content
    assert answer.usage.prompt_tokens == 200


def test_repair_drops_what_stays_unsupported(ferry_answerer: Make, cited: str) -> None:
    draft = f"- {cited}\n- {LIE}\n"
    answer = ferry_answerer(ScriptedBackend(draft)).answer(QUESTION, enforcement=Enforcement.REPAIR)
    assert answer.text == f"- {cited}"
    assert answer.coverage == 1.0
    assert "Zanzibar" not in json.dumps(answer_record(answer))


def test_repair_refuses_when_nothing_is_left(ferry_answerer: Make) -> None:
    backend = ScriptedBackend(LIE)
    answer = ferry_answerer(backend).answer(QUESTION, enforcement=Enforcement.REPAIR)
    assert answer.refusal is not None
    assert len(backend.prompts) == 2
    assert "Zanzibar" not in repr(answer)


@pytest.mark.parametrize("mode", STRICT)
@pytest.mark.parametrize("enforcement", Enforcement)
def test_an_empty_reply_is_a_refusal(ferry_answerer: Make, mode: Mode, enforcement: Enforcement) -> None:
    for reply in ("", "  \n", "<think>the lamp, perhaps</think>", "<think>never closed"):
        answer = ferry_answerer(ScriptedBackend(reply)).answer(QUESTION, mode=mode, enforcement=enforcement)
        assert answer.refusal is not None
        assert answer.refusal.code is RefusalCode.EMPTY_ANSWER
        assert answer.coverage is None


def test_only_a_greeting_is_not_an_answer(ferry_answerer: Make) -> None:
    answer = ferry_answerer(ScriptedBackend("Hello")).answer(QUESTION)
    assert answer.refusal is not None
    assert answer.refusal.code is RefusalCode.NOTHING_TO_CHECK
    assert answer.coverage is None


def test_a_reply_that_was_cut_off_is_withheld(ferry_answerer: Make, cited: str) -> None:
    answer = ferry_answerer(ScriptedBackend(cited, finish="length")).answer(QUESTION)
    assert answer.refusal is not None
    assert answer.refusal.code is RefusalCode.TRUNCATED


@pytest.mark.parametrize("enforcement", Enforcement)
def test_the_models_own_refusal_is_a_refusal_and_not_unsupported(
    ferry_answerer: Make, enforcement: Enforcement
) -> None:
    answer = ferry_answerer(ScriptedBackend("I don't know.")).answer(QUESTION, enforcement=enforcement)
    assert answer.refusal is not None
    assert answer.refusal.code is RefusalCode.MODEL_DECLINED
    assert not answer.flagged


@pytest.mark.parametrize("mode", STRICT)
def test_a_package_without_canonical_claims_refuses_and_never_asks_the_model(ferry_answerer: Make, mode: Mode) -> None:
    backend = ScriptedBackend(TRUE)
    answer = ferry_answerer(backend, known=[]).answer(QUESTION, mode=mode, enforcement=Enforcement.OBSERVE)
    assert answer.refusal is not None
    assert answer.refusal.code is RefusalCode.NO_CLAIMS
    assert not backend.prompts


def test_a_dead_embedder_or_model_is_an_error_and_no_answer(ferry_answerer: Make) -> None:
    for mode in Mode:
        with pytest.raises(EmbedderError):
            ferry_answerer(ScriptedBackend(TRUE), fail=True).answer(QUESTION, mode=mode)
        with pytest.raises(ModelError):
            ferry_answerer(ScriptedBackend(ModelError("gone"))).answer(QUESTION, mode=mode)
    with pytest.raises(EmbedderError):
        ferry_answerer(fail=True).answer(QUESTION)


def test_a_claim_that_is_not_canonical_never_reaches_the_prompt(
    ferry_answerer: Make, ferry_claims: list[Claim]
) -> None:
    known = [claim for claim in ferry_claims if "Camera" not in claim.text]
    backend = ScriptedBackend("I don't know.")
    answerer = Answerer(
        WordRetriever(ferry_claims), ExactJudge(known), Knowledge.of([("ferry", c) for c in known]), backend=backend
    )
    answerer.answer(QUESTION)
    assert "Camera recordings are kept" not in backend.prompts[0][0].content


def test_normal_mode_lists_the_chunks_as_sources(ferry_answerer: Make) -> None:
    answer = ferry_answerer(ScriptedBackend(TRUE)).answer(QUESTION, mode=Mode.NORMAL, enforcement=Enforcement.OBSERVE)
    kinds = [citation.kind for citation in answer.citations]
    assert kinds[0] == "claim"
    assert "chunk" in kinds
    assert [citation.number for citation in answer.citations] == list(range(1, len(kinds) + 1))


def test_a_follow_up_is_searched_with_what_it_refers_to(ferry_answerer: Make) -> None:
    conversation = [
        Message("user", "What is the response to Level 1?"),
        Message("assistant", "Stop all sailings."),
        Message("user", "And for Level 2?"),
    ]
    answer = ferry_answerer().answer(conversation)
    assert "return to berth" in answer.text


def test_without_a_question_there_is_no_answer(ferry_answerer: Make) -> None:
    for asked in ("", "   ", []):
        answer = ferry_answerer().answer(asked)
        assert answer.refusal is not None
        assert answer.refusal.code is RefusalCode.NO_QUESTION


def test_the_extractive_answer_cites_every_statement_and_shows_the_heading_it_needs(ferry_answerer: Make) -> None:
    answer = ferry_answerer().answer("What is the response to Level 2?")
    assert answer.engine == "extractive"
    assert answer.text.startswith("Level 2 — Response: return to berth")
    assert f"[{answer.citations[0].id}]" in answer.text
    assert answer.coverage == 1.0


def test_the_extractive_answer_refuses_an_unknown_thing(ferry_answerer: Make) -> None:
    answer = ferry_answerer().answer("What is the response to a Level 5 incident?")
    assert answer.refusal is not None
    assert answer.refusal.code is RefusalCode.NOT_IN_SOURCES
    assert answer.citations == ()


@pytest.mark.parametrize("mode", STRICT)
def test_a_question_about_something_else_never_reaches_the_model(ferry_answerer: Make, mode: Mode) -> None:
    backend = ScriptedBackend(TRUE)
    answer = ferry_answerer(backend).answer("How do I bake sourdough bread?", mode=mode)
    assert answer.refusal is not None
    assert answer.refusal.code is RefusalCode.NOT_IN_SOURCES
    assert not backend.prompts


def test_a_refusal_has_no_coverage_even_if_the_withheld_draft_had(ferry_answerer: Make, cited: str) -> None:
    answer = ferry_answerer(ScriptedBackend(cited, finish="length")).answer(QUESTION)
    assert answer.refused
    assert answer.coverage is None
