"""``aipk status``: what the next build would redo and why, without doing it."""

import json

import pytest
from typer.testing import CliRunner

from aipk_core.build import BuildOptions, build
from aipk_core.cli import application
from aipk_core.corpus import load_corpus
from aipk_core.stages import STAGES, StageContext
from aipk_core.stages.ahead import AFTER_OTHERS, NEVER_RAN, UP_TO_DATE, WOULD_RUN, stages_ahead
from aipk_core.store.workspace import Workspace


@pytest.fixture
def corpus(tmp_path, monkeypatch):
    """A small site, built once as far as claims; one page includes a file."""
    monkeypatch.delenv("AIPK_STATE_DIR", raising=False)
    (tmp_path / "dagster.yaml").touch()
    site = tmp_path / "site"
    docs = site / "content" / "en" / "docs"
    docs.mkdir(parents=True)
    (site / "content" / "en" / "includes").mkdir()
    (site / "hugo.toml").write_text('baseURL = "https://example.org"\n[languages.en]\ncontentDir = "content/en"\n')
    (site / "content" / "en" / "includes" / "note.md").write_text("Back up first.\n")
    (docs / "a.md").write_text('---\ntitle: A\n---\nThis is about the letter A.\n\n{{< include "note.md" >}}\n')
    (docs / "b.md").write_text("---\ntitle: B\n---\nNothing special stands here.\n")
    folder = tmp_path / "corpora" / "site"
    folder.mkdir(parents=True)
    (folder / "corpus.toml").write_text(
        f'[[sources]]\ntype = "files"\npath = {json.dumps(str(site))}\ninclude = ["/content/en/docs/"]\nloader = "hugo"\n'
        '[sources.options]\nextends = "kubernetes"\n[chunks]\ntarget_tokens = 100\n'
    )
    build(folder, BuildOptions(until="chunks"))
    build(folder, BuildOptions(until="claims"))
    return folder


def ahead(corpus):
    context = StageContext(load_corpus(corpus), Workspace.of(corpus))
    return {item.stage: item for item in stages_ahead(context)}


def test_up_to_date_stages_are_called_so_and_those_that_never_ran_too(corpus):
    found = ahead(corpus)
    assert {name: item.state for name, item in found.items()} == {
        name: UP_TO_DATE if name in {"documents", "chunks", "claims"} else NEVER_RAN for name in STAGES
    }


def test_an_edited_include_is_named_with_the_pages_it_stands_on(corpus):
    site = corpus.parent.parent / "site" / "content" / "en"
    (site / "includes" / "note.md").write_text("Back up twice.\n")
    (site / "docs" / "c.md").write_text("---\ntitle: C\n---\nA new page has come.\n")
    documents = ahead(corpus)["documents"]
    assert documents.state == WOULD_RUN
    assert documents.documents["new"] == ["content/en/docs/c.md"]
    (reason,) = [name for name in documents.documents if name.endswith("note.md")]
    assert documents.documents[reason] == ["content/en/docs/a.md"]
    assert documents.reasons[0] == "2 of 3 documents would be loaded again"
    found = ahead(corpus)
    assert found["chunks"].state == AFTER_OTHERS
    assert build(corpus, BuildOptions(until="documents"))[0].misses == 2  # what was said is what is done


def test_a_changed_setting_is_named(corpus):
    file = corpus / "corpus.toml"
    file.write_text(file.read_text().replace("100", "120"))
    found = ahead(corpus)
    assert found["chunks"].state == WOULD_RUN
    assert found["chunks"].reasons == ("chunks.target_tokens is 120, not 100",)
    assert found["claims"].state == UP_TO_DATE


def test_a_new_decision_concerns_the_stages_that_read_the_ledger(corpus):
    (corpus / "reviews.jsonl").write_text("")
    assert "ledger" not in str(ahead(corpus)["chunks"].reasons)
    assert "ledger" in str(ahead(corpus)["claims"].reasons)


def test_the_command_says_by_its_exit_code_whether_there_is_something_to_do(corpus):
    done = CliRunner().invoke(application(), ["status", str(corpus), "--json"])
    assert done.exit_code == 1
    assert json.loads(done.output)["chunks"]["state"] == UP_TO_DATE


def test_the_size_of_the_store_is_shown_and_cleaning_says_what_it_did(corpus):
    runner = CliRunner()
    project = ["--project", str(corpus.parent.parent), "--json"]
    size = json.loads(runner.invoke(application(), ["store", "size", *project]).output)
    assert size["caches"]["documents"]["rows"] == 2
    assert size["total"] >= size["caches"]["documents"]["bytes"] > 0
    cleaned = json.loads(runner.invoke(application(), ["store", "gc", *project]).output)
    assert 0 < cleaned["bytes_after"] <= cleaned["bytes_before"]
    assert build(corpus, BuildOptions(until="chunks"))[0].misses == 0
