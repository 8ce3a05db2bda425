"""Half-open ranges of a text, counted in Unicode code points like Python's own slices."""

from __future__ import annotations

from typing import NamedTuple


class Span(NamedTuple):
    """``text[start:end]``, with ``0 <= start <= end <= len(text)``."""

    start: int
    end: int

    def of(self, text: str) -> str:
        """The piece of ``text`` that this span covers."""
        return text[self.start : self.end]

    def shifted(self, by: int) -> Span:
        """The same range in a text that this one was cut out of at offset ``by``."""
        return Span(self.start + by, self.end + by)

    def contains(self, other: Span) -> bool:
        return self.start <= other.start and other.end <= self.end

    def overlaps(self, other: Span) -> bool:
        return self.start < other.end and other.start < self.end


def stripped(text: str, span: Span) -> Span:
    """``span`` without the white space at its two ends; empty at its start when nothing else is in it."""
    start, end = span
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return Span(start, end)
