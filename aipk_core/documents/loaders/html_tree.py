"""A forgiving HTML parser that keeps, for every piece of text, where it stands in its input.

It follows the HTML standard where that decides what a reader sees (implied end tags, raw text elements, character
references) and leaves out what does not (scripts, foster parenting). Every step is linear in the input, and nesting is
bounded: deeper elements lose their tags, never their text.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

MAX_DEPTH = 120

VOID = frozenset(
    """area base br col embed frame hr img input link meta param source track wbr basefont bgsound keygen""".split()  # noqa: SIM905
)
_RAW_TEXT = frozenset("script style xmp iframe noembed noframes textarea title plaintext".split())  # noqa: SIM905
BLOCKS = frozenset(
    """address article aside blockquote body caption center col colgroup dd details dialog dir div dl dt fieldset
    figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li listing main
    menu nav ol optgroup option p plaintext pre search section summary table tbody td tfoot th thead tr ul xmp
    button""".split()  # noqa: SIM905
)

_KNOWN = frozenset(
    """a abbr acronym audio b bdi bdo big blink canvas cite code data datalist del dfn em font i iframe ins kbd label
    map mark marquee meter nobr noembed noframes noscript object output picture progress q rb rp rt rtc ruby s samp
    script select slot small span strike strong style sub sup svg template textarea time title tt u var video
    math mi mn mo ms mtext mrow mfrac msqrt mroot msub msup msubsup munder mover munderover mtable mtr mtd mspace
    mstyle semantics annotation""".split()  # noqa: SIM905
) | BLOCKS | VOID  # fmt: skip

# Start tag -> (open elements that it ends, elements beyond which it does not look).
_TABLE_SCOPE = frozenset({"table"})
_CELL_SCOPE = frozenset({"table", "td", "th", "caption"})
_ENDS: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    "li": (frozenset({"li"}), frozenset({"ul", "ol", "menu", "dir"}) | _CELL_SCOPE),
    "dt": (frozenset({"dt", "dd"}), frozenset({"dl"}) | _CELL_SCOPE),
    "dd": (frozenset({"dt", "dd"}), frozenset({"dl"}) | _CELL_SCOPE),
    "td": (frozenset({"td", "th", "caption", "colgroup"}), _TABLE_SCOPE),
    "th": (frozenset({"td", "th", "caption", "colgroup"}), _TABLE_SCOPE),
    "tr": (frozenset({"tr", "caption", "colgroup"}), _TABLE_SCOPE),
    "tbody": (frozenset({"tbody", "thead", "tfoot", "caption", "colgroup"}), _TABLE_SCOPE),
    "thead": (frozenset({"tbody", "thead", "tfoot", "caption", "colgroup"}), _TABLE_SCOPE),
    "tfoot": (frozenset({"tbody", "thead", "tfoot", "caption", "colgroup"}), _TABLE_SCOPE),
    "option": (frozenset({"option"}), frozenset({"select", "datalist"})),
    "button": (frozenset({"button"}), _CELL_SCOPE),
    "a": (frozenset({"a"}), _CELL_SCOPE | BLOCKS),
    "body": (frozenset({"head"}), frozenset({"body"})),
    "frameset": (frozenset({"head"}), frozenset()),
}
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_ENDS.update(dict.fromkeys(_HEADINGS, (_HEADINGS, BLOCKS - _HEADINGS)))
_P_SCOPE = _CELL_SCOPE | frozenset({"button", "figure", "li", "dd", "dt", "div", "section", "article", "blockquote"})
_IN_HEAD = frozenset("title meta link style script base noscript template".split())  # noqa: SIM905
# An end tag closes its element only inside these borders: </li> of an outer list cannot end a cell's own table.
_CLOSE_BORDER = frozenset({"table", "td", "th", "caption"})
_CLOSE_BORDERS = {
    **dict.fromkeys(("table", "thead", "tbody", "tfoot", "tr", "td", "th", "caption"), frozenset({"table"})),
    "li": _CLOSE_BORDER | {"ul", "ol", "menu", "dir"},
    "dt": _CLOSE_BORDER | {"dl"},
    "dd": _CLOSE_BORDER | {"dl"},
}


@dataclass(slots=True)
class Text:
    """Characters ``[start, end)`` of the input; ``raw`` ones (of a script, say) hold no character references."""

    start: int
    end: int
    raw: bool = False


@dataclass(slots=True)
class Element:
    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[Element | Text] = field(default_factory=list)
    start: int = 0
    end: int = 0

    def elements(self) -> Iterator[Element]:
        """This element and all below it, in document order."""
        pending = [self]
        while pending:
            element = pending.pop()
            yield element
            pending.extend(child for child in reversed(element.children) if isinstance(child, Element))

    def find(self, *tags: str) -> Element | None:
        """The first element below with one of ``tags``."""
        return next((element for element in self.elements() if element.tag in tags and element is not self), None)

    @property
    def classes(self) -> list[str]:
        return self.attributes.get("class", "").split()


def parse_html(source: str, *, fragment: bool = False, kept: set[str] | None = None) -> Element:
    """The tree of ``source`` under a root element with the tag ``""``.

    Args:
        fragment: ``source`` is a piece of a page, without head and body.
        kept: with a set, what looks like a tag but is none of HTML (``<pod name>``) is kept as text, although browsers
            show nothing of it; the set collects the names of such tags.
    """
    return _Parser(source, fragment, kept).parse()


def text_of(source: str, element: Element | Text) -> str:
    """The characters of an element as they are shown, white space and all, without blocks and hidden parts."""
    if isinstance(element, Text):
        piece = source[element.start : element.end]
        return piece if element.raw else html.unescape(piece)
    parts: list[str] = []
    pending: list[Element | Text] = [element]
    while pending:
        node = pending.pop()
        if isinstance(node, Text):
            parts.append(text_of(source, node))
        elif node.tag not in ("script", "style", "template"):
            if node.tag == "br" or node.tag in BLOCKS:
                parts.append(" ")
            pending.extend(reversed(node.children))
    return "".join(parts)


_TAG_NAME = re.compile(r"[a-zA-Z][^\s/>\0]*")
_SPACE = re.compile(r"[\s/]*")
_ATTRIBUTE = re.compile(r"([^\s/>=][^\s/>=]*)(?:\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|(?![\"'])([^\s>]+)))?")
_MAX_ATTRIBUTES = 1000
_RAW_END = {tag: re.compile(rf"</{tag}(?=[\s/>])", re.IGNORECASE) for tag in _RAW_TEXT}


class _Parser:
    def __init__(self, source: str, fragment: bool, kept: set[str] | None) -> None:
        self.source = source
        self.fragment = fragment
        self.kept = kept
        self.known: dict[str, bool] = {}
        self.root = Element("", end=len(source))
        self.open = [self.root]
        self.too_deep = 0
        self.no_more: set[str] = set()
        self.flushed = 0
        self.last_end = source.rfind(">")

    def parse(self) -> Element:
        position = 0
        while (start := self.source.find("<", position)) >= 0:
            end = self.markup(start)
            position = start + 1 if end is None else end
        self.flush(len(self.source))
        return self.root

    def markup(self, start: int) -> int | None:
        """Handle the tag or comment at ``start``; its end, or ``None`` when this is no markup."""
        source = self.source
        following = source[start + 1 : start + 2]
        if following.isalpha() and following.isascii():
            return self.start_tag(start)
        if following == "/":
            return self.end_tag(start)
        if following == "!":
            self.flush(start)
            if source.startswith("<!--", start):
                if source.startswith(("<!-->", "<!--->"), start):
                    return source.index(">", start) + 1
                return self.find("-->", start + 4, 3)
            if source.startswith("<![CDATA[", start):
                end = self.find("]]>", start + 9, 3)
                self.append_text(start + 9, max(end - 3, start + 9), raw=True)
                self.flushed = end
                return end
            return self.find(">", start + 2, 1)
        if following == "?":
            self.flush(start)
            return self.find(">", start + 2, 1)
        return None

    def flush(self, until: int) -> None:
        """Add the text before a tag, once it is known to be one."""
        if until > self.flushed:
            self.append_text(self.flushed, until)
            self.flushed = until

    def find(self, mark: str, start: int, width: int) -> int:
        """The position behind the next ``mark``, or the end of the input; remembers that there are no more."""
        at = -1 if mark in self.no_more else self.source.find(mark, start)
        if at < 0:
            self.no_more.add(mark)
            end = len(self.source)
        else:
            end = at + width
        self.flushed = end
        return end

    def start_tag(self, start: int) -> int | None:
        source = self.source
        if start > self.last_end:
            return None  # the input ends inside this tag: shown as text rather than lost
        name = _TAG_NAME.match(source, start + 1)
        if name is None:
            return None
        if self.kept is not None and not self.is_known(name[0].lower()):
            self.kept.add(name[0].lower())
            return None
        position = name.end()
        attributes: dict[str, str] = {}
        for _ in range(_MAX_ATTRIBUTES):
            position = _skip(source, position)
            if position >= len(source):
                return None
            if source[position] == ">":
                break
            attribute = _ATTRIBUTE.match(source, position)
            if attribute is None:
                position += 1
                continue
            key = attribute[1].lower()
            if key not in attributes:
                value = attribute[2] if attribute[2] is not None else attribute[3]
                value = value if value is not None else attribute[4] or ""
                attributes[key] = html.unescape(value) if "&" in value else value
            position = attribute.end()
        else:
            return None
        self.flush(start)
        end = position + 1
        self.flushed = end
        tag = name[0].lower()
        self.open_element(tag, attributes, start)
        if tag in _RAW_TEXT:
            return self.raw_text(tag, end)
        if tag in VOID or (source[position - 1] == "/" and self.foreign()):
            self.close_last(end)
        elif tag == "pre" and source.startswith("\n", end):
            self.flushed = end + 1  # the standard drops a line feed right behind <pre>
        return end

    def is_known(self, tag: str) -> bool:
        """Whether a tag is one of HTML, or a custom element, which always has an end tag."""
        if tag in _KNOWN or self.foreign():
            return True
        if tag not in self.known:
            custom = "-" in tag or ":" in tag
            self.known[tag] = custom and re.search(f"</{re.escape(tag)}", self.source, re.IGNORECASE) is not None
        return self.known[tag]

    def foreign(self) -> bool:
        """Whether the innermost elements are SVG or MathML, where ``<x/>`` is empty."""
        return any(element.tag in ("svg", "math") for element in self.open[-8:])

    def raw_text(self, tag: str, end: int) -> int:
        closing = None if tag in self.no_more else _RAW_END[tag].search(self.source, end)
        if closing is None:
            self.no_more.add(tag)
            stop = after = len(self.source)
        else:
            stop = closing.start()
            after = self.find(">", closing.end(), 1)
        self.append_text(end, stop, raw=tag not in ("title", "textarea"))
        self.flushed = after
        self.close_last(after)
        return after

    def end_tag(self, start: int) -> int | None:
        source = self.source
        name = _TAG_NAME.match(source, start + 2)
        if name is None:
            if source.startswith("</>", start):
                self.flush(start)
                self.flushed = start + 3
                return start + 3
            self.flush(start)
            return self.find(">", start + 2, 1)  # a bogus comment
        if self.kept is not None and not self.is_known(name[0].lower()):
            return None
        self.flush(start)
        end = self.find(">", name.end(), 1)
        self.close_element(name[0].lower(), end)
        return end

    # --- the tree ------------------------------------------------------------------------------------------------

    def append_text(self, start: int, end: int, raw: bool = False) -> None:
        if end > start:
            self.open[-1].children.append(Text(start, end, raw))

    def open_element(self, tag: str, attributes: dict[str, str], start: int) -> None:
        if tag in BLOCKS:
            self.end_first(frozenset({"p"}), _P_SCOPE, start)
        rule = _ENDS.get(tag)
        if rule:
            self.end_first(rule[0], rule[1], start)
            if tag in ("tr", "tbody", "thead", "tfoot"):
                self.end_first(frozenset({"td", "th"}), _TABLE_SCOPE, start)
                self.end_first(frozenset({"tr"}), _TABLE_SCOPE, start)
                self.end_first(rule[0], rule[1], start)
        if not self.fragment and tag not in _IN_HEAD and self.open[-1].tag == "head":
            self.close_last(start)
        element = Element(tag, attributes, [], start)
        self.open[-1].children.append(element)
        self.open.append(element)
        if len(self.open) > MAX_DEPTH and tag not in VOID and tag not in _RAW_TEXT:
            self.open.pop()  # its text goes to its parent
            self.too_deep += 1

    def end_first(self, tags: frozenset[str], borders: frozenset[str], position: int) -> None:
        """End the nearest open element with one of ``tags`` and all inside it, not looking beyond ``borders``."""
        for index in range(len(self.open) - 1, 0, -1):
            tag = self.open[index].tag
            if tag in tags:
                while len(self.open) > index:
                    self.close_last(position)
                return
            if tag in borders:
                return

    def close_element(self, tag: str, position: int) -> None:
        if tag == "br":
            self.open[-1].children.append(Element("br", {}, [], position, position))
            return
        borders = _CLOSE_BORDERS.get(tag, _CLOSE_BORDER)
        for index in range(len(self.open) - 1, 0, -1):
            open_tag = self.open[index].tag
            if open_tag == tag or (tag in _HEADINGS and open_tag in _HEADINGS):
                while len(self.open) > index:
                    self.close_last(position)
                return
            if open_tag in borders or (tag not in BLOCKS and open_tag in BLOCKS):
                break
        if tag == "p":  # the standard makes an empty paragraph of it: a border between texts
            self.open[-1].children.append(Element("p", {}, [], position, position))

    def close_last(self, position: int) -> None:
        if len(self.open) > 1:
            self.open.pop().end = position


def _skip(source: str, position: int) -> int:
    space = _SPACE.match(source, position)
    return space.end() if space else position
