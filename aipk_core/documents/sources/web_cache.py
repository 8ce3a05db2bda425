"""What is kept of a web source between builds: contents by their digest, the last complete listing, and a journal.

contents/<digest>   bytes of a page, whole or not there at all
listing.json        the last state that was read to its end; replaced in one step
journal.jsonl       what the crawl that is under way (or was killed) has read so far, one page a line
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import NamedTemporaryFile

from pydantic import BaseModel, ConfigDict, ValidationError

from aipk_core.errors import SourceError
from aipk_core.hashing import digest_bytes

_DIGEST = re.compile(r"[0-9a-f]{64}")
_JOURNAL_AGE = 24 * 3600.0
"""Seconds after which a crawl that was cut off is started anew: its pages would no longer be of one state."""


class Page(BaseModel):
    """What was found at an address.

    Attributes:
        asked: the address, in its normal spelling.
        address: where redirects led.
        outcome: ``kept``; or why the page is no document: ``skipped``, ``missing``, ``denied``, ``too-large``, ``failed``.
        message: what to say about an outcome other than ``kept``.
        digest: of the content; ``""`` when there is none.
    """

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    asked: str
    address: str
    outcome: str = "kept"
    message: str = ""
    digest: str = ""
    size: int = 0
    media_type: str = ""
    encoding: str = ""
    lang: str = ""
    etag: str = ""
    modified: str = ""


class _Listing(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    pages: list[Page]


class _JournalHead(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    crawl: str
    started: float


class WebCache:
    """The folder of one web source; the caller holds its lock while it writes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._contents = folder / "contents"
        self._listing = folder / "listing.json"
        self._journal = folder / "journal.jsonl"

    def last_pages(self) -> dict[str, Page]:
        """The pages of the last complete listing by the address that was asked; empty when there is none."""
        try:
            listing = _Listing.model_validate_json(self._listing.read_bytes())
        except FileNotFoundError:
            return {}
        except ValidationError as error:
            raise SourceError(
                "the cached listing of the web source is damaged",
                code="cache-damaged",
                where=str(self._listing),
                remedy="Delete this file; the pages are then fetched again",
            ) from error
        return {page.asked: page for page in listing.pages}

    def resumed(self, crawl: str) -> dict[str, Page]:
        """The pages that an unfinished crawl with the same settings has read, if it is not too old; starts one otherwise.

        A line that was cut off by a kill, and everything after it, is dropped.
        """
        self._contents.mkdir(parents=True, exist_ok=True)
        lines = self._journal.read_bytes().split(b"\n") if self._journal.exists() else []
        pages: dict[str, Page] = {}
        kept = lines[:1]
        try:
            head = _JournalHead.model_validate_json(lines[0] if lines else b"")
            fresh = head.crawl == crawl and 0 <= time.time() - head.started < _JOURNAL_AGE
        except ValidationError:
            fresh = False
        if not fresh:
            first = _JournalHead(crawl=crawl, started=time.time()).model_dump_json()
            _replace(self._journal, first.encode() + b"\n")
            return {}
        for line in lines[1:]:
            try:
                page = Page.model_validate_json(line)
            except ValidationError:
                break
            if page.digest and not self.has(page.digest):
                break
            kept.append(line)
            if page.outcome not in {"failed", "stale"}:  # the server may be well again
                pages[page.asked] = page
        _replace(self._journal, b"\n".join(kept) + b"\n")
        return pages

    def note(self, page: Page, data: bytes | None) -> None:
        """Keep a page of the crawl under way: its content first, then its line in the journal."""
        if data is not None and page.digest and not self.has(page.digest):
            _replace(self._contents / page.digest, data)
        with self._journal.open("ab") as journal:
            journal.write(page.model_dump_json().encode() + b"\n")
            journal.flush()

    def finish(self, pages: Sequence[Page]) -> None:
        """Make the crawl's pages the last complete listing, and drop contents that neither it nor the one before needs."""
        before = self.last_pages()
        _replace(self._listing, json.dumps({"pages": [page.model_dump() for page in pages]}).encode())
        self._journal.unlink(missing_ok=True)
        needed = {page.digest for page in (*pages, *before.values())}
        for path in self._contents.iterdir():
            if path.name not in needed:
                path.unlink(missing_ok=True)

    def has(self, digest: str) -> bool:
        return bool(_DIGEST.fullmatch(digest)) and (self._contents / digest).is_file()

    def content(self, digest: str) -> bytes:
        """The bytes with this digest.

        Raises:
            SourceError: ``source-changed`` when they are no longer there, or no longer what they were.
        """
        try:
            data = (self._contents / digest).read_bytes()
        except FileNotFoundError:
            data = b""
        if digest_bytes(data) != digest:
            raise SourceError(
                "a page is no longer in the cache",
                code="source-changed",
                where=str(self._contents / digest),
                remedy="Run the command again; if that does not help, delete this folder of the cache",
            )
        return data


def _replace(path: Path, data: bytes) -> None:
    """Write a file so that it is there whole or not at all, also after a power cut."""
    with NamedTemporaryFile(dir=path.parent, prefix=".new-", delete=False) as stream:
        temporary = Path(stream.name)
        try:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
            temporary.replace(path)
        except OSError:
            temporary.unlink(missing_ok=True)
            raise
