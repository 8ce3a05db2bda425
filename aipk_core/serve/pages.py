"""The pages that people see: a chat with clickable citations, and a source document with one sentence highlighted.

Every text from a package is escaped here or set as text by the page's script; the content security policy of the guard
allows no inline script and nothing from elsewhere.
"""

from __future__ import annotations

from html import escape
from importlib.resources import files
from urllib.parse import urlsplit

from aipk_core.documents.model import HEADING_KINDS, Block, Document

_STATIC = {
    "chat.js": "text/javascript",
    "page.css": "text/css",
}


def chat_page() -> str:
    return _read("chat.html")


def static_file(name: str) -> tuple[str, str] | None:
    """Content and media type of one of the page's own files, or ``None``."""
    return (_read(name), _STATIC[name]) if name in _STATIC else None


def source_page(document: Document, start: int, end: int) -> str:
    """``document`` as a page, with ``[start, end)`` highlighted and marked as ``#cited``; an empty span marks nothing."""
    title = escape(document.title or document.id)
    facts = [escape(document.id)]
    if document.licence:
        facts.append(escape(document.licence))
    if document.attribution:
        facts.append(escape(document.attribution))
    if is_web_address(document.url):
        facts.append(f'<a href="{escape(document.url)}" rel="noreferrer noopener">original page</a>')
    body = "\n".join(_block(document.text, block, start, end) for block in _blocks(document))
    return (
        f'<!doctype html>\n<html lang="{escape(document.lang)}">\n<head><meta charset="utf-8"><title>{title}</title>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<link rel="icon" href="data:,"><link rel="stylesheet" href="/static/page.css"></head>\n'
        f'<body class="source"><header><p class="facts">{" · ".join(facts)}</p></header>\n<main>\n{body}\n</main></body></html>\n'
    )


def is_web_address(url: str) -> bool:
    """Whether a link may be followed from a page; ``javascript:`` and the like may not."""
    try:
        return urlsplit(url).scheme in ("http", "https")
    except ValueError:
        return False


def _blocks(document: Document) -> list[Block]:
    if document.blocks:
        return list(document.blocks)
    blocks, position = [], 0
    for paragraph in document.text.split("\n\n"):
        blocks.append(Block("p", position, position + len(paragraph)))
        position += len(paragraph) + 2
    return blocks


def _block(text: str, block: Block, start: int, end: int) -> str:
    left, right = max(block.start, start), min(block.end, end)
    if left < right:
        mark = ' id="cited"' if start >= block.start else ""
        inner = (
            f"{escape(text[block.start : left])}<mark{mark}>{escape(text[left:right])}</mark>"
            f"{escape(text[right : block.end])}"
        )
    else:
        inner = escape(text[block.start : block.end])
    if block.is_verbatim:
        return f"<pre>{inner}</pre>"
    if block.kind in HEADING_KINDS:
        return f"<{block.kind}>{inner}</{block.kind}>"
    columns = f'<span class="columns">{escape(" · ".join(block.columns))}</span> ' if block.columns else ""
    kind = "item" if block.kind in ("li", "dd") else "cell" if block.kind in ("td", "th") else "paragraph"
    return f'<p class="{kind}">{columns}{inner}</p>'


def _read(name: str) -> str:
    return files("aipk_core.serve").joinpath("page", name).read_text("utf-8")
