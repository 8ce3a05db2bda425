"""Plain text: paragraphs, headings and lists as people type them."""

from __future__ import annotations

from aipk_core.documents.loaders.registry import RawDocument, load
from aipk_core.documents.model import Document


def loaded(text: str | bytes, name: str = "a.txt") -> Document:
    return load(RawDocument(name, text.encode() if isinstance(text, str) else text))


def blocks(document: Document) -> list[tuple[str, str]]:
    return [(block.kind, document.quote(block)) for block in document.blocks]


def test_wrapped_lines_are_one_paragraph() -> None:
    document = loaded("The pump starts\nby itself.\n\nIt stops at 80 %.\n")
    assert blocks(document) == [("p", "The pump starts by itself."), ("p", "It stops at 80 %.")]


def test_a_compound_broken_at_its_hyphen_keeps_it() -> None:
    assert loaded("down the Rabbit-\nHole she went--\nand on\n").text == "down the Rabbit-Hole she went--and on"


def test_chinese_lines_are_joined_without_a_space() -> None:
    document = loaded("人人生而自由，\n在尊严上平等。\n")
    assert (document.text, document.lang) == ("人人生而自由，在尊严上平等。", "zh")


def test_headings_set_by_capitals_underlines_and_names() -> None:
    document = loaded("CARE OF PUMPS\n\nCHAPTER I. Starting\n\nText.\n\nLimits\n======\n\nMore.\n")
    assert blocks(document) == [
        ("h2", "CARE OF PUMPS"),
        ("h2", "CHAPTER I. Starting"),
        ("p", "Text."),
        ("h1", "Limits"),
        ("p", "More."),
    ]
    assert document.blocks[2].heading_path == ("CHAPTER I. Starting",)
    assert document.title == "CARE OF PUMPS"


def test_list_items_know_their_list_and_what_introduces_it() -> None:
    document = loaded("The steps are:\n\n1. Open the\n   valve.\n2. Wait.\n\nDone.\n")
    first, second = document.blocks[1:3]
    assert (document.quote(first), document.quote(second)) == ("Open the valve.", "Wait.")
    assert first.container == second.container is not None
    assert first.group != second.group
    assert first.lead_in == 0


def test_a_paragraph_on_one_long_line_stands_alone() -> None:
    long = "word " * 40 + "end."
    assert blocks(loaded(f"{long}\nNext paragraph.")) == [("p", long), ("p", "Next paragraph.")]


def test_text_in_columns_stays_as_it_is() -> None:
    document = loaded("size   weight   price\n10     2.5      13\n")
    assert blocks(document) == [("code", "size   weight   price\n10     2.5      13")]


def test_the_licence_around_a_book_is_boilerplate() -> None:
    document = loaded(
        "Use it freely.\n\n*** START OF THIS PROJECT GUTENBERG EBOOK X ***\n\nThe story.\n\n"
        "*** END OF THIS PROJECT GUTENBERG EBOOK X ***\n\nTerms.\n"
    )
    assert [document.quote(block) for block in document.blocks if not block.boilerplate] == ["The story."]


def test_segments_point_at_the_bytes_of_each_line() -> None:
    text = "Größe: fünf\nMeter.\n\nEnde."
    data = text.encode("cp1252")
    document = load(RawDocument("a.txt", data))
    for segment in document.segments:
        piece = data[segment.byte_start : segment.byte_end].decode("cp1252")
        assert piece.split() == document.text[segment.start : segment.end].split()


def test_an_editor_setting_declares_the_encoding() -> None:
    document = loaded("# -*- coding: koi8-r -*-\n\nЗаметка о насосах.".encode("koi8-r"))
    assert document.text.endswith("Заметка о насосах.")
    assert document.problems == ()


def test_each_kind_of_line_under_a_title_is_a_level_of_its_own() -> None:
    document = loaded("Pumps\n*****\n\nSmall\n=====\n\nHand\n----\n\nText.\n\nLarge\n=====\n")
    assert [(kind, text) for kind, text in blocks(document) if kind != "p"] == [
        ("h1", "Pumps"),
        ("h2", "Small"),
        ("h3", "Hand"),
        ("h2", "Large"),
    ]
