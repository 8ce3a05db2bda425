"""LanceDB, imported late (it takes seconds) and with its failures turned into ours."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from aipk_core.errors import PackageError, StoreError
from aipk_core.package.container import disk_full

_FULL = ("no space left", "os error 28", "quota exceeded", "os error 122")


def connect(folder: Path) -> Any:
    """The LanceDB database in ``folder``; nothing is made until a table is."""
    # Lance reports on stderr that a new table does not exist yet; its errors reach us as exceptions anyway.
    os.environ.setdefault("LANCE_LOG", "error")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import lancedb
    return lancedb.connect(str(folder))


@contextmanager
def reading_tables(where: Path) -> Iterator[None]:
    """Failures of LanceDB while reading become a ``PackageError``.

    A table that was built to break its reader can end in a panic of the Rust side, which Python sees as a
    ``BaseException``; it is turned into the same error.
    """
    try:
        yield
    except (PackageError, StoreError, KeyboardInterrupt, SystemExit, GeneratorExit, MemoryError):
        raise
    except BaseException as error:
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        raise PackageError(
            f"the package's tables cannot be read ({_first_line(error)})",
            code="tables-damaged",
            where=str(where),
            remedy="Build the package anew, or get it again from where it came from",
        ) from error


@contextmanager
def writing_tables(where: Path) -> Iterator[None]:
    """Failures of LanceDB while writing become a ``StoreError``, with a full disk told apart."""
    try:
        yield
    except (PackageError, StoreError, KeyboardInterrupt, SystemExit, GeneratorExit, MemoryError):
        raise
    except BaseException as error:
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        if any(sign in str(error).lower() for sign in _FULL):
            raise disk_full(where) from error
        raise StoreError(
            f"the package's tables cannot be written ({_first_line(error)})",
            code="not-writable",
            where=str(where),
            remedy="Check that the folder can be written and that its disk has room",
        ) from error


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return lines[0][:300]
