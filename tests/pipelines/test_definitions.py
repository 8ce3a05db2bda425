"""What Dagster loads, and that its run does the same as a run without it."""

import re
import subprocess
import sys
import tomllib
import warnings
from pathlib import Path

import dagster as dg
import pytest
import yaml

from aipk_core.build import BuildOptions, build
from aipk_core.errors import CorpusError, StoreError
from aipk_core.package import read_manifest
from aipk_core.stages import STAGES, StageResult
from aipk_core.store.workspace import Workspace
from pipelines.definitions import build_definitions
from pipelines.metadata import stage_metadata
from pipelines.run import run_build

REPOSITORY = Path(__file__).resolve().parents[2]
CORPUS = """
[[sources]]
type = "files"
path = "pages"
[review]
policy = "auto"
checks = ["exact-quote"]
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project of its own with one small corpus; Dagster's settings are those that ship."""
    monkeypatch.delenv("AIPK_STATE_DIR", raising=False)
    monkeypatch.delenv("DAGSTER_HOME", raising=False)
    (tmp_path / "dagster.yaml").write_text((REPOSITORY / "dagster.yaml").read_text())
    pages = tmp_path / "corpora" / "birds" / "pages"
    pages.mkdir(parents=True)
    (pages.parent / "corpus.toml").write_text(CORPUS)
    (pages / "heron.md").write_text("# Heron\n\nThe grey heron stands 98 cm tall.\n")
    return tmp_path


def test_every_corpus_that_ships_is_a_group_with_an_asset_for_each_stage():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        definitions = build_definitions(REPOSITORY)
    graph = definitions.resolve_asset_graph()
    for corpus in ("larkfield", "kubernetes"):
        keys = {key for key in graph.get_all_asset_keys() if key.path[0] == corpus}
        assert {key.path[1] for key in keys} == set(STAGES)
        for key in keys:
            node = graph.get(key)
            assert node.group_name == corpus
            assert {parent.path[1] for parent in node.parent_keys} == set(STAGES[key.path[1]].depends_on)
            assert node.code_version
        assert definitions.resolve_job_def(f"{corpus}_build")


def test_a_changed_setting_makes_those_stages_stale_that_depend_on_it(project):
    def versions():
        graph = build_definitions(project).resolve_asset_graph()
        return {key.path[1]: graph.get(key).code_version for key in graph.get_all_asset_keys()}

    before = versions()
    file = project / "corpora" / "birds" / "corpus.toml"
    file.write_text(file.read_text() + "[chunks]\ntarget_tokens = 100\n")
    after = versions()
    assert {stage for stage in before if before[stage] != after[stage]} == {"chunks"}


def test_a_broken_corpus_does_not_hide_the_others(project):
    broken = project / "corpora" / "broken"
    broken.mkdir()
    (broken / "corpus.toml").write_text("titel = 'x'")
    graph = build_definitions(project).resolve_asset_graph()
    assert dg.AssetKey(["birds", "package"]) in graph.get_all_asset_keys()
    assert "titel" in graph.get(dg.AssetKey(["Broken_broken", "corpus_toml"])).description


def test_the_run_through_dagster_gives_the_same_content_as_the_plain_one(project):
    corpus = project / "corpora" / "birds"
    through_dagster = run_build(corpus, BuildOptions())
    assert {result.stage for result in through_dagster} == set(STAGES)
    digest = read_manifest(project / "dist" / "birds.aipk").content_digest
    assert digest == next(result.version for result in through_dagster if result.stage == "package")
    plain = {result.stage: result for result in build(corpus, BuildOptions())}
    assert plain["package"].unchanged
    assert plain["package"].version == digest
    # All state is in one folder of the project.
    assert {path.name for path in project.iterdir()} == {".aipk", "corpora", "dagster.yaml", "dist"}


