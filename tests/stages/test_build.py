"""A whole build on a small corpus, without Dagster: what is redone, what is kept, what is refused."""

import json
import shutil
from pathlib import Path

import pytest

from aipk_core.build import BuildOptions, build, build_summary
from aipk_core.claims.deciding import decide
from aipk_core.errors import CorpusError, DocumentError, PackageError, SourceError, UsageError
from aipk_core.package import open_package

CORPUS = """
title = "Birds"
strict = true

[[sources]]
type = "files"
path = "pages"

[review]
policy = "auto"
checks = ["exact-quote", "numbers", "identifiers", "polarity", "self-contained"]

[package]
retain = 2
"""
PAGES = {
    "heron.md": "# Heron\n\nThe grey heron stands 98 cm tall. It eats fish and frogs.\n\n## Nest\n\nA heron lays four eggs.\n",
    "kite.md": "# Kite\n\nThe red kite has a forked tail. Its span is 180 cm.\n",
}


@pytest.fixture
def corpus(tmp_path):
    (tmp_path / "dagster.yaml").touch()
    folder = tmp_path / "corpora" / "birds"
    (folder / "pages").mkdir(parents=True)
    (folder / "corpus.toml").write_text(CORPUS)
    for name, text in PAGES.items():
        (folder / "pages" / name).write_text(text)
    return folder


def run(corpus, **options):
    return {result.stage: result for result in build(corpus, BuildOptions(**options))}


def test_a_build_ends_with_a_package_whose_claims_quote_their_pages(corpus):
    results = run(corpus)
    pointer = corpus.parent.parent / "dist" / "birds.aipk"
    assert pointer.is_symlink()
    with open_package(pointer, verify=True) as package:
        claims = list(package.claims("canonical"))
        assert {claim.text for claim in claims} >= {"The grey heron stands 98 cm tall.", "A heron lays four eggs."}
        for claim in claims:
            for place in claim.evidence:
                assert package.document(place.document).text[place.start : place.end] == place.quote
    assert results["package"].facts["canonical"] == len(claims)
    assert {result.misses for result in results.values() if result.stage == "documents"} == {2}


def test_nothing_is_redone_when_nothing_has_changed(corpus):
    first = run(corpus)
    second = run(corpus)
    assert all(second[stage].unchanged for stage in ("documents", "chunks", "claims", "embeddings", "package"))
    assert all(result.misses == 0 for result in second.values())
    assert second["package"].version == first["package"].version


def test_an_edit_redoes_what_depends_on_it_and_no_more(corpus):
    run(corpus)
    page = corpus / "pages" / "heron.md"
    page.write_text(page.read_text().replace("four eggs", "five eggs"))
    results = run(corpus)
    assert (results["documents"].hits, results["documents"].misses) == (1, 1)
    assert results["claims"].misses == 1
    assert results["chunks"].misses == 1
    assert results["embeddings"].misses == 2  # the chunk of the section, and the claim


def test_moved_text_costs_no_model_call_and_keeps_its_ids(corpus):
    before = run(corpus)
    (corpus / "pages" / "heron.md").rename(corpus / "pages" / "grey-heron.md")
    results = run(corpus)
    assert results["embeddings"].misses == 0
    assert results["reviewed_claims"].rows == before["reviewed_claims"].rows


def test_a_deleted_page_takes_its_claims_with_it(corpus):
    run(corpus)
    (corpus / "pages" / "kite.md").unlink()
    run(corpus)
    with open_package(corpus.parent.parent / "dist" / "birds.aipk") as package:
        assert [entry.id for entry in package.documents()] == ["heron.md"]
        assert not any("kite" in claim.text for claim in package.claims())


def test_the_same_input_gives_the_same_content_wherever_it_is_built(corpus, tmp_path):
    first = run(corpus)["package"].version
    other = tmp_path / "elsewhere"
    shutil.copytree(corpus.parent, other / "corpora")
    (other / "dagster.yaml").touch()
    assert run(other / "corpora" / "birds")["package"].version == first
    shutil.rmtree(tmp_path / ".aipk")
    assert run(corpus)["package"].version == first


