"""From a docutils tree to blocks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from docutils import nodes

from aipk_core.documents.builder import DocumentBuilder, Run, clean
from aipk_core.documents.loaders.limits import Watch
from aipk_core.documents.loaders.table_blocks import Cell, add_table
from aipk_core.errors import DocumentError


class RstWriter:
    """Writes the visible text of a docutils document into a builder.

    Attributes:
        title: of the document.
        metadata: its bibliographic fields and file header.
        messages: what docutils complained about.
    """

    def __init__(self, builder: DocumentBuilder, watch: Watch, max_depth: int) -> None:
        self._builder = builder
        self._watch = watch
        self._max_depth = max_depth
        self._depth = 0
        self._sections = 0
        self._group: int | None = None
        self._container: int | None = None
        self._lead_in: int | None = None
        self._before: int | None = None
        self._kind = "p"
        self._anchor: str | None = None
        self._footnotes: list[nodes.Element] = []
        self.title = ""
        self.metadata: dict[str, Any] = {}
        self.messages: list[str] = []

    def write(self, document: nodes.document) -> None:
        self._children(document)
        for footnote in self._footnotes:
            for child in footnote.children:
                if isinstance(child, nodes.paragraph):
                    self._builder.add("footnote", self._runs(child))
                elif isinstance(child, nodes.Element) and not isinstance(child, nodes.label):
                    self._element(child)

    # --- blocks

    def _children(self, node: nodes.Element) -> None:
        self._depth += 1
        if self._depth > 3 * self._max_depth:
            raise DocumentError(
                "the markup nests too deep", code="invalid", where=self._builder.document_id, remedy="Exclude the file"
            )
        for child in node.children:
            if isinstance(child, nodes.Element):
                self._element(child)
        self._depth -= 1

    def _element(self, node: nodes.Element) -> None:
        self._watch.check(self._builder)
        handler = _HANDLERS.get(type(node).__name__)
        if handler is not None:
            handler(self, node)
        elif isinstance(node, _INVISIBLE):
            return
        elif isinstance(node, nodes.TextElement):
            self._add(self._kind, self._runs(node))
        else:
            self._children(node)

    def _add(self, kind: str, runs: list[Run], **more: Any) -> int | None:
        index = self._builder.add(
            kind, runs, group=self._group, container=self._container, lead_in=self._lead_in, **more
        )
        if self._group is None:
            self._before = index if kind in ("p", "caption") else None
        return index

    def _section(self, node: nodes.Element) -> None:
        self._sections += 1
        self._anchor = str(node["ids"][0]) if node.get("ids") else None
        self._children(node)
        self._sections -= 1

    def _title(self, node: nodes.Element) -> None:
        runs = self._runs(node)
        if isinstance(node.parent, (nodes.section, nodes.document)):
            has_title = isinstance(node.parent.document, nodes.document) and bool(self.title)
            level = self._sections + (1 if has_title and self._document_title else 0)
            if isinstance(node.parent, nodes.document):
                level, self._document_title = 1, True
            self._builder.add(f"h{max(1, min(6, level))}", runs, anchor=self._anchor)
            self._before = None
            if not self.title:
                self.title = clean("".join(run.text for run in runs))
        elif isinstance(node.parent, nodes.table):
            self._add("caption", runs)
        else:  # of an admonition, topic or sidebar
            self._add("p", runs)

    _document_title = False

    def _subtitle(self, node: nodes.Element) -> None:
        self._add("p", self._runs(node))

    def _quote(self, node: nodes.Element) -> None:
        kind, self._kind = self._kind, "blockquote" if self._kind == "p" else self._kind
        self._children(node)
        self._kind = kind

    def _list(self, node: nodes.Element) -> None:
        before = (self._group, self._container, self._lead_in, self._kind)
        if self._container is None:
            self._container, self._lead_in = self._builder.new_number(), self._before
        self._kind = "li"
        for item in node.children:
            if isinstance(item, nodes.Element):
                self._group = self._builder.new_number()
                self._children(item)
        self._group, self._container, self._lead_in, self._kind = before
        if self._container is None:
            self._before = None

    def _definitions(self, node: nodes.Element) -> None:
        """Definition, field and option lists: a name and what is said about it."""
        before = (self._group, self._container, self._lead_in, self._kind)
        if self._container is None:
            self._container, self._lead_in = self._builder.new_number(), self._before
        for item in node.children:
            if not isinstance(item, nodes.Element):
                continue
            self._group = self._builder.new_number()
            names = [child for child in item.children if type(child).__name__ in _NAMES]
            runs: list[Run] = []
            for name in names:
                joint = " : " if isinstance(name, nodes.classifier) else ", "
                if runs:
                    runs.append(Run(joint))
                runs += self._runs(name)
            self._add("dt", runs)
            self._kind = "dd"
            for child in item.children:
                if isinstance(child, nodes.Element) and type(child).__name__ not in _NAMES:
                    self._children(child)
        self._group, self._container, self._lead_in, self._kind = before
        if self._container is None:
            self._before = None

    def _docinfo(self, node: Any) -> None:
        """Bibliographic fields: shown as a list, and kept as metadata."""
        shown: list[tuple[str, str]] = []
        for child in node.children:
            if isinstance(child, nodes.field):
                name, value = clean(_text(child.children[0])), clean(_text(child.children[1]))
            elif isinstance(child, nodes.Element):
                name, value = type(child).__name__, clean(_text(child))
            else:
                continue
            shown.append((name[:1].upper() + name[1:], value))
            self.metadata[name.lower()[:60]] = value[:500]
            if name.lower() == "title" and not self.title:
                self.title = value
                self._builder.add("h1", value)
                self._document_title = True
        container = self._builder.new_number()
        for name, value in shown:
            group = self._builder.new_number()
            self._builder.add("dt", name, group=group, container=container)
            self._builder.add("dd", value, group=group, container=container)

    def _literal(self, node: nodes.Element) -> None:
        given: list[Any] = node.get("classes", [])
        classes = [str(name) for name in given]
        language = next((name for name in classes if name not in ("code", "literal-block")), None)
        self._add("code", [Run(node.astext())], language=language)

    def _math(self, node: nodes.Element) -> None:
        self._add("math", [Run(node.astext())])

    def _lines(self, node: nodes.Element) -> None:
        """A line block is a verse or an address: one block, a space for each line end."""
        if isinstance(node.parent, nodes.line_block):
            return
        runs: list[Run] = []
        for line in node.findall(nodes.line):
            runs += [*self._runs(line), Run(" ")]
        self._add(self._kind, runs)

    def _admonition(self, node: nodes.Element) -> None:
        """Notes and warnings show their kind as a label, which is no part of what they say."""
        self._children(node)

    def _figure_caption(self, node: nodes.Element) -> None:
        self._add("figcaption", self._runs(node))

    def _image(self, node: nodes.Element) -> None:
        if node.get("alt"):
            self._builder.add("alt", str(node["alt"]))

    def _footnote(self, node: nodes.Element) -> None:
        self._footnotes.append(node)

    def _problem(self, node: nodes.Element) -> None:
        if len(self.messages) < 100 and node.get("level", 0) >= 3:
            self.messages.append(f"line {node.get('line', '?')}: {clean(node.astext())[:200]}")

    def _table(self, node: nodes.Element) -> None:
        for child in node.children:
            if isinstance(child, nodes.title):
                self._title(child)
        rows: list[list[Cell]] = []
        hanging: list[nodes.Element] = []
        for group in node.findall(nodes.tgroup):
            stub_columns = [bool(spec.get("stub")) for spec in group.findall(nodes.colspec)]
            for part in group.children:
                if isinstance(part, (nodes.thead, nodes.tbody)):
                    for row in part.children:
                        self._watch.check(self._builder)
                        rows.append(self._row(row, isinstance(part, nodes.thead), stub_columns, hanging))
            break
        add_table(self._builder, rows, lead_in=self._before)
        self._before = None
        for element in hanging:
            self._element(element)

    def _row(self, row: Any, header: bool, stubs: list[bool], hanging: list[nodes.Element]) -> list[Cell]:
        cells: list[Cell] = []
        for entry in row.children:
            if not isinstance(entry, nodes.entry):
                continue
            position = sum(cell.columns for cell in cells)
            cell = Cell(
                header=header or (position < len(stubs) and stubs[position]),
                columns=int(entry.get("morecols", 0)) + 1,
                rows=int(entry.get("morerows", 0)) + 1,
            )
            self._fill(cell, entry, hanging)
            cells.append(cell)
        return cells

    def _fill(self, cell: Cell, node: nodes.Element, hanging: list[nodes.Element]) -> None:
        for child in node.children:
            if isinstance(child, (nodes.table, nodes.literal_block)):
                hanging.append(child)
            elif isinstance(child, _INVISIBLE) or type(child).__name__ in ("footnote", "citation"):
                continue
            elif isinstance(child, nodes.TextElement):
                runs = self._runs(child)
                if runs:
                    cell.paragraphs.append(runs)
            elif isinstance(child, nodes.Element):
                self._fill(cell, child, hanging)

    # --- runs

    def _runs(self, node: nodes.Node) -> list[Run]:
        runs: list[Run] = []
        self._collect(node, runs, atom=False, depth=0)
        return runs

    def _collect(self, node: Any, runs: list[Run], *, atom: bool, depth: int) -> None:
        if isinstance(node, nodes.Text):
            runs.append(Run(str(node), atom=atom))
            return
        if isinstance(node, nodes.footnote_reference):
            if runs:  # the space before the mark goes with it
                runs[-1] = Run(runs[-1].text.rstrip(), atom=runs[-1].atom)
            return
        if isinstance(node, nodes.system_message) or depth > 100:
            return
        if isinstance(node, nodes.citation_reference):
            runs.append(Run(f"[{node.astext()}]"))
            return
        if isinstance(node, nodes.option_group):
            _options(node, runs)
            return
        if isinstance(node, nodes.image):
            runs.append(Run(str(node.get("alt", ""))))
            return
        if isinstance(node, (nodes.raw, nodes.substitution_definition)):
            return
        for child in node.children:
            self._collect(child, runs, atom=atom or isinstance(node, (nodes.literal, nodes.math)), depth=depth + 1)


def _options(group: nodes.option_group, runs: list[Run]) -> None:
    """``-f FILE, --file=FILE``"""
    for number, option in enumerate(group.findall(nodes.option)):
        runs.append(Run(", " if number else ""))
        runs += [Run(_text(part), atom=True) for part in option.children]


def _text(node: Any) -> str:
    return str(node.astext())


_INVISIBLE = (
    nodes.comment,
    nodes.substitution_definition,
    nodes.target,
    nodes.raw,
    nodes.pending,
    nodes.decoration,
    nodes.generated,
    nodes.label,
    nodes.transition,
)
_NAMES = frozenset({"term", "classifier", "field_name", "option_group"})
_HANDLERS: dict[str, Callable[[RstWriter, Any], None]] = {
    "section": RstWriter._section,
    "title": RstWriter._title,
    "subtitle": RstWriter._subtitle,
    "block_quote": RstWriter._quote,
    "bullet_list": RstWriter._list,
    "enumerated_list": RstWriter._list,
    "definition_list": RstWriter._definitions,
    "field_list": RstWriter._definitions,
    "option_list": RstWriter._definitions,
    "docinfo": RstWriter._docinfo,
    "literal_block": RstWriter._literal,
    "doctest_block": RstWriter._literal,
    "math_block": RstWriter._math,
    "line_block": RstWriter._lines,
    "caption": RstWriter._figure_caption,
    "image": RstWriter._image,
    "footnote": RstWriter._footnote,
    "citation": RstWriter._footnote,
    "system_message": RstWriter._problem,
    "table": RstWriter._table,
}
