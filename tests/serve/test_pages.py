"""Pages show text as text, whatever stands in it."""

from __future__ import annotations

import re
from dataclasses import replace

from aipk_core.documents.builder import DocumentBuilder
from aipk_core.documents.model import Document
from aipk_core.serve.pages import chat_page, is_web_address, source_page, static_file
from aipk_core.serve.responses import source_path

EVIL = '<script>alert(1)</script> & "quotes" </mark>'


def document(text: str = EVIL) -> Document:
    builder = DocumentBuilder("notes.md")
    builder.add("h1", "Notes")
    builder.add("p", text)
    builder.add("p", "Another paragraph.")
    return builder.build(title=EVIL, url="https://example.org/notes")


def test_the_cited_sentence_is_highlighted_and_nothing_is_markup() -> None:
    page = document()
    block = page.blocks[1]
    shown = source_page(page, block.start, block.end)
    assert "<script>" not in shown
    assert '<mark id="cited">&lt;script&gt;alert(1)&lt;/script&gt; &amp; ' in shown
    assert shown.count("<mark") == 1


def test_a_span_over_two_blocks_is_highlighted_in_both_with_one_anchor() -> None:
    page = document("First one.")
    shown = source_page(page, page.blocks[1].start + 2, page.blocks[2].end)
    assert shown.count("<mark") == 2
    assert shown.count('id="cited"') == 1


def test_a_span_outside_the_text_marks_nothing() -> None:
    page = document()
    for start, end in ((0, 0), (10**9, 10**9 + 5), (20, 10)):
        assert "<mark" not in source_page(page, start, end)


def test_only_web_addresses_become_links() -> None:
    assert is_web_address("https://example.org/a")
    for url in ("javascript:alert(1)", "data:text/html,x", "", "//example.org", "http//x", "https://[bad"):
        assert not is_web_address(url) or url.startswith("http")
    assert "javascript" not in source_page(replace(document(), url="javascript:alert(1)"), 0, 0)


def test_the_chat_page_needs_nothing_from_elsewhere_and_no_inline_script() -> None:
    page = chat_page()
    assert not re.search(r"https?://|<script(?! src=)|<style|\son\w+=|\sstyle=", page)
    for name in ("chat.js", "page.css"):
        content = static_file(name)
        assert content is not None
        assert not re.search(
            r"https?://\w|innerHTML|insertAdjacentHTML|document\.write|eval\(|@import|url\(", content[0]
        )
    assert static_file("../app.py") is None


def test_source_addresses_keep_odd_names_whole() -> None:
    assert source_path("a b", "x/ü?#.md", 1, 2) == "/source/a%20b/x/%C3%BC%3F%23.md?start=1&end=2#cited"
