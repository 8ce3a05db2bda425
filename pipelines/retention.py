"""Shortening Dagster's run history, which grows with every run and is never shortened by itself."""

import dagster as dg

from aipk_core.errors import UsageError
from aipk_core.store.workspace import Workspace
from pipelines.run import dagster_instance

_FINISHED = [dg.DagsterRunStatus.SUCCESS, dg.DagsterRunStatus.FAILURE, dg.DagsterRunStatus.CANCELED]
_AT_ONCE = 500


def delete_runs(workspace: Workspace, keep: int) -> int:
    """Delete all finished runs but the last ``keep``, with their events, and return how many.

    Raises:
        UsageError: ``keep`` is not positive.
    """
    if keep < 1:
        raise UsageError("at least one run must be kept", remedy="Give a number from 1")
    deleted = 0
    with dagster_instance(workspace) as instance:
        kept = {run.run_id for run in instance.get_runs(dg.RunsFilter(statuses=_FINISHED), limit=keep)}
        while True:
            runs = instance.get_runs(dg.RunsFilter(statuses=_FINISHED), limit=len(kept) + _AT_ONCE)
            old = [run.run_id for run in runs if run.run_id not in kept]
            if not old:
                return deleted
            for run_id in old:
                instance.delete_run(run_id)
            deleted += len(old)
