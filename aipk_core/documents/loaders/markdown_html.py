"""Markdown to HTML that remembers its source, the way Hugo's Markdown (goldmark) writes it.

CommonMark with tables, strikethrough, definition lists, footnotes, task lists, heading attributes and raw HTML.
The HTML is an intermediate form: it is read again by the HTML loader, so that Markdown inside HTML inside Markdown
comes out as a browser shows it.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from html import escape as _escape_html

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.footnote import footnote_plugin

from aipk_core.documents.traced import Place, Traced
from aipk_core.errors import DocumentError

MAX_NESTING = 60

PLACEHOLDER = re.compile("\ue000([0-9]+)\ue001")
"""Stands for a piece of finished HTML inside Markdown; letters to the Markdown parser."""


@dataclass(slots=True)
class HeadingIds:
    """Hands out heading ids that are unique in a page.

    Attributes:
        style: ``github`` or ``blackfriday``, the two ways in which sites derive them from the heading's text.
    """

    style: str = "github"
    used: dict[str, int] = field(default_factory=dict)

    def make(self, text: str) -> str:
        base = blackfriday_id(text) if self.style == "blackfriday" else github_id(text)
        base = base or "heading"
        if base not in self.used:
            self.used[base] = 0
            return base
        while True:
            self.used[base] += 1
            candidate = f"{base}-{self.used[base]}"
            if candidate not in self.used:
                self.used[candidate] = 0
                return candidate

    def reserve(self, name: str) -> None:
        self.used.setdefault(name, 0)


def github_id(text: str) -> str:
    kept = (c for c in text.strip().lower() if c.isalnum() or c in " -_" or unicodedata.category(c)[0] == "M")
    return "".join("-" if c == " " else c for c in kept)


def blackfriday_id(text: str) -> str:
    return re.sub(r"[\W_]+", "-", text.strip().lower()).strip("-")


def markdown_to_html(
    source: Traced,
    *,
    ids: HeadingIds | None = None,
    shown: Callable[[str], str] | None = None,
    prefix: str = "",
    where: str = "",
) -> Traced:
    """HTML of a Markdown text.

    Args:
        ids: hands out heading ids over several calls for one page.
        shown: the text behind the placeholders in a heading, for its id.
        prefix: put before footnote ids, so that several calls for one page do not clash.
        where: the file, for errors.

    Raises:
        DocumentError: ``invalid`` when lists and quotations are nested deeper than ``MAX_NESTING``.
    """
    return _Renderer(source, ids or HeadingIds(), shown or (lambda text: text), prefix, where).render()


# --- the parser ----------------------------------------------------------------------------------------------------

_ATTRIBUTES = re.compile(r"[ \t]*\{((?:[#.][^\s{}\"'=]+|[\w:-]+=(?:\"[^\"]*\"|'[^']*'|[^\s{}\"']+)|\s+)+)\}[ \t]*$")
_EXPLICIT_ID = re.compile(r"#([^\s{}]+)|\bid=(?:\"([^\"]*)\"|'([^']*)'|([^\s{}]+))")


def _heading_attributes(state: StateCore) -> None:
    """``## Title {#name .class}``: the attributes go to the heading before its text is parsed."""
    for index, token in enumerate(state.tokens):
        if token.type != "inline" or state.tokens[index - 1].type != "heading_open":
            continue
        if not token.content.rstrip().endswith("}") or len(token.content) > 10_000:
            continue
        found = _ATTRIBUTES.search(token.content, token.content.rfind("{"))
        if not found:
            continue
        token.content = token.content[: found.start()].rstrip()
        name = _EXPLICIT_ID.search(found[1])
        if name:
            state.tokens[index - 1].attrSet("id", name[1] or name[2] or name[3] or name[4] or "")


# Parsing these marks takes time that grows with their square; no text that people write has so many in one paragraph.
_DENSE = (("[", 2_000), ("`", 10_000), ("*", 10_000), ("_", 10_000), ("~", 5_000), ("<", 20_000))


def _dense_paragraphs(state: StateCore) -> None:
    """A paragraph with a flood of markup characters is taken as plain text."""
    for token in state.tokens:
        long = token.type == "inline" and len(token.content) > 2_000
        if long and any(token.content.count(mark) > limit for mark, limit in _DENSE):
            token.type = "dense"


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": True, "maxNesting": MAX_NESTING})
    parser.enable(["table", "strikethrough"])
    parser.use(deflist_plugin)
    parser.use(footnote_plugin, inline=False)
    parser.core.ruler.after("block", "heading_attributes", _heading_attributes)
    parser.core.ruler.after("heading_attributes", "dense_paragraphs", _dense_paragraphs)
    # Links are read for their text only, so any target will do and none is rewritten.
    parser.validateLink = lambda url: True  # type: ignore[method-assign]
    parser.normalizeLink = lambda url: url  # type: ignore[method-assign]
    parser.normalizeLinkText = lambda link: link  # type: ignore[method-assign]
    return parser


