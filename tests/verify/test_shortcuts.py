"""Short cuts that save time and change nothing: each is compared with the long way."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pint
import pytest

from aipk_core.verify import VerifiableClaim, Verifier, lexemes
from aipk_core.verify.analysis import analyse, parts_of
from aipk_core.verify.checks import order, quantifier
from aipk_core.verify.claim_index import ClaimIndex, keys_in, keys_of
from aipk_core.verify.lexemes import lexeme
from aipk_core.verify.lexicon import cues
from aipk_core.verify.lexicon.wordnet import Relation, wordnet
from aipk_core.verify.measures import _ALIASES, _TEMPERATURES, unit
from aipk_core.verify.parsing import parse_ahead, parser_installed, predicates_of
from aipk_core.verify.phrases import _OFFERING, _OFFERS, _REFUSALS, _REFUSING
from aipk_core.verify.vocabulary import bare_words, lacks

BENCH = Path(__file__).resolve().parents[2] / "bench"


@pytest.fixture(scope="module")
def sentences() -> list[str]:
    return list(dict.fromkeys(_sentences()))


def _sentences() -> Iterator[str]:
    for path in (BENCH / "verify_sets").glob("*.jsonl"):
        for line in path.read_text("utf-8").splitlines():
            row = json.loads(line)
            evidence = row["evidence"]
            yield from (row["sentence"], *([evidence] if isinstance(evidence, str) else evidence))
    for line in (BENCH / "claims_sample.jsonl").read_text("utf-8").splitlines():
        yield json.loads(line).get("text", "")
    yield from (
        "I do not know.",
        "Let me know if you have any other questions.",
        "It is, as far as I can tell, not so.",
    )
    yield from ("You can't, but you may or may not.", "As it were, no one must. Of course nobody mustn't!", "")


PATTERNS = [
    (cues.HEDGE, cues.WORDS_OF["hedge"]), (cues.PSEUDO_NEGATION, cues.WORDS_OF["pseudo"]),
    (cues.NEGATION["en"], cues.WORDS_OF["negation"]), (cues.EXCEPTION["en"], cues.WORDS_OF["exception"]),
    (cues.OPTIONAL["en"], cues.WORDS_OF["optional"]), (cues.FORBIDDEN["en"], cues.WORDS_OF["forbidden"]),
    (cues.REQUIRED["en"], cues.WORDS_OF["required"]), (cues.ADVISED["en"], cues.WORDS_OF["advised"]),
    (cues.PERMITTED["en"], cues.WORDS_OF["permitted"]), (cues.CAUSE_AFTER, cues.WORDS_OF["cause_after"]),
    (cues.CAUSE_BEFORE, cues.WORDS_OF["cause_before"]), (order._TIME_CUE, cues.WORDS_OF["time"]),
    (_REFUSALS, _REFUSING), (_OFFERS, _OFFERING),
    *((pattern, quantifier._COUNTING) for pair in quantifier._PAIRS for pattern in pair[:2] if pattern is not quantifier._NOT_ALL),
]  # fmt: skip


@pytest.mark.parametrize("place", range(len(PATTERNS)))
def test_a_text_without_the_words_of_a_pattern_does_not_match_it(sentences: list[str], place: int) -> None:
    pattern, wanted = PATTERNS[place]
    for text in sentences:
        if lacks(bare_words(text), wanted):
            match = pattern.search(text)
            assert match is None or (pattern is cues.HEDGE and cues.hedges(text)[0] == match.span()), text


def test_hedges_are_all_found(sentences: list[str]) -> None:
    for text in sentences:
        assert cues.hedges(text) == tuple(match.span() for match in cues.HEDGE.finditer(text))


def test_words_that_the_marks_hold_apart_have_no_relation(sentences: list[str]) -> None:
    chance = random.Random(11)
    table = wordnet()
    words = sorted({word for text in sentences for word in bare_words(text) or () if len(word) > 2})
    related = 0
    for _ in range(6000):
        first, second = chance.sample(words, 2)
        found = table.relation(first, second)
        related += found is not Relation.NONE
        mine, theirs = (
            lexeme(first, min(table.lemmas(first), key=len)),
            lexeme(second, min(table.lemmas(second), key=len)),
        )
        if mine._apart(theirs):
            assert found is Relation.NONE, (first, second)
            assert mine.relation(theirs) is Relation.NONE
        elif found is not Relation.NONE:
            assert mine.relation(theirs) in (found, Relation.DERIVED, Relation.SAME)
    assert related > 20


def test_related_words_are_those_that_single_comparisons_find() -> None:
    forms = [
        lexeme(word, word)
        for word in ("boat", "ship", "workboat", "lake", "vessel", "open", "close", "opened", "naïve", "naïvely")
    ]
    for form in forms:
        single = {other: form.relation(other) for other in forms if form.relation(other) is not Relation.NONE}
        fresh = type(form)(form.norm, form.stem)
        assert {o.norm: r for o, r in fresh.related(frozenset(forms)).items()} == {o.norm: r for o, r in single.items()}


def test_what_is_remembered_of_pairs_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lexemes, "_PAIRS", 50)
    forms = [lexemes.Lexeme(f"word{number}", f"word{number}") for number in range(40)]
    for form in forms:
        assert form.relation(form) is Relation.SAME
        assert form in form.related(frozenset([form, *forms[:10]]))
    assert sum(len(form.relations) for form in forms) <= 60


def test_a_claim_is_found_by_the_keys_of_its_analysis(sentences: list[str]) -> None:
    for text in (*sentences, "Die Garantie gilt 3 Jahre.", "保修期为三年。", "보증 기간은 3년입니다."):
        assert keys_in(text, "en") == keys_of(analyse(text, "en"))
        assert parts_of(text, "en")[1:] == (list(analyse(text).identifiers), list(analyse(text).quantities))


def test_units_are_worth_what_pint_says() -> None:
    registry = pint.UnitRegistry()
    for line in _ALIASES.strip().splitlines():
        name = line.split(":", 1)[0]
        if name in _TEMPERATURES or name in ("degree", "bit", "revolution/minute"):
            continue
        known = unit(name)
        if known.dimension == "bytes":
            assert known.factor == Decimal(str(registry.Quantity(1, name).to("byte").magnitude))
            continue
        base = registry.Quantity(1, name).to_base_units()
        assert float(known.factor) == pytest.approx(float(base.magnitude), rel=1e-12)
        assert known.dimension == str(base.dimensionality) or base.check(known.dimension), name


def test_the_same_words_are_verbatim_whatever_their_case_and_spaces() -> None:
    index = ClaimIndex([VerifiableClaim("a", "Gates open at  nine."), VerifiableClaim("b", "Gates open", ("At nine",))])
    assert index.verbatim("gates OPEN at nine") == [0]
    assert index.verbatim("At nine > gates open!") == [1]
    assert index.verbatim("Gates open at ten.") == []


@pytest.mark.skipif(not parser_installed(), reason="spaCy's English model is not installed")
def test_parsing_ahead_finds_the_same_predicates() -> None:
    texts = ["The kestrel chased the crow over the barn.", "The crow was chased by the kestrel.", "x" * 3000]
    parse_ahead(texts)
    assert [predicates_of(text)[0].agents[0].word for text in texts[:2]] == ["kestrel", "kestrel"]
    assert predicates_of(texts[2]) == ()


def test_the_order_of_equally_near_claims_does_not_depend_on_the_run() -> None:
    claims = [
        VerifiableClaim(f"c{i}", f"The {word} of the mill is oiled.")
        for i, word in enumerate(["wheel", "shaft", "axle"])
    ]
    report = Verifier(claims, judges=[], meaning="none", parse=False).verify("The cog of the mill is oiled.")
    assert [match.claim.id for match in report.units[0].claims] == ["c0", "c1", "c2"]


def test_half_a_character_is_judged_like_any_other() -> None:
    verifier = Verifier([VerifiableClaim("c-1", "The kettle boils on every stove.")])
    report = verifier.verify("The kettle \ud83d boils on the stove.")
    assert report.units[0].factual
