"""Delimited text: rows as groups, cells with the names of their columns."""

from __future__ import annotations

import pytest

from aipk_core.documents.loaders.registry import LoadContext, RawDocument, load
from aipk_core.documents.model import Document
from aipk_core.errors import DocumentError


def loaded(text: str | bytes, name: str = "a.csv", **options: object) -> Document:
    data = text.encode() if isinstance(text, str) else text
    return load(RawDocument(name, data), LoadContext(options=options))


def cells(document: Document) -> list[tuple[tuple[str, ...], str]]:
    return [(block.columns, document.quote(block)) for block in document.blocks if block.kind == "td"]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_worked_out(delimiter: str) -> None:
    rows = [["name", "size"], ["pump", "5"], ["valve, small", "2"]]
    text = "\n".join(delimiter.join(f'"{cell}"' for cell in row) for row in rows)
    assert cells(loaded(text)) == [
        (("name",), "pump"),
        (("size",), "5"),
        (("name",), "valve, small"),
        (("size",), "2"),
    ]


def test_a_row_is_a_group_in_the_table() -> None:
    document = loaded("a,b\n1,2\n3,4\n")
    groups = [block.group for block in document.blocks]
    assert groups[0] == groups[1] != groups[2] == groups[3] != groups[4]
    assert len({block.container for block in document.blocks}) == 1


def test_columns_without_names_are_numbered() -> None:
    assert cells(loaded("1,2\n3,4\n"))[:2] == [(("column 1",), "1"), (("column 2",), "2")]


def test_an_option_overrules_what_was_worked_out() -> None:
    assert cells(loaded("a,b\nc,d\n", csv_header=False))[0] == (("column 1",), "a")
    assert cells(loaded("a:b,x\nc:d,y\n", csv_delimiter=":"))[0] == (("a",), "c")


def test_a_separator_line_is_no_row() -> None:
    assert cells(loaded("sep=;\nname;size\npump;1,5\n")) == [(("name",), "pump"), (("size",), "1,5")]


def test_cells_over_several_lines_and_empty_ones() -> None:
    document = loaded('name,note,size\npump,"first\nsecond",\n')
    assert cells(document) == [(("name",), "pump"), (("note",), "first second")]


def test_uneven_rows_are_reported() -> None:
    document = loaded("a,b\n1,2\n3\n4,5,6\n")
    assert [problem.code for problem in document.problems] == ["ragged-rows"]
    assert (("column 3",), "6") in cells(document)


def test_japanese_in_a_legacy_encoding() -> None:
    document = loaded("名前,住所\n佐藤太郎,東京\n".encode("cp932"))
    assert cells(document) == [(("名前",), "佐藤太郎"), (("住所",), "東京")]
    assert document.lang == "ja"
    assert document.problems[0].code == "encoding-detected"


def test_rows_too_wide_are_refused() -> None:
    with pytest.raises(DocumentError) as caught:
        loaded("a," * 5000)
    assert caught.value.code == "too-large"


def test_a_quote_between_tabs_is_a_quote() -> None:
    document = loaded('size\tname\n3"\tpipe\n5"\tbig pipe\n', "a.tsv")
    assert cells(document)[0] == (("size",), '3"')
    assert cells(document)[3] == (("name",), "big pipe")
