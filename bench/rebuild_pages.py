"""Which pages a release must touch, from what readers of the rendered site saw before and after it.

The rendered pages are the site's own, so they owe nothing to the loader under test: pages whose rendered text changed
although their own file did not (something that they are made with changed), and pages whose file was edited without any
reader seeing it.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rebuild_state import State

_CONTENT = "content/en/"


@dataclass(frozen=True)
class Expected:
    """Page files by what a release did to them.

    Attributes:
        through_others: the rendered text changed, the page's own file did not.
        unseen: the file was edited, the rendered text did not change.
        same: neither.
    """

    through_others: frozenset[str]
    unseen: frozenset[str]
    same: frozenset[str]


@dataclass
class Found:
    """What the builds made of them.

    Attributes:
        caught: of ``through_others``, pages whose text changed for us too.
        not_caught: the others, with the rendered blocks that changed.
        beyond: of ``same``, pages whose text changed for us.
        still: of ``unseen``, pages of which no chunk was cut again.
        cut_again: the others, and whether any of their chunks' texts changed.
    """

    caught: int = 0
    not_caught: dict[str, list[str]] = field(default_factory=dict)
    beyond: list[str] = field(default_factory=list)
    still: int = 0
    cut_again: dict[str, bool] = field(default_factory=dict)


def rendered_commits(data: Path) -> set[str]:
    """The commits of which the rendered pages are at hand."""
    return {path.name.removeprefix(_PREFIX).removesuffix(_SUFFIX) for path in data.glob(f"{_PREFIX}*{_SUFFIX}")}


_PREFIX, _SUFFIX = "rendered-blocks-", ".jsonl.gz"


def expected(data: Path, old: Path, new: Path) -> Expected:
    """What the release from the site ``old`` to the site ``new`` did; their names end with their commits."""
    before, after = _rendered(data, old), _rendered(data, new)
    both = sorted(before.keys() & after.keys())
    edited = {name for name in both if (old / name).read_bytes() != (new / name).read_bytes()}
    changed = {name for name in both if before[name] != after[name]}
    return Expected(frozenset(changed - edited), frozenset(edited - changed), frozenset(set(both) - changed - edited))


def found(data: Path, old: Path, new: Path, before: State, after: State) -> Found:
    """What the states that were built before and after the release say of the same pages."""
    wanted = expected(data, old, new)
    rendered = _rendered(data, old), _rendered(data, new)
    result = Found()
    for name in sorted(wanted.through_others):
        if _blocks(before, name) != _blocks(after, name):
            result.caught += 1
        else:
            result.not_caught[name] = _difference(rendered[0][name], rendered[1][name])
    result.beyond = sorted(name for name in wanted.same if _blocks(before, name) != _blocks(after, name))
    for name in sorted(wanted.unseen):
        if _digest(before, name) == _digest(after, name):
            result.still += 1
        else:
            texts = [[chunk.embedded for chunk in state.chunks.get(name, ())] for state in (before, after)]
            result.cut_again[name] = texts[0] != texts[1]
    return result


def _rendered(data: Path, site: Path) -> dict[str, list[list[str]]]:
    """Page file -> kind and text of its blocks."""
    commit = site.name.rpartition("-")[2]
    pages: dict[str, list[list[str]]] = {}
    with gzip.open(data / f"{_PREFIX}{commit}{_SUFFIX}", "rt", encoding="utf-8") as lines:
        for line in lines:
            page: dict[str, Any] = json.loads(line)
            pages[_CONTENT + page["src"]] = page["blocks"]
    return pages


def _blocks(state: State, name: str) -> Any:
    return state.pages[name].blocks if name in state.pages else None


def _digest(state: State, name: str) -> str:
    return state.pages[name].digest if name in state.pages else ""


def _difference(old: Iterable[list[str]], new: Iterable[list[str]]) -> list[str]:
    before, after = {tuple(block) for block in old}, {tuple(block) for block in new}
    return [f"- {text[:160]}" for _, text in sorted(before - after)][:3] + [
        f"+ {text[:160]}" for _, text in sorted(after - before)
    ][:3]
