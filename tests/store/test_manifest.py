import pyarrow as pa
import pytest

from aipk_core.errors import StoreError
from aipk_core.store.manifest import Manifest, read_manifest, write_atomically, write_manifest


def manifest(*ids):
    return Manifest("chunks", "f1", pa.table({"id": pa.array(ids, pa.string())}), {"documents": len(ids)})


def test_a_manifest_comes_back_as_it_was(tmp_path):
    written = manifest("a", "b")
    write_manifest(tmp_path / "x" / "chunks.parquet", written)
    read = read_manifest(tmp_path / "x" / "chunks.parquet")
    assert (read.stage, read.fingerprint, read.facts, read.version) == (
        "chunks",
        "f1",
        {"documents": 2},
        written.version,
    )
    assert read.column("id") == ["a", "b"]


def test_the_version_follows_the_rows_alone():
    assert manifest("a").version == Manifest("chunks", "other", manifest("a").rows, {}).version
    assert manifest("a").version != manifest("b").version
    assert manifest("a", "b").version != manifest("b", "a").version


def test_a_stage_that_has_never_run_has_no_manifest(tmp_path):
    assert read_manifest(tmp_path / "none.parquet") is None


@pytest.mark.parametrize("data", [b"", b"PAR1 rubbish", b"x" * 1000])
def test_a_damaged_manifest_is_an_error_with_advice(tmp_path, data):
    (tmp_path / "chunks.parquet").write_bytes(data)
    with pytest.raises(StoreError, match="Delete the file"):
        read_manifest(tmp_path / "chunks.parquet")


def test_writing_leaves_the_old_file_or_the_new_one(tmp_path):
    path = tmp_path / "a"
    write_atomically(path, b"old")
    write_atomically(path, b"new")
    assert path.read_bytes() == b"new"
    assert [file.name for file in tmp_path.iterdir()] == ["a"]
