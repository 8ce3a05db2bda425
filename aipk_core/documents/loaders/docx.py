"""Word documents (.docx): body text as it stands after all tracked changes are accepted, without comments.

Headers and footers, deleted text, hidden text and field codes are left out; footnotes follow the block that refers to
them.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from lxml import etree

from aipk_core.documents.builder import DocumentBuilder, Run, clean
from aipk_core.documents.loaders.archives import Archive, children, local_name
from aipk_core.documents.loaders.docx_styles import Styles, attribute, first
from aipk_core.documents.loaders.limits import Watch
from aipk_core.documents.loaders.registry import LoadContext, RawDocument
from aipk_core.documents.loaders.scripts import dominant_language
from aipk_core.documents.loaders.table_blocks import Cell, add_table, looks_like_header
from aipk_core.documents.model import Document
from aipk_core.errors import DocumentError

MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


def load_docx(raw: RawDocument, context: LoadContext) -> Document:
    """Read a Word document.

    Raises:
        DocumentError: ``invalid``, ``encrypted``, ``unsupported`` (the binary format of Word 97), ``archive-bomb``,
            ``empty``, ``too-large``, ``timeout``.
    """
    _refuse_ole(raw)
    watch = Watch(raw.id, context.limits)
    builder = DocumentBuilder(raw.id, len(raw.data))
    archive = Archive(raw, context)
    main = _main_part(archive)
    root = archive.xml(main)
    body = first(root, "body") if root is not None else None
    if body is None:
        raise archive.invalid("there is no document in the container")
    styles = Styles(archive, main)
    reader = _Reader(builder, watch, styles, _notes(archive, main))
    reader.blocks(body)
    reader.flush()
    watch.finish(builder)
    facts = _facts(archive)
    text = " ".join(builder.block_text(index) for index in range(min(len(builder.blocks), 200)))
    return builder.build(
        title=facts.pop("title", "") or reader.title,
        url=raw.url,
        lang=dominant_language(text, raw.lang or facts.pop("language", "") or styles.language or "en"),
        media_type=MEDIA_TYPE,
        metadata=dict(facts),
    )


_OLE_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def _refuse_ole(raw: RawDocument) -> None:
    if not raw.data.startswith(_OLE_MAGIC):
        return
    if "EncryptedPackage".encode("utf-16-le") in raw.data:
        raise DocumentError(
            "the file is protected by a password",
            code="encrypted",
            where=raw.id,
            remedy="Save a copy without password",
        )
    raise DocumentError(
        "this is a file of an old Word version", code="unsupported", where=raw.id, remedy="Save it as .docx"
    )


def _main_part(archive: Archive) -> str:
    """The part that the package's relations name as its document."""
    relations = archive.xml("_rels/.rels")
    if relations is not None:
        for relation in children(relations):
            if attribute(relation, "Type").endswith("/officeDocument"):
                return archive.resolve("", attribute(relation, "Target").lstrip("/"))
    return "word/document.xml"


def _notes(archive: Archive, main: str) -> dict[tuple[str, str], etree._Element]:
    """Footnotes and endnotes by kind and number; the separators that Word keeps among them are left out."""
    found: dict[tuple[str, str], etree._Element] = {}
    for kind in ("footnote", "endnote"):
        root = archive.xml(archive.resolve(main, f"{kind}s.xml"))
        if root is None:
            continue
        for note in children(root):
            if attribute(note, "type") in ("", "normal"):
                found[kind, attribute(note, "id")] = note
    return found


def _facts(archive: Archive) -> dict[str, str]:
    root = archive.xml("docProps/core.xml")
    names = {
        "title": "title",
        "creator": "author",
        "modified": "modified",
        "created": "created",
        "language": "language",
    }
    facts: dict[str, str] = {}
    for element in children(root) if root is not None else ():
        name, value = names.get(local_name(element)), clean(element.text or "")
        if name and value:
            facts[name] = value[:500]
    return facts


@dataclass(slots=True)
class _Paragraph:
    """Runs of a paragraph and what hangs on it."""

    runs: list[Run] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)
    boxes: list[etree._Element] = field(default_factory=list)
    monospace: bool = True


_TRANSPARENT = frozenset(
    {"sdt", "sdtContent", "customXml", "smartTag", "ins", "moveTo", "body", "txbxContent", "AlternateContent", "Choice"}
)
_INLINE_TRANSPARENT = frozenset(
    {
        "hyperlink",
        "ins",
        "moveTo",
        "smartTag",
        "customXml",
        "sdt",
        "sdtContent",
        "fldSimple",
        "dir",
        "bdo",
        "AlternateContent",
        "Choice",
        "ruby",
        "rubyBase",
    }
)
_PICTURES = frozenset({"drawing", "pict", "object"})


