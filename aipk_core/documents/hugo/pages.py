"""Which files of a Hugo site are pages, and where a reader finds them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from aipk_core.documents.hugo.front_matter import FrontMatter
from aipk_core.documents.hugo.site import HugoSite, Language
from aipk_core.documents.loaders.registry import Site

_PAGE = re.compile(r"\.(?:md|markdown|html|htm)$")
_MAX_PATTERN = 300
# Two repetitions inside each other take exponential time in Python, other than in Hugo.
_NESTED_REPEAT = re.compile(r"[+*}]\)*[+*{]")


@dataclass(frozen=True, slots=True)
class HugoPage:
    """A page: path inside the source, URL path on the site (``/docs/concepts/``), language code and title."""

    path: str
    url: str
    lang: str
    title: str = ""


def hugo_pages(site: Site, options: Mapping[str, Any] | None = None) -> list[HugoPage]:
    """All pages of a site, ordered by path.

    Not pages: files that the configuration ignores, drafts, bundles without a page of their own and their
    resources, and what ``build`` in front matter (its own or cascaded) says not to render.

    Args:
        site: the files, or a ``HugoSite`` over them.
        options: those of ``HugoSite``, and ``languages`` (codes wanted; all by default), ``sections`` (folders below
            the content folder that are wanted; all by default), ``drafts``.
    """
    hugo = site if isinstance(site, HugoSite) else HugoSite(site, options)
    wanted = dict(options or hugo.options)
    pages: list[HugoPage] = []
    for language in hugo.languages:
        if wanted.get("languages") and language.code not in wanted["languages"]:
            continue
        pages.extend(_pages_of(hugo, language, wanted))
    return sorted(pages, key=lambda page: page.path)


def page_url(site: HugoSite, path: str, header: FrontMatter | None = None) -> str:
    """The URL path of a page; ``""`` for a file outside the content folders."""
    language = site.language_of(path)
    if language is None:
        return ""
    values = (header or site.header(path)).values
    explicit = values.get("url")
    if isinstance(explicit, str) and explicit:
        return explicit if explicit.startswith("/") else f"{language.prefix}/{explicit}"
    inside = _PAGE.sub("", path[len(language.content) + 1 :])
    folders, _, name = inside.rpartition("/")
    section = inside.split("/", 1)[0]
    slug = values.get("slug")
    slug = slug if isinstance(slug, str) and slug else ""
    pattern = site.setting("permalinks", section) or site.setting("permalinks", "page", section)
    if isinstance(pattern, str) and name != "_index":
        return language.prefix + _permalink(pattern, section, folders, name, slug, values)
    parts = [part for part in folders.split("/") if part]
    if name == "index":
        if slug and parts:
            parts[-1] = slug
    elif name != "_index":
        parts.append(slug or name)
    return language.prefix + "/" + "".join(f"{_urlize(part)}/" for part in parts)


def _pages_of(site: HugoSite, language: Language, wanted: Mapping[str, Any]) -> list[HugoPage]:
    sections = [str(section).strip("/") for section in wanted.get("sections", [])]
    others = [other.content for other in site.languages if other.content != language.content]
    ignored = _ignored(site)
    paths = [
        path
        for path in site.list(language.content)
        if _PAGE.search(path)
        and not any(path.startswith(f"{other}/") for other in others if len(other) > len(language.content))
        and not any(pattern.search(path) for pattern in ignored)
    ]
    bundles = {path.rpartition("/")[0] for path in paths if path.rpartition("/")[2].split(".")[0] == "index"}
    pages = []
    for path in paths:
        folder, _, name = path.rpartition("/")
        inside = path[len(language.content) + 1 :]
        if sections and not any(inside.startswith(f"{section}/") for section in sections):
            continue
        if _inside_bundle(folder, bundles, language.content, is_index=name.split(".")[0] == "index"):
            continue
        header = site.header(path)
        if header.values.get("headless") is True or not _is_rendered(site, path, header, language):
            continue
        if header.values.get("draft") is True and not wanted.get("drafts"):
            continue
        title = header.values.get("title")
        pages.append(
            HugoPage(path, page_url(site, path, header), language.code, title if isinstance(title, str) else "")
        )
    return pages


def _ignored(site: HugoSite) -> list[re.Pattern[str]]:
    patterns = site.setting("ignoreFiles")
    compiled = []
    for pattern in patterns if isinstance(patterns, list) else []:
        if not isinstance(pattern, str) or len(pattern) > _MAX_PATTERN or _NESTED_REPEAT.search(pattern):
            continue
        try:
            compiled.append(re.compile(pattern))
        except re.error:
            continue  # Go knows some patterns that Python does not; such a file becomes a page, which shows
    return compiled


def _inside_bundle(folder: str, bundles: set[str], content: str, *, is_index: bool) -> bool:
    """Whether a file belongs to a page bundle above it (or beside it) and is no page of its own."""
    if not is_index and folder in bundles:
        return True
    while len(folder) > len(content):
        folder = folder.rpartition("/")[0]
        if folder in bundles and folder != content:
            return True
    return False


def _is_rendered(site: HugoSite, path: str, header: FrontMatter, language: Language) -> bool:
    build = _build(header.values)
    if build is None:
        folder = path.rpartition("/")[0]
        while build is None and len(folder) >= len(language.content):
            for cascade in _cascades(site.header(f"{folder}/_index.md").values):
                build = build or _build(cascade)
            folder = folder.rpartition("/")[0]
    return not build or build.get("render", True) not in (False, "false", "never", "link")


def _build(values: Mapping[str, Any]) -> Mapping[str, Any] | None:
    build = values.get("build", values.get("_build"))
    return build if isinstance(build, Mapping) else None


def _cascades(values: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    cascade = values.get("cascade")
    entries = cascade if isinstance(cascade, list) else [cascade]
    # A cascade with a target reaches only some pages; such sites say so on the pages as well.
    return [
        entry for entry in entries if isinstance(entry, Mapping) and "_target" not in entry and "target" not in entry
    ]


def _urlize(part: str) -> str:
    return re.sub(r"\s+", "-", part.strip().lower())


def _permalink(pattern: str, section: str, folders: str, name: str, slug: str, values: Mapping[str, Any]) -> str:
    file_name = folders.rpartition("/")[2] if name == "index" else name
    dated = re.match(r"(\d{4})-(\d{2})-(\d{2})-?(.*)", file_name)
    date = re.match(r"(\d{4})-(\d{2})-(\d{2})", str(values.get("date", "")))
    found = date or dated
    year, month, day = (found[1], found[2], found[3]) if found else ("", "", "")
    shown = {
        ":year": year,
        ":month": month,
        ":day": day,
        ":slugorfilename": slug or file_name,
        ":slugorcontentbasename": slug or file_name,
        ":slug": slug or _title_slug(values) or file_name,
        ":title": _title_slug(values) or file_name,
        ":filename": file_name,
        ":contentbasename": file_name,
        ":sections": folders,
        ":section": section,
    }
    url = re.sub(r":[a-z]+", lambda part: str(shown.get(part[0], part[0])), pattern)
    return "/" + re.sub(r"/+", "/", url).strip("/") + "/"


def _title_slug(values: Mapping[str, Any]) -> str:
    title = values.get("title")
    if not isinstance(title, str):
        return ""
    return re.sub(r"-+", "-", re.sub(r"[^\w-]+", "-", title.lower())).strip("-")
