"""Lines of a PDF page put together into paragraphs, headings, list items, code and table cells, in reading order.

Nearly every program writes the text of a page in the order in which it is read, also over columns, so content order is
followed unless it is visibly broken; positions decide where a paragraph ends.
"""

from __future__ import annotations

import itertools
import re
import statistics
from collections import Counter
from dataclasses import dataclass

from aipk_core.documents.loaders.pdf_lines import Line, PageText
from aipk_core.documents.loaders.scripts import is_hangul, is_spaceless


@dataclass(slots=True)
class Draft:
    """A block in the making.

    Attributes:
        kind: ``p``, ``li``, ``code``, ``td``, ``th``, ``caption`` or ``h1`` … ``h6``.
        marker: bullet or number of a list item, which is not part of its text.
        row, table: numbers of the table row and the table, for cells.
        column: number of the cell's column, from the left.
        head: the header of the cell's column.
        full: whether its last line reaches the end of the column, so that the text may go on elsewhere.
        fill: share of the column's width that its last line takes.
    """

    kind: str
    lines: list[Line]
    page: int
    marker: str = ""
    row: int = -1
    table: int = -1
    column: int = -1
    full: bool = False
    fill: float = 1.0
    head: Draft | None = None

    @property
    def left(self) -> float:
        return min(line.left for line in self.lines)

    @property
    def right(self) -> float:
        return max(line.right for line in self.lines)

    @property
    def top(self) -> float:
        return max(line.top for line in self.lines)

    @property
    def bottom(self) -> float:
        return min(line.bottom for line in self.lines)

    @property
    def size(self) -> float:
        return self.lines[0].size

    @property
    def characters(self) -> int:
        return sum(len(line.text) for line in self.lines)


@dataclass(frozen=True, slots=True)
class Metrics:
    """Facts of the whole document: its usual font size, and the usual distance of baselines for each size."""

    body_size: float
    leading: dict[float, float]

    def leading_of(self, size: float) -> float:
        return self.leading.get(round(size, 1), 1.35 * size)


def measure(pages: list[PageText]) -> Metrics:
    """Body size and leadings of a document."""
    sizes: Counter[float] = Counter()
    steps: dict[float, Counter[float]] = {}
    for page in pages:
        for line in page.lines:
            sizes[round(line.size, 1)] += len(line.text)
        for line, following in zip(page.lines, page.lines[1:], strict=False):
            size, step = round(line.size, 1), line.base - following.base
            if round(following.size, 1) == size and 0.9 * size < step < 2.2 * size and line.overlap(following) > 0:
                steps.setdefault(size, Counter())[round(step * 4) / 4] += 1
    leading = {size: counted.most_common(1)[0][0] for size, counted in steps.items()}
    return Metrics(sizes.most_common(1)[0][0] if sizes else 10.0, leading)


def drafts_of(page: PageText, metrics: Metrics) -> list[Draft]:
    """The blocks of a page in reading order, without headings and tables, which need a wider view."""
    lines = _in_reading_order(_with_markers(page.lines))
    columns = _Columns(lines)
    drafts: list[Draft] = []
    for line, following in itertools.zip_longest(lines, lines[1:]):
        current = drafts[-1] if drafts else None
        if current is not None and _continues(current, line, following, metrics, columns):
            current.lines.append(line)
        else:
            drafts.append(_start(line))
    for draft in drafts:
        draft.full = columns.is_full(draft.lines[-1])
        draft.fill = columns.fill(draft.lines[-1])
        if all(line.monospace for line in draft.lines) and (len(draft.lines) > 1 or _looks_like_code(draft)):
            draft.kind = "code"
    for line in page.turned:
        drafts.append(Draft("p", [line], page.number))
    return drafts


# --- order ---------------------------------------------------------------------------------------------------------


_MARKER_ONLY = re.compile(
    r"^(?:[•‣◦▪▫●○■□◆◇➢➤►✓✔❖∙·\u2043\u2219\uf0b7\uf0a7\uf0d8*–—-]|\(?\d{1,3}[.)]|[.(]\d{1,3}\)?|\(?[a-z]{1,4}[.)])$"
)
_MAX_PAIRS = 2_000_000
_BULLETS_ONLY = re.compile(r"^[•‣◦▪▫●○■□◆◇➢➤►❖∙\uf0b7\uf0a7\uf0d8\s]+$")


