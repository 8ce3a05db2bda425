"""Markdown files: front matter, CommonMark with the usual extensions, and HTML inside it."""

from __future__ import annotations

import re
from typing import Any

from aipk_core.documents.builder import DocumentBuilder
from aipk_core.documents.hugo.front_matter import FrontMatter, split_front_matter
from aipk_core.documents.loaders.deadlines import deadline
from aipk_core.documents.loaders.encodings import decode
from aipk_core.documents.loaders.html_blocks import write_blocks
from aipk_core.documents.loaders.html_tree import Element, parse_html
from aipk_core.documents.loaders.markdown_html import HeadingIds, markdown_to_html
from aipk_core.documents.loaders.registry import LoadContext, RawDocument
from aipk_core.documents.model import Document
from aipk_core.documents.traced import SourceText, Traced
from aipk_core.errors import DocumentError
from aipk_core.text.languages import UNDETERMINED

_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,4}")
_SHORTCODE = re.compile(r"\{\{(?:<\s*/?\s*[A-Za-z_][\w./-]*[^{}]*>|%\s*/?\s*[A-Za-z_][\w./-]*[^{}]*%)\}\}")


def load_markdown(raw: RawDocument, context: LoadContext) -> Document:
    """Read a Markdown file; one that calls Hugo shortcodes is built as a page of a Hugo site.

    Raises:
        DocumentError: ``empty``, ``invalid``, ``misleading-charset``, ``too-large``, ``timeout``.
    """
    decoded = decode(raw.data, raw.encoding, where=raw.id)
    if _SHORTCODE.search(decoded.text):
        from aipk_core.documents.loaders.hugo import load_hugo  # only for the few files that need it

        return load_hugo(raw, context)
    source = SourceText("", decoded.text, decoded.encoding, raw.data)
    header = split_front_matter(source.text)
    builder = DocumentBuilder(raw.id, len(raw.data), keep_no_break=True)
    builder.problems.extend(decoded.problems)
    if header.problem:
        builder.problem("front-matter-invalid", header.problem, raw.id)
    check = deadline(context.limits.timeout, raw.id)
    page = markdown_to_html(Traced.of_source(source, header.body), ids=HeadingIds(), where=raw.id)
    check()
    root = parse_markup(page.text, builder, unknown_tags=str(context.options.get("unknown_tags", "text")))
    write_blocks(root, page, builder, max_blocks=context.limits.max_blocks, tick=check)
    if not builder.blocks:
        raise DocumentError(
            "the file has no visible text", code="empty", where=raw.id, remedy="Exclude the file or add text to it"
        )
    title = header.values.get("title")
    return builder.build(
        title=str(title) if title else _first_heading(builder),
        url=raw.url,
        lang=named_language(header) or raw.lang or UNDETERMINED,
        media_type="text/markdown",
        metadata=_metadata(header),
    )


def parse_markup(page: str, builder: DocumentBuilder, *, unknown_tags: str = "text") -> Element:
    """The tree of HTML made from Markdown.

    Authors who write ``<pod name>`` mean these words; browsers take them for a tag and show nothing. The words are
    kept, which is reported, unless ``unknown_tags`` is ``"drop"``.
    """
    kept: set[str] | None = None if unknown_tags == "drop" else set()
    root = parse_html(page, fragment=True, kept=kept)
    if kept:
        shown = ", ".join(f"<{tag[:40]}>" for tag in sorted(kept)[:5])
        builder.problem("tags-unknown", f"{shown} kept as text; browsers take it for a tag and show nothing")
    return root


def named_language(header: FrontMatter) -> str:
    """The language that front matter names; ``""`` when it names none."""
    named = header.values.get("lang") or header.values.get("language")
    return named if isinstance(named, str) and _LANGUAGE.fullmatch(named) else ""


def _first_heading(builder: DocumentBuilder) -> str:
    return next((builder.block_text(i) for i, block in enumerate(builder.blocks) if block.is_heading), "")


def _metadata(header: FrontMatter) -> dict[str, Any]:
    return {"front_matter": header.values} if header.values else {}
