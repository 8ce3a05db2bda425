"""OpenDocument texts: structure, notes, tables, and what is left out."""

from __future__ import annotations

import pytest
from office_files import container

from aipk_core.documents.loaders.registry import RawDocument, load
from aipk_core.documents.model import Document
from aipk_core.errors import DocumentError

_NAMES = {
    "office": "urn:oasis:names:tc:opendocument:xmlns:office:1.0",
    "text": "urn:oasis:names:tc:opendocument:xmlns:text:1.0",
    "table": "urn:oasis:names:tc:opendocument:xmlns:table:1.0",
    "style": "urn:oasis:names:tc:opendocument:xmlns:style:1.0",
    "draw": "urn:oasis:names:tc:opendocument:xmlns:drawing:1.0",
}


def odt(body: str, styles: str = "", **members: str) -> bytes:
    names = " ".join(f'xmlns:{prefix}="{name}"' for prefix, name in _NAMES.items())
    content = (
        f"<office:document-content {names}><office:automatic-styles>{styles}</office:automatic-styles>"
        f"<office:body><office:text>{body}</office:text></office:body></office:document-content>"
    )
    files = {"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": content}
    return container(files | {f"META-INF/{name}.xml": text for name, text in members.items()})


def loaded(body: str, styles: str = "") -> Document:
    return load(RawDocument("a.odt", odt(body, styles)))


def blocks(document: Document) -> list[tuple[str, str]]:
    return [(block.kind, document.quote(block)) for block in document.blocks]


def test_headings_spaces_tabs_and_line_breaks() -> None:
    document = loaded(
        '<text:h text:outline-level="2">Pumps</text:h>'
        '<text:p>One<text:s text:c="3"/>two<text:tab/>three<text:line-break/>four\n  five.</text:p>'
    )
    assert blocks(document) == [("h2", "Pumps"), ("p", "One two three four five.")]
    assert document.blocks[1].heading_path == ("Pumps",)


def test_notes_follow_and_comments_and_deletions_vanish() -> None:
    document = loaded(
        "<text:tracked-changes><text:changed-region><text:deletion><text:p>gone</text:p></text:deletion>"
        "</text:changed-region></text:tracked-changes>"
        "<text:p>Safe<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>Below 60 °C.</text:p>"
        "</text:note-body></text:note>.<office:annotation><text:p>Really?</text:p></office:annotation></text:p>"
    )
    assert blocks(document) == [("p", "Safe."), ("footnote", "Below 60 °C.")]


def test_nested_lists_are_one_list() -> None:
    item = "<text:list-item><text:p>{}</text:p>{}</text:list-item>"
    inner = f"<text:list>{item.format('inner', '')}</text:list>"
    document = loaded(f"<text:p>Do this:</text:p><text:list>{item.format('outer', inner)}</text:list>")
    assert blocks(document) == [("p", "Do this:"), ("li", "outer"), ("li", "inner")]
    assert document.blocks[1].container == document.blocks[2].container
    assert document.blocks[1].lead_in == 0


def test_header_rows_name_the_columns_over_spans() -> None:
    def row(*cells: str) -> str:
        return "<table:table-row>" + "".join(cells) + "</table:table-row>"

    def cell(text: str, attributes: str = "") -> str:
        return f"<table:table-cell {attributes}><text:p>{text}</text:p></table:table-cell>"

    document = loaded(
        "<table:table><table:table-header-rows>"
        + row(cell("Part"), cell("Mass", 'table:number-columns-spanned="2"'), "<table:covered-table-cell/>")
        + "</table:table-header-rows>"
        + row(cell("Pump"), cell("5"), cell("kg"))
        + "</table:table>"
    )
    assert [(block.columns, document.quote(block)) for block in document.blocks if block.kind == "td"] == [
        (("Part",), "Pump"),
        (("Mass",), "5"),
        (("Mass",), "kg"),
    ]


def test_styles_are_traced_to_what_the_author_chose() -> None:
    styles = '<style:style style:name="P1" style:parent-style-name="Preformatted_20_Text"/>'
    document = loaded('<text:p text:style-name="P1">a = 1</text:p><text:p text:style-name="P1">b = 2</text:p>', styles)
    assert blocks(document) == [("code", "a = 1\nb = 2")]


def test_a_password_is_named() -> None:
    manifest = '<m xmlns:m="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><m:encryption-data/></m>'
    with pytest.raises(DocumentError) as caught:
        load(RawDocument("a.odt", odt("<text:p>x</text:p>", manifest=manifest)))
    assert caught.value.code == "encrypted"


def test_a_manifest_of_an_old_program_without_namespace_is_no_obstacle() -> None:
    manifest = '<manifest:manifest><manifest:file-entry manifest:full-path="encryption-data"/></manifest:manifest>'
    document = load(RawDocument("a.odt", odt("<text:p>x</text:p>", manifest=manifest)))
    assert blocks(document) == [("p", "x")]
