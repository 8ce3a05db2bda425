"""Texts that differ in typography alone are one claim, and a decision on one of them stands whatever pages come."""

from pathlib import Path

from aipk_core.build import BuildOptions, build
from aipk_core.claims.deciding import decide
from aipk_core.claims.model import Status
from aipk_core.corpus import load_corpus
from aipk_core.stages.claims import read_claims
from aipk_core.stages.review import read_reviewed_claims
from aipk_core.store.workspace import Workspace

SPELLINGS = [
    "The grey heron eats fish and frogs.",
    "The grey heron eats fish, and frogs.",
    "The Grey Heron eats fish and frogs.",
]


def built(corpus: Path):
    build(corpus, BuildOptions(until="reviewed_claims"))
    workspace = Workspace.of(corpus)
    manifests = [workspace.require_manifest("birds", stage) for stage in ("claims", "reviewed_claims")]
    return read_reviewed_claims(*manifests)


def test_a_decision_outlives_new_spellings_of_the_same_statement(tmp_path):
    (tmp_path / "dagster.yaml").touch()
    corpus = tmp_path / "corpora" / "birds"
    (corpus / "pages").mkdir(parents=True)
    (corpus / "corpus.toml").write_text('[[sources]]\ntype = "files"\npath = "pages"\n')
    for number, text in enumerate(SPELLINGS):
        (corpus / "pages" / f"{number}.md").write_text(f"# Heron {number}\n\n{text}\n")
    (only,) = built(corpus)
    assert len(only.evidence) == 3
    # Each spelling alone has an id of its own; somebody decides on one that is not the smallest.
    ids = {}
    for number in range(3):
        for other in range(3):
            target = corpus / "pages" / f"{other}.md"
            target.write_text(f"# Heron {other}\n\n{SPELLINGS[other] if other == number else 'Nothing to see?'}\n")
        (claim,) = built(corpus)
        ids[claim.id] = (number, claim)
    number, chosen = ids[max(ids)]
    decide(load_corpus(corpus).ledger, chosen, "promote", reviewer="ana")
    for other, text in enumerate(SPELLINGS):
        (corpus / "pages" / f"{other}.md").write_text(f"# Heron {other}\n\n{text}\n")
    (after,) = built(corpus)
    assert after.id == chosen.id
    assert after.status is Status.CANONICAL
    assert len(after.evidence) == 3
    manifest = Workspace.of(corpus).require_manifest("birds", "claims")
    assert [claim.id for claim in read_claims(manifest)] == [chosen.id]
