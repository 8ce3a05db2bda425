"""What starts a run by itself: a source that has changed, and a review decision."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import dagster as dg

from aipk_core.build import building
from aipk_core.corpus import Corpus, load_corpus
from aipk_core.documents.sources import open_source
from aipk_core.errors import AipkError, StoreError
from aipk_core.hashing import digest, digest_file
from aipk_core.store.workspace import Workspace

_SECONDS_BETWEEN_LOOKS = 600
_SECONDS_BETWEEN_LEDGER_LOOKS = 30
_UNFINISHED = [
    dg.DagsterRunStatus.QUEUED,
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
    dg.DagsterRunStatus.CANCELING,
]


def source_sensor(corpus: Corpus, job: Any) -> dg.SensorDefinition:
    """Starts one run when a source is in another state: a git revision, the ETags of pages, the digests of files.

    The cursor is the state for which the last run was started. While a run of the corpus is under way nothing is started;
    the next look then sees the latest state, however many states have come and gone between.
    """
    folder = corpus.folder

    @dg.sensor(
        name=f"{corpus.name}_sources",
        job=job,
        minimum_interval_seconds=_SECONDS_BETWEEN_LOOKS,
        default_status=dg.DefaultSensorStatus.STOPPED,
        description=f"Builds {corpus.title} when one of its sources has changed.",
    )
    def sources_changed(context: dg.SensorEvaluationContext) -> dg.SensorResult | dg.SkipReason:
        if _under_way(context, corpus.name):
            return dg.SkipReason("a run of this corpus is under way")
        try:
            current = load_corpus(folder)
            workspace = Workspace.of(folder)
            with building(current, workspace):
                revisions = source_revisions(current, workspace)
                built = _built_revisions(workspace, current.name)
        except StoreError as error:
            if error.code == "store-locked":
                return dg.SkipReason("a build of this corpus is under way")
            raise
        state = digest(revisions)
        if state == (context.cursor or digest(built)):
            context.update_cursor(state)
            return dg.SkipReason("the sources have not changed")
        tags = {"aipk/corpus": corpus.name, "aipk/revision": state[:16]}
        return dg.SensorResult(run_requests=[dg.RunRequest(tags=tags)], cursor=state)

    return sources_changed


def ledger_sensor(corpus: Corpus, job: Any) -> dg.SensorDefinition:
    """Starts packaging when a decision was added to the review ledger; several within a look make one run."""
    ledger = corpus.ledger

    @dg.sensor(
        name=f"{corpus.name}_reviews",
        job=job,
        minimum_interval_seconds=_SECONDS_BETWEEN_LEDGER_LOOKS,
        default_status=dg.DefaultSensorStatus.STOPPED,
        description=f"Packages {corpus.title} anew when its review ledger has new decisions.",
    )
    def ledger_changed(context: dg.SensorEvaluationContext) -> dg.SensorResult | dg.SkipReason:
        if _under_way(context, corpus.name):
            return dg.SkipReason("a run of this corpus is under way")
        state = digest_file(ledger) if ledger.is_file() else "no ledger"
        if context.cursor is None or state == context.cursor:
            context.update_cursor(state)
            return dg.SkipReason("no new decisions")
        tags = {"aipk/corpus": corpus.name, "aipk/ledger": state[:16]}
        return dg.SensorResult(run_requests=[dg.RunRequest(tags=tags)], cursor=state)

    return ledger_changed


def source_revisions(corpus: Corpus, workspace: Workspace) -> dict[str, str]:
    """Source name -> revision of its present state. Nothing is loaded; pages that have an ETag are asked with it.

    Raises:
        SourceError: a source cannot be read.
    """
    with _opened(corpus, workspace) as snapshots:
        return {snapshot.settings.name: snapshot.revision for snapshot in snapshots}


@contextmanager
def _opened(corpus: Corpus, workspace: Workspace) -> Iterator[Sequence[Any]]:
    snapshots: list[Any] = []
    try:
        for source in corpus.settings.sources:
            snapshots.append(open_source(source, corpus.folder, workspace.sources))
        yield snapshots
    finally:
        for snapshot in snapshots:
            snapshot.close()


def _built_revisions(workspace: Workspace, corpus: str) -> dict[str, str]:
    try:
        manifest = workspace.read_manifest(corpus, "documents")
    except AipkError:
        return {}  # the build will say what is wrong with it
    return dict(manifest.facts["revisions"]) if manifest else {}


def _under_way(context: dg.SensorEvaluationContext, corpus: str) -> bool:
    wanted = dg.RunsFilter(tags={"aipk/corpus": corpus}, statuses=_UNFINISHED)
    return bool(context.instance.get_runs(wanted, limit=1))
