"""Who may decide what, in which status, and on which state of a claim."""

import pytest

from aipk_core.claims.deciding import Request, Rules, approval, decide, take, undo
from aipk_core.claims.edited import edited_claim, with_edited
from aipk_core.claims.ledger import read_ledger
from aipk_core.claims.ledger_file import LedgerFile
from aipk_core.claims.model import Claim, Evidence, Status
from aipk_core.errors import ReviewError

TWO = Rules(people_needed=2)
ROLES = Rules(roles={"ana": "approver", "ben": "reviewer"})


def claim(status=Status.EXTRACTED, name="c-a", text="The heron is 98 cm tall."):
    return Claim(name, text, ("Birds",), (Evidence("a.md", 0, len(text), text),), status)


@pytest.fixture
def file(tmp_path):
    return LedgerFile(tmp_path / "reviews.jsonl")


def refused(file, request, rules=None):
    size = len(file.ledger.decisions)
    with pytest.raises(ReviewError) as caught:
        take(file, [request], rules)
    assert len(read_ledger(file.path).decisions) == size
    return caught.value.code


def test_one_of_two_people_cannot_make_a_claim_canonical(file):
    assert refused(file, Request(claim(), "promote", "ana"), TWO) == "second-person-needed"
    take(file, [Request(claim(), "review", "ana")], TWO)
    reviewed = claim(Status.REVIEWED)
    assert refused(file, Request(reviewed, "promote", "ana"), TWO) == "second-person-needed"
    assert take(file, [Request(reviewed, "promote", "ben")], TWO)[0].after is Status.CANONICAL


def test_an_approval_of_another_text_does_not_count_as_the_first_of_two(file):
    take(file, [Request(claim(), "review", "ana")], TWO)
    changed = claim(Status.REVIEWED, text="The heron is 89 cm tall.")
    assert refused(file, Request(changed, "promote", "ben"), TWO) == "second-person-needed"


def test_roles_say_who_may_do_what(file):
    assert refused(file, Request(claim(), "promote", "eve"), ROLES) == "reviewer-unknown"
    assert refused(file, Request(claim(), "promote", "ben"), ROLES) == "role-forbidden"
    take(file, [Request(claim(), "review", "ben")], ROLES)
    take(file, [Request(claim(Status.REVIEWED), "promote", "ana")], ROLES)


@pytest.mark.parametrize(
    ("status", "rules", "who", "action"),
    [
        (Status.EXTRACTED, Rules(), "ana", "promote"),
        (Status.EXTRACTED, TWO, "ana", "review"),
        (Status.REVIEWED, TWO, "ben", "promote"),
        (Status.EXTRACTED, ROLES, "ben", "review"),
        (Status.EXTRACTED, ROLES, "ana", "promote"),
    ],
)
def test_approving_is_the_step_that_a_person_can_take(status, rules, who, action):
    assert approval(status, rules, who) == action


def test_a_decision_on_an_old_state_is_refused_and_names_who_was_quicker(file):
    seen = file.ledger.last_entry("c-a")
    take(file, [Request(claim(), "promote", "ana", last_entry=seen)])
    with pytest.raises(ReviewError, match="ana has decided meanwhile: promote") as caught:
        take(file, [Request(claim(), "reject", "ben", "wrong", last_entry=seen)])
    assert caught.value.code == "review-clash"


def test_several_decisions_are_taken_together_or_not_at_all(file):
    good, bad = Request(claim(name="c-a"), "promote", "ana"), Request(claim(Status.DEPRECATED, "c-b"), "promote", "ana")
    with pytest.raises(ReviewError):
        take(file, [good, bad])
    assert read_ledger(file.path).decisions == []


def test_an_edit_that_its_source_supports_makes_an_approved_claim_that_every_build_finds(file):
    old = claim()
    edit, approved = take(file, [Request(old, "edit", "ana", text="A heron is 98 cm tall.")])
    assert (edit.after, approved.after) == (Status.DEPRECATED, Status.CANONICAL)
    assert approved.predecessor == old.id
    found = {c.id: c for c in with_edited([old], file.ledger)}
    fresh = found[edit.edit.id]
    assert (fresh.text, fresh.evidence, fresh.predecessor) == ("A heron is 98 cm tall.", old.evidence, old.id)


def test_an_edit_that_says_more_than_its_source_waits(file):
    decisions = take(file, [Request(claim(), "edit", "ana", text="The heron is 120 cm tall.")])
    assert [d.action for d in decisions] == ["edit"]
    fresh = with_edited([claim()], file.ledger)
    assert [c.status for c in fresh if c.engine == "edited"] == [Status.EXTRACTED]
    assert any("120" in check.reason for c in fresh for check in c.failed_checks)


def test_the_id_of_an_edited_claim_does_not_depend_on_where_its_source_stands():
    moved = Claim("c-a", "T.", ("Other heading",), (Evidence("b.md", 9, 11, "T."),))
    assert edited_claim(claim(), "A new text.").id == edited_claim(moved, "A new text.").id


@pytest.mark.parametrize("text", ["", "  ", "The heron is 98  cm tall.", "x" * 2001, "bell\x07"])
def test_a_new_text_must_be_one(file, text):
    assert refused(file, Request(claim(), "edit", "ana", text=text)) == "review-invalid"


def test_an_edit_and_the_claim_that_it_made_are_undone_together(file):
    edit, _ = take(file, [Request(claim(), "edit", "ana", text="A heron is 98 cm tall.")])
    undone = undo(file, [edit.digest], reviewer="ana")
    assert [d.claim for d in undone] == [edit.edit.id, "c-a"]
    assert file.ledger.latest("c-a") is None
    assert file.ledger.latest(edit.edit.id) is None
    assert [c.id for c in with_edited([claim()], file.ledger)] == ["c-a"]


def test_an_edit_whose_claim_somebody_else_decided_on_stays(file):
    edit, _ = take(file, [Request(claim(), "edit", "ana", text="A heron is 98 cm tall.")])
    fresh = edited_claim(claim(), "A heron is 98 cm tall.")
    canonical = Claim(fresh.id, fresh.text, fresh.context, fresh.evidence, Status.CANONICAL)
    take(file, [Request(canonical, "demote", "ben", "look again")])
    with pytest.raises(ReviewError, match="ben has decided"):
        undo(file, [edit.digest], reviewer="ana")


def test_edits_of_edits_are_found_again(file):
    first, _ = take(file, [Request(claim(), "edit", "ana", text="A heron is 98 cm tall.")])
    middle = edited_claim(claim(), "A heron is 98 cm tall.")
    second = take(file, [Request(middle, "edit", "ana", text="Any heron is 98 cm tall.")])[0]
    assert {first.edit.id, second.edit.id} < {c.id for c in with_edited([claim()], file.ledger)}


@pytest.mark.parametrize(
    ("start", "end"), [("2026-13-01", ""), ("", "soon"), ("2026-05-01", "2026-04-30"), ("20260101", "")]
)
def test_dates_must_be_dates_in_order(file, start, end):
    assert refused(file, Request(claim(), "promote", "ana", valid_from=start, valid_until=end)) == "review-invalid"


@pytest.mark.parametrize("reason", ["\x1b[2J", "\ud800"])
def test_a_reason_is_plain_text(file, reason):
    assert refused(file, Request(claim(), "promote", "ana", reason)) == "review-invalid"


def test_a_reason_has_an_end(tmp_path):
    with pytest.raises(ReviewError, match="too long"):
        decide(tmp_path / "r", claim(), "promote", reviewer="ana", reason="x" * 2001)
