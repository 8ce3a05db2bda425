"""The assets of one corpus: one for each stage, in a group of the corpus's name."""

import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import dagster as dg

from aipk_core.build import BuildOptions, building
from aipk_core.corpus import Corpus, load_corpus
from aipk_core.errors import AipkError
from aipk_core.hashing import digest
from aipk_core.stages import STAGES, Stage, run_timed
from aipk_core.stages.record import read_history
from aipk_core.store.workspace import Workspace
from pipelines.checks import check_results, check_specs, package_check_results
from pipelines.metadata import stage_metadata, stage_pictures

OPTIONS = "build_options"
"""Name of the resource that holds the ``BuildOptions`` of a run."""

_KINDS = {
    "documents": {"python"},
    "chunks": {"python"},
    "claims": {"python"},
    "embeddings": {"python", "lancedb"},
    "conflicts": {"python"},
    "reviewed_claims": {"python"},
    "package": {"lancedb"},
    "evaluation": {"python"},
}


def corpus_assets(corpus: Corpus) -> list[dg.AssetsDefinition]:
    """One asset for each stage; ``code_version`` changes when a setting changes that the stage depends on."""
    return [_asset(corpus, stage) for stage in STAGES.values()]


def corpus_job(corpus: Corpus) -> Any:
    """The job that materializes everything of a corpus."""
    return dg.define_asset_job(
        f"{corpus.name}_build",
        selection=dg.AssetSelection.groups(corpus.name),
        description=f"Build the package of {corpus.title}.",
        tags={"aipk/corpus": corpus.name},
    )


def packaging_job(corpus: Corpus) -> Any:
    """The job for new review decisions: everything but reading the sources."""
    stages = [dg.AssetKey([corpus.name, name]) for name in STAGES if name != "documents"]
    return dg.define_asset_job(
        f"{corpus.name}_package",
        selection=dg.AssetSelection.assets(*stages),
        description=f"Package {corpus.title} anew from the documents that it has.",
        tags={"aipk/corpus": corpus.name},
    )


def freshness(corpus: Corpus) -> dg.FreshnessPolicy | None:
    """``[refresh] fresh_days`` as Dagster shows it: after so long without a build the package counts as stale."""
    days = corpus.settings.refresh.fresh_days
    return dg.FreshnessPolicy.time_window(fail_window=timedelta(days=days)) if days else None


def broken_corpus_asset(folder: Path, error: AipkError) -> dg.AssetsDefinition:
    """Stands in for a corpus whose settings cannot be read, so that the other corpora still load."""
    # With a capital, which no corpus's name has, so that it is never taken for one; other letters than Dagster's go.
    name = "Broken_" + re.sub(r"[^A-Za-z0-9]", "_", folder.name)
    if name != f"Broken_{folder.name}":
        name += f"_{digest(folder.name)[:8]}"

    @dg.asset(
        key=[name, "corpus_toml"],
        group_name=name,
        description=f"corpus.toml cannot be read: {error}",
        tags={"aipk/broken": ""},
    )
    def corpus_toml() -> dg.MaterializeResult[None]:
        load_corpus(folder)
        return dg.MaterializeResult(metadata={"state": "the file is fine now; reload the code location"})

    return corpus_toml


def _asset(corpus: Corpus, stage: Stage) -> dg.AssetsDefinition:
    folder = corpus.folder

    @dg.asset(
        key=[corpus.name, stage.name],
        deps=[dg.AssetKey([corpus.name, name]) for name in stage.depends_on],
        group_name=corpus.name,
        description=stage.description,
        code_version=stage.settings_digest(corpus.settings)[:16],
        kinds=_KINDS[stage.name],
        tags={"aipk/stage": stage.name},
        check_specs=check_specs(corpus, stage.name),
        freshness_policy=freshness(corpus) if stage.name == "package" else None,
    )
    def stage_asset(
        context: dg.AssetExecutionContext, build_options: dg.ResourceParam[BuildOptions]
    ) -> Iterator[dg.MaterializeResult[None] | dg.AssetCheckResult]:
        try:
            current = load_corpus(folder, paths=build_options.paths)
            workspace = Workspace.of(folder)
            build_options.on_stage(stage.name, None)
            with building(current, workspace):
                result = run_timed(stage.load(), build_options.context(current, workspace, stage.name))
        except AipkError as error:
            if error.code in {"check-failed", "span-broken"} and stage.name == "package":
                yield from package_check_results(current, workspace)
            # The traceback says nothing to the user; the error says what happened, where, and what to do.
            raise dg.Failure(description=str(error), metadata={"code": error.code}, allow_retries=False) from error
        build_options.on_stage(stage.name, result)
        for warning in result.warnings[:50]:
            context.log.warning(warning)
        if stage.name == "documents":
            revisions = ",".join(str(value)[:16] for value in result.facts["revisions"].values())
            context.instance.add_run_tags(
                context.run.run_id, {"aipk/corpus": corpus.name, "aipk/revision": revisions[:200]}
            )
        metadata = stage_metadata(result) | stage_pictures(result.stage, read_history(workspace, corpus.name))
        checks = list(check_results(current, workspace, result))
        yield dg.MaterializeResult(metadata=metadata, data_version=dg.DataVersion(result.version), check_results=checks)

    return stage_asset
