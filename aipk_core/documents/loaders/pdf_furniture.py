"""Running heads, feet and page numbers: lines that stand at the edge of the pages and say the same on many of them."""

from __future__ import annotations

import re
from collections import Counter, defaultdict

from aipk_core.documents.loaders.pdf_lines import Line, PageText

_NUMBER = re.compile(r"\d+|\b[ivxlc]+\b", re.IGNORECASE)
_PAGE_LABEL = re.compile(
    r"^\W*(?:(?:page|seite|pagina|página|стр\.?|صفحة|p\.)\s*)?(?:\d{1,4}|[ivxlc]{1,6})"
    r"(?:\s*(?:/|of|von|de|sur|из|-|–)\s*\d{1,4})?\s*(?:页|頁|ページ|쪽)?\W*$",
    re.IGNORECASE,
)
_EDGE_ROWS = 3
_EDGE_SHARE = 0.16  # of the page height at the top, and at the bottom


def drop_running_lines(pages: list[PageText]) -> list[str]:
    """Take the running heads, feet and page numbers off ``pages`` and return their texts."""
    edges = [_edge_rows(page) for page in pages]
    repeated = _repeated(edges, len(pages))
    dropped: list[str] = []
    for page, rows in zip(pages, edges, strict=True):
        gone: set[int] = set()
        for name, row in rows:
            label = _is_page_label(row, page, len(pages))
            if (name, _pattern(row)) in repeated or label:
                gone |= {id(line) for line in row}
                dropped.append(_text(row))
            elif name[1] == 0:
                # A page number may stand in the row of a line that changes from page to page.
                gone |= {id(line) for line in row if len(row) > 1 and _is_page_label([line], page, len(pages))}
        page.lines = [line for line in page.lines if id(line) not in gone]
    return dropped


def _edge_rows(page: PageText) -> list[tuple[tuple[str, int], list[Line]]]:
    """The outermost rows of lines at both ends of a page, named by end and distance from it."""
    rows: list[list[Line]] = []
    for line in sorted(page.lines, key=lambda line: -line.base):
        if rows and abs(rows[-1][0].base - line.base) < 0.4 * max(line.size, rows[-1][0].size):
            rows[-1].append(line)
        else:
            rows.append([line])
    found: list[tuple[tuple[str, int], list[Line]]] = []
    for name, ordered in (("top", rows), ("bottom", rows[::-1])):
        for distance, row in enumerate(ordered[:_EDGE_ROWS]):
            place = row[0].base / page.height if page.height else 0.5
            if (place > 1 - _EDGE_SHARE) if name == "top" else (place < _EDGE_SHARE):
                found.append(((name, distance), sorted(row, key=lambda line: line.left)))
    return found


def _repeated(edges: list[list[tuple[tuple[str, int], list[Line]]]], pages: int) -> set[tuple[tuple[str, int], str]]:
    """Rows that stand on at least two pages and on a third of all (left and right pages may differ)."""
    seen: Counter[tuple[tuple[str, int], str]] = Counter()
    heights: defaultdict[tuple[tuple[str, int], str], list[float]] = defaultdict(list)
    for rows in edges:
        for name, row in rows:
            key = (name, _pattern(row))
            seen[key] += 1
            heights[key].append(row[0].base)
    needed = max(2, pages / 3)
    return {
        key
        for key, count in seen.items()
        if count >= needed and key[1].strip("# ") and max(heights[key]) - min(heights[key]) < 15
    } | {key for key, count in seen.items() if count >= needed and key[0][1] == 0 and key[1]}


def _pattern(row: list[Line]) -> str:
    return _NUMBER.sub("#", _text(row)).casefold()


def _text(row: list[Line]) -> str:
    return " ".join(line.text for line in row)


def _is_page_label(row: list[Line], page: PageText, pages: int) -> bool:
    """A number alone, near what a page number can be, clear of the text above or below it."""
    text = _text(row)
    if len(row) > 1 or not _PAGE_LABEL.match(text):
        return False
    others = [line for line in page.lines if line is not row[0]]
    if not others:
        return pages > 1
    nearest = min(abs(line.base - row[0].base) for line in others)
    outermost = row[0].base > max(line.base for line in others) or row[0].base < min(line.base for line in others)
    return outermost and nearest > 1.8 * row[0].size
