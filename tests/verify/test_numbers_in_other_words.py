"""Numbers that a statement gives in other words than the claim: equal ones agree, others contradict."""

from __future__ import annotations

import pytest

from aipk_core.verify.analysis import analyse
from aipk_core.verify.rules import RuleJudgement, judge_by_rules

Pair = tuple[str, str]


def judged(claim: str, sentence: str, lang: str = "en") -> RuleJudgement:
    return judge_by_rules(analyse(sentence, lang), [analyse(part, lang) for part in claim.split(" // ")])


def assert_lie(pair: Pair, lang: str = "en") -> None:
    judgement = judged(*pair, lang)
    assert judgement.contradicted, judgement.findings


def assert_true(pair: Pair, lang: str = "en") -> None:
    judgement = judged(*pair, lang)
    assert not [f for f in judgement.findings if f.contradicts or (f.check == "quantity" and f.unsupported)]


NUMBER_LIES: list[Pair] = [
    (
        "Each hive is opened once a week and the frames are turned twice.",
        "The frames of a hive are turned three times.",
    ),
    ("You may swap a plot once.", "Gardeners get two swaps of a plot."),
    ("The brewery has given us four barrels.", "Five of our barrels come from the brewery."),
    ("The path has 240 steps and no handrail.", "Visitors climb 420 steps on the path."),
    ("How many jars can a member take? Up to 6 a day.", "A member can take a dozen jars a day."),
    ("Seedlings are kept at 12 to 18 °C.", "Seedlings like a place of 10 to 18 °C."),
    ("The course is for ages 6 to 10.", "The course is meant for children from 6 to 12."),
    ("The upper limit for a basket is 2,500 apples.", "A basket may hold as many as 25,000 apples."),
    ("A lost token costs you 80p.", "Lose your token and the token costs £80."),
    ("The dose is 250 micrograms of the tonic.", "The dose is 250 mg of the tonic."),
]
NUMBER_TRUTHS: list[Pair] = [
    ("The tasting takes 75 minutes.", "The tasting lasts an hour and a quarter."),
    ("The walk is 2.5 miles long.", "The walk is two miles and a half long."),
    ("The dose of the tonic is 1.5 mg.", "The tonic is dosed at 1,500 micrograms."),
    ("The orchard was sold for a single pound.", "The orchard changed hands for £1."),
    ("A bag costs 50p.", "A bag costs £0.50."),
    ("Gates close at 16:30.", "Gates close at half past four."),
    ("The kitchen seats 30. // The yard seats another 24.", "Kitchen and yard together seat 54."),
    ("Entry costs £5. // The tour costs £3 on top.", "Entry and tour come to £8 altogether."),
    ("The pond is covered for two full days.", "The pond is covered for 48 hours."),
    ("The hall seats 30 and room 148 houses the archive.", "Room 148 houses the archive."),
]


@pytest.mark.parametrize("pair", NUMBER_LIES)
def test_another_number_in_other_words_is_a_lie(pair: Pair) -> None:
    assert_lie(pair)


@pytest.mark.parametrize("pair", NUMBER_TRUTHS)
def test_the_same_number_in_other_words_is_no_lie(pair: Pair) -> None:
    assert_true(pair)


@pytest.mark.parametrize(
    ("lang", "claim", "truth"),
    [
        ("ko", "창고에는 만 오천 권의 책이 있다.", "창고에 있는 책은 15,000권이다."),
        ("ko", "회원은 삼백이십 명이다.", "회원은 320명이다."),
        ("ru", "Сад заложили в 1907 году.", "Сад заложен в 1907-м."),
        ("zh", "泵的型号是PX-40。", "请选用型号为PX-40的泵。"),
    ],
)
def test_numbers_written_otherwise_in_other_languages(lang: str, claim: str, truth: str) -> None:
    assert_true((claim, truth), lang)


def test_a_sum_that_is_wrong_is_not_supported() -> None:
    judgement = judged("Entry costs £5. // The tour costs £3 on top.", "Entry and tour come to £9 altogether.")
    assert any(f.check == "quantity" for f in judgement.findings)
