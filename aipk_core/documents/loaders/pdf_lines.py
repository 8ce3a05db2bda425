"""PDF pages as lines of text: glyphs from PDFium, put together into words and lines with their place and font.

PDF has no words or lines, only glyphs at positions. Glyphs that follow each other in the page's content and stand side
by side on one baseline make a line; a wide gap, a jump or another baseline ends it.
"""

from __future__ import annotations

import ctypes
import itertools
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import pypdfium2 as pdfium  # type: ignore[import-untyped]
import pypdfium2.raw as pdfium_c  # type: ignore[import-untyped]

from aipk_core.documents.loaders.scripts import is_right_to_left
from aipk_core.errors import DocumentError

MAX_GLYPHS = 200_000
"""More on one page is no page of text."""


@dataclass(frozen=True, slots=True)
class Font:
    """What the layout needs to know of a font at one size (points on the page)."""

    name: str
    size: float
    bold: bool
    monospace: bool
    angle: int  # degrees, counter-clockwise, to the nearest 5


@dataclass(slots=True)
class Glyph:
    text: str
    left: float
    right: float
    bottom: float
    top: float
    base: float
    font: Font
    damaged: bool = False
    source: int = 0  # the text object that drew it


@dataclass(slots=True)
class Line:
    """Glyphs of one baseline, in content order until ``ordered`` is called."""

    glyphs: list[Glyph]
    page: int
    left: float = 0.0
    right: float = 0.0
    bottom: float = 0.0
    top: float = 0.0
    base: float = 0.0
    size: float = 0.0
    text: str = ""
    bold: bool = False
    monospace: bool = False
    right_to_left: bool = False
    marker: str = ""
    mono_spans: list[tuple[int, int]] = field(default_factory=list)

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def height(self) -> float:
        return self.top - self.bottom

    @property
    def slack(self) -> float:
        """By how much the spaces of the line were stretched to fill the column, in points, all together."""
        total = 0.0
        for before, space, after in zip(self.glyphs, self.glyphs[1:], self.glyphs[2:], strict=False):
            if space.text == " " and space.right > space.left:
                total += max(0.0, after.left - before.right - (space.right - space.left))
        return total

    @property
    def first_width(self) -> float:
        """Width of the first glyph, in points."""
        return self.glyphs[0].right - self.glyphs[0].left

    def side_by_side(self, other: Line) -> bool:
        """Whether the two stand on one baseline."""
        return abs(self.base - other.base) < 0.3 * min(self.size, other.size)

    def take_marks(self, marks: list[Glyph]) -> None:
        """Put accents that were drawn apart over the letters of this line."""
        self.glyphs = self.glyphs + marks
        self.mono_spans = []
        _spell(self)

    def overlap(self, other: Line) -> float:
        """Width that the two share, seen from above."""
        return min(self.right, other.right) - max(self.left, other.left)


@dataclass(slots=True)
class PageText:
    """The lines of one page in content order, and how well its glyphs are mapped to characters."""

    number: int  # 1-based
    width: float
    height: float
    lines: list[Line]
    turned: list[Line]  # lines at another angle than the page's text
    glyphs: int = 0
    damaged: int = 0
    images: int = 0
    bottom: float = 0.0  # of the page, in the coordinates of its lines