def _with_markers(lines: list[Line]) -> list[Line]:
    """Bullets and numbers that were drawn apart from their item, put before it."""
    kept = [line for line in lines if not _MARKER_ONLY.match(line.text)]
    marks = [line for line in lines if _MARKER_ONLY.match(line.text)]
    if len(marks) * len(kept) > _MAX_PAIRS:
        return lines
    for mark in marks:
        item = min(
            (line for line in kept if _stands_before(mark, line)),
            key=lambda line: abs(line.left - mark.right) if not line.right_to_left else abs(mark.left - line.right),
            default=None,
        )
        if item is not None and not item.marker:
            item.marker = mark.text
        elif not _BULLETS_ONLY.match(mark.text):
            kept.append(mark)
    order = {id(line): position for position, line in enumerate(lines)}
    return sorted((line for line in kept if not _BULLETS_ONLY.match(line.text)), key=lambda line: order[id(line)])


def _stands_before(mark: Line, line: Line) -> bool:
    if abs(mark.base - line.base) > 0.4 * line.size:
        return False
    gap = line.left - mark.right if not line.right_to_left else mark.left - line.right
    return -0.3 * line.size < gap < 3 * line.size


def _in_reading_order(lines: list[Line]) -> list[Line]:
    """Content order, unless text often jumps up within its own column or goes across columns row by row."""
    if len(lines) < 4:
        return lines
    jumps = sum(
        1
        for line, following in itertools.pairwise(lines)
        if following.base - line.base > line.size and following.overlap(line) > 0.5 * min(line.width, following.width)
    )
    if (jumps >= 3 and jumps * 8 > len(lines)) or _goes_across_columns(lines):
        return _by_position(lines)
    return lines


def _goes_across_columns(lines: list[Line]) -> bool:
    """Whether full lines of prose alternate between two columns, as scanning software writes them."""
    pairs = [
        (line, following)
        for line, following in itertools.pairwise(lines)
        if line.side_by_side(following)
        and following.left > line.right
        and min(len(line.text), len(following.text)) > 25
    ]
    return len(pairs) >= 6 and len(pairs) * 3 > len(lines)


def _by_position(lines: list[Line], depth: int = 0) -> list[Line]:
    """Recursive cuts along white space: columns first, then bands."""
    if len(lines) < 2 or depth > 24:
        return sorted(lines, key=lambda line: (-round(line.base, 1), line.left))
    size = statistics.median(line.size for line in lines)
    from_right = sum(line.right_to_left for line in lines) * 2 > len(lines)
    gutter = _widest_gap([(line.left, line.right) for line in lines], 0.8 * size)
    if gutter is not None:
        left = [line for line in lines if line.right <= gutter + 0.01]
        right = [line for line in lines if line.right > gutter + 0.01]
        if min(len(left), len(right)) >= 2 or depth == 0:
            halves = (right, left) if from_right else (left, right)
            return [line for half in halves for line in _by_position(half, depth + 1)]
    band = _widest_gap([(-line.top, -line.bottom) for line in lines], 0.1 * size)
    if band is not None:
        above = [line for line in lines if -line.bottom <= band + 0.01]
        below = [line for line in lines if -line.bottom > band + 0.01]
        return _by_position(above, depth + 1) + _by_position(below, depth + 1)
    return sorted(lines, key=lambda line: (-round(line.base, 1), line.left))


def _widest_gap(intervals: list[tuple[float, float]], least: float) -> float | None:
    """Where the widest stretch begins that no interval covers, if it is at least ``least`` wide."""
    ordered = sorted(intervals)
    reach = ordered[0][1]
    best, place = least, None
    for start, end in ordered[1:]:
        if start - reach > best:
            best, place = start - reach, reach
        reach = max(reach, end)
    return place


# --- paragraphs ----------------------------------------------------------------------------------------------------

_BULLET = re.compile(r"^\s*([•‣◦▪▫●○■□◆◇➢➤►✓✔❖∙·\u2043\u2219\uf0b7\uf0a7\uf0d8o*–—-])\s+(?=\S)")
_NUMBERED = re.compile(r"^\s*(\(?(?:\d{1,3}|[a-z]|[ivx]{1,5})[.)])\s+(?=\S)")
_SENTENCE_END = re.compile(r"[.!?:;。！？：；…؟۔।][\"'”’»)\]]*$")
_HYPHENS = "-\u2010\u00ad"


_NEIGHBOURS = 300  # lines before and after one that may tell how wide its column is


