"""Markdown files become the blocks that their HTML would show."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aipk_core.documents.loaders.markdown_html import HeadingIds, markdown_to_html
from aipk_core.documents.loaders.registry import LoadContext, RawDocument, load
from aipk_core.documents.model import Document
from aipk_core.documents.traced import SourceText, Traced
from aipk_core.errors import DocumentError


def read(source: str) -> Document:
    return load(RawDocument("notes.md", source.encode()))


def shown(source: str) -> list[tuple[str, str]]:
    document = read(source)
    return [(block.kind, document.quote(block)) for block in document.blocks]


def test_the_usual_constructs() -> None:
    assert shown(
        "# Tea\n\nHot *and*\n**strong**.  \nDrink `it`.\n\n- green\n- black\n\n  with milk\n\n"
        "1. boil\n\n> quiet\n\n```sh\nmake  tea\n```\n\n![a pot](pot.png)\n\n---\n\nTerm\n: meaning\n"
    ) == [
        ("h1", "Tea"),
        ("p", "Hot and strong. Drink it."),
        ("li", "green"),
        ("li", "black"),
        ("li", "with milk"),
        ("li", "boil"),
        ("p", "quiet"),
        ("code", "make  tea"),
        ("alt", "a pot"),
        ("dt", "Term"),
        ("dd", "meaning"),
    ]


def test_tables_know_their_columns() -> None:
    document = read("| Name | Size |\n|---|---|\n| Cup | `a \\| b` |\n| Pot | |\n")
    cells = [(document.quote(block), block.columns) for block in document.blocks if block.kind == "td"]
    assert cells == [("Cup", ("Name",)), ("a | b", ("Size",)), ("Pot", ("Name",))]


def test_footnotes_stand_at_the_end() -> None:
    assert shown("Tea[^1] is hot.\n\n[^1]: Mostly.\n\nMore.") == [
        ("p", "Tea1 is hot."),
        ("p", "More."),
        ("li", "Mostly. ↩︎"),
    ]


def test_task_boxes_are_no_text() -> None:
    assert shown("- [ ] boil\n- [x] wait\n- [y] z") == [("li", "boil"), ("li", "wait"), ("li", "[y] z")]


def test_notices_of_github_show_their_kind() -> None:
    assert shown("> [!NOTE]\n> Tea *is*\n> hot.\n\n> [!tip] Try this\n> Milk.\n\n> [x] y\n") == [
        *(("p", "Note"), ("p", "Tea is hot.")),
        *(("p", "Try this"), ("p", "Milk.")),
        ("p", "[x] y"),
    ]


def test_html_and_comments_inside_markdown() -> None:
    assert shown("a <!-- no -->b<br>c <kbd>Esc</kbd> &amp; &lt;d&gt;\n\n<div>\n\n*e*\n\n</div>\n\n<!-- f\n\ng -->") == [
        ("p", "a b c Esc & <d>"),
        ("p", "e"),
    ]


def test_headings_give_anchors_and_paths() -> None:
    document = read("# A\n\n## What's `new`? {#news .x}\n\nb\n\n## Same\n\n## Same\n\nc\n")
    assert [block.anchor for block in document.blocks] == ["a", "news", "news", "same", "same-1", "same-1"]
    assert document.blocks[1].heading_path == ("A",)
    assert document.blocks[2].heading_path == ("A", "What's new?")
    assert HeadingIds("github").make("What's next") == "whats-next"
    assert HeadingIds("blackfriday").make("What's next") == "what-s-next"


@pytest.mark.parametrize(
    ("header", "title"), [("---\ntitle: Tea\n---\n", "Tea"), ('+++\ntitle = "Tea"\n+++\n', "Tea"), ("", "b")]
)
def test_front_matter_gives_the_title(header: str, title: str) -> None:
    document = read(f"{header}# b\n\nc\n")
    assert document.title == title
    assert document.blocks[0].kind == "h1"


def test_broken_front_matter_is_reported() -> None:
    document = read("---\ntitle: [a\n---\nb\n")
    assert [problem.code for problem in document.problems] == ["front-matter-invalid"]
    assert document.text == "b"


def test_a_text_between_rules_is_no_front_matter() -> None:
    assert shown("---\nTea is hot.\n\n---\nPots are round.\n") == [("p", "Tea is hot."), ("p", "Pots are round.")]


def test_yaml_bombs_are_refused() -> None:
    bomb = "---\na: &a [x]\n" + "".join(
        f"{chr(98 + i)}: &{chr(98 + i)} [*{chr(97 + i)},*{chr(97 + i)}]\n" for i in range(20)
    )
    many = "---\nx: &x 1\ny: [" + "*x," * 100 + "]\n---\nb\n"
    begin = time.monotonic()
    assert read(bomb + "---\nb\n").text == "b"
    assert [problem.code for problem in read(many).problems] == ["front-matter-invalid"]
    assert [problem.code for problem in read("---\na: " + "[" * 500 + "\n---\nb\n").problems] == [
        "front-matter-invalid"
    ]
    assert time.monotonic() - begin < 2


def test_segments_point_at_the_source_lines() -> None:
    source = "# Grüße\n\nEine *kurze*\nZeile & `Kode`.\n"
    document = read(source)
    data = source.encode()
    for segment in document.segments:
        piece = data[segment.byte_start : segment.byte_end].decode()
        assert document.text[segment.start : segment.end].strip() == piece.strip()


def test_line_ends_of_windows() -> None:
    document = read("a\r\nb\r\n\r\nc é\r\n")
    assert document.text == "a b\n\nc é"
    last = document.segments[-1]
    assert "a\r\nb\r\n\r\nc é\r\n".encode()[last.byte_start : last.byte_end].decode().strip() == "c é"


def test_tags_that_browsers_do_not_know_are_kept_and_reported() -> None:
    document = read("called <pod name>-<b>x</b> <a-b>y</a-b> <a-c>\n")
    assert document.text == "called <pod name>-x y <a-c>"
    assert [problem.code for problem in document.problems] == ["tags-unknown"]
    as_browsers = LoadContext(options={"unknown_tags": "drop"})
    assert load(RawDocument("notes.md", b"called <pod name>-x\n"), as_browsers).text == "called -x"


def test_nothing_to_read_is_an_error() -> None:
    with pytest.raises(DocumentError) as caught:
        read("<!-- nothing -->\n")
    assert caught.value.code == "empty"


@pytest.mark.parametrize(
    "source",
    [
        "[" * 20_000,
        "*a_ " * 10_000,
        "`" * 20_000 + "a",
        "<a " * 20_000,
        "| a " * 3_000 + "\n" + "|---" * 3_000 + "\n" + "| b " * 3_000,
        "![" * 5_000,
        "# a {" + "#x " * 5_000,
        "".join(f"[^{i}] " for i in range(2_000)) + "\n\n" + "".join(f"[^{i}]: x\n" for i in range(2_000)),
    ],
    ids=["brackets", "emphasis", "ticks", "tags", "table", "images", "attributes", "notes"],
)
def test_hostile_markdown_is_read_in_time(source: str) -> None:
    begin = time.monotonic()
    read("x\n\n" + source)
    assert time.monotonic() - begin < 5


@pytest.mark.parametrize("source", ["> " * 20_000 + "a", "- " * 2_000 + "a", "> " * 70 + "a"])
def test_nesting_is_bounded(source: str) -> None:
    with pytest.raises(DocumentError) as caught:
        read("x\n\n" + source)
    assert (caught.value.code, caught.value.where) == ("invalid", "notes.md")
    assert shown("> " * 20 + "a") == [("p", "a")]


@given(st.text(alphabet=st.sampled_from("ab \n\t*_`#[]()<>!|-:>&;1.^{}\\\"'é"), max_size=120))
def test_any_text_gives_html_with_places_inside_it(source: str) -> None:
    file = SourceText("", source)
    for text, place in markdown_to_html(Traced.of_source(file)).pieces:
        if place is None:
            continue
        assert 0 <= place.start <= place.end <= len(source)
        if place.literal:
            assert source[place.start : place.end] == text


@pytest.mark.data
def test_chinese_page_with_its_english_original_in_comments(shared_data: Path) -> None:
    data = (shared_data / "documents" / "md" / "k8s-zh-cn-pod-lifecycle.md").read_bytes()
    document = load(RawDocument("a.md", data))
    assert "This page describes the lifecycle of a Pod" not in document.text
    assert "本页面讲述 Pod 的生命周期" in document.text


@pytest.mark.data
def test_korean_particles_stay_glued_to_terms(shared_data: Path) -> None:
    data = (shared_data / "documents" / "md" / "k8s-ko-pod-lifecycle.md").read_bytes()
    document = load(RawDocument("a.md", data))
    assert "{{<" not in "".join(document.quote(block) for block in document.blocks if block.kind != "code")
    assert "컨테이너를" in document.text or "컨테이너가" in document.text
