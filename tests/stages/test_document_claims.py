"""What an unchanged document costs in the stage ``claims``, and who reads the pieces of a changed one."""

import json
import shutil

import pytest

from aipk_core.build import BuildOptions, build
from aipk_core.corpus import load_corpus
from aipk_core.errors import StoreError
from aipk_core.executors.local import SerialExecutor
from aipk_core.executors.model import Shard
from aipk_core.stages import StageContext
from aipk_core.stages import extraction as reading
from aipk_core.stages.claims import read_claims
from aipk_core.store.cleaning import clean_store
from aipk_core.store.workspace import Workspace

PAGES = {
    "heron.md": "# Heron\n\nThe grey heron stands 98 cm tall.\n\nIt eats fish and frogs.\n",
    "kite.md": "# Kite\n\nThe red kite has a forked tail.\n\nThe grey heron stands 98 cm tall.\n",
    "owl.md": "# Owl\n\nThe tawny owl hunts at night.\n\n- It nests in hollow trees.\n- It lays three eggs.\n",
}


@pytest.fixture
def corpus(tmp_path):
    return make_corpus(tmp_path / "one")


def make_corpus(root):
    folder = root / "corpora" / "birds"
    (folder / "pages").mkdir(parents=True)
    (root / "dagster.yaml").touch()
    (folder / "corpus.toml").write_text('[[sources]]\ntype = "files"\npath = "pages"\n')
    for name, text in PAGES.items():
        (folder / "pages" / name).write_text(text)
    return folder


def claims_of(corpus):
    """Result of the stage, version of its output, and its claims."""
    result = build(corpus, BuildOptions(until="claims"))[-1]
    return result, read_claims(Workspace.of(corpus).require_manifest("birds", "claims"))


def edit(corpus, page, old, new):
    path = corpus / "pages" / page
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))


def test_an_unchanged_document_is_not_read_again(corpus, monkeypatch):
    claims_of(corpus)
    opened = []
    of = reading.Pieces.of
    monkeypatch.setattr(
        reading.Pieces, "of", lambda engine, document: opened.append(document.id) or of(engine, document)
    )
    edit(corpus, "owl.md", "three eggs", "four eggs")
    result, claims = claims_of(corpus)
    assert opened == ["owl.md"]
    assert (result.hits, result.misses) == (6, 1)
    assert "It lays four eggs." in {claim.text for claim in claims}
    assert [place.document for claim in claims if "98 cm" in claim.text for place in claim.evidence] == [
        "heron.md",
        "kite.md",
    ]


def test_what_was_built_step_by_step_equals_what_is_built_at_once(corpus, tmp_path):
    claims_of(corpus)
    edit(corpus, "heron.md", "98 cm", "99 cm")
    claims_of(corpus)
    (corpus / "pages" / "owl.md").rename(corpus / "pages" / "aquila.md")
    claims_of(corpus)
    (corpus / "pages" / "kite.md").unlink()
    stepwise, _ = claims_of(corpus)
    shutil.rmtree(corpus.parent.parent / ".aipk")
    at_once, _ = claims_of(corpus)
    assert at_once.misses == at_once.hits + at_once.misses
    assert stepwise.version == at_once.version


def test_a_clean_store_keeps_the_pieces_of_pages_that_did_not_change(corpus):
    claims_of(corpus)
    edit(corpus, "owl.md", "three eggs", "four eggs")
    claims_of(corpus)  # the pieces of the other pages took no part in this build
    clean_store(Workspace.of(corpus), keep=1)
    edit(corpus, "heron.md", "frogs", "newts")
    result, _ = claims_of(corpus)
    assert result.misses == 1


def test_workers_read_the_pieces_and_the_claims_are_the_same(corpus, tmp_path, monkeypatch):
    here, _ = claims_of(corpus)
    there = make_corpus(tmp_path / "two")
    asked = []

    class Elsewhere(SerialExecutor):
        def map(self, shards):
            asked.extend(shards)
            return super().map(shards)

    monkeypatch.setattr(reading, "_FEW_PIECES", 1)
    monkeypatch.setattr(StageContext, "remote_executor", lambda self: Elsewhere())
    far, _ = claims_of(there)
    assert {shard.work for shard in asked} == {"extract"}
    assert (far.version, far.misses) == (here.version, here.misses)
    asked.clear()
    edit(there, "owl.md", "at night", "by night")
    edit(there, "heron.md", "frogs", "newts")
    again, _ = claims_of(there)
    numbers = [len(numbers) for shard in asked for _, numbers in json.loads(shard.payload)["documents"]]
    assert (again.misses, numbers) == (2, [1, 1])  # of each page one piece


def test_a_worker_with_another_engine_is_refused(corpus):
    from aipk_core.stages.shard_work import extract_payload

    shard = Shard("extract", extract_payload(load_corpus(corpus).settings.claims, "another", []))
    with pytest.raises(StoreError) as caught:
        list(SerialExecutor().map([shard]))
    assert caught.value.code == "engine-mismatch"


def test_a_budget_is_kept_by_one_process(corpus, monkeypatch):
    (corpus / "corpus.toml").write_text(
        '[[sources]]\ntype = "files"\npath = "pages"\n[claims]\nengine = "llm"\nmodel = "x/y"\nmax_requests = 5\n'
    )
    monkeypatch.setattr(StageContext, "remote_executor", lambda self: SerialExecutor())
    context = StageContext(load_corpus(corpus), Workspace.of(corpus))
    assert reading._executor(context) is None
