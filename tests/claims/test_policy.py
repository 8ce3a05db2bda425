from dataclasses import replace

import pytest

from aipk_core.claims.deciding import Request, Rules, decide, take
from aipk_core.claims.ledger import read_ledger
from aipk_core.claims.ledger_file import LedgerFile
from aipk_core.claims.model import Check, Claim, Evidence, Status
from aipk_core.claims.pairs import ClaimPair, PairKind
from aipk_core.claims.policy import Gate, Policy, apply_review, build_date, count_review
from aipk_core.claims.sampling import SampleRules

GOOD = Claim("c-a", "Text.", (), (Evidence("a.md", 0, 5, "Text."),), checks=(Check("numbers", True),))
BAD = replace(GOOD, id="c-b", checks=(Check("numbers", False, "the source does not have the number 5"),))
MANUAL = Policy("manual")
AUTO = Policy("auto", ("numbers",))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "reviews.jsonl"


def status(claim, path, policy):
    return apply_review([claim], read_ledger(path), policy)[0]


def test_by_default_nothing_becomes_canonical_unread(path):
    assert status(GOOD, path, MANUAL).status is Status.EXTRACTED


def test_the_automatic_policy_promotes_what_passes_its_checks_and_says_why_not(path):
    assert status(GOOD, path, AUTO).status is Status.CANONICAL
    held = status(BAD, path, AUTO)
    assert held.status is Status.EXTRACTED
    assert held.reason == "numbers: the source does not have the number 5"


def test_a_check_that_has_not_run_promotes_nothing(path):
    assert status(GOOD, path, Policy("auto", ("numbers", "polarity"))).status is Status.EXTRACTED


def test_people_overrule_the_policy(path):
    decide(path, GOOD, "reject", reviewer="ana", reason="out of date")
    decide(path, BAD, "promote", reviewer="ana")
    assert status(GOOD, path, AUTO).status is Status.DEPRECATED
    assert status(BAD, path, AUTO).status is Status.CANONICAL


def test_a_rejected_claim_never_comes_back_by_itself(path):
    decide(path, GOOD, "reject", reviewer="ana", reason="wrong")
    changed = replace(GOOD, evidence=(Evidence("b.md", 7, 13, "Text. "),))
    assert status(changed, path, AUTO).status is Status.DEPRECATED
    decide(path, replace(GOOD, status=Status.DEPRECATED), "reopen", reviewer="ben", reason="it was right after all")
    assert status(GOOD, path, AUTO).status is Status.EXTRACTED


def test_a_claim_whose_source_changed_goes_back_to_the_queue(path):
    decide(path, GOOD, "promote", reviewer="ana")
    assert status(GOOD, path, MANUAL).status is Status.CANONICAL
    changed = replace(GOOD, evidence=(Evidence("a.md", 0, 6, "Texts."),))
    stale = status(changed, path, MANUAL)
    assert stale.status is Status.EXTRACTED
    assert "changed since it was reviewed by ana" in stale.reason
    counts = count_review([stale, status(BAD, path, MANUAL)], read_ledger(path))
    assert (counts.waiting, counts.stale, counts.decided_by_people) == (2, 1, 1)


def test_an_exact_quote_may_gain_and_lose_places_that_are_spelt_a_little_differently(path):
    decide(path, GOOD, "promote", reviewer="ana")
    more = replace(GOOD, evidence=(*GOOD.evidence, Evidence("b.md", 3, 7, "text")))
    assert status(more, path, MANUAL).status is Status.CANONICAL
    other = replace(GOOD, evidence=(Evidence("b.md", 3, 7, "text"),))
    assert status(other, path, MANUAL).status is Status.EXTRACTED


def named(number, **changes):
    text = f"Gate {number} is {number} m wide."
    return replace(GOOD, id=f"c-{number}", text=text, evidence=(Evidence("a.md", 0, len(text), text),), **changes)


SAMPLE = Policy("sample", ("numbers",), SampleRules(percent=50, max_error_percent=20, seed="x"))


