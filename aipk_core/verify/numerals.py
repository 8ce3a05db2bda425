"""Numbers as people write them, in digits of any script and in words, as exact values with their places.

``three thousand four hundred`` · ``3,400`` · ``3.400`` (German) · ``2.15 million`` · ``３０`` · ``٣٫٥`` · ``三百`` · ``1만 2천``
· ``half`` · ``a dozen`` · ``eleven and a half`` · ``zwölf`` · ``двенадцать``
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from aipk_core.verify.vocabulary import bare_words, has_digit, lacks

MAX_DIGITS = 40


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number at ``text[start:end]``.

    Attributes:
        step: half the value of the last digit written, as the room that rounding leaves; 0 for words.
        readings: other values that the same characters may mean, e.g. ``3.400`` as 3400.
        in_words: written in words or ideographs rather than digits.
    """

    start: int
    end: int
    value: Decimal
    step: Decimal = Decimal(0)
    readings: tuple[Decimal, ...] = ()
    in_words: bool = False
    ordinal: bool = False

    @property
    def values(self) -> tuple[Decimal, ...]:
        return (self.value, *self.readings)


def find_numerals(text: str, lang: str = "en") -> list[Numeral]:
    """All numbers of ``text`` in order; never two that overlap. Digits inside words (``B32``) are left to the caller."""
    plain = fold_digits(text)
    found = _digit_numerals(plain, lang) if has_digit(plain) or not plain.isascii() else []
    if not plain.isascii():
        found += _ideograph_numerals(plain)
    if lang in _OTHER_WORDS or not lacks(bare_words(plain), NUMBER_WORDS):
        found += _word_numerals(plain, lang)
    found.sort(key=lambda numeral: (numeral.start, -numeral.end))
    kept: list[Numeral] = []
    for numeral in found:
        if not kept or numeral.start >= kept[-1].end:
            kept.append(numeral)
    return kept


def fold_digits(text: str) -> str:
    """Every decimal digit, sign and separator as ASCII, character for character, so that offsets stay."""
    if text.isascii():
        return text
    return "".join(_folded(char) for char in text)


def _folded(char: str) -> str:
    if char.isascii():
        return char
    if char.isdecimal():
        return str(unicodedata.decimal(char))
    return _FOLDS.get(char, char)


_FOLDS = {
    "−": "-", "–": "–", "‒": "–", "﹣": "-", "－": "-", "．": ".", "，": "，", "٫": ".", "٬": ",", "％": "%", "٪": "%",
    "\u202f": "\u00a0", "\u2009": "\u00a0", "\u2007": "\u00a0", "’": "'", "＋": "+",
}  # fmt: skip

_FRACTIONS = {"½": "0.5", "¼": "0.25", "¾": "0.75", "⅓": "0.3333333333", "⅔": "0.6666666667", "⅛": "0.125"}

