"""Local files as a source.

The folder is walked once, sorted, and each file is hashed. Reading a file later checks that it is still the very same
one, so a snapshot never mixes two states. Symbolic links are followed only to places inside the folder.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from aipk_core.documents.model import Problem
from aipk_core.documents.sources.model import Source
from aipk_core.documents.sources.snapshot import (
    Choice,
    PathBook,
    Progress,
    SourceFile,
    SourceSnapshot,
    check_totals,
    listing_revision,
    url_of,
)
from aipk_core.errors import DocumentError, SourceError

MAX_DEPTH = 64
_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a file of the listing lies, and the marks by which it is known again."""

    path: Path
    device: int
    inode: int
    size: int
    modified: int


class FolderSnapshot(SourceSnapshot):
    """A folder as it was when it was walked; see ``open_folder``."""

    def __init__(
        self, settings: Source, files: Sequence[SourceFile], places: dict[str, _Place], problems: tuple[Problem, ...]
    ) -> None:
        self.settings = settings
        self.problems = problems
        self.revision = listing_revision(files)
        self._files = tuple(files)
        self._places = places
        self._digests = {file.path: file.digest for file in files}

    def all_files(self) -> Sequence[SourceFile]:
        return self._files

    def read(self, path: str) -> bytes:
        place = self._places.get(path)
        if place is None:
            raise SourceError("there is no such file in the source", code="no-such-file", where=path)
        if place.size > self.settings.max_file_bytes:
            raise too_large(path, place.size, self.settings.max_file_bytes)
        data = b"".join(_blocks(place, path))
        if hashlib.sha256(data).hexdigest() != self._digests[path]:
            raise _changed(path)
        return data

    def close(self) -> None:
        """Nothing is held open between two reads."""


def open_folder(
    settings: Source, root: Path, folders: Sequence[str] = (), progress: Progress | None = None
) -> FolderSnapshot:
    """Walk and hash ``root``, a folder or a single file.

    Args:
        folders: look only at these folders (or single files) below ``root``; none means all of it.

    Raises:
        SourceError: ``source-missing``, ``source-changed`` (something vanished during the walk), ``source-unreadable``,
            ``too-many-files``, ``too-large``.
    """
    walk = _Walk(settings, root)
    try:
        places = walk.places(folders)
        files: list[SourceFile] = []
        for number, path in enumerate(sorted(places)):
            if progress:
                progress("files", number, len(places))
            file = _hashed(settings, path, places[path], walk)
            if file:
                files.append(file)
    except FileNotFoundError as error:
        raise SourceError(
            "a file vanished while the source was read",
            code="source-changed",
            where=str(error.filename),
            remedy="Run the command again when nothing is being written there",
        ) from error
    except OSError as error:
        raise SourceError(
            f"the source cannot be read: {error.strerror or error}",
            where=str(error.filename or root),
            remedy="Check the disk and the permissions",
        ) from error
    return FolderSnapshot(settings, files, places, tuple(walk.book.problems))


def too_large(path: str, size: int, limit: int) -> DocumentError:
    return DocumentError(
        f"the file has {size} bytes, more than the limit of {limit}",
        code="too-large",
        where=path,
        remedy="Split the file, exclude it, or raise max_file_bytes",
    )


