"""Checks, sensors, pictures and the run history of Dagster's part."""

import subprocess
import sys
from pathlib import Path

import dagster as dg
import pytest

from aipk_core.build import BuildOptions, build
from aipk_core.corpus import load_corpus
from aipk_core.errors import PackageError
from aipk_core.package import read_manifest
from aipk_core.stages.package_checks import COVERAGE, PACKAGE_CHECKS
from aipk_core.store.workspace import Workspace
from pipelines.corpus_assets import corpus_job, packaging_job
from pipelines.definitions import build_definitions
from pipelines.plots import MAX_PICTURE_BYTES, cache_use, claims_over_time, time_by_stage
from pipelines.retention import delete_runs
from pipelines.run import dagster_instance, run_build
from pipelines.sensors import ledger_sensor, source_sensor

REPOSITORY = Path(__file__).resolve().parents[2]
CORPUS = """
[[sources]]
type = "files"
path = "pages"
[claims]
conflicts = "off"
[review]
policy = "auto"
checks = ["exact-quote"]
[refresh]
cron = "0 5 * * 1"
fresh_days = 9
"""


@pytest.fixture
def corpus(tmp_path, monkeypatch):
    monkeypatch.delenv("AIPK_STATE_DIR", raising=False)
    monkeypatch.delenv("DAGSTER_HOME", raising=False)
    (tmp_path / "dagster.yaml").write_text((REPOSITORY / "dagster.yaml").read_text())
    folder = tmp_path / "corpora" / "birds"
    (folder / "pages").mkdir(parents=True)
    (folder / "corpus.toml").write_text(CORPUS)
    lines = "\n".join(f"\nHeron {n} was ringed in {n + 1900}.\n" for n in range(30))
    (folder / "pages" / "heron.md").write_text(f"# Heron\n\nThe grey heron stands 98 cm tall.\n{lines}")
    return folder


def looked(sensor, instance, cursor=None):
    with dg.build_sensor_context(instance=instance, cursor=cursor) as context:
        outcome = sensor(context)
        return outcome, context.cursor


def test_a_changed_source_starts_one_run_for_its_latest_state(corpus):
    sensor = source_sensor(load_corpus(corpus), corpus_job(load_corpus(corpus)))
    page = corpus / "pages" / "heron.md"
    with dg.DagsterInstance.ephemeral() as instance:
        outcome, _ = looked(sensor, instance)
        (request,) = outcome.run_requests  # never built
        assert request.tags["aipk/corpus"] == "birds"
        again, cursor = looked(sensor, instance, outcome.cursor)
        assert isinstance(again, dg.SkipReason)
        page.write_text(page.read_text() + "\nIt is shy.\n")
        page.write_text(page.read_text() + "\nIt is slow.\n")
        outcome, _ = looked(sensor, instance, cursor)
        assert len(outcome.run_requests) == 1
        with Workspace.of(corpus).lock("build-birds"):  # by this very process: no obstacle
            assert not isinstance(looked(sensor, instance, cursor)[0], dg.SkipReason)
        instance.add_run(
            dg.DagsterRun("birds_build", status=dg.DagsterRunStatus.STARTED, tags={"aipk/corpus": "birds"})
        )
        waiting, _ = looked(sensor, instance, cursor)
        assert "under way" in waiting.skip_message


def test_what_was_built_already_starts_nothing(corpus):
    build(corpus, BuildOptions(until="documents"))
    sensor = source_sensor(load_corpus(corpus), corpus_job(load_corpus(corpus)))
    with dg.DagsterInstance.ephemeral() as instance:
        outcome, _ = looked(sensor, instance)
    assert "not changed" in outcome.skip_message


def test_a_review_decision_starts_packaging(corpus):
    loaded = load_corpus(corpus)
    sensor = ledger_sensor(loaded, packaging_job(loaded))
    with dg.DagsterInstance.ephemeral() as instance:
        first, cursor = looked(sensor, instance)
        assert isinstance(first, dg.SkipReason)
        (corpus / "reviews.jsonl").write_text("{}\n")
        outcome, _ = looked(sensor, instance, cursor)
        assert len(outcome.run_requests) == 1


