"""The files of a package's tables, looked at before LanceDB is let near them.

A Lance table may keep its data anywhere: its version file can name other folders, buckets and addresses (shallow clones,
tiered storage). A package is one file, so such a table is refused: opening a package must not read what is not in it,
and must not speak to any server. Only one version of each table may travel.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from pathlib import Path

from aipk_core.errors import PackageError
from aipk_core.package.tables import CHUNKS, CLAIMS, DATABASE, DOCUMENTS

_TABLES = (DOCUMENTS, CHUNKS, CLAIMS)
_FOLDERS = frozenset({"data", "_versions", "_indices", "_transactions"})
_MAX_VERSION_FILE = 64 << 20
_FOOTER = struct.Struct("<QHH4s")  # where the message starts, format version, magic
_DATA_FILE = re.compile(r"[A-Za-z0-9_-]{1,120}\.lance")

# Fields of the protobuf message "Manifest" of the Lance table format, and of the messages in it.
_FRAGMENTS = 2
_BASE_PATHS = 18
_FILES_OF_FRAGMENT = 2
_DELETIONS_OF_FRAGMENT = 3
_PATH_OF_FILE = 1
_BASE_OF_FILE = 7


def check_table_layout(folder: Path) -> None:
    """Refuse unpacked tables that are not exactly three self-contained tables of one version each.

    Raises:
        PackageError: code ``tables-damaged`` or ``package-unsafe``.
    """
    database = folder / DATABASE
    present = {path.name for path in database.iterdir()} if database.is_dir() else set()
    expected = {f"{name}.lance" for name in _TABLES}
    if present != expected:
        raise _damaged(f"its tables are {', '.join(sorted(present)) or 'missing'}, not {', '.join(sorted(expected))}")
    for name in _TABLES:
        table = database / f"{name}.lance"
        for path in table.iterdir():
            if path.name not in _FOLDERS or not path.is_dir():
                raise _damaged(f"the table {name} holds '{path.name}', which belongs to no packed table")
        versions = sorted(table.glob("_versions/*.manifest"))
        if len(versions) != 1:
            raise _damaged(f"the table {name} comes in {len(versions)} versions, not in one")
        try:
            _check_version_file(name, versions[0])
        except (ValueError, struct.error, OSError) as error:
            raise _damaged(f"the version file of the table {name} cannot be read ({error})") from error


def _check_version_file(name: str, path: Path) -> None:
    if path.stat().st_size > _MAX_VERSION_FILE:
        raise ValueError("it is too large")
    data = path.read_bytes()
    if len(data) < _FOOTER.size:
        raise ValueError("it is too short")
    start, _, _, magic = _FOOTER.unpack(data[-_FOOTER.size :])
    if magic != b"LANC" or start + 4 > len(data):
        raise ValueError("it has no footer")
    (length,) = struct.unpack_from("<I", data, start)
    if start + 4 + length > len(data) - _FOOTER.size:
        raise ValueError("its message is cut short")
    for field, value in _fields(data[start + 4 : start + 4 + length]):
        if field == _BASE_PATHS:
            raise _unsafe(f"the table {name} keeps data outside of the package")
        if field == _FRAGMENTS:
            _check_fragment(name, _message(value))


def _check_fragment(name: str, fragment: bytes) -> None:
    for field, value in _fields(fragment):
        if field == _DELETIONS_OF_FRAGMENT:
            raise _damaged(f"the table {name} has rows that were deleted but not removed")
        if field != _FILES_OF_FRAGMENT:
            continue
        for inner, content in _fields(_message(value)):
            if inner == _BASE_OF_FILE:
                raise _unsafe(f"the table {name} keeps data outside of the package")
            if inner == _PATH_OF_FILE and not _DATA_FILE.fullmatch(_message(content).decode("utf-8", "replace")):
                raise _unsafe(f"the table {name} names a data file outside of its folder")


def _fields(message: bytes) -> Iterator[tuple[int, bytes | int]]:
    """Number and value of every field of a protobuf message, without knowing its definition.

    Raises:
        ValueError: ``message`` is not one.
    """
    position = 0
    while position < len(message):
        tag, position = _varint(message, position)
        kind = tag & 7
        if kind == 0:
            value, position = _varint(message, position)
            yield tag >> 3, value
            continue
        if kind == 2:
            length, position = _varint(message, position)
        elif kind in (1, 5):
            length = 8 if kind == 1 else 4
        else:
            raise ValueError(f"wire type {kind}")
        if position + length > len(message):
            raise ValueError("a field is longer than its message")
        yield tag >> 3, message[position : position + length]
        position += length


def _varint(message: bytes, position: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        if position >= len(message):
            break
        byte = message[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, position
    raise ValueError("a number does not end")


def _message(value: bytes | int) -> bytes:
    if isinstance(value, int):
        raise ValueError("a number stands in place of a message")
    return value


def _damaged(reason: str) -> PackageError:
    return PackageError(
        f"the package is damaged: {reason}",
        code="tables-damaged",
        remedy="Build the package anew, or get it again from where it came from",
    )


def _unsafe(reason: str) -> PackageError:
    return PackageError(
        f"the package is refused: {reason}",
        code="package-unsafe",
        remedy="Do not trust the place that this file came from",
    )
