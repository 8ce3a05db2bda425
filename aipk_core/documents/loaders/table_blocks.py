"""Tables of every format become blocks in one way: a row is a group, a cell knows the headers of its column and row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from aipk_core.documents.builder import DocumentBuilder, Run, clean


@dataclass(slots=True)
class Cell:
    """One cell: its paragraphs, and how many columns and rows it covers."""

    paragraphs: list[list[Run]] = field(default_factory=list)
    header: bool = False
    columns: int = 1
    rows: int = 1

    @property
    def text(self) -> str:
        return clean(" ".join("".join(run.text for run in runs) for runs in self.paragraphs))


def add_table(
    builder: DocumentBuilder,
    rows: Sequence[Sequence[Cell]],
    *,
    lead_in: int | None = None,
    boilerplate: bool = False,
) -> None:
    """Append the cells of a table row by row.

    Rows in which every cell is a header name the columns; a header cell in another row names that row.
    """
    container = builder.new_number()
    names: dict[int, str] = {}
    taken: dict[int, int] = {}  # column -> rows that a cell from above still covers
    for row in rows:
        group = builder.new_number()
        heads = bool(row) and all(cell.header for cell in row)
        row_name = "" if heads else next((cell.text for cell in row if cell.header and cell.text), "")
        column = 0
        for cell in row:
            while taken.get(column, 0) > 0:
                taken[column] -= 1
                column += 1
            covered = range(column, column + max(1, min(cell.columns, 1000)))
            above = next((names[index] for index in covered if index in names), "")
            for runs in cell.paragraphs:
                builder.add(
                    "th" if cell.header else "td",
                    runs,
                    group=group,
                    container=container,
                    lead_in=lead_in,
                    columns=[] if cell.header else [name for name in (above, row_name) if name],
                    boilerplate=boilerplate,
                )
            for index in covered:
                if heads and cell.text:
                    names[index] = f"{above} {cell.text}" if above and above != cell.text else cell.text
                if cell.rows > 1:
                    taken[index] = min(cell.rows, 100_000) - 1
            column = covered.stop
        while taken.get(column, 0) > 0:
            taken[column] -= 1
            column += 1


def looks_like_header(rows: Sequence[Sequence[Cell]]) -> bool:
    """Whether the first row of a table without marked headers reads as names: short, filled, distinct, no numbers."""
    if len(rows) < 2 or len(rows[0]) < 2:
        return False
    texts = [cell.text for cell in rows[0]]
    if any(len(text) > 60 or text[-1:] in ".!?" for text in texts) or len(set(texts)) < len(texts):
        return False
    if sum(bool(text) for text in texts) < len(texts) - 1:
        return False
    return not any(text.replace(",", "").replace(".", "").replace("%", "").strip().isdigit() for text in texts)