def test_old_packages_are_kept_up_to_a_number(corpus):
    page = corpus / "pages" / "kite.md"
    for count in (181, 182, 183, 184):
        page.write_text(PAGES["kite.md"].replace("180", str(count)))
        run(corpus)
    files = [path for path in (corpus.parent.parent / "dist").glob("birds-*.aipk") if not path.is_symlink()]
    assert len(files) == 2
    with open_package(corpus.parent.parent / "dist" / "birds.aipk") as package:
        assert any("184 cm" in claim.text for claim in package.claims("canonical"))


def test_without_canonical_claims_the_build_waits_for_review(corpus):
    (corpus / "corpus.toml").write_text(
        CORPUS.replace('policy = "auto"', 'policy = "manual"').replace("checks", "# checks")
    )
    results = run(corpus)
    assert "wait for review" in results["package"].waiting
    assert not (corpus.parent.parent / "dist").exists()
    assert build_summary(list(results.values()))["waiting"]


def test_a_document_that_cannot_be_read_is_listed_or_fails_a_strict_build(corpus):
    run(corpus)
    (corpus / "pages" / "broken.pdf").write_bytes(b"%PDF-1.7 this is none")
    with pytest.raises(DocumentError, match=r"broken\.pdf"):
        run(corpus)
    (corpus / "corpus.toml").write_text(CORPUS.replace("strict = true", "strict = false"))
    results = run(corpus)
    assert results["documents"].rows == 2
    assert any("broken.pdf" in warning for warning in results["documents"].warnings)


def test_an_empty_corpus_is_refused_and_the_last_package_stays(corpus):
    run(corpus)
    shutil.rmtree(corpus / "pages")
    (corpus / "pages").mkdir()
    with pytest.raises(CorpusError) as caught:
        run(corpus)
    assert caught.value.code == "corpus-empty"
    with open_package(corpus.parent.parent / "dist" / "birds.aipk") as package:
        assert len(package.documents()) == 2


def test_a_source_that_shrinks_at_once_is_asked_about(corpus):
    for number in range(8):
        (corpus / "pages" / f"extra-{number}.md").write_text(
            f"# Bird {number}\n\nBird {number} has two wings and a beak.\n"
        )
    run(corpus)
    for number in range(5):
        (corpus / "pages" / f"extra-{number}.md").unlink()
    with pytest.raises(SourceError) as caught:
        run(corpus)
    assert caught.value.code == "source-shrunk"
    assert run(corpus, allow_shrink=True)["documents"].rows == 5


def test_a_damaged_cache_is_said_with_advice(corpus):
    run(corpus)
    caches = corpus.parent.parent / ".aipk" / "state" / "store" / "caches"
    for file in caches.glob("document_chunks.lance/data/*"):
        file.write_bytes(b"rubbish")
    (corpus / "pages" / "kite.md").write_text("# Kite\n\nThe black kite has a shallow fork in its tail.\n")
    with pytest.raises(Exception, match="Delete this folder") as caught:
        run(corpus)
    assert caught.value.code == "store-damaged"
    shutil.rmtree(caches)
    assert run(corpus)["package"].misses == 1


def test_stages_can_be_chosen(corpus):
    assert list(run(corpus, until="chunks")) == ["documents", "chunks"]
    with pytest.raises(UsageError, match="no stage 'chunk'"):
        run(corpus, until="chunk")


def test_a_file_in_the_place_of_the_pointer_is_not_overwritten(corpus):
    dist = corpus.parent.parent / "dist"
    dist.mkdir()
    (dist / "birds.aipk").write_text("precious")
    with pytest.raises(PackageError, match="Move it away"):
        run(corpus)
    assert (dist / "birds.aipk").read_text() == "precious"