class _Reader:
    """Walks the body and writes blocks; collects code lines until the code ends."""

    def __init__(
        self,
        builder: DocumentBuilder,
        watch: Watch,
        styles: Styles,
        notes: dict[tuple[str, str], etree._Element],
    ) -> None:
        self._builder = builder
        self._watch = watch
        self._styles = styles
        self._notes = notes
        self._code: list[Run] = []
        self._carried: _Paragraph | None = None
        self._list: tuple[str, int] | None = None
        self._before: int | None = None
        self._lead_in: int | None = None
        self._fields: list[bool] = []  # for each open field: whether its result has begun
        self.title = ""

    def blocks(self, parent: etree._Element) -> None:
        for element in children(parent):
            self._watch.check(self._builder)
            name = local_name(element)
            if name == "p":
                self._paragraph(element)
            elif name == "tbl":
                self._table(element)
            elif name in _TRANSPARENT:
                self.blocks(element)

    def flush(self) -> None:
        """Write the code collected so far."""
        if self._code:
            self._builder.add("code", self._code)
            self._code = []

    # --- paragraphs

    def _paragraph(self, element: etree._Element) -> None:
        style = self._styles.of(element)
        paragraph = self._carried or _Paragraph()
        self._carried = None
        self._inline(element, paragraph)
        if style.mark_deleted:
            self._carried = paragraph  # its end was deleted: the next paragraph goes on from here
            return
        text = clean("".join(run.text for run in paragraph.runs))
        typewritten = style.kind == "p" and bool(text) and paragraph.monospace
        is_code = style.kind == "code" or (typewritten and (bool(self._code) or bool(_CODE_SIGNS.search(text))))
        if is_code:
            self._list = None
            self._code.append(Run("".join(run.text for run in paragraph.runs) + "\n"))
        elif text:
            self.flush()
            self._write(style.kind, paragraph.runs, style.list_id, boilerplate=style.boilerplate)
            if style.kind == "h1" and not self.title:
                self.title = text
        self._attached(paragraph)

    def _write(self, kind: str, runs: list[Run], list_id: str, *, boilerplate: bool) -> None:
        if list_id and kind == "p":
            if self._list is None or self._list[0] != list_id:
                if self._list is None:
                    self._lead_in = self._before
                self._list = (list_id, self._builder.new_number())
            self._builder.add(
                "li",
                runs,
                group=self._builder.new_number(),
                container=self._list[1],
                lead_in=self._lead_in,
                boilerplate=boilerplate,
            )
            return
        self._list = None
        index = self._builder.add(kind, runs, boilerplate=boilerplate)
        self._before = index if kind in ("p", "caption") else None

    def _attached(self, paragraph: _Paragraph) -> None:
        """Text boxes and notes that a paragraph holds, after it."""
        for box in paragraph.boxes:
            self.flush()
            self.blocks(box)
        for key in paragraph.notes:
            note = self._notes.pop(key, None)
            if note is None:
                continue
            self.flush()
            for element in children(note):
                if local_name(element) == "p":
                    inner = _Paragraph()
                    self._inline(element, inner)
                    self._builder.add("footnote", inner.runs)

    # --- runs

    def _inline(self, parent: etree._Element, paragraph: _Paragraph) -> None:
        for element in children(parent):
            name = local_name(element)
            if name == "r":
                self._run(element, paragraph)
            elif name in _INLINE_TRANSPARENT:
                self._inline(element, paragraph)
            elif name in ("oMath", "oMathPara"):
                formula = "".join(part.text or "" for part in element.iter() if local_name(part) == "t")
                paragraph.runs.append(Run(formula, atom=True))
                paragraph.monospace = False

    def _run(self, run: etree._Element, paragraph: _Paragraph) -> None:
        face = self._styles.face_of(run)
        if face.hidden:
            return
        for element in children(run):
            name = local_name(element)
            if name == "fldChar":
                self._field(attribute(element, "fldCharType"))
            elif self._fields and not all(self._fields):
                continue  # the code of a field, not its result
            elif name == "t":
                text = (element.text or "").replace("\u00ad", "")
                paragraph.runs.append(Run(text, atom=face.monospace))
                paragraph.monospace = paragraph.monospace and (face.monospace or not text.strip())
            elif name == "AlternateContent":
                choice = first(element, "Choice")
                if choice is not None:
                    self._boxes(choice, paragraph)
            elif name in _PICTURES:
                self._boxes(element, paragraph)
            elif name in ("footnoteReference", "endnoteReference"):
                paragraph.notes.append((name.removesuffix("Reference"), attribute(element, "id")))
            elif name == "ruby":
                base = first(element, "rubyBase")
                if base is not None:
                    self._inline(base, paragraph)
            elif name in _SIGNS:
                paragraph.runs.append(Run(_SIGNS[name]))
            elif name == "sym":
                paragraph.runs.append(Run(_symbol(attribute(element, "char"))))

    def _field(self, kind: str) -> None:
        if kind == "begin":
            self._fields.append(False)
        elif kind == "separate" and self._fields:
            self._fields[-1] = True
        elif kind == "end" and self._fields:
            self._fields.pop()

    def _boxes(self, element: etree._Element, paragraph: _Paragraph) -> None:
        boxes = (part for part in element.iter() if local_name(part) == "txbxContent")
        paragraph.boxes.extend(itertools.islice(boxes, 1000))

    # --- tables

    def _table(self, table: etree._Element) -> None:
        self.flush()
        self._list = None
        rows: list[list[Cell]] = []
        nested: list[etree._Element] = []
        notes = _Paragraph()
        marked = False
        for row in _rows(table):
            self._watch.check(self._builder)
            header = _is_header_row(row)
            marked = marked or header
            cells: list[Cell] = []
            for cell in _flat(row, "tc"):
                cells.append(self._cell(cell, header, nested, notes))
            if cells:
                rows.append(cells)
        if not marked and _first_row_stands_out(table) and looks_like_header(rows):
            for name in rows[0]:
                name.header = True
        if len(rows) == 1 and len(rows[0]) == 1:  # a frame around text rather than a table
            for runs in rows[0][0].paragraphs:
                self._before = self._builder.add("p", runs)
        else:
            add_table(self._builder, rows, lead_in=self._before)
        self._before = None
        for inner in nested:
            self._table(inner)
        self._attached(notes)

    def _cell(self, element: etree._Element, header: bool, nested: list[etree._Element], notes: _Paragraph) -> Cell:
        properties = first(element, "tcPr")
        span = first(properties, "gridSpan") if properties is not None else None
        columns = attribute(span, "val") if span is not None else ""
        cell = Cell(header=header, columns=int(columns) if columns.isdecimal() and len(columns) < 4 else 1)
        for child in _flat(element, "p", "tbl"):
            if local_name(child) == "tbl":
                nested.append(child)
                continue
            paragraph = _Paragraph()
            self._inline(child, paragraph)
            notes.notes += paragraph.notes
            notes.boxes += paragraph.boxes
            if paragraph.runs:
                cell.paragraphs.append(paragraph.runs)
        return cell


