"""An answer is judged against a whole package's claims, where some other claim has every number and every word.

A claim may lend a fact to a unit only for the thing that it is itself about. A number, a name or a condition that
stands only in a claim about something else supports nothing: the claim that is about the same thing decides, and when
it says something else the unit is contradicted. Joining claims is for units that state several facts, each of which
some claim states about the same subject.
"""

import pytest

from aipk_core.verify import VerifiableClaim, Verifier
from aipk_core.verify.model import Verdict

CLAIMS = [
    ("support", "The warranty on a Heron gauge lasts 4 years; batteries are covered for 24 months."),
    ("upkeep", "The battery is replaced after 6 years."),
    ("power", "A full battery lasts 21 days without sun."),
    ("power", "Charging from empty takes 9 hours of full sunlight."),
    ("levels > Level A", "Response: the duty forecaster telephones the customer within 10 minutes."),
    ("levels > Level B", "Response: the gauge is taken out of the forecast within 2 hours."),
    ("levels > Level C", "Response: a ticket is opened within 24 hours."),
    ("levels > Level A", "Report: a written report reaches the customer within 5 working days."),
    ("levels > Level B", "Report: a written report reaches the customer within 15 working days."),
    ("company", "Chief executive: Marit Osei"),
    ("company", "Chief engineer: Duncan Villareal"),
    ("after", "The safety circle meets every month and is chaired by Duncan Villareal."),
    ("data", "Larkfield keeps raw measurements for 7 years and deletes radio logs after 60 days."),
    ("evidence", "The measurements of the 48 hours before a level A incident are frozen for 2 years."),
    ("evidence", "For level B incidents they are frozen for 120 days."),
    ("mounting", "The gauge must hang at least 40 cm from any wall."),
    ("mounting", "It is fastened with four M8 bolts, tightened to 12 Nm."),
    ("field", "Work on a bridge pier stops when the wind exceeds 14 m/s."),
    ("field", "First-aid kits are checked every 90 days."),
    ("product", "The Alpine version may be used in avalanche zones; the standard version must not."),
]


@pytest.fixture(scope="module")
def verifier():
    return Verifier(
        [
            VerifiableClaim(id=f"c-{n:02}", text=text, context=tuple(place.split(" > ")))
            for n, (place, text) in enumerate(CLAIMS)
        ]
    )


def verdict(verifier, text):
    (unit,) = verifier.verify(text).units
    return unit.verdict


@pytest.mark.parametrize(
    "lie",
    [
        "The warranty on a Heron gauge lasts 6 years.",
        "The warranty on a Heron gauge lasts 24 months.",
        "A full battery lasts 24 days without sun.",
        "A full battery lasts 9 hours without sun.",
        "Larkfield keeps raw measurements for 60 days.",
        "Radio logs are deleted after 7 years.",
        "For level B incidents the measurements are frozen for 2 years.",
        "The gauge must hang at least 12 cm from any wall.",
        "The bolts are tightened to 40 Nm.",
        "First-aid kits are checked every 120 days.",
        "Work on a bridge pier stops when the wind exceeds 12 m/s.",
        "The chief executive is Duncan Villareal.",
        "The standard version may be used in avalanche zones.",
        "Charging from empty takes 21 days of full sunlight.",
    ],
)
def test_a_fact_of_another_claim_does_not_support(verifier, lie):
    assert verdict(verifier, lie) is not Verdict.SUPPORTED


@pytest.mark.parametrize(
    "lie",
    [
        "Level C incidents need a telephone call within 10 minutes.",
        "For a level B incident a written report reaches the customer within 5 working days.",
        "A ticket for a level A incident is opened within 24 hours.",
    ],
)
def test_a_fact_under_another_heading_does_not_support(verifier, lie):
    assert verdict(verifier, lie) is not Verdict.SUPPORTED


@pytest.mark.parametrize(
    "truth",
    [
        "The warranty on a Heron gauge lasts 4 years.",
        "The warranty on a Heron gauge lasts 48 months.",
        "A full battery lasts three weeks without sun.",
        "Marit Osei is the chief executive.",
        "Raw measurements are kept for seven years.",
        "A full battery lasts 21 days without sun, and charging from empty takes 9 hours of full sunlight.",
        "For a level B incident, the gauge is taken out of the forecast within two hours.",
        "The bolts are tightened to 12 Nm.",
    ],
)
def test_a_true_sentence_is_supported_among_many_claims(verifier, truth):
    assert verdict(verifier, truth) is Verdict.SUPPORTED