def test_a_good_sample_makes_the_rest_canonical_and_a_bad_one_does_not(path):
    claims = [named(number) for number in range(40)]
    gate = Gate(claims, read_ledger(path), SAMPLE)
    drawn = [claim for claim in claims if gate.in_sample(claim.id)]
    rest = [claim for claim in claims if not gate.in_sample(claim.id)]
    assert 10 < len(drawn) < 30
    assert gate.standing(drawn[0]).waits_for_people
    assert not gate.standing(rest[0]).waits_for_people

    for claim in drawn[1:]:
        decide(path, claim, "promote", reviewer="ana")
    waiting = apply_review(rest, read_ledger(path), SAMPLE)  # without the sample there is nothing to go by
    assert {claim.status for claim in waiting} == {Status.EXTRACTED}
    assert Gate(claims, read_ledger(path), SAMPLE).standing(rest[0]).reason.startswith("waits for the sample")

    decide(path, drawn[0], "promote", reviewer="ana")
    after = Gate(claims, read_ledger(path), SAMPLE)
    assert after.sample.accepted
    assert {after.standing(claim).status for claim in claims} == {Status.CANONICAL}
    assert after.standing(rest[0]).reason.startswith("accepted by the sample: 0 of")

    for claim in drawn[:4]:
        decide(path, replace(claim, status=Status.CANONICAL), "reject", reviewer="ana", reason="wrong")
    failed = Gate(claims, read_ledger(path), SAMPLE)
    assert failed.sample.finished
    assert not failed.sample.accepted
    assert failed.standing(rest[0]).status is Status.EXTRACTED
    assert failed.standing(rest[0]).waits_for_people


def test_claims_that_fail_a_check_are_no_part_of_the_sample(path):
    gate = Gate([replace(BAD, id=f"c-{n}") for n in range(30)], read_ledger(path), SAMPLE)
    assert gate.sample.size == 0
    assert not gate.sample.accepted


def test_one_approval_is_not_enough_where_two_people_are_needed_even_if_the_ledger_says_canonical(path):
    two = Policy("manual", rules=Rules(people_needed=2))
    decide(path, GOOD, "promote", reviewer="ana")  # before the corpus asked for two people
    alone = status(GOOD, path, two)
    assert alone.status is Status.REVIEWED
    assert "one more person" in alone.reason
    decide(path, replace(GOOD, status=Status.REVIEWED), "promote", reviewer="ben")
    assert status(GOOD, path, two).status is Status.CANONICAL


def test_a_claim_is_canonical_only_while_it_is_valid(path):
    file = LedgerFile(path)
    take(file, [Request(GOOD, "promote", "ana", valid_from="2026-03-01", valid_until="2026-06-30")])
    for today, expected in [
        ("2026-02-28", Status.REVIEWED),
        ("2026-03-01", Status.CANONICAL),
        ("2026-06-30", Status.CANONICAL),
        ("2026-07-01", Status.EXTRACTED),
    ]:
        assert apply_review([GOOD], file.ledger, MANUAL, today=today)[0].status is expected


def test_the_day_of_a_build_can_be_set(monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    assert build_date() == "1970-01-02"


def test_no_policy_promotes_the_new_version_of_what_a_person_decided_on(path):
    old = replace(GOOD, id="c-old", text="The southern gate is 5 m wide.")
    old = replace(old, evidence=(Evidence("a.md", 0, 30, old.text),))
    decide(path, old, "reject", reviewer="ana", reason="wrong")
    new = replace(old, id="c-new", text="The southern gate is 6 m wide.")
    held = status(new, path, AUTO)
    assert held.status is Status.EXTRACTED
    assert held.reason == "seems to continue c-old, which was rejected by ana"


def test_conflicts_block_promotion_by_policy_until_one_side_is_rejected(path):
    one, other = named(1), named(2)
    pair = ClaimPair(PairKind.CONFLICT, "c-1", "c-2", ("the widths differ",), 0.9)
    blocking = Policy("auto", ("numbers",), block_conflicts=True)
    blocked = apply_review([one, other], read_ledger(path), blocking, [pair])
    assert [claim.status for claim in blocked] == [Status.EXTRACTED] * 2
    assert blocked[0].reason == "in conflict with c-2: the widths differ"
    assert apply_review([one], read_ledger(path), AUTO, [pair])[0].status is Status.CANONICAL
    decide(path, other, "reject", reviewer="ana", reason="wrong")
    assert apply_review([one, other], read_ledger(path), blocking, [pair])[0].status is Status.CANONICAL


def test_an_edited_claim_is_never_promoted_by_a_policy(path):
    edited = replace(GOOD, engine="edited")
    assert status(edited, path, AUTO).status is Status.EXTRACTED
