"""Which cached rows each manifest stands on, so that the store can be cleaned without losing what is in use.

A stage reads or writes every row that its output is made of, so its uses are the keys that went through its caches. They
are written before the manifest that they belong to; a few earlier ones stay, so that a corpus that goes back to last
week's state finds its rows still there.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from aipk_core.errors import StoreError
from aipk_core.store.manifest import Manifest, write_atomically

KEPT_USES = 10
"""So many states of a stage are remembered; older ones are forgotten when a new one is written."""

_SCHEMA = pa.schema([("cache", pa.dictionary(pa.int32(), pa.string())), ("key", pa.string())])


def write_uses(store: Path, corpus: str, manifest: Manifest, used: Mapping[str, set[str]]) -> None:
    """Note that ``manifest`` stands on the rows ``used`` (cache name -> keys)."""
    path = store / "uses" / corpus / f"{manifest.stage}.{manifest.version[:32]}.parquet"
    names = sorted(used)
    keys = [sorted(used[name]) for name in names]
    caches = pa.DictionaryArray.from_arrays(
        pa.array([number for number, some in enumerate(keys) for _ in some], pa.int32()), pa.array(names, pa.string())
    )
    table = pa.table([caches, pa.array([key for some in keys for key in some], pa.string())], schema=_SCHEMA)
    buffer = pa.BufferOutputStream()
    pq.write_table(table, buffer, compression="zstd")
    write_atomically(path, buffer.getvalue().to_pybytes())
    for old in _newest_first(path.parent, manifest.stage)[KEPT_USES:]:
        old.unlink(missing_ok=True)


def used_keys(store: Path, keep: int) -> dict[str, set[str]]:
    """Cache name -> keys that the last ``keep`` states of any stage of any corpus stand on.

    Raises:
        StoreError: a file cannot be read, so that nobody knows what is in use.
    """
    found: dict[str, set[str]] = {}
    for folder in sorted(path for path in (store / "uses").glob("*") if path.is_dir()):
        for stage in sorted({path.name.split(".")[0] for path in folder.glob("[!.]*.parquet")}):
            for path in _newest_first(folder, stage)[: max(keep, 1)]:
                for name, keys in _read(path).items():
                    found.setdefault(name, set()).update(keys)
    return found


def forget_uses(store: Path, keep: int) -> None:
    """Forget all but the last ``keep`` states of every stage."""
    for folder in (path for path in (store / "uses").glob("*") if path.is_dir()):
        for stage in {path.name.split(".")[0] for path in folder.glob("[!.]*.parquet")}:
            for path in _newest_first(folder, stage)[max(keep, 1) :]:
                path.unlink(missing_ok=True)


def has_uses(store: Path, corpus: str, manifest: Manifest) -> bool:
    """Whether the rows of ``manifest`` are noted, and are so as the latest of their stage."""
    newest = _newest_first(store / "uses" / corpus, manifest.stage)
    return bool(newest) and newest[0].name == f"{manifest.stage}.{manifest.version[:32]}.parquet"


def _newest_first(folder: Path, stage: str) -> list[Path]:
    files = [(path.stat().st_mtime_ns, path.name, path) for path in folder.glob(f"{stage}.*.parquet")]
    return [path for _, _, path in sorted(files, reverse=True)]


def _read(path: Path) -> dict[str, list[str]]:
    try:
        table = pq.read_table(path)
        found: dict[str, list[str]] = {}
        for name, key in zip(table["cache"].to_pylist(), table["key"].to_pylist(), strict=True):
            found.setdefault(name, []).append(key)
        return found
    except (pa.ArrowException, OSError, KeyError, ValueError) as error:
        raise StoreError(
            f"the list of used rows cannot be read: {error}",
            where=str(path),
            remedy="Delete the file and build the corpus with --force of its stage",
        ) from error
