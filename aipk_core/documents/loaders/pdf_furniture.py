"""Running heads, feet and page numbers: lines that stand at the edge of the pages and say the same on many of them."""

from __future__ import annotations

import re
from collections import defaultdict

from aipk_core.documents.loaders.pdf_lines import Line, PageText

_NUMBER = re.compile(r"\d+")
_PAGE_LABEL = re.compile(
    r"^\W*(?:(?:page|seite|pagina|página|стр\.?|صفحة|p\.)\s*)?(?:\d{1,4}|[ivxlc]{1,6})"
    r"(?:\s*(?:/|of|von|de|sur|из|-|–)\s*\d{1,4})?\s*(?:页|頁|ページ|쪽)?\W*$",
    re.IGNORECASE,
)
_Place = tuple[str, int]  # "top" or "bottom", and how many rows lie between it and the edge
_Edge = list[tuple[_Place, list[Line]]]
_EDGE_ROWS = 3
_EDGE_SHARE = 0.2  # of the page height at the top, and at the bottom


def drop_running_lines(pages: list[PageText]) -> list[str]:
    """Take the running heads, feet and page numbers off ``pages`` and return their texts."""
    edges = [_edge_rows(page) for page in pages]
    dropped = _drop_numbered_heads(pages, edges)
    repeated = _repeated(edges, len(pages))
    apart: defaultdict[tuple[_Place, str], float] = defaultdict(float)
    for page, rows in zip(pages, edges, strict=True):
        for place, row in rows:
            # The outermost row is a running line more often than not.
            against = -1 if place[1] else -1 / 3
            apart[place, _pattern(row)] += 1 if _stands_apart(row, place[0], page) else against
    for page, rows in zip(pages, edges, strict=True):
        gone: set[int] = set()
        for end in ("top", "bottom"):
            running: list[list[Line]] = []
            kept = 0
            for place, row in rows:
                if place[0] != end:
                    continue
                if (place, _pattern(row)) not in repeated and not _is_page_label(row, page, len(pages)):
                    break
                running.append(row)
                if _stands_apart(row, end, page) or apart[place, _pattern(row)] > 0:  # on most pages
                    kept = len(running)
            # The innermost running line is set off from the text; a line of the text itself is not.
            for row in running[:kept]:
                gone |= {id(line) for line in row}
                dropped.append(_text(row))
        for place, row in rows:
            if place[1] == 0:
                # A page number may stand in the row of a line that changes from page to page.
                gone |= {id(line) for line in row if len(row) > 1 and _is_page_label([line], page, len(pages))}
        page.lines = [line for line in page.lines if id(line) not in gone]
    return dropped


def _drop_numbered_heads(pages: list[PageText], edges: list[_Edge]) -> list[str]:
    """Drop outermost rows of a text and the page's number: the text may name the chapter and change from page to page.

    What makes the number a page number is that it counts the pages, on at least three of them and a quarter of all.
    """
    rows: defaultdict[tuple[str, int], list[tuple[int, list[Line]]]] = defaultdict(list)
    for index, edge in enumerate(edges):
        for place, row in edge:
            numbers = {int(line.text) for line in (row[0], row[-1]) if line.text.isascii() and line.text.isdecimal()}
            if place[1] == 0 and len(row) in (2, 3) and _stands_apart(row, place[0], pages[index]):
                for number in numbers:
                    rows[place[0], number - index].append((index, row))
    dropped: list[str] = []
    for found in rows.values():
        if len(found) < max(3, len(pages) / 4):
            continue
        for index, row in found:
            gone = {id(line) for line in row}
            pages[index].lines = [line for line in pages[index].lines if id(line) not in gone]
            edges[index] = [(place, other) for place, other in edges[index] if other is not row]
            dropped.append(_text(row))
    return dropped


def _stands_apart(row: list[Line], end: str, page: PageText) -> bool:
    """Whether more than the usual distance of lines lies between a row and the rest of the page."""
    base, size = row[0].base, max(line.size for line in row)
    if end == "top":
        inner = max((line.base for line in page.lines if line.base < base - 0.4 * size), default=None)
    else:
        inner = min((line.base for line in page.lines if line.base > base + 0.4 * size), default=None)
    return inner is not None and abs(base - inner) > 1.5 * size


def _edge_rows(page: PageText) -> _Edge:
    """The outermost rows of lines at both ends of a page, named by end and distance from it."""
    rows: list[list[Line]] = []
    for line in sorted(page.lines, key=lambda line: -line.base):
        if rows and abs(rows[-1][0].base - line.base) < 0.4 * max(line.size, rows[-1][0].size):
            rows[-1].append(line)
        else:
            rows.append([line])
    found: _Edge = []
    for name, ordered in (("top", rows), ("bottom", rows[::-1])):
        for distance, row in enumerate(ordered[:_EDGE_ROWS]):
            place = (row[0].base - page.bottom) / page.height if page.height else 0.5
            if (place > 1 - _EDGE_SHARE) if name == "top" else (place < _EDGE_SHARE):
                found.append(((name, distance), sorted(row, key=lambda line: line.left)))
    return found


def _repeated(edges: list[_Edge], pages: int) -> set[tuple[_Place, str]]:
    """Rows that stand on at least two pages and on a third of all (left and right pages may differ).

    The numbers in a running line stay the same or count the pages; "Article 10" and "Article 14" at the top of two
    columns are no running line.
    """
    seen: defaultdict[tuple[_Place, str], list[tuple[int, list[Line]]]] = defaultdict(list)
    for page, edge in enumerate(edges):
        for place, row in edge:
            seen[place, _pattern(row)].append((page, row))
    found: set[tuple[_Place, str]] = set()
    for key, rows in seen.items():
        heights = [row[0].base for _, row in rows]
        steady = max(heights) - min(heights) < 15 or key[0][1] == 0
        enough = len(rows) >= max(2, pages / 3) or (len(rows) >= 3 and len({_text(row) for _, row in rows}) == 1)
        if steady and enough and key[1] and _numbers_count_pages(rows):
            found.add(key)
    return found


def _numbers_count_pages(rows: list[tuple[int, list[Line]]]) -> bool:
    values = [(page, [int(number) for number in re.findall(r"\d{1,9}", _text(row))]) for page, row in rows]
    if len({len(numbers) for _, numbers in values}) != 1:
        return False
    for slot in range(len(values[0][1])):
        same = len({numbers[slot] for _, numbers in values}) == 1
        counts = len({numbers[slot] - page for page, numbers in values}) == 1
        if not (same or counts):
            return False
    return True


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