_DIGITS = re.compile(
    r"(?P<int>\d{1,3}(?:[,.' \u00a0]\d{3})+(?!\d)|\d+)(?P<frac>[.,]\d+)?(?P<vulgar>\s?[½¼¾⅓⅔⅛]|\s\d+/\d+(?![\d/]))?|(?P<alone>[½¼¾⅓⅔⅛])"
)
# where spaces do not separate thousands by custom, two groups are needed to tell them from neighbouring numbers
_DIGITS_NO_SPACE = re.compile(
    _DIGITS.pattern.replace("[,.' ", "[,.'").replace("(?P<int>", "(?P<int>\\d{1,3}(?: \\d{3}){2,}(?![\\d ]\\d)|", 1)
)
_SPACE_GROUPS = {"ru", "fr", "de", "es"}
_SCALE_AFTER = re.compile(
    r"(?:\s?(?P<k>[kKM]|bn|mn|mio|mrd)\b(?![/²³]))|\s(?P<word>hundred|thousand|million|billion|trillion|dozen|"
    r"tausend|millionen?|milliarden?|mille|millions?|milliards?|mil|millón|millones|тыс\.?|тысяч[аи]?|млн\.?|миллион(?:а|ов)?|млрд\.?|миллиард(?:а|ов)?)\b"
    r"|\s?(?P<cjk>[十百千万萬億亿兆십백천만억조]+)(?![가-힣]{3})",
    re.IGNORECASE,
)
_SCALES = {
    "k": 10**3, "m": 10**6, "mn": 10**6, "mio": 10**6, "bn": 10**9, "mrd": 10**9,
    "hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12, "dozen": 12,
    "tausend": 10**3, "millionen": 10**6, "milliarde": 10**9, "milliarden": 10**9, "mille": 10**3, "millions": 10**6,
    "milliard": 10**9, "milliards": 10**9, "mil": 10**3, "millón": 10**6, "millones": 10**6,
    "тыс": 10**3, "тысяч": 10**3, "тысяча": 10**3, "тысячи": 10**3, "млн": 10**6, "миллион": 10**6, "миллиона": 10**6,
    "миллионов": 10**6, "млрд": 10**9, "миллиард": 10**9, "миллиарда": 10**9, "миллиардов": 10**9,
}  # fmt: skip
_IDEOGRAPH_SCALES = {
    "十": 10, "百": 100, "千": 10**3, "万": 10**4, "萬": 10**4, "億": 10**8, "亿": 10**8, "兆": 10**12,
    "십": 10, "백": 100, "천": 10**3, "만": 10**4, "억": 10**8, "조": 10**12,
}  # fmt: skip
_DECIMAL_COMMA = {"de", "fr", "es", "ru"}


def _digit_numerals(text: str, lang: str) -> list[Numeral]:
    found = []
    for match in (_DIGITS if lang in _SPACE_GROUPS else _DIGITS_NO_SPACE).finditer(text):
        start, end = match.span()
        if end - start > MAX_DIGITS:
            continue
        try:
            numeral = _read_digits(match, lang)
        except InvalidOperation:
            continue
        scale, end = _scale_after(text, end)
        if scale != 1:
            numeral = Numeral(
                start, end, numeral.value * scale, numeral.step * scale, tuple(v * scale for v in numeral.readings)
            )
        found.append(numeral)
    return _joined_ideograph_groups(text, found)


def _read_digits(match: re.Match[str], lang: str) -> Numeral:
    start, end = match.span()
    if alone := match["alone"]:
        return Numeral(start, end, Decimal(_FRACTIONS[alone]))
    whole, fraction = match["int"], match["frac"] or ""
    grouped = re.sub(r"[,.' \u00a0]", "", whole)
    value = Decimal(grouped + ("." + fraction[1:] if fraction else ""))
    step = Decimal(1).scaleb(-len(fraction[1:])) / 2 if fraction else Decimal("0.5")
    readings: list[Decimal] = []
    separators = re.findall(r"[,.]", whole)
    if len(separators) == 1 and not fraction:
        # one group of three digits: 3.400 is 3.4 in English and 3400 in German, 3,400 the other way round
        as_decimal = Decimal(whole.replace(",", ".").replace("'", ""))
        comma_is_decimal = lang in _DECIMAL_COMMA
        if (separators[0] == ",") == comma_is_decimal:
            value, readings = as_decimal, [value]
            step = Decimal("0.0005")
        else:
            readings = [as_decimal] if separators[0] == "." else []
    elif len(set(separators)) > 1:
        value = Decimal(whole.replace(separators[0], "").replace(",", "."))
    elif fraction and fraction[0] == "," and lang not in _DECIMAL_COMMA and len(fraction) == 4:
        value, step = Decimal(grouped + fraction[1:]), Decimal("0.5")
    if vulgar := (match["vulgar"] or "").strip():
        if vulgar in _FRACTIONS:
            value += Decimal(_FRACTIONS[vulgar])
        else:
            above, below = vulgar.split("/")
            if int(below):
                value += Decimal(above) / Decimal(below)
        step = Decimal(0)
    return Numeral(start, end, value, step, tuple(readings))


def _scale_after(text: str, end: int) -> tuple[int, int]:
    match = _SCALE_AFTER.match(text, end)
    if not match:
        return 1, end
    if short := match["k"]:
        # "5 m" is metres and "5 M" is rare: one letter counts only glued on, and never a small m
        if len(short) == 1 and (short == "m" or text[end : match.start("k")]):
            return 1, end
        return _SCALES[short.lower()], match.end()
    if word := match["word"]:
        return _SCALES[word.lower().rstrip(".")], match.end()
    scale = 1
    for char in match["cjk"]:
        scale *= _IDEOGRAPH_SCALES[char]
    return scale, match.end()