class _Columns:
    """Where the lines of a page begin and end, for telling a full line from one that ends early."""

    def __init__(self, lines: list[Line]) -> None:
        self._lines = lines
        self._places = {id(line): place for place, line in enumerate(lines)}
        self._edges: dict[int, tuple[float, float]] = {}

    def edges(self, line: Line) -> tuple[float, float]:
        """Left and right end of the column that the line stands in."""
        found = self._edges.get(id(line))
        if found is None:
            found = self._edges[id(line)] = self._measure(line)
        return found

    def is_full(self, line: Line) -> bool:
        left, right = self.edges(line)
        short = (line.left - left) if line.right_to_left else (right - line.right)
        return short < 2.5 * line.size or line.text[-1:] in _HYPHENS

    def fill(self, line: Line) -> float:
        left, right = self.edges(line)
        return (line.right - left if not line.right_to_left else right - line.left) / max(right - left, 1.0)

    def room_for(self, line: Line, following: Line) -> bool:
        """Whether the first word of ``following`` would have fitted at the end of ``line``: a break by intent."""
        left, right = self.edges(line)
        room = (line.left - left) if line.right_to_left else (right - line.right)
        word = following.text.split(" ", 1)[0]
        if word and (is_spaceless(word[0]) or is_hangul(word[0])):
            word = word[:2]
        width = following.width * len(word) / max(1, len(following.text))
        return room > width + 0.7 * line.size

    def _measure(self, line: Line) -> tuple[float, float]:
        place = self._places.get(id(line), 0)
        near = [
            other
            for other in self._lines[max(0, place - _NEIGHBOURS) : place + _NEIGHBOURS]
            if abs(other.size - line.size) < 0.12 * line.size
            and other.overlap(line) > 0
            and (
                abs(other.right - line.right) < 4 * line.size
                if line.right_to_left
                else abs(other.left - line.left) < 4 * line.size
            )
        ]
        return _usual_edge([other.left for other in near], low=True), _usual_edge([other.right for other in near])


def _usual_edge(values: list[float], *, low: bool = False) -> float:
    """The edge that many lines share, or else the outermost but for outliers."""
    common, count = Counter(round(value / 2) * 2 for value in values).most_common(1)[0]
    if count >= 3 and count * 3 >= len(values):
        return float(common)
    ordered = sorted(values, reverse=low)
    return ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]


def _start(line: Line) -> Draft:
    if line.marker:
        return Draft("li", [line], line.page)
    match = _BULLET.match(line.text) or _NUMBERED.match(line.text)
    if match and not line.monospace:
        return Draft("li", [line], line.page, marker=match.group(0))
    return Draft("p", [line], line.page)


def _continues(draft: Draft, line: Line, following: Line | None, metrics: Metrics, columns: _Columns) -> bool:
    last = draft.lines[-1]
    size = max(last.size, line.size)
    if line.side_by_side(last):
        return _same_row(draft, last, line, following, metrics)
    if abs(last.size - line.size) > 0.12 * size or line.page != last.page:
        return False
    step = last.base - line.base
    leading = metrics.leading_of(draft.size)
    if len(draft.lines) > 1 and not draft.lines[-2].side_by_side(last):
        leading = max(leading, min(draft.lines[-2].base - last.base, 2 * draft.size))
    both_code = line.monospace and last.monospace
    row = [item for item in draft.lines[-4:] if item.side_by_side(last)]
    below = min(line.right, max(item.right for item in row)) - max(line.left, min(item.left for item in row))
    if not 0 < step <= 1.22 * leading or (below <= 0 and not both_code):
        return False
    if _starts_item(line, draft) or _changes_face(draft, line, columns):
        return False
    if both_code:
        return line.overlap(last) > 0 or abs(line.left - draft.left) < 30 * line.size
    if _is_indented(draft, line, columns) or _opens_with_indent(last, line, following, columns):
        return False
    return not _ended_by_intent(last, line, columns)


def _same_row(draft: Draft, last: Line, line: Line, following: Line | None, metrics: Metrics) -> bool:
    """Whether a piece on the baseline of the last one is the rest of its line, after a stretched space or a tab."""
    gap = line.left - last.right if not line.right_to_left else last.left - line.right
    if last.monospace and line.monospace and gap > 0 and last.glyphs[-1].source == line.glyphs[0].source:
        return True
    in_one_piece = last.glyphs[-1].source == line.glyphs[0].source != 0
    if not -0.5 * line.size < gap < (8.0 if in_one_piece else 2.5) * line.size:
        return False
    if draft.kind == "li" and len(draft.lines) == 1 and gap < 1.5 * line.size:
        return True
    if in_one_piece and line.size >= 1.1 * metrics.body_size:
        return True  # a heading that was stretched over the column
    # Only in a paragraph: its earlier lines, or the next, reach over the gap.
    others = draft.lines[:-1]
    if following is not None and 0 < line.base - following.base < 2 * line.size:
        others = [*others, following]
    low, high = min(last.right, line.left), max(last.right, line.left)
    if line.right_to_left:
        low, high = min(line.right, last.left), max(line.right, last.left)
    return any(other.left < low and high < other.right and not other.side_by_side(line) for other in others)


