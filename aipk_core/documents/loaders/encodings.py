"""Bytes to text: byte order mark, declaration, UTF-8, and only then detection, with everything doubtful reported.

A declaration that the bytes contradict is reported as ``misleading-charset``: as a ``Problem`` when the right encoding is clear, as a
``DocumentError`` when it is not.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from aipk_core.documents.loaders.charset_detection import detect
from aipk_core.documents.model import Problem
from aipk_core.errors import DocumentError


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text with its encoding (Python's name), how that was found, and what readers of the document should know.

    Attributes:
        how: ``bom``, ``declared``, ``utf-8`` (nothing was declared and the bytes are valid UTF-8) or ``detected``.
    """

    text: str
    encoding: str
    how: str
    problems: tuple[Problem, ...] = ()


def decode(data: bytes, declared: str = "", *, where: str = "") -> Decoded:
    """The text of ``data`` without byte order mark.

    Args:
        declared: what the document or its transport says about its encoding, ``""`` when it says nothing.

    Raises:
        DocumentError: ``invalid`` when the bytes are no text in any encoding, ``misleading-charset`` when they
            contradict ``declared`` and nothing else fits clearly.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _marked(data[len(mark) :], encoding, declared, where)
    if declared:
        return _declared(data, declared, where)
    if _ISO_2022_JP.search(data):
        text = _strict(data, "iso2022_jp")
        if text is not None:
            return Decoded(text, "iso2022_jp", "detected", (_detected("iso2022_jp", where),))
    text = _strict(data, "utf-8")
    if text is not None:
        if text.count("\0") > len(text) // 100:
            return _wide_or_binary(data, where)
        return Decoded(text, "utf-8", "utf-8")
    if data.count(0) > len(data) // 20:
        return _wide_or_binary(data, where)
    mended = _nearly_utf8(data, where)
    if mended is not None:
        return mended
    guess = _detect(data)
    if guess is None:
        raise DocumentError(
            "the bytes are no text in any known encoding", code="invalid", where=where, remedy="Save the file as UTF-8"
        )
    encoding, text = guess
    return Decoded(text, encoding, "detected", (_detected(encoding, where),))


def python_encoding(label: str) -> str | None:
    """Python's codec for an encoding label as the web uses it (``latin1`` means windows-1252); ``None`` if unknown."""
    label = label.strip().strip("\"'").lower()
    label = _WEB_LABELS.get(label, label)
    try:
        info = codecs.lookup(label)
    except (LookupError, ValueError):  # ValueError: a NUL in the label
        return None
    if not getattr(info, "_is_text_encoding", True) or info.name.replace("-", "_") in _NOT_FOR_DOCUMENTS:
        return None
    return _WEB_LABELS.get(info.name, info.name)


# --- the ways an encoding can be known ---------------------------------------------------------------------------

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it starts with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

_ISO_2022_JP = re.compile(rb"\x1b\$[@B]")

# Where the web platform reads a label as a superset, so do we: pages that say latin-1 mean windows-1252.
_WEB_LABELS = {
    "ascii": "cp1252",
    "us-ascii": "cp1252",
    "iso-8859-1": "cp1252",
    "iso8859-1": "cp1252",
    "latin-1": "cp1252",
    "latin1": "cp1252",
    "iso-8859-9": "cp1254",
    "iso8859-9": "cp1254",
    "iso-8859-11": "cp874",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "gb_2312-80": "gb18030",
    "x-gbk": "gb18030",
    "shift_jis": "cp932",
    "shift-jis": "cp932",
    "sjis": "cp932",
    "x-sjis": "cp932",
    "windows-31j": "cp932",
    "euc_kr": "cp949",
    "euc-kr": "cp949",
    "ks_c_5601-1987": "cp949",
    "windows-949": "cp949",
    "big5": "big5hkscs",
    "x-x-big5": "big5hkscs",
    "x-mac-cyrillic": "mac_cyrillic",
    "macintosh": "mac_roman",
    "x-mac-roman": "mac_roman",
    "iso-8859-8-i": "iso8859-8",
    "iso-8859-8-e": "iso8859-8",
    "logical": "iso8859-8",
    "visual": "iso8859-8",
    "koi": "koi8-r",
    "koi8": "koi8-r",
    "koi8-ru": "koi8-u",
    "x-cp1250": "cp1250",
    "x-cp1251": "cp1251",
    "x-cp1252": "cp1252",
    "windows-874": "cp874",
    "dos-874": "cp874",
    "x-euc-jp": "euc_jp",
    "cn-big5": "big5hkscs",
    "unicode-1-1-utf-8": "utf-8",
    "x-user-defined": "cp1252",
    "unicode": "utf-16",
    "utf_8_sig": "utf-8",
}
_NOT_FOR_DOCUMENTS = frozenset({"idna", "punycode", "unicode_escape", "raw_unicode_escape", "undefined", "utf_7"})


def _marked(data: bytes, encoding: str, declared: str, where: str) -> Decoded:
    text = _strict(data, encoding)
    problems: tuple[Problem, ...] = ()
    named = python_encoding(declared) if declared else None
    if named and not named.startswith(encoding[:6].rstrip("-")) and named != encoding:
        problems = (_misleading(declared, encoding, where),)
    if text is None:
        text = data.decode(encoding, "replace")
        bad = text.count("\ufffd")
        if bad > 3 and bad > len(text) // 100:
            raise DocumentError(
                f"the file starts with a mark of {encoding} but its bytes are something else",
                code="misleading-charset",
                where=where,
                remedy="Save the file as UTF-8",
            )
        problems += (_replaced(bad, encoding, where),)
    return Decoded(text, encoding, "bom", problems)


