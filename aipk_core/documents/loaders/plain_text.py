"""Plain text: paragraphs between blank lines, with the headings, lists and verbatim parts that people set by eye."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from aipk_core.documents.builder import DocumentBuilder, Run
from aipk_core.documents.loaders.encodings import Decoded, decode
from aipk_core.documents.loaders.limits import Watch
from aipk_core.documents.loaders.registry import LoadContext, RawDocument
from aipk_core.documents.loaders.scripts import dominant_language, line_joint
from aipk_core.documents.model import Document
from aipk_core.errors import DocumentError


def load_text(raw: RawDocument, context: LoadContext) -> Document:
    """Read a text file: hard-wrapped lines are rejoined, headings and list items recognised.

    The licence text that Project Gutenberg puts around its books is marked as boilerplate.

    Raises:
        DocumentError: ``invalid``, ``misleading-charset``, ``empty``, ``too-large``, ``timeout``.
    """
    decoded = decode(raw.data, raw.encoding or editor_declaration(raw.data), where=raw.id)
    builder = DocumentBuilder(raw.id, len(raw.data))
    builder.problems.extend(decoded.problems)
    watch = Watch(raw.id, context.limits)
    if decoded.text.count("\n") > 4 * context.limits.max_blocks:
        raise DocumentError(
            f"the file has more than {4 * context.limits.max_blocks} lines",
            code="too-large",
            where=raw.id,
            remedy="Split the file or raise max_blocks",
        )
    lines = list(_lines(decoded, raw.data))
    body = _book_body(lines)
    writer = _Writer(builder)
    for paragraph in _paragraphs(lines):
        watch.check(builder)
        writer.add(paragraph, boilerplate=paragraph[0].number not in body)
    watch.finish(builder)
    lang = raw.lang or dominant_language(decoded.text, encoding=decoded.encoding)
    return builder.build(title=writer.title, url=raw.url, lang=lang, media_type="text/plain")


def editor_declaration(data: bytes) -> str:
    """The encoding that Emacs or Vim settings in the first two lines declare, ``""`` if none."""
    match = _EDITOR_CODING.search(b"\n".join(data[:400].split(b"\n")[:2]))
    return match.group(1).decode("ascii", "ignore") if match else ""


_EDITOR_CODING = re.compile(rb"(?:-\*-|\bvim?:|\bex:)[^\n]{0,80}?(?:coding|fileencoding|fenc)[:=]\s*([\w.-]{2,30})")
_LINE = re.compile(r"([^\n\r\x0b\x0c\x85\u2028\u2029]*)(\r\n|[\n\r\x0b\x0c\x85\u2028\u2029]|$)")


@dataclass(frozen=True, slots=True)
class _Line:
    """A line without its end; bytes are ``-1`` where decoding lost or changed something."""

    number: int
    text: str
    byte_start: int
    byte_end: int

    def run(self, text: str = "") -> Run:
        return Run(text or self.text, self.byte_start, self.byte_end)


def _lines(decoded: Decoded, data: bytes) -> Iterator[_Line]:
    encoded = decoded.text.encode(decoded.encoding, "ignore")
    exact = data.endswith(encoded)
    position = len(data) - len(encoded)
    for number, match in enumerate(_LINE.finditer(decoded.text)):
        size = len(match.group(1).encode(decoded.encoding, "ignore")) if exact else 0
        yield _Line(number, match.group(1), position if exact else -1, position + size if exact else -1)
        if exact:
            position += len(match.group(0).encode(decoded.encoding, "ignore"))


_BOOK_START = re.compile(r"^\s*\*{3}\s*START OF (?:THE|THIS) PROJECT GUTENBERG", re.IGNORECASE)
_BOOK_END = re.compile(r"^\s*(?:\*{3}\s*END OF (?:THE|THIS) PROJECT|End of (?:the )?Project) GUTENBERG", re.IGNORECASE)


def _book_body(lines: Sequence[_Line]) -> range:
    """The lines between the licence texts of a Project Gutenberg book; all lines of any other text."""
    start = next((line.number + 1 for line in lines if _BOOK_START.match(line.text)), 0)
    if not start:
        return range(len(lines))
    end = next((line.number for line in lines[start:] if _BOOK_END.match(line.text)), len(lines))
    return range(start, end)


def _paragraphs(lines: Sequence[_Line]) -> Iterator[list[_Line]]:
    paragraph: list[_Line] = []
    for line in lines:
        if line.text.strip():
            paragraph.append(line)
        elif paragraph:
            yield paragraph
            paragraph = []
    if paragraph:
        yield paragraph


_ITEM = re.compile(r"^(\s*)(?:[-*+•‣◦–▪]|\(?(?:\d{1,3}|[a-zA-Z]|[ivxlIVXL]{1,5})[.)])\s+(?=\S)")
_RULE = re.compile(r"^\s*(?:[-=*_~#+]\s*){3,}$")
_UNDERLINE = re.compile(r"^(=+|-+|~+|\*+|#+|\^+)\s*$")
_DIVISION = re.compile(
    r"^\s*(?:chapter|book|part|section|act|scene|appendix|canto|volume|letter)\s+(?:\d+|[ivxlcdm]+|[a-z]+)\b[^.!?]*\.?[^.!?]*$",
    re.IGNORECASE,
)
_COLUMNS = re.compile(r"\S(?: {3,}|\t+)\S")
_LONG_LINE = 120


class _Writer:
    """Turns paragraphs into blocks, keeping the list that successive items belong to."""

    def __init__(self, builder: DocumentBuilder) -> None:
        self._builder = builder
        self._list: int | None = None
        self._last: int | None = None
        self._styles: dict[str, int] = {}
        self.title = ""

    def add(self, lines: list[_Line], *, boilerplate: bool) -> None:
        lines = [line for line in lines if not (_RULE.match(line.text) and len(lines) == 1)]
        if not lines:
            return
        level = self._heading_level(lines)
        if level:
            self._list = None
            self._heading(level, lines, boilerplate)
        elif _ITEM.match(lines[0].text):
            self._items(lines, boilerplate)
        else:
            self._list = None
            self._prose(lines, boilerplate)

    def _heading_level(self, lines: list[_Line]) -> int:
        if len(lines) == 2 and (mark := _UNDERLINE.match(lines[1].text)) and len(mark.group(1)) >= 3:
            return self._style_level(mark.group(1)[0])
        text = " ".join(line.text.strip() for line in lines)
        if len(lines) > 2 or len(text) > 90:
            return 0
        if _DIVISION.match(text) and (text[:1].isupper()):
            return 2
        letters = [character for character in text if character.isalpha()]
        capitals = len(letters) >= 4 and all(character.isupper() for character in letters)
        # Scripts without capitals never get here: their letters are not upper case.
        return 2 if capitals and not text.rstrip().endswith((",", ";", "!", "?", '"', "”")) else 0

    def _style_level(self, sign: str) -> int:
        """The usual level of a line under a title; one deeper for each other sign that the text uses on that level."""
        level = self._styles.get(sign) or (1 if sign in "=#*" else 2)
        while level < 6 and self._styles.get(sign) is None and level in self._styles.values():
            level += 1
        return self._styles.setdefault(sign, level)

    def _heading(self, level: int, lines: list[_Line], boilerplate: bool) -> None:
        if _UNDERLINE.match(lines[-1].text):
            lines = lines[:-1]
        index = self._builder.add(f"h{level}", _joined(lines), boilerplate=boilerplate)
        if index is not None and not self.title and not boilerplate:
            self.title = " ".join(" ".join(line.text for line in lines).split())
        self._last = None

    def _items(self, lines: list[_Line], boilerplate: bool) -> None:
        if self._list is None:
            self._list = self._builder.new_number()
        items: list[list[_Line]] = []
        for line in lines:
            if _ITEM.match(line.text) or not items:
                items.append([line])
            else:
                items[-1].append(line)
        for item in items:
            self._builder.add(
                "li",
                _joined(item, skip=_ITEM.match(item[0].text)),
                group=self._builder.new_number(),
                container=self._list,
                lead_in=self._last,
                boilerplate=boilerplate,
            )

    def _prose(self, lines: list[_Line], boilerplate: bool) -> None:
        in_columns = sum(1 for line in lines if _COLUMNS.search(line.text.strip()))
        if len(lines) >= 2 and in_columns * 2 > len(lines):
            runs = [line.run(line.text + "\n") for line in lines]
            self._builder.add("code", runs, boilerplate=boilerplate)
            self._last = None
        elif max(len(line.text) for line in lines) > _LONG_LINE:  # not wrapped by hand: a line is a paragraph
            for line in lines:
                self._last = self._builder.add("p", [line.run()], boilerplate=boilerplate)
        else:
            self._last = self._builder.add("p", _joined(lines), boilerplate=boilerplate)


def _joined(lines: Sequence[_Line], skip: re.Match[str] | None = None) -> list[Run]:
    """Runs of wrapped lines: joined by a space, by nothing after a hyphen or dash, and by nothing in Chinese."""
    runs: list[Run] = []
    for index, line in enumerate(lines):
        text = line.text[skip.end() :] if skip and index == 0 else line.text
        text = text.strip()
        if index + 1 < len(lines) and text:
            after = lines[index + 1].text.lstrip()[:1]
            glued = text[-1] in "-—" and text[-2:-1].strip() and after.isalpha()
            text += "" if glued else line_joint(text[-1], after)
        runs.append(line.run(text) if text else Run(""))
    return runs