def read_page(document: pdfium.PdfDocument, index: int, where: str) -> PageText:
    """The text of page ``index`` (0-based).

    Raises:
        DocumentError: ``too-large`` for a page of more than ``MAX_GLYPHS`` glyphs, ``invalid`` for a broken page.
    """
    try:
        page = document[index]
        corners = page.get_cropbox()
    except (pdfium.PdfiumError, OSError, ValueError) as error:
        raise DocumentError(
            f"page {index + 1} cannot be read ({error})", code="invalid", where=where, remedy="Repair the file"
        ) from error
    try:
        glyphs = _glyphs_of(page, index, where)
        main_angle = _main_angle(glyphs)
        if main_angle % 90 == 0 and main_angle != page.get_rotation():
            # PDFium puts the lines in the order in which they are seen, so let it see them upright.
            page.set_rotation(main_angle)
            glyphs = _glyphs_of(page, index, where)
        images = 0
        if not glyphs:
            images = sum(1 for item in page.get_objects(filter=[pdfium_c.FPDF_PAGEOBJ_IMAGE], max_depth=3))
    finally:
        page.close()
    visible = [glyph for glyph in glyphs if not glyph.text.isspace()]
    angles = {glyph.font.angle for glyph in visible}
    upright = [_turn(glyph, main_angle) for glyph in glyphs if glyph.font.angle == main_angle]
    turned: list[Line] = []
    for angle in sorted(angles):
        if angle != main_angle:
            turned += _lines((_turn(glyph, angle) for glyph in glyphs if glyph.font.angle == angle), index + 1)
    # Glyphs lie where they were drawn, whatever turn the viewer is asked for; only the direction of the text counts.
    left, bottom, right, top = _turned_box(corners[0], corners[1], corners[2], corners[3], main_angle)
    return PageText(
        number=index + 1,
        width=right - left,
        height=top - bottom,
        bottom=bottom,
        lines=_lines(upright, index + 1),
        turned=turned,
        glyphs=len(visible),
        damaged=sum(glyph.damaged for glyph in visible),
        images=images,
    )


def _glyphs_of(page: pdfium.PdfPage, index: int, where: str) -> list[Glyph]:
    try:
        text_page = page.get_textpage()
    except (pdfium.PdfiumError, OSError, ValueError) as error:
        raise DocumentError(
            f"page {index + 1} cannot be read ({error})", code="invalid", where=where, remedy="Repair the file"
        ) from error
    try:
        count = text_page.count_chars()
        if count > MAX_GLYPHS:
            raise DocumentError(
                f"page {index + 1} has {count} glyphs, more than {MAX_GLYPHS}",
                code="too-large",
                where=where,
                remedy="Exclude the file",
            )
        return _without_leaders(list(_glyphs(text_page, count)))
    finally:
        text_page.close()


def _main_angle(glyphs: list[Glyph]) -> int:
    """The direction of most of the text, in degrees; 0 when there is none."""
    angles = Counter(glyph.font.angle for glyph in glyphs if not glyph.text.isspace())
    return angles.most_common(1)[0][0] if angles else 0


# --- glyphs --------------------------------------------------------------------------------------------------------

_BOLD = re.compile(r"bold|black|heavy|semibold|demi|cmbx|cmssbx|-bd|,bd", re.IGNORECASE)
_MONOSPACE = re.compile(r"mono|courier|consol|menlo|typewriter|cmtt|sftt|lmtt|code|inconsolata|monaco", re.IGNORECASE)
_LIGATURES = re.compile("[\ufb00-\ufb06\ufb13-\ufb17\ufb1d-\ufdff\ufe70-\ufefc\u0132\u0133]+")
_HYPHEN = "\u00ad"
_LEADER_DOTS = frozenset(".\u00b7\u2024")
_MIN_LEADER = 6  # dots; no ellipsis is that long


_BLANKS = frozenset({0x09, 0x0A, 0x0D, 0x20, 0xA0})


def _glyphs(text_page: pdfium.PdfTextPage, count: int) -> Iterator[Glyph]:
    handle = text_page.raw
    fonts: dict[int, Font] = {}
    last_font: Font | None = None
    box = pdfium_c.FS_RECTF()
    x, y = ctypes.c_double(), ctypes.c_double()
    for index in range(count):
        code = pdfium_c.FPDFText_GetUnicode(handle, index)
        blank = code in _BLANKS
        if blank and code != 0x20 and pdfium_c.FPDFText_IsGenerated(handle, index) == 1:
            continue  # a line end that PDFium put in
        pdfium_c.FPDFText_GetLooseCharBox(handle, index, box)
        pdfium_c.FPDFText_GetCharOrigin(handle, index, x, y)
        text_object = pdfium_c.FPDFText_GetTextObject(handle, index)
        address = ctypes.cast(text_object, ctypes.c_void_p).value or 0
        font = last_font if blank else fonts.get(address)  # PDFium has no matrix for the spaces that it puts in
        if font is None:
            if blank:
                continue
            font = fonts[address] = _font(handle, index)
        last_font = font
        left, right, bottom, top, base = box.left, box.right, box.bottom, box.top, y.value
        extent = abs(left) + abs(right) + abs(bottom) + abs(top) + abs(base) + abs(x.value)
        if not extent < 1e6 or font.size > 2000:  # also false for what is no number
            continue
        damaged = pdfium_c.FPDFText_HasUnicodeMapError(handle, index) == 1
        if 0x20 < code < 0x7F:
            text = chr(code)
        else:
            text = _character(code)
            damaged = damaged or _is_damage(text, code)
        if right < left:
            left, right = right, left
        if top < bottom:
            bottom, top = top, bottom
        yield Glyph(text, left, right, bottom, top, base, font, damaged, address)


