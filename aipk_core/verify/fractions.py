"""Parts of a whole as people write them: ``a third`` · ``2/3 of`` · ``one in four`` · ``by half`` · ``四分の一`` · ``zwei Drittel``.

They are read as percent, so that "a quarter of the seats" and "25 % of the seats" are one amount.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from aipk_core.verify.numerals import find_numerals

_HUNDREDTHS = Decimal("0.01")
_LARGEST = 100

_EN_COUNT = r"(?:a|one|two|three|four|five|six|seven|eight|nine)"
_EN_PART = {
    "half": 2, "halves": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9,
    "tenth": 10, "hundredth": 100,
}  # fmt: skip
# "a third" also counts: "a third ship"; a part is followed by what it is a part of, a comparison, or nothing
_AFTER = r"(?=\s+(?:of|as|or|and|less|more|smaller|larger|bigger|higher|lower|cheaper|longer|shorter|is|are|was|were|has|have)\b|\s*(?:[.,;:)]|$))"
_NOT_TIME = r"(?!\s+of\s+an?\s+hour)(?!\s+of\s+a\s+(?:minute|second|day|year|mile))"
_EN_WORDS = re.compile(
    rf"\b(?P<n>{_EN_COUNT})[ -](?P<d>(?:half|third|quarter|fourth|fifth|sixth|seventh|eighth|ninth|tenth|hundredth)s?|halves)\b{_NOT_TIME}{_AFTER}",
    re.IGNORECASE,
)
_EN_HALF = re.compile(
    r"(?<=\bby )half\b|(?<!first )(?<!second )(?<!latter )(?<!other )\bhalf(?= (?:the|its|their|as|of)\b)(?! of an? \w)",
    re.IGNORECASE,
)
_IN = re.compile(
    r"\b(?P<n>one|two|three|four|five|\d{1,2})\s(?:in|out of)\s(?:every\s)?(?P<d>two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|\d{1,3})\b"
    r"(?=\s[a-z])(?!\s(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|metres?|meters?|km|cm|mm|kg|volumes?|parts?|colours?|colors?|sizes?|rows?|languages?)\b)",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"(?<![\d/.,])(?P<n>\d{1,2})/(?P<d>\d{1,3})(?![\d/.,]\d)(?= of\b)", re.IGNORECASE)
_IDEOGRAPHS = re.compile(
    r"(?P<d>[二三四五六七八九十\d]{1,3}|[이삼사오육칠팔구십])\s?(?:分の|分之|분의)\s?(?P<n>[一二三四五六七八九十\d]{1,3}|[일이삼사오육칠팔구])"
)
_IDEOGRAPH = {c: i for digits in ("零一二三四五六七八九十", "영일이삼사오육칠팔구십") for i, c in enumerate(digits)}
_NAMED = re.compile(
    r"\b(?:(?P<de>ein|zwei|drei|vier)(?:em|es)?\s(?P<part>Drittel|Viertel|Fünftel|Sechstel|Achtel|Zehntel)\b(?!\s(?:nach|vor|Liter|Stunde|\w+\sUhr))"
    r"|(?P<ru>две\sтрети|три\sчетверти|трет[ьи]|четверт[ьи](?!\sчаса))\b|(?P<fr>(?:un|deux)\stiers|un\squart(?!\sd['’]heure)|trois\squarts|la\smoitié)\b"
    r"|(?P<es>un\stercio|dos\stercios|un\scuarto(?!\sde\shora)|tres\scuartos|la\smitad)\b)",
    re.IGNORECASE,
)
_GERMAN_COUNT = {"ein": 1, "zwei": 2, "drei": 3, "vier": 4}
_GERMAN = {"drittel": 3, "viertel": 4, "fünftel": 5, "sechstel": 6, "achtel": 8, "zehntel": 10}
_VALUES = {
    "две трети": (2, 3), "три четверти": (3, 4), "треть": (1, 3), "трети": (1, 3), "четверть": (1, 4), "четверти": (1, 4),
    "un tiers": (1, 3), "deux tiers": (2, 3), "un quart": (1, 4), "trois quarts": (3, 4), "la moitié": (1, 2),
    "un tercio": (1, 3), "dos tercios": (2, 3), "un cuarto": (1, 4), "tres cuartos": (3, 4), "la mitad": (1, 2),
}  # fmt: skip
_HINT = re.compile(
    r"hal[fv]|third|quarter|f(?:our|if)th|sixth|seventh|eighth|ninth|tenth|hundredth|\b(?:in|out of)\s|\d/\d|分[の之]|분의|tel\b|трет|четверт|tiers|quart|moiti|terci|cuarto|mitad",
    re.IGNORECASE,
)


def find_fractions(text: str) -> Iterator[tuple[int, int, Decimal]]:
    """(start, end, percent) of every part of a whole; percent has at most two decimals.

    Args:
        text: with folded digits and signs, as ``find_quantities`` reads it.
    """
    if not _HINT.search(text):
        return
    for match in _EN_WORDS.finditer(text):
        part = match["d"].lower()
        above = 1 if match["n"].lower() == "a" else _number(match["n"])
        yield from _found(match, above, _EN_PART[part] if part in _EN_PART else _EN_PART[part.removesuffix("s")])
    for match in _EN_HALF.finditer(text):
        yield from _found(match, 1, 2)
    for pattern in (_IN, _DIGITS):
        for match in pattern.finditer(text):
            yield from _found(match, _number(match["n"]), _number(match["d"]))
    for match in _IDEOGRAPHS.finditer(text):
        yield from _found(match, _ideograph(match["n"]), _ideograph(match["d"]))
    for match in _NAMED.finditer(text):
        if match["de"]:
            yield from _found(match, _GERMAN_COUNT[match["de"].lower()], _GERMAN[match["part"].lower()])
        else:
            yield from _found(match, *_VALUES[" ".join(match[0].lower().split())])


def _found(match: re.Match[str], above: int, below: int) -> Iterator[tuple[int, int, Decimal]]:
    if 0 < above < below <= _LARGEST:
        yield match.start(), match.end(), (Decimal(100 * above) / below).quantize(_HUNDREDTHS)


def _number(word: str) -> int:
    if word.isdigit():
        return int(word)
    numerals = find_numerals(word)
    return int(numerals[0].value) if numerals else 0


def _ideograph(word: str) -> int:
    return int(word) if word.isdigit() else _IDEOGRAPH.get(word, 0)
