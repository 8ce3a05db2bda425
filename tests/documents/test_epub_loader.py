"""Books: chapters in the order of the spine."""

from __future__ import annotations

import pytest
from office_files import container

from aipk_core.documents.loaders.registry import RawDocument, load, media_type_of
from aipk_core.errors import DocumentError

_CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="OPS/book.opf"/></rootfiles></container>'
)
_PACKAGE = """<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:title>Pumps</dc:title><dc:language>en-GB</dc:language><dc:creator>A. Author</dc:creator></metadata><manifest>
<item id="nav" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/>
<item id="one" href="text/one.xhtml" media-type="application/xhtml+xml"/>
<item id="two" href="text/two%20b.xhtml" media-type="application/xhtml+xml"/>
<item id="pic" href="pic.png" media-type="image/png"/></manifest>
<spine><itemref idref="nav"/><itemref idref="two"/><itemref idref="one"/><itemref idref="pic"/></spine></package>"""


def book(package: str = _PACKAGE, **extra: str) -> bytes:
    page = "<html><head><title>t</title></head><body><h1>{0}</h1><p>Text of {0}.</p></body></html>"
    members = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": _CONTAINER,
        "OPS/book.opf": package,
        "OPS/nav.xhtml": page.format("Contents"),
        "OPS/text/one.xhtml": page.format("One"),
        "OPS/text/two b.xhtml": page.format("Two"),
    }
    return container(members | {f"META-INF/{name}.xml": text for name, text in extra.items()})


def test_chapters_come_in_the_order_of_the_spine_without_the_navigation() -> None:
    document = load(RawDocument("a.epub", book()))
    assert document.text.split("\n\n") == ["Two", "Text of Two.", "One", "Text of One."]
    assert (document.title, document.lang, document.metadata) == ("Pumps", "en-GB", {"author": "A. Author"})


def test_a_book_is_known_by_its_first_member() -> None:
    assert media_type_of("download", book()) in ("application/epub+zip", "application/octet-stream")
    assert media_type_of("a.epub") == "application/epub+zip"


def test_a_missing_chapter_is_reported_and_the_rest_is_read() -> None:
    members = {"META-INF/container.xml": _CONTAINER, "OPS/book.opf": _PACKAGE, "OPS/text/one.xhtml": "<p>One.</p>"}
    document = load(RawDocument("a.epub", container(members)))
    assert document.text == "One."
    assert [problem.code for problem in document.problems] == ["missing-part"]


def test_a_protected_book_is_refused() -> None:
    encryption = (
        '<encryption xmlns:e="http://www.w3.org/2001/04/xmlenc#"><e:EncryptedData>'
        '<e:EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#aes128-cbc"/>'
        '<e:CipherReference URI="OPS/text/one.xhtml"/></e:EncryptedData></encryption>'
    )
    with pytest.raises(DocumentError) as caught:
        load(RawDocument("a.epub", book(encryption=encryption)))
    assert caught.value.code == "encrypted"


def test_a_container_without_a_book_is_invalid() -> None:
    with pytest.raises(DocumentError) as caught:
        load(RawDocument("a.epub", container({"mimetype": "application/epub+zip"})))
    assert caught.value.code == "invalid"


def test_parts_outside_of_the_reading_order_come_last() -> None:
    package = _PACKAGE.replace('<itemref idref="two"/>', '<itemref idref="two" linear="no"/>')
    document = load(RawDocument("a.epub", book(package)))
    assert document.text.split("\n\n") == ["One", "Text of One.", "Two", "Text of Two."]
