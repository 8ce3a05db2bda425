"""Caches in an object store: the same rows, the same cleaning."""

import pyarrow as pa

from aipk_core.store.cache import Cache, table_names
from aipk_core.store.cleaning import store_size
from aipk_core.store.workspace import Workspace


def test_caches_can_lie_in_an_object_store(tmp_path, monkeypatch):
    # LanceDB's own stand-in for one: files, but used through the calls that an object store has.
    monkeypatch.setenv("AIPK_CACHES", f"file-object-store://{tmp_path}/bucket/")
    workspace = Workspace(tmp_path / "project")
    cache = workspace.cache("chunks")
    assert cache.known() == frozenset()
    assert cache.put({"a": {"n": 1}, "b": [2]}) == 2
    assert cache.put({"a": {"n": 3}}) == 0
    again = Workspace(tmp_path / "project").cache("chunks")
    assert again.get(["a", "b", "c"]) == {"a": {"n": 1}, "b": [2]}
    assert not (tmp_path / "project" / ".aipk").exists()
    assert [(item.name, item.rows) for item in store_size(workspace).caches] == [("chunks", 2)]


def test_a_cache_that_is_there_can_be_opened_without_knowing_its_values(tmp_path):
    Cache(tmp_path, "numbers", pa.int64()).put(["x", "y"], pa.array([1, 2]))
    cache = Cache.existing(tmp_path, "numbers")
    assert cache.compact(frozenset({"y"})) == 1
    assert table_names(tmp_path) == ["numbers"]
    assert cache.rows(["x", "y"]).to_pylist() == [{"key": "y", "value": 2}]
