"""OpenDocument texts (.odt): body text with accepted changes, without annotations, headers and footers."""

from __future__ import annotations

import re

from lxml import etree

from aipk_core.documents.builder import DocumentBuilder, Run, clean
from aipk_core.documents.loaders.archives import Archive, children, local_name
from aipk_core.documents.loaders.limits import Watch
from aipk_core.documents.loaders.registry import LoadContext, RawDocument
from aipk_core.documents.loaders.scripts import dominant_language
from aipk_core.documents.loaders.table_blocks import Cell, add_table, looks_like_header
from aipk_core.documents.model import Document
from aipk_core.errors import DocumentError

MEDIA_TYPE = "application/vnd.oasis.opendocument.text"


def load_odt(raw: RawDocument, context: LoadContext) -> Document:
    """Read an OpenDocument text.

    Raises:
        DocumentError: ``invalid``, ``encrypted``, ``archive-bomb``, ``empty``, ``too-large``, ``timeout``.
    """
    watch = Watch(raw.id, context.limits)
    archive = Archive(raw, context)
    _refuse_encrypted(archive, raw.id)
    root = archive.xml("content.xml")
    body = next((element for element in root.iter() if _is(element, "office:text")), None) if root is not None else None
    if root is None or body is None:
        raise archive.invalid("there is no text document in the container")
    builder = DocumentBuilder(raw.id, len(raw.data))
    reader = _Reader(builder, watch, _Styles(root, archive.xml("styles.xml")))
    reader.blocks(body)
    reader.flush()
    watch.finish(builder)
    facts = _facts(archive)
    text = " ".join(builder.block_text(index) for index in range(min(len(builder.blocks), 200)))
    return builder.build(
        title=facts.pop("title", "") or reader.title,
        url=raw.url,
        lang=dominant_language(text, raw.lang or facts.pop("language", "") or "en"),
        media_type=MEDIA_TYPE,
        metadata=dict(facts),
    )


_NAMESPACES = {
    "urn:oasis:names:tc:opendocument:xmlns:office:1.0": "office",
    "urn:oasis:names:tc:opendocument:xmlns:text:1.0": "text",
    "urn:oasis:names:tc:opendocument:xmlns:table:1.0": "table",
    "urn:oasis:names:tc:opendocument:xmlns:drawing:1.0": "draw",
    "urn:oasis:names:tc:opendocument:xmlns:style:1.0": "style",
    "urn:oasis:names:tc:opendocument:xmlns:manifest:1.0": "manifest",
}


def _name(element: etree._Element) -> str:
    """The element's name with its usual prefix."""
    tag = str(element.tag)
    namespace, _, local = tag[1:].partition("}") if tag.startswith("{") else ("", "", tag)
    return f"{_NAMESPACES.get(namespace, '')}:{local}"


def _is(element: etree._Element, name: str) -> bool:
    return isinstance(element.tag, str) and _name(element) == name


def _attribute(element: etree._Element, name: str) -> str:
    prefix, _, local = name.partition(":")
    for key, value in element.attrib.items():
        namespace, _, found = str(key)[1:].partition("}")
        if found == local and _NAMESPACES.get(namespace) == prefix:
            return str(value)
    return ""


_ENCRYPTION = re.compile(rb"<(?:[\w.-]{1,100}:)?(?:encryption-data|encrypted-key)\b")


def _refuse_encrypted(archive: Archive, where: str) -> None:
    # Old programs left the namespace of the manifest to its DTD, so that it is no well-formed XML today; only these two
    # names matter here.
    manifest = archive.read("META-INF/manifest.xml")
    if manifest is not None and _ENCRYPTION.search(manifest.replace(b"\0", b"")):
        raise DocumentError(
            "the file is protected by a password",
            code="encrypted",
            where=where,
            remedy="Save a copy without password",
        )


def _facts(archive: Archive) -> dict[str, str]:
    root = archive.xml("meta.xml")
    names = {
        "title": "title",
        "creator": "author",
        "date": "modified",
        "creation-date": "created",
        "language": "language",
    }
    facts: dict[str, str] = {}
    for element in root.iter() if root is not None else ():
        name, value = names.get(local_name(element)), clean(element.text or "")
        if name and value:
            facts.setdefault(name, value[:500])
    return facts


_CODE_STYLE = re.compile(r"preformatted|source|code|literal[-_ ]?block|codeblock|verbatim", re.IGNORECASE)
_CODE_FACE = re.compile(r"source[-_ ]?text|inline[-_ ]?literal|\bcode|teletype|user[-_ ]?entry", re.IGNORECASE)
_MAX_INHERITANCE = 20


