"""CSV and TSV: each row is a group of cells, each cell knows the name of its column."""

from __future__ import annotations

import csv
import io
import itertools
import re
from collections.abc import Iterator

from aipk_core.documents.builder import DocumentBuilder
from aipk_core.documents.loaders.encodings import decode
from aipk_core.documents.loaders.limits import Watch
from aipk_core.documents.loaders.registry import LoadContext, RawDocument
from aipk_core.documents.loaders.scripts import dominant_language
from aipk_core.documents.model import Document
from aipk_core.errors import DocumentError

MAX_COLUMNS = 2_000


def load_csv(raw: RawDocument, context: LoadContext) -> Document:
    """Read delimited text. The delimiter is worked out; the first row names the columns unless it looks like data.

    Option ``csv_header`` (``true`` or ``false``) says whether there is a row of names, ``csv_delimiter`` what divides
    the cells.

    Raises:
        DocumentError: ``invalid``, ``misleading-charset``, ``empty``, ``too-large``, ``timeout``.
    """
    decoded = decode(raw.data, raw.encoding, where=raw.id)
    builder = DocumentBuilder(raw.id, len(raw.data))
    builder.problems.extend(decoded.problems)
    watch = Watch(raw.id, context.limits)
    text, named = _separator_line(decoded.text)
    delimiter = str(context.options.get("csv_delimiter") or named or _delimiter(text, raw.media_type, raw.id))
    rows = _rows(text, delimiter[:1], raw.id)
    head = list(itertools.islice(rows, 20))
    declared = context.options.get("csv_header")
    has_header = bool(declared) if declared is not None else _first_row_is_header(head)
    names = [name.strip() for name in head[0]] if head and has_header else []
    container = builder.new_number()
    if names:
        _add_row(builder, "th", names, [""] * len(names), container)
        head = head[1:]
    ragged = 0
    width = len(names) or max((len(row) for row in head), default=0)
    for row in itertools.chain(head, rows):
        watch.check(builder)
        ragged += len(row) != width
        _add_row(builder, "td", row, _column_names(names, len(row)), container)
    watch.finish(builder)
    if ragged:
        builder.problem("ragged-rows", f"{ragged} rows do not have {width} cells", raw.id)
    return builder.build(
        title=raw.id.rsplit("/", 1)[-1],
        url=raw.url,
        lang=raw.lang or dominant_language(decoded.text, encoding=decoded.encoding),
        media_type="text/tab-separated-values" if delimiter == "\t" else "text/csv",
        metadata={"delimiter": delimiter, "columns": names},
    )


_DELIMITERS = ",;\t|:"
_SEPARATOR_LINE = re.compile(r'^"?sep=(.)"?\r?\n', re.IGNORECASE)
_NUMBER = re.compile(r"^[-+]?[$€£¥]?\s?\d[\d.,' \u00a0]*\s?[%€$£¥]?$")
_DATE = re.compile(r"^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:[ T].*)?$")


def _separator_line(text: str) -> tuple[str, str]:
    """A first line ``sep=;``, as spreadsheet programs write it, is an instruction rather than a row."""
    match = _SEPARATOR_LINE.match(text)
    return (text[match.end() :], match.group(1)) if match else (text, "")


def _delimiter(text: str, media_type: str, where: str) -> str:
    """The character that divides the first records into the same number of cells, and into most of them."""
    tabs = media_type == "text/tab-separated-values" or where.lower().endswith((".tsv", ".tab"))
    preferred = "\t" if tabs else ","
    sample = text[: 1 << 16]
    best, best_score = preferred, 0.0
    for delimiter in _DELIMITERS:
        records = list(itertools.islice(_rows(sample, delimiter, where), 50))
        if len(records) > 1 and len(text) > len(sample):
            records.pop()  # may be cut
        widths = [len(record) for record in records]
        if not widths or max(widths) < 2:
            continue
        common = max(set(widths), key=widths.count)
        if common < 2:
            continue
        score = widths.count(common) / len(widths) + min(common, 20) / 100 + (0.3 if delimiter == preferred else 0.0)
        score -= 0.4 if delimiter == ":" else 0.0
        if score > best_score:
            best, best_score = delimiter, score
    return best


def _rows(text: str, delimiter: str, where: str) -> Iterator[list[str]]:
    """Records with at least one cell that is not blank. Line ends of every system end a record."""
    # Between tabs a quote is mostly just a quote, as for inches; open ones prove it.
    literal = delimiter == "\t" and any(line.count('"') % 2 for line in text[: 1 << 16].splitlines())
    stream = io.StringIO(text.replace("\0", ""), newline="")
    if literal:
        reader = csv.reader(stream, delimiter=delimiter, quoting=csv.QUOTE_NONE)
    else:
        reader = csv.reader(stream, delimiter=delimiter, strict=False)
    try:
        for row in reader:
            if len(row) > MAX_COLUMNS:
                raise DocumentError(
                    f"a row has more than {MAX_COLUMNS} cells", code="too-large", where=where, remedy="Exclude the file"
                )
            if any(cell.strip() for cell in row):
                yield row
    except csv.Error as error:
        raise DocumentError(
            f"line {reader.line_num} is not delimited text ({error})",
            code="too-large" if "field limit" in str(error) else "invalid",
            where=where,
            remedy="Correct the quotes in the file",
        ) from error


def _first_row_is_header(rows: list[list[str]]) -> bool:
    """Names are distinct, filled and not values; a table of one row has no names."""
    if len(rows) < 2:
        return False
    names = [cell.strip() for cell in rows[0]]
    filled = [name for name in names if name]
    if len(filled) < max(1, len(names) - 1) or len(set(filled)) < len(filled):
        return False
    return not any(_is_value(name) for name in filled) and max(len(name) for name in filled) <= 120


def _is_value(cell: str) -> bool:
    year = cell.isdigit() and len(cell) == 4  # tables often have a column for each year
    return not year and bool(_NUMBER.match(cell) or _DATE.match(cell))


def _column_names(names: list[str], width: int) -> list[str]:
    """A name for each cell of a row: the header's, or one made from the position."""
    return [names[index] if index < len(names) and names[index] else f"column {index + 1}" for index in range(width)]


def _add_row(builder: DocumentBuilder, kind: str, cells: list[str], names: list[str], container: int) -> None:
    group = builder.new_number()
    for cell, name in zip(cells, names, strict=True):
        builder.add(kind, cell, group=group, container=container, columns=(name,) if name else ())
