"""AsciiDoc: what a reader of the page that Asciidoctor renders sees, with its usual settings."""

from __future__ import annotations

import re

from aipk_core.documents.builder import DocumentBuilder, Run
from aipk_core.documents.loaders.asciidoc_inline import Inline
from aipk_core.documents.loaders.asciidoc_lines import Preprocessor, SourceLine
from aipk_core.documents.loaders.asciidoc_tables import table_rows
from aipk_core.documents.loaders.encodings import decode
from aipk_core.documents.loaders.limits import Watch
from aipk_core.documents.loaders.plain_text import editor_declaration
from aipk_core.documents.loaders.registry import LoadContext, RawDocument
from aipk_core.documents.loaders.scripts import dominant_language
from aipk_core.documents.loaders.table_blocks import add_table
from aipk_core.documents.model import Document, Origin
from aipk_core.errors import DocumentError


def load_asciidoc(raw: RawDocument, context: LoadContext) -> Document:
    """Read an AsciiDoc file; files are included only from the same source.

    Raises:
        DocumentError: ``invalid``, ``misleading-charset``, ``empty``, ``too-large``, ``timeout``.
    """
    watch = Watch(raw.id, context.limits)
    decoded = decode(raw.data, raw.encoding or editor_declaration(raw.data), where=raw.id)
    builder = DocumentBuilder(raw.id, len(raw.data))
    builder.problems.extend(decoded.problems)
    preprocessor = Preprocessor(builder, context)
    lines = preprocessor.lines(decoded.text)
    parser = _Parser(builder, watch, lines, context.limits.max_depth)
    parser.document()
    watch.finish(builder)
    attributes = preprocessor.attributes
    text = " ".join(builder.block_text(index) for index in range(min(len(builder.blocks), 200)))
    facts = {name: attributes[name][:500] for name in _FACTS if name in attributes}
    return builder.build(
        title=parser.title,
        url=raw.url,
        lang=raw.lang or dominant_language(text, attributes.get("lang", "en")),
        media_type="text/asciidoc",
        metadata=dict(facts),
    )


_FACTS: tuple[str, ...] = ("author", "revdate", "description", "keywords")
_SECTION = re.compile(r"^(={1,6}|#{1,6})[ \t]+(\S.*?)(?:[ \t]+\1)?$")
_SETEXT = {"=": 1, "-": 2, "~": 3, "^": 4, "+": 5}
_TITLE = re.compile(r"^\.(?![\s.])(.+)$")
_ATTRIBUTES = re.compile(r"^\[(?!\[)(.{0,1000})\]$")
_ANCHOR = re.compile(r"^\[\[([^\[\],]{1,200})(?:,[^\[\]]*)?\]\]$")
_DELIMITER = re.compile(r"^(-{4,}|\.{4,}|={4,}|\*{4,}|_{4,}|\+{4,}|--|```[\w+#-]*|[|,:!]={3,})$")
_BULLET = re.compile(r"^[ \t]*(\*{1,6}|-|•)[ \t]+(\S.*)$")
_NUMBER = re.compile(r"^[ \t]*(\.{1,6}|\d{1,4}\.|[a-zA-Z]\.|[ivxIVX]{1,6}\))[ \t]+(\S.*)$")
_CALLOUT = re.compile(r"^<(?:\d{1,3}|\.)>[ \t]+(\S.*)$")
_TERM = re.compile(r"^[ \t]*(\S(?:.{0,500}?\S)?)(:{2,4}|;;)(?:[ \t]+(\S.*)|)$")
_ADMONITION = re.compile(r"^(NOTE|TIP|IMPORTANT|WARNING|CAUTION):[ \t]+(\S.*)$")
_RULE = re.compile(r"^(?:'{3,}|-[ ]?-[ ]?-|\*[ ]?\*[ ]?\*|<{3,})$")
_MACRO = re.compile(r"^([a-z][\w-]{1,30})::([^\[\s][^\[]{0,1000}|)\[(.{0,2000})\]$")
_CHECK = re.compile(r"^\[(?: |x|\*)\][ \t]+")


