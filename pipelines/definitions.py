"""Everything that Dagster loads: the assets, jobs and schedules of every corpus under ``corpora/``."""

import os
from pathlib import Path

import dagster as dg

from aipk_core.build import BuildOptions
from aipk_core.corpus import CORPUS_FILE, Corpus, find_corpora, load_corpus
from aipk_core.errors import AipkError, CorpusError
from pipelines.corpus_assets import OPTIONS, broken_corpus_asset, corpus_assets, corpus_job, packaging_job
from pipelines.schedules import refresh_schedule
from pipelines.sensors import ledger_sensor, source_sensor


def project_folder() -> Path:
    """The project whose corpora are loaded: ``$AIPK_PROJECT``, or the folder that this package lies in."""
    return Path(os.environ.get("AIPK_PROJECT") or Path(__file__).resolve().parent.parent)


def build_definitions(root: Path, *, options: BuildOptions | None = None, only: Path | None = None) -> dg.Definitions:
    """Assets, jobs, schedules and sensors of the corpora under ``root/corpora``.

    Args:
        options: how builds are run.
        only: load this one corpus folder instead, and let its errors through.
    """
    assets: list[dg.AssetsDefinition] = []
    jobs = []
    schedules = []
    sensors = []
    folders: dict[str, Path] = {}
    for folder in [only] if only else find_corpora(root):
        try:
            corpus = load_corpus(folder, paths=options.paths if options else None)
            if corpus.name in folders:
                raise _same_name(corpus, folders[corpus.name])
        except AipkError as error:
            if only:
                raise
            assets.append(broken_corpus_asset(folder, error))
            continue
        folders[corpus.name] = folder
        assets.extend(corpus_assets(corpus))
        job, packaging = corpus_job(corpus), packaging_job(corpus)
        jobs += [job, packaging]
        sensors += [source_sensor(corpus, job), ledger_sensor(corpus, packaging)]
        if corpus.settings.refresh.cron:
            schedules.append(refresh_schedule(corpus, job))
    return dg.Definitions(
        assets=assets,
        jobs=jobs,
        schedules=schedules,
        sensors=sensors,
        resources={OPTIONS: options or BuildOptions()},
        executor=dg.in_process_executor,
    )


def _same_name(corpus: Corpus, other: Path) -> CorpusError:
    return CorpusError(
        f"the corpus in '{other.name}' is called '{corpus.name}' too",
        where=str(corpus.folder / CORPUS_FILE),
        remedy="Give each corpus a name of its own",
    )


defs = build_definitions(project_folder())
