"""The claims stage with a language model: cached by section, resumed in mid-corpus, honest about what is missing."""

import pytest
from model_server import MODEL, Script, serving

from aipk_core.claims.model import Status
from aipk_core.corpus import load_corpus
from aipk_core.errors import CorpusError
from aipk_core.stages import STAGES, StageContext
from aipk_core.stages.claims import read_claims
from aipk_core.store.workspace import Workspace

PAGES = {f"page{n}.md": f"# Gauge {n}\n\nThe gauge number {n} weighs {n + 3} kg.\n" for n in range(6)}


@pytest.fixture
def corpus(tmp_path):
    (tmp_path / "dagster.yaml").touch()
    folder = tmp_path / "corpora" / "gauges"
    (folder / "pages").mkdir(parents=True)
    for name, text in PAGES.items():
        (folder / "pages" / name).write_text(text)
    return folder


def run(folder, address, **claims):
    """The claims stage's result and claims."""
    table = {"engine": "llm", "model": MODEL, "api_base": address, "concurrency": 1, "retries": 0, "timeout_seconds": 5}
    lines = [f"{name} = {value!r}".replace("'", '"') for name, value in (table | claims).items()]
    text = '[[sources]]\ntype = "files"\npath = "pages"\n\n[claims]\n' + "\n".join(lines) + "\n"
    (folder / "corpus.toml").write_text(text)
    context = StageContext(load_corpus(folder), Workspace.of(folder))
    STAGES["documents"].load()(context)
    result = STAGES["claims"].load()(context)
    return result, read_claims(context.manifest("claims"))


def test_a_run_goes_on_where_the_budget_or_the_server_ended_it(corpus):
    script = Script()
    with serving(script) as address:
        first, claims = run(corpus, address, max_requests=4)
        assert (len(claims), first.misses, len(script.requests)) == (4, 4, 4)
        assert "2 pieces of text" in first.warnings[0]
        script.behaviour = "broken"
        second, claims = run(corpus, address)
        assert (len(claims), second.hits, second.misses) == (4, 4, 0)
        script.behaviour = "good"
        third, claims = run(corpus, address)
        assert (len(claims), third.hits, third.misses, third.warnings) == (6, 4, 2, ())
        asked = len(script.requests)
        fourth, _ = run(corpus, address)
        assert fourth.unchanged
        assert len(script.requests) == asked


def test_an_edit_asks_about_its_section_only(corpus):
    script = Script()
    with serving(script) as address:
        run(corpus, address)
        page = corpus / "pages" / "page3.md"
        page.write_text(page.read_text().replace("6 kg", "7 kg"))
        result, claims = run(corpus, address)
    assert (result.hits, result.misses, len(script.requests)) == (5, 1, 7)
    assert "The gauge number 3 weighs 7 kg." in {claim.text for claim in claims}


def test_claims_carry_their_engine_evidence_and_reasons(corpus):
    with serving(Script("inventing")) as address:
        _, claims = run(corpus, address)
    assert claims
    for claim in claims:
        assert claim.engine == f"llm:{MODEL}"
        assert claim.status is Status.EXTRACTED
        assert claim.evidence[0].quote in PAGES[claim.evidence[0].document]
        assert any(check.reason for check in claim.failed_checks)


def test_settings_that_do_not_fit_together_are_refused(corpus):
    with pytest.raises(CorpusError, match="needs a 'model'"):
        run(corpus, "", model="")
    with pytest.raises(CorpusError, match="asks no model"):
        run(corpus, "", engine="extractive")
    with pytest.raises(CorpusError, match="price_out"):
        run(corpus, "", price_in=0.5)
