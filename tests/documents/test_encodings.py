"""Bytes become the text that their author wrote, and what was guessed is said."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aipk_core.documents.loaders.encodings import decode, python_encoding
from aipk_core.errors import DocumentError

RUSSIAN = "Однажды, в студёную зимнюю пору, я из лесу вышел; был сильный мороз."
GERMAN = "Die Prüfung der Maße dauert länger, als man glaubt: über fünf Stunden."
POLISH = "Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw."
GREEK = "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια."
HEBREW = "כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם."
ARABIC = "يولد جميع الناس أحرارا متساوين في الكرامة والحقوق."
JAPANESE = "すべての人間は、生まれながらにして自由であり、尊厳と権利について平等である。"
CHINESE = "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心。"
TRADITIONAL = "人人生而自由，在尊嚴和權利上一律平等。他們賦有理性和良心。"
KOREAN = "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다."


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (RUSSIAN, "cp1251"),
        (RUSSIAN, "koi8_r"),
        (RUSSIAN.replace("ё", "е"), "cp866"),
        (GERMAN, "cp1252"),
        (POLISH, "cp1250"),
        (POLISH, "iso8859_2"),
        (GREEK, "cp1253"),
        (HEBREW, "cp1255"),
        (ARABIC, "cp1256"),
        (JAPANESE, "cp932"),
        (JAPANESE, "euc_jp"),
        (JAPANESE, "iso2022_jp"),
        (CHINESE, "gb18030"),
        (TRADITIONAL, "big5"),
        (KOREAN, "cp949"),
    ],
)
def test_one_sentence_is_enough_to_tell_the_encoding(text: str, encoding: str) -> None:
    decoded = decode(text.encode(encoding))
    assert decoded.text == text
    assert [problem.code for problem in decoded.problems] == ["encoding-detected"]


def test_utf8_needs_no_declaration_and_no_remark() -> None:
    decoded = decode(KOREAN.encode())
    assert (decoded.text, decoded.encoding, decoded.problems) == (KOREAN, "utf-8", ())


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [(codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")],
)
def test_a_byte_order_mark_decides_and_is_no_text(mark: bytes, encoding: str) -> None:
    assert decode(mark + RUSSIAN.encode(encoding)).text == RUSSIAN


def test_a_declared_encoding_is_believed() -> None:
    decoded = decode(GERMAN.encode("latin-1"), "ISO-8859-1")
    assert (decoded.text, decoded.how, decoded.problems) == (GERMAN, "declared", ())


def test_a_declaration_that_the_bytes_contradict_is_reported_and_not_followed() -> None:
    decoded = decode((ARABIC * 3).encode("cp1256"), "UTF-8")
    assert decoded.text == ARABIC * 3
    assert [problem.code for problem in decoded.problems] == ["misleading-charset"]


def test_utf8_declared_as_latin1_is_read_as_utf8() -> None:
    decoded = decode(RUSSIAN.encode(), "iso-8859-1")
    assert decoded.text == RUSSIAN
    assert decoded.problems[0].code == "misleading-charset"


def test_a_contradicted_declaration_without_alternative_is_an_error() -> None:
    noise = bytes(range(128, 256)) * 4
    with pytest.raises(DocumentError) as caught:
        decode(noise, "utf-8", where="page.html")
    assert (caught.value.code, caught.value.where) == ("misleading-charset", "page.html")


def test_a_cut_character_does_not_spoil_a_file() -> None:
    decoded = decode((KOREAN * 5).encode()[:-2])
    assert decoded.text.startswith(KOREAN * 4)
    assert [problem.code for problem in decoded.problems] == ["invalid-bytes"]


def test_binary_data_is_no_text() -> None:
    with pytest.raises(DocumentError) as caught:
        decode(bytes(1000) + b"\x7fELF" + bytes(range(256)) * 4)
    assert caught.value.code == "invalid"


@pytest.mark.parametrize(("label", "name"), [("latin1", "cp1252"), ("GB2312", "gb18030"), ("x-sjis", "cp932")])
def test_labels_mean_what_they_mean_on_the_web(label: str, name: str) -> None:
    assert python_encoding(label) == name


@pytest.mark.parametrize("label", ["rot13", "hex", "idna", "unicode_escape", "no such", "a\0b", ""])
def test_labels_that_are_no_encoding_of_text(label: str) -> None:
    assert python_encoding(label) is None


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"])))
def test_every_text_survives_utf8(text: str) -> None:
    assert decode(text.encode()).text == text.removeprefix("\ufeff")


@given(st.binary(max_size=300), st.sampled_from(["", "utf-8", "cp1251", "utf-16", "euc-kr", "nonsense"]))
def test_any_bytes_give_text_or_a_named_error(data: bytes, declared: str) -> None:
    try:
        outcome = decode(data, declared).how
    except DocumentError as error:
        outcome = error.code
    assert outcome in ("bom", "declared", "utf-8", "detected", "invalid", "misleading-charset")


def test_who_declares_utf16_in_ascii_is_not_believed() -> None:
    found = decode(b"<meta charset=utf-16>caf\xc3\xa9", "utf-16")
    assert found.text.endswith("café")
    assert [problem.code for problem in found.problems] == ["misleading-charset"]
    assert decode("中文句子".encode("utf-16-le"), "utf-16-le").text == "中文句子"


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Zażółć gęślą jaźń, powiedział mężczyzna stojący przy oknie.", "iso-8859-2"),
        ("這是一個用來測試編碼的中文句子，因為天氣很好。", "big5"),
    ],
)
def test_signs_in_the_middle_of_words_contradict_latin1(text: str, encoding: str) -> None:
    found = decode(text.encode(encoding), "iso-8859-1")
    assert found.text == text
    assert [problem.code for problem in found.problems] == ["misleading-charset"]


def test_signs_in_real_latin1_do_no_harm() -> None:
    text = "Das Haus hat 20 m² Fläche und kostet 5 €; die Größe µg/m³ gilt für Straßen\u00adbau und Wörter¹."
    found = decode(text.encode("cp1252"), "iso-8859-1")
    assert (found.text, found.problems) == (text, ())
