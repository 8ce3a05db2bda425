"""The header of a page: YAML, TOML or JSON before its text."""

from __future__ import annotations

import datetime
import json
import re
import tomllib
from dataclasses import dataclass, field
from typing import Any

import yaml

MAX_SIZE = 256 * 1024
MAX_ALIASES = 50
MAX_DEPTH = 30
MAX_VALUES = 100_000

_YAML = re.compile(r"---[ \t]*\r?\n(.*?)^---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
_TOML = re.compile(r"\+\+\+[ \t]*\r?\n(.*?)^\+\+\+[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
_NESTING = re.compile(r"[\[{]|[\]}]")


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """Values of a header, the offset at which the text begins, and what was wrong with the header (``""``: nothing)."""

    values: dict[str, Any] = field(default_factory=dict)
    body: int = 0
    problem: str = ""


def split_front_matter(text: str) -> FrontMatter:
    """Find and read the header at the start of ``text``; none is fine, a broken one is reported and left out."""
    if text.startswith("---"):
        found = _YAML.match(text)
        if found:
            return _parsed(found[1], found.end(), load_yaml)
    elif text.startswith("+++"):
        found = _TOML.match(text)
        if found:
            return _parsed(found[1], found.end(), tomllib.loads)
    elif text.startswith("{") and not text.startswith(("{{", "{%")):
        return _json(text)
    return FrontMatter()


def load_yaml(text: str) -> Any:
    """``yaml.safe_load`` with bounds on size, aliases and depth.

    Raises:
        ValueError: not YAML, or beyond a bound.
    """
    if len(text) > MAX_SIZE:
        raise ValueError(f"more than {MAX_SIZE} characters of YAML")
    try:
        events = yaml.parse(text, Loader=_LOADER)
        aliases = depth = 0
        for event in events:
            if isinstance(event, yaml.AliasEvent):
                aliases += 1
            elif isinstance(event, yaml.CollectionStartEvent):
                depth += 1
            elif isinstance(event, yaml.CollectionEndEvent):
                depth -= 1
            if aliases > MAX_ALIASES or depth > MAX_DEPTH:
                raise ValueError("too many aliases or too deep nesting in YAML")
        return yaml.load(text, Loader=_LOADER)  # noqa: S506 - a safe loader
    except (yaml.YAMLError, RecursionError, OverflowError) as error:
        raise ValueError(" ".join(str(error).split())[:200]) from error


_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def plain(value: Any) -> Any:
    """``value`` as JSON: dates as ISO strings, keys as strings, floats as strings, nothing deeper than 20 levels.

    Raises:
        ValueError: aliases make more of it than ``MAX_VALUES`` values.
    """
    return _plain(value, 0, [MAX_VALUES])


def _plain(value: Any, depth: int, left: list[int]) -> Any:
    left[0] -= 1
    if left[0] < 0:
        raise ValueError(f"more than {MAX_VALUES} values")
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, (datetime.date, datetime.datetime, datetime.time)):
        return value.isoformat()
    if depth >= 20:
        return None
    if isinstance(value, dict):
        return {str(key): _plain(item, depth + 1, left) for key, item in value.items()}
    if isinstance(value, (list, tuple, set)):
        return [_plain(item, depth + 1, left) for item in value]
    return str(value)


def _parsed(text: str, body: int, parse: Any) -> FrontMatter:
    try:
        values = plain(parse(text))
    except (ValueError, RecursionError) as error:
        return FrontMatter({}, body, " ".join(str(error).split())[:200])
    if values is None:
        return FrontMatter({}, body)
    if not isinstance(values, dict):
        return FrontMatter()  # a text between two rules
    return FrontMatter(values, body)


def _json(text: str) -> FrontMatter:
    try:
        values, end = json.JSONDecoder().raw_decode(text[:MAX_SIZE])
        return FrontMatter(plain(values), end) if isinstance(values, dict) else FrontMatter()
    except (ValueError, RecursionError):
        return FrontMatter()  # a text that happens to start with a brace