def _joined_ideograph_groups(text: str, found: list[Numeral]) -> list[Numeral]:
    """``1만 2천`` and ``1万2千`` are one number each."""
    joined: list[Numeral] = []
    for numeral in found:
        if joined:
            last = joined[-1]
            between = text[last.end : numeral.start]
            if between in ("", " ") and text[last.end - 1] in _IDEOGRAPH_SCALES and last.value > numeral.value:
                joined[-1] = Numeral(last.start, numeral.end, last.value + numeral.value, numeral.step)
                continue
        joined.append(numeral)
    return joined


_IDEOGRAPH_DIGITS = {
    c: v for v, chars in enumerate(("〇零", "一", "二两兩", "三", "四", "五", "六", "七", "八", "九")) for c in chars
}
_IDEOGRAPHS = re.compile(r"[〇零一二两兩三四五六七八九十百千万萬億亿]+")
# characters after an ideograph number that make it a count; 一 and 十 alone are too common inside words
_COUNTERS = "年月日号號天周週小时時分秒个個人名次回度倍米吨噸台本件条條项項章节節元円圆块岁歲歳才か个ヶ分之割％%パ週種点點批层層座艘辆隻只口第間间位部枚册冊家所名話節階"


def _ideograph_numerals(text: str) -> list[Numeral]:
    found = []
    for match in _IDEOGRAPHS.finditer(text):
        after = text[match.end() : match.end() + 1]
        before = text[match.start() - 1 : match.start()]
        if len(match[0]) == 1 and after not in _COUNTERS and before not in ("第",):
            continue
        if before.isdecimal() or not after or (match[0] == "一" and after in "個个次部定般切" and before not in "第"):
            continue
        if (value := _ideograph_value(match[0])) is not None:
            found.append(Numeral(match.start(), match.end(), value, in_words=True))
    return found


def _ideograph_value(characters: str) -> Decimal | None:
    if all(char in _IDEOGRAPH_DIGITS for char in characters):
        return Decimal("".join(str(_IDEOGRAPH_DIGITS[char]) for char in characters))
    total = section = digit = 0
    for char in characters:
        if char in _IDEOGRAPH_DIGITS:
            digit = _IDEOGRAPH_DIGITS[char]
            continue
        scale = _IDEOGRAPH_SCALES[char]
        if scale < 10**4:
            section += (digit or 1) * scale
        else:
            total += (section + digit or 1) * scale
            section = 0
        digit = 0
    return Decimal(total + section + digit)


