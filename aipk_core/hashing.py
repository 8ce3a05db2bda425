"""The one way in which this project turns values into digests.

A digest is the SHA-256 of canonical JSON (sorted keys, no white space, UTF-8). Every part is a JSON value, so no
two different inputs can be written the same way, and floats are refused because their text differs between platforms.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

_FILE_BLOCK = 1 << 20


def digest(*parts: Any) -> str:
    """64 hex characters that identify ``parts`` (JSON values without floats).

    Raises:
        TypeError: a part is not a JSON value or holds a float.
    """
    _refuse_floats(parts)
    encoded = json.dumps(parts, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode(
        "utf-8", "surrogatepass"
    )
    return hashlib.sha256(encoded).hexdigest()


def digest_bytes(data: bytes) -> str:
    """64 hex characters of the SHA-256 of ``data``."""
    return hashlib.sha256(data).hexdigest()


def digest_file(path: Path) -> str:
    """64 hex characters of the SHA-256 of a file, read in blocks of 1 MiB."""
    hasher = hashlib.sha256()
    with path.open("rb") as stream:
        while block := stream.read(_FILE_BLOCK):
            hasher.update(block)
    return hasher.hexdigest()


def digest_lines(lines: Iterable[str]) -> str:
    """64 hex characters of many strings in their order, without holding them in memory; lines may hold anything."""
    hasher = hashlib.sha256()
    for line in lines:
        encoded = line.encode("utf-8", "surrogatepass")
        hasher.update(len(encoded).to_bytes(8, "little"))
        hasher.update(encoded)
    return hasher.hexdigest()


def _refuse_floats(value: Any) -> None:
    if isinstance(value, float):
        raise TypeError("floats have no canonical text; scale to an integer or format as a string first")
    if isinstance(value, dict):
        for item in value.values():
            _refuse_floats(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            _refuse_floats(item)
