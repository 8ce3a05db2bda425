"""What needs a view over all pages: paragraphs that go on after a break, headings, tables, captions, lists."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

from aipk_core.documents.loaders.pdf_layout import Draft, Metrics

_SENTENCE_END = re.compile(r"[.!?:。！？：…؟۔।][\"'”’»)\]]*$")
_CAPTION = re.compile(
    r"^(?:figure|fig\.|table|listing|algorithm|abbildung|abb\.|tabelle|figura|tabla|tableau|рис\.|рисунок|таблица|图|圖|表|図|그림|표)"
    r"\s*\d+(?:[.-]\d+)*\s*(?:[.:：]|\s|$)",
    re.IGNORECASE,
)
_HEADING_NUMBER = re.compile(r"^(?:\d+(?:\.\d+)*\.?|[A-Z]\.|[IVX]+\.)\s+\S")
_MAX_HEADING = 200
_LOOK_BACK = 4


def join_continuations(drafts: list[Draft]) -> list[Draft]:
    """Put paragraphs together that a column, a page, a figure or a footnote divides."""
    joined: list[Draft] = []
    for draft in drafts:
        home = _broken_off(joined, draft) if draft.kind == "p" else None
        if home is None:
            joined.append(draft)
        else:
            home.lines += draft.lines
            home.full, home.fill = draft.full, draft.fill
    return joined


def _broken_off(joined: list[Draft], draft: Draft) -> Draft | None:
    """The earlier block that ``draft`` goes on from."""
    first = draft.lines[0]
    starts_small = first.text[:1].islower()
    for distance, earlier in enumerate(reversed(joined[-_LOOK_BACK:])):
        if earlier.kind not in ("p", "li") or abs(earlier.size - draft.size) > 0.06 * draft.size:
            if distance == 0 and earlier.kind in ("p", "li"):
                continue
            if not starts_small:
                return None
            continue
        last = earlier.lines[-1]
        if not _is_elsewhere(earlier, draft):
            if distance == 0:
                return None
            continue
        text = last.text
        hyphen = text[-1:] in "-\u2010\u00ad" and text[-2:-1].isalpha()
        # A ragged line ends early, but no full stop and, better, a small letter show that it goes on.
        open_ended = earlier.full or hyphen or (distance == 0 and earlier.fill > _least_fill(first.text))
        if _SENTENCE_END.search(text) or last.bold != first.bold or not open_ended:
            if distance == 0 and not starts_small:
                return None
            continue
        if distance == 0 and (starts_small or hyphen or not first.text[:1].isupper()):
            return earlier
        if distance == 0 and open_ended and not _CAPTION.match(first.text):
            return earlier
        if starts_small and (hyphen or earlier.full):
            return earlier
    return None


def _least_fill(text: str) -> float:
    """How much of its column a line must take for ``text`` to be its continuation; scripts without case tell nothing."""
    if text[:1].islower():
        return 0.5
    return 0.65 if text[:1].isupper() or text[:1].isdigit() else 1.0


def _is_elsewhere(earlier: Draft, draft: Draft) -> bool:
    """Whether ``draft`` starts in another column or on another page than ``earlier`` ends."""
    last, first = earlier.lines[-1], draft.lines[0]
    return first.page != last.page or first.base > last.base


def mark_captions(drafts: list[Draft]) -> None:
    for draft in drafts:
        if draft.kind == "p" and _CAPTION.match(draft.lines[0].text) and len(draft.lines) <= 12:
            draft.kind = "caption"


def mark_headings(drafts: list[Draft], metrics: Metrics) -> None:
    """Short blocks in larger type, or in bold type, are headings; the levels follow from the sizes used."""
    candidates = [draft for draft in drafts if _may_be_heading(draft)]
    in_size: Counter[float] = Counter()
    for draft in drafts:
        in_size[round(draft.size, 1)] += draft.characters
    # A size in which much of the document is set is no heading's, however small the rest is.
    common = {size for size, count in in_size.items() if count * 6 > in_size.total()}
    large = [
        draft for draft in candidates if draft.size >= 1.1 * metrics.body_size and round(draft.size, 1) not in common
    ]
    bold = [
        draft
        for draft in candidates
        if 0.78 * metrics.body_size <= draft.size < 1.1 * metrics.body_size
        and all(line.bold for line in draft.lines)
        and not _SENTENCE_END.search(draft.lines[-1].text)
        and len(draft.lines) <= 2
    ]
    if sum(len(draft.lines) for draft in bold) * 3 > sum(len(draft.lines) for draft in drafts):
        bold = []
    sizes = sorted({round(draft.size, 1) for draft in large}, reverse=True)
    levels = {size: min(6, index + 1) for index, size in enumerate(_merged(sizes))}
    for draft in large:
        nearest = min(levels, key=lambda size: abs(size - draft.size))
        draft.kind, draft.marker = f"h{levels[nearest]}", ""
    for draft in bold:
        draft.kind, draft.marker = f"h{min(6, max(levels.values(), default=0) + 1)}", ""


def _merged(sizes: list[float]) -> list[float]:
    """Sizes that differ by less than 4 % count as one."""
    kept: list[float] = []
    for size in sizes:
        if not kept or size < 0.96 * kept[-1]:
            kept.append(size)
    return kept


def _may_be_heading(draft: Draft) -> bool:
    if draft.kind not in ("p", "li") or len(draft.lines) > 4 or draft.characters > _MAX_HEADING:
        return False
    if draft.kind == "li" and not _HEADING_NUMBER.match(draft.lines[0].text):
        return False
    return any(character.isalpha() for line in draft.lines for character in line.text)


# --- tables --------------------------------------------------------------------------------------------------------


_MAX_ROWS = 500


def mark_tables(drafts: list[Draft], tick: Callable[[], None] = lambda: None) -> None:
    """Find runs of blocks that stand in rows and columns, make them cells, and drop what was merged into others.

    Args:
        tick: called now and then; may raise to stop.
    """
    table = 0
    start = 0
    while start < len(drafts):
        tick()
        rows = _rows_from(drafts, start)
        if _is_table(rows):
            start += sum(len(row) for row in rows)
            _make_cells(rows, table)
            table += 1
        else:
            start += max(1, len(rows[0]) if rows else 1)
    drafts[:] = [draft for draft in drafts if draft.lines]


def _rows_from(drafts: list[Draft], start: int) -> list[list[Draft]]:
    """Rows of blocks that begin on one baseline and go to the right, each row below the one before.

    A cell may hold several blocks under each other; the lower ones are in the list of the row as well.
    """
    rows: list[list[Draft]] = []
    index = start
    while index < len(drafts) and len(rows) < _MAX_ROWS:
        row = [drafts[index]]
        last = drafts[index]
        while index + len(row) < len(drafts):
            if _is_beside(row[0], last, drafts[index + len(row)]):
                last = drafts[index + len(row)]
                row.append(last)
                continue
            stacked = _stacked_under(last, row[0], drafts, index + len(row))
            if not stacked:
                break
            row += stacked
        if rows and not _is_below(rows, row):
            break
        if len(row) == 1 and not (rows and _fits_column(rows, row[0])):
            if not rows:
                return [row]
            break
        rows.append(row)
        index += len(row)
    return rows


def _stacked_under(cell: Draft, first: Draft, drafts: list[Draft], start: int) -> list[Draft]:
    """Further blocks of the cell ``cell`` of the row that ``first`` begins: under it, before the row goes on."""
    found: list[Draft] = []
    above = cell
    while start + len(found) < len(drafts) and len(found) < 20:
        draft = drafts[start + len(found)]
        step = above.lines[-1].base - draft.lines[0].base
        aligned = abs(draft.left - cell.left) < max(draft.size, cell.size)
        if (
            draft.kind not in ("p", "code", "li")
            or draft.page != cell.page
            or not aligned
            or not 0 < step < 3 * cell.size
        ):
            break
        found.append(draft)
        above = draft
    following = drafts[start + len(found)] if start + len(found) < len(drafts) else None
    goes_on = following is not None and _is_beside(first, cell, following)
    header_ends = _is_bold(cell) and _is_bold(first) and found and not _is_bold(found[0])
    return found if goes_on or (cell is not first and not header_ends) else []


def _is_bold(draft: Draft) -> bool:
    return all(line.bold for line in draft.lines)


def _is_beside(row: Draft, cell: Draft, draft: Draft) -> bool:
    """Whether ``draft`` is the cell after ``cell`` in the row that ``row`` begins."""
    if draft.kind not in ("p", "code", "li") or row.kind not in ("p", "code", "li") or draft.page != row.page:
        return False
    first = draft.lines[0]
    # Cells of a row begin on one line, or stand at the middle of its height.
    shared = min(draft.top, cell.top) - max(draft.bottom, cell.bottom)
    centred = shared > 0.6 * min(draft.top - draft.bottom, cell.top - cell.bottom)
    if abs(row.lines[0].base - first.base) > 0.6 * first.size and not centred:
        return False
    gap = first.left - cell.right if not first.right_to_left else cell.left - draft.right
    return gap > 0.3 * cell.size


def _is_below(rows: list[list[Draft]], row: list[Draft]) -> bool:
    above, size = rows[-1], row[0].size
    if row[0].page != above[0].page:
        return False
    bottom, top = min(draft.bottom for draft in above), max(draft.top for draft in row)
    return top < bottom + 0.7 * size and bottom - top < 5 * size


def _fits_column(rows: list[list[Draft]], draft: Draft) -> bool:
    """Whether a lone block stands under a column of the rows above, clear of the others: a row with empty cells."""
    if len(draft.lines) > 3 or draft.characters > 120:
        return False
    widest = max(rows, key=len)
    return (
        any(abs(cell.left - draft.left) < draft.size or abs(cell.right - draft.right) < draft.size for cell in widest)
        and sum(cell.left < draft.right and draft.left < cell.right for cell in widest) == 1
    )


def _is_table(rows: list[list[Draft]]) -> bool:
    while rows and len(rows[-1]) == 1:
        rows.pop()
    if sum(len(row) > 1 for row in rows) < 2:
        return False
    lefts: Counter[int] = Counter()
    for row in rows:
        lefts.update({round(cell.left / 6) for cell in row})
    shared = [edge for edge, count in lefts.items() if count + lefts.get(edge + 1, 0) >= 2]
    return len(shared) >= 2


def _make_cells(rows: list[list[Draft]], table: int) -> None:
    edges = _column_edges(rows)
    header = _is_header(rows)
    heads: dict[int, Draft] = {}
    for number, row in enumerate(rows):
        _merge_lines(row)
        for cell in row:
            cell.row, cell.table, cell.marker = number, table, ""
            cell.column = _column_of(cell, edges)
            cell.kind = "th" if header and number == 0 else "td"
            if cell.kind == "th":
                heads[cell.column] = cell
            else:
                cell.head = heads.get(cell.column)


def _merge_lines(row: list[Draft]) -> None:
    """Put lines of one cell together that were taken for paragraphs, because a cell is narrow."""
    whole = row[0]
    for draft in list(row[1:]):
        step = whole.lines[-1].base - draft.lines[0].base
        aligned = abs(draft.left - whole.left) < 0.5 * whole.size
        alike = abs(draft.size - whole.size) < 0.06 * whole.size and draft.lines[0].bold == whole.lines[-1].bold
        if aligned and alike and 0 < step < 1.4 * whole.size and "code" not in (draft.kind, whole.kind):
            whole.lines += draft.lines
            draft.lines = []
            row.remove(draft)
        else:
            whole = draft


def _column_edges(rows: list[list[Draft]]) -> list[tuple[float, float]]:
    """Horizontal extents of the columns: cells that overlap, seen from above, are in one."""
    edges: list[tuple[float, float]] = []
    for left, right in sorted((cell.left, cell.right) for row in rows for cell in row):
        if edges and left < edges[-1][1] - 1:
            edges[-1] = (edges[-1][0], max(edges[-1][1], right))
        else:
            edges.append((left, right))
    return edges


def _column_of(cell: Draft, edges: list[tuple[float, float]]) -> int:
    return max(range(len(edges)), key=lambda index: min(cell.right, edges[index][1]) - max(cell.left, edges[index][0]))


def _is_header(rows: list[list[Draft]]) -> bool:
    first = rows[0]
    if len(first) < max(2, max(len(row) for row in rows) - 1):
        return False
    if all(line.bold for cell in first for line in cell.lines):
        return True
    texts = [" ".join(line.text for line in cell.lines) for cell in first]
    if any(re.search(r"\d", text) for text in texts) or any(len(text) > 40 for text in texts):
        return False
    below = [" ".join(line.text for line in cell.lines) for row in rows[1:] for cell in row]
    return sum(bool(re.search(r"\d", text)) for text in below) * 3 > len(below)
