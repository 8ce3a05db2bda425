"""Dates, times of day and weekdays in the ways that people write them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from aipk_core.text.abbreviations import words as words_of
from aipk_core.verify.vocabulary import bare_words, has_digit


@dataclass(frozen=True, slots=True)
class DateMention:
    """``kind`` is ``date`` (year, month, day), ``time`` (hour, minute) or ``weekday`` (Monday = 0)."""

    start: int
    end: int
    kind: str
    fields: tuple[int | None, ...]


def find_dates(text: str, lang: str = "en") -> list[DateMention]:
    """All of them in ``text`` (ASCII digits), in order, none overlapping; parts that are not written are ``None``."""
    found: list[DateMention] = []
    taken: list[tuple[int, int]] = []
    for pattern, reader in _patterns_for(text, lang if lang in _LANGUAGES else "en"):
        for match in pattern.finditer(text):
            if any(match.start() < end and start < match.end() for start, end in taken):
                continue
            if (mention := reader(match)) is not None:
                found.append(mention)
                taken.append((mention.start, mention.end))
    return sorted(found, key=lambda mention: mention.start)


def _patterns_for(text: str, lang: str) -> Sequence[tuple[re.Pattern[str], _Reader]]:
    """The patterns that can match at all: those of digits, of clock times in words, and of names of months and days."""
    words = bare_words(text)
    digits = has_digit(text)
    if words is None or lang != "en":
        return (*_numeric_patterns(), *_worded_patterns(lang))
    named = not words.isdisjoint(DATE_WORDS) or any(
        word in words and text.lower().count(word) != text.count(word) for word in _ALSO_VERBS
    )
    clock = not words.isdisjoint(CLOCK_WORDS)
    if not (digits or named or clock):
        return ()
    return [
        (pattern, reader)
        for pattern, reader in (*_numeric_patterns(), *_worded_patterns(lang))
        if (clock if reader in (_worded_time, _named_time) else digits or named)
    ]


DATE_WORDS = words_of(
    """
    january february april june july august september october november december jan feb apr jun jul aug sep sept oct
    nov dec monday mondays tuesday tuesdays wednesday wednesdays thursday thursdays friday fridays saturday
    saturdays sunday sundays
    """
)
_ALSO_VERBS = ("may", "march", "mar")
"""Months only where a capital says so."""
CLOCK_WORDS = frozenset(["noon", "midday", "midnight", "half", "quarter", "clock"])
_Reader = Callable[[re.Match[str]], "DateMention | None"]
_LANGUAGES = ("en", "de", "fr", "es", "ru", "ko", "zh", "ja", "ar", "hi")
_YEAR = r"(?P<y>(?:1[0-9]|20|21)\d\d)"
_DAY = r"(?P<d>[0-3]?\d)"
_BEFORE_YEARS = words_of(
    """
    in since by from during until till before after of to im seit bis en depuis desde hasta в с до по the year jahr
    spring summer autumn winter early late mid
    """
)
_HOUR_WORDS = {
    word: hour
    for hour, word in enumerate(
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"], start=1
    )
}


@cache
def _numeric_patterns() -> tuple[tuple[re.Pattern[str], _Reader], ...]:
    return (
        (re.compile(rf"(?<![\d-]){_YEAR}-(?P<m>[01]?\d)-{_DAY}(?![\d-])"), _date),
        (re.compile(rf"(?<![\d.]){_YEAR}[./](?P<m>[01]?\d)[./]{_DAY}(?![\d.])"), _date),
        (re.compile(rf"(?<![\d.]){_DAY}\.\s?(?P<m>[01]?\d)\.\s?{_YEAR}(?!\d)"), _date),
        (re.compile(rf"(?<![\d/])(?P<a>[0-3]?\d)/(?P<b>[0-3]?\d)/{_YEAR}(?![\d/])"), _slashed),
        (re.compile(rf"{_YEAR}\s?[年년]\s?(?P<m>[01]?\d)\s?[月월](?:\s?{_DAY}\s?[日號号일])?"), _date),
        (re.compile(rf"(?<!\d)(?P<m>[01]?\d)\s?[月월]\s?{_DAY}\s?[日號号일]"), _date),
        (re.compile(rf"{_YEAR}\s?[年년](?![間间])"), _date),
        (re.compile(r"(?<!\d)(?P<m>1[0-2]|[1-9])\s?(?:月(?!份?間)|월)"), _date),
        (
            re.compile(
                r"(?<![\d:.,])(?P<h>[0-2]?\d)[:.](?P<min>[0-5]\d)(?P<sec>:[0-5]\d)?\s?(?P<ap>[ap]\.?\s?m\b\.?)", re.IGNORECASE
            ),
            _time,
        ),
        (re.compile(r"(?<![\d:.,])(?P<h>[0-2]?\d):(?P<min>[0-5]\d)(?P<sec>:[0-5]\d)?(?!\d|:\d)(?:\s?(?:Uhr|h|ч)\b)?"), _time),
        (re.compile(r"(?<![\d:.,])(?P<h>[0-2]?\d)(?:\.(?P<min>[0-5]\d))?\s?Uhr\b"), _time),
        (re.compile(r"(?<![\d:.,])(?P<h>[01]?\d)\s?(?P<ap>[ap]\.?\s?m\b\.?)", re.IGNORECASE), _time),
        (re.compile(r"(?:(?P<pm>오후|下午|晚上|午後)|午前|上午|早上|凌晨)?\s?(?<!\d)(?P<h>[0-2]?\d)\s?[時时点點](?!间|間)(?:(?P<min>[0-5]?\d)\s?分|(?P<half>半))?"), _time),
        (re.compile(r"(?:(?P<pm>오후)|오전)?\s?(?<!\d)(?P<h>[0-2]?\d)\s?시(?!간|스|장)(?:\s?(?P<min>[0-5]?\d)\s?분|\s?(?P<half>반))?"), _time),
        (re.compile(r"\b(?P<rel>half past|quarter past|quarter to)\s(?P<w>\w+)\b(?P<ap>\s?[ap]\.?m\b\.?)?", re.IGNORECASE), _worded_time),
        (re.compile(r"\b(?P<w>\w+|\d+) o'clock\b", re.IGNORECASE), _worded_time),
        (re.compile(r"(?P<noon>\bnoon\b|\bmidday\b|正午|정오)|(?P<midnight>\bmidnight\b|자정)", re.IGNORECASE), _named_time),
    )  # fmt: skip


@cache
def _worded_patterns(lang: str) -> tuple[tuple[re.Pattern[str], _Reader], ...]:
    from babel.dates import get_day_names, get_month_names

    months: dict[str, int] = {}
    days: dict[str, int] = {}
    for language in dict.fromkeys((lang, "en")):
        for context in ("format", "stand-alone"):
            for width in ("wide", "abbreviated"):
                names = get_month_names(width, context=context, locale=language)
                months |= {_folded(name): number for number, name in names.items()}
            day_names = get_day_names("wide", context=context, locale=language)
            days |= {_folded(name): number for number, name in day_names.items()}
    months |= {"sept": 9}
    for number in [name for name in months if name[:1].isdecimal()]:
        del months[number]  # Korean, Chinese and Japanese months are numbers: read above
    if lang == "ru":
        days |= {"вторникам": 1, "вторника": 1, "среду": 2, "среды": 2, "пятницу": 4, "субботу": 5, "понедельникам": 0}
    month = "(?P<mn>" + "|".join(sorted(map(re.escape, months), key=len, reverse=True)) + r")\b\.?"
    day = "(?P<wd>" + "|".join(sorted(map(re.escape, days), key=len, reverse=True)) + r")(?:s\b|\b)"
    upper = re.IGNORECASE

    def read_date(match: re.Match[str]) -> DateMention | None:
        groups = match.groupdict()
        if match["mn"] in ("may", "march", "mar"):
            return None  # "under 16 may not …": the verb
        if not groups.get("d") and not groups.get("y") and _is_plain_word(match):
            return None
        return _date(match, months[_folded(match["mn"])])

    def read_day(match: re.Match[str]) -> DateMention:
        return DateMention(match.start(), match.end(), "weekday", (days[_folded(match["wd"])],))

    suffix = r"(?:st|nd|rd|th|\.|er|-го|º)?"
    year = rf"(?:,?\s(?:de\s|of\s|del\s)?{_YEAR}(?:\s(?:года?|году|г\.))?)"
    return (
        (re.compile(rf"(?<![\d.,]){_DAY}{suffix}\s(?:de\s|of\s)?{month}{year}?", upper), read_date),
        (re.compile(rf"\b{month}\s(?:the\s)?{_DAY}(?:st|nd|rd|th)?\b(?!\s?[%°])(?:,?\s{_YEAR}\b)?", upper), read_date),
        (re.compile(rf"\b{month}{year}", upper), read_date),
        (re.compile(rf"\b{month}", upper), read_date),
        (re.compile(rf"\b{day}", upper), read_day),
        (re.compile(r"(?P<cn>(?:周|星期|礼拜)[一二三四五六日天])|(?P<ja>[月火水木金土日]曜日?)|(?P<ko>[월화수목금토일]요일)"), _ideograph_weekday),
        (
            re.compile(
                rf"(?<![\w.,$€£#/-]){_YEAR}(?![\w/]|[.,]\d|\s?(?:%|°|km\b|m\b|kg\b|g\b|ms\b|mm\b|units?\b|people\b|pages?\b|users?\b|rpm\b|€|euros?\b)|-(?!(?:м|го|й|му|ом|е)\b))"
                r"(?:-(?:м|го|й|му|ом|е)\b)?(?:\s(?:года?|году|гг?\.))?"
            ),
            _bare_year,
        ),
    )  # fmt: skip


def _date(match: re.Match[str], month: int | None = None) -> DateMention | None:
    groups = match.groupdict()
    year, day = groups.get("y"), groups.get("d")
    number = month or (int(groups["m"]) if groups.get("m") else None)
    if (day and not 1 <= int(day) <= 31) or (number and not 1 <= number <= 12):
        return None
    end = match.end() - (1 if match[0].endswith(".") and not month else 0)
    return DateMention(match.start(), end, "date", (int(year) if year else None, number, int(day) if day else None))


def _slashed(match: re.Match[str]) -> DateMention | None:
    a, b, year = int(match["a"]), int(match["b"]), int(match["y"])
    if a > 12:
        return DateMention(match.start(), match.end(), "date", (year, b, a))
    if b > 12:
        return DateMention(match.start(), match.end(), "date", (year, a, b))
    return DateMention(match.start(), match.end(), "date", (year, a if a == b else None, a if a == b else None))


def _time(match: re.Match[str]) -> DateMention | None:
    groups = match.groupdict()
    hour, minute = int(groups["h"]), int(groups.get("min") or 0)
    if groups.get("half"):
        minute = 30
    half_day = (groups.get("ap") or "").lower()
    if groups.get("pm") or half_day.startswith("p"):
        hour = hour % 12 + 12
    elif half_day.startswith("a"):
        hour %= 12
    return DateMention(match.start(), match.end(), "time", (hour, minute)) if hour <= 24 else None


def _worded_time(match: re.Match[str]) -> DateMention | None:
    word = match["w"].lower()
    hour = _HOUR_WORDS.get(word) or (int(word) if word.isdecimal() else 0)
    if not 1 <= hour <= 24:
        return None
    relation = (match.groupdict().get("rel") or "").lower()
    minutes = hour * 60 + {"half past": 30, "quarter past": 15, "quarter to": -15}.get(relation, 0)
    return DateMention(match.start(), match.end(), "time", (minutes // 60, minutes % 60))


def _named_time(match: re.Match[str]) -> DateMention:
    return DateMention(match.start(), match.end(), "time", (12, 0) if match["noon"] else (0, 0))


def _ideograph_weekday(match: re.Match[str]) -> DateMention:
    if match["cn"]:
        number = "一二三四五六日".index(match["cn"][-1].replace("天", "日"))
    elif match["ja"]:
        number = "月火水木金土日".index(match["ja"][0])
    else:
        number = "월화수목금토일".index(match["ko"][0])
    return DateMention(match.start(), match.end(), "weekday", (number,))


def _bare_year(match: re.Match[str]) -> DateMention | None:
    """A year, unless the number names something: ``Dunlin 1400``."""
    if int(match["y"]) < 1600:
        return None
    before = re.search(r"([^\W\d_][\w'-]*)[*_`]?\s$", match.string[max(0, match.start() - 30) : match.start()])
    if before and before[1][0].isupper() and before[1].casefold() not in _BEFORE_YEARS:
        return None
    return DateMention(match.start(), match.end(), "date", (int(match["y"]), None, None))


def _is_plain_word(match: re.Match[str]) -> bool:
    """``may`` and ``march`` are months only with a capital and away from the verb's place."""
    word = match["mn"]
    if word.lower() in ("may", "march", "mar", "mai", "mars", "sept", "set", "jun", "jul", "dec", "jan"):
        before = match.string[: match.start()].rstrip().lower()
        if word.lower() in ("may", "march", "mai", "mars"):
            return word.islower() or not before.endswith(
                (
                    " in",
                    " of",
                    " until",
                    " to",
                    " from",
                    " since",
                    " by",
                    " and",
                    " or",
                    "early",
                    "late",
                    " im",
                    " en",
                    " through",
                    " before",
                    " after",
                    " between",
                    "each",
                )
            )
        return word.islower()
    return word.islower() and word.isascii() and len(word) <= 4


def _folded(name: str) -> str:
    return name.casefold().rstrip(".")
