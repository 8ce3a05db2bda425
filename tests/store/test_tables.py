"""Small tables kept by key, put together in any order, and a digest that sees values and nothing else."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aipk_core.errors import StoreError
from aipk_core.store.cache import Cache
from aipk_core.store.tables import TableCache, noted_rows, noting_rows, rows_behind, table_digest

SCHEMA = pa.schema([("word", pa.string()), ("count", pa.int64())])


def table(*words):
    return pa.table({"word": pa.array(words, pa.string()), "count": pa.array([len(w) for w in words], pa.int64())})


def test_tables_come_back_joined_in_the_order_asked_for(tmp_path):
    cache = TableCache(tmp_path, "things", SCHEMA)
    assert cache.put({"a": table("heron", "kite"), "b": table(), "c": table("owl")}) == 3
    again = TableCache(tmp_path, "things", SCHEMA)
    assert again.joined(["c", "b", "a"])["word"].to_pylist() == ["owl", "heron", "kite"]
    assert again.joined([]).num_rows == 0
    assert again.known() == {"a", "b", "c"}


def test_a_table_notes_what_it_was_made_of_and_that_does_not_change_it(tmp_path):
    cache = TableCache(tmp_path, "things", SCHEMA)
    keys = ["ab" * 32, "cd" * 32]
    cache.put({"a": noting_rows(table("heron"), "words", keys), "b": noting_rows(table("owl"), "words", keys[:1])})
    assert {key: noted_rows(stored, "words") for key, stored in cache.items(["a", "b", "none"])} == {"a": 2, "b": 1}
    assert rows_behind(Cache.existing(tmp_path, "things"), ["b"]) == {"words": set(keys[:1])}
    assert cache.joined(["a"]).schema.metadata is None


def test_a_missing_table_is_an_error_with_advice(tmp_path):
    cache = TableCache(tmp_path, "things", SCHEMA)
    cache.put({"a": table("heron")})
    with pytest.raises(StoreError, match="missing") as caught:
        cache.joined(["a", "b"])
    assert "Delete this folder" in caught.value.remedy


def test_a_table_with_other_columns_is_refused(tmp_path):
    TableCache(tmp_path, "things", pa.schema([("word", pa.string())])).put({"a": pa.table({"word": ["heron"]})})
    with pytest.raises(StoreError, match="other columns"):
        TableCache(tmp_path, "things", SCHEMA).joined(["a"])


ROWS = st.lists(st.tuples(st.none() | st.text(max_size=5), st.none() | st.integers(-9, 9)), max_size=12)


def of_rows(rows):
    words, numbers = [w for w, _ in rows], [n for _, n in rows]
    return pa.table([pa.array(words, pa.string()), pa.array(numbers, pa.int64())], schema=SCHEMA)


@given(ROWS, st.integers(0, 12))
def test_the_digest_does_not_see_how_rows_lie_in_memory(rows, cut):
    whole = of_rows(rows)
    padded = of_rows([("x", 1), *rows, ("y", None)]).slice(1, len(rows))
    assert table_digest(pa.concat_tables([whole.slice(0, cut), whole.slice(cut)])) == table_digest(whole)
    assert table_digest(padded) == table_digest(whole)


@given(ROWS, ROWS)
def test_the_digest_sees_every_value_and_the_order(one, other):
    assert (table_digest(of_rows(one)) == table_digest(of_rows(other))) == (one == other)