def _declared(data: bytes, declared: str, where: str) -> Decoded:
    encoding = python_encoding(declared)
    if encoding is None:
        found = decode(data, where=where)
        unknown = Problem("encoding-unknown", f"declares the unknown encoding {declared[:40]!r}", where)
        return Decoded(found.text, found.encoding, found.how, (unknown, *found.problems))
    if encoding.startswith(("utf_16", "utf_32", "utf-16", "utf-32")) and not data.count(0) and _strict(data, "utf-8"):
        # Who can read the declaration in ASCII does not read UTF-16: no character of it would do without NUL.
        found = decode(data, where=where)
        return Decoded(
            found.text, found.encoding, found.how, (_misleading(declared, found.encoding, where), *found.problems)
        )
    text = _strict(data, encoding)
    utf8 = _strict(data, "utf-8") if encoding != "utf-8" else None
    if utf8 is not None and not utf8.isascii() and not encoding.startswith("utf"):
        # Multi-byte UTF-8 sequences do not come about by chance.
        return Decoded(utf8, "utf-8", "detected", (_misleading(declared, "utf-8", where),))
    if text is not None and not _implausible(text):
        return Decoded(text, encoding, "declared")
    if encoding == "utf-8":
        mended = _nearly_utf8(data, where)
        if mended is not None:
            return mended
    guess = _detect(data)
    if guess is not None and guess[0] != encoding and not _implausible(guess[1]):
        return Decoded(guess[1], guess[0], "detected", (_misleading(declared, guess[0], where),))
    if text is not None:
        return Decoded(text, encoding, "declared", (Problem("encoding-doubtful", f"read as {encoding}", where),))
    mended_text = data.decode(encoding, "replace")
    bad = mended_text.count("\ufffd")
    if bad <= max(1, len(mended_text) // 1000):
        return Decoded(mended_text, encoding, "declared", (_replaced(bad, encoding, where),))
    raise DocumentError(
        f"the document declares {declared[:40]}, which its bytes are not, and no other encoding fits",
        code="misleading-charset",
        where=where,
        remedy="Correct the declaration or save the file as UTF-8",
    )


def _nearly_utf8(data: bytes, where: str) -> Decoded | None:
    """UTF-8 with a few damaged bytes among many good sequences, as a cut or a bad merge leaves it."""
    text = data.decode("utf-8", "replace")
    bad = text.count("\ufffd")
    good = sum(1 for byte in data[: 1 << 20] if byte >= 0xC2) - bad
    if good >= 10 * bad and bad <= max(2, len(text) // 100):
        return Decoded(text, "utf-8", "utf-8", (_replaced(bad, "utf-8", where),))
    return None


def _wide_or_binary(data: bytes, where: str) -> Decoded:
    """UTF-16 without a mark shows as a NUL in every other byte of its ASCII part; other NULs mean binary data."""
    even, odd = data[0:4096:2].count(0), data[1:4096:2].count(0)
    encoding = "utf-16-be" if even > odd else "utf-16-le"
    text = _strict(data[: len(data) // 2 * 2], encoding) if min(even, odd) * 10 < max(even, odd) else None
    if text is None or text.count("\0") > len(text) // 1000:
        raise DocumentError(
            "the file holds binary data, not text", code="invalid", where=where, remedy="Exclude the file"
        )
    return Decoded(text, encoding, "detected", (_detected(encoding, where),))


# --- detection -----------------------------------------------------------------------------------------------------


def _detect(data: bytes) -> tuple[str, str] | None:
    """The encoding that fits best, and the whole text in it; ``None`` when none fits."""
    encoding = detect(data, _strict)
    text = _strict(data, encoding) if encoding else None
    return (encoding, text) if encoding and text is not None else None


# Signs between letters ("Za¿ó³æ") are letters of another encoding.
_MOJIBAKE = re.compile("[\u0080-\u009f]|[À-ÿ]{4,}|[\ue000-\uf8ff]|(?<=[^\\W\\d_])[¡-©¬®-¶¸¹¼-¿]+(?=[^\\W\\d_])")


def _implausible(text: str) -> bool:
    """Whether text looks read in the wrong encoding: control codes, or words made of accented letters alone."""
    beyond = sum(1 for character in text[: 1 << 16] if character > "\x7f")
    odd = sum(len(match) for match in _MOJIBAKE.findall(text[: 1 << 16]))
    return odd > 4 and odd * 3 > beyond


def _strict(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except (UnicodeDecodeError, LookupError):
        if encoding != "cp1252":
            return None
    # The five bytes that windows-1252 leaves open are control codes on the web.
    if sum(data.count(bytes([byte])) for byte in (0x81, 0x8D, 0x8F, 0x90, 0x9D)) > len(data) // 500:
        return None
    return data.decode("cp1252", "aipk-latin1")


def _as_latin1(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return error.object[error.start : error.end].decode("latin-1"), error.end


codecs.register_error("aipk-latin1", _as_latin1)


# --- what is reported ----------------------------------------------------------------------------------------------


def _detected(encoding: str, where: str) -> Problem:
    return Problem("encoding-detected", f"no encoding is declared; read as {encoding}", where)


def _misleading(declared: str, encoding: str, where: str) -> Problem:
    return Problem("misleading-charset", f"declares {declared[:40]} but its bytes are {encoding}", where)


def _replaced(count: int, encoding: str, where: str) -> Problem:
    return Problem("invalid-bytes", f"{count} damaged places in {encoding} text were replaced by U+FFFD", where)