def test_definitions_have_schedule_sensors_freshness_and_both_jobs(corpus):
    definitions = build_definitions(corpus.parent.parent)
    repository = definitions.get_repository_def()
    assert {sensor.name for sensor in repository.sensor_defs} >= {"birds_sources", "birds_reviews"}
    assert [schedule.name for schedule in repository.schedule_defs] == ["birds_refresh"]
    packaging = repository.get_job("birds_package")
    assert dg.AssetKey(["birds", "documents"]) not in packaging.asset_layer.executable_asset_keys
    spec = next(spec for spec in definitions.resolve_all_asset_specs() if spec.key.path[-1] == "package")
    assert spec.freshness_policy is not None


def test_checks_are_shown_and_a_failed_one_publishes_nothing(corpus):
    run_build(corpus, BuildOptions())
    workspace = Workspace.of(corpus)
    pointer = workspace.dist / "birds.aipk"
    good = read_manifest(pointer).content_digest
    key = dg.AssetKey(["birds", "package"])

    def shown():
        with dagster_instance(workspace) as instance:
            checks = [dg.AssetCheckKey(key, name) for name in PACKAGE_CHECKS]
            found = instance.event_log_storage.get_latest_asset_check_execution_by_key(checks)
            return {check.name: record.status.value for check, record in found.items()}

    assert shown() == dict.fromkeys(PACKAGE_CHECKS, "SUCCEEDED")
    page = corpus / "pages" / "heron.md"
    page.write_text("\n\n".join(page.read_text().split("\n\n")[:12]))  # most claims are gone at once
    with pytest.raises(PackageError) as caught:
        run_build(corpus, BuildOptions())
    assert caught.value.code == "check-failed"
    assert shown()[COVERAGE] == "FAILED"
    assert read_manifest(pointer).content_digest == good
    assert not list(workspace.dist.glob(".*"))
    run_build(corpus, BuildOptions(allow_shrink=True))
    assert read_manifest(pointer).content_digest != good

    with dagster_instance(workspace) as instance:
        runs = instance.get_runs()
        assert {run.tags["aipk/corpus"] for run in runs} == {"birds"}
        assert all(run.tags["aipk/revision"] for run in runs)
        event = instance.get_latest_materialization_event(key)
        assert len(dg.serialize_value(event)) < 50_000
        assert "build time" in event.asset_materialization.metadata
    assert delete_runs(workspace, 1) == 2
    with dagster_instance(workspace) as instance:
        assert [run.run_id for run in instance.get_runs()] == [runs[0].run_id]


def test_waiting_for_review_is_a_normal_end_and_nothing_unchecked_counts_as_passed(corpus):
    file = corpus / "corpus.toml"
    file.write_text(file.read_text().replace('policy = "auto"\nchecks = ["exact-quote"]', 'policy = "manual"'))
    results = {result.stage: result for result in run_build(corpus, BuildOptions())}
    assert "wait for review" in results["package"].waiting
    workspace = Workspace.of(corpus)
    key = dg.AssetKey(["birds", "package"])
    with dagster_instance(workspace) as instance:
        (finished,) = instance.get_runs()
        assert finished.status is dg.DagsterRunStatus.SUCCESS
        checks = [dg.AssetCheckKey(key, name) for name in PACKAGE_CHECKS]
        found = instance.event_log_storage.get_latest_asset_check_execution_by_key(checks)
        assert {record.status.value for record in found.values()} == {"FAILED"}
    assert not workspace.dist.exists()


def test_pictures_stay_small_however_long_the_history_is():
    statuses = {"extracted": 5, "reviewed": 1, "canonical": 90_000, "deprecated": 3}
    history = []
    for number in range(500):
        history.append({"stage": "documents", "seconds": 2.5, "hits": number, "misses": 7})
        history.append({"stage": "reviewed_claims", "seconds": 0.1, "hits": 0, "misses": 9, "statuses": statuses})
    for picture in (claims_over_time(history), cache_use(history, "documents"), time_by_stage(history)):
        assert picture.startswith("![")
        assert len(picture) < MAX_PICTURE_BYTES + 200
    assert claims_over_time([]) == cache_use([], "documents") == time_by_stage([]) == ""


def test_the_code_location_loads_without_a_warning(corpus):
    dg_command = Path(sys.executable).with_name("dg")
    if not dg_command.is_file():
        pytest.skip("Dagster's command dg is not installed")
    program = "import warnings; warnings.simplefilter('error'); import pipelines.definitions"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, cwd=REPOSITORY)
    assert done.returncode == 0, done.stderr
