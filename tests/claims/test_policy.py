from dataclasses import replace

import pytest

from aipk_core.claims.deciding import decide
from aipk_core.claims.ledger import read_ledger
from aipk_core.claims.model import Check, Claim, Evidence, Status
from aipk_core.claims.policy import Policy, apply_review, count_review

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
