"""Shortcodes that take terms and their definitions from a folder with one file for each term."""

from __future__ import annotations

import html
import posixpath
import re

from aipk_core.documents.hugo.calls import Call
from aipk_core.documents.hugo.shortcodes import Behaviour, inside
from aipk_core.documents.model import Origin
from aipk_core.documents.traced import Place, Traced

_FIRST_PARAGRAPH = re.compile(r"<p>(.*?)</p>", re.DOTALL)


def tooltip(call: Call) -> Traced:
    """A term as a link: the argument ``text``, else the title of the term's file.

    Settings: ``folder`` (below the content folder).
    """
    term = call.argument("term_id", 0)
    path = _term_file(call, term)
    text = call.argument("text")
    if path is None:
        call.problem("glossary-missing", f"there is no term {term!r} in the glossary")
        return call.join("<a>", call.shown(text or term), "</a>")
    return call.join("<a>", call.shown(text) if text else title_text(call, path), "</a>")


def definition(call: Call) -> Traced:
    """The definition of a term: its first paragraph (``length="short"``) or all of it, ``prepend`` put in front."""
    term = call.argument("term_id", 0)
    path = _term_file(call, term)
    if path is None:
        call.problem("glossary-missing", f"there is no term {term!r} in the glossary")
        return Traced()
    content = call.expansion.include(path, "glossary") or Traced()
    first = _FIRST_PARAGRAPH.search(content.text)
    if first is None:
        return content
    beginning = content.cut(first.start(1), first.end(1))
    prepend = call.argument("prepend")
    if prepend:
        beginning = call.join("<p>", call.html(prepend + " "), _lower_first(beginning), "</p>")
    if call.argument("length") not in ("all", "long"):
        return beginning
    if not prepend:
        return content
    return call.join(content.cut(0, first.start()), beginning, content.cut(first.end(), len(content.text)))


def title_text(call: Call, path: str) -> Traced:
    """The title of another page, with its place in that page's front matter."""
    title = call.build.site.header(path).values.get("title")
    source = call.build.site.text(path)
    title = str(title) if title is not None else ""
    at = source.text.find(title, 0, call.build.site.header(path).body) if source and title else -1
    if source is None or at < 0:
        return call.shown(title, Origin.COMPUTED)
    written = html.escape(title, quote=False)
    place = Place(source, at, at + len(title), Origin.INCLUDE, written == title, call.boilerplate)
    return Traced.of(written, place)


def _term_file(call: Call, term: str) -> str | None:
    folder = call.setting("folder", "docs/reference/glossary")
    for content in call.content_folders():
        path = posixpath.normpath(f"{content}/{folder}/{term}.md")
        if term and inside(call, path) and call.build.text(path, "glossary") is not None:
            return path
    for content in call.content_folders():  # names of resources do not care for upper case
        for path in call.build.files(f"{content}/{folder}"):
            if path.rpartition("/")[2].lower() == f"{term.lower()}.md":
                call.build.text(path, "glossary")
                return path
    return None


def _lower_first(text: Traced) -> Traced:
    result = Traced()
    done = False
    for piece, place in text.pieces:
        if done or not piece:
            result.append(piece, place)
            continue
        done = True
        result.append(piece[0].lower(), place.part(0, 1) if place else None)
        result.append(piece[1:], place.part(1, len(piece)) if place else None)
    return result


BEHAVIOURS: dict[str, Behaviour] = {"glossary-definition": definition, "glossary-tooltip": tooltip}
