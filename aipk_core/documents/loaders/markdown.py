"""Markdown files: front matter, CommonMark with the usual extensions, and HTML inside it."""

from __future__ import annotations

import re
from typing import Any

from aipk_core.documents.builder import DocumentBuilder
from aipk_core.documents.hugo.front_matter import FrontMatter, split_front_matter
from aipk_core.documents.loaders.deadlines import deadline
from aipk_core.documents.loaders.encodings import decode
from aipk_core.documents.loaders.html_blocks import write_blocks
from aipk_core.documents.loaders.html_tree import Element, is_known, parse_html
from aipk_core.documents.loaders.markdown_html import HeadingIds, markdown_to_html
from aipk_core.documents.loaders.registry import LoadContext, RawDocument
from aipk_core.documents.model import Document
from aipk_core.documents.traced import SourceText, Traced
from aipk_core.errors import DocumentError

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
    page = markdown_to_html(Traced.of_source(source, header.body), ids=HeadingIds())
    check()
    root = parse_markup(page.text, builder, as_text=context.options.get("unknown_tags") == "text")
    write_blocks(root, page, builder, max_blocks=context.limits.max_blocks, tick=check)
    if not builder.blocks:
        raise DocumentError(
            "the file has no visible text", code="empty", where=raw.id, remedy="Exclude the file or add text to it"
        )
    title = header.values.get("title")
    return builder.build(
        title=str(title) if title else _first_heading(builder),
        url=raw.url,
        lang=raw.lang or str(header.values.get("lang") or header.values.get("language") or "und"),
        media_type="text/markdown",
        metadata=_metadata(header),
    )


def parse_markup(page: str, builder: DocumentBuilder, *, as_text: bool) -> Element:
    """The tree of HTML made from Markdown; what browsers take for unknown tags is reported, or kept ``as_text``."""
    root = parse_html(page, fragment=True, unknown_as_text=as_text)
    unknown = sorted({element.tag[:40] for element in root.elements() if not is_known(element.tag) and element.tag})
    if unknown:
        shown = ", ".join(f"<{tag}>" for tag in unknown[:5])
        builder.problem("tags-unknown", f"browsers take {shown} for tags and show nothing; escape the < if it is text")
    return root


def _first_heading(builder: DocumentBuilder) -> str:
    return next((builder.block_text(i) for i, block in enumerate(builder.blocks) if block.is_heading), "")


def _metadata(header: FrontMatter) -> dict[str, Any]:
    return {"front_matter": header.values} if header.values else {}
