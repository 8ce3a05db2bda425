"""The ferry company and an answerer over it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from answer_doubles import ExactJudge, ScriptedBackend, WordRetriever
from ferry_company import claims

from aipk_core.answer.answerer import Answerer
from aipk_core.answer.knowledge import Knowledge
from aipk_core.claims.model import Claim


@pytest.fixture(scope="session")
def ferry_claims() -> list[Claim]:
    return claims()


@pytest.fixture
def ferry_answerer(ferry_claims: list[Claim]) -> Callable[..., Answerer]:
    """Makes an answerer over the ferry company, with a scripted model when replies are given."""

    def make(
        backend: ScriptedBackend | None = None, *, known: list[Claim] | None = None, fail: bool = False
    ) -> Answerer:
        held = ferry_claims if known is None else known
        knowledge = Knowledge.of([("ferry", claim) for claim in held])
        return Answerer(WordRetriever(held, fail=fail), ExactJudge(held), knowledge, backend=backend)

    return make
