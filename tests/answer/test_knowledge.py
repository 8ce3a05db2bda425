"""Large packages are read where it matters: the same answers, without reading every claim first."""

from __future__ import annotations

import pytest
from ferry_company import ANSWERABLE, UNANSWERABLE
from ferry_package import write_ferry_package

from aipk_core.answer import judging, knowledge
from aipk_core.answer.answerer import Answerer
from aipk_core.answer.judging import NearbyJudge
from aipk_core.answer.knowledge import Knowledge
from aipk_core.answer.opening import embedder_for, open_answerer
from aipk_core.package import Package, open_package
from aipk_core.retrieval import PackageRetriever
from aipk_core.verify import Verdict


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Package:
    return open_package(write_ferry_package(tmp_path_factory.mktemp("large") / "saltmarsh.aipk"))


@pytest.fixture(scope="module")
def retriever(package: Package) -> PackageRetriever:
    return PackageRetriever([package], embedder_for([package]))


@pytest.fixture
def on_demand(monkeypatch: pytest.MonkeyPatch, retriever: PackageRetriever) -> Knowledge:
    """The knowledge as a package with very many claims would be opened."""
    monkeypatch.setattr(knowledge, "EAGER_CLAIMS", 0)
    return Knowledge.behind(retriever)


def test_claims_are_looked_up_when_needed(on_demand: Knowledge, retriever: PackageRetriever) -> None:
    eager = Knowledge.of(knowledge.canonical_claims(retriever))
    assert dict(on_demand.claims) == dict(eager.claims)
    assert len(on_demand.claims) == len(eager.claims)
    assert "k-none" not in on_demand.claims
    text = "Life jackets are stored under the seats."
    assert on_demand.named(text) is not None
    assert on_demand.named(text) == eager.named(text)
    assert on_demand.named("Life jackets are red.") is None


def test_nearby_claims_are_enough_to_judge(on_demand: Knowledge, retriever: PackageRetriever) -> None:
    judge = NearbyJudge(on_demand.claims, retriever)
    name, (_, claim) = next((name, pair) for name, pair in on_demand.claims.items() if "Life jackets" in pair[1].text)
    good = judge.verify(f"{claim.text} [{name}]", require_citations=True)
    assert (good.coverage, good.units[0].citations) == (1.0, (name,))
    assert judge.verify(claim.text).coverage == 1.0
    assert judge.verify(f"{claim.text} [k-none]", require_citations=True).coverage == 0.0
    assert judge.verify("Voyage data is kept for 30 days.").units[0].verdict is not Verdict.SUPPORTED
    assert judge.verify("").coverage is None


def test_the_answers_are_the_same(
    monkeypatch: pytest.MonkeyPatch, package: Package, retriever: PackageRetriever
) -> None:
    embedder = embedder_for([package])
    whole = open_answerer([package], embedder, retriever=retriever)
    monkeypatch.setattr(knowledge, "EAGER_CLAIMS", 0)
    monkeypatch.setattr(judging, "EAGER_CLAIMS", 0)
    looked_up: Answerer = open_answerer([package], embedder, retriever=retriever)
    for question in [question for question, _ in ANSWERABLE[:8]] + UNANSWERABLE[:4]:
        assert looked_up.answer(question).text == whole.answer(question).text
