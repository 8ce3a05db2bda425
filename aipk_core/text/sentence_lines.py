"""Line breaks in raw text: which end a sentence, which were only put there to wrap a line, and where items start."""

from __future__ import annotations

import re
from typing import Final

_REACH: Final = 140  # no wrapped line is longer
_SHORTEST: Final = 40
_BREAKS: Final = re.compile(r"\r\n|[\n\r\u2028]")
_ITEM: Final = re.compile(r"(?:[•⁃‣▪●◦–—*+|#>-]|\(?\d{1,3}[.)]|\(?[A-Za-z][.)]|[A-Z][\w ]{0,20}:)(?=\s|[\d|#>])")
_NUMBERED: Final = re.compile(r"^[ \t]*(\d{1,3}|[a-z])([.)]{1,2})[ \t]+(?=\S)", re.MULTILINE)
_BULLETED: Final = re.compile(r"^[ \t]*([•⁃‣▪●◦])", re.MULTILINE)
_STOPPED: Final = ".!?…:;。！？\"'”’)]"


class LineBreaks:
    """Decides the line breaks of one text, in ascending order of their offsets."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.width = 0  # of the widest line of the paragraph so far

    def breaks(self, begin: int, end: int) -> bool:
        """Whether the line break ``text[begin:end]`` (white space with a line separator in it) ends a sentence.

        A blank line does. A single line separator does, unless the text is wrapped there: the line has 40 to 140
        characters, the next word would have made it the widest of its paragraph, and it opens no list item.
        """
        text = self.text
        gap = text[begin:end]
        if "\u2029" in gap or len(_BREAKS.findall(gap)) > 1:
            self.width = 0
            return True
        line_start = max(text.rfind(mark, max(0, begin - _REACH), begin) for mark in "\n\r\u2028") + 1
        length = begin - line_start
        if (line_start == 0 and begin > _REACH) or length < _SHORTEST or end >= len(text):
            self.width = max(self.width, min(length, _REACH))
            return True
        self.width = max(self.width, length)
        if _ITEM.match(text, end):
            return True
        found = _BREAKS.search(text, end, end + _REACH)
        next_length = (found.start() if found else min(len(text), end + _REACH)) - end
        word = text[end : end + 24].split(None, 1)[0]
        if next_length >= _REACH:
            return True
        filled = length + 1 + len(word) > max(self.width, next_length)
        if word[0].islower() and text[begin - 1] not in _STOPPED:
            return False
        return not filled


def item_starts(text: str) -> set[int]:
    """Offsets of list items that follow the first item of their list on the same line: "1) one 2) two", "• a • b"."""
    starts: set[int] = set()
    for found in _NUMBERED.finditer(text):
        label, delimiter = found[1], found[2]
        line_end = text.find("\n", found.end())
        line_end = len(text) if line_end < 0 else line_end
        position = found.end()
        while True:
            label = _next_label(label)
            at = text.find(f" {label}{delimiter} ", position, line_end)
            if not label or at < 0:
                break
            starts.add(at + 1)
            position = at + 1
    for found in _BULLETED.finditer(text):
        line_end = text.find("\n", found.end())
        line_end = len(text) if line_end < 0 else line_end
        at = text.find(f" {found[1]}", found.end(), line_end)
        while at >= 0:
            starts.add(at + 1)
            at = text.find(f" {found[1]}", at + 2, line_end)
    return starts


def _next_label(label: str) -> str:
    if label.isdigit():
        return str(int(label) + 1)
    return chr(ord(label) + 1) if label < "z" else ""
