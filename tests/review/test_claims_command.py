"""``aipk claims``: the whole review from the terminal."""

import json

import pytest
from canal import build_claims, named, write_corpus
from typer.testing import CliRunner

from aipk_core.claims.ledger import read_ledger
from aipk_core.cli import application
from aipk_core.review.desk import ReviewDesk


@pytest.fixture
def run(corpus):
    def called(command, *arguments, code=0, keys=None):
        result = CliRunner().invoke(application(), ["claims", command, str(corpus), *arguments], input=keys)
        assert result.exit_code == code, result.output
        return result.output

    return called


@pytest.fixture
def lock(desk):
    return named(desk, "80 m")


def rows(output):
    return [json.loads(line) for line in output.splitlines()]


def test_listing_begins_with_what_needs_a_person_most(run):
    found = rows(run("list", "--json"))
    assert [row["text"][:23] for row in found[:2]] == ["The southern lock opens"] * 2
    assert found[0]["risk"] > found[2]["risk"]


def test_filters_of_the_list(run, lock):
    run("approve", lock, "--reviewer", "ana")
    assert [row["id"] for row in rows(run("list", "--json", "--status", "canonical"))] == [lock]
    assert [row["id"] for row in rows(run("list", "--json", "--decided-by", "ana"))] == [lock]
    assert len(rows(run("list", "--json", "--pair", "conflict"))) == 2
    assert len(rows(run("list", "--json", "--containing", "PILOT boats"))) == 1
    assert {row["evidence"][0]["document"] for row in rows(run("list", "--json", "--document", "fees"))} == {"fees.md"}
    assert "there is no view 'nice'" in run("list", "--view", "nice", code=2)


def test_a_claim_goes_through_its_life(run, lock, corpus):
    run("promote", lock, "--reviewer", "ana")
    run("demote", lock, "--reviewer", "ana", "--reason", "look again")
    run("promote", lock, "--reviewer", "ana", "--valid-until", "2099-12-31")
    run("reject", lock, "--reviewer", "ana", "--reason", "wrong")
    assert "Reopen it with a reason first" in run("promote", lock, "--reviewer", "ana", code=2)
    run("reopen", lock, "--reviewer", "ana", "--reason", "right after all")
    record = json.loads(run("show", lock, "--json"))
    assert record["status"] == "extracted"
    assert [d["action"] for d in record["decisions"]] == ["promote", "demote", "promote", "reject", "reopen"]
    assert record["decisions"][2]["valid_until"] == "2099-12-31"
    assert len(read_ledger(corpus / "reviews.jsonl").decisions) == 5


def test_editing_showing_and_undoing(run, lock):
    edit, approved = rows(run("edit", lock, "--text", "A southern lock is 80 m long.", "--reviewer", "ana", "--json"))
    assert (edit["replaced_by"], approved["after"]) == (approved["claim"], "canonical")
    shown = run("show", lock)
    assert f"replaced by {approved['claim']}" in shown
    run("undo", lock, "--reviewer", "ana")
    assert "there is no claim" in run("show", approved["claim"], code=2)
    actions = [row["action"] for row in rows(run("history", "--json"))]
    assert actions == ["edit", "promote", "undo", "undo"]


def test_history_of_one_claim_and_of_one_person(run, lock, desk):
    run("approve", lock, "--reviewer", "ana")
    run("approve", named(desk, "pilot"), "--reviewer", "ben")
    assert [row["reviewer"] for row in rows(run("history", lock, "--json"))] == ["ana"]
    assert [row["reviewer"] for row in rows(run("history", "--reviewer", "ben", "--json"))] == ["ben"]
    assert "The southern lock is 80 m long." in run("history")


def test_figures(run, lock):
    run("approve", lock, "--reviewer", "ana")
    figures = json.loads(run("stats", "--json", "--reviewer", "ana"))
    assert (figures["canonical"], figures["decided_by_people"], figures["decided_today"]) == (1, 1, 1)
    assert figures["waiting"] == figures["extracted"]


def test_open_conflicts_are_an_exit_code(run, desk):
    found = rows(run("conflicts", "--json", code=1))
    assert found[0]["reasons"] == ["6:00 here, 7:00 there"]
    run("reject", named(desk, "opens at 7:00"), "--reason", "old hours", "--reviewer", "ana")
    assert run("conflicts") == ""
    assert "7:00 there" in run("conflicts", "--settled", code=1)


def test_reviewing_by_keys(run, corpus, desk):
    output = run("review", "--reviewer", "ana", "--containing", "lock", keys="sa" + "rwrong\n" + "u" + "q")
    assert "in conflict with 1 other claim" in output
    actions = [d.action for d in read_ledger(corpus / "reviews.jsonl").decisions]
    assert actions == ["promote", "reject", "undo"]
    assert f"1 decided, {len(desk.queue) - 1} wait" in output


def test_a_key_that_breaks_a_rule_is_explained_and_the_review_goes_on(run, corpus):
    output = run("review", "--reviewer", "ana", keys="o" + "why\n" + "a" + "q")
    assert "cannot be the object of 'reopen'" in output
    assert [d.action for d in read_ledger(corpus / "reviews.jsonl").decisions] == ["promote"]


def test_a_corpus_that_was_not_built_says_so(tmp_path):
    folder = write_corpus(tmp_path)
    result = CliRunner().invoke(application(), ["claims", "list", str(folder)])
    assert result.exit_code == 2


def test_a_broken_ledger_stops_everything(run, corpus, lock):
    run("approve", lock, "--reviewer", "ana")
    path = corpus / "reviews.jsonl"
    path.write_text(path.read_text("utf-8").replace('"reviewer": "ana"', '"reviewer": "eve"'), "utf-8")
    run("list", code=2)


def test_a_decision_survives_a_rename_of_the_file_and_a_move_of_the_text(run, corpus, lock):
    run("approve", lock, "--reviewer", "ana")
    pages = corpus / "pages"
    text = (pages / "locks.md").read_text("utf-8").replace("The southern lock is 80 m long. ", "")
    (pages / "locks.md").unlink()
    (pages / "canal.md").write_text(text + "\n\n## Sizes\n\nThe southern lock is 80 m long.\n", "utf-8")
    build_claims(corpus)
    assert ReviewDesk(corpus).queue.claim(lock).status == "canonical"
