"""What makes a claim an answer, one thing at a time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from ferry_company import claims

from aipk_core.answer.question import analyse
from aipk_core.answer.relevance import Relevance, Scale, Vocabulary, WordSimilarity, relevance
from aipk_core.claims.model import Claim, Evidence
from aipk_core.embedding import EmbedderIdentity, Vectors
from aipk_core.retrieval.model import ClaimHit

VOCABULARY = Vocabulary(claims(), ["Saltmarsh Ferries"])


def judged(question: str, text: str, *context: str, similarity: float = 0.6) -> Relevance:
    """How well one claim answers, without any embedder."""
    claim = Claim("k1", text, context, (Evidence("d.md", 0, len(text), text, context),))
    hits = [ClaimHit("ferry", claim, similarity, similarity)]
    return relevance(analyse(question), hits, VOCABULARY, WordSimilarity(None))[0]


def test_covering_what_is_asked_counts_more_than_naming_the_thing() -> None:
    question = "What is the draught of the Heron 12?"
    right = judged(question, "Draught: 1.8 m", "Heron 12 data sheet")
    wrong = judged(question, "The Heron 12 is a ferry for 12 cars.", similarity=0.8)
    assert right.score > wrong.score


def test_a_name_that_nobody_knows_is_not_answered() -> None:
    known = judged("What is the top speed of the Heron 12?", "The Heron 12 has a top speed of 13.5 knots.")
    unknown = judged("What is the top speed of the Egret 5?", "The Heron 12 has a top speed of 13.5 knots.")
    assert unknown.score < 0.5 * known.score
    assert "Egret" in unknown.names_missing


def test_another_level_is_another_thing() -> None:
    question = "What is the response to Level 2?"
    right = judged(question, "Response: return to berth", "Level 2")
    wrong = judged(question, "Response: stop all sailings", "Level 1", similarity=0.7)
    assert right.score > 2 * wrong.score


def test_the_packages_own_name_may_be_left_out() -> None:
    assert judged("Where is the head office of Saltmarsh Ferries?", "The head office is at Pier 4.").names_missing == ()


def test_the_kind_of_thing_must_be_there() -> None:
    for question, good, bad in (
        ("How many cars fit on the ferry?", "The ferry takes 12 cars.", "The ferry takes cars and lorries."),
        ("How many cars fit on the ferry?", "The ferry takes 12 cars.", "The ferry takes 98 passengers."),
        ("How much does a ticket cost?", "A ticket costs 4 euros.", "A ticket is valid for 2 days."),
        ("When does the course start?", "The course starts in May.", "The course starts with a talk."),
        ("Who approves the course?", "The harbour master approves the course.", "The course is approved twice."),
    ):
        assert judged(question, good).fits, good
        assert not judged(question, bad).fits, bad


def test_an_acronym_is_known_by_the_words_behind_it() -> None:
    right = judged("When is the RCA due?", "The root cause analysis is due within 10 days.")
    assert right.names_missing == ()
    assert judged("When is the QPR due?", "The root cause analysis is due within 10 days.").names_missing == ("QPR",)


def test_past_forms_and_word_families_meet() -> None:
    assert judged("How often is telemetry sent?", "It sends telemetry every 2 seconds.").coverage == 1.0


class CloseEmbedder:
    """An embedder for which all texts are alike, as they are for some: cosines begin near 0.8."""

    identity = EmbedderIdentity("close", "1", "0" * 64, 64, 100)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        rows = []
        for text in texts:
            noise = np.random.default_rng(sum(text.encode())).normal(size=64)
            rows.append(np.eye(64)[0] * 2 + 0.5 * noise / np.linalg.norm(noise) * 2)
        return np.asarray([row / np.linalg.norm(row) for row in rows], dtype=np.float32)

    embed_queries = embed_passages

    def count_tokens(self, text: str) -> int:
        return len(text.split())


def test_cosines_are_read_on_the_embedders_own_scale() -> None:
    plain, _ = WordSimilarity(None).scales()
    close, _ = WordSimilarity(CloseEmbedder()).scales()
    assert 0.05 < plain.low < 0.15
    assert close.low > 0.6
    assert close(close.low) == 0.0
    assert Scale(0.1, 0.5)(2.0) == 1.0


def test_what_a_thing_is_is_said_by_a_statement_that_begins_with_it() -> None:
    question = "What is a thruster?"
    explains = judged(question, "A thruster is a propeller that turns around its own axis.")
    mentions = judged(question, "Before leaving the berth, the captain tests each thruster.")
    assert explains.score > mentions.score
    for asked in ("What are thrusters?", "What does a thruster do?", "What is the purpose of a thruster?"):
        assert analyse(asked).subject == analyse(question).subject
    assert analyse("What is the top speed of the Heron 12 in a calm sea?").subject == ()
