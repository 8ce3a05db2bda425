"""Parts of a whole are amounts, however they are written."""

from __future__ import annotations

import pytest

from aipk_core.verify import Verdict, VerifiableClaim, Verifier
from aipk_core.verify.analysis import analyse

VERIFIER = Verifier([], judges=[], parse=False)


@pytest.mark.parametrize(
    ("text", "lang", "percent"),
    [
        ("A third of the seats is reserved.", "en", "33.33"),
        ("1/3 of the seats is reserved.", "en", "33.33"),
        ("Two fifths of the seats are taken.", "en", "40.00"),
        ("One in four seats is reserved.", "en", "25.00"),
        ("Three out of five seats are taken.", "en", "60.00"),
        ("The new lamp cuts consumption by half.", "en", "50.00"),
        ("座席の四分の一は予約席である。", "ja", "25.00"),
        ("三分之二的座位已售出。", "zh", "66.67"),
        ("좌석의 4분의 1은 예약석이다.", "ko", "25.00"),
        ("Ein Drittel der Plätze ist reserviert.", "de", "33.33"),
        ("Треть мест занята.", "ru", "33.33"),
        ("Un quart des places est réservé.", "fr", "25.00"),
    ],
)
def test_a_part_of_a_whole_is_read_as_percent(text: str, lang: str, percent: str) -> None:
    assert [(q.key, str(q.value)) for q in analyse(text, lang).quantities] == [("percent", percent)]


@pytest.mark.parametrize(
    "text",
    [
        "A third ship arrived.",
        "It rang at half past ten.",
        "The shop is open 24/7.",
        "Profits fell in the second half of the year.",
        "One in five minutes is too long.",
        "The third quarter of 2021 was weak.",
        "Half an hour is enough.",
    ],
)
def test_what_only_looks_like_a_part_is_none(text: str) -> None:
    assert "percent" not in [quantity.key for quantity in analyse(text).quantities]


@pytest.mark.parametrize(
    ("claim", "sentence", "verdict"),
    [
        ("One in four seats is reserved.", "25% of the seats are reserved.", Verdict.SUPPORTED),
        ("One in four seats is reserved.", "A third of the seats is reserved.", Verdict.CONTRADICTED),
        ("The depot holds 1 204 300 tonnes.", "The depot holds 1,204,300 tonnes.", Verdict.SUPPORTED),
        ("The depot holds 1 204 300 tonnes.", "The depot holds 1,240,300 tonnes.", Verdict.CONTRADICTED),
    ],
)
def test_parts_agree_or_contradict_across_spellings(claim: str, sentence: str, verdict: Verdict) -> None:
    assert VERIFIER.judge(sentence, [VerifiableClaim("c", claim)]).verdict is verdict
