"""The HTML parser: what ends what, and where every text stands."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aipk_core.documents.loaders.html_tree import MAX_DEPTH, Element, Text, parse_html, text_of


def outline(element: Element) -> str:
    """Tags in brackets, texts as a dot: enough to see the shape of a tree."""
    inner = "".join(outline(child) if isinstance(child, Element) else "." for child in element.children)
    return f"{element.tag}({inner})" if element.tag else inner


@pytest.mark.parametrize(
    ("source", "shape"),
    [
        ("<p>a<p>b", "p(.)p(.)"),
        ("<ul><li>a<li>b</ul>c", "ul(li(.)li(.))."),
        ("<table><tr><td>a<td>b<tr><td>c</table>", "table(tr(td(.)td(.))tr(td(.)))"),
        ("<dl><dt>a<dd>b<dt>c</dl>", "dl(dt(.)dd(.)dt(.))"),
        ("<p>a<div>b</div>", "p(.)div(.)"),
        ("<div><b>a</div>b", "div(b(.))."),
        ("a</p>b", ".p()."),
        ("<td><ul><li>a</td></ul>b", "td(ul(li(.)))."),
        ("a<br>b<br/>c</br>d", ".br().br().br()."),
        ("<script>a<b></script>c", "script(.)."),
        ("a<!-- <p>b -->c", ".."),
        ("<a>b<a>c", "a(.)a(.)"),
        ("<pre>\na</pre>", "pre(.)"),
    ],
)
def test_implied_ends_follow_the_standard(source: str, shape: str) -> None:
    assert outline(parse_html(source, fragment=True)) == shape


@pytest.mark.parametrize("source", ["1 < 2", "a <", "a <3 b", "<", "if a<b", 'a <b c="d'])
def test_what_is_no_tag_stays_text(source: str) -> None:
    root = parse_html(source)
    assert text_of(source, root) == source


def test_attributes_are_unquoted_and_decoded() -> None:
    root = parse_html("<a HREF='x?a=1&amp;b=2' title=\"say 'hi'\" data-x=y hidden>z</a>")
    link = root.find("a")
    assert link is not None
    assert link.attributes == {"href": "x?a=1&b=2", "title": "say 'hi'", "data-x": "y", "hidden": ""}


def test_unknown_tags_can_stay_text() -> None:
    source = "called <pod name>-<b>x</b>"
    assert text_of(source, parse_html(source)) == "called -x"
    kept: set[str] = set()
    assert text_of(source, parse_html(source, kept=kept)) == "called <pod name>-x"
    assert kept == {"pod"}


@given(st.text(alphabet=st.sampled_from("<>/ab =\"'&;!-p\n"), max_size=80))
def test_texts_stand_where_they_say(source: str) -> None:
    """Pieces of text never overlap, keep their order, and lie inside the input."""
    position = 0
    for element in parse_html(source).elements():
        assert 0 <= element.start <= max(element.end, element.start) <= len(source)
    for text in _texts(parse_html(source)):
        assert position <= text.start < text.end <= len(source)
        position = text.end


def _texts(element: Element) -> list[Text]:
    found: list[Text] = []
    for child in element.children:
        found += [child] if isinstance(child, Text) else _texts(child)
    return found


@pytest.mark.parametrize(
    "source",
    [
        "<div>" * 50_000,
        "<a " * 50_000,
        '<a b="' * 50_000,
        "<!--" * 50_000,
        "<script>" * 20_000,
        "<a" + " " * 100_000 + "=",
        "<p>" * 50_000 + "</div>" * 50_000,
        "<ul><li>" * 20_000 + "</li></ul>" * 20_000,
        "&" * 100_000,
    ],
)
def test_hostile_input_takes_linear_time(source: str) -> None:
    begin = time.monotonic()
    root = parse_html(source)
    assert time.monotonic() - begin < 3
    assert _depth(root) <= MAX_DEPTH + 2


def _depth(root: Element) -> int:
    deepest, pending = 0, [(root, 0)]
    while pending:
        element, depth = pending.pop()
        deepest = max(deepest, depth)
        pending += [(child, depth + 1) for child in element.children if isinstance(child, Element)]
    return deepest