def test_the_summary_is_json(corpus):
    summary = json.loads(json.dumps(build_summary(list(run(corpus).values()))))
    assert len(summary["content_digest"]) == 64
    assert summary["package"].endswith("birds.aipk")
    assert set(summary["stages"]["documents"]) >= {"rows", "hits", "misses", "model_calls", "seconds"}
    assert summary["stages"]["embeddings"]["model_calls"] > 0
    again = build_summary(list(run(corpus).values()))
    assert sum(stage["model_calls"] for stage in again["stages"].values()) == 0


def test_site_pages_are_loaded_again_only_when_something_they_read_has_changed(tmp_path):
    site = tmp_path / "site"
    docs = site / "content" / "en" / "docs"
    docs.mkdir(parents=True)
    (site / "content" / "en" / "includes").mkdir()
    (tmp_path / "dagster.yaml").touch()
    (site / "hugo.toml").write_text(
        'baseURL = "https://example.org"\n[params]\nversion = "v1"\nunused = "a"\n'
        '[languages.en]\ncontentDir = "content/en"\n'
    )
    (site / "content" / "en" / "includes" / "note.md").write_text("Back up first.\n")
    (docs / "a.md").write_text('---\ntitle: A\n---\nThis is about the letter A.\n\n{{< include "note.md" >}}\n')
    (docs / "b.md").write_text('---\ntitle: B\n---\nThe version is {{< param "version" >}} now.\n')
    (docs / "c.md").write_text("---\ntitle: C\n---\nNothing special stands here.\n")
    corpus = tmp_path / "corpora" / "site"
    corpus.mkdir(parents=True)
    (corpus / "corpus.toml").write_text(
        f'[[sources]]\ntype = "files"\npath = {json.dumps(str(site))}\ninclude = ["/content/en/docs/"]\nloader = "hugo"\n'
        '[sources.options]\nextends = "kubernetes"\n'
    )

    def loaded():
        (result,) = build(Path(corpus), BuildOptions(until="documents"))
        return result.misses

    assert loaded() == 3
    assert loaded() == 0
    (site / "hugo.toml").write_text((site / "hugo.toml").read_text().replace('unused = "a"', 'unused = "b"'))
    assert loaded() == 0
    (site / "hugo.toml").write_text((site / "hugo.toml").read_text().replace('"v1"', '"v2"'))
    assert loaded() == 1
    (site / "content" / "en" / "includes" / "note.md").write_text("Back up twice.\n")
    assert loaded() == 1
    (site / "hugo.toml").write_text((site / "hugo.toml").read_text().replace('"v2"', '"v1"'))
    assert loaded() == 0  # an earlier state costs nothing
    (corpus / "corpus.toml").write_text(
        (corpus / "corpus.toml").read_text().replace("include =", 'exclude = ["c.md"]\ninclude =')
    )
    (result,) = build(corpus, BuildOptions(until="documents"))
    assert (result.rows, result.misses) == (2, 0)  # another choice of files needs nothing to be loaded


def test_a_claim_that_was_decided_on_and_is_gone_is_named_in_the_report(corpus):
    run(corpus)
    with open_package(corpus.parent.parent / "dist" / "birds.aipk") as package:
        claim = next(claim for claim in package.claims() if "180 cm" in claim.text)
    decide(corpus / "reviews.jsonl", claim, "reject", reviewer="ada", reason="measured on one bird")
    run(corpus)
    page = corpus / "pages" / "kite.md"
    page.write_text(page.read_text().replace(" Its span is 180 cm.", ""))
    run(corpus)
    with open_package(corpus.parent.parent / "dist" / "birds.aipk") as package:
        (gone,) = package.report["deprecated"]
        assert (gone["id"], gone["was"], gone["reviewer"]) == (claim.id, "deprecated", "ada")
        assert gone["reason"] == "no source holds it any more"
        assert claim.id.encode() in package.ledger
    page.write_text(PAGES["kite.md"])
    run(corpus)  # the text comes back, and with it what was decided
    with open_package(corpus.parent.parent / "dist" / "birds.aipk") as package:
        assert package.claim(claim.id).status == "deprecated"
        assert package.report["deprecated"] == []
