"""Word documents: the text after all changes are accepted, with its structure."""

from __future__ import annotations

import pytest
from office_files import WORD, container, docx, paragraph

from aipk_core.documents.loaders.registry import RawDocument, load
from aipk_core.documents.model import Document
from aipk_core.errors import DocumentError


def loaded(body: str, **parts: str) -> Document:
    return load(RawDocument("a.docx", docx(body, **parts)))


def blocks(document: Document) -> list[tuple[str, str]]:
    return [(block.kind, document.quote(block)) for block in document.blocks]


def style(name: str) -> str:
    return f'<w:pStyle w:val="{name}"/>'


def cell(text: str) -> str:
    return f"<w:tc>{paragraph(text)}</w:tc>"


def test_headings_by_style_and_by_inherited_style() -> None:
    document = loaded(paragraph("Pumps", style("Heading1")) + paragraph("Parts", style("Mine")) + paragraph("Text."))
    assert blocks(document) == [("h1", "Pumps"), ("h1", "Parts"), ("p", "Text.")]
    assert document.blocks[2].heading_path == ("Parts",)
    assert document.title == "Pumps"


def test_deleted_text_and_comments_vanish_and_inserted_text_stays() -> None:
    body = (
        "<w:p><w:r><w:t>The pump </w:t></w:r>"
        "<w:del><w:r><w:delText>never </w:delText></w:r></w:del>"
        "<w:ins><w:r><w:t>always </w:t></w:r></w:ins>"
        '<w:commentRangeStart w:id="1"/><w:r><w:t>starts.</w:t></w:r><w:r><w:commentReference w:id="1"/></w:r></w:p>'
    )
    comments = f'<w:comments xmlns:w="{WORD}"><w:comment w:id="1">{paragraph("Really?")}</w:comment></w:comments>'
    assert loaded(body, comments=comments).text == "The pump always starts."


def test_a_deleted_paragraph_end_joins_two_paragraphs() -> None:
    body = paragraph("The pump ", "<w:rPr><w:del/></w:rPr>") + paragraph("starts.")
    assert loaded(body).text == "The pump starts."


def test_field_codes_are_not_text_but_their_results_are() -> None:
    body = (
        '<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>REF x</w:instrText></w:r>'
        '<w:r><w:t>hidden code</w:t></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>Table 3</w:t></w:r>'
        '<w:r><w:fldChar w:fldCharType="end"/></w:r><w:r><w:t> says so.</w:t></w:r></w:p>'
    )
    assert loaded(body).text == "Table 3 says so."


def test_optional_hyphens_vanish_and_hidden_text_too() -> None:
    body = (
        "<w:p><w:r><w:t>op</w:t><w:softHyphen/><w:t>tio\u00adnal</w:t></w:r>"
        "<w:r><w:rPr><w:vanish/></w:rPr><w:t> secret</w:t></w:r><w:r><w:t xml:space='preserve'> e</w:t>"
        "<w:noBreakHyphen/><w:t>mail</w:t></w:r></w:p>"
    )
    assert loaded(body).text == "optional e-mail"


def test_a_footnote_follows_the_paragraph_that_refers_to_it() -> None:
    body = '<w:p><w:r><w:t>Safe.</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r></w:p>' + paragraph("Next.")
    notes = (
        f'<w:footnotes xmlns:w="{WORD}"><w:footnote w:type="separator" w:id="0">{paragraph("---")}</w:footnote>'
        f'<w:footnote w:id="2">{paragraph("Below 60 °C.")}</w:footnote></w:footnotes>'
    )
    assert blocks(loaded(body, footnotes=notes)) == [("p", "Safe."), ("footnote", "Below 60 °C."), ("p", "Next.")]


def test_list_items_share_a_list_and_know_its_introduction() -> None:
    item = '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="4"/></w:numPr>'
    document = loaded(paragraph("Do this:") + paragraph("Open.", item) + paragraph("Close.", item))
    assert blocks(document) == [("p", "Do this:"), ("li", "Open."), ("li", "Close.")]
    first, second = document.blocks[1:]
    assert first.container == second.container
    assert first.group != second.group
    assert first.lead_in == 0


def test_cells_know_their_column_and_stay_together_in_a_row() -> None:
    rows = "".join(f"<w:tr>{cell(left)}{cell(right)}</w:tr>" for left, right in (("Part", "Mass"), ("Pump", "5 kg")))
    document = loaded(f"<w:tbl>{rows}</w:tbl>")
    assert blocks(document) == [("th", "Part"), ("th", "Mass"), ("td", "Pump"), ("td", "5 kg")]
    assert document.blocks[3].columns == ("Mass",)
    assert document.blocks[2].group == document.blocks[3].group


def test_a_table_inside_a_cell_follows_its_table() -> None:
    inner = f"<w:tbl><w:tr>{cell('1')}{cell('2')}</w:tr></w:tbl>"
    body = f"<w:tbl><w:tr>{cell('A')}<w:tc>{paragraph('B')}{inner}</w:tc></w:tr></w:tbl>"
    document = loaded(body)
    assert [text for _, text in blocks(document)] == ["A", "B", "1", "2"]
    assert document.blocks[0].container != document.blocks[2].container


def test_code_paragraphs_are_one_block_with_their_lines() -> None:
    body = paragraph("def f():", style("Code")) + paragraph("    return 1", style("Code")) + paragraph("Text.")
    assert blocks(loaded(body)) == [("code", "def f():\n    return 1"), ("p", "Text.")]


def test_a_table_of_contents_makes_no_claims() -> None:
    document = loaded(paragraph("Pumps 3", style("TOC1")) + paragraph("Text."))
    assert [block.boilerplate for block in document.blocks] == [True, False]


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"), "encrypted"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(100), "unsupported"),
        (b"no container at all", "invalid"),
        (container({"other.xml": "<a/>"}), "invalid"),
        (container({"word/document.xml": "<broken"}), "invalid"),
        (docx(""), "empty"),
    ],
)
def test_what_cannot_be_read_has_a_name(data: bytes, code: str) -> None:
    with pytest.raises(DocumentError) as caught:
        load(RawDocument("a.docx", data))
    assert caught.value.code == code
