"""Which legacy encoding some bytes are in, judged by whether they become the letters of one language.

Each candidate encoding is tried with each language that is written in it. A letter of the language's alphabet counts
for the pair; a foreign letter, a control code, a symbol inside a word or a capital after a small letter counts against
it. This tells close relatives apart (windows-1250 and -1252, cp866 and koi8-r) in a few dozen bytes, where statistics
of byte frequencies still guess.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

Decoder = Callable[[bytes, str], str | None]

_SAMPLE = 1 << 14
_MINIMUM = 0.3  # of the best possible score, below which the answer would be a guess


def detect(data: bytes, decoder: Decoder) -> str | None:
    """The encoding (Python's name) in which ``data`` reads as text of some language; ``None`` when none is clear.

    Args:
        decoder: strict decoding, giving ``None`` for bytes that are not of the encoding.
    """
    sample = _sample(data)
    best, best_score = None, _MINIMUM
    for encoding, languages in _LANGUAGES_OF.items():
        text = decoder(sample, encoding)
        if text is None or decoder(data, encoding) is None:
            continue
        score = max(_score(text, language, encoding) for language in languages)
        if score > best_score + 1e-9:
            best, best_score = encoding, score
    return best


# Small letters beyond ASCII, with the signs that the language is written with.
_ALPHABETS = {
    "western": "äöüßéèêëàâçùûîïôœæÿñáíóúìòãõåø",
    "german": "äöüß",
    "french": "éèêëàâçùûîïôœæ",
    "iberian": "ñáéíóúüçãõâêôàºª",
    "italian": "àèéìòù",
    "nordic": "åäöæøéðþáíóúý",
    "polish": "ąćęłńóśźż",
    "czech": "áčďéěíňóřšťúůýžľĺŕôä",
    "hungarian": "áéíóöőúüű",
    "romanian": "ăâîșțşţ",
    "south-slavic": "čćđšž",
    "baltic": "āčēģīķļņšūžąęėįųõäöü",
    "turkish": "çğıöşüâîû",
    "vietnamese": "ăâđêôơưáàãéèêíìóòõúùý",
    "cyrillic": "абвгдежзийклмнопрстуфхцчшщъыьэюя",
    "cyrillic-wide": "абвгдежзийклмнопрстуфхцчшщъыьэюяёіїєґўјљњћџђ",
    "greek": "αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώϊϋΐΰ",
    "hebrew": "אבגדהוזחטיךכלםמןנסעףפץצקרשת",
    "arabic": "ءآأؤإئابةتثجحخدذرزسشصضطظعغفقكلمنهوىيًٌٍَُِّْپچژگ،؛؟",
    "thai": "".join(chr(code) for code in (*range(0xE01, 0xE3B), *range(0xE40, 0xE4F))),
}
# The commonest letters of the alphabets that share no letter with ASCII: what else is read as one of them has other
# favourites.
_COMMON = {
    "cyrillic": frozenset("оеаинтсрвлкмО"),
    "cyrillic-wide": frozenset("оеаинтсрвлкмО"),
    "greek": frozenset("αοιετσνηυρπκς"),
    "hebrew": frozenset("יוהלאתרמבשםנ"),
    "arabic": frozenset("اليمنوتربعدهة"),
    "thai": frozenset("านรกอเงมยลวดท่้ัี"),
}
_LETTERS = {name: frozenset(letters + letters.upper()) - {"I"} for name, letters in _ALPHABETS.items()}

_WEST = ("german", "french", "iberian", "italian", "nordic", "western")
_CENTRAL = ("polish", "czech", "hungarian", "romanian", "south-slavic", "german")

# In order of preference: where two fit alike, the earlier is the one that documents usually come in.
_LANGUAGES_OF: dict[str, tuple[str, ...]] = {
    "cp1252": _WEST,
    "cp1251": ("cyrillic", "cyrillic-wide"),
    "koi8_r": ("cyrillic",),
    "cp866": ("cyrillic",),
    "koi8_u": ("cyrillic-wide",),
    "cp949": ("korean",),
    "cp932": ("japanese",),
    "euc_jp": ("japanese",),
    "gb18030": ("chinese",),
    "big5hkscs": ("traditional",),
    "cp1250": _CENTRAL,
    "iso8859_2": _CENTRAL,
    "cp1254": ("turkish",),
    "cp1253": ("greek",),
    "iso8859_7": ("greek",),
    "cp1255": ("hebrew",),
    "iso8859_8": ("hebrew",),
    "cp1256": ("arabic",),
    "iso8859_6": ("arabic",),
    "cp874": ("thai",),
    "cp1257": ("baltic",),
    "cp1258": ("vietnamese",),
    "iso8859_5": ("cyrillic-wide",),
    "mac_cyrillic": ("cyrillic-wide",),
    "iso8859_15": _WEST,
    "cp850": _WEST,
    "cp852": _CENTRAL,
    "mac_roman": _WEST,
    "cp437": _WEST,
}

_PUNCTUATION = frozenset("“”‘’„‚–—…«»‹›•·°§©®™€£¥¿¡№\u00a0\u00ad′″×±½¼¾²³µ、。「」『』（），：；！？・〜～ー")
_FOREIGN = -1.5
_MIXED = {"western": 0.3, "cyrillic-wide": 0.05}


def _sample(data: bytes) -> bytes:
    """A piece around the first byte beyond ASCII, ending at a line end so that no multi-byte character is halved."""
    first = re.search(rb"[\x80-\xff]", data)
    begin = data.rfind(b"\n", 0, first.start()) + 1 if first else 0
    begin = max(begin, (first.start() if first else 0) - 200)
    sample = data[begin : begin + _SAMPLE]
    if begin + _SAMPLE < len(data):
        for end in (b"\n", b" "):
            cut = sample.rfind(end)
            if cut > _SAMPLE // 8:
                return sample[:cut]
        return data
    return sample


def _score(text: str, language: str, encoding: str) -> float:
    """Between a negative number and 1: the mean worth of the characters beyond ASCII."""
    judge = _EAST_ASIAN.get(language)
    letters = _LETTERS.get(language, frozenset())
    total, count = 0.0, 0
    common = _COMMON.get(language)
    before = " "
    for index, character in enumerate(text):
        if character > "\x7f":
            count += 1
            if judge is not None:
                total += judge(character, encoding)
            elif character in letters:
                after = text[index + 1 : index + 2]
                if (character.isupper() and before.islower()) or (
                    common is not None and (_ascii_letter(before) or _ascii_letter(after))
                ):
                    total += _FOREIGN
                elif common is not None:
                    total += 1.0 if character in common else 0.6
                else:
                    total += 1.0 if character.islower() else 0.9
            elif character in _PUNCTUATION:
                inside = before.isalpha() and text[index + 1 : index + 2].isalpha() and character not in "’\u00ad·-"
                total += _FOREIGN if inside else 0.75
            else:
                total += _FOREIGN * (2 if unicodedata.category(character) in ("Cc", "Co", "Cn") else 1)
        elif character.isupper() and before > "\x7f" and before.islower():
            total += _FOREIGN
        before = character
    if not count:
        return 0.0
    # One language is a better explanation than a mixture of several.
    return total / count - _MIXED.get(language, 0.0)


def _ascii_letter(character: str) -> bool:
    return character.isascii() and character.isalpha()


def _korean(character: str, encoding: str) -> float:
    if character in _PUNCTUATION:
        return 0.5
    return 1.0 if "가" <= character <= "힣" and _lead(character, "euc_kr") else _FOREIGN


def _japanese(character: str, encoding: str) -> float:
    if "ぁ" <= character <= "ヿ":
        return 1.0
    if character in _PUNCTUATION or "０" <= character <= "ｚ":
        return 0.5
    if 0xB0 <= _lead(character, "euc_jp") <= 0xCF:
        return 0.8
    return -0.3 if "一" <= character <= "鿿" else _FOREIGN


def _chinese(character: str, encoding: str) -> float:
    if character in _PUNCTUATION:
        return 0.5
    lead = _lead(character, "gb2312")
    if 0xB0 <= lead <= 0xD7 and "一" <= character <= "鿿":
        return 0.9
    return -0.3 if lead >= 0xD8 else _FOREIGN


def _traditional(character: str, encoding: str) -> float:
    if character in _PUNCTUATION:
        return 0.5
    lead = _lead(character, "big5")
    if 0xA4 <= lead <= 0xC6:
        return 0.95
    return -0.3 if lead >= 0xC9 else _FOREIGN


_EAST_ASIAN: dict[str, Callable[[str, str], float]] = {
    "korean": _korean,
    "japanese": _japanese,
    "chinese": _chinese,
    "traditional": _traditional,
}


def _lead(character: str, encoding: str) -> int:
    """The first of the two bytes of a character in an encoding; 0 when it is not in it. High bytes are common ones."""
    encoded = character.encode(encoding, "ignore")
    return encoded[0] if len(encoded) == 2 else 0
