"""The queue: what needs a person first, found by filters, decided on by several people at once."""

import pytest

from aipk_core.claims.deciding import Rules, decide
from aipk_core.claims.ledger_file import LedgerFile
from aipk_core.claims.model import Check, Claim, Evidence, Status
from aipk_core.claims.pairs import ClaimPair, PairKind
from aipk_core.claims.policy import Policy
from aipk_core.claims.queue import Filter, Order, ReviewQueue, filter_with_defaults
from aipk_core.claims.sampling import SampleRules
from aipk_core.errors import ReviewError


def claim(name, text, *, failed="", places=1, document="a.md"):
    evidence = tuple(Evidence(document, 100 * n, 100 * n + len(text), text, ("Locks",)) for n in range(places))
    return Claim(name, text, ("Locks",), evidence, checks=(Check("numbers", not failed, failed),))


CLAIMS = [
    claim("c-plain", "The lock is old."),
    claim("c-number", "The lock is 80 m long."),
    claim("c-bad", "The lock opens at noon.", failed="the source does not have the number 12"),
    claim("c-left", "The gate is green.", document="b.md"),
    claim("c-right", "The gate is red.", document="b.md"),
    claim("c-many", "Boats must wait.", places=4),
]
PAIRS = [ClaimPair(PairKind.CONFLICT, "c-left", "c-right", ("the colours differ",), 0.9)]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "reviews.jsonl"


def queue_of(path, policy=None, claims=CLAIMS, pairs=PAIRS):
    return ReviewQueue(claims, pairs, LedgerFile(path), policy or Policy())


def test_conflicts_come_first_then_failed_checks_then_what_is_likelier_wrong_or_costlier(path):
    queue = queue_of(path)
    assert queue.select(Filter()) == ["c-left", "c-right", "c-bad", "c-many", "c-number", "c-plain"]
    assert queue.entry("c-left").reasons[0] == "in conflict with 1 other claim"


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ({"containing": "LOCK old"}, ["c-plain"]),
        ({"containing": "c-many"}, ["c-many"]),
        ({"pair": "conflict"}, ["c-left", "c-right"]),
        ({"check": "numbers"}, ["c-bad"]),
        ({"document": "b."}, ["c-left", "c-right"]),
        ({"kind": "row"}, []),
        ({"view": "canonical"}, []),
    ],
)
def test_filters(path, values, found):
    assert queue_of(path).select(filter_with_defaults(values)) == found


@pytest.mark.parametrize("values", [{"view": "nice"}, {"pair": "triple"}, {"colour": "red"}])
def test_filters_that_do_not_exist_are_refused(values):
    with pytest.raises(ReviewError):
        filter_with_defaults(values)


def test_a_decision_moves_one_claim_and_the_counts(path):
    queue = queue_of(path)
    queue.decide([Order("c-plain", "approve")], "ana")
    assert (queue.waiting, queue.counts["canonical"], queue.counts["extracted"]) == (5, 1, 5)
    assert "c-plain" not in queue.select(Filter())
    assert queue.select(Filter("canonical", reviewer="ana")) == ["c-plain"]
    assert queue.claim("c-plain").status is Status.CANONICAL


def test_several_reviewers_see_each_others_decisions_and_none_is_lost(path):
    ana, ben = queue_of(path), queue_of(path)
    seen = ben.last_entry("c-plain")
    ana.decide([Order("c-plain", "approve")], "ana")
    with pytest.raises(ReviewError) as caught:
        ben.decide([Order("c-plain", "reject", "wrong", status=Status.EXTRACTED, last_entry=seen)], "ben")
    assert caught.value.code == "review-clash"
    assert "ana has decided meanwhile (promote)" in caught.value.message
    assert ben.claim("c-plain").status is Status.CANONICAL
    ben.decide([Order("c-number", "approve")], "ben")
    ana.refresh()
    assert [d.reviewer for d in ana.file.ledger.decisions] == ["ana", "ben"]
    assert ana.waiting == ben.waiting == 4


def test_undo_puts_a_claim_back_and_keeps_both_entries(path):
    queue = queue_of(path)
    done = queue.decide([Order("c-plain", "reject", "wrong")], "ana")
    queue.undo([done[0].digest], "ana")
    assert queue.claim("c-plain").status is Status.EXTRACTED
    assert [d.action for d in queue.history("c-plain")] == ["reject", "undo"]
    assert queue.waiting == 6


def test_an_edited_claim_is_there_at_once_and_gone_when_the_edit_is_undone(path):
    queue = queue_of(path)
    edit, approved = queue.decide([Order("c-number", "edit", text="A lock is 80 m long.")], "ana")
    assert approved.claim == edit.edit.id
    assert queue.claim(edit.edit.id).predecessor == "c-number"
    size = len(queue)
    queue.undo([edit.digest], "ana")
    assert edit.edit.id not in queue
    assert len(queue) == size - 1 == len(CLAIMS)
    assert queue.counts["extracted"] == len(CLAIMS)


def test_blocked_by_a_conflict_a_person_may_decide_but_has_to_say_why(path):
    queue = queue_of(path, Policy(block_conflicts=True))
    with pytest.raises(ReviewError) as caught:
        queue.decide([Order("c-left", "approve")], "ana")
    assert caught.value.code == "reason-missing"
    queue.decide([Order("c-left", "approve", "painted in May")], "ana")
    queue.decide([Order("c-right", "reject", "painted over")], "ana")
    assert queue.claim("c-left").status is Status.CANONICAL


def test_where_two_people_are_needed_approving_takes_two_steps(path):
    queue = queue_of(path, Policy(rules=Rules(people_needed=2)))
    queue.decide([Order("c-plain", "approve")], "ana")
    assert queue.claim("c-plain").status is Status.REVIEWED
    assert queue.entry("c-plain").standing.waits_for_people
    assert "c-plain" not in queue.select(Filter(person="ana"))
    assert "c-plain" in queue.select(Filter(person="ben"))
    queue.decide([Order("c-plain", "approve")], "ben")
    assert queue.claim("c-plain").status is Status.CANONICAL


def test_the_last_claim_of_the_sample_decides_on_all_others(path):
    claims = [claim(f"c-{n}", f"Lock {n} is {n} m long.") for n in range(60)]
    policy = Policy("sample", ("numbers",), SampleRules(50, 20, 95, "x"))
    queue = queue_of(path, policy, claims, [])
    drawn = queue.select(Filter())
    for name in drawn:
        assert queue.counts["canonical"] < len(claims)
        queue.decide([Order(name, "approve")], "ana")
    assert queue.counts["canonical"] == len(claims)
    assert queue.waiting == 0
    again = queue_of(path, policy, claims, [])
    assert again.counts == queue.counts


def test_a_ledger_that_was_merged_underneath_is_taken_in(path, tmp_path):
    queue = queue_of(path)
    queue.decide([Order("c-plain", "approve")], "ana")
    other = tmp_path / "other"
    decide(other, CLAIMS[1], "reject", reviewer="ben", reason="wrong")
    path.write_bytes(other.read_bytes() + path.read_bytes())
    assert queue.refresh()
    assert queue.claim("c-number").status is Status.DEPRECATED
    assert queue.claim("c-plain").status is Status.CANONICAL
    assert queue.waiting == 4


def test_an_unknown_claim_is_an_error(path):
    with pytest.raises(ReviewError) as caught:
        queue_of(path).decide([Order("c-nowhere", "approve")], "ana")
    assert caught.value.code == "claim-unknown"