def _without_leaders(glyphs: list[Glyph]) -> list[Glyph]:
    """Without the rows of dots that lead the eye from a title to its page number.

    They are drawn, not written; a contents page full of them would pass for damaged text.
    """
    kept: list[Glyph] = []
    run: list[Glyph] = []
    for glyph in glyphs:
        same_row = not run or abs(glyph.base - run[-1].base) < 1
        if same_row and not glyph.font.monospace and (glyph.text in _LEADER_DOTS or (run and glyph.text == " ")):
            run.append(glyph)
            continue
        kept += [] if _is_leader(run) else run
        run = []
        if glyph.text in _LEADER_DOTS and not glyph.font.monospace:
            run.append(glyph)
        else:
            kept.append(glyph)
    return kept + ([] if _is_leader(run) else run)


def _is_leader(run: list[Glyph]) -> bool:
    return sum(glyph.text in _LEADER_DOTS for glyph in run) >= _MIN_LEADER


def _character(code: int) -> str:
    if code in (0x02, 0xFFFE):  # PDFium's own marks for a hyphen at the end of a line
        return _HYPHEN
    if code in _BLANKS:
        return " "
    if not 0 < code <= 0x10FFFF or 0xD800 <= code <= 0xDFFF:
        return "\ufffd"
    text = chr(code)
    return unicodedata.normalize("NFKC", text) if _LIGATURES.match(text) else text


def _is_damage(text: str, code: int) -> bool:
    """No author writes control codes, private-use or unassigned characters; a font without a proper map does."""
    if text == "\ufffd":
        return True
    return any(unicodedata.category(character) in ("Cc", "Co", "Cn") for character in text) and code != 0x02


def _font(handle: object, index: int) -> Font:
    buffer = ctypes.create_string_buffer(256)
    flags = ctypes.c_int()
    length = pdfium_c.FPDFText_GetFontInfo(handle, index, buffer, 256, flags)
    name = buffer.raw[: max(0, min(length, 256) - 1)].decode("utf-8", "replace")
    matrix = pdfium_c.FS_MATRIX()
    scale, angle = 1.0, 0.0
    if pdfium_c.FPDFText_GetMatrix(handle, index, matrix):
        scale = math.hypot(matrix.c, matrix.d)
        angle = math.degrees(math.atan2(matrix.b, matrix.a)) if math.hypot(matrix.a, matrix.b) else 0.0
    size = abs(pdfium_c.FPDFText_GetFontSize(handle, index) * scale)
    if not math.isfinite(size) or not math.isfinite(angle):
        size, angle = 10_000.0, 0.0  # such glyphs are left out
    weight = pdfium_c.FPDFText_GetFontWeight(handle, index)
    return Font(
        name=name,
        size=round(size, 2) or 1.0,
        bold=bool(_BOLD.search(name)) or weight >= 600,
        monospace=bool(_MONOSPACE.search(name)) or bool(flags.value & 1),
        angle=round(angle / 5) * 5 % 360,
    )


def _turn(glyph: Glyph, angle: int) -> Glyph:
    """The glyph as it lies when the page is turned so that text at ``angle`` runs to the right."""
    if angle == 0:
        return glyph
    left, bottom, right, top = _turned_box(glyph.left, glyph.bottom, glyph.right, glyph.top, angle)
    middle = (bottom + top) / 2
    half = min((top - bottom) / 2, glyph.font.size / 2)
    return Glyph(glyph.text, left, right, middle - half, middle + half, middle - half / 2, glyph.font, glyph.damaged)


