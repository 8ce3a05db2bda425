"""The preprocessor of AsciiDoc: conditionals, attributes, comments and includes, line by line."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from aipk_core.documents.builder import DocumentBuilder
from aipk_core.documents.loaders.encodings import decode
from aipk_core.documents.loaders.registry import LoadContext
from aipk_core.errors import DocumentError
from aipk_core.hashing import digest_bytes

MAX_INCLUDES = 8
"""Depth of includes within includes."""

_MAX_ATTRIBUTE = 1 << 16
_INTRINSIC = {
    "nbsp": "\u00a0", "zwsp": "\u200b", "wj": "\u2060", "apos": "'", "quot": '"', "lsquo": "‘", "rsquo": "’",
    "ldquo": "“", "rdquo": "”", "deg": "°", "plus": "+", "brvbar": "¦", "vbar": "|", "amp": "&", "lt": "<", "gt": ">",
    "startsb": "[", "endsb": "]", "caret": "^", "asterisk": "*", "tilde": "~", "backslash": "\\", "backtick": "`",
    "two-colons": "::", "two-semicolons": ";;", "cpp": "C++", "pp": "++", "empty": "", "blank": "", "sp": " ",
    "idprefix": "_", "idseparator": "_", "basebackend-html": "", "backend-html5": "", "asciidoctor": "",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A line after preprocessing, and the file it stands in (``""`` for the document itself)."""

    text: str
    file: str = ""


@dataclass(slots=True)
class _Condition:
    kept: bool
    name: str


@dataclass(slots=True)
class Preprocessor:
    """Reads a document into lines; ``attributes`` holds the values at the end."""

    builder: DocumentBuilder
    context: LoadContext
    attributes: dict[str, str] = field(default_factory=lambda: dict(_INTRINSIC))
    _produced: int = 0
    _fence: str = ""
    _previous: str = ""
    _substituted: bool = True  # whether attributes are replaced inside the current verbatim block
    _comment: str = ""
    _next_subs: bool = False

    def lines(self, text: str) -> list[SourceLine]:
        """The lines of the document.

        Raises:
            DocumentError: ``too-large`` when attributes and includes make it grow beyond the limit.
        """
        return list(self._read(text, "", 0))

    def _read(self, text: str, file: str, depth: int) -> Iterator[SourceLine]:
        conditions: list[_Condition] = []
        pending = ""
        for raw in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
            line = raw.rstrip()
            directive = _CONDITIONAL.match(line)
            if directive:
                kept = self._conditional(directive, conditions)
                if kept is None:
                    continue
                line = kept
            if not all(condition.kept for condition in conditions):
                continue
            if pending:
                line, pending = pending + line.strip(), ""
            if self._comment or _COMMENT_BLOCK.match(line):
                self._comment = "" if self._comment == line else (self._comment or line)
                continue
            if line.startswith("//") and not line.startswith("///") and not self._fence:
                continue
            if not self._fence and _ENTRY.match(line) and line.endswith((" \\", " +")):
                pending = line[:-1].rstrip() + " "
                if len(pending) < _MAX_ATTRIBUTE:
                    continue
            yield from self._line(line, file, depth)

    def _line(self, line: str, file: str, depth: int) -> Iterator[SourceLine]:
        include = _INCLUDE.match(line)
        if include and not line.startswith("\\"):
            yield from self._include(self._replaced(include.group(1)), include.group(2), file, depth)
            return
        if line.startswith("\\") and (_INCLUDE.match(line[1:]) or _CONDITIONAL.match(line[1:])):
            line = line[1:]
        entry = _ENTRY.match(line) if not self._fence else None
        if entry:
            self._define(entry)
            return
        self._track_fence(line)
        self._previous = line
        if not self._fence or self._substituted:
            line = self._replaced(line)
        self._produced += len(line) + 1
        if self._produced > self.context.limits.max_expanded_bytes // 8:
            raise DocumentError(
                "attributes and includes make the document too large",
                code="too-large",
                where=self.builder.document_id,
                remedy="Exclude the file",
            )
        yield SourceLine(line, file)

    def _track_fence(self, line: str) -> None:
        """Verbatim blocks begin and end with the same line; attributes stay as they are in most of them."""
        fence = _FENCE.match(line)
        if self._fence:
            if line == self._fence:
                self._fence = ""
        elif fence and not _underlines(line, self._previous):
            self._fence = fence.group(1)
            self._substituted = self._next_subs
        if line.strip() and not line.startswith("."):
            self._next_subs = bool(_SUBSTITUTING.match(line))

    def _define(self, entry: re.Match[str]) -> None:
        name, value = entry.group(1).lower(), (entry.group(2) or "").strip()
        if name.startswith("!") or name.endswith("!"):
            self.attributes.pop(name.strip("!"), None)
        elif len(self.attributes) < 10_000:
            self.attributes[name] = self._replaced(value)[:_MAX_ATTRIBUTE]

    def _replaced(self, text: str) -> str:
        """``text`` with ``{name}`` replaced; unknown names stay as they are."""
        if "{" not in text:
            return text
        return _REFERENCE.sub(self._value, text)

    def _value(self, match: re.Match[str]) -> str:
        if match.group(0).startswith("\\"):
            return match.group(0)[1:]
        name = match.group(1)
        if name.startswith("set:"):
            return ""
        return self.attributes.get(name.lower(), match.group(0))

    # --- conditionals

    def _conditional(self, match: re.Match[str], conditions: list[_Condition]) -> str | None:
        """Take note of a directive; text that it holds in brackets and that is kept, ``None`` otherwise."""
        directive, name, content = match.group(1), match.group(2), match.group(3)
        if directive == "endif":
            if conditions:
                conditions.pop()
            return None
        if directive == "ifeval":
            conditions.append(_Condition(self._evaluate(content), name))
            return None
        names = [part.strip().lower() for part in re.split(r"[,+]", name)]
        present = [part in self.attributes for part in names]
        holds = all(present) if "+" in name else any(present)
        if directive == "ifndef":
            holds = not holds
        if content:
            return content if holds and all(condition.kept for condition in conditions) else None
        if len(conditions) < 1000:
            conditions.append(_Condition(holds, name))
        return None

    def _evaluate(self, expression: str) -> bool:
        """Comparisons of two values; anything else does not hold."""
        match = _COMPARISON.match(self._replaced(expression))
        if not match:
            return False
        left, operator, right = match.group(1).strip(" \"'"), match.group(2), match.group(3).strip(" \"'")
        if operator in ("==", "!="):
            return (left == right) == (operator == "==")
        try:
            first, second = float(left), float(right)
        except ValueError:
            return False
        return {"<": first < second, ">": first > second, "<=": first <= second, ">=": first >= second}[operator]

    # --- includes

    def _include(self, target: str, options: str, file: str, depth: int) -> Iterator[SourceLine]:
        path = posixpath.normpath(posixpath.join(posixpath.dirname(file or self.builder.document_id), target))
        data = None
        inside = not (path.startswith(("/", "..")) or ":" in target)
        if inside and self.context.site is not None and depth < MAX_INCLUDES:
            data = self.context.site.read(path)
            self.builder.depend("include", path, digest_bytes(data) if data is not None else "")
        if data is None:
            if "opts=optional" not in options and "optional" not in options:
                self.builder.problem("include-left-out", f"the file {target[:200]!r} was not included", file)
            return
        text = decode(data, where=path).text
        yield from self._read(_part(text, options), path, depth + 1)


