import multiprocessing

import pyarrow as pa
import pytest

from aipk_core.errors import StoreError
from aipk_core.store.cache import Cache, JsonCache, cached


def test_what_was_put_comes_back(tmp_path):
    cache = JsonCache(tmp_path, "things")
    assert cache.get(["a"]) == {}
    assert cache.put({"a": {"n": 1}, "b": ["ü", None]}) == 2
    assert cache.get(["a", "b", "c"]) == {"a": {"n": 1}, "b": ["ü", None]}
    assert JsonCache(tmp_path, "things").known() == {"a", "b"}


def test_a_row_is_never_changed(tmp_path):
    cache = JsonCache(tmp_path, "things")
    cache.put({"a": 1})
    assert cache.put({"a": 2, "b": 3}) == 1
    assert cache.get(["a", "b"]) == {"a": 1, "b": 3}


def test_two_views_on_one_cache_see_each_others_rows(tmp_path):
    one, other = JsonCache(tmp_path, "things"), JsonCache(tmp_path, "things")
    one.put({"a": 1})
    assert other.get(["a"]) == {"a": 1}
    other.put({"b": 2})
    assert one.get(["a", "b"]) == {"a": 1, "b": 2}


def test_few_rows_of_many_are_looked_up(tmp_path):
    cache = JsonCache(tmp_path, "things")
    cache.put({str(number): number for number in range(2_000)})
    assert cache.get(["1999", "7", "none"]) == {"1999": 1999, "7": 7}


def test_vectors_keep_every_bit(tmp_path):
    cache = Cache(tmp_path, "vectors", pa.list_(pa.float32(), 3))
    values = pa.FixedSizeListArray.from_arrays(pa.array([0.1, 0.2, 0.3, -1.0, 0.0, 1e-30], pa.float32()), 3)
    cache.put(["a", "b"], values)
    rows = {row["key"]: row["value"] for row in cache.rows(["b", "a"]).to_pylist()}
    assert rows["a"] == values[0].as_py()
    assert rows["b"] == values[1].as_py()


def test_only_missing_rows_are_computed_and_a_stop_keeps_what_was_done(tmp_path):
    cache = JsonCache(tmp_path, "things")
    keys = [str(number) for number in range(1_000)]
    asked = []

    def stops_half_way(missing):
        for position in missing:
            if position == 700:
                raise KeyboardInterrupt
            yield position, position

    with pytest.raises(KeyboardInterrupt):
        cached(cache, keys, stops_half_way)
    kept = len(cache.known())
    assert 0 < kept < 700

    def compute(missing):
        asked.extend(missing)
        for position in missing:
            yield position, position

    assert cached(cache, keys, compute) == 1_000 - kept
    assert len(asked) == 1_000 - kept
    assert cache.get(keys) == {key: int(key) for key in keys}


def test_keys_that_stand_twice_are_computed_once(tmp_path):
    asked = []

    def compute(missing):
        for position in missing:
            asked.append(position)
            yield position, position

    assert cached(JsonCache(tmp_path, "things"), ["a", "b", "a"], compute) == 2
    assert asked == [0, 1]


def test_compacting_drops_what_is_not_kept(tmp_path):
    cache = JsonCache(tmp_path, "things")
    for number in range(5):
        cache.put({str(number): number})
    assert cache.cache.compact(frozenset({"1", "3"})) == 3
    assert cache.get(["0", "1", "3"]) == {"1": 1, "3": 3}
    assert cache.cache.size() > 0


def test_a_damaged_row_is_an_error_with_advice(tmp_path):
    cache = JsonCache(tmp_path, "things")
    cache.cache.put(["a"], pa.array([b"not a row at all"], pa.large_binary()))
    with pytest.raises(StoreError, match="Delete this folder"):
        cache.get(["a"])


def test_a_damaged_table_is_an_error_with_advice(tmp_path):
    JsonCache(tmp_path, "things").put({"a": 1})
    for file in (tmp_path / "things.lance" / "data").iterdir():
        file.write_bytes(file.read_bytes()[:20])
    with pytest.raises(StoreError, match="Delete this folder"):
        JsonCache(tmp_path, "things").get(["a"])


def _put_many(folder, first, barrier):
    cache = JsonCache(folder, "things")
    barrier.wait(timeout=60)
    for number in range(first, first + 10):
        cache.put({str(number): number, "shared": 0})


def test_processes_that_write_at_once_lose_and_double_nothing(tmp_path):
    JsonCache(tmp_path, "things").put({"start": 0})
    context = multiprocessing.get_context("spawn")
    barrier = context.Barrier(2)
    workers = [context.Process(target=_put_many, args=(tmp_path, first, barrier)) for first in (0, 5)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(120)
        assert worker.exitcode == 0
    rows = Cache(tmp_path, "things", pa.large_binary()).rows([*map(str, range(20)), "shared", "start"])
    assert sorted(rows["key"].to_pylist()) == sorted([*map(str, range(15)), "shared", "start"])
