"""One run over the pages of a web source: which addresses to ask, how politely, and what to make of the answers."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from lxml import etree, html

from aipk_core.documents.loaders.registry import UNKNOWN, media_type_of, media_types
from aipk_core.documents.model import Problem
from aipk_core.documents.sources.addresses import normal_address, origin_of, site_of
from aipk_core.documents.sources.model import WebSource
from aipk_core.documents.sources.network import Client, FetchError, Resolver, Response
from aipk_core.documents.sources.robots import MAX_BYTES as MAX_ROBOTS_BYTES
from aipk_core.documents.sources.robots import Robots
from aipk_core.documents.sources.sitemap import MAX_BYTES as MAX_SITEMAP_BYTES
from aipk_core.documents.sources.sitemap import parse_sitemap
from aipk_core.documents.sources.snapshot import Choice, Progress, never_a_document
from aipk_core.documents.sources.web_cache import Page, WebCache
from aipk_core.errors import SourceError
from aipk_core.hashing import digest, digest_bytes

MAX_SITEMAPS = 1000
MAX_FAILURES_IN_A_ROW = 5
MAX_RETRY_AFTER = 120.0
_MAX_LINKS = 20_000
_TRANSIENT = frozenset({408, 425, 429, 500, 502, 503, 504})
_HTML = frozenset({"text/html", "application/xhtml+xml"})


class Crawl:
    """Reads the pages of a source; ``run`` once.

    Attributes:
        problems: what concerns no single page (a site larger than ``max_pages`` …).
    """

    def __init__(
        self, settings: WebSource, cache: WebCache, progress: Progress | None = None, resolver: Resolver | None = None
    ) -> None:
        self.settings = settings
        self.problems: list[Problem] = []
        self._cache = cache
        self._progress = progress
        self._client = Client(
            settings.user_agent, settings.timeout, settings.max_redirects, settings.allow_private, resolver
        )
        self._choice = Choice(settings)
        self._sites = frozenset(self._site(address) for address in (*settings.pages, *settings.sitemaps)) | frozenset(
            host.lower().removeprefix("www.") for host in settings.hosts
        )
        self._robots: dict[str, Robots] = {}
        self._asked_at: dict[str, float] = {}
        self._deadline = time.monotonic() + settings.total_timeout
        self._media_types = frozenset(settings.content_types or media_types())
        self._failures = 0

    def run(self) -> list[Page]:
        """All pages, in the order in which they were found.

        Raises:
            SourceError: the source as a whole cannot be read; see ``web.open_web``.
        """
        last = self._cache.last_pages()
        done = self._cache.resumed(digest("crawl", _key(self.settings)))
        pages: list[Page] = []
        total = 0
        for address, links in self._addresses():
            if len(pages) >= self.settings.max_pages:
                self.problems.append(
                    Problem(
                        "too-many-pages",
                        f"the site has more than {self.settings.max_pages} pages; the rest is left out",
                    )
                )
                break
            self._check_time()
            if self._progress:
                self._progress("pages", len(pages), None)
            page = done.get(address)
            if page is None:
                page, data = self._page(address, last.get(address))
                self._cache.note(page, data)
            pages.append(page)
            total += page.size if page.digest else 0
            if total > self.settings.max_total_bytes:
                raise self._stopped("too-large", f"the pages have more than {self.settings.max_total_bytes} bytes")
            links.extend(self._links(page) if links.wanted and page.digest else ())
        return pages

    def _addresses(self) -> Iterator[tuple[str, _Links]]:
        """Every address once, with a place to put the links of its page: the list, then sitemaps, then links by depth."""
        seen: set[str] = set()
        waiting: deque[tuple[str, int]] = deque()
        for address in self.settings.pages:
            waiting.append((self._normal(address), 0))
        sitemap_pages = self._sitemap_pages()
        while True:
            if not waiting:
                following = next(sitemap_pages, None)
                if following is None:
                    return
                waiting.append((following, self.settings.follow_links))
            address, depth = waiting.popleft()
            if address in seen:
                continue
            seen.add(address)
            links = _Links(wanted=depth < self.settings.follow_links)
            yield address, links
            # Links beyond the limit of pages would only fill the memory.
            room = self.settings.max_pages * 2 - len(seen) - len(waiting)
            fresh = [link for link in dict.fromkeys(links) if link not in seen and self._wanted(link)]
            waiting.extend((link, depth + 1) for link in fresh[: max(room, 0)])

    def _sitemap_pages(self) -> Iterator[str]:
        waiting = deque(self._normal(address) for address in self.settings.sitemaps)
        seen: set[str] = set()
        while waiting:
            address = waiting.popleft()
            if address in seen:
                continue
            seen.add(address)
            if len(seen) > MAX_SITEMAPS:
                self.problems.append(Problem("too-many-sitemaps", f"only the first {MAX_SITEMAPS} sitemaps were read"))
                return
            try:
                response = self._fetched(address, MAX_SITEMAP_BYTES, {})
                if response.status != 200:
                    raise FetchError("status", f"the server answers {response.status}")
                sitemap = parse_sitemap(response.data)
            except FetchError as error:
                raise self._stopped(
                    "sitemap-unreadable", f"the sitemap {address} cannot be read: {error.message}"
                ) from error
            waiting.extend(target for text in sitemap.sitemaps if (target := self._same_site(text, address)))
            for text in sitemap.pages:
                target = self._same_site(text, address)
                if target and self._wanted(target):
                    yield target

    def _page(self, address: str, before: Page | None) -> tuple[Page, bytes | None]:
        """What is at an address now; the former state is kept when the server fails for the moment."""
        headers: dict[str, str] = {}
        if before and before.media_type in self._media_types and self._cache.has(before.digest):
            headers |= {"If-None-Match": before.etag} if before.etag else {}
            headers |= {"If-Modified-Since": before.modified} if before.modified else {}
        try:
            response = self._fetched(address, self.settings.max_file_bytes, headers)
        except FetchError as error:
            return self._failed(address, before, error), None
        self._failures = 0
        if response.status == 304 and before and headers:
            return before.model_copy(update={"outcome": "kept", "message": ""}), None
        if response.status in {404, 410}:
            return Page(asked=address, address=address, outcome="missing", message="the page does not exist"), None
        if response.status != 200:
            message = f"the server answers {response.status}"
            return Page(asked=address, address=address, outcome="denied", message=message), None
        return self._kept(address, response)

    def _kept(self, address: str, response: Response) -> tuple[Page, bytes | None]:
        media_type = response.media_type if response.media_type != UNKNOWN else ""
        # Servers call everything that they do not know text/plain; the name may know better.
        by_name = media_type_of(response.address.partition("://")[2].partition("/")[2].partition("?")[0], response.data)
        kind = by_name if media_type in {"", "text/plain"} and by_name != UNKNOWN else media_type
        if kind not in self._media_types:
            message = f"the type {kind or 'unknown'} is not among those that are read"
            return Page(asked=address, address=response.address, outcome="skipped", message=message), None
        page = Page(
            asked=address,
            address=response.address,
            digest=digest_bytes(response.data),
            size=len(response.data),
            media_type=kind,
            encoding=response.encoding,
            lang=_language(response.headers.get("content-language", "")),
            etag=response.headers.get("etag", "")[:1000],
            modified=response.headers.get("last-modified", "")[:100],
        )
        return page, response.data

    def _failed(self, address: str, before: Page | None, error: FetchError) -> Page:
        if error.code == "too-large":
            size = self.settings.max_file_bytes + 1
            return Page(asked=address, address=address, outcome="too-large", message=error.message, size=size)
        if not error.transient:
            return Page(asked=address, address=address, outcome="skipped", message=error.message)
        self._failures += 1
        if self._failures >= MAX_FAILURES_IN_A_ROW:
            raise self._stopped(
                "source-unreachable",
                f"{self._failures} pages in a row could not be read, the last because {error.message}",
            ) from error
        if before and before.digest and self._cache.has(before.digest):
            return before.model_copy(update={"outcome": "stale", "message": f"the last state is used: {error.message}"})
        if address in {self._normal(page) for page in self.settings.pages}:
            raise self._stopped("source-unreachable", f"{address} cannot be read: {error.message}") from error
        return Page(asked=address, address=address, outcome="failed", message=error.message)

    def _fetched(self, address: str, max_bytes: int, headers: dict[str, str]) -> Response:
        """Ask for an address, again when the server is busy."""
        for attempt in range(self.settings.max_retries + 1):
            self._check_time()
            pause = 0.0
            try:
                response = self._client.fetch(address, max_bytes=max_bytes, headers=headers, check=self._check)
                if response.status not in _TRANSIENT:
                    return response
                failure = FetchError("status", f"the server answers {response.status}", transient=True)
                pause = _retry_after(response.headers.get("retry-after", ""))
            except FetchError as error:
                if not error.transient:
                    raise
                failure = error
            if attempt == self.settings.max_retries or pause > MAX_RETRY_AFTER:
                raise failure
            time.sleep(max(pause, min(self.settings.delay * 2**attempt, MAX_RETRY_AFTER)))
        raise failure

    def _check(self, address: str) -> None:
        """Called before each request, redirects included: same site, allowed by robots.txt, and not too soon."""
        if site_of(address) not in self._sites:
            raise FetchError("off-site", f"{address} belongs to another site")
        robots = self._robots_of(address)
        if not robots.allows(address):
            raise FetchError("robots", f"robots.txt asks not to read {address}")
        self._wait(address, max(self.settings.delay, robots.delay))

    def _robots_of(self, address: str) -> Robots:
        origin = origin_of(address)
        if origin not in self._robots:
            self._robots[origin] = Robots("", "*") if self.settings.ignore_robots else self._asked_robots(origin)
        return self._robots[origin]

    def _asked_robots(self, origin: str) -> Robots:
        """A file that does not exist allows everything; one that cannot be had now forbids everything (RFC 9309)."""
        for attempt in range(self.settings.max_retries + 1):
            try:
                self._wait(origin, self.settings.delay)
                response = self._client.fetch(f"{origin}/robots.txt", max_bytes=MAX_SITEMAP_BYTES)
            except FetchError as error:
                if error.code in {"address-refused", "certificate-invalid"}:
                    raise
                if error.code in {"redirect-loop", "redirect-refused"}:
                    return Robots("", "*")
                message, transient = error.message, error.transient
            else:
                if response.status == 200:
                    text = response.data[:MAX_ROBOTS_BYTES].decode("utf-8", "replace")
                    return Robots(text, self.settings.user_agent)
                if response.status < 500 and response.status != 429:
                    return Robots("", "*")
                message, transient = f"the server answers {response.status}", True
            if not transient or attempt == self.settings.max_retries:
                break
            time.sleep(min(self.settings.delay * 2**attempt, MAX_RETRY_AFTER))
        raise self._stopped("robots-unreachable", f"robots.txt of {origin} cannot be read: {message}")

    def _wait(self, address: str, delay: float) -> None:
        site = site_of(address)
        due = self._asked_at.get(site, float("-inf")) + delay
        pause = due - time.monotonic()
        if pause > 0:
            time.sleep(pause)
        self._asked_at[site] = time.monotonic()

    def _links(self, page: Page) -> list[str]:
        """Addresses that an HTML page of the source links to, on the same site."""
        if page.media_type not in _HTML:
            return []
        try:
            root = html.document_fromstring(self._cache.content(page.digest), parser=html.HTMLParser(huge_tree=False))
        except (etree.ParserError, etree.XMLSyntaxError, ValueError):
            return []  # the loader will say what is wrong with the page
        bases = [element.get("href") or "" for element in root.iter("base")]
        base = (normal_address(bases[0], page.address) if bases else None) or page.address
        found: list[str] = []
        for link in root.iter("a", "area"):
            target = link.get("href")
            if target and "nofollow" not in (link.get("rel") or "").lower().split():
                address = self._same_site(target, base)
                if address:
                    found.append(address)
            if len(found) >= _MAX_LINKS:
                break
        return found

    def _wanted(self, address: str) -> bool:
        path = address.partition("://")[2]
        return self._choice.is_document(path) and not never_a_document(path.partition("?")[0].partition("/")[2])

    def _same_site(self, text: str, base: str) -> str | None:
        address = normal_address(text, base)
        return address if address and site_of(address) in self._sites else None

    def _normal(self, address: str) -> str:
        normal = normal_address(address)
        if normal is None:
            raise self._stopped("source-unreachable", f"{address!r} is no usable web address")
        return normal

    def _site(self, address: str) -> str:
        return site_of(self._normal(address))

    def _check_time(self) -> None:
        if time.monotonic() > self._deadline:
            raise self._stopped(
                "timeout", f"reading the pages took longer than {self.settings.total_timeout:.0f} seconds"
            )

    def _stopped(self, code: str, message: str) -> SourceError:
        return SourceError(
            message,
            code=code,
            where=self.settings.name,
            remedy="Run the command again: it goes on where this run stopped. The last complete state is unchanged",
        )


class _Links(list[str]):
    """Links found on a page; ``wanted`` is false where they would lead too far away."""

    def __init__(self, wanted: bool) -> None:
        super().__init__()
        self.wanted = wanted


def _key(settings: WebSource) -> str:
    """The settings that decide what a crawl reads; a crawl with others is another crawl."""
    return settings.model_dump_json(
        exclude={"licence", "attribution", "url_base", "delay", "timeout", "total_timeout", "workers", "options"}
    )


def _retry_after(value: str) -> float:
    """Seconds that a server asks to wait: a number or an HTTP date."""
    text = value.strip()
    if text.isascii() and text.isdigit() and len(text) < 9:
        return float(text)
    try:
        when = parsedate_to_datetime(text)
    except (TypeError, ValueError):
        return 0.0
    if when.tzinfo is None:
        when = when.replace(tzinfo=UTC)
    return max((when - datetime.now(UTC)).total_seconds(), 0.0)


def _language(value: str) -> str:
    """The first tag of a ``Content-Language`` header, if it looks like one."""
    tag = value.partition(",")[0].strip()
    return tag if tag.replace("-", "").isalnum() and tag.isascii() and len(tag) <= 35 else ""