class _Styles:
    """Names of styles, automatic ones traced back to those that the author chose."""

    def __init__(self, *roots: etree._Element | None) -> None:
        self._parents: dict[str, str] = {}
        for root in roots:
            for element in root.iter() if root is not None else ():
                if _is(element, "style:style"):
                    name = _attribute(element, "style:name")
                    self._parents.setdefault(name, _attribute(element, "style:parent-style-name"))

    def chain(self, name: str) -> list[str]:
        names: list[str] = []
        while name and len(names) < _MAX_INHERITANCE:
            names.append(name.replace("_20_", " "))
            name = self._parents.get(name, "")
        return names


_SECTIONS = frozenset({
    "text:section", "text:index-body", "text:index-title", "office:text", "draw:text-box", "draw:frame", "draw:a",
    "text:illustration-index", "text:bibliography", "text:numbered-paragraph",
})  # fmt: skip
_CONTENTS = frozenset({"text:table-of-content", "text:alphabetical-index", "text:table-index"})
_LEFT_OUT = frozenset({
    "office:annotation", "office:annotation-end", "text:tracked-changes", "text:note-citation", "text:ruby-text",
    "text:sequence-decls", "text:variable-decls", "text:user-field-decls", "office:forms", "text:hidden-paragraph",
    "text:hidden-text", "text:page-number", "draw:image", "draw:object", "draw:object-ole",
})  # fmt: skip


