"""Web pages as a source; the web site runs on this machine and is not always well."""

from __future__ import annotations

import gzip
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError
from web_server import Handler, WebServer, web_server

from aipk_core.documents.ingest import ingest
from aipk_core.documents.model import Document
from aipk_core.documents.sources import SourceSnapshot, WebSource, open_source
from aipk_core.documents.sources.web import open_web
from aipk_core.errors import DocumentError, SourceError


class Site:
    """A web server, and the source that reads it."""

    def __init__(self, server: WebServer, cache: Path) -> None:
        self.server, self.cache = server, cache
        self.answers = server.answers
        self.host = server.base.partition("://")[2]

    def settings(self, **fields: Any) -> WebSource:
        defaults = {"allow_private": True, "delay": 0.0, "timeout": 3.0, "max_retries": 0}
        for name in ("pages", "sitemaps"):
            fields[name] = [path if "://" in path else self.server.base + path for path in fields.get(name, [])]
        return WebSource.model_validate({**defaults, **fields})

    def opened(self, **fields: Any) -> SourceSnapshot:
        return open_source(self.settings(**fields), self.cache, self.cache)

    def failure(self, **fields: Any) -> str:
        with pytest.raises(SourceError) as caught:
            self.opened(**fields)
        return caught.value.code

    def paths(self, snapshot: SourceSnapshot) -> list[str]:
        return [file.path.removeprefix(self.host) for file in snapshot.files()]

    def sitemap(self, *paths: str, at: str = "/sitemap.xml") -> None:
        entries = "".join(f"<url><loc>{self.server.base}{path}</loc></url>" for path in paths)
        self.answers[at] = f"<urlset>{entries}</urlset>".encode()


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with web_server() as server:
        yield Site(server, tmp_path)


def said(snapshot: SourceSnapshot) -> list[tuple[str, str]]:
    return [(problem.code, problem.where.rpartition("/")[2]) for problem in snapshot.problems]


def status(code: int, **headers: str) -> Any:
    return lambda handler: handler.reply(code, **headers)


def test_listed_pages_are_read_with_type_language_and_address(site: Site) -> None:
    site.answers["/a"] = lambda handler: handler.reply(
        200, b"<p>A", content_type="text/html; charset=utf-8", content_language="de-DE, en", etag='"1"'
    )
    snapshot = site.opened(pages=["/a#part", "/a"])
    (file,) = snapshot.files()
    assert (file.path, file.url) == (f"{site.host}/a", f"{site.server.base}/a")
    assert (file.media_type, file.encoding, file.lang, file.etag) == ("text/html", "utf-8", "de-DE", '"1"')
    assert snapshot.read(file.path) == b"<p>A"


def test_pages_become_documents(site: Site) -> None:
    site.answers["/notes.txt"] = lambda handler: handler.reply(200, b"Plain words.", content_type="text/plain")
    (document,) = ingest(site.opened(pages=["/notes.txt"], licence="CC0-1.0"))
    assert isinstance(document, Document)
    assert (document.text, document.url) == ("Plain words.", f"{site.server.base}/notes.txt")


def test_sitemaps_and_their_indexes_are_read_gzipped_or_not(site: Site) -> None:
    site.sitemap("/a", "/b", at="/one.xml")
    site.sitemap("/c", at="/two.xml.gz")
    site.answers["/two.xml.gz"] = gzip.compress(site.answers["/two.xml.gz"])  # type: ignore[arg-type]
    index = "".join(f"<sitemap><loc>{path}</loc></sitemap>" for path in ("/one.xml", "/two.xml.gz", "/index.xml"))
    site.answers["/index.xml"] = f"<sitemapindex>{index}</sitemapindex>".encode()
    for path in "abc":
        site.answers[f"/{path}"] = path.encode()
    assert site.paths(site.opened(sitemaps=["/index.xml"])) == ["/a", "/b", "/c"]


def test_other_sites_in_a_sitemap_or_a_link_are_not_asked(site: Site) -> None:
    outside = ["http://169.254.169.254/latest", "http://example.invalid/x", "file:///etc/passwd"]
    entries = "".join(f"<url><loc>{address}</loc></url>" for address in outside)
    site.answers["/sitemap.xml"] = f"<urlset>{entries}<url><loc>{site.server.base}/a</loc></url></urlset>".encode()
    links = "".join(f'<a href="{address}">x</a>' for address in [*outside, "mailto:x@example.org", "b", "//["])
    site.answers["/a"] = f"<p>A {links}".encode()
    site.answers["/b"] = b"B"
    assert site.paths(site.opened(sitemaps=["/sitemap.xml"], pages=["/a"], follow_links=1)) == ["/a", "/b"]


