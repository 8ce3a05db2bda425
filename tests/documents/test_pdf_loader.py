"""PDF files: running text in reading order, from glyphs at positions."""

from __future__ import annotations

import pytest
from office_files import pdf

from aipk_core.documents.loaders.pdf_joining import Vocabulary
from aipk_core.documents.loaders.pdf_layout import Draft
from aipk_core.documents.loaders.registry import Limits, LoadContext, RawDocument, load
from aipk_core.documents.model import Document
from aipk_core.errors import DocumentError

Piece = tuple[float, float, float, str]


def loaded(*pages: list[Piece], bold: str = "") -> Document:
    return load(RawDocument("a.pdf", pdf(pages, bold=bold)))


def blocks(document: Document) -> list[tuple[str, str]]:
    return [(block.kind, document.quote(block)) for block in document.blocks]


def lines(x: float, y: float, *texts: str, size: float = 10, step: float = 12) -> list[Piece]:
    return [(x, y - step * number, size, text) for number, text in enumerate(texts)]


FILLER = [
    "The pump has a valve that opens when the pressure of",
    "the water is above the limit that the maker has set for",
]


def test_lines_become_paragraphs_where_the_distance_says_so() -> None:
    document = loaded(lines(60, 700, *FILLER, "it.") + lines(60, 650, "Another paragraph stands below."))
    assert blocks(document) == [("p", " ".join([*FILLER, "it."])), ("p", "Another paragraph stands below.")]
    assert {block.page for block in document.blocks} == {1}


def test_an_indent_begins_a_paragraph_without_any_distance() -> None:
    page = lines(60, 700, *FILLER, "it.") + lines(72, 664, "The second paragraph begins with a small indent, as")
    document = loaded(page + lines(60, 652, "printers do it everywhere."))
    assert [text for _, text in blocks(document)] == [
        " ".join([*FILLER, "it."]),
        "The second paragraph begins with a small indent, as printers do it everywhere.",
    ]


def test_columns_are_read_one_after_the_other_and_a_sentence_goes_on() -> None:
    left = lines(60, 700, "The first column ends in the mid-", "dle of a sentence that goes on")
    right = lines(320, 700, "in the second column. The end of", "the text is here.")
    assert blocks(loaded(left + right)) == [
        (
            "p",
            "The first column ends in the middle of a sentence that goes on in the second column. "
            "The end of the text is here.",
        )
    ]


def test_text_written_across_two_columns_is_put_in_order() -> None:
    left = [f"left column line number {number} of ten" for number in range(10)]
    right = [f"right column line number {number} of ten" for number in range(10)]
    page: list[Piece] = []
    for number, (one, other) in enumerate(zip(left, right, strict=True)):
        page += [(60, 700 - 12 * number, 10, one), (320, 700 - 12 * number, 10, other)]
    text = loaded(page).text
    assert text.index(left[9]) < text.index(right[0])


def test_a_paragraph_goes_on_over_a_page_and_keeps_its_first_page() -> None:
    first = lines(
        60,
        700,
        "The text of this paragraph fills the line and it does not end",
        "on the page where it has begun but goes on, as it should on",
    )
    document = loaded(first, lines(60, 780, "the next one."))
    assert len(document.blocks) == 1
    assert document.blocks[0].page == 1
    assert document.text.endswith("as it should on the next one.")


def test_running_heads_and_page_numbers_are_dropped() -> None:
    pages = [
        [
            (60, 810, 8, "Handbook of Pumps"),
            *lines(60, 700, f"Text of page {word}."),
            (290, 30, 8, f"Page {number} of 3"),
        ]
        for number, word in enumerate(("one", "two", "three"), 1)
    ]
    assert blocks(loaded(*pages)) == [("p", f"Text of page {word}.") for word in ("one", "two", "three")]


def test_numbered_headings_at_the_top_of_pages_are_no_running_heads() -> None:
    words = {10: "valve", 14: "motor", 18: "tank"}
    pages = [
        [
            (60, 780, 14, f"Article {number}"),
            *lines(
                60,
                740,
                f"Nobody shall be kept from the {word} without a reason that",
                f"is written down and that the {word} allows.",
            ),
        ]
        for number, word in words.items()
    ]
    headings = [text for kind, text in blocks(loaded(*pages)) if kind == "h1"]
    assert headings == ["Article 10", "Article 14", "Article 18"]


