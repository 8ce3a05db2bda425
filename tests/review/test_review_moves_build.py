"""A decision outlives a page that is written anew, and the package is the one that a build from scratch makes."""

import shutil

from aipk_core.build import BuildOptions, build
from aipk_core.claims.queue import ALL, Filter, Order
from aipk_core.package import open_package
from aipk_core.review.desk import ReviewDesk
from aipk_core.review.records import claim_record

SETTINGS = '[[sources]]\ntype = "files"\npath = "pages"\n[claims]\nconflicts = "off"\n[review]\npolicy = "manual"\n'
BEFORE = """# Locks

## South lock

- It opens at six in the morning and closes at dusk.
- It is closed for repairs in the first week of March.
"""
AFTER = """# Opening times

## Locks of the south

| Lock | When |
|---|---|
| South lock | It opens at six in the morning and closes at dusk. |
"""


def make(root):
    corpus = root / "corpora" / "canal"
    (corpus / "pages").mkdir(parents=True)
    (root / "dagster.yaml").touch()
    (corpus / "corpus.toml").write_text(SETTINGS)
    return corpus


def run(corpus):
    return {result.stage: result for result in build(corpus, BuildOptions(allow_shrink=True))}


def statuses(corpus):
    with open_package(corpus.parents[1] / "dist" / "canal.aipk") as package:
        return {claim.text: (claim.status, claim.predecessor) for claim in package.claims()}


def test_a_decision_outlives_a_page_that_is_written_anew(tmp_path):
    corpus = make(tmp_path / "one")
    (corpus / "pages" / "locks.md").write_text(BEFORE)
    run(corpus)
    queue = ReviewDesk(corpus).queue
    words = "It opens at six in the morning and closes at dusk."
    (old,) = [name for name in queue.select(Filter(ALL)) if queue.claim(name).text == words]
    queue.decide([Order(old, "promote")], "ana")
    run(corpus)
    assert statuses(corpus)[words] == ("canonical", "")

    (corpus / "pages" / "locks.md").unlink()
    (corpus / "pages" / "times.md").write_text(AFTER)
    results = run(corpus)
    assert statuses(corpus) == {words: ("canonical", old)}
    assert results["reviewed_claims"].facts["decided by people"] == 1
    desk = ReviewDesk(corpus)
    (new,) = desk.queue.select(Filter(ALL))
    assert new != old
    assert [entry["claim"] for entry in claim_record(desk, new)["history"]] == [old]

    fresh = make(tmp_path / "two")
    shutil.copyfile(corpus / "pages" / "times.md", fresh / "pages" / "times.md")
    shutil.copyfile(corpus / "reviews.jsonl", fresh / "reviews.jsonl")
    assert run(fresh)["package"].version == results["package"].version