_UNITS_EN = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS_EN = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_ORDINALS_EN = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9,
    "tenth": 10, "eleventh": 11, "twelfth": 12, "thirteenth": 13, "fourteenth": 14, "fifteenth": 15, "twentieth": 20,
    "thirtieth": 30,
}  # fmt: skip
_SMALL: dict[str, dict[str, int]] = {
    "en": {word: value for value, word in enumerate(_UNITS_EN)} | {word: 10 * (i + 2) for i, word in enumerate(_TENS_EN)},
    "de": {
        "null": 0, "eins": 1, "zwei": 2, "drei": 3, "vier": 4, "fünf": 5, "sechs": 6, "sieben": 7, "acht": 8, "neun": 9, "zehn": 10, "elf": 11, "zwölf": 12,
        "dreizehn": 13, "vierzehn": 14, "fünfzehn": 15, "sechzehn": 16, "siebzehn": 17, "achtzehn": 18, "neunzehn": 19, "zwanzig": 20,
        "dreißig": 30, "dreissig": 30, "vierzig": 40, "fünfzig": 50, "sechzig": 60, "siebzig": 70, "achtzig": 80, "neunzig": 90, "hundert": 100,
    },
    "fr": {
        "deux": 2, "trois": 3, "quatre": 4, "cinq": 5, "six": 6, "sept": 7, "huit": 8, "neuf": 9, "dix": 10, "onze": 11, "douze": 12, "treize": 13,
        "quatorze": 14, "quinze": 15, "seize": 16, "vingt": 20, "trente": 30, "quarante": 40, "cinquante": 50, "soixante": 60, "cent": 100,
    },
    "es": {
        "dos": 2, "tres": 3, "cuatro": 4, "cinco": 5, "seis": 6, "siete": 7, "ocho": 8, "nueve": 9, "diez": 10, "once": 11, "doce": 12, "trece": 13,
        "catorce": 14, "quince": 15, "veinte": 20, "treinta": 30, "cuarenta": 40, "cincuenta": 50, "sesenta": 60, "setenta": 70, "ochenta": 80,
        "noventa": 90, "cien": 100, "ciento": 100,
    },
    "ru": {
        form: value
        for value, forms in {
            2: "два две двух двум двумя", 3: "три трёх трех трём трем", 4: "четыре четырёх четырех", 5: "пять пяти",
            6: "шесть шести", 7: "семь семи", 8: "восемь восьми", 9: "девять девяти", 10: "десять десяти",
            11: "одиннадцать", 12: "двенадцать двенадцати", 13: "тринадцать", 14: "четырнадцать четырнадцати",
            15: "пятнадцать пятнадцати", 20: "двадцать двадцати", 30: "тридцать тридцати", 40: "сорок", 50: "пятьдесят",
            60: "шестьдесят", 70: "семьдесят", 80: "восемьдесят", 90: "девяносто", 100: "сто",
        }.items()
        for form in forms.split()
    },
    "ko": {
        "하나": 1, "한": 1, "두": 2, "둘": 2, "세": 3, "셋": 3, "네": 4, "넷": 4, "다섯": 5, "여섯": 6, "일곱": 7, "여덟": 8,
        "아홉": 9, "열": 10, "열두": 12, "스무": 20, "스물": 20, "서른": 30, "마흔": 40, "쉰": 50,
    },
}  # fmt: skip
_OTHER_WORDS = ("de", "fr", "es", "ru")
NUMBER_WORDS = frozenset(
    (*_SMALL["en"], *_ORDINALS_EN, "dozen", "score", "hundred", "thousand", "million", "billion", "trillion")
)
"""Words that English numbers are made of."""
_GERMAN_TENS = re.compile(
    r"(ein|zwei|drei|vier|fünf|sechs|sieben|acht|neun)und(zwanzig|dreißig|vierzig|fünfzig|sechzig|siebzig|achtzig|neunzig)"
)
_KOREAN_COUNTER = re.compile(
    r"(하나|한|두|둘|세|셋|네|넷|다섯|여섯|일곱|여덟|아홉|열두|열|스무|서른|마흔|쉰)\s?(?=명|개|번|대|척|시|시간|달|살|차례|가지|곳|권|마리|주(?:[^가-힣]|에|간|마)|사람|큰술|작은술|컵|쪽|판|그릇)"
)
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")


def _word_numerals(text: str, lang: str) -> list[Numeral]:
    if not text.isascii() and any("가" <= char <= "힣" for char in text):
        return [*_sino_korean(text)] + [
            Numeral(m.start(1), m.end(1), Decimal(_SMALL["ko"][m[1]]), in_words=True)
            for m in _KOREAN_COUNTER.finditer(text)
            if m.start() == 0 or not "가" <= text[m.start() - 1] <= "힣"
        ]
    if lang in _OTHER_WORDS:
        return _simple_words(text, lang)
    return _english_words(text)


_SINO_KOREAN = re.compile(
    r"(?<![가-힣\d])(?P<number>[일이삼사오육륙칠팔구십백천만억]+(?:\s[일이삼사오육륙칠팔구십백천만억]+)*)\s?"
    r"(?=(?:명|개|번|대|척|시간|분|초|달|개월|년|살|세|차례|가지|곳|권|마리|주|일|원|쪽|층|미터|킬로|톤|그램|리터|회|점|건|통|장)(?![가-힣]{4}))"
)
_SINO_DIGITS = {char: value for value, char in enumerate("일이삼사오육칠팔구", start=1)} | {"륙": 6}