def test_links_are_followed_as_far_as_asked(site: Site) -> None:
    site.answers["/0"] = b'<a href="1">x</a> <a href="skip" rel="nofollow">x</a> <a href="logo.png">x</a>'
    site.answers["/1"] = b'<base href="/deep/"><a href="2">x</a> <a href="/0">x</a>'
    site.answers["/deep/2"] = b'<a href="/3">x</a>'
    site.answers["/3"] = b"3"
    assert site.paths(site.opened(pages=["/0"])) == ["/0"]
    assert site.paths(site.opened(pages=["/0"], follow_links=2)) == ["/0", "/1", "/deep/2"]
    assert "/skip" not in site.server.asked()


def test_include_and_exclude_choose_by_host_and_path(site: Site) -> None:
    site.sitemap("/docs/a", "/docs/old/b", "/blog/c")
    for path in ("/docs/a", "/docs/old/b", "/blog/c"):
        site.answers[path] = b"page"
    found = site.opened(sitemaps=["/sitemap.xml"], include=["docs/"], exclude=["old/"])
    assert site.paths(found) == ["/docs/a"]
    assert site.server.asked() == ["/sitemap.xml", "/docs/a"]


def test_robots_are_obeyed_also_after_a_redirect(site: Site) -> None:
    site.answers["/robots.txt"] = b"User-agent: *\nDisallow: /private"
    site.answers["/private/a"] = b"secret"
    site.answers["/b"] = status(302, location="/private/a")
    site.answers["/c"] = b"C"
    snapshot = site.opened(pages=["/private/a", "/b", "/c"])
    assert site.paths(snapshot) == ["/c"]
    assert said(snapshot) == [("page-skipped", "a"), ("page-skipped", "b")]
    assert "/private/a" not in site.server.asked()
    assert site.paths(site.opened(pages=["/private/a"], ignore_robots=True)) == ["/private/a"]


@pytest.mark.parametrize(("answer", "works"), [(404, True), (403, True), (500, False), (429, False)])
def test_robots_that_cannot_be_had(site: Site, answer: int, works: bool) -> None:
    site.answers["/robots.txt"] = status(answer)
    site.answers["/a"] = b"A"
    if works:
        assert site.paths(site.opened(pages=["/a"])) == ["/a"]
    else:
        assert site.failure(pages=["/a"]) == "robots-unreachable"
        assert site.server.asked() == []


def test_a_page_that_has_not_changed_is_not_sent_again(site: Site) -> None:
    def answer(handler: Handler) -> None:
        if handler.headers.get("If-None-Match") == '"v1"':
            handler.reply(304)
        else:
            handler.reply(200, b"A", etag='"v1"')

    changed = formatdate(1_700_000_000, usegmt=True)

    def dated(handler: Handler) -> None:
        since = handler.headers.get("If-Modified-Since")
        handler.reply(304) if since == changed else handler.reply(200, b"B", last_modified=changed)

    site.answers |= {"/a": answer, "/b": dated}
    first = site.opened(pages=["/a", "/b"])
    second = site.opened(pages=["/a", "/b"])
    assert first.revision == second.revision
    assert first.files() == second.files()
    assert second.read(f"{site.host}/a") == b"A"
    assert [path for path, headers in site.server.requests if "if-none-match" in headers] == ["/a"]


def test_the_revision_follows_the_contents(site: Site) -> None:
    site.answers["/a"] = b"A"
    first = site.opened(pages=["/a"])
    site.answers["/a"] = b"B"
    second = site.opened(pages=["/a"])
    assert first.revision != second.revision
    assert (first.read(f"{site.host}/a"), second.read(f"{site.host}/a")) == (b"A", b"B")


def test_redirects_give_the_address_and_two_ways_lead_to_one_document(site: Site) -> None:
    site.answers["/old"] = status(301, location="/new")
    site.answers["/new"] = b"New"
    snapshot = site.opened(pages=["/old", "/new"])
    assert [file.url for file in snapshot.files()] == [f"{site.server.base}/new"]


