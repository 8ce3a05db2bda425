import pytest

from aipk_core.claims.checks import CHECKS, Statement, run_checks


def failed(text, quote, **more):
    return {check.name for check in run_checks(Statement(text, (quote,), **more)) if not check.passed}


def test_a_word_for_word_quote_passes_everything():
    assert failed("The gauge weighs 4.6 kg.", "The gauge weighs 4.6 kg.") == set()


@pytest.mark.parametrize(
    ("text", "quote", "check"),
    [
        ("The gauge weighs 4.8 kg.", "The gauge weighs 4.6 kg.", "numbers"),
        ("It works down to 25 °C.", "It works down to -25 °C.", "numbers"),
        ("The port is 8,080.", "The port is 8080.", "numbers"),
        ("Set --force.", "Set --dry-run.", "identifiers"),
        ("The class is IP68.", "The class is IP67.", "identifiers"),
        ("Set maxSurge.", "Set maxUnavailable.", "identifiers"),
        ("The battery can be changed.", "The battery cannot be changed.", "polarity"),
        ("Das Gerät ist wasserdicht.", "Das Gerät ist nicht wasserdicht.", "polarity"),
        ("Не открывайте корпус.", "Открывайте корпус.", "polarity"),
        ("보증에 포함되지 않는다.", "보증에 포함된다.", "polarity"),
        ("The gauge is heavy.", "The gauge weighs 4.6 kg.", "exact-quote"),
        ("The gauge is heavy.", "", "exact-quote"),
    ],
)
def test_a_text_that_says_something_else_than_its_source_is_found(text, quote, check):
    assert check in failed(text, quote)


def test_a_text_that_points_back_needs_what_it_points_to():
    text = "It weighs 4.6 kg."
    assert failed(text, text) == {"self-contained"}
    assert failed(text, text, context=("The gauge is small.",), antecedent="The gauge is small.") == set()


def test_a_fragment_needs_a_heading_or_an_introduction():
    assert failed("4.6 kg", "4.6 kg", complete=False) == {"self-contained"}
    assert failed("4.6 kg", "4.6 kg", complete=False, context=("Mass",)) == set()


def test_every_failure_has_a_reason():
    for check in run_checks(Statement("It is not 5 V2.", ("That is so.",), complete=False)):
        assert check.passed == (check.reason == "")
    assert [check.name for check in run_checks(Statement("a", ("a",)))] == list(CHECKS)
