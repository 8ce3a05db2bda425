"""Run a build through Dagster in this process, so that its lineage and history show in the UI."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import dagster as dg
from filelock import FileLock

from aipk_core.build import BuildOptions, building, check_own_files
from aipk_core.corpus import load_corpus
from aipk_core.errors import AipkError, StoreError
from aipk_core.stages import StageResult
from aipk_core.store.dagster_home import dagster_home
from aipk_core.store.workspace import Workspace
from pipelines.definitions import build_definitions

_LONGEST_CHAIN = 50
_QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}


def run_build(path: Path, options: BuildOptions) -> list[StageResult]:
    """Materialize the assets of the corpus at ``path`` and return what each stage did.

    Raises:
        AipkError: what the failing stage raised, as if it had been called directly.
    """
    corpus = load_corpus(path, paths=options.paths)
    workspace = Workspace.of(corpus.folder)
    stages = options.stages()
    check_own_files(corpus, stages)
    results: list[StageResult] = []

    def on_stage(stage: str, result: StageResult | None) -> None:
        if result is not None:
            results.append(result)
        options.on_stage(stage, result)

    definitions = build_definitions(workspace.root, options=replace(options, on_stage=on_stage), only=corpus.folder)
    selection = [dg.AssetKey([corpus.name, stage]) for stage in stages]
    tags = {"aipk/corpus": corpus.name, "aipk/version": corpus.settings.version, "aipk/started_by": "aipk build"}
    with building(corpus, workspace), dagster_instance(workspace) as instance:
        job = definitions.resolve_job_def(f"{corpus.name}_build")
        try:
            job.execute_in_process(instance=instance, run_config=_QUIET, asset_selection=selection, tags=tags)
        except dg.Failure as failure:
            if isinstance(failure.__cause__, AipkError):
                raise failure.__cause__ from None
            raise
        except dg.DagsterExecutionInterruptedError:
            raise KeyboardInterrupt from None  # Dagster has noted that the run was stopped
        except Exception as error:
            if _is_full_disk(error):
                raise StoreError(
                    "the disk is full",
                    code="disk-full",
                    where=str(workspace.state),
                    remedy="Free some space and build again",
                ) from error
            raise
    return results


def _is_full_disk(error: BaseException | None) -> bool:
    """Whether an error of Dagster's own storage comes from a full disk; SQLite says so in words."""
    for _ in range(_LONGEST_CHAIN):  # chains of causes can be circles
        if error is None:
            break
        if getattr(error, "errno", None) == errno.ENOSPC or "database or disk is full" in str(error):
            return True
        error = error.__cause__ or error.__context__
    return False


@contextmanager
def dagster_instance(workspace: Workspace) -> Iterator[dg.DagsterInstance]:
    """The project's Dagster instance: its settings from ``dagster.yaml`` (aipk's own where it has none), its state under
    ``.aipk/state``."""
    home = dagster_home(workspace)
    workspace.state.mkdir(parents=True, exist_ok=True)
    # Dagster's settings name these variables; they are put back, for a library must not change its caller's environment.
    with _environment(DAGSTER_HOME=str(home), AIPK_STATE_DIR=str(workspace.state)):
        # Two processes that use a fresh folder at once would both create the tables, and one would die of it.
        with FileLock(workspace.state / "dagster.lock", timeout=120):
            instance = dg.DagsterInstance.get()
            instance.get_runs(limit=1)
            list(instance.event_log_storage.get_asset_records())
        with instance:
            yield instance


@contextmanager
def _environment(**values: str) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
