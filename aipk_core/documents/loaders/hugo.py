"""Pages of a Hugo site: front matter, shortcodes, Markdown, and then blocks."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from typing import Any

from aipk_core.documents.builder import DocumentBuilder
from aipk_core.documents.hugo.calls import PageBuild
from aipk_core.documents.hugo.expansion import Expansion
from aipk_core.documents.hugo.front_matter import FrontMatter, split_front_matter
from aipk_core.documents.hugo.pages import page_url
from aipk_core.documents.hugo.site import HugoSite, Language, source_text
from aipk_core.documents.hugo.table import ShortcodeTable, build_table
from aipk_core.documents.loaders.deadlines import deadline
from aipk_core.documents.loaders.html_blocks import write_blocks
from aipk_core.documents.loaders.markdown import named_language, parse_markup
from aipk_core.documents.loaders.registry import LoadContext, RawDocument
from aipk_core.documents.model import Document, Origin
from aipk_core.documents.traced import Place, SourceText, Traced
from aipk_core.text.languages import UNDETERMINED

_MAX_EXPANDED = 32 << 20
_SHORTCODE = re.compile(r"\{\{[<%]\s*([A-Za-z_][\w/-]*)")


def load_hugo(raw: RawDocument, context: LoadContext) -> Document:
    """Build a page as its readers see it.

    Args:
        context: ``site`` gives the files that pages are made from; pass a ``HugoSite`` to read what pages share only
            once. Options: those of ``HugoSite`` and ``build_table``, and ``unknown_tags = "drop"``, which shows
            nothing of ``<pod name>``, as browsers do, instead of keeping it as text.

    Raises:
        DocumentError: ``invalid`` (no text), ``too-large`` (includes without end), ``timeout``.
        CorpusError: the corpus's shortcode table is wrong.
    """
    site = context.site if isinstance(context.site, HugoSite) else HugoSite(context.site or _NoFiles(), context.options)
    source = source_text(raw.id, raw.data, raw.encoding, file="")
    table, settings = _table(site, context, source.text)
    header = split_front_matter(source.text)
    builder = DocumentBuilder(raw.id, len(raw.data), keep_no_break=True)
    if header.problem:
        builder.problem("front-matter-invalid", header.problem, raw.id)
    language = site.language_of(raw.id) or Language(raw.lang or site.default_language.code, "", "", 0)
    build = PageBuild(
        site,
        builder,
        language,
        min(context.limits.max_expanded_bytes, _MAX_EXPANDED),
        deadline(context.limits.timeout, raw.id),
        str(site.setting("markup", "goldmark", "parser", "autoHeadingIDType") or "github"),
    )
    title = str(header.values.get("title") or "")
    page = _title_html(source, header, title)
    if header.values.get("layout") not in settings.get("title_only_layouts", []):
        page.extend(Expansion(build, table, source, raw.id, header).html().pieces)
    root = parse_markup(page.text, builder, unknown_tags=str(settings.get("unknown_tags", "text")))
    write_blocks(root, page, builder, max_blocks=context.limits.max_blocks, tick=build.tick)
    url = raw.url or _url(site, raw.id, header)
    return builder.build(
        title=title or _first_heading(builder),
        url=url,
        lang=raw.lang or (language.code if site.config else named_language(header) or UNDETERMINED),
        media_type="text/x-hugo",
        metadata={"front_matter": header.values} if header.values else {},
    )


class _NoFiles:
    """The site of a page that stands alone."""

    def read(self, path: str) -> bytes | None:
        return None

    def list(self, folder: str = "") -> Iterable[str]:
        return ()


def _table(site: HugoSite, context: LoadContext, text: str) -> tuple[ShortcodeTable, dict[str, Any]]:
    """The shortcode table, built once for a site."""
    if not site.config:
        return build_table(context.options, site.base_url, _SHORTCODE.findall(text))
    key = ("table", id(context.options))
    if key not in site.memory:
        # The options are kept as well, so that no other object can get their identity meanwhile.
        own = str(site.setting("baseURL") or "").rstrip("/")  # where a copy of the site is served does not matter
        site.memory[key] = (*build_table(context.options, own), context.options)
    table, settings, _ = site.memory[key]
    return table, settings


def _title_html(source: SourceText, header: FrontMatter, title: str) -> Traced:
    """The page's ``<h1>``, with its place in the front matter."""
    if not title:
        return Traced()
    at = source.text.find(title, 0, header.body)
    written = html.escape(title, quote=False)
    place = Place(source, max(at, 0), at + len(title) if at >= 0 else header.body, Origin.LITERAL, written == title)
    if at < 0:
        place = Place(source, 0, header.body, Origin.LITERAL)
    return Traced([("<h1>", None), (written, place), ("</h1>\n", None)])


def _url(site: HugoSite, path: str, header: FrontMatter) -> str:
    inside = page_url(site, path, header)
    return f"{site.base_url}{inside}" if inside else ""


def _first_heading(builder: DocumentBuilder) -> str:
    return next((builder.block_text(i) for i, block in enumerate(builder.blocks) if block.is_heading), "")