_CONDITIONAL = re.compile(r"^(ifdef|ifndef|ifeval|endif)::([^\[\]]{0,500})\[(.*)\]$")
_COMPARISON = re.compile(r"^(.{0,500}?)(==|!=|<=|>=|<|>)(.{0,500})$")
_INCLUDE = re.compile(r"^\\?include::([^\[\s][^\[]{0,1000})\[(.*)\]$")
_ENTRY = re.compile(r"^:(!?[\w][\w-]{0,100}!?):(?:[ \t]+(.*)|())$")
_REFERENCE = re.compile(r"\\?\{(set:[^}\n]{1,200}|[\w][\w-]{0,100})\}")
_FENCE = re.compile(r"^(-{4,}|\.{4,}|\+{4,}|```)(?:[\w+#-]*|,?\s*[\w+#-]*)$")
_COMMENT_BLOCK = re.compile(r"^/{4,}$")
_SUBSTITUTING = re.compile(r"^\[.*\bsubs=[\"']?[^\]]*(?:attributes|normal)")


def _underlines(line: str, title: str) -> bool:
    """Whether a row of signs stands under a title of its length and opens no verbatim block."""
    return line[0] in "-+" and re.match(r"\w", title) is not None and abs(len(title) - len(line)) <= 3


def _part(text: str, options: str) -> str:
    """The lines or tagged regions that an include asks for, without the tag marks."""
    lines = text.split("\n")
    wanted = re.search(r"\blines=[\"']?([\d.;,]+)", options)
    if wanted:
        chosen: list[str] = []
        for span in re.split(r"[;,]", wanted.group(1)):
            first, _, last = span.partition("..")
            start = int(first) if first.isdecimal() and len(first) < 9 else 1
            end = (int(last) if last.isdecimal() and len(last) < 9 else len(lines)) if ".." in span else start
            chosen += lines[max(0, start - 1) : end]
        lines = chosen
    tags = re.search(r"\btags?=[\"']?([\w;,*-]+)", options)
    if tags:
        names = set(re.split(r"[;,]", tags.group(1)))
        lines = _tagged(lines, names)
    return "\n".join(line for line in lines if not _TAG.search(line))


_TAG = re.compile(r"\b(tag|end)::([\w-]+)\[\]")


def _tagged(lines: list[str], names: set[str]) -> list[str]:
    kept: list[str] = []
    inside: list[str] = []
    for line in lines:
        mark = _TAG.search(line)
        if mark and mark.group(1) == "tag":
            inside.append(mark.group(2))
        elif mark and mark.group(2) in inside:
            inside.remove(mark.group(2))
        elif names & set(inside) or ("*" in names and inside) or "**" in names:
            kept.append(line)
    return kept