def _turned_box(left: float, bottom: float, right: float, top: float, angle: int) -> tuple[float, float, float, float]:
    cos, sin = math.cos(math.radians(-angle)), math.sin(math.radians(-angle))
    corners = [(x * cos - y * sin, x * sin + y * cos) for x in (left, right) for y in (bottom, top)]
    xs, ys = [corner[0] for corner in corners], [corner[1] for corner in corners]
    return min(xs), min(ys), max(xs), max(ys)


# --- lines ---------------------------------------------------------------------------------------------------------

MAX_CELLS = 200
_MAX_PAIRS = 2_000_000  # comparisons of marks with letters or lines that are worth while
_CELL_GAP = 2.5
_STRETCHED_GAP = 8.0
_WIDE_GAP = 1.2  # of the font size: wider gaps divide columns and cells


def _lines(glyphs: Iterable[Glyph], page: int) -> list[Line]:
    pieces: list[list[Glyph]] = []
    loose: list[Glyph] = []
    bounds = (0.0, 0.0)
    for glyph in glyphs:
        if glyph.text == " " and glyph.right <= glyph.left:  # a space made up by PDFium has no width
            if pieces:
                pieces[-1].append(glyph)
            continue
        if pieces and _belongs(glyph, pieces[-1], bounds):
            pieces[-1].append(glyph)
            bounds = (min(bounds[0], glyph.left), max(bounds[1], glyph.right))
        else:
            if pieces and all(_is_mark(item) or item.text == " " for item in pieces[-1]):
                loose += pieces.pop()  # an accent drawn apart from its letter
            pieces.append([glyph])
            bounds = (glyph.left, glyph.right)
    if len(pieces) > 1 and all(_is_mark(item) or item.text == " " for item in pieces[-1]):
        loose += pieces.pop()
    parts = [part for piece in pieces for part in _cells(piece)]
    lines = _rejoined([line for part in parts if (line := _line_of(part, page)) is not None])
    lines = _without_narrow_gutters(lines)
    if len(loose) * len(lines) <= _MAX_PAIRS:
        for mark in loose:
            if mark.text != " ":
                _give_back(mark, lines)
    return lines


def _cells(glyphs: list[Glyph]) -> list[list[Glyph]]:
    """Cut where a gap is far wider than the other spaces of the line: cells of a table drawn in one piece.

    In a justified line all spaces are stretched alike.
    """
    words: list[tuple[int, float]] = []  # where a word begins, and the gap before it
    before: Glyph | None = None
    for index, glyph in enumerate(glyphs):
        if glyph.text == " ":
            continue
        if before is not None and glyph.left - before.right > 0.15 * glyph.font.size:
            words.append((index, glyph.left - before.right))
        before = glyph
    if not words or all(glyph.font.monospace for glyph in glyphs):
        return [glyphs]
    usual, widest = min(gap for _, gap in words), max(gap for _, gap in words)
    if len(words) > 1 and widest < 1.25 * usual:
        return [glyphs]
    cuts = [
        index
        for index, gap in words
        if gap > _CELL_GAP * glyphs[index].font.size
        or (len(words) > 1 and gap > max(glyphs[index].font.size, 2.5 * usual))
    ]
    if len(cuts) > MAX_CELLS:
        return [glyphs]
    return [glyphs[start:end] for start, end in itertools.pairwise([0, *cuts, len(glyphs)])]


def _rejoined(lines: list[Line]) -> list[Line]:
    """Neighbours on one baseline that an accent or a change of font has divided, as one line again."""
    kept: list[Line] = []
    for line in lines:
        before = kept[-1] if kept else None
        if before is not None and before.side_by_side(line) and before.page == line.page:
            to_left = line.right_to_left or before.right_to_left
            first, second = before, line
            gap = before.left - line.right if to_left else line.left - before.right
            if to_left and line.left > before.left:  # PDFium gives pieces from left to right even then
                first, second = line, before
                gap = line.left - before.right
            if -0.3 * line.size < gap < 0.9 * line.size and abs(before.size - line.size) < 0.2 * line.size:
                space = [_space_between(first.glyphs[-1], line)] if gap > 0.15 * line.size else []
                merged = _line_of(first.glyphs + space + second.glyphs, line.page)
                if merged is not None:
                    kept[-1] = merged
                    continue
        kept.append(line)
    return kept


