"""Where a project keeps its state: caches, manifests, locks, run history, all under one folder ``.aipk``."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pyarrow as pa
from filelock import FileLock, Timeout

from aipk_core.errors import StoreError
from aipk_core.store.cache import Cache, JsonCache
from aipk_core.store.manifest import Manifest, read_manifest, read_version, write_manifest
from aipk_core.store.tables import TableCache
from aipk_core.store.uses import write_uses

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
        self._tables: dict[str, TableCache] = {}
        self._vectors: dict[tuple[str, int], Cache] = {}

    @classmethod
    def of(cls, path: Path) -> Workspace:
        """The workspace of the project that ``path`` lies in."""
        return cls(project_root(path))

    @property
    def store(self) -> Path:
        return self.state / "store"

    @property
    def caches(self) -> Path | str:
        """The LanceDB database of the caches: a folder of the store, or the object store that ``$AIPK_CACHES`` names."""
        named = os.environ.get("AIPK_CACHES", "")
        if "://" in named:
            return named.rstrip("/")
        return Path(named).resolve() if named else self.store / "caches"

    @property
    def sources(self) -> Path:
        """Clones and downloaded pages."""
        return self.state / "sources"

    def cache(self, name: str) -> JsonCache:
        """The cache of JSON values called ``name``, shared by all corpora."""
        if name not in self._caches:
            self._caches[name] = JsonCache(self.caches, name)
        return self._caches[name]

    def tables(self, name: str, schema: pa.Schema) -> TableCache:
        """The cache called ``name`` of Arrow tables with ``schema``, shared by all corpora."""
        if name not in self._tables:
            self._tables[name] = TableCache(self.caches, name, schema)
        return self._tables[name]

    def vectors(self, name: str, dimensions: int) -> Cache:
        """The cache of float32 vectors called ``name`` with ``dimensions`` each, shared by all corpora."""
        if (name, dimensions) not in self._vectors:
            kind = pa.list_(pa.float32(), dimensions)
            self._vectors[name, dimensions] = Cache(self.caches, f"{name}_{dimensions}", kind)
        return self._vectors[name, dimensions]

    def manifest_path(self, corpus: str, stage: str) -> Path:
        return self.store / "manifests" / corpus / f"{stage}.parquet"

    def read_manifest(self, corpus: str, stage: str) -> Manifest | None:
        """What ``stage`` of ``corpus`` made last time, or ``None``."""
        return read_manifest(self.manifest_path(corpus, stage))

    def manifest_version(self, corpus: str, stage: str) -> str:
        """The version of the stage's manifest without its rows; empty while there is none."""
        return read_version(self.manifest_path(corpus, stage))

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
        # First what it stands on: garbage collection must never find a manifest whose rows it knows nothing of.
        write_uses(self.store, corpus, manifest, self._used())
        write_manifest(path, manifest)
        return path

    def forget_uses(self) -> None:
        """Start anew with noting which rows are used; called when a stage starts."""
        for cache in self._opened():
            cache.used.clear()

    def _used(self) -> dict[str, set[str]]:
        return {cache.name: cache.used for cache in self._opened() if cache.used}

    def _opened(self) -> list[Cache]:
        values = [cache.cache for cache in self._caches.values()]
        return [*values, *(cache.cache for cache in self._tables.values()), *self._vectors.values()]

    @contextmanager
    def using_store(self, *, exclusive: bool = False) -> Iterator[None]:
        """Hold the store open for a build (many may), or closed for its cleaning (one alone).

        Raises:
            StoreError: the other kind of use is going on (code ``store-locked``).
        """
        folder = self.state / "locks"
        with _writable(folder):
            folder.mkdir(parents=True, exist_ok=True)
            handle = os.open(folder / "store.lock", os.O_RDWR | os.O_CREAT, 0o644)
        try:
            try:
                fcntl.flock(handle, (fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH) | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise StoreError(
                    "a build uses the store" if exclusive else "the store is being cleaned",
                    code="store-locked",
                    where=str(self.store),
                    remedy="Wait for it to end, or stop it",
                ) from error
            yield
        finally:
            os.close(handle)  # which gives the lock back

    @contextmanager
    def lock(self, name: str) -> Iterator[bool]:
        """Hold the lock called ``name`` (of a corpus) against other processes; within a process it can be taken again by
        the part of the work that is already under it, and the value says whether it was taken for the first time.

        Raises:
            StoreError: another process holds it (code ``store-locked``); the message says which and since when.
        """
        folder = self.state / "locks"
        path = folder / f"{name}.lock"
        holder = folder / f"{name}.json"
        lock = FileLock(path, is_singleton=True)
        try:
            with _writable(folder):
                folder.mkdir(parents=True, exist_ok=True)
                lock.acquire(timeout=0)
        except Timeout as error:
            raise StoreError(
                f"'{name}' is already running{_described(holder)}",
                code="store-locked",
                where=str(path),
                remedy="Wait for it to end, or stop it",
            ) from error
        try:
            if lock.lock_counter == 1:
                # Only a courtesy to whoever waits; a full disk must not stop a build that may need no space.
                with suppress(OSError):
                    holder.write_text(json.dumps({"pid": os.getpid(), "since": time.strftime("%Y-%m-%d %H:%M:%S")}))
            yield lock.lock_counter == 1
        finally:
            if lock.lock_counter == 1:
                holder.unlink(missing_ok=True)
            lock.release()


@contextmanager
def _writable(folder: Path) -> Iterator[None]:
    try:
        yield
    except TimeoutError:
        raise  # of a lock: somebody else has it, which the caller explains
    except OSError as error:
        full = error.errno == errno.ENOSPC
        raise StoreError(
            "the disk is full" if full else f"cannot write: {error.strerror}",
            code="disk-full" if full else "store-unwritable",
            where=str(folder),
            remedy="Free some space and build again" if full else "Check the folder's permissions",
        ) from error


def _described(holder: Path) -> str:
    try:
        facts = json.loads(holder.read_text())
        return f" (process {int(facts['pid'])}, since {facts['since']})"
    except (OSError, ValueError, KeyError, TypeError):
        return ""
