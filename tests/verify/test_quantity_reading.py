"""Numbers, units, dates and bounds, compared by what they mean."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aipk_core.verify.numerals import find_numerals
from aipk_core.verify.quantities import Quantity, find_quantities


def only(text: str, lang: str = "en") -> Quantity:
    (quantity,) = find_quantities(text, lang)
    return quantity


SAME = [
    ("26 m", "26 metres"), ("180 t", "180,000 kg"), ("1.4 MW", "1,400 kW"), ("250 ms", "0.25 seconds"), ("48 months", "four years"),
    ("72 hours", "three days"), ("90 seconds", "a minute and a half"), ("half an hour", "30 minutes"), ("28 days", "4 weeks"),
    ("every 6 months", "twice a year"), ("every three months", "quarterly"), ("14 days", "a fortnight"), ("40%", "forty percent"),
    ("€2,150,000", "€2.15 million"), ("10:30", "half past ten"), ("4:12 a.m.", "04:12"), ("28 January 2023", "2023-01-28"),
    ("7 May 2021", "May 7th, 2021"), ("minus 3 degrees", "-3°"), ("6 ½ cups", "6.5 cups"), ("３０ kg", "30 kg"), ("٣٠ kg", "30 kg"),
    ("twenty-two knots", "22 knots"), ("1 km", "1,000 m"),
]  # fmt: skip
DIFFERENT = [
    ("12 m/s", "12 knots"), ("-5 °C", "5 °C"), ("94 t", "49 t"), ("6 months", "6 weeks"), ("3,400 m", "340 m"), ("8%", "18%"),
    ("28 January 2023", "18 January 2023"), ("1.4 MW", "4.1 MW"), ("firmware 4.2.1", "firmware 4.1.2"), ("€5", "$5"),
]  # fmt: skip


@pytest.mark.parametrize(("one", "other"), SAME)
def test_different_ways_to_write_the_same(one: str, other: str) -> None:
    assert only(one).same_as(only(other))


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_small_differences_count(one: str, other: str) -> None:
    assert not only(one).same_as(only(other))


@pytest.mark.parametrize(
    ("text", "lang", "other"),
    [
        ("3.400 m", "de", "3,4 km"),
        ("zweiundzwanzig Tage", "de", "22 Tage"),
        ("каждые 6 месяцев", "ru", "раз в полгода"),
        ("八十一パーセント", "ja", "81%"),
        ("4週間", "ja", "28日間"),
        ("1만 2천 명", "ko", "12000명"),
        ("2023년 1월 28일", "ko", "2023-01-28"),
        ("14小时", "zh", "14 小时"),
    ],
)
def test_other_languages(text: str, lang: str, other: str) -> None:
    assert find_quantities(text, lang)[0].same_as(find_quantities(other, lang)[0])


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        ("at least 6 valves", "ge"), ("6 valves or more", "ge"), ("up to 8 people", "le"), ("must not exceed 8 people", "le"),
        ("no more than 8 people", "le"), ("more than 50 L", "gt"), ("less than 5 L", "lt"), ("within 24 hours", "le"),
        ("never falls below 95%", "ge"), ("nobody may work more than 14 hours", "le"), ("8 people", ""), ("10+ turbines", "ge"),
    ],
)  # fmt: skip
def test_bounds(text: str, bound: str) -> None:
    assert only(text).bound == bound


def test_both_ends_of_a_range_have_the_unit() -> None:
    low, high = find_quantities("21–28 days")
    assert (low.end_of_range, high.end_of_range) == ("low", "high")
    assert low.key == high.key == "[time]"


def test_about_leaves_room() -> None:
    assert only("about 40%").same_as(only("41%"))
    assert not only("40%").same_as(only("41%"))


def test_a_bound_holds_for_an_exact_value() -> None:
    assert only("more than 100,000 copies").satisfied_by(only("757,000 copies"))
    assert not only("more than 100,000 copies").satisfied_by(only("90,000 copies"))


@given(st.integers(min_value=0, max_value=10**9))
def test_separators_do_not_matter(number: int) -> None:
    (plain,), (grouped,) = find_numerals(f"{number} x"), find_numerals(f"{number:,} x")
    assert plain.value == grouped.value == Decimal(number)


@given(st.text(max_size=80))
def test_any_text_is_read_without_error(text: str) -> None:
    for quantity in find_quantities(text):
        assert 0 <= quantity.start < quantity.end <= len(text)