def _sino_korean(text: str) -> list[Numeral]:
    """``만 이천 권``, ``삼백 명``: at least one of ten, hundred, thousand … so that no particle is taken for a digit."""
    found = []
    for match in _SINO_KOREAN.finditer(text):
        characters = match["number"].replace(" ", "")
        if not any(char in _IDEOGRAPH_SCALES for char in characters):
            continue
        total = section = digit = 0
        for char in characters:
            if char in _SINO_DIGITS:
                digit = _SINO_DIGITS[char]
                continue
            scale = _IDEOGRAPH_SCALES[char]
            if scale < 10**4:
                section += (digit or 1) * scale
            else:
                total, section = total + (section + digit or 1) * scale, 0
            digit = 0
        found.append(Numeral(*match.span("number"), Decimal(total + section + digit), in_words=True))
    return found


def _simple_words(text: str, lang: str) -> list[Numeral]:
    found = []
    for match in _WORD.finditer(text):
        word = match[0].lower()
        value = _SMALL[lang].get(word)
        if value is None and lang == "de" and (parts := _GERMAN_TENS.fullmatch(word)):
            value = _SMALL["de"].get({"ein": "eins"}.get(parts[1], parts[1]), 0) + _SMALL["de"][parts[2]]
        if value is not None:
            found.append(Numeral(match.start(), match.end(), Decimal(value), in_words=True))
    return found


def _english_words(text: str) -> list[Numeral]:
    """Runs of number words, with ``and``, hyphens, halves and scales, as one number each."""
    lowered = text.lower()
    tokens = [(m.start(), m.end(), m[0]) for m in re.finditer(r"[a-z]+", lowered)]
    small = _SMALL["en"]
    found: list[Numeral] = []
    i = 0
    while i < len(tokens):
        start, end, word = tokens[i]
        ordinal = False
        if word in small:
            total, current, j = 0, small[word], i + 1
            while j < len(tokens) and lowered[end : tokens[j][0]] in (" ", "-", " - "):
                nxt = tokens[j][2]
                if nxt == "hundred":
                    current *= 100
                elif nxt in ("thousand", "million", "billion", "trillion"):
                    total, current = total + current * _SCALES[nxt], 0
                elif nxt == "dozen":
                    current *= 12
                elif nxt in small and (_fits(current, small[nxt]) or current == 0):
                    current += small[nxt]
                elif nxt in _ORDINALS_EN and 20 <= current <= 90 and _ORDINALS_EN[nxt] < 10:
                    current, ordinal = current + _ORDINALS_EN[nxt], True
                elif nxt == "and" and j + 1 < len(tokens) and tokens[j + 1][2] in small and (current >= 100 or total):
                    current += small[tokens[j + 1][2]]
                    j += 1
                else:
                    break
                end = tokens[j][1]
                j += 1
            value = Decimal(total + current)
            if lowered[end : end + 11] == " and a half":
                value, end = value + Decimal("0.5"), end + 11
            i = j
            while i < len(tokens) and tokens[i][0] < end:
                i += 1
            found.append(Numeral(start, end, value, in_words=True, ordinal=ordinal))
            continue
        if word in _ORDINALS_EN and not _is_second_of_time(tokens, i):
            found.append(Numeral(start, end, Decimal(_ORDINALS_EN[word]), in_words=True, ordinal=True))
        elif (
            word in ("dozen", "score", "hundred", "thousand", "million", "billion")
            and i
            and tokens[i - 1][2] in ("a", "one", "per")
        ):
            scale = {"dozen": 12, "score": 20}.get(word) or _SCALES[word]
            if tokens[i - 1][2] == "a":
                found.append(Numeral(tokens[i - 1][0], end, Decimal(scale), in_words=True))
        i += 1
    return found


def _fits(current: int, nxt: int) -> bool:
    """Whether ``nxt`` continues a number that stands at ``current``: twenty + five, a hundred + thirty."""
    if current % 100 == 0 and current >= 100:
        return nxt < 100
    return current % 100 in range(20, 100, 10) and 0 < nxt < 10


def _is_second_of_time(tokens: list[tuple[int, int, str]], i: int) -> bool:
    before = tokens[i - 1][2] if i else ""
    return tokens[i][2] == "second" and (before in ("per", "a", "each", "every") or before in _SMALL["en"])
