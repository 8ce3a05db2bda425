"""Links to the very sentence: page address, anchor and text fragment (WICG Scroll To Text Fragment).

``https://example.org/docs/#limits:~:text=A%20pod%20has%20a%20limit.`` A browser scrolls to the text and marks it; one
that knows no text fragments goes to the anchor. For PDF files the fragment is ``#page=N``.
"""

from __future__ import annotations

import re
from urllib.parse import quote, urlsplit, urlunsplit

from aipk_core.documents.model import Block, Document
from aipk_core.text.spans import Span, stripped

_EXACT_LENGTH = 120
"""A longer text is given by its first and last words, which keeps the link short."""

_EDGE_WORDS = 6
_EDGE_LENGTH = 40
_PREFIX_WORDS = 4
_WORDS = re.compile(r"\S+")
# Where a text without spaces may be cut, because browsers see a word boundary there.
_PAUSES = "、，。；：！？,;:!?（）()「」『』《》 \n"


def citation_url(document: Document, target: Block | Span) -> str:
    """Where a reader finds ``target``, a block or a span of the document's text; ``""`` if the document has no address."""
    if not document.url:
        return ""
    span = stripped(document.text, target.span if isinstance(target, Block) else target)
    block = target if isinstance(target, Block) else block_at(document, span)
    address = urlunsplit(urlsplit(document.url)._replace(fragment=""))
    if block is not None and block.page is not None:
        return f"{address}#page={block.page}"
    anchor = quote(block.anchor, safe="!$&'()*+,;=:@/?") if block is not None and block.anchor else ""
    fragment = text_fragment(document.text, span)
    return f"{address}#{anchor}{fragment}" if anchor or fragment else address


def block_at(document: Document, span: Span) -> Block | None:
    """The block that ``span`` begins in."""
    low, high = 0, len(document.blocks)
    while low < high:
        middle = (low + high) // 2
        if document.blocks[middle].end <= span.start:
            low = middle + 1
        else:
            high = middle
    found = document.blocks[low] if low < len(document.blocks) else None
    return found if found is not None and found.start <= span.start else None


def text_fragment(text: str, span: Span) -> str:
    """``:~:text=…`` for a span of a page's text; ``""`` for an empty one.

    A text that stands on the page before is told apart by the words in front of it.
    """
    quoted = text[span.start : span.end]
    if not quoted.strip():
        return ""
    head, tail = _edges(quoted)
    directive = _encoded(head) + (f",{_encoded(tail)}" if tail else "")
    # The directive's first match counts, and that may be another place with the same words.
    if text.find(head, 0, span.start + len(head) - 1) >= 0:
        prefix = _words_before(text, span.start)
        if prefix:
            directive = f"{_encoded(prefix)}-,{directive}"
    return f":~:text={directive}"


def _edges(quoted: str) -> tuple[str, str]:
    """The whole text if it is short and on one line, else its first and last words."""
    lines = [line.strip() for line in quoted.splitlines() if line.strip()]
    if len(lines) > 1:
        return _edges(lines[0])[0], _edges(lines[-1])[1] or _edges(lines[-1])[0]
    line = lines[0]
    if len(line) <= _EXACT_LENGTH:
        return line, ""
    words = list(_WORDS.finditer(line))
    if len(words) > 2 * _EDGE_WORDS:
        head, tail = line[: words[_EDGE_WORDS - 1].end()], line[words[-_EDGE_WORDS].start() :]
        if max(len(head), len(tail)) <= 2 * _EXACT_LENGTH:
            return head, tail
    first, last = _pause_after(line, _EDGE_LENGTH), _pause_before(line, len(line) - _EDGE_LENGTH)
    if 0 < first <= last < len(line):
        return line[:first].strip(), line[last:].strip()
    return line, ""


def _pause_after(text: str, position: int) -> int:
    while position < len(text) and text[position - 1] not in _PAUSES:
        position += 1
    return position


def _pause_before(text: str, position: int) -> int:
    while position > 0 and text[position - 1] not in _PAUSES:
        position -= 1
    return position


def _words_before(text: str, start: int) -> str:
    """The last words before a place, within one block."""
    line = text[max(0, start - 200) : start].rpartition("\n")[2]
    if not line.strip():
        line = text[max(0, start - 200) : start].rstrip().rpartition("\n")[2]
    words = line.split()
    if start > 200 and len(line) == 200:
        words = words[1:]  # the first may be half a word
    return " ".join(words[-_PREFIX_WORDS:])


def _encoded(text: str) -> str:
    """Percent-encoded so that nothing in it is taken for the directive's own ``,``, ``-`` or ``&``."""
    return quote(text, safe="").replace("-", "%2D")
