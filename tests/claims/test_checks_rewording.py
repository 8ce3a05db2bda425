"""Texts in other words than their source: what they add, drop or change is found; a faithful one passes."""

import pytest

from aipk_core.claims.checks import BLOCKING, CHECKS, Statement, blocking_failure, run_checks
from aipk_core.claims.model import Check


def failed(text, *quotes, **more):
    return {check.name for check in run_checks(Statement(text, quotes, **more)) if not check.passed}


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("The mast weighs 4.6 kg in winter.", "In winter, the mast weighs 4.6 kg."),
        ("First-aid kits are checked every 90 days.", "First-aid kits are checked every 90 days, at night."),
        (
            "Work on a bridge pier stops when wind exceeds 14 m/s.",
            "Work on a bridge pier stops when the wind exceeds 14 m/s.",
        ),
    ],
)
def test_a_faithful_text_may_fail_but_only_for_its_wording(text, quote):
    assert failed(text, quote) <= {"exact-quote", "wording"}


def test_articles_and_breaks_do_not_matter():
    assert failed(
        "Work on a bridge pier stops when wind exceeds 14 m/s.",
        "Work on a bridge pier stops when the wind exceeds 14 m/s.",
    ) == {"exact-quote"}


@pytest.mark.parametrize(
    ("text", "quote", "check"),
    [
        ("The gauge weighs over 4.6 kg.", "The gauge weighs 4.6 kg.", "numbers"),
        ("The gauge weighs 4.6 lb.", "The gauge weighs 4.6 kg.", "numbers"),
        ("It was founded on 2 May 2026.", "It was founded on 1 May 2026.", "numbers"),
        ("Ilse Brandvold founded the company.", "Marit Osei founded the company.", "names"),
        ("Staff must report by radio.", "Staff may report by radio.", "modality"),
        ("Staff report by radio.", "Staff may report by radio.", "modality"),
        ("All gauges are tested in rain.", "Most gauges are tested in rain.", "quantifiers"),
        ("Staff may lower a level.", "Only staff may lower a level.", "quantifiers"),
        ("Nobody may restart a gauge.", "Nobody may restart a gauge unless its memory has been copied.", "conditions"),
        ("Damage by lightning is covered.", "Damage by lightning is not covered.", "polarity"),
        ("The customer telephones the forecaster.", "The forecaster telephones the customer.", "wording"),
        ("The gauge is blue and heavy.", "The gauge is blue.", "wording"),
        ("The warranty lasts long.", "The warranty on a Heron gauge in northern Europe lasts long.", "wording"),
        ("It stops at 30 percent of wind.", "It stops at 30 kg of wind.", "numbers"),
        ("Das Gerät wiegt 5 kg.", "Das Gerät wiegt 4 kg.", "numbers"),
        ("Alle Geräte sind dicht.", "Einige Geräte sind dicht.", "quantifiers"),
        ("Das Gerät kann repariert werden.", "Das Gerät muss repariert werden.", "modality"),
        ("Все приборы проверены.", "Некоторые приборы проверены.", "quantifiers"),
        ("所有设备都经过测试。", "部分设备经过测试。", "quantifiers"),
        ("すべての機器は検査済みです。", "一部の機器は検査済みです。", "quantifiers"),
        ("모든 장치는 검사된다.", "일부 장치는 검사된다.", "quantifiers"),
    ],
)  # fmt: skip
def test_a_change_of_meaning_is_found_by_its_check(text, quote, check):
    lang = "en" if text.isascii() else {"D": "de", "A": "de", "В": "ru", "所": "zh", "す": "ja", "모": "ko"}[text[0]]
    assert check in failed(text, quote, lang=lang)


def test_a_language_that_the_checks_do_not_cover_is_named():
    checks = run_checks(Statement("เครื่องหนัก 4 กก", ("เครื่องหนัก 4 กก มาก",), lang="th"))
    reasons = {check.name: check.reason for check in checks if not check.passed}
    assert "not checked in the language 'th'" in reasons["polarity"]


def test_a_quote_passes_in_every_language():
    assert failed("เครื่องหนัก 4 กก", "เครื่องหนัก 4 กก", lang="th") == set()


def test_words_of_the_headings_may_stand_in_for_it():
    assert failed("The gauge is fastened with four bolts.", "It is fastened with four bolts.", context=("Gauge",)) == {
        "exact-quote"
    }


def test_some_failures_bind_every_policy():
    assert set(CHECKS) >= BLOCKING
    assert blocking_failure([Check("exact-quote", False, "x"), Check("numbers", True)]) is None
    assert blocking_failure([Check("numbers", False, "x")]) == Check("numbers", False, "x")


def test_no_policy_promotes_a_claim_that_may_say_something_else_than_its_source(tmp_path):
    from aipk_core.claims.ledger import read_ledger
    from aipk_core.claims.model import Claim, Evidence, Status
    from aipk_core.claims.policy import Policy, apply_review

    def claim(text, quote):
        checks = run_checks(Statement(text, (quote,)))
        return Claim("c-" + "a" * 12, text, (), (Evidence("a", 0, len(quote), quote),), checks=checks)

    policy = Policy("auto", ("self-contained",))
    ledger = read_ledger(tmp_path / "reviews.jsonl")
    good, bad = claim("The gauge is red.", "The gauge is red."), claim("All gauges are red.", "Most gauges are red.")
    assert [claim.status for claim in apply_review([good], ledger, policy)] == [Status.CANONICAL]
    (held,) = apply_review([bad], ledger, policy)
    assert held.status is Status.EXTRACTED
    assert held.reason


def test_a_blank_before_a_percent_sign_is_no_difference():
    assert failed("It is off below 15% of charge.", "It is off below 15 % of charge.", antecedent="The gauge.") == {
        "exact-quote"
    }
