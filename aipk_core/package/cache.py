"""Unpacked packages, one folder per package file, named by the file's digest.

An entry is made beside its place and renamed into it, so it is there whole or not at all, and two processes that open
the same package at once end with one entry. An entry that was damaged afterwards is made anew.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from filelock import FileLock, Timeout

from aipk_core.errors import StoreError
from aipk_core.hashing import digest_bytes, digest_file
from aipk_core.package.container import Container, disk_full, writing
from aipk_core.package.manifest import MANIFEST_NAME

_MARKER = ".checked.json"
_LOCK_SECONDS = 600
_STATE_FOLDER = ".aipk"


def default_cache(package: Path) -> Path:
    """Where packages are unpacked when nobody says otherwise: ``$AIPK_CACHE``; inside a project (the nearest folder at
    or above the package that has a ``.aipk`` folder) ``.aipk/cache``; else the user's cache folder."""
    named = os.environ.get("AIPK_CACHE")
    if named:
        return Path(named)
    for folder in package.resolve().parents:
        if (folder / _STATE_FOLDER).is_dir():
            return folder / _STATE_FOLDER / "cache"
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base and Path(base).is_absolute() else Path.home() / ".cache") / "aipk"


def unpacked(
    container: Container, cache: Path, *, check: Callable[[Path], None], verify: bool = False
) -> tuple[Path, str]:
    """The folder with the members of ``container``, and the digest of the package file.

    Args:
        check: looks into a freshly unpacked folder and raises when it must not be served; runs once per entry, and
            again when ``verify`` is set.
        verify: compare every unpacked byte with its digest, not only names and sizes.

    Raises:
        PackageError: the package is damaged, or ``check`` refused it; no entry is left.
        StoreError: the disk is full, or the cache cannot be written or is locked for too long.
    """
    digest = container.digest()
    entry = cache / digest
    if not verify and _is_intact(entry, container):
        return entry, digest
    with writing(cache):
        cache.mkdir(parents=True, exist_ok=True)
        try:
            with FileLock(str(cache / f"{digest}.lock"), timeout=_LOCK_SECONDS):
                if not _is_intact(entry, container, every_byte=verify):
                    _fill(entry, container, check)
                elif verify:
                    check(entry)
        except Timeout as error:
            raise StoreError(
                f"another process has been unpacking this package for {_LOCK_SECONDS} seconds",
                code="locked",
                where=str(cache),
                remedy="Wait for it, or end it, or choose another cache folder with AIPK_CACHE",
            ) from error
    return entry, digest


def _fill(entry: Path, container: Container, check: Callable[[Path], None]) -> None:
    needed = sum(member.size for member in container.manifest.members)
    if shutil.disk_usage(entry.parent).free < needed:
        raise disk_full(entry.parent, needed)
    fresh = Path(tempfile.mkdtemp(prefix=f".{entry.name[:16]}.", suffix=".partial", dir=entry.parent))
    try:
        container.extract(fresh)
        check(fresh)
        marker = fresh / _MARKER
        marker.write_text(json.dumps({"manifest": digest_file(fresh / MANIFEST_NAME)}), encoding="utf-8")
        marker.chmod(0o444)
        if entry.exists():
            shutil.rmtree(entry)
        fresh.replace(entry)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _is_intact(entry: Path, container: Container, *, every_byte: bool = False) -> bool:
    """Whether ``entry`` has exactly the files of the package: names and sizes, and on demand every byte."""
    try:
        marker = json.loads((entry / _MARKER).read_text(encoding="utf-8"))
        raw = (entry / MANIFEST_NAME).read_bytes()
        if not isinstance(marker, dict) or marker.get("manifest") != digest_bytes(raw) or raw != container.raw_manifest:
            return False
        for member in container.manifest.members:
            path = entry / member.path
            if path.is_symlink() or path.stat().st_size != member.size:
                return False
            if every_byte and digest_file(path) != member.sha256:
                return False
        files = sum(1 for path in entry.rglob("*") if not path.is_dir())
    except (OSError, ValueError):
        return False
    return files == len(container.manifest.members) + 2
