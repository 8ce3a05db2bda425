"""Where the cells of an HTML table stand, and which names their column and row have."""

from __future__ import annotations

from dataclasses import dataclass, field

from aipk_core.documents.builder import clean
from aipk_core.documents.loaders.html_tree import Element

_MAX_WIDTH = 100
_MAX_HEIGHT = 65534  # that of the standard


@dataclass(slots=True)
class TableGrid:
    """The state of a table while its cells are read in order."""

    _headers: dict[int, str] = field(default_factory=dict)
    _reaching: dict[int, tuple[int, str]] = field(default_factory=dict)  # column -> rows it still covers, its text
    _column: int = 0
    _rows: int = 0
    _row_header: str = ""
    _header_row: bool = False
    _above: tuple[int, str] | None = None  # group and text of the row before, if one cell fills it

    def begin_row(self, cells: list[Element], first_is_empty: bool, fresh_group: int) -> int:
        """The group of the row that begins: ``fresh_group``, or that of the row above if it goes on.

        A name over the whole width, and below it an empty cell and what is said of it, are one row in two lines.
        """
        self._header_row = bool(cells) and all(cell.tag == "th" for cell in cells)
        self._rows += 1
        self._column = 0
        self._row_header = self._reaching[0][1] if 0 in self._reaching else ""
        above, self._above = self._above, None
        if above and len(cells) > 1 and first_is_empty:
            group, self._row_header = above
            return group
        return fresh_group

    def end_row(self, cells: list[Element], group: int, only_text: str | None) -> None:
        """Args:
        only_text: the text of the row's only block; ``None`` when it has none or several.
        """
        self._reaching = {column: (rows - 1, text) for column, (rows, text) in self._reaching.items() if rows > 1}
        if len(cells) == 1 and _span(cells[0], "colspan", 2) > 1 and only_text:
            self._above = group, only_text

    def begin_cell(self, cell: Element) -> tuple[str, ...]:
        """The names that a cell goes by: its column's, then its row's; none for a header."""
        while self._column in self._reaching:
            self._column += 1
        if self._is_header(cell):
            return ()
        return tuple(clean(name) for name in (self._headers.get(self._column, ""), self._row_header) if name)

    def end_cell(self, cell: Element, text: str) -> None:
        """Args:
        text: what the cell says.
        """
        first, after = self._column, self._column + _span(cell, "colspan", _MAX_WIDTH)
        if self._is_header(cell):
            for column in range(first, after):
                above = self._headers.get(column, "")
                self._headers[column] = f"{above} {text}".strip() if above != text else text
        elif cell.tag == "th":
            self._row_header = text
        height = _span(cell, "rowspan", _MAX_HEIGHT)
        if height > 1:
            for column in range(first, after):
                self._reaching[column] = height, "" if self._is_header(cell) else text
        self._column = after

    def _is_header(self, cell: Element) -> bool:
        """Whether a cell names a column, not a row."""
        return cell.tag == "th" and (self._header_row or self._rows == 1)


def _span(element: Element, name: str, limit: int) -> int:
    value = element.attributes.get(name, "").strip()[:6]
    return max(1, min(int(value), limit)) if value.isdecimal() and value.isascii() else 1
