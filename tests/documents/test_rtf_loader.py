"""Rich Text Format: text in every encoding that its fonts name, without what a reader does not see."""

from __future__ import annotations

import pytest

from aipk_core.documents.loaders.registry import RawDocument, load
from aipk_core.documents.model import Document
from aipk_core.errors import DocumentError


def loaded(body: str) -> Document:
    return load(RawDocument("a.rtf", b"{\\rtf1\\ansi\\ansicpg1252 " + body.encode("ascii") + b"}"))


def blocks(document: Document) -> list[tuple[str, str]]:
    return [(block.kind, document.quote(block)) for block in document.blocks]


def test_paragraphs_signs_and_escapes() -> None:
    document = loaded(r"Caf\'e9 \emdash  \{open\}\~now.\par Second\line line, op\-tional e\_mail.\par")
    assert blocks(document) == [("p", "Café — {open} now."), ("p", "Second line, optional e-mail.")]


def test_unicode_with_its_substitute() -> None:
    assert loaded(r"\uc1 \u1046?\u-10179?\u-8704? \uc2\u8364\'80\'80 end\par").text == "Ж😀 € end"


def test_each_font_has_its_encoding() -> None:
    fonts = r"{\fonttbl{\f0\fcharset0 Arial;}{\f1\fcharset204 Arial Cyr;}{\f2\fcharset128 MS Gothic;}}"
    document = loaded(fonts + r"{\f1 \'cd\'e0\'f1\'ee\'f1} {\f2 \'93\'fa\'96\'7b} pump\par")
    assert document.text == "Насос 日本 pump"


def test_what_is_not_seen_is_left_out() -> None:
    document = loaded(
        r"{\header Top}{\info{\title The pump}{\author A}}{\*\unknown stuff}{\field{\*\fldinst REF x}{\fldrslt Table 3}}"
        r" {\v secret}{\deleted gone}says so.{\*\annotation note}\par"
    )
    assert document.text == "Table 3 says so."
    assert (document.title, document.metadata) == ("The pump", {"author": "A"})


def test_headings_by_style_lists_and_footnotes() -> None:
    document = loaded(
        r"{\stylesheet{\s1 heading 1;}{\s2 Normal;}}\pard\s1 Pumps\par\pard\s2 Do this:\par"
        r"\pard{\listtext 1.\tab}\ls1 Open{\super{\footnote Slowly.}}.\par\pard{\listtext 2.\tab}\ls1 Close.\par"
    )
    assert blocks(document) == [
        ("h1", "Pumps"),
        ("p", "Do this:"),
        ("li", "Open."),
        ("footnote", "Slowly."),
        ("li", "Close."),
    ]
    assert document.blocks[2].lead_in == 1


def test_a_table_is_rows_of_cells() -> None:
    row = r"\trowd\cellx100\cellx200\pard\intbl {}\cell {}\cell\row"
    document = loaded(row.format("Part", "Mass") + row.format("Pump", "5 kg") + r"\pard After.\par")
    assert blocks(document) == [("th", "Part"), ("th", "Mass"), ("td", "Pump"), ("td", "5 kg"), ("p", "After.")]
    assert document.blocks[3].columns == ("Mass",)


def test_binary_data_is_skipped() -> None:
    assert loaded(r"a{\pict\bin4 }{}}x}b\par").text == "ab"


def test_a_file_cut_short_is_read_as_far_as_it_goes() -> None:
    document = load(RawDocument("a.rtf", b"{\\rtf1 The pump {\\b starts"))
    assert document.text == "The pump starts"
    assert [problem.code for problem in document.problems] == ["truncated"]


@pytest.mark.parametrize(("data", "code"), [(b"plain", "invalid"), (b"{\\rtf1}", "empty"), (b"{\\rtf1\\", "empty")])
def test_what_cannot_be_read_has_a_name(data: bytes, code: str) -> None:
    with pytest.raises(DocumentError) as caught:
        load(RawDocument("a.rtf", data, media_type="application/rtf"))
    assert caught.value.code == code


def test_deep_groups_do_no_harm() -> None:
    assert loaded("{" * 50_000 + "deep" + "}" * 50_000 + r"\par").text == "deep"
