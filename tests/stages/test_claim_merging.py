"""Claims of many documents become one claim for each statement, whatever the order and number of documents."""

import json

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aipk_core.errors import StoreError
from aipk_core.stages.claim_merging import merge_claims
from aipk_core.stages.document_claims import TABLE


def row(name, text, document, fold="", places=1):
    evidence = [[document, number, number + 1, "q", [], "", None] for number in range(places)]
    return {
        "id": name,
        "text": text,
        "context": "[]",
        "kind": "sentence",
        "lang": "en",
        "checks": "[]",
        "evidence": json.dumps(evidence),
        "fold": fold or name,
        "places": places,
    }


def merged(rows, decided=()):
    return merge_claims(pa.Table.from_pylist(rows, schema=TABLE), frozenset(decided))


def test_a_claim_of_two_pages_has_the_places_of_both():
    result = merged([row("c-1", "It is.", "b.md", places=2), row("c-0", "So.", "b.md"), row("c-1", "It is.", "d.md")])
    assert result.rows["id"].to_pylist() == ["c-0", "c-1"]
    assert [place[:2] for place in json.loads(result.rows["evidence"][1].as_py())] == [
        ["b.md", 0],
        ["b.md", 1],
        ["d.md", 0],
    ]
    assert result.rows["places"].to_pylist() == [1, 3]
    assert result.variants == frozenset()


def test_texts_that_differ_in_typography_are_one_claim_unless_somebody_decided():
    rows = [row("c-2", "It is!", "a.md", "f"), row("c-1", "It is.", "b.md", "f"), row("c-3", "it is", "c.md", "f")]
    alone = merged(rows)
    assert alone.rows["id"].to_pylist() == ["c-1"]
    assert alone.variants == {"c-1", "c-2", "c-3"}
    assert [place[0] for place in json.loads(alone.rows["evidence"][0].as_py())] == ["a.md", "b.md", "c.md"]
    decided = merged(rows, {"c-2", "c-3"})
    assert decided.rows["id"].to_pylist() == ["c-2", "c-3"]
    assert decided.rows["places"].to_pylist() == [2, 1]


def test_two_texts_with_one_id_are_refused():
    with pytest.raises(StoreError) as caught:
        merged([row("c-1", "It is.", "a.md"), row("c-1", "It was.", "b.md")])
    assert (caught.value.code, caught.value.where) == ("claim-id-clash", "b.md")
    assert merged([row("c-1", "It is.", "a.md"), row("c-1", "It  is.", "b.md")]).rows["text"].to_pylist() == ["It is."]


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 3)), max_size=30), st.sets(st.integers(0, 9)))
def test_no_place_is_lost_and_none_is_doubled(pairs, decided):
    rows = [row(f"c-{n}", f"text {n}", f"{page}-{at}.md", f"f{n % 4}") for at, (n, page) in enumerate(pairs)]
    result = merged(rows, {f"c-{n}" for n in decided})
    names = result.rows["id"].to_pylist()
    places = [place[0] for text in result.rows["evidence"].to_pylist() for place in json.loads(text)]
    assert names == sorted(set(names))
    assert sorted(places) == sorted(json.loads(item["evidence"])[0][0] for item in rows)
    assert {f"c-{n}" for n in decided} & {item["id"] for item in rows} <= set(names)
    assert result.rows["places"].to_pylist() == [len(json.loads(text)) for text in result.rows["evidence"].to_pylist()]