def _starts_item(line: Line, draft: Draft) -> bool:
    if line.marker:
        return True
    if line.monospace:
        return False
    if _BULLET.match(line.text):
        same = draft.marker.strip() == line.text[0] or draft.lines[0].marker == line.text[0]
        return line.text[0] not in "–—-*o" or same or bool(_SENTENCE_END.search(draft.lines[-1].text))
    match = _NUMBERED.match(line.text)
    if not match:
        return False
    if draft.kind == "li" and _NUMBERED.match(draft.marker):
        return line.left < draft.lines[0].left + 0.5 * line.size or line.left > draft.left + 1.5 * line.size
    return bool(_SENTENCE_END.search(draft.lines[-1].text))


def _changes_face(draft: Draft, line: Line, columns: _Columns) -> bool:
    """Whether the line is set in another face than the block: the end of a heading, of code, or their start."""
    last = draft.lines[-1]
    if all(item.bold for item in draft.lines) != line.bold:
        whole = all(item.bold for item in draft.lines)
        if whole and not line.bold and (len(draft.lines) > 1 or columns.is_full(last)):
            return columns.room_for(last, line)
        if whole or _SENTENCE_END.search(last.text) or columns.room_for(last, line):
            return True
    if line.monospace != last.monospace:
        if all(item.monospace for item in draft.lines) and not line.monospace:
            return columns.room_for(last, line) or len(draft.lines) > 1
        return line.monospace and columns.room_for(last, line)
    return False


def _is_indented(draft: Draft, line: Line, columns: _Columns) -> bool:
    """Whether the line begins a new paragraph by its indent."""
    last = _last_row(draft)
    if draft.kind == "li" and len(draft.lines) == 1:
        # A second line may hang under the text of the item, or go back to the edge.
        outdent = (line.right - last.right) if line.right_to_left else (last.left - line.left)
        return outdent > 1.5 * line.size
    indent = last.right - line.right if line.right_to_left else line.left - last.left
    centred = abs((line.left + line.right) - (last.left + last.right)) < 2 * line.size
    if centred and abs(line.width - last.width) > 0.5 * line.size and not columns.is_full(last):
        return False
    if 0.8 * line.size < indent < 8 * line.size:
        return not (draft.kind == "li" and len(draft.lines) == 1)
    # The line returns further to the left than a first line's indent explains.
    return indent < -(4.5 if len(draft.lines) == 1 else 0.8) * line.size


def _opens_with_indent(last: Line, line: Line, following: Line | None, columns: _Columns) -> bool:
    """Whether two short-lived paragraphs with the same first-line indent meet: the second goes on further out."""
    if following is None or not 0 < line.base - following.base < 2 * line.size or not columns.room_for(last, line):
        return False
    out = (following.right - line.right) if line.right_to_left else (line.left - following.left)
    return 0.8 * line.size < out < 8 * line.size and columns.is_full(line)


def _last_row(draft: Draft) -> Line:
    """The last line of a block, from where its row begins."""
    last = draft.lines[-1]
    row = [line for line in draft.lines[-4:] if line.side_by_side(last)]
    return min(row, key=lambda line: line.left) if not last.right_to_left else max(row, key=lambda line: line.right)


def _ended_by_intent(last: Line, line: Line, columns: _Columns) -> bool:
    if last.text[-1:] in _HYPHENS or not columns.room_for(last, line):
        return False
    if _SENTENCE_END.search(last.text):
        return True
    left, right = columns.edges(last)
    first = line.text[:1]
    begins = first.isupper() or first.isdigit() or is_spaceless(first) or is_hangul(first) or line.right_to_left
    return begins and last.width < 0.75 * max(right - left, 1.0)


def _looks_like_code(draft: Draft) -> bool:
    return bool(re.search(r"[{}()=;$<>/\\|]|--?\w", draft.lines[0].text))