@pytest.mark.parametrize(
    "location", ["http://169.254.169.254/latest/meta-data/", "http://example.invalid/", "/loop", "ftp://x/", ""]
)
def test_redirects_elsewhere_are_said_and_not_followed(site: Site, location: str) -> None:
    site.answers["/loop"] = status(302, location=location)
    site.answers["/b"] = b"B"
    snapshot = site.opened(pages=["/loop", "/b"])
    assert (site.paths(snapshot), said(snapshot)) == (["/b"], [("page-skipped", "loop")])


def test_private_addresses_need_to_be_allowed(site: Site) -> None:
    site.answers["/a"] = b"A"
    snapshot = site.opened(pages=["/a"], allow_private=False)
    assert (snapshot.files(), said(snapshot)) == ([], [("page-skipped", "a")])
    assert "this machine" in snapshot.problems[0].message
    assert site.server.requests == []


def test_a_name_that_leads_to_a_private_address_is_refused(site: Site) -> None:
    settings = site.settings(pages=["http://docs.example.org/"], allow_private=False)
    snapshot = open_web(settings, site.cache, resolver=lambda host, port: ["10.0.0.7"])
    assert snapshot.files() == []
    assert "10.0.0.7" in snapshot.problems[0].message


def test_missing_denied_and_foreign_pages_are_said(site: Site) -> None:
    site.answers["/denied"] = status(403)
    site.answers["/film"] = lambda handler: handler.reply(200, b"....", content_type="video/mp4")
    site.answers["/bytes"] = lambda handler: handler.reply(200, b"\0\1", content_type="application/octet-stream")
    site.answers["/a"] = b"A"
    snapshot = site.opened(pages=["/gone", "/denied", "/film", "/bytes", "/a"])
    assert site.paths(snapshot) == ["/a"]
    assert said(snapshot) == [
        ("page-missing", "gone"),
        ("page-denied", "denied"),
        ("page-skipped", "film"),
        ("page-skipped", "bytes"),
    ]


def test_a_page_too_large_is_a_document_that_fails(site: Site) -> None:
    site.answers["/large"] = b"x" * 5000
    site.answers["/bomb"] = lambda handler: handler.reply(200, gzip.compress(b"0" * 5000), content_encoding="gzip")
    snapshot = site.opened(pages=["/large", "/bomb"], max_file_bytes=1000)
    for file in snapshot.files():
        with pytest.raises(DocumentError) as caught:
            snapshot.read(file.path)
        assert caught.value.code == "too-large"
    assert len(snapshot.files()) == 2


def test_a_busy_server_is_asked_again_after_the_time_it_names(site: Site) -> None:
    times: list[float] = []

    def busy(handler: Handler) -> None:
        times.append(time.monotonic())
        handler.reply(429, retry_after="1") if len(times) == 1 else handler.reply(200, b"A")

    site.answers["/a"] = busy
    assert site.paths(site.opened(pages=["/a"], max_retries=2)) == ["/a"]
    assert times[1] - times[0] >= 1


def test_a_server_that_asks_for_too_much_patience_is_given_up(site: Site) -> None:
    site.answers["/a"] = status(503, retry_after="86400")
    begin = time.monotonic()
    assert site.failure(pages=["/a"], max_retries=3) == "source-unreachable"
    assert time.monotonic() - begin < 2


def test_requests_keep_their_distance(site: Site) -> None:
    site.answers |= {"/a": b"A", "/b": b"B"}
    begin = time.monotonic()
    site.opened(pages=["/a", "/b"], delay=0.3)
    assert time.monotonic() - begin >= 0.6  # robots.txt, a, b


def test_a_site_that_disappears_changes_nothing(site: Site) -> None:
    site.sitemap("/a", "/b")
    site.answers |= {"/a": b"A", "/b": b"B"}
    before = site.opened(sitemaps=["/sitemap.xml"])
    site.answers["/sitemap.xml"] = status(500)
    assert site.failure(sitemaps=["/sitemap.xml"]) == "sitemap-unreadable"
    site.answers["/sitemap.xml"] = b"<html>We are moving</html>"
    assert site.failure(sitemaps=["/sitemap.xml"]) == "sitemap-unreadable"
    site.sitemap(*(f"/{number}" for number in range(9)))
    for number in range(9):
        site.answers[f"/{number}"] = status(500)
    assert site.failure(sitemaps=["/sitemap.xml"]) == "source-unreachable"
    assert before.read(f"{site.host}/a") == b"A"
    site.sitemap("/a", "/b")
    assert site.opened(sitemaps=["/sitemap.xml"]).revision == before.revision


