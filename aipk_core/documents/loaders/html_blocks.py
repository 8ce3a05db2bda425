"""From an HTML tree to blocks: the pieces of text that a reader sees as units, in reading order."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from aipk_core.documents.builder import DocumentBuilder, Run
from aipk_core.documents.loaders.html_table import TableGrid
from aipk_core.documents.loaders.html_tree import BLOCKS, Element, Text, text_of
from aipk_core.documents.traced import Traced
from aipk_core.errors import DocumentError

BOILERPLATE_CLASSES = frozenset({"third-party-content", "boilerplate"})

_OWN_KIND = {
    "li": "li", "td": "td", "th": "th", "dt": "dt", "dd": "dd", "caption": "caption", "figcaption": "figcaption",
    "summary": "summary", "button": "button", "h1": "h1", "h2": "h2", "h3": "h3", "h4": "h4", "h5": "h5", "h6": "h6",
}  # fmt: skip
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_LISTS = frozenset({"ul", "ol", "menu", "dir", "dl"})
_UNSEEN = frozenset(
    """script style template noscript head title svg iframe object video audio canvas select datalist textarea map
    noembed noframes dialog annotation annotation-xml""".split()  # noqa: SIM905
)
_ATOMS = frozenset({"code", "kbd", "samp", "tt", "var"})
_PREFORMATTED = frozenset({"pre", "listing", "xmp", "plaintext"})
# Headings inside these say nothing about what comes after them.
_SCOPES = frozenset({"li", "td", "th", "dd", "figure", "blockquote", "details", "aside"})
_SCOPE_ROLES = frozenset({"alert", "note"})
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_LEADS_IN = (":", "：")
_MAX_NAME = 300  # characters of a header that go with each of its cells


@dataclass(frozen=True, slots=True)
class _Context:
    """What a place in the tree inherits from the elements around it."""

    kind: str = "p"
    group: int | None = None
    container: int | None = None
    lead_in: int | None = None
    atom: bool = False
    boilerplate: bool = False
    jump: bool = False  # inside a link to a place in the same page: its picture is an arrow


def write_blocks(
    root: Element,
    source: Traced,
    builder: DocumentBuilder,
    *,
    left_out: frozenset[int] = frozenset(),
    max_blocks: int = 500_000,
    tick: Callable[[], None] | None = None,
) -> None:
    """Append the visible blocks below ``root`` to ``builder``.

    Args:
        source: the HTML that ``root`` was parsed from.
        left_out: ``id()`` of elements that are no part of the text.
        tick: called now and then; may raise to stop.

    Raises:
        DocumentError: ``too-large`` beyond ``max_blocks``.
    """
    writer = _Writer(source, builder, left_out, max_blocks, tick)
    writer.children(root, _Context())
    writer.flush(_Context())


class _Writer:
    def __init__(
        self,
        source: Traced,
        builder: DocumentBuilder,
        left_out: frozenset[int],
        max_blocks: int,
        tick: Callable[[], None] | None,
    ) -> None:
        self.source = source
        self.html = source.text
        self.builder = builder
        self.left_out = left_out
        self.max_blocks = max_blocks
        self.tick = tick
        self.runs: list[Run] = []
        self.anchor: str | None = None
        self.tables: list[TableGrid] = []
        self.columns: tuple[str, ...] = ()
        self.boilerplate = True  # whether all runs so far are
        self.alts: list[str] = []

    # --- walking ---------------------------------------------------------------------------------------------------

    def children(self, element: Element, context: _Context) -> None:
        for child in element.children:
            if isinstance(child, Text):
                self.text(child, context)
            else:
                self.element(child, context)

    def element(self, element: Element, context: _Context) -> None:
        tag = element.tag
        if tag == "br":
            self.unplaced(" ")
            return
        if tag == "img":
            if not context.jump:
                self.image(element, context)
            return
        if tag in _UNSEEN or _is_hidden(element) or id(element) in self.left_out:
            return
        if tag == "math":
            self.children(element, context)
            return
        if not context.boilerplate and not BOILERPLATE_CLASSES.isdisjoint(element.classes):
            context = replace(context, boilerplate=True)
        if tag in _PREFORMATTED or "mermaid" in element.classes:
            self.verbatim(element, context)
            return
        if tag not in BLOCKS and tag != "label":  # a label stands apart from what it names
            if tag in _ATOMS and not context.atom:
                context = replace(context, atom=True)
            elif tag == "a" and element.attributes.get("href", "").startswith("#"):
                context = replace(context, jump=True)
            self.children(element, context)
            return
        self.flush(context)
        if tag in _SCOPES or element.attributes.get("role") in _SCOPE_ROLES or "tab-body" in element.classes:
            section = self.builder.section()
            self.block(element, context)
            self.builder.back_to(section)
        else:
            self.block(element, context)

    def block(self, element: Element, context: _Context) -> None:
        tag = element.tag
        if tag in _LISTS:
            self.items(element, context)
        elif tag == "table":
            self.table(element, context)
        elif tag == "tr":
            self.row(element, context)
        elif tag in ("td", "th"):
            self.cell(element, context)
        elif tag in ("li", "dt"):
            # A list in a table cell stays with the row.
            group = context.group if self.tables and context.group is not None else self.builder.new_number()
            self.inside(element, replace(context, kind=tag, group=group))
        elif tag == "dd":
            self.inside(element, replace(context, kind="dd"))
        elif tag in _HEADINGS:
            self.heading(element, context)
        else:
            kind = _OWN_KIND.get(tag, context.kind)
            if kind == context.kind and kind in _HEADINGS:
                kind = "p"
            self.inside(element, replace(context, kind=kind))

    def inside(self, element: Element, context: _Context) -> None:
        self.children(element, context)
        self.flush(context)

    def items(self, element: Element, context: _Context) -> None:
        container = context.container if context.container is not None else self.builder.new_number()
        lead_in = self.lead_in(context)
        inside = replace(context, container=container, lead_in=lead_in if lead_in is not None else context.lead_in)
        if element.tag != "dl":
            self.inside(element, inside)
            return
        group: int | None = None
        after_definition = True
        for child in _definition_parts(element):
            if isinstance(child, Text):
                self.text(child, inside)
                continue
            if child.tag == "dt" and after_definition:
                group = self.builder.new_number()
            if child.tag in ("dt", "dd"):
                after_definition = child.tag == "dd"
                self.flush(inside)
                self.inside(child, replace(inside, kind=child.tag, group=group))
            else:
                self.element(child, inside)
        self.flush(inside)

    def heading(self, element: Element, context: _Context) -> None:
        name = element.attributes.get("id")
        if not name:
            named = next((e for e in element.elements() if e.attributes.get("id") or e.attributes.get("name")), None)
            name = (named.attributes.get("id") or named.attributes.get("name")) if named else None
        self.anchor = name or None
        self.inside(element, replace(context, kind=element.tag))
        self.anchor = None

    # --- tables ----------------------------------------------------------------------------------------------------

    def table(self, element: Element, context: _Context) -> None:
        lead_in = self.lead_in(context)
        self.tables.append(TableGrid())
        outer, self.columns = self.columns, ()
        inside = replace(
            context,
            container=self.builder.new_number(),
            lead_in=lead_in if lead_in is not None else context.lead_in,
            group=None,
        )
        self.inside(element, inside)
        self.tables.pop()
        self.columns = outer

    def row(self, element: Element, context: _Context) -> None:
        if not self.tables:
            self.inside(element, context)
            return
        table = self.tables[-1]
        cells = [child for child in element.children if isinstance(child, Element) and child.tag in ("td", "th")]
        first_is_empty = bool(cells) and not text_of(self.html, cells[0]).strip()
        group = table.begin_row(cells, first_is_empty, self.builder.new_number())
        first = len(self.builder.blocks)
        self.inside(element, replace(context, group=group))
        written = len(self.builder.blocks) - first
        table.end_row(cells, group, self.builder.block_text(first) if written == 1 else None)

    def cell(self, element: Element, context: _Context) -> None:
        inside = replace(context, kind=element.tag)
        if not self.tables:
            self.inside(element, inside)
            return
        table = self.tables[-1]
        outer, self.columns = self.columns, table.begin_cell(element)
        first = len(self.builder.blocks)
        self.children(element, inside)
        self.flush(inside)
        self.columns = outer
        blocks = range(first, len(self.builder.blocks))
        table.end_cell(element, " ".join(self.builder.block_text(index) for index in blocks)[:_MAX_NAME])

    # --- pieces of text --------------------------------------------------------------------------------------------

    def text(self, node: Text, context: _Context) -> None:
        for piece, place in self.source.slice(node.start, node.end):
            shown = html.unescape(piece) if "&" in piece and not node.raw else piece
            if place is None:
                self.unplaced(shown)
                if not shown.isspace():
                    self.boilerplate = self.boilerplate and context.boilerplate
                continue
            if not shown.isspace():
                self.boilerplate = self.boilerplate and (context.boilerplate or place.boilerplate)
            source = place.source
            self.runs.append(
                Run(
                    shown,
                    source.byte_offset(place.start),
                    source.byte_offset(place.end),
                    source.file,
                    place.origin,
                    context.atom,
                )
            )

    def unplaced(self, text: str) -> None:
        """Text that stands nowhere in the source (a line break, a number put in): it goes with what is before it."""
        before = self.runs[-1] if self.runs else Run("", 0, 0)
        if before.atom or not self.runs:
            end = max(before.byte_end, 0)
            self.runs.append(Run(text, end, end, before.file, before.origin))
        else:
            self.runs[-1] = Run(before.text + text, before.byte_start, before.byte_end, before.file, before.origin)

    def image(self, element: Element, context: _Context) -> None:
        alt = element.attributes.get("alt", "").strip()
        if not any(character.isalnum() for character in alt):  # an arrow or a bullet
            return
        place = self.source.place(element.start, element.end)
        if place is None:
            self.add("alt", [Run(alt)], context)
            return
        source = place.source
        begin, end = source.byte_offset(place.start), source.byte_offset(place.end)
        self.add("alt", [Run(alt, begin, end, source.file, place.origin)], context)

    def verbatim(self, element: Element, context: _Context) -> None:
        self.flush(context)
        kind = "mermaid" if "mermaid" in element.classes else "code"
        lead_in = self.lead_in(context)
        language = _language(element)
        self.preformatted(element, context)
        runs, self.runs = self.runs, []
        if language == "mermaid":
            kind = "mermaid"
        elif language == "math":
            kind = "math"
        self.add(
            kind,
            runs,
            replace(context, lead_in=lead_in if lead_in is not None else context.lead_in),
            language=language or None,
        )
        self.boilerplate = True

    def preformatted(self, element: Element, context: _Context) -> None:
        for child in element.children:
            if isinstance(child, Text):
                self.text(child, context)
            elif child.tag == "br":
                self.unplaced("\n")
            elif child.tag not in _UNSEEN and child.tag != "button":
                self.preformatted(child, context)

    def flush(self, context: _Context) -> None:
        """End the paragraph that has been collected."""
        runs, self.runs = self.runs, []
        boilerplate, self.boilerplate = self.boilerplate, True
        if runs and any(not run.text.isspace() for run in runs):
            self.add(context.kind, runs, replace(context, boilerplate=True) if boilerplate else context)

    def add(self, kind: str, runs: list[Run], context: _Context, language: str | None = None) -> None:
        if len(self.builder.blocks) >= self.max_blocks:
            raise DocumentError(
                f"the document has more than {self.max_blocks} blocks",
                code="too-large",
                where=self.builder.document_id,
                remedy="Split the document or raise max_blocks",
            )
        if self.tick and len(self.builder.blocks) % 256 == 0:
            self.tick()
        self.builder.add(
            kind,
            runs,
            anchor=self.anchor,
            group=context.group,
            container=context.container,
            lead_in=context.lead_in,
            columns=self.columns,
            language=language,
            boilerplate=context.boilerplate,
        )

    def lead_in(self, context: _Context) -> int | None:
        """The block before, when it announces what follows."""
        index = len(self.builder.blocks) - 1
        if index < 0:
            return None
        block = self.builder.blocks[index]
        if block.is_heading or block.is_verbatim or not self.builder.block_text(index).endswith(_LEADS_IN):
            return None
        return index


def _definition_parts(element: Element) -> list[Element | Text]:
    """The terms and definitions of a list; HTML allows a ``div`` around each pair."""
    parts: list[Element | Text] = []
    for child in element.children:
        if isinstance(child, Element) and child.tag == "div":
            parts.extend(child.children)
        else:
            parts.append(child)
    return parts


def _is_hidden(element: Element) -> bool:
    attributes = element.attributes
    if not attributes or element.tag == "caption":  # a hidden caption is still what screen readers read out
        return False
    if "hidden" in attributes:
        return True
    style = attributes.get("style")
    return bool(style and _HIDDEN_STYLE.search(style[:2000]))


def _language(element: Element) -> str:
    for candidate in (element, element.find("code")):
        if candidate is None:
            continue
        if candidate.attributes.get("data-lang"):
            return candidate.attributes["data-lang"]
        for name in candidate.classes:
            if name.startswith("language-"):
                return name.removeprefix("language-")
    return ""


def title_of(root: Element, source: str) -> str:
    """What the document calls itself: its ``<title>``, else its first ``<h1>``."""
    for tag in ("title", "h1"):
        found = root.find(tag)
        if found is not None:
            text = " ".join(text_of(source, found).split())
            if text:
                return text
    return ""