_LABEL = re.compile(r"^\W*(?:\d{1,4}|[a-zA-Z]|[ivxIVX]{1,5})?\W*$")


def _without_narrow_gutters(lines: list[Line]) -> list[Line]:
    """Cut lines that go over into the next column of a table, where the line below begins."""
    kept: list[Line] = []
    for line, following in itertools.zip_longest(lines, lines[1:]):
        place = _gutter(line, following) if following is not None else 0
        parts = [_line_of(part, line.page) for part in (line.glyphs[:place], line.glyphs[place:])] if place else []
        if len(parts) == 2 and all(parts) and not _LABEL.match(parts[0].text if parts[0] else ""):
            kept += [part for part in parts if part is not None]
        else:
            kept.append(line)
    return kept


def _gutter(line: Line, following: Line) -> int:
    """The glyph of ``line`` that stands after a gap right above the start of ``following``; 0 if none does."""
    step = line.base - following.base
    if line.right_to_left or following.left < line.left + 1.5 * line.size or not 0 < step < 2 * line.size:
        return 0
    before: Glyph | None = None
    for index, glyph in enumerate(line.glyphs):
        if glyph.text == " ":
            continue
        if before is not None and abs(glyph.left - following.left) < 0.15 * line.size:
            wide = glyph.left - before.right
            if wide > 0.8 * line.size or (wide > 0.45 * line.size and glyph.source != before.source):
                return index
        before = glyph
    return 0


def _space_between(glyph: Glyph, line: Line) -> Glyph:
    return Glyph(" ", glyph.right, glyph.right, glyph.bottom, glyph.top, line.base, glyph.font)


def _give_back(mark: Glyph, lines: list[Line]) -> None:
    """Put an accent over the nearest letter below it."""
    near = [
        line
        for line in lines
        if line.left - line.size < mark.left
        and mark.right < line.right + line.size
        and -0.4 * line.size < mark.base - line.base < 0.9 * line.size
    ]
    if near:
        home = min(near, key=lambda line: abs(mark.base - line.base))
        home.take_marks([mark])


def _is_mark(glyph: Glyph) -> bool:
    return bool(unicodedata.combining(glyph.text[:1]))


def _belongs(glyph: Glyph, line: list[Glyph], bounds: tuple[float, float]) -> bool:
    last = next((item for item in reversed(line) if item.right > item.left), line[-1])
    size = max(glyph.font.size, last.font.size)
    if abs(glyph.base - last.base) > 0.25 * min(glyph.font.size, last.font.size):
        # A raised or lowered sign stays on its line when it is small, or a mark over a letter.
        middle = (glyph.bottom + glyph.top) / 2
        small = glyph.font.size < 0.85 * last.font.size or last.font.size < 0.85 * glyph.font.size
        mark = unicodedata.combining(glyph.text[:1]) or unicodedata.combining(last.text[:1])
        inside = last.bottom - 0.2 * size <= middle <= last.top + 0.2 * size
        if not ((small or mark) and inside):
            return False
    gap = max(glyph.left - bounds[1], bounds[0] - glyph.right)
    # A program that draws a line in one piece may stretch its spaces far to fill the column.
    return gap <= (_STRETCHED_GAP if glyph.source and glyph.source == last.source else _WIDE_GAP) * size


