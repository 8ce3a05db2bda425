"""The threshold between an answer and a refusal, on a corpus with many questions that come close and miss."""

from __future__ import annotations

import numpy as np
import pytest
from answer_doubles import ExactJudge
from ferry_company import ANSWERABLE, UNANSWERABLE

from aipk_core.answer.answerer import Answerer
from aipk_core.answer.knowledge import Knowledge
from aipk_core.claims.model import Claim
from aipk_core.embedding import Embedder, open_embedder
from aipk_core.retrieval.model import ChunkHit, ClaimHit


class VectorRetriever:
    """Exact search over the vectors of a few claims."""

    def __init__(self, claims: list[Claim], embedder: Embedder) -> None:
        self._claims = claims
        self._embedder = embedder
        self._vectors = embedder.embed_passages([claim.full_text for claim in claims])

    def claims(self, query: str, *, limit: int = 8) -> list[ClaimHit]:
        similarity = self._vectors @ self._embedder.embed_queries([query])[0]
        best = np.argsort(-similarity)[:limit]
        return [ClaimHit("ferry", self._claims[i], float(similarity[i]), float(similarity[i])) for i in best]

    def chunks(self, query: str, *, limit: int = 8) -> list[ChunkHit]:
        return []


@pytest.fixture(scope="module")
def answerer(ferry_claims: list[Claim]) -> Answerer:
    embedder = open_embedder()
    knowledge = Knowledge.of((("ferry", claim) for claim in ferry_claims), ["Saltmarsh Ferries"])
    return Answerer(VectorRetriever(ferry_claims, embedder), ExactJudge(ferry_claims), knowledge, embedder=embedder)


def test_most_answerable_questions_get_the_right_claim(answerer: Answerer) -> None:
    wrong = [question for question, words in ANSWERABLE if words not in answerer.answer(question).text]
    assert len(wrong) <= 3, wrong


def test_most_near_misses_are_refused(answerer: Answerer) -> None:
    answered = [question for question in UNANSWERABLE if not answerer.answer(question).refused]
    assert len(answered) <= 1, answered


def test_an_answer_is_short_and_every_line_is_cited(answerer: Answerer) -> None:
    for question, _ in ANSWERABLE:
        answer = answerer.answer(question)
        if answer.refused:
            continue
        lines = answer.text.splitlines()
        assert len(lines) <= 3
        assert all(line.endswith("]") for line in lines)
        assert len(answer.citations) == len(lines)


def test_the_same_question_gets_the_same_answer(answerer: Answerer) -> None:
    question = ANSWERABLE[0][0]
    assert answerer.answer(question) == answerer.answer(question)
