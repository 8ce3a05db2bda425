"""One small lie of each kind, and the true sentence beside it. Worlds of their own: a cinema, an orchard."""

from __future__ import annotations

import pytest

from aipk_core.verify import Verdict, VerifiableClaim, Verifier

VERIFIER = Verifier([], judges=[])

LIES = [
    ("The hall seats 240 guests.", "The hall seats 420 guests.", "quantity"),
    ("The hall seats two hundred guests.", "The hall seats three hundred guests.", "quantity"),
    ("Apples are stored at -1 °C.", "Apples are stored at 1 °C.", "quantity"),
    ("The film starts on 3 May 2024.", "The film starts on 3 June 2024.", "quantity"),
    ("Trees are pruned every 6 months.", "Trees are pruned every 6 weeks.", "quantity"),
    ("The crate holds at least 12 kg.", "The crate holds at most 12 kg.", "bound"),
    ("Screen B-2 is closed.", "Screen B-7 is closed.", "identifier"),
    ("Start the projector with `reel --loop`.", "Start the projector with `reel --once`.", "identifier"),
    ("Popcorn is sold in the foyer.", "Popcorn is not sold in the foyer.", "polarity"),
    ("Ladders must not be left in the orchard.", "Ladders may be left in the orchard.", "polarity"),
    ("No pesticide is used on the pears.", "Pesticide is used on the pears.", "polarity"),
    ("The door opens inwards before the film.", "The door closes inwards before the film.", "antonym"),
    ("Gloves are optional.", "Gloves are mandatory.", "modality"),
    ("All pickers wear helmets.", "Only some pickers wear helmets.", "quantifier"),
    ("Cider is pressed before the apples are sorted.", "Cider is pressed after the apples are sorted.", "order"),
    ("The lamp failed because the fan had stopped.", "The fan had stopped because the lamp failed.", "cause"),
    ("Adults pay €9 and children pay €5.", "Adults pay €5 and children pay €9.", "binding"),
    ("The usher helps the guest.", "The guest helps the usher.", "role"),
    ("Guests may enter late only with a ticket.", "Guests may enter late with or without a ticket.", "condition"),
]  # fmt: skip
TRUE = [
    ("The hall seats 240 guests.", "There are seats for 240 guests in the hall."),
    ("Trees are pruned every 6 months.", "The trees get pruned twice a year."),
    ("Ladders must not be left in the orchard.", "Leaving ladders in the orchard is prohibited."),
    ("Gloves are optional.", "Gloves are not mandatory."),
    ("Adults pay €9 and children pay €5.", "Children pay €5 and adults pay €9."),
    ("The usher shows the guest a seat.", "The guest is shown a seat by the usher."),
    ("The fan had stopped, so the lamp failed.", "The lamp failed because the fan had stopped."),
    ("Guests may enter late only with a ticket.", "Guests may not enter late without a ticket."),
    ("A group may have up to 8 guests.", "A group must not exceed 8 guests."),
    ("Popcorn is sold; ice cream is not.", "Ice cream is not sold."),
]


@pytest.mark.parametrize(("claim", "lie", "check"), LIES)
def test_lies_are_contradicted_with_a_reason(claim: str, lie: str, check: str) -> None:
    unit = VERIFIER.judge(lie, [VerifiableClaim("a", claim)])
    assert unit.verdict is Verdict.CONTRADICTED
    assert check in {reason.check for reason in unit.reasons if reason.contradicts}


@pytest.mark.parametrize(("claim", "lie", "check"), LIES)
def test_the_claim_itself_is_supported(claim: str, lie: str, check: str) -> None:
    assert VERIFIER.judge(claim, [VerifiableClaim("a", claim)]).verdict is Verdict.SUPPORTED


@pytest.mark.parametrize(("claim", "sentence"), TRUE)
def test_other_words_for_the_same_are_never_contradicted(claim: str, sentence: str) -> None:
    unit = VERIFIER.judge(sentence, [VerifiableClaim("a", claim)])
    assert unit.verdict is Verdict.SUPPORTED, unit.reasons


def test_reasons_point_at_both_texts() -> None:
    claim = VerifiableClaim("a", "The hall seats 240 guests.", context=("Main house",))
    sentence = "The hall seats 420 guests."
    (reason,) = VERIFIER.judge(sentence, [claim]).reasons
    assert reason.unit_span is not None
    assert reason.claim_span is not None
    assert sentence[slice(*reason.unit_span)] == "420"
    assert claim.text[slice(*reason.claim_span)] == "240"


def test_a_distractor_does_not_turn_a_true_sentence_into_a_lie() -> None:
    claims = [VerifiableClaim("a", "The hall seats 240 guests."), VerifiableClaim("b", "The foyer holds 90 guests.")]
    assert VERIFIER.judge("The hall seats 240 guests.", claims).verdict is Verdict.SUPPORTED


def test_two_claims_together_support_what_neither_says_alone() -> None:
    claims = [VerifiableClaim("a", "The hall seats 240 guests."), VerifiableClaim("b", "The foyer has a bar.")]
    assert VERIFIER.judge("The hall seats 240 guests, and the foyer has a bar.", claims).verdict is Verdict.SUPPORTED


def test_an_added_clause_is_not_supported() -> None:
    claim = VerifiableClaim("a", "Popcorn is sold in the foyer.")
    unit = VERIFIER.judge("Popcorn is sold in the foyer, and the projector was imported from Lisbon.", [claim])
    assert unit.verdict in (Verdict.PARTLY_SUPPORTED, Verdict.NOT_FOUND)
    assert unit.reasons


@pytest.mark.parametrize(
    ("lang", "claim", "lie"),
    [
        ("ko", "영화관은 240명을 수용한다.", "영화관은 420명을 수용한다."),
        ("ko", "사다리를 과수원에 둘 수 없다.", "사다리를 과수원에 둘 수 있다."),
        ("zh", "大厅可容纳240名客人。", "大厅可容纳420名客人。"),
        ("zh", "梯子不得留在果园里。", "梯子可以留在果园里。"),
        ("ja", "ホールの座席は240席である。", "ホールの座席は420席である。"),
        ("ru", "Зал вмещает 240 гостей.", "Зал вмещает 420 гостей."),
        ("ru", "Лестницы нельзя оставлять в саду.", "Лестницы можно оставлять в саду."),
        ("de", "Der Saal fasst 240 Gäste.", "Der Saal fasst 420 Gäste."),
        ("de", "Popcorn wird im Foyer verkauft.", "Popcorn wird im Foyer nicht verkauft."),
    ],
)
def test_numbers_and_denials_in_other_languages(lang: str, claim: str, lie: str) -> None:
    claims = [VerifiableClaim("a", claim, lang=lang)]
    assert VERIFIER.judge(lie, claims, lang=lang).verdict is not Verdict.SUPPORTED
    assert VERIFIER.judge(claim, claims, lang=lang).verdict is Verdict.SUPPORTED
