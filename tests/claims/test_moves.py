"""A decision follows its sentence under other headings, and a mere label or value only where there is no doubt."""

from dataclasses import replace

import pytest

from aipk_core.claims.deciding import Rules, approvers, decide
from aipk_core.claims.history import whole_history
from aipk_core.claims.ledger import read_ledger
from aipk_core.claims.ledger_file import LedgerFile
from aipk_core.claims.model import Claim, Evidence, Status
from aipk_core.claims.moves import find_moves
from aipk_core.claims.policy import Gate, Policy, apply_review, count_review
from aipk_core.claims.queue import Order, ReviewQueue
from aipk_core.claims.successors import find_successions, gone_decisions
from aipk_core.errors import ReviewError

WORDS = "It opens at six in the morning and closes at dusk."
OLD_HEADINGS = ("Locks", "Opening times", "South lock")
NEW_HEADINGS = ("All locks", "South lock", "Times")


def claim(name, text=WORDS, context=NEW_HEADINGS, document="new/locks.md", kind="item", status=Status.EXTRACTED):
    return Claim(name, text, context, (Evidence(document, 0, len(text), text, context),), status, kind)


def old(name="c-old", text=WORDS, context=OLD_HEADINGS, document="old/times.md", kind="item", **more):
    return claim(name, text, context, document, kind, **more)


@pytest.fixture
def ledger(tmp_path):
    path = tmp_path / "reviews.jsonl"

    def decided(*decisions):
        for number, (before, action) in enumerate(decisions):
            decide(path, before, action, reviewer="ana", reason="so it is", now=f"2026-01-01T00:00:{number:02}+00:00")
        return read_ledger(path)

    return decided


def test_a_sentence_that_says_something_is_followed_to_its_only_place(ledger):
    found = find_moves([claim("c-new"), claim("c-x", "The café opens at noon.")], ledger((old(), "promote")))
    assert {name: [decision.claim for decision in decisions] for name, decisions in found.items()} == {
        "c-new": ["c-old"]
    }


def test_the_decision_counts_as_before(ledger):
    kept = ledger((old(), "promote"))
    (moved,) = apply_review([claim("c-new")], kept, Policy())
    assert (moved.status, moved.predecessor) == (Status.CANONICAL, "c-old")
    assert moved.reason == "its sentence moved; decided as c-old by ana on 2026-01-01: so it is"
    assert count_review([moved], kept).decided_by_people == 1
    assert [decision.claim for decision in whole_history(kept, "c-new", moved.predecessor)] == ["c-old"]


def test_a_rejected_sentence_does_not_come_back_by_moving(ledger):
    (moved,) = apply_review([claim("c-new")], ledger((old(), "reject")), Policy("auto", ()))
    assert moved.status is Status.DEPRECATED


def test_what_moved_is_neither_gone_nor_a_successor(ledger):
    kept = ledger((old(), "promote"))
    assert gone_decisions([claim("c-new")], kept) == []
    assert find_successions([claim("c-new")], kept) == {}


def test_while_the_claim_itself_stands_nothing_has_moved(ledger):
    assert find_moves([old(), claim("c-new")], ledger((old(), "promote"))) == {}


def test_of_several_places_the_one_with_most_of_the_old_headings_is_meant(ledger):
    north = claim("c-north", context=("All locks", "North lock", "Times"))
    assert list(find_moves([north, claim("c-south")], ledger((old(), "promote")))) == ["c-south"]


def test_a_sentence_that_was_put_in_several_places_takes_its_decision_to_all_of_them(ledger):
    places = [claim(f"c-{n}", context=("South lock", f"Part {n}"), document=f"new/{n}.md") for n in range(3)]
    assert set(find_moves(places, ledger((old(), "promote")))) == {"c-0", "c-1", "c-2"}


def test_a_sentence_is_followed_wherever_it_stands_but_not_to_other_words(ledger):
    kept = ledger((old(), "promote"))
    assert "c-new" in find_moves([claim("c-new", context=("Bridges",), document="new/7.md")], kept)
    assert find_moves([claim("c-new", WORDS.replace("dusk", "Dusk"))], kept) == {}


def test_a_claim_that_stands_for_several_spellings_is_each_of_them(ledger):
    upper = WORDS.replace("dusk", "Dusk")
    both = replace(claim("c-new", upper), evidence=(*claim("c-a", upper).evidence, *claim("c-b").evidence))
    assert list(find_moves([both], ledger((old(), "promote")))) == ["c-new"]


