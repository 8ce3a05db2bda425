"""Line breaks in raw text: which end a sentence, which were only put there to wrap a line, and where items start."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_REACH: Final = 140  # no wrapped line is longer
_ITEM_REACH: Final = 1000  # the next item of a list starts within this many characters
_SHORTEST: Final = 40
_BREAKS: Final = re.compile(r"\r\n|[\n\r\u2028]")
_ITEM: Final = re.compile(r"(?:[•⁃‣▪●◦–—*+|#>-]|\(?\d{1,3}[.)]|\(?[A-Za-z][.)]|[A-Z][\w ]{0,20}:)(?=\s|[\d|#>])")
_FIRST_ITEM: Final = re.compile(
    r"[ \t]*+(?:(?P<label>\d{1,3}|[a-z])(?P<delimiter>[.)]{1,2})[ \t]+(?=\S)|(?P<bullet>[•⁃‣▪●◦]))"
)
_NUMBERED_INLINE: Final = re.compile(r"(?<=[a-z0-9] )1\)(?=[ ]\w)")
_LINK_OR_FACE: Final = re.compile(r"\s(?:https?://|www\.)|[:;=][-'^]?[)(DPp]\s")
_STOPPED: Final = ".!?…:。！？"


class LineBreaks:
    """Decides the line breaks of one text, in ascending order of their offsets."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.width = 0  # of the widest line of the paragraph so far
        self.wrapped = False  # whether the line break before this one only wrapped a line

    def breaks(self, begin: int, end: int) -> bool:
        """Whether the line break ``text[begin:end]`` (white space with a line separator in it) ends a sentence.

        A blank line does. A single line separator does, unless the text is wrapped there: the line has 40 to 140
        characters, the next word would have made it the widest of its paragraph, and it opens no list item.
        """
        text = self.text
        gap = text[begin:end]
        if "\u2029" in gap or len(_BREAKS.findall(gap)) > 1:
            self.width = 0
            self.wrapped = False
            return True
        line_start = _line_start(text, begin)
        length = begin - line_start
        if (line_start == 0 and begin > _REACH) or length < _SHORTEST or end >= len(text):
            self.width = max(self.width, min(length, _REACH))
            return True
        if _ITEM.match(text, end) or _LINK_OR_FACE.search(text, begin - 4, end + 8):
            return True
        self.width = max(self.width, length)
        next_end = self._line_end(end)
        word = text[end : end + 24].split(None, 1)[0]
        if next_end - end >= _REACH:
            return True
        filled = self._fills(length, word, next_end - end)
        self.wrapped = filled and (self.wrapped or self._goes_on(end, next_end))
        goes_on = word[0].islower() and text[begin - 1] not in _STOPPED
        return not (goes_on or self.wrapped)

    def _line_end(self, start: int) -> int:
        found = _BREAKS.search(self.text, start, start + _REACH + 1)
        return found.start() if found else min(len(self.text), start + _REACH)

    def _fills(self, length: int, next_word: str, next_length: int) -> bool:
        """Whether the next word would have made this the widest line."""
        return length + 1 + len(next_word) > max(self.width, next_length)

    def _goes_on(self, begin: int, line_end: int) -> bool:
        """Whether the line after a filled one is filled as well: two lines of like length may be chance, three are not."""
        text = self.text
        start = line_end + 1
        if start >= len(text) or text[start].isspace():
            return False
        next_end = self._line_end(start)
        return self._fills(line_end - begin, text[start : start + 24].split(None, 1)[0], next_end - start)


def _line_start(text: str, end: int) -> int:
    """Where the line that ends at ``end`` starts; 0 if that is out of reach."""
    earliest = max(0, end - _REACH)
    start = text.rfind("\n", earliest, end)
    return max(start, text.rfind("\r", earliest, end), text.rfind("\u2028", earliest, end)) + 1


def item_starts(text: str) -> set[int]:
    """Offsets of list items that follow the first item of their list on the same line: "1) one 2) two", "• a • b"."""
    starts: set[int] = set()
    line_start = 0
    while line_start >= 0:
        line_end = text.find("\n", line_start)
        found = _FIRST_ITEM.match(text, line_start)
        if found and found["bullet"]:
            starts.update(
                _following_bullets(text, found["bullet"], found.end(), line_end if line_end >= 0 else len(text))
            )
        elif found:
            starts.update(_following_items(text, found["label"], found["delimiter"], found.end()))
        line_start = line_end + 1 if line_end >= 0 else -1
    if " 1) " in text:
        for found in _NUMBERED_INLINE.finditer(text):
            if following := _following_items(text, "1", ")", found.end()):
                starts.update((found.start(), *following))
    return starts


def _following_bullets(text: str, bullet: str, position: int, line_end: int) -> Iterator[int]:
    at = text.find(f" {bullet}", position, line_end)
    while at >= 0:
        yield at + 1
        at = text.find(f" {bullet}", at + 2, line_end)


def _following_items(text: str, label: str, delimiter: str, position: int) -> list[int]:
    """Where the items after the one labelled ``label`` start on its line; none after a comma: that is an enumeration."""
    items: list[int] = []
    while label := _next_label(label):
        at = text.find(f" {label}{delimiter} ", position, position + _ITEM_REACH)
        if at < 0 or "\n" in text[position:at] or text[at - 1] in ",;:" or text.endswith((" and", " or"), position, at):
            break
        items.append(at + 1)
        position = at + 1
    return items


def _next_label(label: str) -> str:
    if label.isdigit():
        return str(int(label) + 1)
    return chr(ord(label) + 1) if label < "z" else ""
