"""Signs, rates, bounds and order, where the sentence is built in another way than the claim."""

from __future__ import annotations

import pytest

from aipk_core.verify import Verdict, VerifiableClaim, Verifier

VERIFIER = Verifier([], judges=[], parse=False)


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        ("Late rent bears interest at 2% per month.", "On late rent, 2% interest a year is charged."),
        ("The result for 1988 was -£4.1 million.", "For 1988 the result was £4.1 million."),
        ("Setting `keep` to -1 keeps the log for ever.", "To keep the log for ever, set `keep` to 1."),
        ("A slot keeps at most 30 GB of log.", "A slot keeps 30 GB of log or more."),
        ("Each parcel is weighed twice before it is loaded.", "Each parcel is weighed once before it is loaded."),
    ],
)
def test_a_changed_amount_is_not_accepted(claim: str, sentence: str) -> None:
    assert VERIFIER.judge(sentence, [VerifiableClaim("c", claim)]).verdict is not Verdict.SUPPORTED


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        (
            "Complaints must reach the office no later than 14 days after delivery.",
            "Complaints that arrive more than 14 days after delivery are not in time.",
        ),
        (
            "A new key is used only after all branches have confirmed it.",
            "Until all branches have confirmed it, a new key is not used.",
        ),
        ("The fees are fixed for three years.", "For three years, the fees do not change."),
        ("Shed No. 7 was built in 1921.", "Shed number 7 was built in 1921."),
    ],
)
def test_the_same_said_in_another_way_is_not_contradicted(claim: str, sentence: str) -> None:
    assert VERIFIER.judge(sentence, [VerifiableClaim("c", claim)]).verdict is not Verdict.CONTRADICTED
