"""Containers and XML from strangers: what is too much, broken or tricky is refused by name."""

from __future__ import annotations

import io
import zipfile

import pytest
from office_files import container

from aipk_core.documents.loaders import archives
from aipk_core.documents.loaders.archives import Archive, parse_xml
from aipk_core.documents.loaders.registry import Limits, LoadContext, RawDocument
from aipk_core.errors import DocumentError


def opened(data: bytes, limits: Limits | None = None) -> Archive:
    return Archive(RawDocument("a.docx", data), LoadContext(limits or Limits()))


def code_of(data: bytes, member: str = "a", limits: Limits | None = None) -> str:
    with pytest.raises(DocumentError) as caught:
        opened(data, limits).read(member)
    return caught.value.code


def test_members_are_found_by_normalised_names() -> None:
    archive = opened(container({"word/a.xml": b"<a/>"}))
    assert archive.read("/word/./a.xml") == b"<a/>"
    assert archive.read("word/b.xml") is None
    assert archive.resolve("word/document.xml", "../media/x%20y.png#top") == "media/x y.png"


def test_a_member_that_unpacks_to_too_much_for_its_size() -> None:
    assert code_of(container({"a": bytes(50 << 20)})) == "archive-bomb"


def test_members_that_unpack_to_too_much_together() -> None:
    archive = opened(container({"a": b"x" * 900, "b": b"y" * 900}), Limits(max_expanded_bytes=1000))
    assert archive.read("a") == b"x" * 900
    with pytest.raises(DocumentError) as caught:
        archive.read("b")
    assert caught.value.code == "archive-bomb"


def test_too_many_members(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_MEMBERS", 3)
    assert code_of(container({str(number): "" for number in range(4)})) == "archive-bomb"


def test_a_container_cut_short() -> None:
    assert code_of(container({"a": b"x" * 5000})[:60]) == "invalid"


def test_a_member_behind_a_password() -> None:
    data = bytearray(container({"a": b"secret"}))
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.find(signature) + offset] |= 1
    assert code_of(bytes(data)) == "encrypted"


def test_a_wrong_checksum() -> None:
    output = io.BytesIO()
    with zipfile.ZipFile(output, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("a", b"honest text")
    assert code_of(output.getvalue().replace(b"honest text", b"damage text")) == "invalid"


@pytest.mark.parametrize(
    ("xml", "code"),
    [
        (b"<!DOCTYPE a [<!ENTITY b 'xx'>]><a>&b;</a>", "archive-bomb"),
        (b'<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>', "archive-bomb"),
        ("<?xml version='1.0'?><!DOCTYPE a [<!ENTITY b 'x'>]><a>&b;</a>".encode("utf-16"), "archive-bomb"),
        (b"<a><b></a>", "invalid"),
        (b"", "invalid"),
        (b"<a>" * 250 + b"</a>" * 250, "invalid"),
    ],
)
def test_xml_that_is_refused(xml: bytes, code: str) -> None:
    with pytest.raises(DocumentError) as caught:
        parse_xml(xml, where="a.xml")
    assert caught.value.code == code


def test_an_external_document_type_is_not_fetched() -> None:
    root = parse_xml(b'<!DOCTYPE a SYSTEM "http://127.0.0.1:9/a.dtd"><a>text<!-- no --></a>', where="a.xml")
    assert (root.tag, root.text) == ("a", "text")
