"""What people decide reaches the package: approved, edited and rejected claims, and a ledger that lost entries."""

import pytest
from canal import named, write_corpus

from aipk_core.build import BuildOptions, build
from aipk_core.claims.queue import Order
from aipk_core.package import open_package
from aipk_core.review.desk import ReviewDesk


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return write_corpus(tmp_path_factory.mktemp("project"))


def run(corpus):
    return {result.stage: result for result in build(corpus, BuildOptions())}


def test_a_build_waits_for_people_and_then_packs_what_they_approved(corpus):
    assert "wait for review" in run(corpus)["package"].waiting
    queue = ReviewDesk(corpus).queue
    desk = ReviewDesk(corpus)
    queue.decide([Order(named(desk, "pilot"), "approve")], "ana")
    queue.decide([Order(named(desk, "80 m"), "edit", text="A southern lock is 80 m long.")], "ana")
    queue.decide([Order(named(desk, "12 euros"), "reject", "old fee")], "ana")
    results = run(corpus)
    assert results["package"].facts["canonical"] == 2
    with open_package(corpus.parents[1] / "dist" / "canal.aipk") as package:
        claims = {claim.text: claim for claim in package.claims()}
    edited = claims["A southern lock is 80 m long."]
    assert (edited.status, edited.engine) == ("canonical", "edited")
    assert edited.predecessor == claims["The southern lock is 80 m long."].id
    assert claims["A passage costs 12 euros."].status == "deprecated"


def test_a_build_after_the_same_decisions_changes_nothing(corpus):
    again = run(corpus)
    assert again["claims"].unchanged
    assert again["package"].unchanged


def test_a_ledger_that_lost_its_last_entries_is_noticed(corpus):
    path = corpus / "reviews.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-1]))
    assert "lost entries" in run(corpus)["reviewed_claims"].warnings[0]
