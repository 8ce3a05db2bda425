"""Sitemaps, as they should be and as they should not."""

from __future__ import annotations

import contextlib
import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aipk_core.documents.sources.network import FetchError
from aipk_core.documents.sources.sitemap import Sitemap, parse_sitemap

SPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
PAGES = f"""<?xml version="1.0" encoding="UTF-8"?>
<urlset {SPACE} xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
  <url><loc> https://example.org/a?x=1&amp;y=2 </loc><lastmod>2026-01-01</lastmod></url>
  <url><loc>https://example.org/b</loc><image:image><image:loc>https://example.org/b.png</image:loc></image:image></url>
  <url><loc></loc></url>
</urlset>""".encode()


def test_pages_are_listed_but_images_are_not() -> None:
    assert parse_sitemap(PAGES) == Sitemap(("https://example.org/a?x=1&y=2", "https://example.org/b"))
    assert parse_sitemap(gzip.compress(PAGES)) == parse_sitemap(b"\xef\xbb\xbf\n" + PAGES)


def test_an_index_lists_sitemaps() -> None:
    index = f"<sitemapindex {SPACE}><sitemap><loc>https://example.org/1.xml</loc></sitemap></sitemapindex>".encode()
    assert parse_sitemap(index) == Sitemap((), ("https://example.org/1.xml",))


def test_plain_text_is_a_sitemap_too() -> None:
    assert parse_sitemap(b"https://example.org/a\r\n\nhttps://example.org/b\n").pages[1] == "https://example.org/b"


@pytest.mark.parametrize(
    "data",
    [b"", b"<html><body>not here</body></html>", b"<urlset>", b"hello", gzip.compress(PAGES)[:-20], b"\x1f\x8bxx"],
)
def test_anything_else_is_an_error(data: bytes) -> None:
    with pytest.raises(FetchError):
        parse_sitemap(data)


def test_entities_are_neither_expanded_nor_fetched() -> None:
    data = b"""<?xml version="1.0"?><!DOCTYPE urlset [<!ENTITY x SYSTEM "file:///etc/passwd">
      <!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>
      <urlset><url><loc>https://example.org/&x;</loc></url><url><loc>https://example.org/&b;</loc></url></urlset>"""
    pages = parse_sitemap(data).pages
    assert all("root" not in page and "aaaa" not in page for page in pages)


def test_bombs_and_too_many_addresses_are_refused() -> None:
    with pytest.raises(FetchError) as caught:
        parse_sitemap(gzip.compress(b"<urlset>" + b" " * (60 << 20)))
    assert caught.value.code == "too-large"
    many = b"<urlset>" + b"<url><loc>https://example.org/</loc></url>" * 50_001 + b"</urlset>"
    with pytest.raises(FetchError) as caught:
        parse_sitemap(many)
    assert caught.value.code == "too-large"


@given(st.binary(max_size=300))
def test_any_bytes_are_a_sitemap_or_an_error(data: bytes) -> None:
    with contextlib.suppress(FetchError):
        parse_sitemap(data)
