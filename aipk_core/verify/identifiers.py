"""Names that must match letter by letter: code, flags, paths, part numbers, severity labels, e-mail and web addresses."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from aipk_core.text.abbreviations import words as words_of
from aipk_core.verify.measures import unit_at


@dataclass(frozen=True, slots=True)
class Identifier:
    """``text[start:end]``; ``norm`` is what must be equal; ``family`` groups those that can be mistaken for each other."""

    start: int
    end: int
    norm: str
    family: str


def find_identifiers(text: str) -> list[Identifier]:
    """The identifiers of ``text`` in order, none overlapping."""
    found: list[Identifier] = []
    taken: list[tuple[int, int]] = []
    for match in _CODE.finditer(text) if "`" in text else ():
        inner = match["code"].strip()
        offset = match.start("code") + (len(match["code"]) - len(match["code"].lstrip()))
        taken.append(match.span())
        for piece in re.finditer(r"\S+", inner):
            word = piece[0].strip("\"',;()")
            if word:
                start = offset + piece.start() + piece[0].index(word)
                found.append(Identifier(start, start + len(word), word, _family(word, code=True)))
    for match in _TOKEN.finditer(text if text.isascii() else _RUN_ON.sub(" ", text)):
        word = match[0].rstrip(".,:;-")
        if not word or not _is_identifier(word):
            continue
        start = match.start()
        end = start + len(word)
        if any(start < b and a < end for a, b in taken):
            continue
        found.append(Identifier(start, end, unicodedata.normalize("NFKC", word), _family(word)))
        taken.append((start, end))
    for match in _LETTERED.finditer(text) if _LONE_LETTER.search(text) else ():
        start, end = match.span("letter")
        if match["letter"] == "A" and match["noun"].casefold() not in _LABELS and not _ENDS_LABEL.match(text, end):
            continue  # "a" at the start of a heading
        if not any(start < b and a < end for a, b in taken):
            found.append(
                Identifier(
                    start, end, f"{match['noun'].casefold()} {match['letter']}", f"{match['noun'].casefold()}-letter"
                )
            )
            taken.append((start, end))
    found.sort(key=lambda identifier: identifier.start)
    return found


_CODE = re.compile(r"(?P<ticks>`{1,2})(?P<code>[^`\n]{1,300})(?P=ticks)")
_TOKEN = re.compile(
    r"(?<![\w@])(?:https?://[^\s<>\"）】]+|--?[A-Za-z][\w-]*(?:=[\w./-]+)?|[\w.+-]+@[\w-]+\.[\w.-]+|\$?[A-Za-z_~./\\][\w./\\:$+-]*\w|[A-Za-z]\d+|\d+(?:[A-Za-z]+[\w-]*|-[A-Za-z]+\w*))(?:\(\))?"
)
_RUN_ON = re.compile(r"[\u3040-\u30ff\u3400-\u9fff々가-힣]")
"""Scripts that stand next to an identifier without a space."""
_LETTERED = re.compile(
    r"\b(?P<noun>(?!(?:and|the|for|with|from|that|can|may|must|when|then|but|not|are|was|vitamin)\b)[A-Za-z]{3,})\s(?P<letter>[A-HJ-Z])(?![\w'’-]|\.\s?[A-Z]|\s?[°%])"
)
_LONE_LETTER = re.compile(r"\s[A-HJ-Z](?![\w'’-])", re.ASCII)
_LABELS = words_of(
    """
    level class category type grade revision schedule annex appendix plan option group zone phase section part
    series slot unit building hall gate platform tier stage team room block model version form exhibit article
    clause paragraph route line screen camp ward bay dock pier track lane deck
    """
)
_ENDS_LABEL = re.compile(r"\s*(?:[,.;:)>]|$)|\s(?:is|of|was|has|and|or|must|may)\b")
_UNIT_LIKE = re.compile(
    r"\d+(?:st|nd|rd|th|k|m|M|s|h|d|g|t|l|L|x|V|W|A|B|C|F|N|ms|kg|mg|km|cm|mm|kW|MW|GW|kV|Hz|kHz|MHz|GHz|KB|MB|GB|TB|MiB|GiB|KiB|px|pt|in|ft|lb|lbs|oz|ml|mL|cl|dl|min|mins|hr|hrs|sec|secs|am|pm|rpm|dB|bar|psi|ppm|Wh|kWh|MWh|GWh|Nm|mAh|kn|mph|ha|bn|mn|yr|yrs|Uhr|kcal|kJ|tbsp|tsp|mcg|ug)|\d{1,3}p",
)
_HYPHENATED_NUMBER = re.compile(r"\d+-[a-z]+(?:-[a-z]+)*")


_INNER_CAPITAL = re.compile(r"[a-z][A-Z]")


@lru_cache(maxsize=50_000)
def _is_identifier(word: str) -> bool:
    if word.isascii() and word.isalpha() and word[1:].islower():
        return False  # an ordinary word
    has_digit = any(char.isdigit() for char in word)
    if word.startswith(("http://", "https://")) or "@" in word or word.endswith("()"):
        return True
    if word.startswith("-"):
        return len(word) > 1 and (word.startswith("--") or len(word) == 2)
    if word[0] in "$~/" or "\\" in word or "_" in word.strip("_"):
        return any(char.isalnum() for char in word)
    if has_digit:
        if word[0].isdigit():
            return (
                not _UNIT_LIKE.fullmatch(word)
                and not _HYPHENATED_NUMBER.fullmatch(word)
                and word.isascii()
                and not re.fullmatch(r"\d+[A-Za-z]+/[A-Za-z]+", word)
            )
        letters = re.match(r"[A-Za-zÀ-ÿА-я]+", word)
        return letters is not None and word.isascii() and not re.fullmatch(r"[vV]\d+(?:\.\d+)*", word)
    if "/" in word:
        return word.count("/") >= 2 or "." in word
    if "." in word:
        head, _, tail = word.rpartition(".")
        return (
            len(tail) >= 2 and len(head) >= 2 and word.islower() and tail.isalpha() and "." not in word.strip(".")[:2]
        )
    if not _INNER_CAPITAL.search(word):
        return False
    unit = unit_at(word, 0)
    if unit is not None and unit[1] == len(word):
        return False
    return word[0].isascii() and not word.startswith(("Mc", "Mac", "O'"))


def _family(word: str, code: bool = False) -> str:
    """``B-07`` and ``B-17`` share a family, ``--slot`` and ``--force`` do, ``IP66`` and ``S1`` do not."""
    if word.startswith("-"):
        return "flag"
    head = re.match(r"[A-Za-zÀ-ÿА-я]+", word)
    if head and re.search(r"\d", word) and not code:
        return f"{head[0].casefold()}-number"
    if code:
        return "code"
    return "name"