class _Walk:
    """One pass over a folder: collects the places of all files that matter, and problems."""

    def __init__(self, settings: Source, root: Path) -> None:
        self.settings = settings
        self.choice = Choice(settings)
        self.book = PathBook()
        # A Hugo page is made from many files that are no pages themselves, so all of them belong to the source.
        self.whole = settings.loader == "hugo"
        self.folders = 0
        try:
            self.root = root.resolve(strict=True)
        except (OSError, RuntimeError) as error:  # RuntimeError: a loop of symbolic links, before Python 3.13
            raise SourceError(
                "there is no such file or folder, or it cannot be entered",
                code="source-missing",
                where=str(root),
                remedy="Check the path",
            ) from error

    def places(self, folders: Sequence[str]) -> dict[str, _Place]:
        found: dict[str, _Place] = {}
        total = 0
        for path, real, status in self._entries(folders):
            name = self.book.add(path)
            if name is None or name in found:
                continue
            found[name] = _Place(real, status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)
            total += status.st_size if status.st_size <= self.settings.max_file_bytes else 0
            check_totals(self.settings, len(found), total)
        return found

    def _entries(self, folders: Sequence[str]) -> Iterator[tuple[str, Path, os.stat_result]]:
        if self.root.is_file():
            yield self.root.name, self.root, self.root.stat()
            return
        if not folders:
            yield from self._folder("", self.root, (self.root,))
        for folder in sorted(set(folders)):
            start = self.root / folder
            if not start.exists():
                self._problem("folder-missing", "the folder is not in the source", folder)
            elif not self._inside(start.resolve()):
                self._problem("link-outside", "the folder is a symbolic link out of the source", folder)
            elif start.is_dir():
                yield from self._folder(folder, start.resolve(), (self.root, start.resolve()))
            elif self.whole or self.choice.is_document(folder):
                yield folder, start.resolve(), start.resolve().stat()

    def _folder(self, path: str, real: Path, above: tuple[Path, ...]) -> Iterator[tuple[str, Path, os.stat_result]]:
        if len(above) > MAX_DEPTH:
            self._problem("too-deep", f"folders are nested deeper than {MAX_DEPTH}; the rest is left out", path)
            return
        # Links between folders can span exponentially many paths, even without a loop and without a file.
        self.folders += 1
        check_totals(self.settings, self.folders, 0)
        try:
            with os.scandir(real) as listing:
                entries = sorted(listing, key=lambda entry: os.fsencode(entry.name))
        except PermissionError:
            self._problem("folder-unreadable", "there is no permission to enter the folder", path or ".")
            return
        for entry in entries:
            if entry.name.startswith(".") and not self.settings.hidden:
                continue
            below = f"{path}/{entry.name}" if path else entry.name
            target = self._target(below, entry)
            if target is None:
                continue
            status = target.stat(follow_symlinks=False)
            if stat.S_ISDIR(status.st_mode):
                if target in above:
                    self._problem("link-loop", "the symbolic link leads to a folder that it lies in", below)
                elif self.whole or not self.choice.excludes_folder(below):
                    yield from self._folder(below, target, (*above, target))
            elif not stat.S_ISREG(status.st_mode):
                if self.choice.is_document(below):
                    self._problem("not-a-file", "a pipe, socket or device is no document", below)
            elif self.whole or self.choice.is_document(below):
                yield below, target, status

    def _target(self, path: str, entry: os.DirEntry[str]) -> Path | None:
        """The real place of an entry; ``None`` when it is a link that must not or cannot be followed."""
        if not entry.is_symlink():
            return Path(entry.path)
        wanted = self.whole or self.choice.is_document(path)
        try:
            real = Path(entry.path).resolve(strict=True)
        except (OSError, RuntimeError):
            if wanted:
                self._problem("link-broken", "the symbolic link leads nowhere", path)
            return None
        if real.is_dir() and not self.whole:
            wanted = not self.choice.excludes_folder(path)
        if wanted and not self._inside(real):
            self._problem("link-outside", "the symbolic link leads out of the source and is not followed", path)
        return real if wanted and self._inside(real) else None

    def _inside(self, real: Path) -> bool:
        return real == self.root or self.root in real.parents

    def _problem(self, code: str, message: str, where: str) -> None:
        shown = where.encode("utf-8", "backslashreplace").decode("utf-8")
        self.book.problems.append(Problem(code, message, shown))


def _hashed(settings: Source, path: str, place: _Place, walk: _Walk) -> SourceFile | None:
    digest = ""
    if place.size <= settings.max_file_bytes:
        hasher = hashlib.sha256()
        try:
            for block in _blocks(place, path):
                hasher.update(block)
        except PermissionError:
            walk.book.problems.append(Problem("file-unreadable", "there is no permission to read the file", path))
            return None
        digest = hasher.hexdigest()
    return SourceFile(path, place.size, digest, url=url_of(settings, path), lang=settings.lang)


def _blocks(place: _Place, path: str) -> Iterator[bytes]:
    """The bytes of a file that is still the one of the listing, never more than the listing says.

    The real path is opened without following links or waiting for a pipe's writer; a link put into one of its folders
    meanwhile leads to another inode and is noticed.
    """
    try:
        descriptor = os.open(place.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if error.errno in {errno.ENOENT, errno.ELOOP, errno.ENOTDIR, errno.ENXIO}:
            raise _changed(path) from error
        raise
    with os.fdopen(descriptor, "rb", buffering=0) as stream:
        status = os.fstat(descriptor)
        seen = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)
        if not stat.S_ISREG(status.st_mode) or seen != (place.device, place.inode, place.size, place.modified):
            raise _changed(path)
        left = place.size
        while left and (block := stream.read(min(left, _BLOCK))):
            left -= len(block)
            yield block
        if left:
            raise _changed(path)


def _changed(path: str) -> SourceError:
    return SourceError(
        "the file has changed since the source was opened",
        code="source-changed",
        where=path,
        remedy="Run the command again when nothing is being written there",
    )