class _Parser:
    """Reads blocks from lines and writes them; nested content is read by parsers of their own over cut-out lines."""

    def __init__(self, builder: DocumentBuilder, watch: Watch, lines: list[SourceLine], max_depth: int) -> None:
        self._builder = builder
        self._watch = watch
        self._lines = lines
        self._position = 0
        self._max_depth = max_depth
        self._inline = Inline()
        self._before: int | None = None
        self._style: list[str] = []
        self._options = ""
        self._anchor: str | None = None
        self._block_title: list[Run] | None = None
        self._group: int | None = None
        self._container: int | None = None
        self._lead_in: int | None = None
        self._kind = "p"
        self._levels: list[tuple[str, int]] = []
        self.title = ""

    def document(self) -> None:
        self._collect_titles()
        self._header()
        self._blocks(0)
        self._footnotes()

    # --- cursor

    def _peek(self) -> str | None:
        return self._lines[self._position].text if self._position < len(self._lines) else None

    def _skip_blank(self) -> None:
        while self._position < len(self._lines) and not self._lines[self._position].text.strip():
            self._position += 1

    # --- document

    def _collect_titles(self) -> None:
        """Section titles by their ids, for cross references without a text of their own."""
        identity = ""
        for line in self._lines:
            anchor, attributes, section = (
                _ANCHOR.match(line.text),
                _ATTRIBUTES.match(line.text),
                _SECTION.match(line.text),
            )
            if anchor:
                identity = anchor.group(1)
            elif attributes and attributes.group(1).startswith("#"):
                identity = re.split(r"[.,%]", attributes.group(1)[1:])[0]
            elif section:
                title = re.sub(r"\[\[[^\]]*\]\]", "", section.group(2)).strip()
                for name in (identity, _slug(title, "_"), _slug(title, "-"), title):
                    if name:
                        self._inline.titles.setdefault(name, title)
                identity = ""
            elif line.text.strip():
                identity = ""

    def _header(self) -> None:
        """Title, author and revision at the top of the document."""
        self._skip_blank()
        match = _SECTION.match(self._peek() or "")
        if not match or len(match.group(1)) != 1:
            return
        self._position += 1
        self.title = self._inline.plain(match.group(2)).strip()
        self._builder.add("h1", self._inline.runs(match.group(2)))
        while (line := self._peek()) is not None and line.strip() and not _DELIMITER.match(line):
            self._position += 1

    def _footnotes(self) -> None:
        for note in list(self._inline.footnotes):
            self._builder.add("footnote", self._inline.runs(note))
        self._inline.footnotes.clear()

    # --- blocks

    def _blocks(self, depth: int) -> None:
        while True:
            self._skip_blank()
            if self._peek() is None:
                return
            self._block(depth)

    def _block(self, depth: int) -> None:
        """Read one block, or one line that says something about the next."""
        self._watch.check(self._builder)
        if depth > self._max_depth:
            raise DocumentError(
                "blocks nest too deep", code="invalid", where=self._builder.document_id, remedy="Exclude the file"
            )
        line = self._peek() or ""
        if self._about_next(line):
            self._position += 1
            return
        if _DELIMITER.match(line):
            self._delimited(line, depth)
        elif self._section(line) or self._special(line):
            pass
        elif self._list_marker(line) is not None:
            self._list(depth)
        elif line[:1] in " \t" and not self._styled("normal"):
            self._literal_paragraph()
        else:
            self._paragraph()
        self._style, self._options, self._anchor = [], "", None

    def _about_next(self, line: str) -> bool:
        anchor = _ANCHOR.match(line)
        if anchor:
            self._anchor = anchor.group(1)
            return True
        attributes = _ATTRIBUTES.match(line)
        if attributes:
            self._options = attributes.group(1)
            parts = [part.strip().strip("\"'") for part in self._options.split(",")]
            first = re.split(r"[#.%]", parts[0])[0] if parts else ""
            self._style = [first, *parts[1:]]
            identity = re.match(r"^[^,]*#([\w-]+)", self._options)
            if identity:
                self._anchor = identity.group(1)
            return True
        title = _TITLE.match(line)
        if title and not _NUMBER.match(line) and not _DELIMITER.match(line):
            self._block_title = self._inline.runs(title.group(1))
            return True
        return False

    def _styled(self, *names: str) -> bool:
        return bool(self._style) and self._style[0].lower() in names

    def _write(self, kind: str, runs: list[Run], **more: object) -> int | None:
        self._write_title("caption" if kind in ("code", "math") else "p")
        language = more.get("language")
        index = self._builder.add(
            kind,
            runs,
            group=self._group,
            container=self._container,
            lead_in=self._lead_in,
            language=language if isinstance(language, str) else None,
        )
        if self._group is None:
            self._before = index if kind in ("p", "caption") else None
        return index

    def _write_title(self, kind: str) -> None:
        if self._block_title is not None:
            title, self._block_title = self._block_title, None
            index = self._builder.add(kind, title, group=self._group, container=self._container, lead_in=self._lead_in)
            if self._group is None:
                self._before = index

    def _section(self, line: str) -> bool:
        match = _SECTION.match(line)
        level, title, used = (len(match.group(1)), match.group(2), 1) if match else self._setext(line)
        if not title:
            return False
        self._position += used
        self._block_title = None
        title = re.sub(r"\[\[([^\]]*)\]\]", "", title)
        anchor = self._anchor or _slug(self._inline.plain(title), "_")
        self._builder.add(f"h{level}", self._inline.runs(title), anchor=anchor)
        self._before = None
        if not self.title:
            self.title = self._inline.plain(title).strip()
        return True

    def _setext(self, line: str) -> tuple[int, str, int]:
        following = self._lines[self._position + 1].text if self._position + 1 < len(self._lines) else ""
        sign = following[:1]
        if (
            sign not in _SETEXT
            or len(following) < 3
            or following.strip(sign)
            or abs(len(following) - len(line)) > 3
            or not re.match(r"^\w", line)
        ):
            return 0, "", 0
        return _SETEXT[sign], line.strip(), 2

    def _special(self, line: str) -> bool:
        """Rules, page breaks and block macros."""
        if _RULE.match(line):
            self._position += 1
            return True
        macro = _MACRO.match(line)
        if macro is None:
            return False
        self._position += 1
        name, text = macro.group(1), macro.group(3)
        if name == "image":
            alt = text.split(",")[0].strip().strip('"')
            if alt and "=" not in alt:
                self._builder.add("alt", alt)
            self._write_title("figcaption")
        self._block_title = None
        return True

    # --- paragraphs

    def _paragraph(self) -> None:
        lines = self._paragraph_lines()
        admonition = _ADMONITION.match(lines[0].text)
        if admonition:
            lines[0] = SourceLine(admonition.group(2), lines[0].file)
        if self._styled("source", "listing", "literal"):
            self._verbatim(lines)
        elif self._styled("stem", "latexmath", "asciimath"):
            self._write("math", [Run("\n".join(line.text for line in lines))])
        elif self._styled("comment"):
            self._block_title = None
        elif all(line.text.startswith(">") for line in lines):
            self._write("blockquote", self._joined([SourceLine(line.text[1:].strip(), line.file) for line in lines]))
        else:
            kind = "blockquote" if self._styled("quote", "verse") and self._kind == "p" else self._kind
            self._write(kind, self._joined(lines))

    def _paragraph_lines(self) -> list[SourceLine]:
        lines: list[SourceLine] = []
        while (text := self._peek()) is not None and text.strip():
            if lines and (_DELIMITER.match(text) or _ATTRIBUTES.match(text) or _ANCHOR.match(text)):
                break
            if lines and self._kind in ("li", "dd"):  # inside of a list the next item, or what is attached to this one
                literal = lines[0].text[:1] in " \t" and text[:1] in " \t"
                if text == "+" or (not literal and self._list_marker(text)):
                    break
            lines.append(self._lines[self._position])
            self._position += 1
        return lines

    def _joined(self, lines: list[SourceLine]) -> list[Run]:
        """Inline markup is read over line ends; the place of all is that of the first line."""
        text = ""
        for line in lines:
            piece = re.sub(r"[ \t]\+$", "", line.text).strip()
            text += (" " if text and piece else "") + piece
        file = lines[0].file if lines else ""
        runs = self._inline.runs(text)
        return [Run(run.text, file=file, origin=Origin.INCLUDE, atom=run.atom) for run in runs] if file else runs

    def _literal_paragraph(self) -> None:
        lines = self._paragraph_lines()
        indent = min(len(line.text) - len(line.text.lstrip()) for line in lines)
        self._write("code", [Run("\n".join(line.text[indent:] for line in lines))])

    def _verbatim(self, lines: list[SourceLine]) -> None:
        language = self._style[1] if self._styled("source") and len(self._style) > 1 else None
        text = "\n".join(re.sub(r"[ \t]*(?://|#|;;|--)?[ \t]*<(?:\d{1,3}|\.)>$", "", line.text) for line in lines)
        clean_language = language if language and re.fullmatch(r"[\w+#.-]{1,40}", language) else None
        self._write("code", [Run(text)], language=clean_language)

    # --- delimited blocks

    def _delimited(self, fence: str, depth: int) -> None:
        self._position += 1
        lines: list[SourceLine] = []
        end = "```" if fence.startswith("```") else fence
        while (text := self._peek()) is not None:
            self._position += 1
            if text == end:
                break
            lines.append(self._lines[self._position - 1])
        sign = fence[0]
        if self._styled("stem", "latexmath", "asciimath"):
            self._write("math", [Run("\n".join(line.text for line in lines))])
        elif fence.startswith("```"):
            self._style = ["source", fence[3:]] if len(fence) > 3 else self._style
            self._verbatim(lines)
        elif sign in "|,:!" and fence != "--":
            self._table(fence, lines)
        elif sign == "+" or self._styled("comment"):
            self._block_title = None  # raw markup for another format
        elif (sign in "-." and fence != "--") or self._styled("source", "listing", "literal"):
            self._verbatim(lines)
        elif self._styled("verse"):
            self._write("blockquote", self._joined(lines))
        else:
            self._nested(lines, depth, quote=sign == "_" or self._styled("quote"))

    def _nested(self, lines: list[SourceLine], depth: int, *, quote: bool) -> None:
        self._write_title("p")
        outer = (self._lines, self._position, self._kind)
        self._lines, self._position = lines, 0
        self._style, self._options = [], ""
        if quote and self._kind == "p":
            self._kind = "blockquote"
        self._blocks(depth + 1)
        self._lines, self._position, self._kind = outer

    def _table(self, fence: str, lines: list[SourceLine]) -> None:
        self._write_title("caption")
        separator = {"|": "|", ",": ",", ":": ":", "!": "!"}[fence[0]]
        rows = table_rows([line.text for line in lines], self._options, separator, self._inline.runs)
        add_table(self._builder, rows, lead_in=self._before)
        self._before = None

    # --- lists

    def _list_marker(self, line: str) -> tuple[str, str, str] | None:
        """Kind of list, marker (which tells the level) and text of a list item's first line."""
        bullet = _BULLET.match(line)
        if bullet and not _RULE.match(line):
            return "bullet", bullet.group(1), bullet.group(2)
        number = _NUMBER.match(line)
        if number:
            marker = number.group(1)
            return "number", marker if marker[0] == "." else ("1." if marker[0].isdigit() else "a."), number.group(2)
        callout = _CALLOUT.match(line)
        if callout:
            return "callout", "<1>", callout.group(1)
        term = _TERM.match(line)
        if term and not _MACRO.match(line) and not re.match(r"^\w+://", line.strip()):
            return "term", term.group(2), line
        return None

    def _list(self, depth: int) -> None:
        self._write_title("p")
        outer = (self._group, self._container, self._lead_in, self._kind, self._levels)
        if self._container is None:
            self._container, self._lead_in = self._builder.new_number(), self._before
        self._levels = []
        while True:
            self._watch.check(self._builder)
            line = self._peek()
            marker = self._list_marker(line) if line is not None else None
            if line is None or marker is None:
                break
            self._position += 1
            self._group = self._builder.new_number()
            if marker[0] == "term":
                self._definition(line, depth)
            else:
                self._kind = "li"
                text = _CHECK.sub("", marker[2])
                file = self._lines[self._position - 1].file
                self._write("li", self._joined([SourceLine(text, file), *self._wrapped()]))
            self._attached(depth)
            if not self._goes_on():
                break
        self._group, self._container, self._lead_in, self._kind, self._levels = outer
        if self._container is None:
            self._before = None

    def _definition(self, line: str, depth: int) -> None:
        match = _TERM.match(line)
        if match is None:
            return
        self._write("dt", self._inline.runs(match.group(1)))
        self._kind = "dd"
        first = [SourceLine(match.group(3), self._lines[self._position - 1].file)] if match.group(3) else []
        if not first:
            blank = self._position
            self._skip_blank()
            following = self._peek()
            marker = self._list_marker(following) if following is not None else None
            ends = following is None or _SECTION.match(following) or _DELIMITER.match(following)
            if ends or (marker and marker[0] == "term") or _ATTRIBUTES.match(following or "") or following == "+":
                self._position = blank
                return
            if marker:
                return  # a list inside the definition: its items follow
        lines = [*first, *self._wrapped()]
        if lines:
            self._write("dd", self._joined(lines))

    def _wrapped(self) -> list[SourceLine]:
        """Further lines of an item's text."""
        lines: list[SourceLine] = []
        while (text := self._peek()) is not None and text.strip() and text != "+":
            if self._list_marker(text) or _DELIMITER.match(text) or _ATTRIBUTES.match(text) or _TITLE.match(text):
                break
            lines.append(self._lines[self._position])
            self._position += 1
        return lines

    def _attached(self, depth: int) -> None:
        """Blocks joined to an item with a line that holds a plus sign, or literal text under it."""
        while True:
            start = self._position
            self._skip_blank()
            line = self._peek()
            if line == "+":
                self._position += 1
                kind = self._kind
                while (text := self._peek()) is not None and self._about_next(text):
                    self._position += 1
                if (self._peek() or "").strip():
                    self._block(depth + 1)
                self._kind = kind
            elif line is not None and line[:1] in " \t" and start < self._position and not self._list_marker(line):
                self._literal_paragraph()
            else:
                self._position = start
                return

    def _goes_on(self) -> bool:
        """Whether another item follows, perhaps after blank lines."""
        start = self._position
        self._skip_blank()
        line = self._peek()
        if line is not None and self._list_marker(line) and not _SECTION.match(line):
            return True
        self._position = start
        return False


def _slug(title: str, separator: str) -> str:
    """The id that Asciidoctor gives a section."""
    slug = re.sub(r"[^\w\s.-]", "", title.lower())
    return (separator if separator == "_" else "") + re.sub(r"[\s.-]+", separator, slug).strip(separator)
