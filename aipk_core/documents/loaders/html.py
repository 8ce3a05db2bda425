"""Web pages: the main part, in blocks."""

from __future__ import annotations

import re

from aipk_core.documents.builder import DocumentBuilder
from aipk_core.documents.loaders.deadlines import deadline
from aipk_core.documents.loaders.encodings import decode
from aipk_core.documents.loaders.html_blocks import title_of, write_blocks
from aipk_core.documents.loaders.html_main import MainPart, main_part
from aipk_core.documents.loaders.html_tree import Element, parse_html
from aipk_core.documents.loaders.registry import LoadContext, RawDocument
from aipk_core.documents.model import Document
from aipk_core.documents.traced import SourceText, Traced
from aipk_core.errors import DocumentError
from aipk_core.text.languages import UNDETERMINED

_HEAD = 1 << 16
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,4}")
_META = re.compile(rb"<meta\b[^>]{0,400}?\bcharset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.IGNORECASE)
_PROLOG = re.compile(rb"^\s*<\?xml\b[^>]{0,200}?\bencoding\s*=\s*[\"']([\w.:-]{1,40})", re.IGNORECASE)


def load_html(raw: RawDocument, context: LoadContext) -> Document:
    """Read a web page.

    Args:
        context: option ``whole_page`` takes everything that is visible instead of the main part.

    Raises:
        DocumentError: ``empty`` (no visible text), ``invalid``, ``misleading-charset``, ``too-large``, ``timeout``.
    """
    decoded = decode(raw.data, raw.encoding or declared_encoding(raw.data), where=raw.id)
    source = Traced.of_source(SourceText("", decoded.text, decoded.encoding, raw.data))
    root = parse_html(source.text)
    part = MainPart(root, frozenset()) if context.options.get("whole_page") else main_part(root, source.text)
    builder = DocumentBuilder(raw.id, len(raw.data), keep_no_break=True)
    builder.problems.extend(decoded.problems)
    write_blocks(
        part.root,
        source,
        builder,
        left_out=part.left_out,
        max_blocks=context.limits.max_blocks,
        tick=deadline(context.limits.timeout, raw.id),
    )
    if not builder.blocks:
        raise DocumentError(
            "the page has no visible text",
            code="empty",
            where=raw.id,
            remedy="Exclude it, or fetch it from a place that serves its text without scripts",
        )
    return builder.build(
        title=title_of(root, source.text),
        url=raw.url,
        lang=_declared_language(root) or raw.lang or UNDETERMINED,
        media_type=raw.media_type or "text/html",
        metadata={"encoding": decoded.encoding},
    )


def _declared_language(root: Element) -> str:
    page = root.find("html")
    named = (page.attributes.get("lang") or page.attributes.get("xml:lang") or "").strip() if page else ""
    return named if _LANGUAGE.fullmatch(named) else ""


def declared_encoding(data: bytes) -> str:
    """What the page says about its encoding in its XML prolog or a ``<meta>``; ``""`` if nothing."""
    head = data[:_HEAD]
    found = _META.search(head) or _PROLOG.search(head)
    return found[1].decode("ascii") if found else ""