class _Reader:
    """Walks the body and writes blocks; notes and text boxes follow the block that holds them."""

    def __init__(self, builder: DocumentBuilder, watch: Watch, styles: _Styles) -> None:
        self._builder = builder
        self._watch = watch
        self._styles = styles
        self._hanging: list[etree._Element] = []
        self._code: list[Run] = []
        self._before: int | None = None
        self.title = ""

    def blocks(self, parent: etree._Element, *, boilerplate: bool = False) -> None:
        for element in children(parent):
            self._watch.check(self._builder)
            name = _name(element)
            if name == "text:h":
                level = _attribute(element, "text:outline-level")
                self._write(f"h{max(1, min(6, int(level)))}" if level.isdecimal() and len(level) < 3 else "h1", element)
            elif name == "text:p":
                self._paragraph(element, boilerplate)
            elif name == "text:list":
                self._list(element, None, self._before, boilerplate)
                self._before = None
            elif name == "table:table":
                self._table(element)
            elif name in _CONTENTS:
                self.blocks(element, boilerplate=True)
            elif name in _SECTIONS:
                self.blocks(element, boilerplate=boilerplate)

    def flush(self) -> None:
        """Write the code lines collected so far, and what hangs on the last block."""
        if self._code:
            self._builder.add("code", self._code)
            self._code = []
        hanging, self._hanging = self._hanging, []
        for element in hanging:
            if _is(element, "text:note"):
                for body in children(element):
                    if _is(body, "text:note-body"):
                        self._note(body)
            else:
                self.blocks(element)

    def _paragraph(self, element: etree._Element, boilerplate: bool) -> None:
        names = self._styles.chain(_attribute(element, "text:style-name"))
        if any(_CODE_STYLE.search(name) for name in names):
            self._code += [*self._runs(element, verbatim=True), Run("\n")]
            return
        lowered = [name.casefold() for name in names]
        kind = "p"
        if "title" in lowered:
            kind = "h1"
        elif any(name in ("caption", "illustration", "table", "figure", "drawing") for name in lowered):
            kind = "caption"
        elif any("quot" in name for name in lowered):
            kind = "blockquote"
        self._write(kind, element, boilerplate=boilerplate)

    def _write(self, kind: str, element: etree._Element, *, boilerplate: bool = False) -> None:
        runs = self._runs(element)
        if self._code:
            self.flush()
        index = self._builder.add(kind, runs, boilerplate=boilerplate)
        self._before = index if kind in ("p", "caption") else None
        if index is not None and kind == "h1" and not self.title:
            self.title = self._builder.block_text(index)
        self.flush()

    def _note(self, body: etree._Element) -> None:
        for element in children(body):
            if _name(element) in ("text:p", "text:h"):
                self._builder.add("footnote", self._runs(element))

    def _list(self, element: etree._Element, container: int | None, lead_in: int | None, boilerplate: bool) -> None:
        self.flush()
        container = container if container is not None else self._builder.new_number()
        for item in children(element):
            self._watch.check(self._builder)
            if _name(item) not in ("text:list-item", "text:list-header"):
                continue
            group = self._builder.new_number()
            for child in children(item):
                name = _name(child)
                if name in ("text:p", "text:h"):
                    self._builder.add(
                        "li",
                        self._runs(child),
                        group=group,
                        container=container,
                        lead_in=lead_in,
                        boilerplate=boilerplate,
                    )
                elif name == "text:list":
                    self._list(child, container, lead_in, boilerplate)
                elif name == "table:table":
                    self._table(child)
            self.flush()

    def _table(self, element: etree._Element) -> None:
        self.flush()
        rows: list[list[Cell]] = []
        nested: list[etree._Element] = []
        marked = self._rows(element, rows, nested, header=False)
        if not marked and looks_like_header(rows) and self._first_row_is_styled(element):
            for cell in rows[0]:
                cell.header = True
        add_table(self._builder, rows, lead_in=self._before)
        self._before = None
        self.flush()
        for inner in nested:
            self._table(inner)

    def _rows(
        self, parent: etree._Element, rows: list[list[Cell]], nested: list[etree._Element], *, header: bool
    ) -> bool:
        marked = header
        for element in children(parent):
            name = _name(element)
            if name == "table:table-row":
                self._watch.check(self._builder)
                rows.append(
                    [self._cell(cell, header, nested) for cell in children(element) if _is(cell, "table:table-cell")]
                )
            elif name in ("table:table-header-rows", "table:table-rows", "table:table-row-group"):
                marked = self._rows(element, rows, nested, header=header or name.endswith("header-rows")) or marked
        return marked

    def _cell(self, element: etree._Element, header: bool, nested: list[etree._Element]) -> Cell:
        columns, rows = (
            _attribute(element, "table:number-columns-spanned"),
            _attribute(element, "table:number-rows-spanned"),
        )
        cell = Cell(
            header=header,
            columns=int(columns) if columns.isdecimal() and len(columns) < 4 else 1,
            rows=int(rows) if rows.isdecimal() and len(rows) < 6 else 1,
        )
        self._fill(cell, element, nested)
        return cell

    def _fill(self, cell: Cell, parent: etree._Element, nested: list[etree._Element]) -> None:
        for child in children(parent):
            name = _name(child)
            if name in ("text:p", "text:h"):
                runs = self._runs(child)
                if runs:
                    cell.paragraphs.append(runs)
            elif name == "table:table":
                nested.append(child)
            elif name in ("text:list", "text:list-item", "text:section"):
                self._fill(cell, child, nested)

    def _first_row_is_styled(self, table: etree._Element) -> bool:
        """Whether the paragraphs of the first row carry a heading style, as word processors give it."""
        row = next((element for element in table.iter() if _is(element, "table:table-row")), None)
        styles = (
            [_attribute(part, "text:style-name") for part in row.iter() if _is(part, "text:p")]
            if row is not None
            else []
        )
        return bool(styles) and all(
            any("head" in name.casefold() for name in self._styles.chain(style)) for style in styles
        )

    # --- runs

    def _runs(self, element: etree._Element, *, verbatim: bool = False) -> list[Run]:
        runs: list[Run] = []
        self._collect(element, runs, atom=False, verbatim=verbatim, depth=0)
        return runs

    def _collect(self, element: etree._Element, runs: list[Run], *, atom: bool, verbatim: bool, depth: int) -> None:
        if element.text:
            runs.append(_text_run(element.text, atom))
        for child in element:
            if isinstance(child.tag, str):
                self._inline(child, runs, atom=atom, verbatim=verbatim, depth=depth)
            if child.tail:
                runs.append(_text_run(child.tail, atom))

    def _inline(self, child: etree._Element, runs: list[Run], *, atom: bool, verbatim: bool, depth: int) -> None:
        name = _name(child)
        if name == "text:s":
            count = _attribute(child, "text:c")
            runs.append(Run(" " * (min(int(count), 200) if count.isdecimal() and len(count) < 4 else 1)))
        elif name == "text:tab":
            runs.append(Run("\t"))
        elif name == "text:line-break":
            runs.append(Run("\n"))
        elif name in ("text:note", "draw:frame", "draw:custom-shape", "draw:text-box"):
            self._hanging.append(child)
        elif name not in _LEFT_OUT and depth < 200:
            code = any(_CODE_FACE.search(style) for style in self._styles.chain(_attribute(child, "text:style-name")))
            inner = atom or (name == "text:span" and code)
            self._collect(child, runs, atom=inner, verbatim=verbatim, depth=depth + 1)


def _text_run(text: str, atom: bool) -> Run:
    """White space in the XML is one space; tabs and more spaces have elements of their own."""
    return Run(re.sub(r"[ \t\r\n]+", " ", text).replace("\u00ad", ""), atom=atom)