_PARSER = _parser()

# --- the renderer --------------------------------------------------------------------------------------------------

_TASK = re.compile(r"\[[ xX]\][ \t]+")
# GitHub's notices: a quotation that begins with its kind
_ALERT = re.compile(r"\[!(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\]([^\n]{0,200})(?:\n|\Z)", re.IGNORECASE)
# goldmark writes a line feed behind these
_BREAK_AFTER_OPEN = frozenset(["ul", "ol", "dl", "table", "thead", "tbody", "tr", "blockquote"])


class _Renderer:
    def __init__(self, source: Traced, ids: HeadingIds, shown: Callable[[str], str], prefix: str, where: str) -> None:
        self.source = source
        self.text = source.text
        self.ids = ids
        self.shown = shown
        self.prefix = prefix
        self.where = where
        self.out = Traced()
        self.lines = [0]
        at = self.text.find("\n")
        while at >= 0:
            self.lines.append(at + 1)
            at = self.text.find("\n", at + 1)
        self.position = 0
        self.end = len(self.text)

    def render(self) -> Traced:
        tokens = _PARSER.parse(self.text)
        if any(token.level >= MAX_NESTING - 1 for token in tokens):  # the parser leaves out what is deeper
            raise DocumentError(
                f"lists and quotations are nested deeper than {MAX_NESTING} levels",
                where=self.where,
                remedy="Nest them less deeply, or exclude the file",
            )
        skip_until = -1
        for index, token in enumerate(tokens):
            if index < skip_until:
                continue
            if token.map:
                self.focus(token.map)
            if token.type == "paragraph_open" and self.lone_placeholder(tokens, index):
                self.out.append(tokens[index + 1].content.strip() + "\n", None)
                skip_until = index + 3
                continue
            self.block(tokens, index)
        return self.out

    def lone_placeholder(self, tokens: Sequence[Token], index: int) -> bool:
        """Hugo takes the paragraph away around a template call that stands alone in it."""
        return tokens[index + 1].type == "inline" and bool(PLACEHOLDER.fullmatch(tokens[index + 1].content.strip()))

    def focus(self, lines: Sequence[int]) -> None:
        """Look for the next texts in these lines of the source."""
        start = self.lines[min(lines[0], len(self.lines) - 1)]
        after = max(lines[1], lines[0] + 1)  # a term of a definition list says that it has no lines
        self.end = self.lines[after] if after < len(self.lines) else len(self.text)
        if not start <= self.position <= self.end:
            self.position = start

    def block(self, tokens: Sequence[Token], index: int) -> None:
        token = tokens[index]
        kind = token.type
        if kind == "inline":
            before = [token.type for token in tokens[max(index - 2, 0) : index]]
            children = token.children or []
            if before == ["list_item_open", "paragraph_open"] and (task := _TASK.match(token.content)):
                self.inline(children, drop=len(task[0]))
            elif before == ["blockquote_open", "paragraph_open"] and (alert := _ALERT.match(token.content)):
                title = alert[2].strip() or alert[1].capitalize()
                self.out.append(_escape(title) + "</p>\n<p>", self.source.place(self.line_start(), self.end))
                breaks = (i for i, child in enumerate(children) if child.type in ("softbreak", "hardbreak"))
                self.inline(children[next(breaks, len(children)) + 1 :])
            else:
                self.inline(children)
        elif kind == "dense":
            self.lines_of(token.content)
        elif kind in ("fence", "code_block"):
            self.code(token)
        elif kind == "html_block":
            self.verbatim(token.content)
        elif kind == "heading_open":
            name = token.attrGet("id")
            if isinstance(name, str) and name:
                self.ids.reserve(name)
            else:
                name = self.ids.make(self.shown(_plain(tokens[index + 1].children or [])))
            self.out.append(f'<{token.tag} id="{_escape(name)}">', None)
        elif kind.startswith("footnote"):
            self.footnote(token)
        elif token.hidden:
            # the paragraphs of a tight list
            if token.nesting < 0 and tokens[index + 1].nesting >= 0:
                self.out.append("\n", None)
        elif token.nesting > 0:
            self.out.append(f"<{token.tag}>" + ("\n" if token.tag in _BREAK_AFTER_OPEN else ""), None)
            if token.tag == "li" and not tokens[index + 1].hidden:
                self.out.append("\n", None)
        elif token.nesting < 0:
            self.out.append(f"</{token.tag}>\n", None)
        elif token.tag:
            self.out.append(f"<{token.tag}>\n", None)

    def inline(self, children: Sequence[Token], drop: int = 0) -> None:
        for child in children:
            kind = child.type
            if kind == "text":
                content = child.content[drop:] if drop else child.content
                drop = 0
                self.placed(content)
            elif kind == "code_inline":
                self.out.append("<code>", None)
                self.placed(child.content)
                self.out.append("</code>", None)
            elif kind == "softbreak":
                self.out.append("\n", None)
            elif kind == "hardbreak":
                self.out.append("<br>\n", None)
            elif kind == "html_inline":
                self.verbatim(child.content)
            elif kind == "image":
                alt = _escape(_plain(child.children or []))
                self.out.append(f'<img alt="{alt}">', self.source.place(self.line_start(), self.end))
            elif kind == "footnote_ref":
                number = child.meta["id"] + 1
                self.out.append(f'<sup><a href="#{self.prefix}fn:{number}">{number}</a></sup>', None)
            elif child.nesting:
                closing = "/" if child.nesting < 0 else ""
                target = child.attrGet("href") if child.tag == "a" and child.nesting > 0 else None
                shown = f' href="{_escape(str(target))}"' if target is not None else ""
                self.out.append(f"<{closing}{child.tag}{shown}>", None)

    def footnote(self, token: Token) -> None:
        if token.type == "footnote_block_open":
            self.out.append('<div class="footnotes">\n<hr>\n<ol>\n', None)
        elif token.type == "footnote_block_close":
            self.out.append("</ol>\n</div>\n", None)
        elif token.type == "footnote_open":
            self.out.append("<li>\n", None)
        elif token.type == "footnote_close":
            self.out.append("</li>\n", None)
        elif token.type == "footnote_anchor":
            self.out.append("&#160;<a>&#x21a9;&#xfe0e;</a>", None)

    def code(self, token: Token) -> None:
        language = token.info.strip().split(maxsplit=1)[0].split("{")[0] if token.info.strip() else ""
        if language == "mermaid":
            self.out.append('<pre class="mermaid">', None)
            self.lines_of(token.content)
            self.out.append("</pre>", None)
            return
        if language == "math":
            self.out.append('<pre class="language-math">$$', None)
            self.lines_of(token.content.strip("\n"))
            self.out.append("$$</pre>\n", None)
            return
        attribute = f' class="language-{_escape(language)}"' if language else ""
        self.out.append(f'<div class="highlight"><pre><code{attribute}>', None)
        self.lines_of(token.content)
        self.out.append("</code></pre></div>\n", None)

    # --- finding texts in the source -------------------------------------------------------------------------------

    def placed(self, content: str) -> None:
        """Escaped text, with the place where it stands in the lines in focus."""
        at = self.text.find(content, self.position, self.end) if content else -1
        if at >= 0:
            self.position = at + len(content)
            for text, place in self.source.slice(at, self.position):
                self.out.append(*_escaped(text, place))
        elif content:
            self.out.append(_escape(content), self.source.place(self.line_start(), self.end))

    def lines_of(self, content: str) -> None:
        """Code: line by line, because a list takes its indentation away."""
        at = self.text.find(content, self.position, self.end)
        if at >= 0 and content:
            self.placed(content)
            return
        for line in content.splitlines(keepends=True):
            self.placed(line)

    def verbatim(self, content: str) -> None:
        """Raw HTML, with exact places."""
        at = self.text.find(content, self.position, self.end)
        lines = [content] if at >= 0 else content.splitlines(keepends=True)
        for line in lines:
            at = self.text.find(line, self.position, self.end)
            if at < 0:
                self.out.append(line, self.source.place(self.position, self.end))
                continue
            self.position = at + len(line)
            self.out.extend(self.source.slice(at, self.position))

    def line_start(self) -> int:
        return self.lines[bisect_right(self.lines, self.position) - 1]


def _plain(children: Sequence[Token]) -> str:
    """The text of inline tokens, without markup."""
    parts = []
    for child in children:
        if child.type in ("text", "code_inline"):
            parts.append(child.content)
        elif child.type in ("softbreak", "hardbreak"):
            parts.append(" ")
        elif child.type == "image":
            parts.append(_plain(child.children or []))
    return "".join(parts)


def _escape(text: str) -> str:
    return _escape_html(text, quote=True) if any(c in text for c in "&<>\"'") else text


def _escaped(text: str, place: Place | None) -> tuple[str, Place | None]:
    written = _escape_html(text, quote=False) if "&" in text or "<" in text or ">" in text else text
    if written is text or place is None or not place.literal:
        return written, place
    return written, Place(place.source, place.start, place.end, place.origin, False, place.boilerplate)