@pytest.mark.parametrize(
    ("context", "document", "kind", "follows"),
    [
        (("Locks", "Table 2", "South lock", "Width"), "old/times.md", "row", True),
        (("Locks", "Table 2", "North lock", "Width"), "old/times.md", "row", False),
        (("Locks", "Table 2", "South lock", "Depth"), "old/times.md", "row", False),
        (("Harbours", "Table 2", "South lock", "Width"), "new/harbours.md", "row", False),
        (("Harbours", "Table 2", "South lock", "Width"), "new/times.md", "row", True),
    ],
)
def test_a_value_is_followed_only_with_its_row_and_column_and_on_its_page(ledger, context, document, kind, follows):
    kept = ledger((old(text="12 m", context=("Locks", "Table 1", "South lock", "Width"), kind="row"), "promote"))
    assert bool(find_moves([claim("c-new", "12 m", context, document, kind)], kept)) is follows


def test_decisions_that_do_not_agree_move_nothing(ledger):
    first = old("c-1", context=("Locks", "South lock"))
    second = old("c-2", context=("Locks", "North lock"))
    one = claim("c-new", context=("Locks", "Times"))
    assert find_moves([one], ledger((first, "promote"), (second, "reject"))) == {}
    assert Gate([one], ledger(), Policy()).standing(one).status is Status.EXTRACTED


def test_a_sentence_that_stood_in_several_places_brings_what_was_decided_in_each(ledger):
    first = old("c-1", context=("Locks", "South lock"))
    second = old("c-2", context=("Locks", "North lock"))
    one = claim("c-new", context=("Locks", "Times"))
    kept = ledger((first, "promote"), (second, "promote"))
    assert [decision.claim for decision in find_moves([one], kept)["c-new"]] == ["c-1", "c-2"]
    assert gone_decisions([one], kept) == []


def test_the_last_word_moves_on_when_a_moved_sentence_was_decided_on_again(ledger):
    between = claim("c-between", status=Status.CANONICAL)
    (between,) = apply_review([between], ledger((old(), "promote")), Policy())
    kept = ledger((between, "reject"))
    found = find_moves([claim("c-new", context=("South lock",))], kept)
    assert [(decision.claim, decision.after) for decision in found["c-new"]] == [("c-between", Status.DEPRECATED)]


def test_who_approved_before_the_move_is_the_first_of_two(tmp_path):
    path, rules = tmp_path / "r.jsonl", Rules(people_needed=2)
    decide(path, old(), "review", reviewer="ana", rules=rules)
    (moved,) = apply_review([claim("c-new")], read_ledger(path), Policy(rules=rules))
    assert (moved.status, approvers(read_ledger(path), moved)) == (Status.REVIEWED, {"ana"})
    with pytest.raises(ReviewError, match="two people"):
        decide(path, moved, "promote", reviewer="ana", rules=rules)
    decide(path, moved, "promote", reviewer="ben", rules=rules)
    (moved,) = apply_review([claim("c-new")], read_ledger(path), Policy(rules=rules))
    assert moved.status is Status.CANONICAL


def test_a_claim_that_a_person_rewrote_leaves_no_decision_to_follow(tmp_path):
    path = tmp_path / "r.jsonl"
    decide(path, old(), "edit", reviewer="ana", text="The south lock opens at six in the morning.")
    moves = find_moves([claim("c-new")], read_ledger(path))
    assert moves == {}


def test_a_decision_that_moved_can_be_taken_back(tmp_path):
    file = LedgerFile(tmp_path / "r.jsonl")
    ReviewQueue([old()], [], file, Policy()).decide([Order("c-old", "reject", "Out of scope")], "ana")
    queue = ReviewQueue([claim("c-new")], [], file, Policy())
    assert queue.entry("c-new").standing.status is Status.DEPRECATED
    moved = queue.gate.decision_on("c-new")
    queue.undo([moved.digest], "ana")
    assert queue.entry("c-new").standing.status is Status.EXTRACTED


def test_a_moved_claim_is_decided_on_anew_like_any_other(tmp_path):
    file = LedgerFile(tmp_path / "r.jsonl")
    ReviewQueue([old()], [], file, Policy()).decide([Order("c-old", "promote")], "ana")
    queue = ReviewQueue([claim("c-new")], [], file, Policy())
    (decision,) = queue.decide([Order("c-new", "reject", "It is wrong here")], "ben")
    assert (decision.before, decision.predecessor) == (Status.CANONICAL, "c-old")
    assert queue.claim("c-new").status is Status.DEPRECATED
