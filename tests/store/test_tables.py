"""Small tables kept by key, put together in any order, and a digest that sees values and nothing else."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aipk_core.errors import StoreError
from aipk_core.store.tables import TableCache, table_digest, with_notes

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


def test_notes_travel_with_a_table_and_do_not_change_it(tmp_path):
    cache = TableCache(tmp_path, "things", SCHEMA)
    cache.put({"a": with_notes(table("heron"), {"made of": b"\x00\xff"})})
    ((key, stored),) = cache.items(["a", "none"])
    assert (key, stored.schema.metadata) == ("a", {b"made of": b"\x00\xff"})
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
