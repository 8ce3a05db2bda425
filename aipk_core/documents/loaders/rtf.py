"""Rich Text Format: body text with its paragraphs, lists, tables and footnotes, without headers and hidden text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from aipk_core.documents.builder import DocumentBuilder, Run, clean
from aipk_core.documents.loaders.limits import Watch
from aipk_core.documents.loaders.registry import LoadContext, RawDocument
from aipk_core.documents.loaders.rtf_reading import Paragraph, RtfReader
from aipk_core.documents.loaders.scripts import dominant_language
from aipk_core.documents.loaders.table_blocks import Cell, add_table, looks_like_header
from aipk_core.documents.model import Document
from aipk_core.errors import DocumentError

MEDIA_TYPE = "application/rtf"


def load_rtf(raw: RawDocument, context: LoadContext) -> Document:
    """Read an RTF file.

    Raises:
        DocumentError: ``invalid``, ``empty``, ``too-large``, ``timeout``.
    """
    if not raw.data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{\\rtf"):
        raise DocumentError("this is not RTF", code="invalid", where=raw.id, remedy="Save the file anew as RTF")
    watch = Watch(raw.id, context.limits)
    builder = DocumentBuilder(raw.id, len(raw.data))
    writer = _Writer(builder, lambda: watch.check(builder))
    reader = RtfReader(raw.data, writer.paragraph, writer.row, watch.check)
    reader.read()
    writer.finish()
    watch.finish(builder)
    if reader.unclosed:
        builder.problem("truncated", "the file ends before its last group is closed", raw.id)
    text = " ".join(builder.block_text(index) for index in range(min(len(builder.blocks), 200)))
    facts = {name: clean(value)[:500] for name, value in reader.facts.items() if clean(value)}
    return builder.build(
        title=facts.pop("title", "") or writer.title,
        url=raw.url,
        lang=raw.lang or dominant_language(text),
        media_type=MEDIA_TYPE,
        metadata=dict(facts),
    )


@dataclass(slots=True)
class _Writer:
    """Writes paragraphs and collects table rows until the table ends."""

    builder: DocumentBuilder
    check: Callable[[], None]
    title: str = ""
    _rows: list[list[list[Paragraph]]] = field(default_factory=list)
    _list: int | None = None
    _lead_in: int | None = None
    _before: int | None = None

    def paragraph(self, paragraph: Paragraph) -> None:
        self.check()
        self._end_table()
        if paragraph.text.strip():
            self._write(paragraph)
        for note in paragraph.notes:
            self.builder.add("footnote", note)

    def row(self, cells: list[list[Paragraph]]) -> None:
        self.check()
        self._list = None
        self._rows.append(cells)

    def finish(self) -> None:
        self._end_table()

    def _write(self, paragraph: Paragraph) -> None:
        runs = [Run(paragraph.text)]
        if paragraph.is_item and not paragraph.heading:
            if self._list is None:
                self._list, self._lead_in = self.builder.new_number(), self._before
            self.builder.add("li", runs, group=self.builder.new_number(), container=self._list, lead_in=self._lead_in)
            return
        self._list = None
        kind = f"h{paragraph.heading}" if paragraph.heading else "p"
        index = self.builder.add(kind, runs)
        self._before = index if kind == "p" else None
        if kind == "h1" and not self.title and index is not None:
            self.title = self.builder.block_text(index)

    def _end_table(self) -> None:
        if not self._rows:
            return
        rows = [[Cell([[Run(part.text)] for part in cell if part.text.strip()]) for cell in row] for row in self._rows]
        notes = [note for row in self._rows for cell in row for part in cell for note in part.notes]
        self._rows = []
        if looks_like_header(rows):
            for cell in rows[0]:
                cell.header = True
        add_table(self.builder, rows, lead_in=self._before)
        self._before = None
        for note in notes:
            self.builder.add("footnote", note)
