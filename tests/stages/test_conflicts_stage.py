"""Comparing claims again after an edit: only what is new is judged, and the outcome is that of comparing everything."""

import shutil

import pytest

from aipk_core.build import BuildOptions, build
from aipk_core.claims import pair_rules
from aipk_core.stages.conflicts import read_pairs
from aipk_core.store.cleaning import clean_store
from aipk_core.store.workspace import Workspace

PAGES = {
    "handbook.md": "# Handbook\n\nSecurity fixes are released within 96 hours.\n\nThe battery can be replaced by the customer.\n",
    "sheet.md": "# Sheet\n\nSecurity fixes are released within 48 hours.\n\nThe gauge is sold in 12 countries.\n",
    "terms.md": "# Terms\n\nThe warranty covers damage by lightning.\n\nFrogs eat flies and beetles.\n",
}


@pytest.fixture
def corpus(tmp_path):
    (tmp_path / "dagster.yaml").touch()
    folder = tmp_path / "corpora" / "gauges"
    (folder / "pages").mkdir(parents=True)
    (folder / "corpus.toml").write_text(
        '[[sources]]\ntype = "files"\npath = "pages"\n[claims]\nmin_similarity_percent = 50\n'
    )
    for name, text in PAGES.items():
        (folder / "pages" / name).write_text(text)
    return folder


@pytest.fixture
def judged(monkeypatch):
    """The pairs of texts that the rules were asked about."""
    pairs = []
    rules = pair_rules.judge_pair
    monkeypatch.setattr(
        pair_rules,
        "judge_pair",
        lambda one, other, value: pairs.append((one.text, other.text)) or rules(one, other, value),
    )
    return pairs


def compared(corpus):
    """Version of the stage's output, and kind and texts of each pair."""
    result = build(corpus, BuildOptions(until="conflicts"))[-1]
    workspace = Workspace.of(corpus)
    claims = workspace.require_manifest("gauges", "claims").rows.to_pylist()
    texts = {row["id"]: row["text"] for row in claims}
    pairs = read_pairs(workspace.require_manifest("gauges", "conflicts"))
    return result.version, {(str(pair.kind), *sorted((texts[pair.a], texts[pair.b]))) for pair in pairs}


def write(corpus, page, text):
    (corpus / "pages" / page).write_text(text)


def test_an_edit_judges_its_own_pairs_and_finds_what_a_whole_comparison_finds(corpus, judged):
    first, pairs = compared(corpus)
    fixes = ("Security fixes are released within 48 hours.", "Security fixes are released within 96 hours.")
    assert pairs == {("conflict", *fixes)}
    judged.clear()
    write(
        corpus,
        "terms.md",
        PAGES["terms.md"].replace("covers", "does not cover") + "\nThe battery cannot be replaced by the customer.\n",
    )
    stepwise, pairs = compared(corpus)
    assert len(pairs) == 2
    assert judged
    assert all(any("lightning" in text or "cannot" in text for text in pair) for pair in judged)
    # Back to the first state, which the store still has.
    judged.clear()
    write(corpus, "terms.md", PAGES["terms.md"])
    assert compared(corpus)[0] == first
    assert judged == []
    # The same states from nothing.
    write(
        corpus,
        "terms.md",
        PAGES["terms.md"].replace("covers", "does not cover") + "\nThe battery cannot be replaced by the customer.\n",
    )
    shutil.rmtree(corpus.parent.parent / ".aipk")
    assert compared(corpus) == (stepwise, pairs)


def test_a_clean_store_keeps_the_last_comparison(corpus, judged):
    compared(corpus)
    clean_store(Workspace.of(corpus), keep=1)
    judged.clear()
    write(corpus, "terms.md", PAGES["terms.md"].replace("Frogs", "Newts"))
    compared(corpus)
    assert not any("Security" in one and "Security" in other for one, other in judged)
