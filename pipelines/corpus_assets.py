"""The assets of one corpus: one for each stage, in a group of the corpus's name."""

from pathlib import Path
from typing import Any

import dagster as dg

from aipk_core.build import BuildOptions, building
from aipk_core.corpus import Corpus, load_corpus
from aipk_core.errors import AipkError
from aipk_core.stages import STAGES, Stage, run_timed
from aipk_core.store.workspace import Workspace
from pipelines.metadata import stage_metadata

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


def broken_corpus_asset(folder: Path, error: AipkError) -> dg.AssetsDefinition:
    """Stands in for a corpus whose settings cannot be read, so that the other corpora still load."""
    name = "".join(character if character.isalnum() else "_" for character in folder.name)

    @dg.asset(
        key=[name, "corpus_toml"],
        group_name=name or "broken",
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
    )
    def stage_asset(
        context: dg.AssetExecutionContext, build_options: dg.ResourceParam[BuildOptions]
    ) -> dg.MaterializeResult[None]:
        try:
            current = load_corpus(folder, paths=build_options.paths)
            workspace = Workspace.of(folder)
            build_options.on_stage(stage.name, None)
            with building(current, workspace):
                result = run_timed(stage.load(), build_options.context(current, workspace, stage.name))
        except AipkError as error:
            # The traceback says nothing to the user; the error says what happened, where, and what to do.
            raise dg.Failure(description=str(error), metadata={"code": error.code}, allow_retries=False) from error
        build_options.on_stage(stage.name, result)
        for warning in result.warnings[:50]:
            context.log.warning(warning)
        return dg.MaterializeResult(metadata=stage_metadata(result), data_version=dg.DataVersion(result.version))

    return stage_asset
