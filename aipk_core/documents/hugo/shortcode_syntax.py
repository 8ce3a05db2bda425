"""Finds the shortcodes of a page: ``{{< name args >}}`` and ``{{% name args %}}``, nested, escaped or self-closing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

MAX_NESTING = 30

_OPEN = re.compile(r"\{\{([<%])")
_NAME = re.compile(r"\s*(/?)\s*([A-Za-z_][\w./-]*)")
_ARGUMENT = re.compile(
    r"""\s*(?:([A-Za-z_][\w-]*)\s*=\s*)?(?:"((?:[^"\\]|\\.)*)"|`([^`]*)`|([^\s"`=>%/][^\s"`=]*?|[/%>](?![%>]\}\})[^\s"`=]*?))(?=\s|[%>]\}\}|/[%>]\}\}|$)""",
    re.DOTALL,
)
_SPACE = re.compile(r"\s*")
_ESCAPE = re.compile(r'\\(["\\])')
_MAX_TAG = 20_000


@dataclass(slots=True)
class Shortcode:
    """A call: ``[start, end)`` is the whole of it, ``inner`` what stands between its tags (``None``: it has no closing tag).

    Attributes:
        markup: ``<`` when its result is finished HTML, ``%`` when it is Markdown.
        tag_end: where its opening tag ends.
        indentation: the spaces before an opening tag that is the first thing on its line.
    """

    name: str
    markup: str
    start: int
    tag_end: int
    end: int
    positional: list[str] = field(default_factory=list)
    named: dict[str, str] = field(default_factory=dict)
    inner: list[Node] | None = None
    indentation: str = ""


@dataclass(frozen=True, slots=True)
class Literal:
    """Characters ``[start, end)`` of the page, or ``text`` instead of them (an escaped shortcode)."""

    start: int
    end: int
    text: str | None = None


Node = Shortcode | Literal


def parse_shortcodes(text: str) -> list[Node]:
    """The page as literal pieces and calls, in order; together they cover all of ``text``.

    A tag that never closes stands for itself; what is no shortcode (``{{ .Go }}``, an unfinished tag) stays literal.
    """
    tags = _tags(text)
    if not tags:
        return [Literal(0, len(text))] if text else []
    return _nested(text, tags)


@dataclass(slots=True)
class _Tag:
    start: int
    end: int
    markup: str
    name: str = ""
    closing: bool = False
    self_closing: bool = False
    positional: list[str] = field(default_factory=list)
    named: dict[str, str] = field(default_factory=dict)
    literal: str | None = None
    partner: int = -1  # index of the closing tag


def _tags(text: str) -> list[_Tag]:
    tags: list[_Tag] = []
    position = 0
    while found := _OPEN.search(text, position):
        tag = _escaped_tag(text, found) or _tag(text, found)
        if tag is None:
            position = found.end()
            continue
        tags.append(tag)
        position = tag.end
    return tags


def _escaped_tag(text: str, found: re.Match[str]) -> _Tag | None:
    """``{{</* x */>}}`` is shown as ``{{< x >}}``."""
    if not text.startswith("/*", found.end()):
        return None
    closing = "*/" + (">" if found[1] == "<" else "%") + "}}"
    end = text.find(closing, found.end() + 2, found.end() + _MAX_TAG)
    if end < 0:
        return None
    shown = text[found.start() : found.end()] + text[found.end() + 2 : end] + closing[2:]
    return _Tag(found.start(), end + len(closing), found[1], literal=shown)


def _tag(text: str, found: re.Match[str]) -> _Tag | None:
    name = _NAME.match(text, found.end())
    if name is None:
        return None
    ending = (">" if found[1] == "<" else "%") + "}}"
    tag = _Tag(found.start(), 0, found[1], name[2].rstrip("/"), bool(name[1]))
    position = name.end()
    if name[2].endswith("/"):
        position -= 1
    limit = found.start() + _MAX_TAG
    while position < limit:
        space = _SPACE.match(text, position)
        position = space.end() if space else position
        if text.startswith(ending, position):
            tag.end = position + len(ending)
            return tag
        if text.startswith("/" + ending, position):
            tag.end = position + 1 + len(ending)
            tag.self_closing = True
            return tag
        argument = _ARGUMENT.match(text, position, limit)
        if argument is None or argument.end() == position:
            return None
        value = _ESCAPE.sub(r"\1", argument[2]) if argument[2] is not None else argument[3]
        value = value if value is not None else argument[4]
        if argument[1]:
            tag.named.setdefault(argument[1], value)
        else:
            tag.positional.append(value)
        position = argument.end()
    return None


def _nested(text: str, tags: Sequence[_Tag]) -> list[Node]:
    open_tags: list[int] = []
    by_name: dict[str, int] = {}
    for index, tag in enumerate(tags):
        if tag.literal is not None or tag.self_closing:
            continue
        if not tag.closing:
            open_tags.append(index)
            by_name[tag.name] = by_name.get(tag.name, 0) + 1
            continue
        if not by_name.get(tag.name):
            continue
        while open_tags:  # what was opened since and never closed stands for itself
            candidate = open_tags.pop()
            by_name[tags[candidate].name] -= 1
            if tags[candidate].name == tag.name:
                tags[candidate].partner = index
                break
    root: list[Node] = []
    levels: list[tuple[list[Node], Shortcode | None, int]] = [(root, None, -1)]
    position = 0
    for index, tag in enumerate(tags):
        nodes, owner, partner = levels[-1]
        if tag.start > position:
            nodes.append(Literal(position, tag.start))
        position = tag.end
        if index == partner and owner is not None:
            owner.end = tag.end
            levels.pop()
        elif tag.literal is not None:
            nodes.append(Literal(tag.start, tag.end, tag.literal))
        elif not tag.closing:
            call = Shortcode(tag.name, tag.markup, tag.start, tag.end, tag.end, tag.positional, tag.named)
            call.indentation = _indentation(text, tag.start)
            nodes.append(call)
            if tag.partner >= 0 and len(levels) <= MAX_NESTING:
                call.inner = []
                levels.append((call.inner, call, tag.partner))
            elif tag.self_closing:
                call.inner = None
    if position < len(text):
        levels[-1][0].append(Literal(position, len(text)))
    return root


def _indentation(text: str, start: int) -> str:
    line = text.rfind("\n", max(0, start - 200), start) + 1
    before = text[line:start]
    return before if before and not before.strip() and (line or start < 200) else ""
