"""How texts and questions become terms, and how two orders become one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aipk_core.package.search import Candidate, fuse
from aipk_core.package.search_terms import index_terms, query_terms


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("The kube-scheduler binds Pods.", "the kube scheduler binds pods"),
        ("nodeName, HTTPProxy and IPv6", "nodename node name httpproxy http proxy and ipv6"),
        ("--max-pods=110 /var/lib", "max pods 110 var lib"),
        ("水槽が満杯", "水槽 槽が が満 満杯"),
        ("Podの数は3", "pod の数 数は 3"),
        ("東", "東"),
        ("ﬁle ＡＢＣ", "file abc"),
        ("Straße CAFÉ", "strasse café"),
        ("snake_case", "snake case"),
        ("", ""),
        ("?! … 💥", ""),
    ],
)
def test_terms_of_a_text(text: str, terms: str) -> None:
    assert index_terms(text) == terms


def test_a_question_drops_the_words_that_only_ask() -> None:
    assert query_terms("What is the maximum number of pods?") == "maximum number pods"
    assert query_terms("What is it?") == "what is it"
    assert query_terms("pods pods PODS") == "pods"
    assert len(query_terms(" ".join(f"w{number}" for number in range(1_000))).split()) == 64


@given(st.text(max_size=200))
def test_what_a_text_is_indexed_under_finds_it(text: str) -> None:
    indexed = set(index_terms(text).split(" "))
    assert set(query_terms(text).split(" ")) <= indexed
    assert all(len(term) <= 64 for term in indexed)
    assert not any(character.isspace() for term in indexed for character in term)


def _candidate(name: str, similarity: float, text_rank: int | None, by_vector: bool = True) -> Candidate[str]:
    return Candidate(name, name, similarity, by_vector, text_rank)


def test_what_both_find_comes_first() -> None:
    hits = fuse(
        [_candidate("near", 0.9, None), _candidate("worded", 0.1, 0, False), _candidate("both", 0.8, 1)], limit=3
    )
    assert [hit.item for hit in hits] == ["both", "near", "worded"]
    assert hits[0].score == pytest.approx(1 / 61 + 1 / 61)


def test_one_half_alone() -> None:
    candidates = [_candidate("near", 0.9, None), _candidate("worded", 0.1, 0, False)]
    assert [hit.item for hit in fuse(candidates, limit=5, mode="vectors")] == ["near"]
    assert [hit.item for hit in fuse(candidates, limit=5, mode="text")] == ["worded"]


@given(st.permutations([_candidate(f"c{number}", round(0.1 * (number % 3), 1), number % 4) for number in range(8)]))
def test_the_order_of_candidates_does_not_matter(candidates: list[Candidate[str]]) -> None:
    expected = fuse(sorted(candidates, key=lambda candidate: candidate.id), limit=8)
    assert fuse(candidates, limit=8) == expected
    assert fuse(candidates, limit=3) == expected[:3]
    assert fuse(candidates, limit=0) == []
