"""Turns the text of a page into HTML the way Hugo does: shortcodes, Markdown, and back again.

``{{% %}}`` writes Markdown into the page before it is parsed. ``{{< >}}`` leaves a placeholder that is replaced in the
finished HTML. What stands between the tags of a nested shortcode is expanded first.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from aipk_core.documents.hugo.calls import Call, PageBuild
from aipk_core.documents.hugo.front_matter import FrontMatter
from aipk_core.documents.hugo.shortcode_syntax import Literal, Node, Shortcode, parse_shortcodes
from aipk_core.documents.hugo.table import ShortcodeTable
from aipk_core.documents.loaders.html_tree import parse_html, text_of
from aipk_core.documents.loaders.markdown_html import PLACEHOLDER, HeadingIds, markdown_to_html
from aipk_core.documents.model import Origin
from aipk_core.documents.traced import Place, SourceText, Traced

MAX_INCLUDE_DEPTH = 8

_PRIVATE = re.compile("[\ue000\ue001]")
_INNER_PARAGRAPH = re.compile(r"\s*<p>(.*)</p>\s*", re.DOTALL)


class Expansion:
    """The text of one file on its way to HTML.

    Args:
        path: the file, for relative paths.
        depth: how many files include this one.
        origin: ``LITERAL`` for the page's own file, ``INCLUDE`` for others.
    """

    def __init__(
        self,
        build: PageBuild,
        table: ShortcodeTable,
        source: SourceText,
        path: str,
        header: FrontMatter,
        *,
        depth: int = 0,
        origin: Origin = Origin.LITERAL,
    ) -> None:
        self.build = build
        self.table = table
        self.source = source
        self.path = path
        self.header = header
        self.depth = depth
        self.origin = origin
        self.text = Traced()
        self.finished: list[Traced] = []

    def html(self) -> Traced:
        """The whole file as HTML."""
        body = Traced.of_source(self.source, self.header.body, self.origin)
        if _PRIVATE.search(body.text):  # these two characters are ours for the time of the expansion
            body = Traced([(_PRIVATE.sub("\ufffd", text), place) for text, place in body.pieces])
        if self.path.endswith((".html", ".htm")):
            return self.markup(body)
        return self.substituted(
            markdown_to_html(
                self.markup(body),
                ids=HeadingIds(self.build.heading_style),
                shown=self.visible,
                prefix=self.new_prefix() + ":",
                where=self.path,
            )
        )

    def markup(self, body: Traced) -> Traced:
        """``body`` with its shortcodes expanded or replaced by placeholders."""
        self.text = body
        nodes = parse_shortcodes(body.text)
        if len(nodes) == 1 and isinstance(nodes[0], Literal) and nodes[0].text is None:
            return body
        result = Traced()
        for node in nodes:
            if isinstance(node, Literal):
                self.literal(node, result)
                continue
            written = self.expand(node, None)
            if node.markup == "%":
                result.extend(_indented(written, node).pieces)
            else:
                self.finished.append(written)
                result.append(f"\ue000{len(self.finished) - 1}\ue001", self.tag_place(node))
        return result

    def include(self, path: str, kind: str) -> Traced | None:
        """Another file as HTML, its front matter left out; ``None`` when it does not exist."""
        text = self.build.text(path, kind)
        if text is None:
            return None
        if self.depth >= MAX_INCLUDE_DEPTH:
            self.build.problem("include-too-deep", f"more than {MAX_INCLUDE_DEPTH} files include each other", path)
            return Traced()
        self.build.spend(len(text.text))
        header = self.build.site.header(path)
        inner = Expansion(self.build, self.table, text, path, header, depth=self.depth + 1, origin=Origin.INCLUDE)
        return inner.html()

    def new_prefix(self) -> str:
        """A name for one more piece of Markdown in this page."""
        self.build.counter += 1
        return f"m{self.build.counter}" if self.build.counter > 1 else ""

    # --- shortcodes ------------------------------------------------------------------------------------------------

    def expand(self, node: Shortcode, parent: Call | None) -> Traced:
        """What a shortcode writes."""
        settings = self.table.settings(node.name)
        call = Call(node, self, settings, Traced(), self.tag_place(node), parent)
        call.boilerplate = settings.get("boilerplate") is True
        if node.inner is not None:
            call.inner = self.inner(node.inner, call)
            if node.markup == "%" and parent is not None:
                call.inner = self.inner_markdown(call.inner)
        if not self.table.knows(node.name):
            call.problem("shortcode-unknown", f"the shortcode {node.name!r} is unknown; its inner text is kept")
        written = self.table.write(call)
        self.build.spend(sum(len(text) for text, _ in written.pieces))
        return written

    def inner(self, nodes: Sequence[Node], call: Call) -> Traced:
        result = Traced()
        for node in nodes:
            if isinstance(node, Literal):
                self.literal(node, result)
            else:
                written = self.expand(node, call)
                result.extend((_indented(written, node) if node.inner is None else written).pieces)
        return result

    def inner_markdown(self, inner: Traced) -> Traced:
        """Inside another shortcode ``{{% %}}`` is parsed at once; a single line loses its ``<p>``."""
        one_line = "\n" not in inner.text
        result = markdown_to_html(
            inner, ids=HeadingIds(self.build.heading_style), prefix=self.new_prefix() + ":", where=self.path
        )
        found = _INNER_PARAGRAPH.fullmatch(result.text) if one_line else None
        return result.cut(found.start(1), found.end(1)) if found else result

    def literal(self, node: Literal, result: Traced) -> None:
        if node.text is None:
            result.extend(self.text.slice(node.start, node.end))
        else:
            result.append(node.text, self.text.place(node.start, node.end))

    def tag_place(self, node: Shortcode) -> Place | None:
        place = self.text.place(node.start, node.tag_end)
        return Place(place.source, place.start, place.end, Origin.SHORTCODE) if place else None

    # --- placeholders ----------------------------------------------------------------------------------------------

    def substituted(self, result: Traced) -> Traced:
        """HTML with the finished pieces in the place of their placeholders."""
        if not self.finished:
            return result
        done = Traced()
        for text, place in result.pieces:
            if "\ue000" not in text:
                done.append(text, place)
                continue
            position = 0
            for found in PLACEHOLDER.finditer(text):
                index = int(found[1])
                if index >= len(self.finished):
                    continue
                before = place.part(position, found.start()) if place else None
                done.append(text[position : found.start()], before)
                done.extend(self.finished[index].pieces)
                position = found.end()
            done.append(text[position:], place.part(position, len(text)) if place else None)
        return done

    def visible(self, text: str) -> str:
        """The text that a reader sees in the place of placeholders (for heading ids)."""

        def shown(found: re.Match[str]) -> str:
            index = int(found[1])
            if index >= len(self.finished):
                return ""
            written = self.finished[index].text
            return " ".join(text_of(written, parse_html(written, fragment=True)).split())

        return PLACEHOLDER.sub(shown, text)


def _indented(written: Traced, node: Shortcode) -> Traced:
    """Lines after the first get the indentation of the tag, so that lists go on around them."""
    if not node.indentation or "\n" not in written.text:
        return written
    result = Traced()
    for text, place in written.pieces:
        lines = text.splitlines(keepends=True)
        offset = 0
        for line in lines:
            result.append(line, place.part(offset, offset + len(line)) if place else None)
            offset += len(line)
            if line.endswith("\n"):
                result.append(node.indentation, None)
    return result
