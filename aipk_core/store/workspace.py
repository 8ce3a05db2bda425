"""Where a project keeps its state: caches, manifests, locks, run history, all under one folder ``.aipk``."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from aipk_core.errors import StoreError
from aipk_core.store.cache import Cache, JsonCache
from aipk_core.store.manifest import Manifest, read_manifest, write_manifest

STATE_FOLDER = ".aipk"
_MARKERS = ("dagster.yaml", "workspace.yaml", ".git", STATE_FOLDER)


def project_root(start: Path) -> Path:
    """The project that ``start`` belongs to: the nearest folder at or above it with a ``dagster.yaml``, a git
    repository or a ``.aipk`` folder; ``start``'s own folder if there is none."""
    start = start.resolve()
    folder = start if start.is_dir() else start.parent
    for candidate in (folder, *folder.parents):
        if any((candidate / marker).exists() for marker in _MARKERS):
            return candidate
    return folder


class Workspace:
    """The state folder of a project.

    Args:
        root: the project's root; state goes to ``root/.aipk`` and packages to ``root/dist`` unless told otherwise.
    """

    def __init__(self, root: Path, *, state: Path | None = None, dist: Path | None = None) -> None:
        self.root = root.resolve()
        environment = os.environ.get("AIPK_STATE_DIR")
        self.state = (state or (Path(environment) if environment else self.root / STATE_FOLDER / "state")).resolve()
        self.dist = (dist or self.root / "dist").resolve()
        self._caches: dict[str, JsonCache] = {}
        self._vectors: dict[tuple[str, int], Cache] = {}

    @classmethod
    def of(cls, path: Path) -> Workspace:
        """The workspace of the project that ``path`` lies in."""
        return cls(project_root(path))

    @property
    def store(self) -> Path:
        return self.state / "store"

    @property
    def sources(self) -> Path:
        """Clones and downloaded pages."""
        return self.state / "sources"

    def cache(self, name: str) -> JsonCache:
        """The cache of JSON values called ``name``, shared by all corpora."""
        if name not in self._caches:
            self._caches[name] = JsonCache(self.store / "caches", name)
        return self._caches[name]

    def vectors(self, name: str, dimensions: int) -> Cache:
        """The cache of float32 vectors called ``name`` with ``dimensions`` each, shared by all corpora."""
        import pyarrow as pa

        if (name, dimensions) not in self._vectors:
            kind = pa.list_(pa.float32(), dimensions)
            self._vectors[name, dimensions] = Cache(self.store / "caches", f"{name}_{dimensions}", kind)
        return self._vectors[name, dimensions]

    def manifest_path(self, corpus: str, stage: str) -> Path:
        return self.store / "manifests" / corpus / f"{stage}.parquet"

    def read_manifest(self, corpus: str, stage: str) -> Manifest | None:
        """What ``stage`` of ``corpus`` made last time, or ``None``."""
        return read_manifest(self.manifest_path(corpus, stage))

    def require_manifest(self, corpus: str, stage: str) -> Manifest:
        """Like ``read_manifest``, but its absence is an error."""
        manifest = self.read_manifest(corpus, stage)
        if manifest is None:
            raise StoreError(
                f"the stage '{stage}' has not run yet",
                code="stage-missing",
                where=corpus,
                remedy=f"Run 'aipk build' on the corpus, or materialize {corpus}/{stage} first",
            )
        return manifest

    def write_manifest(self, corpus: str, manifest: Manifest) -> Path:
        """Make ``manifest`` the current one of its stage, atomically."""
        path = self.manifest_path(corpus, manifest.stage)
        write_manifest(path, manifest)
        return path

    @contextmanager
    def lock(self, name: str) -> Iterator[None]:
        """Hold the lock called ``name`` (a corpus, or ``gc``) against other processes; within a process it can be taken
        again by the part of the work that is already under it.

        Raises:
            StoreError: another process holds it (code ``store-locked``); the message says which and since when.
        """
        folder = self.state / "locks"
        path = folder / f"{name}.lock"
        holder = folder / f"{name}.json"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            lock = FileLock(path, is_singleton=True)
            lock.acquire(timeout=0)
        except Timeout as error:
            raise StoreError(
                f"'{name}' is already running{_described(holder)}",
                code="store-locked",
                where=str(path),
                remedy="Wait for it to end, or stop it",
            ) from error
        except OSError as error:
            raise StoreError(
                f"cannot write: {error.strerror}",
                code="store-unwritable",
                where=str(folder),
                remedy="Check the folder's permissions and free space",
            ) from error
        try:
            if lock.lock_counter == 1:
                holder.write_text(json.dumps({"pid": os.getpid(), "since": time.strftime("%Y-%m-%d %H:%M:%S")}))
            yield
        finally:
            if lock.lock_counter == 1:
                holder.unlink(missing_ok=True)
            lock.release()


def _described(holder: Path) -> str:
    try:
        facts = json.loads(holder.read_text())
        return f" (process {int(facts['pid'])}, since {facts['since']})"
    except (OSError, ValueError, KeyError, TypeError):
        return ""