def test_headings_by_size_and_by_bold_type() -> None:
    page = [
        (60, 760, 20, "Pumps"),
        *lines(60, 730, *FILLER, "it."),
        (60, 680, 14, "Parts"),
        *lines(60, 655, *FILLER, "it."),
        (60, 610, 10, "Bold words"),
        *lines(60, 590, *FILLER, "it."),
    ]
    document = loaded(page, bold="Bold")
    assert [(kind, text) for kind, text in blocks(document) if kind != "p"] == [
        ("h1", "Pumps"),
        ("h2", "Parts"),
        ("h3", "Bold words"),
    ]
    assert document.blocks[-1].heading_path == ("Pumps", "Parts", "Bold words")
    assert document.title == "Pumps"


def test_list_items_lose_their_bullets_and_know_their_list() -> None:
    page = lines(60, 700, "The steps are:") + lines(
        70, 680, "• Open the valve slowly and wait until the water has come", step=12
    )
    page += lines(80, 668, "to rest.") + lines(70, 650, "• Close it.")
    document = loaded(page)
    assert blocks(document) == [
        ("p", "The steps are:"),
        ("li", "Open the valve slowly and wait until the water has come to rest."),
        ("li", "Close it."),
    ]
    assert document.blocks[1].container == document.blocks[2].container
    assert document.blocks[1].lead_in == 0


def test_bullets_drawn_after_the_text_find_their_items() -> None:
    page = lines(80, 700, "Open the valve.") + lines(80, 680, "Close it.") + [(70, 700, 10, "•"), (70, 680, 10, "•")]
    assert blocks(loaded(page)) == [("li", "Open the valve."), ("li", "Close it.")]


def test_cells_in_rows_and_columns_are_a_table() -> None:
    rows = [("Part", "Mass", "Price"), ("Pump", "5 kg", "120"), ("Valve", "2 kg", "80")]
    page = [
        (x, 700 - 20 * y, 10.0, cell) for y, row in enumerate(rows) for x, cell in zip((60, 200, 340), row, strict=True)
    ]
    document = loaded([(float(x), y, size, text) for x, y, size, text in page])
    assert [kind for kind, _ in blocks(document)] == ["th"] * 3 + ["td"] * 6
    assert document.blocks[7].columns == ("Mass",)
    assert document.blocks[6].group == document.blocks[8].group


@pytest.mark.parametrize(
    ("first", "second", "joined"),
    [
        ("the water is re-", "turned to the tank", "the water is returned to the tank"),
        ("a well-", "known part", "a well-known part"),
        ("in three-", "dimensional space", "in three-dimensional space"),
        ("for pre- ", "and post-war use", "for pre- and post-war use"),
        ("the COVID-", "19 rules", "the COVID-19 rules"),
        ("see https://example.org/", "manual.html for more", "see https://example.org/manual.html for more"),
        ("an up-", "to-date list", "an up-to-date list"),
    ],
)
def test_hyphens_at_line_ends(first: str, second: str, joined: str) -> None:
    document = loaded(lines(60, 700, first, second))
    assert document.text == joined


def test_the_document_itself_shows_how_a_word_is_written() -> None:
    page = lines(
        60,
        700,
        "A web-site is a set of pages, and the web-site has a",
        "name. Each of the pages on the web-",
        "site has one too.",
    )
    assert loaded(page).text.endswith("on the web-site has one too.")


def test_the_vocabulary_leaves_out_words_at_line_ends() -> None:
    document = pdf([lines(60, 700, "alpha beta gamma")])
    from pypdfium2 import PdfDocument

    from aipk_core.documents.loaders.pdf_lines import read_page

    vocabulary = Vocabulary()
    page = read_page(PdfDocument(document), 0, "a.pdf")
    vocabulary.learn(page.lines)
    assert vocabulary.knows("beta")
    assert not vocabulary.knows("gamma")
    assert Draft("p", page.lines, 1).characters == len("alpha beta gamma")