# Prose may be set in a typewriter face as well.
_CODE_SIGNS = re.compile(r"[{}()\[\];=<>$|\\]|^(?:import|from|def|class|return|#)\b")
_SIGNS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-", "ptab": "\t"}

# Pictures that the fonts Symbol and Wingdings keep at private places.
_SYMBOLS = {"F0B7": "•", "F0E0": "→", "F0E8": "⇒", "F0FC": "✓", "F0FE": "☑", "F0A8": "☐", "F04A": "☺"}


def _symbol(code: str) -> str:
    code = code.upper()
    if code in _SYMBOLS:
        return _SYMBOLS[code]
    try:
        value = int(code, 16)
    except ValueError:
        return ""
    return chr(value) if 0x20 <= value < 0xD800 else ""


def _flat(parent: etree._Element, *names: str) -> Iterator[etree._Element]:
    """Children of the given names, also inside content controls and accepted insertions."""
    for element in children(parent):
        name = local_name(element)
        if name in names:
            yield element
        elif name in _TRANSPARENT:
            yield from _flat(element, *names)


def _rows(table: etree._Element) -> Iterator[etree._Element]:
    for row in _flat(table, "tr"):
        properties = first(row, "trPr")
        if properties is None or first(properties, "del") is None:
            yield row


def _is_header_row(row: etree._Element) -> bool:
    properties = first(row, "trPr")
    mark = first(properties, "tblHeader") if properties is not None else None
    return mark is not None and attribute(mark, "val") not in ("0", "false", "off")


def _first_row_stands_out(table: etree._Element) -> bool:
    """Whether the table's style treats its first row in its own way, as Word does by default."""
    properties = first(table, "tblPr")
    look = first(properties, "tblLook") if properties is not None else None
    if look is None:
        return True
    if attribute(look, "firstRow"):
        return attribute(look, "firstRow") in ("1", "true", "on")
    value = attribute(look, "val")
    try:
        return bool(int(value, 16) & 0x20)
    except ValueError:
        return True