def test_one_page_that_fails_for_the_moment_keeps_its_last_state(site: Site) -> None:
    site.sitemap("/a", "/b")
    site.answers |= {"/a": b"A", "/b": b"B"}
    before = site.opened(sitemaps=["/sitemap.xml"])
    site.answers["/a"] = status(500)
    after = site.opened(sitemaps=["/sitemap.xml"])
    assert (after.revision, said(after)) == (before.revision, [("page-stale", "a")])
    site.answers["/a"] = b"A2"
    assert site.opened(sitemaps=["/sitemap.xml"]).read(f"{site.host}/a") == b"A2"


def test_a_run_that_was_cut_off_goes_on_where_it_stopped(site: Site) -> None:
    site.sitemap("/a", "/b", "/c")
    site.answers |= {"/a": b"A", "/b": b"B", "/c": lambda handler: handler.wfile.write(b"junk\r\n")}
    assert site.failure(sitemaps=["/sitemap.xml"], pages=["/a", "/c"]) == "source-unreachable"
    (journal,) = site.cache.glob("web-*/journal.jsonl")
    journal.write_bytes(journal.read_bytes() + b'{"asked": "half a li')
    site.answers["/c"] = b"C"
    site.server.requests.clear()
    assert site.paths(site.opened(sitemaps=["/sitemap.xml"], pages=["/a", "/c"])) == ["/a", "/b", "/c"]
    assert "/a" not in site.server.asked()
    assert not journal.exists()


def test_a_run_that_was_killed_goes_on_where_it_stopped(site: Site, tmp_path: Path) -> None:
    site.answers |= {f"/{number}": f"page {number}".encode() for number in range(8)}
    pages = [f"{site.server.base}/{number}" for number in range(8)]
    settings = site.settings(pages=pages, delay=0.15)
    script = (
        "import sys; from pathlib import Path; from aipk_core.documents.sources import WebSource, open_source\n"
        "open_source(WebSource.model_validate_json(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[2]))"
    )
    process = subprocess.Popen([sys.executable, "-c", script, settings.model_dump_json(), str(tmp_path)])
    deadline = time.monotonic() + 20
    while len(site.server.asked()) < 3 and time.monotonic() < deadline:
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    asked = len(site.server.asked())
    assert 3 <= asked < 8
    snapshot = open_source(settings.model_copy(update={"delay": 0.0}), tmp_path, tmp_path)
    assert [snapshot.read(file.path) for file in snapshot.files()] == [f"page {n}".encode() for n in range(8)]
    assert len(site.server.asked()) <= 9  # the page under way when the run was killed may be asked for twice


def test_the_time_for_all_pages_is_limited_and_the_next_run_goes_on(site: Site) -> None:
    site.answers |= {f"/{number}": b"page" for number in range(4)}
    pages = [f"/{number}" for number in range(4)]
    assert site.failure(pages=pages, delay=0.2, total_timeout=0.5) == "timeout"
    assert len(site.paths(site.opened(pages=pages))) == 4
    assert len(site.server.asked()) == 4


def test_a_site_without_end_is_cut(site: Site) -> None:
    class Endless(dict[str, Any]):
        def get(self, path: str, default: Any = None) -> Any:
            return None if path == "/robots.txt" else f'<a href="{path}x">x</a>'.encode()

    site.server.answers = Endless()
    snapshot = site.opened(pages=["/x"], follow_links=20, max_pages=5)
    assert len(snapshot.files()) == 5
    assert said(snapshot) == [("too-many-pages", "")]


def test_what_was_damaged_in_the_cache_is_noticed(site: Site) -> None:
    site.answers["/a"] = b"A"
    snapshot = site.opened(pages=["/a"])
    (content,) = site.cache.glob("web-*/contents/*")
    content.write_bytes(b"other")
    with pytest.raises(SourceError) as caught:
        snapshot.read(f"{site.host}/a")
    assert caught.value.code == "source-changed"
    (listing,) = site.cache.glob("web-*/listing.json")
    listing.write_text("{}")
    assert site.failure(pages=["/a"]) == "cache-damaged"


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"pages": ["ftp://example.org/"]},
        {"pages": ["https://user:secret@example.org/"]},
        {"pages": ["https://example.org/a b"]},
        {"pages": ["https://example.org/"], "delay": -1.0},
        {"pages": ["https://example.org/"], "user_agent": "two\nlines"},
        {"pages": ["https://example.org/"], "unknown": 1},
    ],
)
def test_settings_that_make_no_sense_are_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        WebSource.model_validate(fields)