def test_a_scan_without_text() -> None:
    data = pdf([[]], extra="q 500 0 0 700 40 40 cm /I Do Q\n")
    with pytest.raises(DocumentError) as caught:
        load(RawDocument("a.pdf", data))
    assert caught.value.code == "no-text-layer"


def test_one_scanned_page_among_others_is_reported() -> None:
    data = pdf([lines(60, 700, "Text."), []], extra="q 500 0 0 700 40 40 cm /I Do Q\n")
    document = load(RawDocument("a.pdf", data))
    assert document.text == "Text."
    assert [problem.code for problem in document.problems] == ["no-text-layer"]


@pytest.mark.parametrize(
    "text", ['"7+%-!$#&*(', "Wklv qrw whxw sdjh shrsl zrxlg zlwh grzq hyhr tkws", "\x01\x02\x03\x04ab"]
)
def test_a_text_layer_that_is_garbage(text: str) -> None:
    with pytest.raises(DocumentError) as caught:
        loaded(lines(60, 700, text))
    assert caught.value.code == "garbage-text"


@pytest.mark.parametrize("data", [b"%PDF-1.4\n%%EOF\n", b"%PDF-", b"%PDF-1.7\n" + bytes(range(256)) * 20])
def test_a_broken_file(data: bytes) -> None:
    with pytest.raises(DocumentError) as caught:
        load(RawDocument("a.pdf", data))
    assert caught.value.code == "invalid"


def test_time_is_limited() -> None:
    data = pdf([lines(60, 700, "Text.")])
    with pytest.raises(DocumentError) as caught:
        load(RawDocument("a.pdf", data), LoadContext(Limits(timeout=0.0)))
    assert caught.value.code == "timeout"


def test_lines_of_the_text_that_count_like_pages_are_no_running_heads() -> None:
    pages = [
        [
            (60, 800, 8, "Book of Pumps"),
            *lines(60, 740, f"Step 1 of part {number} is to open the valve", "and to wait."),
        ]
        for number in (1, 2, 3)
    ]
    text = loaded(*pages).text
    assert "Book" not in text
    assert all(f"Step 1 of part {number} is to open" in text for number in (1, 2, 3))


def test_heads_that_name_the_chapter_beside_the_page_number_are_dropped() -> None:
    chapters = ("Pumps", "Pumps", "Valves", "Tanks")
    pages = [
        [(60, 810, 10, f"Chapter: {chapter}"), (500, 810, 10, str(number)), *lines(60, 700, f"Text about {chapter}.")]
        for number, chapter in enumerate(chapters, 7)
    ]
    assert [text for _, text in blocks(loaded(*pages))] == [f"Text about {chapter}." for chapter in chapters]


def test_rows_of_dots_are_neither_text_nor_damage() -> None:
    contents = [(60.0, 700.0 - 14 * row, 10.0, f"Part {row} {' .' * 60} {row}") for row in range(1, 12)]
    document = loaded(contents, lines(60, 700, "The pump waits .... and then it runs."))
    assert not document.problems
    assert "Part 3" in document.text
    assert ". . ." not in document.text
    assert document.text.endswith("The pump waits .... and then it runs.")


@pytest.mark.parametrize("turn", [90, 180, 270])
def test_pages_that_viewers_turn_read_as_they_were_written(turn: int) -> None:
    pages = [lines(60, 700, *FILLER, f"pump {word}.") for word in ("one", "two")]
    written = pdf(pages).replace(b"/Type /Page ", f"/Rotate {turn} /Type /Page ".encode())
    assert blocks(load(RawDocument("a.pdf", written))) == blocks(loaded(*pages))


def test_text_written_sideways_on_a_turned_page() -> None:
    content = "".join(
        f"BT /F1 10 Tf 0 1 -1 0 {100 + 12 * number} 60 Tm ({text}) Tj ET\n"
        for number, text in enumerate([*FILLER, "it."])
    )
    written = pdf([[]], extra=content).replace(b"/Type /Page ", b"/Rotate 90 /Type /Page ")
    assert blocks(load(RawDocument("a.pdf", written))) == [("p", " ".join([*FILLER, "it."]))]
