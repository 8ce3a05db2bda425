"""The ledger on disk: appended to by several people and programs at once, without reading it all again each time."""

from __future__ import annotations

import hashlib
import io
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from filelock import FileLock, Timeout

from aipk_core.claims.ledger import MAX_FILE_BYTES, MAX_LINE_BYTES, Decision, Ledger, add_lines, check_entry
from aipk_core.errors import ReviewError

_LOCK_SECONDS = 30
_BLOCK = 1 << 20


class LedgerFile:
    """An open ledger: its entries in memory, and the state of the file that they were read from.

    When the file was changed by somebody else, what was read before is compared by its digest and only what was added
    is parsed; a file that was changed in any other way (a merge, a checkout) is read and verified as a whole.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.RLock()
        self._ledger = Ledger()
        self._known: tuple[int, int, int] | None = None
        self._size = 0
        self._hasher = hashlib.sha256()
        self.refresh()

    @property
    def ledger(self) -> Ledger:
        """The entries as of the last ``refresh`` or ``append``."""
        return self._ledger

    def refresh(self) -> bool:
        """Take in what others have written; returns whether there was anything.

        Raises:
            ReviewError: the file is no sound ledger (code ``ledger-broken``).
        """
        with self._lock:
            state = _state(self.path)
            if state == self._known:
                return False
            if not self._take_in_added(state):
                self._read_all(state)
            self._known = state
            return True

    def append(self, draft: Callable[[Ledger], Sequence[Decision]]) -> list[Decision]:
        """Append decisions and return them, sealed, once they are on disk.

        Args:
            draft: given the ledger as it is now, while nobody else can write, the decisions to append; their parents
                and digests are filled in here. It raises to append nothing.

        Raises:
            ReviewError: the file is broken, cannot be written (``ledger-unwritable``), or is held by another program for
                more than 30 s (``ledger-locked``).
        """
        with self._lock, self._exclusive():
            self.refresh()
            sealed: list[Decision] = []
            parents = self._ledger.heads
            for decision in draft(self._ledger):
                done = replace(decision, parents=parents).sealed()
                parents = (done.digest,)
                sealed.append(done)
            lines = [decision.line() for decision in sealed]
            for decision, line in zip(sealed, lines, strict=True):
                if len(line) > MAX_LINE_BYTES:
                    raise ReviewError(
                        "the reason is too long", where=decision.claim, remedy="Shorten it to a few sentences"
                    )
            data = b"".join(lines)
            if data:
                data = self._write(data)
            for decision in sealed:
                check_entry(self._ledger, decision, str(self.path))
                self._ledger.add(decision)
            self._hasher.update(data)
            self._size += len(data)
            self._known = _state(self.path)
            return sealed

    @contextmanager
    def _exclusive(self) -> Iterator[None]:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            # The lock file is no part of the ledger and not for git; reviewers on one machine wait for each other here.
            with FileLock(self.path.with_name(f".{self.path.name}.lock"), timeout=_LOCK_SECONDS):
                yield
        except Timeout as error:
            raise ReviewError(
                "another program holds the ledger",
                code="ledger-locked",
                where=str(self.path),
                remedy="Wait for it to end, or stop it",
            ) from error
        except OSError as error:
            raise ReviewError(
                f"the decision cannot be stored: {error.strerror}",
                code="ledger-unwritable",
                where=str(self.path),
                remedy="Check the folder's permissions and free space",
            ) from error

    def _write(self, data: bytes) -> bytes:
        """Append ``data`` (after a missing line end) behind what is known, wait for the disk, return what was written."""
        fresh = not self.path.exists()
        descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            # What lies behind the known entries is what a crash left of one that was never confirmed.
            os.ftruncate(descriptor, self._size)
            if self._size and os.pread(descriptor, 1, self._size - 1) != b"\n":
                data = b"\n" + data
            try:
                written = 0
                while written < len(data):
                    written += os.pwrite(descriptor, data[written:], self._size + written)
                os.fsync(descriptor)
            except OSError:
                os.ftruncate(descriptor, self._size)
                raise
        finally:
            os.close(descriptor)
        if fresh:
            _sync_folder(self.path.parent)
        return data

    def _take_in_added(self, state: tuple[int, int, int] | None) -> bool:
        """Parse only what was appended; ``False`` if the rest may have changed too."""
        if state is None or self._known is None or state[0] < self._size or not self._size:
            return False
        with self.path.open("rb") as stream:
            hasher = hashlib.sha256()
            left = self._size
            while left:
                block = stream.read(min(_BLOCK, left))
                if not block:
                    return False
                hasher.update(block)
                left -= len(block)
            if hasher.digest() != self._hasher.digest():
                return False
            added = stream.read()
        taken = add_lines(self._ledger, io.BytesIO(added), self.path, len(self._ledger.decisions) + 1)
        self._hasher.update(added[:taken])
        self._size += taken
        return True

    def _read_all(self, state: tuple[int, int, int] | None) -> None:
        if state is not None and state[0] > MAX_FILE_BYTES:
            raise ReviewError("the ledger is larger than 1 GiB", where=str(self.path), remedy="Check what wrote it")
        data = self.path.read_bytes() if state is not None else b""
        ledger = Ledger()
        self._size = add_lines(ledger, io.BytesIO(data), self.path)
        self._hasher = hashlib.sha256(data[: self._size])
        self._ledger = ledger


def _state(path: Path) -> tuple[int, int, int] | None:
    try:
        facts = path.stat()
    except FileNotFoundError:
        return None
    return (facts.st_size, facts.st_mtime_ns, facts.st_ino)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
