"""What a shortcode sees: its arguments, what stands between its tags, its page and its site."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from aipk_core.documents.builder import DocumentBuilder
from aipk_core.documents.hugo.front_matter import FrontMatter
from aipk_core.documents.hugo.shortcode_syntax import Shortcode
from aipk_core.documents.hugo.site import HugoSite, Language
from aipk_core.documents.loaders.markdown_html import HeadingIds, markdown_to_html
from aipk_core.documents.model import Origin
from aipk_core.documents.traced import Place, SourceText, Traced
from aipk_core.errors import DocumentError
from aipk_core.hashing import digest, digest_bytes

if TYPE_CHECKING:
    from aipk_core.documents.hugo.expansion import Expansion

_SINGLE_PARAGRAPH = re.compile(r"\s*<p>((?:(?!<p>).)*)</p>\s*", re.DOTALL)


@dataclass(slots=True)
class PageBuild:
    """The page being built: all that is shared by its own text and the texts included in it.

    Attributes:
        heading_style: how heading ids are made; each piece of Markdown that Hugo renders apart counts its own.
        expanded: characters that shortcodes have written so far, bounded by ``max_expanded``.
        tick: raises ``DocumentError`` when the time for this page is over.
    """

    site: HugoSite
    builder: DocumentBuilder
    language: Language
    max_expanded: int
    tick: Callable[[], None]
    heading_style: str
    expanded: int = 0
    counter: int = 0
    reported: set[tuple[str, str]] = field(default_factory=set)

    def spend(self, characters: int) -> None:
        """Count what has been written; the bound that stops a page from growing without end."""
        self.expanded += characters
        if self.expanded > self.max_expanded:
            raise DocumentError(
                f"shortcodes and includes expand to more than {self.max_expanded} characters",
                code="too-large",
                where=self.builder.document_id,
                remedy="Check for files that include each other",
            )
        self.tick()

    def problem(self, code: str, message: str, where: str) -> None:
        """Report something once for this page."""
        if (code, message) not in self.reported and len(self.reported) < 100:
            self.reported.add((code, message))
            self.builder.problem(code, message, where)

    def text(self, path: str, kind: str) -> SourceText | None:
        """A file that the page depends on, also when it is absent."""
        if path == self.builder.document_id:
            kind = "page"
        text = self.site.text(path)
        data = self.site.memory.get(("digest", path))
        if data is None:
            raw = self.site.read(path) if text is not None else None
            data = "" if raw is None else digest_bytes(raw)
            self.site.memory[("digest", path)] = data
        self.builder.depend(kind, path, data)
        return text

    def header(self, path: str, kind: str) -> FrontMatter:
        """The front matter of a file that the page depends on."""
        return self.site.header(path) if self.text(path, kind) is not None else FrontMatter()

    def files(self, folder: str, kind: str = "listing") -> tuple[str, ...]:
        """The files of a folder; which there are is something that the page depends on."""
        paths = tuple(self.site.list(folder))
        self.builder.depend(kind, f"{folder}/", digest(list(paths)) if paths else "")
        return paths

    def parameter(self, name: str, header: FrontMatter | None = None) -> Any:
        """A parameter of the page, else of the site."""
        if header is not None and name.lower() in header.values:
            return header.values[name.lower()]
        value = self.site.parameter(name)
        self.builder.depend("parameter", name, "" if value is None else digest(value))
        return value

    def translation(self, key: str) -> str | None:
        value = self.site.translation(key, self.language.code)
        self.builder.depend("translation", key, "" if value is None else digest(value))
        return value


@dataclass(slots=True)
class Call:
    """One use of a shortcode.

    Attributes:
        inner: what stands between its tags, with the shortcodes in it expanded.
        settings: what the table of the corpus says about this shortcode.
        parent: the call around this one.
        parts: what inner calls left for this one (tabs).
        boilerplate: whether what it writes is text that the site repeats everywhere.
    """

    node: Shortcode
    expansion: Expansion
    settings: Mapping[str, Any]
    inner: Traced
    tag: Place | None
    parent: Call | None = None
    parts: list[Any] = field(default_factory=list)
    boilerplate: bool = False

    @property
    def build(self) -> PageBuild:
        return self.expansion.build

    @property
    def name(self) -> str:
        return self.node.name

    @property
    def page(self) -> str:
        """Path of the file whose text holds the call."""
        return self.expansion.path

    @property
    def folder(self) -> str:
        return self.page.rpartition("/")[0]

    def argument(self, *names: str | int, default: str = "") -> str:
        """The first of these arguments that was given and is not empty."""
        for name in names:
            if isinstance(name, int) or name.isdecimal():
                position = int(name)
                value = self.node.positional[position] if position < len(self.node.positional) else ""
            else:
                value = self.node.named.get(name, "")
            if value:
                return value
        return default

    def setting(self, name: str, default: str = "") -> str:
        """A text setting of the table."""
        value = self.settings.get(name, default)
        return value if isinstance(value, str) else default

    def place(self, origin: Origin = Origin.SHORTCODE) -> Place | None:
        """The tag itself, as the origin of what the shortcode writes."""
        if self.tag is None:
            return None
        return Place(self.tag.source, self.tag.start, self.tag.end, origin, False, self.boilerplate)

    def html(self, text: str) -> Traced:
        """HTML that this shortcode writes."""
        return Traced.of(text, self.place())

    def shown(self, text: str, origin: Origin = Origin.SHORTCODE) -> Traced:
        """Plain text that this shortcode writes."""
        return Traced.of(html.escape(text, quote=True), self.place(origin))

    def join(self, *parts: str | Traced) -> Traced:
        """HTML put together from pieces."""
        result = Traced()
        for part in parts:
            if isinstance(part, str):
                result.append(part, self.place())
            else:
                result.extend(part.pieces)
        return result

    def markdown(self, text: Traced) -> Traced:
        """Markdown as HTML; a single paragraph loses its ``<p>``, as Hugo's ``markdownify`` does."""
        if not text.text.strip():
            return Traced()
        result = markdown_to_html(
            text, ids=HeadingIds(self.build.heading_style), prefix=f"{self.expansion.new_prefix()}:", where=self.page
        )
        return unwrapped(result)

    def translation(self, key: str, *, raw: bool = False) -> Traced:
        """A string of the interface, escaped unless ``raw``; empty and reported when there is none."""
        value = self.build.translation(key)
        if value is None:
            self.build.problem("translation-missing", f"there is no interface text named {key!r}", self.page)
            return Traced()
        return Traced.of(value if raw else html.escape(value, quote=False), self.place(Origin.COMPUTED))

    def parameter(self, name: str) -> str:
        """A parameter as text; empty and reported when there is none."""
        value = self.build.parameter(name, self.expansion.header)
        if value is None:
            self.build.problem("parameter-missing", f"there is no site parameter named {name!r}", self.page)
            return ""
        return str(value).lower() if isinstance(value, bool) else str(value)

    def content_folders(self) -> Iterator[str]:
        """Content folders to look in: that of the page's language, then that of the default language."""
        folders = [self.build.language.content, self.build.site.default_language.content]
        yield from dict.fromkeys(folders)

    def problem(self, code: str, message: str) -> None:
        self.build.problem(code, message, self.page)


def unwrapped(result: Traced) -> Traced:
    """HTML without the ``<p>`` around its only paragraph."""
    found = _SINGLE_PARAGRAPH.fullmatch(result.text)
    return result.cut(found.start(1), found.end(1)) if found else result
