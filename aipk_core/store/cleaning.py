"""Keeping the store small: what it holds, what nobody needs any more, and what killed builds left behind.

Caches only grow while builds run; rows that no recent state of any corpus stands on go when the store is cleaned. That is
safe at any time but while a build writes, so cleaning needs the store for itself.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aipk_core.store.cache import Cache, bytes_under, table_names
from aipk_core.store.manifest import read_manifest
from aipk_core.store.tables import rows_behind
from aipk_core.store.uses import forget_uses, has_uses, used_keys
from aipk_core.store.workspace import Workspace

KEEP_STATES = 3
_MADE_OF_ROWS = frozenset({"document_claims"})
"""Caches of tables that note which rows of other caches they were made of."""

Progress = Callable[[str, int, int | None], None]


@dataclass(frozen=True, slots=True)
class CacheSize:
    """One cache on disk."""

    name: str
    rows: int
    bytes: int


@dataclass(frozen=True, slots=True)
class StoreSize:
    """What lies where, in bytes on disk."""

    caches: tuple[CacheSize, ...]
    manifests: int
    sources: int
    runs: int
    packages: int

    @property
    def total(self) -> int:
        return sum(cache.bytes for cache in self.caches) + self.manifests + self.sources + self.runs + self.packages

    def to_dict(self) -> dict[str, Any]:
        caches = {cache.name: {"rows": cache.rows, "bytes": cache.bytes} for cache in self.caches}
        rest = {name: getattr(self, name) for name in ("manifests", "sources", "runs", "packages")}
        return {"caches": caches, **rest, "total": self.total}


@dataclass(slots=True)
class Cleaned:
    """What a cleaning did. ``dropped`` maps cache names to rows; ``kept_whole`` says which corpora stood in the way."""

    before: int
    after: int = 0
    dropped: dict[str, int] = field(default_factory=dict)
    kept_whole: list[str] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        return {
            "bytes_before": self.before,
            "bytes_after": self.after,
            "rows_dropped": self.dropped,
            "kept_whole": self.kept_whole,
        }


def store_size(workspace: Workspace) -> StoreSize:
    """Rows and bytes of everything that the project keeps."""
    caches = []
    for name in table_names(workspace.caches):
        cache = Cache.existing(workspace.caches, name)
        caches.append(CacheSize(name, len(cache.known()), cache.size()))
    manifests = sum(bytes_under(workspace.store / part) for part in ("manifests", "uses", "records", "history"))
    runs = sum(bytes_under(workspace.state / part) for part in ("history", "storage", "schedules", "runs"))
    return StoreSize(tuple(caches), manifests, bytes_under(workspace.sources), runs, bytes_under(workspace.dist))


def clean_store(workspace: Workspace, *, keep: int = KEEP_STATES, progress: Progress | None = None) -> Cleaned:
    """Drop the rows that none of the last ``keep`` states of any stage stands on, and compact what stays.

    Raises:
        StoreError: a build is running (code ``store-locked``), or something cannot be read; then nothing was dropped
            that is in use.
    """
    with workspace.using_store(exclusive=True):
        cleaned = Cleaned(bytes_under(workspace.store))
        remove_leftovers(workspace)
        shutil.rmtree(workspace.state / "shards", ignore_errors=True)
        cleaned.kept_whole = _unnoted(workspace)
        used = used_keys(workspace.store, keep) if not cleaned.kept_whole else {}
        for manifest in (workspace.store / "manifests").glob("*/*.parquet"):
            _add_listed_keys(used, manifest)
        names = table_names(workspace.caches)
        for name in _MADE_OF_ROWS.intersection(names):
            held = rows_behind(Cache.existing(workspace.caches, name), sorted(used.get(name, ())))
            for other, keys in held.items():
                used.setdefault(other, set()).update(keys)
        for number, name in enumerate(names):
            if progress:
                progress("compacting", number, len(names))
            cache = Cache.existing(workspace.caches, name)
            keep_keys = None if cleaned.kept_whole else frozenset(used.get(name, ()))
            cleaned.dropped[name] = cache.compact(keep_keys)
        if not cleaned.kept_whole:
            forget_uses(workspace.store, keep)
        cleaned.after = bytes_under(workspace.store)
        return cleaned


def remove_leftovers(workspace: Workspace, corpus: str = "") -> int:
    """Delete what killed builds left half-written: of one corpus, whose build lock the caller holds, or of all.

    Returns the number of files and folders deleted.
    """
    name = corpus or "*"
    found = [
        *workspace.dist.glob(f".{name}.new.aipk*"),
        *workspace.dist.glob(f"..{name}.new.aipk*"),  # the folder that a package is written in
        *workspace.dist.glob(f".{name}.pointer"),
        *(
            path
            for part in ("manifests", "uses", "records")
            for path in (workspace.store / part / corpus).glob(".*" if corpus else "*/.*")
        ),
    ]
    for path in found:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
    return len(found)


def _unnoted(workspace: Workspace) -> list[str]:
    """``corpus/stage`` of current manifests whose rows are not noted: nothing may be dropped while there is one."""
    unnoted = []
    for path in sorted((workspace.store / "manifests").glob("*/[!.]*.parquet")):
        manifest = read_manifest(path)
        if manifest is not None and not has_uses(workspace.store, path.parent.name, manifest):
            unnoted.append(f"{path.parent.name}/{path.stem}")
    return unnoted


def _add_listed_keys(used: dict[str, set[str]], path: Path) -> None:
    """What a current manifest itself lists is in use, whether or not the stage that wrote it touched the row again."""
    manifest = read_manifest(path)
    if manifest is None or "key" not in manifest.names:
        return
    if path.stem == "documents":
        for name in ("documents", "document_summaries"):
            used.setdefault(name, set()).update(manifest.column("key"))
    elif path.stem == "embeddings":
        dimensions = manifest.facts["embedder"]["dimensions"]
        used.setdefault(f"vectors_{dimensions}", set()).update(manifest.column("key"))
