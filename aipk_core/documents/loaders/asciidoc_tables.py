"""Tables of AsciiDoc: cells divided by ``|`` with their specifiers, or delimited data."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable

from aipk_core.documents.builder import Run
from aipk_core.documents.loaders.table_blocks import Cell

_SPECIFIER = re.compile(
    r"(?:^|(?<=\s))(?:(?P<repeat>\d{1,4})\*|(?P<columns>\d{1,4})?(?:\.(?P<rows>\d{1,4}))?\+)?"
    r"(?P<align>[<^>]?(?:\.[<^>])?)(?P<style>[adehlmsv]?)$"
)
_MAX_REPEAT = 1000


def table_rows(lines: list[str], options: str, separator: str, runs: Callable[[str], list[Run]]) -> list[list[Cell]]:
    """Rows of cells.

    Args:
        options: what stood in brackets before the table (``%header,cols="1,2"``).
        separator: ``|`` or ``!`` for cells with specifiers, ``,`` or ``:`` for delimited data.
        runs: renders inline markup.
    """
    data_format = re.search(r"\bformat=[\"']?(csv|tsv|dsv)", options)
    if data_format:
        separator = {"csv": ",", "tsv": "\t", "dsv": ":"}[data_format.group(1)]
    header = bool(re.search(r"%[\w%]*header|options?=[\"']?[^\"']*header|opts=[\"']?[^\"']*header", options))
    no_header = "noheader" in options
    if separator in ",\t:":
        rows = _delimited(lines, separator, runs)
    else:
        custom = re.search(r"\bseparator=[\"']?(\S?)", options)
        cells, first_line, followed_by_blank = _cells("\n".join(lines), custom.group(1) if custom else separator, runs)
        width = _column_count(options) or first_line
        rows = _arranged(cells, width)
        header = header or (followed_by_blank and first_line == width and width > 0)
    if header and not no_header and rows:
        for cell in rows[0]:
            cell.header = True
    return rows


def _delimited(lines: list[str], separator: str, runs: Callable[[str], list[Run]]) -> list[list[Cell]]:
    reader = csv.reader(
        io.StringIO("\n".join(line for line in lines if line.strip()).replace("\0", "")), delimiter=separator
    )
    try:
        return [[Cell([runs(value.strip())]) for value in row] for row in reader]
    except csv.Error:  # a field beyond the size that the module reads: shown as it stands
        return [[Cell([runs(line)])] for line in lines]


def _cells(text: str, separator: str, runs: Callable[[str], list[Run]]) -> tuple[list[Cell], int, bool]:
    """All cells in order, how many stand on the first line, and whether a blank line follows that."""
    pieces = re.split(rf"(?<!\\){re.escape(separator)}", text)
    cells: list[Cell] = []
    first_line, followed_by_blank = 0, False
    specifier = _specifier_of(pieces[0])[1]
    on_first_line = not pieces[0].strip("\n \t") or specifier is not None
    for index, piece in enumerate(pieces[1:], 1):
        last = index == len(pieces) - 1
        content, following = (piece, None) if last else _specifier_of(piece)
        cell, repeat = _cell(content.replace(f"\\{separator}", separator), specifier, runs)
        cells += [cell] * repeat
        if on_first_line:
            first_line += repeat * cell.columns
            if "\n" in content.rstrip(" \t") or last:
                on_first_line = False
                followed_by_blank = bool(re.match(r"[^\n]*\n[ \t]*\n", piece)) and not last
        specifier = following
    return cells, first_line, followed_by_blank


def _specifier_of(piece: str) -> tuple[str, re.Match[str] | None]:
    """The content before a separator, and the specifier that stands right before it and belongs to the next cell."""
    match = _SPECIFIER.search(piece[-40:])
    if match is None or not match.group(0).strip():
        return piece, None
    return piece[: len(piece) - len(match.group(0))], match


def _cell(content: str, specifier: re.Match[str] | None, runs: Callable[[str], list[Run]]) -> tuple[Cell, int]:
    cell = Cell()
    repeat = 1
    if specifier is not None:
        repeat = min(int(specifier.group("repeat") or 1), _MAX_REPEAT)
        cell.columns = max(1, int(specifier.group("columns") or 1))
        cell.rows = max(1, int(specifier.group("rows") or 1))
        cell.header = specifier.group("style") == "h"
    for paragraph in re.split(r"\n[ \t]*\n", content):
        text = " ".join(
            re.sub(r"^[ \t]*(?:\*{1,5}|\.{1,5}|-)[ \t]+", "", line).strip() for line in paragraph.split("\n")
        )
        if text.strip():
            cell.paragraphs.append(runs(re.sub(r"[ \t]\+(?=[ \t])", "", text.strip())))
    return cell, repeat


def _column_count(options: str) -> int:
    match = re.search(r"\bcols=(?:\"([^\"]*)\"|'([^']*)'|([^,\s\]]+))", options)
    if not match:
        return 0
    specification = next(group for group in match.groups() if group is not None)
    count = 0
    for part in re.split(r"[,;]", specification):
        repeat = re.match(r"\s*(\d{1,3})\*", part)
        count += int(repeat.group(1)) if repeat else 1
    return min(count, _MAX_REPEAT)


def _arranged(cells: list[Cell], width: int) -> list[list[Cell]]:
    """Cells put into rows of ``width`` columns, minding those that reach over several."""
    rows: list[list[Cell]] = []
    reaching: dict[int, int] = {}
    row: list[Cell] = []
    column = 0
    for cell in cells:
        while reaching.get(column, 0):
            reaching[column] -= 1
            column += 1
        if column >= width and row:
            rows.append(row)
            row, column = [], 0
            while reaching.get(column, 0):
                reaching[column] -= 1
                column += 1
        row.append(cell)
        for index in range(column, column + cell.columns):
            if cell.rows > 1:
                reaching[index] = cell.rows - 1
        column += cell.columns
    if row:
        rows.append(row)
    return rows