def _line_of(glyphs: list[Glyph], page: int) -> Line | None:
    """The line that some glyphs make; ``None`` when they are all spaces."""
    while glyphs and glyphs[-1].text.isspace():
        glyphs.pop()
    while glyphs and glyphs[0].text.isspace():
        glyphs.pop(0)
    if not glyphs:
        return None
    sizes: Counter[float] = Counter()
    bases: Counter[float] = Counter()
    for glyph in glyphs:
        if not glyph.text.isspace():
            sizes[glyph.font.size] += 1
    size = sizes.most_common(1)[0][0]
    for glyph in glyphs:
        if glyph.font.size == size:
            bases[round(glyph.base, 1)] += 1
    inked = [glyph for glyph in glyphs if glyph.right > glyph.left and not _is_mark(glyph)] or glyphs
    line = Line(
        glyphs,
        page,
        left=min(glyph.left for glyph in inked),
        right=max(glyph.right for glyph in inked),
        bottom=min(glyph.bottom for glyph in inked if glyph.font.size == size or glyph is inked[0]),
        top=max(glyph.top for glyph in inked if glyph.font.size == size or glyph is inked[0]),
        base=bases.most_common(1)[0][0],
        size=size,
    )
    letters = [glyph for glyph in glyphs if not glyph.text.isspace()]
    line.bold = all(glyph.font.bold for glyph in letters)
    line.monospace = sum(glyph.font.monospace for glyph in letters) >= 0.9 * len(letters)
    foreign = [glyph.text[0] for glyph in letters if glyph.text[0] > "\u0590"]
    if foreign:
        from_right = sum(is_right_to_left(character) for character in foreign)
        line.right_to_left = from_right * 2 > sum(glyph.text[0].isalpha() for glyph in letters)
    _spell(line)
    return line if line.text else None


def _spell(line: Line) -> None:
    """Set the text of the line and where monospaced pieces are in it."""
    if line.monospace and not line.right_to_left:
        line.text = unicodedata.normalize("NFC", _typewritten(line.glyphs))
        line.mono_spans = [(0, len(line.text))]
        return
    parts: list[str] = []
    length = 0
    start = -1
    for glyph in _with_marks_in_place(line.glyphs):
        text = glyph.text
        if text == " " and (not parts or parts[-1].endswith(" ")):
            continue
        mono = glyph.font.monospace and text != " "
        if mono and start < 0:
            start = length
        elif not glyph.font.monospace and start >= 0:
            line.mono_spans.append((start, length))
            start = -1
        parts.append(text)
        length += len(text)
    if start >= 0:
        line.mono_spans.append((start, length))
    line.text = unicodedata.normalize("NFC", "".join(parts)).rstrip()
    if len(line.text) != len("".join(parts).rstrip()):
        line.mono_spans = []


def _typewritten(glyphs: list[Glyph]) -> str:
    """Text in which every space counts: as many as glyphs of this width would fit into the gap."""
    inked = [glyph for glyph in glyphs if glyph.text != " "]
    widths = sorted(glyph.right - glyph.left for glyph in inked)
    advance = max(widths[len(widths) // 2], 0.3 * inked[0].font.size) if widths else 1.0
    parts: list[str] = []
    end = inked[0].left if inked else 0.0
    for glyph in inked:
        parts.append(" " * min(200, max(0, round((glyph.left - end) / advance))) + glyph.text)
        end = max(glyph.right, glyph.left + (advance if len(glyph.text) == 1 else 0.0))
    return "".join(parts)


def _with_marks_in_place(glyphs: list[Glyph]) -> list[Glyph]:
    """Combining marks moved behind the letter that they stand over."""
    if not any(unicodedata.combining(glyph.text[:1]) for glyph in glyphs):
        return glyphs
    letters = [glyph for glyph in glyphs if not unicodedata.combining(glyph.text[:1])]
    if (len(glyphs) - len(letters)) * len(letters) > _MAX_PAIRS:
        return glyphs
    marks: dict[int, list[Glyph]] = {}
    for glyph in glyphs:
        if unicodedata.combining(glyph.text[:1]):
            marks.setdefault(_letter_under(glyph, letters), []).append(glyph)
    placed: list[Glyph] = list(marks.get(-1, ()))
    for index, letter in enumerate(letters):
        placed.append(letter)
        placed.extend(marks.get(index, ()))
    return placed


def _letter_under(mark: Glyph, letters: list[Glyph]) -> int:
    middle = (mark.left + mark.right) / 2
    best, distance = -1, math.inf
    for index, letter in enumerate(letters):
        if letter.text.isspace():
            continue
        away = max(letter.left - middle, middle - letter.right, 0.0)
        if away < distance or (away == distance and abs(letter.base - mark.base) < mark.font.size):
            best, distance = index, away
    return best
