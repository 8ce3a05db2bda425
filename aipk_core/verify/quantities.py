"""Everything in a sentence that counts or measures: numbers with units, percent, money, dates, times, periods, labels.

Two sentences are compared by what their quantities mean, not by how they are written: ``26 m`` and ``26 metres``,
``every six months`` and ``twice a year``, ``half past ten`` and ``10:30``, ``250 ms`` and ``0.25 seconds``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from decimal import Decimal

from aipk_core.text.abbreviations import words as words_of
from aipk_core.verify.dates import CLOCK_WORDS, DATE_WORDS, find_dates
from aipk_core.verify.fractions import find_fractions
from aipk_core.verify.lexicon.stopwords import stopwords
from aipk_core.verify.lexicon.wordnet import wordnet
from aipk_core.verify.measures import Unit, money_before, unit, unit_at
from aipk_core.verify.numerals import NUMBER_WORDS, Numeral, find_numerals, fold_digits
from aipk_core.verify.vocabulary import bare_words, has_digit, lacks


@dataclass(frozen=True, slots=True)
class Quantity:
    """One quantity at ``text[start:end]``.

    Attributes:
        kind: ``measure`` (has a unit), ``count`` (a bare number), ``label`` (a number that names: port 5020, Level 3),
            ``ordinal``, ``version``, ``date``, ``time``, ``weekday``.
        value: in the unit's base; for counts the number itself; ``None`` for dates and versions.
        step: how far rounding may move ``value``.
        key: what makes values of this kind comparable: a dimension, the noun of a label, ``date`` …
        fields: date (year, month, day), time (hour, minute) or version parts; ``None`` where not given.
        bound: ``ge``, ``gt``, ``le``, ``lt`` or ``""``.
        end_of_range: ``low`` or ``high`` when it is one end of a range.
    """

    start: int
    end: int
    text: str
    kind: str
    key: str
    value: Decimal | None = None
    step: Decimal = Decimal(0)
    readings: tuple[Decimal, ...] = ()
    fields: tuple[int | None, ...] = ()
    unit: Unit | None = None
    noun: str = ""
    bound: str = ""
    approximate: bool = False
    end_of_range: str = ""
    periodic: bool = False

    def same_as(self, other: Quantity) -> bool:
        """Whether both say the same value (bounds aside), within what rounding and "about" leave open."""
        if self.fields or other.fields:
            mine, theirs = self.fields, other.fields
            if self.kind == other.kind == "time" and (_of_twelve(self) or _of_twelve(other)):
                mine, theirs = _half_day(mine), _half_day(theirs)
            return self.key == other.key and _fields_agree(mine, theirs, self.kind)
        if self._in_pounds(other) or other._in_pounds(self):
            mine_in_pounds, others_in_pounds = self._pounds(), other._pounds()
            return (
                mine_in_pounds is not None
                and others_in_pounds is not None
                and abs(mine_in_pounds - others_in_pounds) < Decimal("1e-6")
            )
        if self.value is None or other.value is None or not self.comparable(other):
            return False
        return any(self._close(mine, theirs, other) for mine in self._values for theirs in other._values)

    def satisfied_by(self, exact: Quantity) -> bool:
        """Whether this bound ("more than 4") holds for an exact value."""
        if not self.bound or exact.bound or exact.end_of_range or self.value is None or exact.value is None:
            return False
        if not self.comparable(exact) or self.key != exact.key:
            return False
        return {
            "ge": exact.value >= self.value, "gt": exact.value > self.value,
            "le": exact.value <= self.value, "lt": exact.value < self.value,
        }[self.bound]  # fmt: skip

    def comparable(self, other: Quantity) -> bool:
        if self.kind == "measure" or other.kind == "measure":
            return self.kind == other.kind and (
                self.key == other.key or self._in_pounds(other) or other._in_pounds(self)
            )
        return self.kind == other.kind or {self.kind, other.kind} <= {"count", "label", "ordinal"}

    def _in_pounds(self, other: Quantity) -> bool:
        """Whether this says "pounds" without saying which, and the other is money."""
        return bool(self.unit and other.unit) and self.unit.name == "pound" and other.key == "money:GBP"  # type: ignore[union-attr]

    def _pounds(self) -> Decimal | None:
        if self.value is None or self.unit is None:
            return None
        return self.value / self.unit.factor if self.unit.name == "pound" else self.value

    @property
    def _values(self) -> tuple[Decimal, ...]:
        assert self.value is not None
        return (self.value, *self.readings)

    def _close(self, mine: Decimal, theirs: Decimal, other: Quantity) -> bool:
        room = Decimal(0)
        if self.approximate:
            room = max(abs(theirs) * Decimal("0.06"), self.step)
        elif self.unit and other.unit and self.unit.name != other.unit.name:
            room = (
                min(self.step, abs(theirs) * Decimal("0.03"))
                if self.step > other.step
                else abs(theirs) * Decimal("0.0005")
            )
        return abs(mine - theirs) <= room + abs(theirs) * Decimal("1e-9")


def find_quantities(text: str, lang: str = "en", names: Iterable[tuple[int, int]] = ()) -> list[Quantity]:
    """The quantities of ``text`` in order, none overlapping.

    Args:
        names: spans of identifiers and code, in which digits are part of a name.
    """
    plain = fold_digits(text)
    words = bare_words(plain)
    phrased = lang != "en" or not lacks(words, _PHRASE_WORDS)
    if not phrased and not has_digit(plain) and lacks(words, _OTHER_QUANTITIES) and not _CAPITAL_MONTH.search(plain):
        return []
    taken = list(names)
    found: list[Quantity] = []
    for date in find_dates(plain, lang):
        if not _overlaps(date.start, date.end, taken):
            found.append(
                Quantity(date.start, date.end, text[date.start : date.end], date.kind, date.kind, fields=date.fields)
            )
            taken.append((date.start, date.end))
    for match in _VERSION.finditer(plain) if "." in plain else ():
        start, end = match.span("number" if match["number"] else "bare")
        if not _overlaps(start, end, taken):
            parts = tuple(int(part) for part in re.findall(r"\d{1,9}", plain[start:end]))[:6]
            found.append(Quantity(start, end, text[start:end], "version", "version", fields=parts))
            taken.append((start, end))
    shares = [_made(text, start, end, value, "percent") for start, end, value in find_fractions(plain)]
    for quantity in (*(_phrases(plain, text) if phrased else ()), *shares, *_numbers(plain, text, lang, taken)):
        if not _overlaps(quantity.start, quantity.end, taken):
            found.append(quantity)
            taken.append((quantity.start, quantity.end))
    found.sort(key=lambda quantity: quantity.start)
    return [_with_bound(plain, quantity) for quantity in _with_ranges(plain, found)]


_PHRASE_WORDS = words_of(
    """
    single half halbe halbes demi media quarter quarters viertelstunde quart anderthalb minute hour fortnight fifty
    third thirds hourly daily weekly fortnightly monthly quarterly yearly annually annual biannually biennially
    monatlich once twice thrice times occasions second day week month year decade
    """
)
"""One of these stands in every phrase of ASCII letters that ``_phrases`` reads."""
_OTHER_QUANTITIES = NUMBER_WORDS | DATE_WORDS | CLOCK_WORDS
_CAPITAL_MONTH = re.compile(r"\bM(?:ay|AY|ar|AR)")
_VERSION_WORDS = r"version|release|firmware|edition|revision|build|v|ver|ausgabe|версия|версии|버전|バージョン|版本"
_VERSION = re.compile(
    rf"(?<![\w.])(?:(?:{_VERSION_WORDS})s?\.?\s?)(?=\d+\.\d)(?P<number>\d+(?:\.\d+)+)(?!\w)"
    r"|(?<![\w.,])(?=\d+\.\d+\.\d)(?P<bare>\d+(?:\.\d+)+)(?![\w,])",
    re.IGNORECASE,
)
_MINUS = re.compile(r"(?:(?<=[\s(\[≥≤<>=~:])|^)-$")
_MINUS_WORD = re.compile(r"\b(?:minus|negative|moins|menos|минус|영하|零下|マイナス)\s?$", re.IGNORECASE)
_TIME_UNITS = r"second|minute|hour|day|week|fortnight|month|quarter|year|decade"


def _numbers(plain: str, text: str, lang: str, names: list[tuple[int, int]]) -> list[Quantity]:
    found = []
    for numeral in find_numerals(plain, lang):
        start, end = numeral.start, numeral.end
        if _overlaps(start, end, names) or _inside_word(plain, start, end, numeral):
            continue
        found.append(_quantity_of(plain, text, numeral))
    return found


def _quantity_of(plain: str, text: str, numeral: Numeral) -> Quantity:
    start, end = numeral.start, numeral.end
    sign = 1
    if match := _MINUS.search(plain, max(0, start - 2), start):
        sign, start = -1, match.start() if plain[match.start()] == "-" else start - 1
    elif match := _MINUS_WORD.search(plain[:start]):
        sign, start = -1, match.start()
    value = numeral.value * sign
    readings = tuple(reading * sign for reading in numeral.readings)
    if money := money_before(plain, start):
        measure, start = money
        value, end = _scaled_money(plain, end, value)
        if sign == 1 and (match := _MINUS.search(plain, max(0, start - 2), start)):
            # "-£2.3 million": the sign stands before the currency
            value, readings = -value, tuple(-reading for reading in readings)
            start = match.start() if plain[match.start()] == "-" else start - 1
        return _measure(plain, text, start, end, value, numeral, readings, measure)
    at = end
    while at < len(plain) and plain[at] in " -\u00a0" and at - end < 2:
        at += 1
    if more := _FURTHER.match(plain, end):
        at = more.end()  # "two full days"
    if (hit := unit_at(plain, at)) and not _is_plural_clash(plain, at, hit[1], end):
        measure, unit_end = hit
        return _measure(plain, text, start, unit_end, value, numeral, readings, measure)
    ordinal_end = _ORDINAL_END.match(plain, end)
    if numeral.ordinal or (ordinal_end and not numeral.in_words):
        end = max(end, ordinal_end.end() if ordinal_end else end)
        return Quantity(start, end, text[start:end], "ordinal", "ordinal", value, noun=_noun_after(plain, end))
    label = _LABEL_BEFORE.search(plain[max(0, start - 40) : start])
    if (
        label
        and not numeral.in_words
        and (label["word"] or "第").casefold() not in _NOT_LABELS
        and plain[end : end + 1] != "+"
        and not _counts_things(plain, label, end)
    ):
        noun = (label["word"] or "第").casefold()
        return Quantity(start, end, text[start:end], "label", "number", value, Decimal(0), readings, noun=noun)
    return Quantity(
        start, end, text[start:end], "count", "number", value, numeral.step, readings, noun=_noun_after(plain, end)
    )


_FURTHER = re.compile(r"\s(?:full|whole|further|additional|extra|consecutive|more|complete|successive|straight)\s")


def _measure(
    plain: str,
    text: str,
    start: int,
    end: int,
    value: Decimal,
    numeral: Numeral,
    readings: tuple[Decimal, ...],
    measure: Unit,
) -> Quantity:
    periodic = bool(_EVERY_BEFORE.search(plain[:start])) and measure.dimension == "[time]"
    return Quantity(
        start, end, text[start:end], "measure", measure.dimension,
        value * measure.factor + measure.offset, numeral.step * measure.factor,
        tuple(reading * measure.factor + measure.offset for reading in readings), unit=measure, periodic=periodic,
    )  # fmt: skip


_EVERY_BEFORE = re.compile(
    r"\b(?:every|each|per|alle|jede[nrs]?|tous les|toutes les|cada|каждые|каждый|раз в)\s$", re.IGNORECASE
)
_ORDINAL_END = re.compile(r"(?:st|nd|rd|th)\b|(?:-?(?:й|я|е|го|му|м|ой|ая|ое)\b)|번째|位|番目")
_LABEL_BEFORE = re.compile(r"(?P<word>[A-Za-zÀ-ÿА-я][\wÀ-ÿА-я'-]*|№|#|№)\.?[*_`\"]?\s?$|(?P<cjk>第)$")
_NOT_LABELS = (frozenset().union(*map(stopwords, ("de", "fr", "es", "ru"))) - stopwords("en")) | words_of(
    """
    es gibt hat haben besitzt umfasst zählt kostet the a an at to of in by for from with than and or but is are was
    were be has have had about around only least most up over under above below until within after before between
    every each all any some no nor not exactly approximately approx roughly nearly almost takes take lasts last
    costs cost holds hold reaches reach exceeds exceed exceeding to carries carry weighs weigh contains contain
    needs need uses use runs run employs employ delivered delivers lost served serves makes make yields yield add
    bake cook simmer boil rest chill these those which that this its their of whose must may can should will would
    another further additional extra first last next other per plus minus und oder mit von für bis alle jede
    mindestens höchstens rund etwa über unter nach vor den der die das ein eine auf et ou de du des le la les à au
    aux en pour par avec dans sur y o el los las un una con por hasta cada и или в на с до от по за для из каждые не
    более менее около через длится занимает составляет при к us just even also well be been being fewer more less
    between as on off into onto where when while if it they we you
    """
)
_NUMBERED = re.compile(
    r"room|step|port|page|figure|chapter|item|number|no|rule|article|table|bus|flight|channel|question|day|"
    r"week|size|level|class|line|route|gate|platform|track|section|part|stage|phase|unit|building|hall|"
    r"lane|house|bay|block|form|model|version|grade|type|zone|group|tier|screen|slot|bed|box|shelf|seat|"
    r"row|door|court|plot|point"
)
_THINGS = re.compile(r"\s(?P<noun>[a-z]{3,}s)\b(?!\s(?:a|an|the|its|their|all|any)\b)")


def _counts_things(plain: str, label: re.Match[str], end: int) -> bool:
    """``climb 148 steps``: a verb before and a plural after, so nothing here is called 148."""
    before = label["word"] or ""
    if not before.islower() or not before.isascii() or _NUMBERED.fullmatch(before):
        return False
    noun = _THINGS.match(plain, end)
    return noun is not None and wordnet().nominal(noun["noun"])


_NOUN = re.compile(
    r"[\s-]*(?:(?:separate|further|additional|more|other|new|different|full|whole|large|small|of the|of its|of their|of our|of his|of her|of your|of my|of these|of those|of|such|consecutive)\s+)*(?P<noun>[A-Za-zÀ-ÿА-я][A-Za-zÀ-ÿА-я'-]+)"
)


def _noun_after(plain: str, end: int) -> str:
    match = _NOUN.match(plain, end)
    if match and match["noun"].casefold() not in _NOT_LABELS:
        return match["noun"].casefold()
    return _cjk_noun(plain, end)


def _cjk_noun(plain: str, end: int) -> str:
    after = plain[end : end + 3].lstrip()
    return after[:1] if after and not after[0].isascii() else ""


def _scaled_money(plain: str, end: int, value: Decimal) -> tuple[Decimal, int]:
    match = re.compile(r"(m|mn|b|bn)\b", re.IGNORECASE).match(plain, end)
    if not match:
        return value, end
    return value * (10**6 if match[1].lower() in ("m", "mn") else 10**9), match.end()


def _is_plural_clash(plain: str, at: int, unit_end: int, number_end: int) -> bool:
    """``5 second-hand parts``, ``in 3 degrees of freedom``: a word that is a unit elsewhere."""
    return plain[unit_end : unit_end + 5] == "-hand" or (
        plain[at:unit_end] in ("min", "bar") and plain[unit_end : unit_end + 2] == ". "
    )


def _inside_word(plain: str, start: int, end: int, numeral: Numeral) -> bool:
    if numeral.in_words:
        return False
    before = plain[start - 1] if start else " "
    return (before.isalpha() and before.isascii()) or before == "_"


_PHRASES: list[tuple[re.Pattern[str], str, str]] = []


def _phrase(pattern: str, amount: str, unit_name: str) -> None:
    _PHRASES.append((re.compile(pattern, re.IGNORECASE), amount, unit_name))


_phrase(
    r"\bhalf an hour\b|\bhalbe Stunde\b|\bполчаса\b|半小时|半時間|반\s?시간|\bdemi-heure\b|\bmedia hora\b",
    "0.5",
    "hour",
)
_phrase(
    r"\ba quarter of an hour\b|\bquarter-hour\b|\bViertelstunde\b|\bun quart d'heure\b|\bчетверть часа\b|一刻钟",
    "0.25",
    "hour",
)
_phrase(r"\bthree quarters of an hour\b", "0.75", "hour")
_phrase(r"\bone and a half hours\b|\banderthalb Stunden\b|\bполтора часа\b", "1.5", "hour")
_phrase(r"\bhalf a minute\b", "0.5", "minute")
_phrase(r"\bhalf a day\b", "0.5", "day")
_phrase(r"\bhalf a year\b|\bhalbes Jahr\b|\bполгода\b|半年|반년", "0.5", "year")
_phrase(r"\bполтора года\b", "1.5", "year")
_phrase(r"\ba fortnight\b", "1", "fortnight")
_phrase(r"\bfifty-fifty\b|\bhälfte\b|\bполовин[аы]\b|一半|절반|半数", "50", "percent")
_AND_PART = re.compile(
    r"\b(?P<count>an?|one|two|three|four|five|six|\d{1,3}) (?P<unit>[a-z]+) and (?P<part>a half|a quarter|three[ -]quarters|a third)\b",
    re.IGNORECASE,
)
_PARTS = {"half": Decimal("0.5"), "quarter": Decimal("0.25"), "quarters": Decimal("0.75"), "third": Decimal(1) / 3}
_SINGLE = re.compile(r"\b(?:(?:a|one|each) )?single (?P<unit>[a-z]+)\b", re.IGNORECASE)
_PERIODS = {
    "hourly": ("1", "hour"), "daily": ("1", "day"), "weekly": ("1", "week"), "fortnightly": ("2", "week"),
    "monthly": ("1", "month"), "quarterly": ("3", "month"), "yearly": ("1", "year"), "annually": ("1", "year"),
    "annual": ("1", "year"), "biannually": ("6", "month"), "half-yearly": ("6", "month"), "biennially": ("2", "year"),
    "täglich": ("1", "day"), "wöchentlich": ("1", "week"), "monatlich": ("1", "month"), "jährlich": ("1", "year"),
    "매일": ("1", "day"), "매주": ("1", "week"), "매월": ("1", "month"), "매달": ("1", "month"), "매년": ("1", "year"),
    "每天": ("1", "day"), "每日": ("1", "day"), "毎日": ("1", "day"), "每周": ("1", "week"), "毎週": ("1", "week"),
    "每月": ("1", "month"), "毎月": ("1", "month"), "每年": ("1", "year"), "毎年": ("1", "year"),
    "ежедневно": ("1", "day"), "еженедельно": ("1", "week"), "ежемесячно": ("1", "month"), "ежегодно": ("1", "year"),
}  # fmt: skip
_PERIOD_WORD = re.compile(
    r"\b(" + "|".join(word for word in _PERIODS if word[0] < "\u3040") + r")\b|("
    + "|".join(word for word in _PERIODS if word[0] >= "\u3040") + r")(?![^。,，.]{0,10}[次回번회])", re.IGNORECASE,
)  # fmt: skip
_EVERY_ONE = re.compile(rf"\b(?:every|each)(?P<other> other| second)? (?P<unit>{_TIME_UNITS})\b", re.IGNORECASE)
_ONE_OF = re.compile(
    rf"\b(?:within|after|in|for|than|lasts?|takes?|until|under|over|about|stopped for|least|most) (?P<whole>an? (?P<b>(?!quarter|second\s[a-z]){_TIME_UNITS}))\b(?! and a half)",
    re.IGNORECASE,
)
_TIMES_PER = re.compile(
    r"\b(?P<count>once|twice|thrice|[a-z]+ times|\d+ times|on (?P<occasions>[a-z]+|\d+) occasions)(?: (?:an?|per|each|every|in every) (?P<unit>"
    + _TIME_UNITS
    + r"))?\b",
    re.IGNORECASE,
)
_RATE = re.compile(
    rf"(?:%|\bper ?cent|\d)\s(?:interest\s)?(?P<whole>(?:an?|per) (?P<unit>{_TIME_UNITS}))\b", re.IGNORECASE
)
_DAY_BEFORE = re.compile(
    rf"\b(?P<whole>an? (?P<unit>{_TIME_UNITS})) (?:before|after|later|earlier|in advance|ahead|ago|beforehand)\b",
    re.IGNORECASE,
)
_ONCE_ONLY = re.compile(
    r"(?<!at )(?<!for )once(?=\s*(?:[.;)]|$|and\b|only\b|or twice\b|before\b|after\b|more\b))", re.IGNORECASE
)
_TIMES = {"once": 1, "twice": 2, "thrice": 3}


def _phrases(plain: str, text: str) -> list[Quantity]:
    found = []
    for pattern, amount, unit_name in _PHRASES:
        for match in pattern.finditer(plain):
            found.append(_made(text, match.start(), match.end(), Decimal(amount), unit_name))
    for match in _AND_PART.finditer(plain):
        if (hit := unit_at(plain, match.start("unit"))) and hit[1] == match.end("unit"):
            whole = Decimal(1) if match["count"].lower() in ("a", "an") else Decimal(_count_of(match["count"]))
            value = (whole + _PARTS[re.split(r"[ -]", match["part"].lower())[-1]]) * hit[0].factor + hit[0].offset
            found.append(
                Quantity(match.start(), match.end(), match[0], "measure", hit[0].dimension, value, unit=hit[0])
            )
    for match in _SINGLE.finditer(plain):
        if (hit := unit_at(plain, match.start("unit"))) and hit[1] == match.end("unit"):
            value = hit[0].factor + hit[0].offset
            found.append(
                Quantity(match.start(), match.end(), match[0], "measure", hit[0].dimension, value, unit=hit[0])
            )
    for match in _PERIOD_WORD.finditer(plain):
        amount, unit_name = _PERIODS[match[0].lower()]
        found.append(replace(_made(text, match.start(), match.end(), Decimal(amount), unit_name), periodic=True))
    for match in _TIMES_PER.finditer(plain):
        if match["count"].lower() == "once" and not match["unit"] and not _ONCE_ONLY.match(plain, match.start()):
            continue  # "as soon as", more often than a number
        count = _TIMES.get(match["count"].lower()) or _count_of(match["occasions"] or match["count"].split()[0])
        if not count:
            continue
        if match["unit"]:
            quantity = _made(text, match.start(), match.end(), Decimal(1) / count, match["unit"].lower())
            found.append(replace(quantity, periodic=True))
        else:
            found.append(
                Quantity(match.start(), match.end(), match[0], "count", "number", Decimal(count), noun="times")
            )
    for match in _EVERY_ONE.finditer(plain):
        amount_of = Decimal(2 if match["other"] else 1)
        found.append(replace(_made(text, match.start(), match.end(), amount_of, match["unit"].lower()), periodic=True))
    for pattern, periodic in ((_RATE, True), (_DAY_BEFORE, False)):
        for match in pattern.finditer(plain):
            made = _made(text, *match.span("whole"), Decimal(1), match["unit"].lower())
            found.append(replace(made, periodic=periodic))
    for match in _ONE_OF.finditer(plain):
        start, end = match.span("whole")
        found.append(_made(text, start, end, Decimal(1), match["b"].lower()))
    return found


def _count_of(word: str) -> int:
    numerals = find_numerals(word)
    return int(numerals[0].value) if numerals and numerals[0].value < 10**6 else 0


def _made(text: str, start: int, end: int, amount: Decimal, unit_name: str) -> Quantity:
    if unit_name == "quarter":
        amount, unit_name = amount * 3, "month"
    measure = unit(unit_name)
    return Quantity(start, end, text[start:end], "measure", measure.dimension, amount * measure.factor, unit=measure)


_JOINER = re.compile(
    r"\s*(?:-|–|—|~|〜|～|to|and|bis|à|a|y|et|und|до|и|至|到|から|から|부터|에서|,|through|up to)\s*(?:minus\s)?-?\s*",
    re.IGNORECASE,
)


def _with_ranges(plain: str, quantities: list[Quantity]) -> list[Quantity]:
    """Two ends of a range share the unit that stands after the second, and know which end they are."""
    out = list(quantities)
    for i in range(len(out) - 1):
        low, high = out[i], out[i + 1]
        between = plain[low.end : high.start]
        if len(between) > 14 or (not _JOINER.fullmatch(between) and not (between == "" and high.text.startswith("-"))):
            continue
        joined_by_and = re.fullmatch(r"\s*(?:and|und|et|y|и)\s*", between, re.IGNORECASE)
        if joined_by_and and not re.search(
            r"\b(?:between|zwischen|entre|между)\b[^,;]{0,20}$", plain[: low.start], re.IGNORECASE
        ):
            continue
        if "," in between:
            continue
        if high.kind == "measure" and low.kind in ("count", "label") and high.unit and low.value is not None:
            low = replace(
                low, kind="measure", key=high.key, unit=high.unit, value=low.value * high.unit.factor + high.unit.offset,
                step=low.step * high.unit.factor, readings=(), noun="",
            )  # fmt: skip
        if high.value is not None and high.unit and between in ("-", "") and high.text.startswith("-"):
            plus = (high.value - high.unit.offset) * -1 + high.unit.offset
            high = replace(high, value=plus, text=high.text[1:], start=high.start + 1)
        if low.comparable(high):
            out[i], out[i + 1] = replace(low, end_of_range="low"), replace(high, end_of_range="high")
    return out


_BOUNDS_BEFORE: list[tuple[re.Pattern[str], str]] = [
    (re.compile(rf"(?:{words})(?:\s+(?:a|an|the|another|about|some|of|only|total of|(?:the )?ages? of|age|aged))?\s*[*_(]?$", re.IGNORECASE), bound)
    for words, bound in (
        (r"\b(?:no|not|never|n't)\s+(?:\w+\s+)?(?:more|longer|greater|higher|later|over|above|further|larger|heavier|older) than|\bnot? (?:to )?exceed(?:s|ing)?|\bno[tr]? (?:be )?(?:above|over|after)|\bcannot exceed|\bnever exceeds?|\bneither[\w\s]{1,30}exceeds|\bnothing (?:over|above)|\bnicht mehr als|\bне более(?: чем)?|\bне больше|\bne dépasse pas|\bno más de|\bpas plus de", "le"),
        (r"\b(?:no|not|never|n't)\s+(?:\w+\s+)?(?:less|fewer|shorter|lower|earlier|smaller|younger|under|below) than|\bno (?:be )?(?:below|under)|\bnever (?:falls?|drops?|goes) below|\bnot (?:fall|drop|go) below|\bnicht weniger als|\bне менее(?: чем)?|\bне меньше|\bno menos de|\bpas moins de", "ge"),
        (r"\bat least|\bat the least|\bminimum(?: of)?|\bminimum \w+ (?:is|of)|\bmin\.?|\bnot before|\bmindestens|\bwenigstens|\bau moins|\bpor lo menos|\bal menos|\bминимум|\bas (?:little|few) as|\b(?:minimum|lower limit|floor)\b[^.,;]{0,30}\b(?:is|of|at)|≥|>=|至少|最少|不少于|不低于|최소|最低|少なくとも", "ge"),
        (r"\bat most|\bat the most|\bup to|\bmax(?:imum|\.)?(?: of)?|\bmaximum \w+ (?:is|of)|\bwithin|\binside|\bcapped at|\blimited to|\bas (?:many|much|late|long) as|\b(?:upper limit|limit|maximum|ceiling)\b[^.,;]{0,36}\b(?:is|of|at)(?: set at)?|\bno later than|\buntil|\bby no later|\bhöchstens|\bmaximal|\binnerhalb(?: von)?|\bau plus|\bau maximum|\bcomo máximo|\bmáximo|\bмаксимум|\bдо|\bв течение|\bне позднее|≤|<=|最多|至多|不超过|不得超过|최대|最大|最長|多くとも", "le"),
        (r"\b(?:more|longer|greater|higher|later|larger|heavier|older|farther|further|taller) than|\babove|\bover|\bexceed(?:s|ing)?|\bin excess of|\bbeyond|\bmehr als|\büber|\bplus de|\bmás de|\bболее(?: чем)?|\bбольше|\bсвыше|(?<![<=])>|超过|超出", "gt"),
        (r"\b(?:less|fewer|shorter|lower|earlier|smaller|lighter|younger|closer) than|\bbelow|\bunder|\bweniger als|\bunter|\bmoins de|\bmenos de|\bменее(?: чем)?|\bменьше|(?<![>=-])<|少于|低于|不到|不足", "lt"),
    )
]  # fmt: skip
_BOUNDS_AFTER: list[tuple[re.Pattern[str], str]] = [
    # "20 GB or more" and "20 GB of log or more"
    (re.compile(rf"\s*\)?(?: of(?: the)? \w+)?\s*(?:{words})", re.IGNORECASE), bound)
    for words, bound in (
        (r"\+|(?:\w+ )?or (?:more|longer|above|over|older|greater|higher|later|newer|up)\b|and (?:above|over|older|up|more|newer)\b|at (?:the )?(?:least|minimum)\b|oder mehr\b|ou plus\b|o más\b|и более\b|以上|이상|minimum\b", "ge"),
        (r"(?:\w+ )?or (?:less|fewer|below|under|younger|lower|shorter|earlier|older|sooner)\b|and (?:below|under|earlier)\b|at (?:the )?most\b|oder weniger\b|ou moins\b|o menos\b|и менее\b|以下|이하|以内|이내|max(?:imum)?\b|at (?:the )?maximum\b", "le"),
        (r"초과|を超え|を越え", "gt"),
        (r"미만|未満|未满|보다 (?:적|작|짧)", "lt"),
    )
]  # fmt: skip
_LATEST = re.compile(r"\b(?:no|not) later than(?: the)?\s*$", re.IGNORECASE)
_AHEAD = re.compile(r"\s(?:before|prior to|ahead of|in advance|beforehand)\b", re.IGNORECASE)
_NEGATED_BEFORE = re.compile(
    r"\b(?:no|not|never|nobody|none|neither|cannot|nothing|n't|kein\w*|nicht|не|нельзя)\b[^,;.:]*$", re.IGNORECASE
)
_ABOUT = re.compile(
    r"(?:\b(?:about|around|approx(?:\.|imately)?|roughly|nearly|almost|some|circa|ca\.?|c\.|just (?:over|under)|close to|"
    r"somewhere (?:around|near)|etwa|rund|ungefähr|knapp|environ|près de|unos|unas|aproximadamente|около|примерно|почти)|~|≈|约|大约|約|およそ|약)\s*$",
    re.IGNORECASE,
)
_ABOUT_AFTER = re.compile(r"\s*(?:or so|or thereabouts|左右|程度|정도|쯤)", re.IGNORECASE)


def _with_bound(plain: str, quantity: Quantity) -> Quantity:
    if quantity.kind in ("label", "ordinal", "version"):
        return quantity
    before = plain[max(0, quantity.start - 48) : quantity.start]
    bound = next((name for pattern, name in _BOUNDS_BEFORE if pattern.search(before)), "")
    if not bound and quantity.end_of_range != "low":
        bound = next((name for pattern, name in _BOUNDS_AFTER if pattern.match(plain, quantity.end)), "")
    if quantity.end_of_range and bound == "le" and re.search(r"\b(?:до|until)\s*$", before):
        bound = ""
    if bound == "le" and _LATEST.search(before) and _AHEAD.match(plain, quantity.end):
        bound = "ge"  # "no later than ten days before": ten days or more
    if bound in ("gt", "lt") and _NEGATED_BEFORE.search(before):
        bound = "le" if bound == "gt" else "ge"
    approximate = bool(_ABOUT.search(before) or _ABOUT_AFTER.match(plain, quantity.end))
    return replace(quantity, bound=bound, approximate=approximate)


def _of_twelve(time: Quantity) -> bool:
    """``half past four``, ``four o'clock``: morning or afternoon is left open."""
    return not any(mark in time.text.casefold() for mark in ":.0123456789") or "o'clock" in time.text.casefold()


def _half_day(fields: tuple[int | None, ...]) -> tuple[int | None, ...]:
    return (fields[0] % 12 if fields[0] is not None else None, *fields[1:])


def _fields_agree(mine: tuple[int | None, ...], theirs: tuple[int | None, ...], kind: str) -> bool:
    if kind == "version":
        return mine == theirs or (tuple(mine) == tuple(theirs)[: len(mine)] and len(mine) > 1)
    return all(a is None or b is None or a == b for a, b in zip(mine, theirs, strict=False)) and any(
        a is not None and a == b for a, b in zip(mine, theirs, strict=False)
    )


def _overlaps(start: int, end: int, spans: Iterable[tuple[int, int]]) -> bool:
    return any(start < other_end and other_start < end for other_start, other_end in spans)
