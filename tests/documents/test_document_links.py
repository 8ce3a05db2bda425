"""Links that lead to the very sentence."""

from __future__ import annotations

from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aipk_core.documents.builder import DocumentBuilder
from aipk_core.documents.links import block_at, citation_url, text_fragment
from aipk_core.documents.model import Document
from aipk_core.text.spans import Span


def page(*blocks: tuple[str, str], url: str = "https://example.org/docs/") -> Document:
    builder = DocumentBuilder("docs.html")
    for kind, text in blocks:
        builder.add(kind, text, anchor=text.lower().replace(" ", "-") if kind.startswith("h") else None)
    return builder.build(url=url)


def span_of(document: Document, text: str, after: int = 0) -> Span:
    start = document.text.index(text, after)
    return Span(start, start + len(text))


def test_a_sentence_is_linked_with_its_heading_and_its_words() -> None:
    document = page(("h2", "Limits"), ("p", "A pod has a limit. It is enforced."))
    assert (
        citation_url(document, span_of(document, "It is enforced."))
        == "https://example.org/docs/#limits:~:text=It%20is%20enforced."
    )
    assert citation_url(document, document.blocks[1]).endswith(
        "#limits:~:text=A%20pod%20has%20a%20limit.%20It%20is%20enforced."
    )


def test_signs_of_the_directive_are_encoded() -> None:
    document = page(("p", "Read-only, safe & sound: 100%"))
    assert citation_url(document, document.blocks[0]) == (
        "https://example.org/docs/#:~:text=Read%2Donly%2C%20safe%20%26%20sound%3A%20100%25"
    )


def test_a_long_sentence_is_given_by_its_ends() -> None:
    words = " ".join(f"word{number}" for number in range(60))
    document = page(("p", words))
    fragment = citation_url(document, document.blocks[0]).partition(":~:text=")[2]
    start, _, end = fragment.partition(",")
    assert unquote(start) == "word0 word1 word2 word3 word4 word5"
    assert unquote(end) == "word54 word55 word56 word57 word58 word59"


def test_words_that_stand_on_the_page_before_get_a_prefix() -> None:
    document = page(("p", "It is optional."), ("p", "The second flag is new. It is optional."))
    second = span_of(document, "It is optional.", after=20)
    assert text_fragment(document.text, second) == ":~:text=second%20flag%20is%20new.-,It%20is%20optional."
    assert text_fragment(document.text, span_of(document, "It is optional.")) == ":~:text=It%20is%20optional."


def test_text_without_spaces_is_cut_at_a_pause_or_not_at_all() -> None:
    clause = "节点上的代理程序会定期向控制平面报告状态"
    document = page(("p", "，".join([clause] * 12) + "。"))
    start, _, end = citation_url(document, document.blocks[0]).partition(":~:text=")[2].partition(",")
    assert unquote(start).endswith("，")
    assert unquote(end).startswith(clause)
    solid = page(("p", "字" * 300))
    assert unquote(citation_url(solid, solid.blocks[0])).endswith("字" * 300)


def test_code_over_several_lines_is_given_by_its_first_and_last() -> None:
    document = page(("code", "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec: {}\n"))
    assert unquote(text_fragment(document.text, document.blocks[0].span)) == ":~:text=apiVersion: v1,spec: {}"


def test_pages_of_a_pdf_are_linked_by_number() -> None:
    builder = DocumentBuilder("manual.pdf")
    builder.add("p", "On page three.", page=3)
    document = builder.build(url="https://example.org/manual.pdf", media_type="application/pdf")
    assert citation_url(document, document.blocks[0]) == "https://example.org/manual.pdf#page=3"


def test_a_document_without_address_has_no_links() -> None:
    document = page(("p", "Text."), url="")
    assert citation_url(document, document.blocks[0]) == ""


def test_the_fragment_of_the_page_itself_is_replaced_and_the_query_kept() -> None:
    document = page(("p", "Text."), url="https://example.org/?id=1#top")
    assert citation_url(document, document.blocks[0]) == "https://example.org/?id=1#:~:text=Text."


@pytest.mark.parametrize("position", [0, 5, 6, 7, 8, 12])
def test_the_block_of_a_place(position: int) -> None:
    document = page(("p", "First."), ("p", "Second."))
    found = block_at(document, Span(position, position + 1))
    expected = 0 if position < 6 else 1 if position >= 8 else None
    assert found == (document.blocks[expected] if expected is not None else None)


@given(st.text(min_size=1, max_size=300), st.integers(0, 300), st.integers(0, 300))
def test_any_span_of_any_text_has_a_plain_ascii_link(text: str, start: int, length: int) -> None:
    document = page(("p", text))
    first = min(start, len(document.text))
    url = citation_url(document, Span(first, min(first + length, len(document.text))))
    assert url.isascii()
    assert not any(character.isspace() for character in url)
    assert url.count(":~:text=") <= 1