def test_two_corpora_of_one_name_do_not_hide_the_others(project):
    for folder in ("birds-2", "birds 2"):
        (project / "corpora" / folder).mkdir()
        (project / "corpora" / folder / "corpus.toml").write_text('name = "birds"\n' + CORPUS)
    graph = build_definitions(project).resolve_asset_graph()
    asked = [key for key in graph.get_all_asset_keys() if key.path[1] == "corpus_toml"]
    assert len(asked) == 2
    assert all("is called 'birds' too" in graph.get(key).description for key in asked)
    assert any(key.path == ["birds", "package"] for key in graph.get_all_asset_keys())


def test_a_project_without_settings_for_dagster_uses_those_that_ship(project):
    (project / "dagster.yaml").unlink()
    results = run_build(project / "corpora" / "birds", BuildOptions(until="chunks"))
    assert [result.stage for result in results] == ["documents", "chunks"]
    corpus = project / "corpora" / "birds"
    assert not (project / "dagster.yaml").exists()
    # Nothing says where the project begins, so the corpus is one of its own.
    assert {path.name for path in corpus.iterdir()} == {".aipk", "corpus.toml", "pages"}
    assert (corpus / ".aipk" / "state" / "dagster_home" / "dagster.yaml").is_file()


@pytest.mark.parametrize("name", ["dagster.yaml", "workspace.yaml"])
def test_the_settings_that_ship_are_those_of_this_project(name):
    shipped = REPOSITORY / "aipk_core" / "store" / "dagster" / name
    assert shipped.read_bytes() == (REPOSITORY / name).read_bytes()


def test_an_error_of_a_stage_comes_through_as_itself(project):
    (project / "corpora" / "birds" / "pages" / "heron.md").unlink()
    with pytest.raises(CorpusError) as caught:
        run_build(project / "corpora" / "birds", BuildOptions())
    assert caught.value.code == "corpus-empty"


def _locked(root, ready, done):
    with Workspace(root).lock("build-birds"):
        ready.set()
        done.wait(60)


def test_a_second_build_at_once_is_refused_with_a_clear_message(project):
    import multiprocessing

    context = multiprocessing.get_context("spawn")
    ready, done = context.Event(), context.Event()
    other = context.Process(target=_locked, args=(project, ready, done))
    other.start()
    try:
        assert ready.wait(60)
        with pytest.raises(StoreError, match="already running"):
            run_build(project / "corpora" / "birds", BuildOptions())
    finally:
        done.set()
        other.join(60)


def test_metadata_is_small_and_plain():
    rows = tuple({"text": "<script>|" * 500, "n": number} for number in range(500))
    result = StageResult("chunks", 500, 1, 499, "v", Path("out"), facts={"a": {"b": 1}, "n": 3}, sample=rows)
    metadata = stage_metadata(result)
    assert metadata["cache hits"] == 1
    sample = metadata["sample"].md_str
    assert "<script>" not in sample
    assert len(sample) < 50_000


def test_the_code_location_has_one_name_everywhere():
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["tool"]["dg"]["project"]
    (entry,) = yaml.safe_load((REPOSITORY / "workspace.yaml").read_text())["load_from"]
    assert project["code_location_name"] == entry["python_module"]["location_name"] == "aipk"
    assert project["code_location_target_module"] == entry["python_module"]["module_name"]


def test_dagster_sends_nothing_home():
    settings = yaml.safe_load((REPOSITORY / "dagster.yaml").read_text())
    assert settings["telemetry"] == {"enabled": False}
    assert settings["nux"] == {"enabled": False}


def test_annotations_of_pipelines_are_evaluated():
    # Dagster looks at the types of assets and resources; postponed annotations would hide them.
    for file in (REPOSITORY / "pipelines").glob("*.py"):
        assert "from __future__ import annotations" not in file.read_text(), file.name


def test_the_library_never_imports_dagster_or_pipelines():
    for file in (REPOSITORY / "aipk_core").rglob("*.py"):
        assert not re.search(r"^\s*(?:from|import) (?:dagster|pipelines)\b", file.read_text(), re.MULTILINE), file
    program = (
        "import sys, aipk_core, aipk_core.build, aipk_core.cli\n"
        "heavy = {'dagster', 'lancedb', 'spacy', 'litellm', 'onnxruntime', 'pandas'} & set(sys.modules)\n"
        "sys.exit(repr(heavy) if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
