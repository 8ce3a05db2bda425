"""Searching real packages with the bundled embedder."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from aipk_core.chunks import Chunk
from aipk_core.claims.model import Claim, Evidence, Status
from aipk_core.documents.builder import DocumentBuilder
from aipk_core.embedding import Embedder, EmbeddingSettings, open_embedder
from aipk_core.errors import EmbedderError, UsageError
from aipk_core.package import Package, PackageContents, open_package, write_package
from aipk_core.retrieval import PackageRetriever, Retriever

MILL = {
    "stones": "The mill stones are dressed every six weeks.",
    "wind": "In a gale above nine Beaufort the sails are locked.",
    "flour": "Rye flour is milled on Tuesdays and Fridays.",
    "flag": "The flag kube-mill-max-rpm limits the speed of the cap.",
    "tank": "水槽が満杯になるとポンプは停止します。",
    "korean": "풍차는 매주 화요일에 점검합니다.",
    "wheat": "The price of wheat was set in 1911.",
}
BAKERY = {"oven": "The oven is lit at four in the morning.", "flour": "Rye flour is milled on Tuesdays and Fridays."}


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return open_embedder(EmbeddingSettings(threads=1))


def packed(folder: Path, name: str, sentences: dict[str, str], embedder: Embedder, version: str = "1") -> Package:
    builder = DocumentBuilder(f"{name}.md")
    builder.add("h1", name.title())
    for sentence in sentences.values():
        builder.add("p", sentence)
    page = builder.build(title=name.title())
    claims = [
        Claim(
            f"c-{key}",
            page.quote(block),
            (),
            (Evidence(page.id, block.start, block.end, page.quote(block)),),
            Status.CANONICAL,
        )
        for key, block in zip(sentences, page.prose_blocks(), strict=True)
    ]
    claims = [replace(claim, status=Status.REVIEWED) if claim.id == "c-wheat" else claim for claim in claims]
    chunks = [
        Chunk(f"k-{claim.id}", page.id, claim.evidence[0].start, claim.evidence[0].end, claim.text) for claim in claims
    ]
    contents = PackageContents(
        name=name,
        version=version,
        embedder=embedder.identity,
        documents=[page],
        chunks=chunks,
        chunk_vectors=embedder.embed_passages([chunk.full_text for chunk in chunks]),
        claims=claims,
        claim_vectors=embedder.embed_passages([claim.full_text for claim in claims]),
    )
    return open_package(write_package(folder / f"{name}-{version}.aipk", contents).path, folder / "cache")


@pytest.fixture(scope="module")
def mill(tmp_path_factory: pytest.TempPathFactory, embedder: Embedder) -> Iterator[Package]:
    with packed(tmp_path_factory.mktemp("mill"), "mill", MILL, embedder) as package:
        yield package


@pytest.fixture(scope="module")
def bakery(tmp_path_factory: pytest.TempPathFactory, embedder: Embedder) -> Iterator[Package]:
    with packed(tmp_path_factory.mktemp("bakery"), "bakery", BAKERY, embedder) as package:
        yield package


@pytest.mark.parametrize(
    ("question", "claim"),
    [
        ("How often are the grinding wheels sharpened?", "c-stones"),
        ("What happens in a storm?", "c-wind"),
        ("kube-mill-max-rpm", "c-flag"),
        ("When is rye milled?", "c-flour"),
        ("水槽が満杯になると？", "c-tank"),
        ("ポンプ", "c-tank"),
        ("풍차 점검은 언제", "c-korean"),
    ],
)
def test_the_best_claim(mill: Package, embedder: Embedder, question: str, claim: str) -> None:
    retriever: Retriever = PackageRetriever([mill], embedder)
    hits = retriever.claims(question, limit=3)

    assert hits[0].claim.id == claim
    assert hits[0].package == "mill"
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert all(-1 <= hit.similarity <= 1 for hit in hits)
    assert retriever.chunks(question, limit=1)[0].chunk.id == f"k-{claim}"


def test_only_canonical_claims_are_found(mill: Package, embedder: Embedder) -> None:
    hits = PackageRetriever([mill], embedder).claims("What was the price of wheat in 1911?", limit=20)
    assert "c-wheat" not in [hit.claim.id for hit in hits]
    assert len(hits) == len(MILL) - 1


@pytest.mark.parametrize("question", ["", "   ", "\n"])
def test_a_blank_question_finds_nothing(mill: Package, embedder: Embedder, question: str) -> None:
    retriever = PackageRetriever([mill], embedder)
    assert retriever.claims(question) == []
    assert retriever.chunks(question) == []
    assert retriever.claims("rye", limit=0) == []


@pytest.mark.parametrize("question", ["?", "rye " * 30_000, '"rye AND (', "\ud800 rye", "rye\0"])
def test_odd_questions_are_answered(mill: Package, embedder: Embedder, question: str) -> None:
    assert PackageRetriever([mill], embedder).claims(question, limit=2)


def test_several_packages_answer_together_and_shared_ids_are_told_apart(
    mill: Package, bakery: Package, embedder: Embedder
) -> None:
    retriever = PackageRetriever([mill, bakery], embedder)

    assert retriever.claims("When is the oven lit?", limit=1)[0].package == "bakery"
    assert retriever.claims("When is the oven lit?", limit=1)[0].claim.id == "c-oven"
    flour = retriever.claims("When is rye flour milled?", limit=2)
    assert {hit.claim.id for hit in flour} == {"mill:c-flour", "bakery:c-flour"}
    chunk = retriever.chunks("When is rye flour milled?", limit=1)[0]
    assert chunk.chunk.id == f"{chunk.package}:k-c-flour"


def test_claims_are_found_again_by_the_ids_of_hits(mill: Package, bakery: Package, embedder: Embedder) -> None:
    retriever = PackageRetriever([mill, bakery], embedder)
    for hit in retriever.claims("rye flour oven stones", limit=10):
        assert retriever.find_claim(hit.claim.id) == (hit.package, hit.claim)
    assert retriever.find_claim("c-flour") is None  # stands in both
    assert retriever.find_claim("c-absent") is None
    assert retriever.find_claim("bakery:c-stones") is None
    assert retriever.package("bakery") is bakery
    assert retriever.package("other") is None


def test_versions_of_one_package_are_told_apart(tmp_path: Path, mill: Package, embedder: Embedder) -> None:
    with packed(tmp_path, "mill", MILL, embedder, version="2") as newer:
        assert PackageRetriever([mill, newer], embedder).labels == ("mill@1", "mill@2")
        with pytest.raises(UsageError, match="twice"):
            PackageRetriever([mill, newer, newer], embedder)


def test_another_embedder_is_refused_and_never_compared(mill: Package, tmp_path: Path, embedder: Embedder) -> None:
    class Other:
        identity = replace(embedder.identity, digest="0" * 64)

    with pytest.raises(EmbedderError) as caught:
        PackageRetriever([mill], Other())  # type: ignore[arg-type]
    assert caught.value.code == "embedder-mismatch"
    assert "all-MiniLM-L6-v2-int8" in caught.value.message


def test_nothing_to_search(embedder: Embedder) -> None:
    with pytest.raises(UsageError):
        PackageRetriever([], embedder)


def test_a_package_without_claims_finds_none(tmp_path: Path, embedder: Embedder) -> None:
    builder = DocumentBuilder("empty.md")
    builder.add("p", "Nothing was reviewed here.")
    contents = PackageContents(
        name="empty",
        version="1",
        embedder=embedder.identity,
        documents=[builder.build()],
        chunks=[],
        chunk_vectors=embedder.embed_passages([]),
        claims=[],
        claim_vectors=embedder.embed_passages([]),
    )
    with open_package(write_package(tmp_path / "empty.aipk", contents).path, tmp_path / "cache") as package:
        retriever = PackageRetriever([package], embedder)
        assert retriever.claims("anything") == []
        assert retriever.chunks("anything") == []
