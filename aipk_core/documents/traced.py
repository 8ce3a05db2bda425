"""Text that remembers which characters of which file each of its pieces came from.

A page of a site is put together from several files and rewritten twice (templates, then Markdown to HTML) before it
becomes blocks. ``Traced`` carries the way back through all of that.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from aipk_core.documents.model import Origin

_LINE = re.compile(r"([^\r\n]*)(\r\n|\r|\n|\Z)")


class SourceText:
    """The decoded text of one file, with the way from characters to bytes.

    Args:
        file: path inside the source; ``""`` for the document's own file.
        text: decoded text, as it stands in the file (line ends included), without a byte order mark.
        encoding: codec of the file; positions in bytes are counted in it.
        data: the file itself; keeps the lines in step where damaged bytes were replaced in the text.
    """

    __slots__ = ("_ascii", "_data", "_line_bytes", "_line_chars", "encoding", "file", "skipped", "text")

    def __init__(self, file: str, text: str, encoding: str = "utf-8", data: bytes = b"") -> None:
        self.file = file
        self.text = text
        self.encoding = encoding.lower().replace("_", "-")
        self.skipped = mark_size(data)
        self._data = data
        self._ascii = text.isascii() and not self.encoding.startswith(("utf-16", "utf-32"))
        self._line_chars: list[int] = []
        self._line_bytes: list[int] = []

    def byte_offset(self, position: int) -> int:
        """The byte at which character ``position`` starts."""
        if self._ascii:
            return self.skipped + position
        if not self._line_chars:
            self._measure()
        line = bisect_right(self._line_chars, position) - 1
        offset = self._line_bytes[line] + self._size(self.text[self._line_chars[line] : position])
        return min(offset, self._line_bytes[line + 1])

    def _measure(self) -> None:
        lines = self.text.split("\n")
        sizes = [self._size(line + "\n") for line in lines]
        if self._data and not self.encoding.startswith(("utf-16", "utf-32")):
            in_file = self._data[self.skipped :].split(b"\n")
            if len(in_file) == len(lines):
                sizes = [len(line) + 1 for line in in_file]
        chars, size = 0, self.skipped
        for line, line_size in zip(lines, sizes, strict=True):
            self._line_chars.append(chars)
            self._line_bytes.append(size)
            chars += len(line) + 1
            size += line_size
        self._line_bytes.append(len(self._data) or size)
        self._data = b""

    def _size(self, text: str) -> int:
        # utf-16 and utf-32 without a byte order would write a mark in front of every piece
        codec = {"utf-16": "utf-16-le", "utf-32": "utf-32-le"}.get(self.encoding, self.encoding)
        return len(text.encode(codec, "replace"))


@dataclass(frozen=True, slots=True)
class Place:
    """Characters ``[start, end)`` of ``source``; ``literal`` when the piece has exactly these characters in this order."""

    source: SourceText
    start: int
    end: int
    origin: Origin = Origin.LITERAL
    literal: bool = False
    boilerplate: bool = False

    def part(self, start: int, end: int) -> Place:
        """The place of ``piece[start:end]``; the whole place when characters cannot be told apart."""
        if not self.literal:
            return self
        return Place(self.source, self.start + start, self.start + end, self.origin, True, self.boilerplate)


Piece = tuple[str, Place | None]


@dataclass(slots=True)
class Traced:
    """Pieces of text in their order; built by appending, then read."""

    pieces: list[Piece] = field(default_factory=list)
    _text: str | None = None
    _starts: list[int] | None = None

    @classmethod
    def of(cls, text: str, place: Place | None = None) -> Traced:
        return cls([(text, place)] if text else [])

    @classmethod
    def of_source(cls, source: SourceText, start: int = 0, origin: Origin = Origin.LITERAL) -> Traced:
        """``source.text[start:]`` with line ends as ``\\n``."""
        text = source.text
        if "\r" not in text:
            return cls.of(text[start:], Place(source, start, len(text), origin, True))
        traced = cls()
        for line in _LINE.finditer(text, start):
            if line.end() > line.start():
                shown = line[1] + ("\n" if line[2] else "")
                traced.append(shown, Place(source, line.start(), line.start() + len(shown), origin, True))
        return traced

    def append(self, text: str, place: Place | None) -> None:
        if text:
            self.pieces.append((text, place))
            self._text = self._starts = None

    def extend(self, pieces: Iterable[Piece]) -> None:
        self.pieces.extend(piece for piece in pieces if piece[0])
        self._text = self._starts = None

    @property
    def text(self) -> str:
        if self._text is None:
            self._text = "".join(text for text, _ in self.pieces)
        return self._text

    def slice(self, start: int, end: int) -> Iterator[Piece]:
        """The pieces of ``text[start:end]``."""
        if end <= start:
            return
        starts = self._offsets()
        index = bisect_right(starts, start) - 1
        while index < len(self.pieces) and starts[index] < end:
            text, place = self.pieces[index]
            offset = starts[index]
            low, high = max(start - offset, 0), min(end - offset, len(text))
            if low == 0 and high == len(text):
                yield text, place
            elif low < high:
                yield text[low:high], place.part(low, high) if place else None
            index += 1

    def cut(self, start: int, end: int) -> Traced:
        return Traced(list(self.slice(start, end)))

    def place(self, start: int, end: int) -> Place | None:
        """One place, not literal, that covers ``text[start:end]`` as far as it comes from the file of its first piece."""
        first: Place | None = None
        last: Place | None = None
        for _, place in self.slice(start, end):
            if place is None:
                continue
            if first is None:
                first = last = place
            elif place.source is first.source and place.origin is first.origin and last and place.start >= last.start:
                last = place
        if first is None or last is None:
            return None
        return Place(first.source, first.start, max(first.end, last.end), first.origin, False, first.boilerplate)

    def _offsets(self) -> list[int]:
        if self._starts is None:
            offset, starts = 0, []
            for text, _ in self.pieces:
                starts.append(offset)
                offset += len(text)
            self._starts = starts or [0]
        return self._starts


def mark_size(data: bytes) -> int:
    """Bytes of a byte order mark at the start of ``data``."""
    for mark in (b"\xef\xbb\xbf", b"\xff\xfe\0\0", b"\0\0\xfe\xff", b"\xff\xfe", b"\xfe\xff"):
        if data.startswith(mark):
            return len(mark)
    return 0
