"""Reads the groups and control words of RTF into paragraphs and table rows."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace

MAX_DEPTH = 2_000


@dataclass(slots=True)
class Paragraph:
    """Text of a paragraph, its heading level (0 for none), whether it is a list item, and its footnotes."""

    text: str
    heading: int = 0
    is_item: bool = False
    notes: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _State:
    """What a group inherits from the one around it."""

    destination: str = "body"
    font: int = -1
    unicode_skip: int = 1
    hidden: bool = False
    associated: bool = False  # \dbch: bytes belong to the associated font
    associated_font: int = -1


_TOKEN = re.compile(
    rb"\\(?:([a-zA-Z]{1,32})(-?\d{1,10})? ?|'([0-9a-fA-F]{2})|([^a-zA-Z]))|([{}])|([^\\{}\r\n]+)|[\r\n]+", re.DOTALL
)

_SKIPPED = frozenset({
    "fonttbl", "colortbl", "stylesheet", "info", "pict", "header", "headerl", "headerr", "headerf", "footer", "footerl",
    "footerr", "footerf", "annotation", "atnid", "atnauthor", "atndate", "atnref", "atrfstart", "atrfend", "fldinst",
    "listtable", "listoverridetable", "rsidtbl", "generator", "objdata", "objclass", "bkmkstart", "bkmkend", "nonshppict",
    "filetbl", "revtbl", "themedata", "colorschememapping", "latentstyles", "datastore", "xmlnstbl", "mmathPr", "ftnsep",
    "ftnsepc", "aftnsep", "aftnsepc", "ftncn", "aftncn", "tc", "xe", "pnseclvl", "pn", "listname", "sp", "sn", "sv",
    "blipuid", "pgdsctbl", "wgrffmtfilter", "userprops", "docvar", "template", "background", "do",
})  # fmt: skip
_KEPT_AFTER_STAR = frozenset({"shptxt", "shpinst", "shp", "shprslt", "ud", "footnote"})
_SIGNS = {
    "tab": "\t", "line": "\n", "lbr": "\n", "emdash": "—", "endash": "–", "lquote": "‘", "rquote": "’",
    "ldblquote": "“", "rdblquote": "”", "bullet": "•", "emspace": " ", "enspace": " ", "qmspace": " ", "zwj": "\u200d",
    "zwnj": "\u200c", "ltrmark": "", "rtlmark": "",
}  # fmt: skip
_SYMBOLS = {b"~": " ", b"_": "-", b"-": "", b"{": "{", b"}": "}", b"\\": "\\", b"\n": "\\par", b"\r": "\\par"}

_CHARSETS = {
    0: "cp1252", 77: "mac_roman", 78: "cp932", 128: "cp932", 129: "cp949", 130: "johab", 134: "gb18030",
    136: "big5hkscs", 161: "cp1253", 162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257",
    204: "cp1251", 222: "cp874", 238: "cp1250", 254: "cp437", 255: "cp437",
}  # fmt: skip
_CODE_PAGES = {
    "708": "iso8859_6", "932": "cp932", "936": "gb18030", "949": "cp949", "950": "big5hkscs", "10000": "mac_roman",
    "10007": "mac_cyrillic", "65001": "utf-8", "1361": "johab", "709": "cp1256", "10001": "cp932",
}  # fmt: skip
_DOUBLE_BYTE = frozenset({"cp932", "cp949", "gb18030", "big5hkscs", "johab"})
_HEADING = re.compile(r"^(?:heading|überschrift|titre|título|заголовок|标题|見出し)\s*(\d)", re.IGNORECASE)


class RtfReader:
    """Calls ``paragraph`` for each paragraph outside tables and ``row`` for each table row, in order.

    Args:
        tick: called now and then; may raise to stop.

    Attributes:
        facts: title, author and the like.
        unclosed: whether the file ended inside a group.
    """

    def __init__(
        self,
        data: bytes,
        paragraph: Callable[[Paragraph], None],
        row: Callable[[list[list[Paragraph]]], None],
        tick: Callable[[], None],
    ) -> None:
        self._data = data
        self._emit, self._emit_row, self._tick = paragraph, row, tick
        self._state = _State()
        self._stack: list[_State] = []
        self._fonts: dict[int, str] = {}
        self._styles: dict[int, int] = {}
        self._default_encoding = "cp1252"
        self._default_font = -1
        self._bytes = bytearray()
        self._parts: list[str] = []
        self._note_parts: list[str] = []
        self._notes: list[str] = []
        self._skip = 0
        self._surrogate = 0
        self._table_text: list[str] = []
        self._number = -1
        self._heading, self._is_item, self._in_table, self._style_heading = 0, False, False, 0
        self._cell: list[Paragraph] = []
        self._cells: list[list[Paragraph]] = []
        self._starred = False
        self.facts: dict[str, str] = {}
        self.unclosed = False

    def read(self) -> None:
        position, count = 0, 0
        data = self._data
        while position < len(data):
            match = _TOKEN.match(data, position)
            if match is None:  # a lone backslash at the very end
                break
            position = match.end()
            count += 1
            if count % 4096 == 0:
                self._tick()
            word, number, code, symbol, brace, text = match.groups()
            if brace == b"{":
                self._open()
            elif brace == b"}":
                self._close()
            elif word is not None:
                value = int(number) if number else None
                if word == b"bin" and value and value > 0:
                    position += value
                else:
                    self._word(word.decode("ascii"), value)
            elif code is not None:
                self._add_byte(int(code, 16))
            elif symbol is not None:
                self._symbol(symbol)
            elif text is not None:
                self._text(text)
        self.unclosed = bool(self._stack)
        self._end_paragraph()
        if self._cells:
            self._end_row()

    # --- groups

    def _open(self) -> None:
        self._flush()
        if len(self._stack) < MAX_DEPTH:
            self._stack.append(replace(self._state))
        self._starred = False

    def _close(self) -> None:
        self._flush()
        destination = self._state.destination
        if not self._stack:
            return
        self._state = self._stack.pop()
        if destination == "footnote" and self._state.destination != "footnote":
            note = "".join(self._note_parts)
            self._note_parts = []
            if note.strip():
                self._notes.append(note)
        elif destination in ("font", "style") and self._state.destination in ("fonttbl", "stylesheet"):
            self._end_entry(destination)
        self._starred = False

    def _end_entry(self, destination: str) -> None:
        name = "".join(self._table_text).strip(" ;")
        self._table_text = []
        if destination == "style":
            match = _HEADING.match(name)
            level = int(match.group(1)) if match else (1 if name.casefold() == "title" else 0)
            if level and self._number >= 0:
                self._styles[self._number] = min(6, level)
        self._number = -1

    # --- control words

    def _word(self, word: str, value: int | None) -> None:
        if word == "u" and value is not None:
            self._unicode(value)
            return
        self._flush()
        self._skip = 0
        state = self._state
        if word == "upr":  # the same text twice: in the file's code page, then as Unicode
            state.destination = f"upr:{state.destination}"
        elif word == "ud":
            state.destination = state.destination.removeprefix("upr:")
        elif state.destination.startswith("upr:"):
            pass
        elif word in ("fonttbl", "stylesheet"):
            state.destination = word
        elif state.destination in ("fonttbl", "stylesheet", "font", "style"):
            self._table_word(word, value)
        elif word == "info":
            state.destination = "info"
        elif state.destination == "info" or state.destination.startswith("info:"):
            if word in ("title", "author", "subject", "keywords"):
                state.destination = f"info:{word}"
        elif word in ("footnote",):
            state.destination = "footnote" if state.destination == "body" else state.destination
        elif word in ("listtext", "pntext"):
            self._is_item = self._is_item or state.destination == "body"
            state.destination = "skip"
        elif word in _SKIPPED or (self._starred and word not in _KEPT_AFTER_STAR):
            state.destination = "skip"
        else:
            self._format(word, value)
        self._starred = False

    def _table_word(self, word: str, value: int | None) -> None:
        state = self._state
        if word == "f" and state.destination in ("fonttbl", "font"):
            state.destination, self._number = "font", value if value is not None else -1
        elif word == "fcharset" and value is not None:
            if value in _CHARSETS and self._number >= 0:
                self._fonts[self._number] = _CHARSETS[value]
        elif word == "cpg" and value is not None and self._number >= 0:
            self._fonts[self._number] = _code_page(value)
        elif word in ("s", "cs", "ds", "ts") and state.destination == "stylesheet":
            state.destination = "style"
            self._number = value if word == "s" and value is not None else -1

    def _format(self, word: str, value: int | None) -> None:
        state = self._state
        if word in _SIGNS:
            self._append(_SIGNS[word])
        elif word in ("par", "sect", "page") or (word == "nestcell"):
            if state.destination == "footnote":
                self._append(" ")
            elif word != "page":
                self._end_paragraph()
        elif word in ("cell", "row"):
            self._end_cell() if word == "cell" else self._end_row()
        elif word == "pard":
            self._heading, self._is_item, self._in_table, self._style_heading = 0, False, False, 0
        elif word == "intbl":
            self._in_table = True
        elif word == "s":
            self._style_heading = self._styles.get(value or 0, 0)
        elif word == "outlinelevel" and value is not None and 0 <= value <= 8:
            self._heading = min(6, value + 1)
        elif word == "ls":
            self._is_item = bool(value)
        elif word == "f":
            state.font, state.associated = (value if value is not None else -1), False
        elif word == "af":
            state.associated_font = value if value is not None else -1
        elif word in ("dbch", "loch", "hich"):
            state.associated = word == "dbch"
        elif word == "plain":
            state.hidden, state.font, state.associated = False, self._default_font, False
        elif word in ("v", "deleted"):
            state.hidden = value != 0
        elif word == "uc":
            state.unicode_skip = min(max(value or 0, 0), 32)
        elif word == "ansicpg" and value is not None:
            self._default_encoding = _code_page(value)
        elif word in ("mac", "pc", "pca"):
            self._default_encoding = {"mac": "mac_roman", "pc": "cp437", "pca": "cp850"}[word]
        elif word == "deff":
            self._default_font = value if value is not None else -1

    def _symbol(self, symbol: bytes) -> None:
        if symbol == b"*":
            self._starred = True
            return
        sign = _SYMBOLS.get(symbol)
        if sign is None:
            return
        self._flush()
        if sign == "\\par":
            self._end_paragraph()
        elif self._skip:
            self._skip -= 1
        else:
            self._append(sign)

    # --- text

    def _unicode(self, value: int) -> None:
        self._flush()
        code = value % 65536
        self._skip = self._state.unicode_skip
        if 0xD800 <= code < 0xDC00:
            self._surrogate = code
        elif 0xDC00 <= code < 0xE000:
            if self._surrogate:
                self._append(chr(0x10000 + ((self._surrogate - 0xD800) << 10) + code - 0xDC00))
            self._surrogate = 0
        elif 0xF020 <= code < 0xF0FF:
            self._append("•" if code == 0xF0B7 else "")
        else:
            self._append(chr(code))

    def _add_byte(self, byte: int) -> None:
        if self._skip:
            self._skip -= 1
        else:
            self._bytes.append(byte)

    def _text(self, text: bytes) -> None:
        if self._skip:
            dropped = min(self._skip, len(text))
            text = text[dropped:]
            self._skip -= dropped
        self._bytes += text

    def _flush(self) -> None:
        if self._bytes:
            data = bytes(self._bytes)
            self._bytes.clear()
            self._append(self._decoded(data))

    def _decoded(self, data: bytes) -> str:
        if data.isascii():
            return data.decode("ascii")
        state = self._state
        encoding = self._fonts.get(state.font if state.font >= 0 else self._default_font, self._default_encoding)
        if state.associated or encoding not in _DOUBLE_BYTE:
            other = self._fonts.get(state.associated_font, "")
            if state.associated and other:
                encoding = other
            elif self._default_encoding in _DOUBLE_BYTE and encoding == "cp1252":
                encoding = self._default_encoding  # Western fonts in an East Asian file hold East Asian bytes
        return data.decode(encoding, "replace")

    def _append(self, text: str) -> None:
        destination = self._state.destination
        if destination == "body":
            if not self._state.hidden:
                self._parts.append(text)
        elif destination == "footnote":
            if not self._state.hidden:
                self._note_parts.append(text)
        elif destination in ("font", "style"):
            if len(self._table_text) < 200:
                self._table_text.append(text)
        elif destination.startswith("info:"):
            name = destination[5:]
            self.facts[name] = (self.facts.get(name, "") + text)[:1000]

    # --- structure

    def _end_paragraph(self) -> None:
        self._flush()
        text, notes = "".join(self._parts), self._notes
        self._parts, self._notes = [], []
        paragraph = Paragraph(text, self._heading or self._style_heading, self._is_item, notes)
        if self._in_table:
            self._cell.append(paragraph)
        elif text.strip() or notes:
            if self._cells:
                self._end_row()
            self._emit(paragraph)

    def _end_cell(self) -> None:
        self._in_table = True
        self._end_paragraph()
        self._cells.append(self._cell)
        self._cell = []

    def _end_row(self) -> None:
        if self._cell:
            self._cells.append(self._cell)
            self._cell = []
        if self._cells:
            self._emit_row(self._cells)
            self._cells = []


def _code_page(number: int) -> str:
    name = _CODE_PAGES.get(str(number), f"cp{number}")
    try:
        "".encode(name)
    except LookupError:
        return "cp1252"
    return name
