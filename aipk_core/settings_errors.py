"""What is wrong with a settings file, in the words of somebody who writes TOML: lists and tables, not tuples and models."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import ValidationError

_MOST = 3

_WORDS = {
    "missing": "the key '{place}' is missing",
    "extra_forbidden": "unknown key '{place}'",
    "string_type": "'{place}' must be a text in quotes",
    "int_type": "'{place}' must be a whole number",
    "int_from_float": "'{place}' must be a whole number",
    "float_type": "'{place}' must be a number",
    "bool_type": "'{place}' must be true or false",
    "tuple_type": "'{place}' must be a list in square brackets",
    "list_type": "'{place}' must be a list in square brackets",
    "dict_type": "'{place}' must be a table",
    "model_type": "'{place}' must be a table",
    "model_attributes_type": "'{place}' must be a table",
    "union_tag_not_found": "the key '{place}.{key}' is missing; it is one of {kinds}",
    "union_tag_invalid": "'{place}.{key}' is '{given}', but must be one of {tags}",
    "literal_error": "'{place}' must be one of {tags}",
    "too_short": "'{place}' must not be empty",
}


def parse_toml(data: bytes) -> dict[str, Any]:
    """The table in ``data``; a byte-order mark, which some editors write, is no part of it.

    Raises:
        ValueError: it is not UTF-8 or not TOML, or it is nested too deeply to be settings; the message says which.
    """
    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ValueError(f"this is not TOML: byte {error.start} is not UTF-8") from error
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"this is not TOML: {error}") from error
    except RecursionError as error:
        raise ValueError("this is not TOML: it is nested too deeply") from error


def explained(error: ValidationError, *, tags: frozenset[str] = frozenset()) -> str:
    """The first few complaints in words: key, what is wrong with it, and what would be right.

    Args:
        tags: kinds of a table that pydantic counts as a part of its place (``files`` in ``sources[0].files.path``).
    """
    entries = error.errors(include_url=False)
    # A list whose items are all wrong is then called empty, which it is not.
    entries = [entry for entry in entries if not _follows_from(entry, entries)]
    complaints = [_complaint(entry, tags) for entry in entries]
    more = f" (and {len(complaints) - _MOST} more)" if len(complaints) > _MOST else ""
    return "; ".join(complaints[:_MOST]) + more


def _follows_from(entry: Mapping[str, Any], entries: Iterable[Mapping[str, Any]]) -> bool:
    place = entry["loc"]
    return entry["type"] == "too_short" and any(
        len(other["loc"]) > len(place) and other["loc"][: len(place)] == place for other in entries
    )


def _complaint(entry: Mapping[str, Any], tags: frozenset[str]) -> str:
    place = _dotted(part for index, part in enumerate(entry["loc"]) if not _is_tag(entry["loc"], index, tags))
    context = entry.get("ctx", {})
    words = _WORDS.get(entry["type"])
    if words and place:
        return words.format(
            place=place,
            key=str(context.get("discriminator", "")).strip("'"),
            given=str(context.get("tag", ""))[:80],
            tags=context.get("expected_tags") or context.get("expected") or "",
            kinds=", ".join(f"'{tag}'" for tag in sorted(tags)),
        )
    message = str(entry["msg"]).removeprefix("Value error, ").removeprefix("Input ")
    return f"'{place}': {message[:1].lower()}{message[1:]}" if place else message


def _is_tag(parts: tuple[str | int, ...], index: int, tags: frozenset[str]) -> bool:
    return parts[index] in tags and index > 0 and isinstance(parts[index - 1], int)


def _dotted(parts: Iterable[str | int]) -> str:
    text = ""
    for part in parts:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text
