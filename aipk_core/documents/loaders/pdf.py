"""PDF files: text in reading order, with pages, headings, lists, tables and code.

Scans, text layers that are garbage and files behind a password are refused with their own error rather than read as
something that nobody wrote. PDFium is not safe to use from several threads; use processes.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator

import pypdfium2 as pdfium  # type: ignore[import-untyped]
import pypdfium2.raw as pdfium_c  # type: ignore[import-untyped]

from aipk_core.documents.builder import DocumentBuilder, Run, clean
from aipk_core.documents.loaders.limits import Watch
from aipk_core.documents.loaders.pdf_furniture import drop_running_lines
from aipk_core.documents.loaders.pdf_joining import Vocabulary, joined_runs
from aipk_core.documents.loaders.pdf_layout import Draft, drafts_of, measure
from aipk_core.documents.loaders.pdf_lines import Line, PageText, read_page
from aipk_core.documents.loaders.pdf_structure import join_continuations, mark_captions, mark_headings, mark_tables
from aipk_core.documents.loaders.registry import LoadContext, RawDocument
from aipk_core.documents.loaders.scripts import dominant_language
from aipk_core.documents.model import Document
from aipk_core.errors import DocumentError

MAX_PAGES = 5_000


def load_pdf(raw: RawDocument, context: LoadContext) -> Document:
    """Read the text layer of a PDF.

    Raises:
        DocumentError: ``encrypted``, ``no-text-layer``, ``garbage-text``, ``invalid``, ``empty``, ``too-large``,
            ``timeout``.
    """
    watch = Watch(raw.id, context.limits)
    builder = DocumentBuilder(raw.id, len(raw.data))
    document = _open(raw)
    try:
        pages: list[PageText] = []
        for index in range(len(document)):
            watch.check()
            pages.append(read_page(document, index, raw.id))
        metadata = {key: clean(value) for key, value in document.get_metadata_dict(skip_empty=True).items()}
        declared = _declared_language(document)
    finally:
        document.close()
    pages = _readable(pages, builder, raw.id)
    drop_running_lines(pages)
    text = " ".join(line.text for page in pages[:50] for line in page.lines)
    lang = dominant_language(text, raw.lang or declared or "en")
    _write(pages, builder, watch, lang)
    watch.finish(builder)
    return builder.build(
        title=_title(metadata, builder),
        url=raw.url,
        lang=lang,
        media_type="application/pdf",
        metadata={key.lower(): value for key, value in sorted(metadata.items()) if value} | {"pages": len(pages)},
    )


def _open(raw: RawDocument) -> pdfium.PdfDocument:
    try:
        document = pdfium.PdfDocument(raw.data)
        pages = len(document)
    except pdfium.PdfiumError as error:
        if getattr(error, "err_code", None) in (pdfium_c.FPDF_ERR_PASSWORD, pdfium_c.FPDF_ERR_SECURITY):
            raise DocumentError(
                "the file is protected by a password",
                code="encrypted",
                where=raw.id,
                remedy="Save a copy without password",
            ) from error
        raise DocumentError(
            "this is not an intact PDF file", code="invalid", where=raw.id, remedy="Export or repair the file"
        ) from error
    if pages > MAX_PAGES or not pages:
        document.close()
        raise DocumentError(
            f"the file has {pages} pages; between 1 and {MAX_PAGES} can be read",
            code="too-large" if pages else "invalid",
            where=raw.id,
            remedy="Split the file",
        )
    return document


def _declared_language(document: pdfium.PdfDocument) -> str:
    """The language tag in the catalogue of the file, if it looks like one."""
    if not hasattr(pdfium_c, "FPDFCatalog_GetLanguage"):  # older than pypdfium2 5.2
        return ""
    buffer = ctypes.create_string_buffer(64)
    length = pdfium_c.FPDFCatalog_GetLanguage(document.raw, ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ushort)), 64)
    tag = buffer.raw[: max(0, min(length, 64) - 2)].decode("utf-16-le", "ignore").strip()
    return tag if re.fullmatch(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*", tag) else ""


# --- quality of the text layer ---------------------------------------------------------------------------------------

_GARBAGE_SHARE = 0.15
_VOWELS = re.compile(r"[aeiouyàáâãäåæèéêëìíîïòóôõöøùúûüýœ]", re.IGNORECASE)
_LATIN_WORD = re.compile(r"[A-Za-zÀ-ÿ]{4,}")


def _readable(pages: list[PageText], builder: DocumentBuilder, where: str) -> list[PageText]:
    """The pages whose text can be trusted; the others are reported, and refused when nothing is left."""
    scanned = [page for page in pages if not page.glyphs and page.images]
    written = [page for page in pages if page.glyphs]
    if not written:
        raise DocumentError(
            "the pages are pictures without a text layer" if scanned else "the pages hold no text",
            code="no-text-layer",
            where=where,
            remedy="Run text recognition (OCR) on the file first",
        )
    garbage = [page for page in written if _is_garbage(page)]
    if sum(page.glyphs for page in garbage) * 2 > sum(page.glyphs for page in written):
        raise DocumentError(
            "the text layer does not say what the pages show (fonts without a character map)",
            code="garbage-text",
            where=where,
            remedy="Export the file anew with text, or run text recognition (OCR) on it",
        )
    if scanned:
        builder.problem("no-text-layer", f"{_numbers(scanned)} hold only pictures and were left out", where)
    if garbage:
        builder.problem("garbage-text", f"{_numbers(garbage)} have a damaged text layer and were left out", where)
    return [page for page in written if page not in garbage]


def _is_garbage(page: PageText) -> bool:
    if page.damaged > _GARBAGE_SHARE * page.glyphs:
        return True
    text = " ".join(line.text for line in page.lines + page.turned)
    signs = [character for character in text if not character.isspace()]
    letters = sum(character.isalpha() for character in signs)
    digits = sum(character.isdigit() for character in signs)
    if letters + digits < 0.45 * len(signs) and letters < 0.3 * len(signs):
        return True
    words = _LATIN_WORD.findall(text)
    return len(words) >= 8 and sum(not _VOWELS.search(word) for word in words) * 2 > len(words)


def _numbers(pages: list[PageText]) -> str:
    numbers = ", ".join(str(page.number) for page in pages[:10])
    return f"pages {numbers}{' …' if len(pages) > 10 else ''}"


# --- writing ---------------------------------------------------------------------------------------------------------


def _write(pages: list[PageText], builder: DocumentBuilder, watch: Watch, lang: str) -> None:
    metrics = measure(pages)
    vocabulary = Vocabulary(lang=lang)
    drafts: list[Draft] = []
    for page in pages:
        watch.check()
        vocabulary.learn(page.lines)
        drafts += drafts_of(page, metrics)
    mark_captions(drafts)
    mark_tables(drafts, watch.check)
    drafts = join_continuations(drafts)
    mark_headings(drafts, metrics)
    writer = _Numbering(builder)
    for draft in drafts:
        watch.check(builder)
        numbers = writer.numbers(draft)
        runs = (
            _code(draft, vocabulary)
            if draft.kind == "code"
            else joined_runs(draft.lines, vocabulary, len(draft.marker))
        )
        index = builder.add(
            draft.kind,
            runs,
            page=draft.page,
            group=numbers[0],
            container=numbers[1],
            lead_in=numbers[2],
            columns=[clean("".join(run.text for run in joined_runs(draft.head.lines, vocabulary)))]
            if draft.head
            else (),
        )
        writer.wrote(draft, index)


class _Numbering:
    """Numbers of lists, items, tables and rows, and the block that leads in to each list or table."""

    def __init__(self, builder: DocumentBuilder) -> None:
        self._builder = builder
        self._list: int | None = None
        self._rows: dict[tuple[int, int], int] = {}
        self._tables: dict[int, int] = {}
        self._before: int | None = None
        self._lead_in: int | None = None

    def numbers(self, draft: Draft) -> tuple[int | None, int | None, int | None]:
        """Group, container and lead-in of a block."""
        if draft.kind == "li":
            if self._list is None:
                self._list = self._builder.new_number()
                self._lead_in = self._before
            return self._builder.new_number(), self._list, self._lead_in
        if draft.kind in ("td", "th") and draft.row >= 0:
            if draft.table not in self._tables:
                self._tables[draft.table] = self._builder.new_number()
                self._lead_in = self._before
            key = (draft.table, draft.row)
            if key not in self._rows:
                self._rows[key] = self._builder.new_number()
            return self._rows[key], self._tables[draft.table], self._lead_in
        return None, None, None

    def wrote(self, draft: Draft, index: int | None) -> None:
        if index is None:
            return
        if draft.kind != "li":
            self._list = None
        if draft.kind in ("p", "caption"):
            self._before = index
        elif draft.kind not in ("li", "td", "th"):
            self._before = None


def _code(draft: Draft, vocabulary: Vocabulary) -> list[Run]:
    """Lines of code with their indent, counted in the width of the font; lines that were broken are whole again."""
    left = draft.left
    runs = []
    for line in _code_rows(draft.lines):
        advance = line[0].width / max(1, len(line[0].text)) or line[0].size * 0.6
        indent = " " * max(0, min(80, round((line[0].left - left) / advance)))
        text = " ".join(part.text.replace("\u00ad", "-") for part in line)
        if text.endswith("\u2010") and vocabulary.inner_unicode_hyphens == 0:
            runs.append(Run(indent + text[:-1]))
            left = draft.right  # no indent before the rest of the line
        else:
            runs.append(Run(indent + text + "\n"))
            left = draft.left
    return runs


def _code_rows(lines: list[Line]) -> Iterator[list[Line]]:
    row: list[Line] = []
    for line in lines:
        if row and not row[-1].side_by_side(line):
            yield row
            row = []
        row.append(line)
    if row:
        yield row


_NO_TITLE = re.compile(
    r"^(?:\(?anonymous\)?|untitled.*|microsoft \w+ - .*|.*\.(?:docx?|pdf|tex|dvi|html?|indd|odt|pptx?|xlsx?)|\W*)$",
    re.IGNORECASE,
)


def _title(metadata: dict[str, str], builder: DocumentBuilder) -> str:
    """The title that the file names if it is one, else the first heading of the highest level."""
    named = metadata.get("Title", "")
    if named and not _NO_TITLE.match(named):
        return named[:300]
    headings = [(block.kind, index) for index, block in enumerate(builder.blocks) if block.is_heading]
    return builder.block_text(min(headings)[1]) if headings else ""
