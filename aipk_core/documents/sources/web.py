"""Pages of a web site as a source.

Pages come from a list, from sitemaps and, if asked for, from links. They are read one after the other, politely, and a
page that has not changed is not sent again. A run that is cut off goes on where it stopped; only a run that came to its
end becomes the new state.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from filelock import FileLock, Timeout

from aipk_core.documents.model import Problem
from aipk_core.documents.sources.crawl import Crawl
from aipk_core.documents.sources.files import too_large
from aipk_core.documents.sources.model import WebSource
from aipk_core.documents.sources.network import Resolver
from aipk_core.documents.sources.snapshot import (
    Choice,
    Progress,
    SourceFile,
    SourceSnapshot,
    check_totals,
    listing_revision,
)
from aipk_core.documents.sources.web_cache import Page, WebCache
from aipk_core.errors import SourceError
from aipk_core.hashing import digest

_SAID = {
    "missing": "page-missing",
    "denied": "page-denied",
    "failed": "page-failed",
    "stale": "page-stale",
    "skipped": "page-skipped",
}


class WebSnapshot(SourceSnapshot):
    """The pages of a web source as they were read; see ``open_web``."""

    def __init__(
        self, settings: WebSource, cache: WebCache, files: Sequence[SourceFile], problems: tuple[Problem, ...]
    ) -> None:
        self.settings: WebSource = settings
        self.problems = problems
        self.revision = listing_revision(files)
        self._cache = cache
        self._files = tuple(files)
        self._by_path = {file.path: file for file in files}

    def all_files(self) -> Sequence[SourceFile]:
        return self._files

    def read(self, path: str) -> bytes:
        file = self._by_path.get(path)
        if file is None:
            raise SourceError("there is no such page in the source", code="no-such-file", where=path)
        if not file.digest:
            raise too_large(path, file.size, self.settings.max_file_bytes)
        return self._cache.content(file.digest)

    def close(self) -> None:
        """Nothing is held open between two reads."""


def open_web(
    settings: WebSource, cache_dir: Path, progress: Progress | None = None, *, resolver: Resolver | None = None
) -> WebSnapshot:
    """Read the pages of a web source, or find that they have not changed.

    Raises:
        SourceError: ``source-unreachable``, ``robots-unreachable``, ``sitemap-unreadable``, ``timeout``, ``source-busy``,
            ``too-large``. What the last complete run left stays as it is.
    """
    key = digest("web", list(settings.pages), list(settings.sitemaps), settings.follow_links, list(settings.hosts))
    folder = cache_dir / f"web-{key[:24]}"
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(str(folder / "lock"), timeout=60):
            cache = WebCache(folder)
            crawl = Crawl(settings, cache, progress, resolver)
            pages = crawl.run()
            snapshot = _snapshot(settings, cache, pages, crawl.problems)
            cache.finish(pages)
            return snapshot
    except Timeout as error:
        raise SourceError(
            "another process is reading the same pages",
            code="source-busy",
            where=settings.name,
            remedy="Wait for it to end",
        ) from error


def page_id(address: str) -> str:
    """The id of a page: its normal address without scheme."""
    return address.partition("://")[2]


def _snapshot(settings: WebSource, cache: WebCache, pages: Sequence[Page], problems: Sequence[Problem]) -> WebSnapshot:
    choice = Choice(settings)
    files: dict[str, SourceFile] = {}
    said = list(problems)
    for page in pages:
        if page.outcome in _SAID:
            said.append(Problem(_SAID[page.outcome], page.message, page.asked))
        path = page_id(page.address)
        # Several addresses may lead to one page, which is one document then.
        if path in files or not choice.is_document(path) or not (page.digest or page.outcome == "too-large"):
            continue
        files[path] = SourceFile(
            path,
            page.size,
            page.digest,
            page.media_type,
            page.encoding,
            page.address,
            page.lang or settings.lang,
            page.etag,
        )
    check_totals(settings, len(files), sum(file.size for file in files.values() if file.digest))
    return WebSnapshot(settings, cache, [files[path] for path in sorted(files)], tuple(said))
