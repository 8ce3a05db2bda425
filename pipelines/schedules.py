"""When a corpus is rebuilt by itself."""

from typing import Any

import dagster as dg

from aipk_core.corpus import Corpus


def refresh_schedule(corpus: Corpus, job: Any) -> dg.ScheduleDefinition:
    """The schedule of ``[refresh]``; stopped until somebody starts it in the UI."""
    return dg.ScheduleDefinition(
        name=f"{corpus.name}_refresh",
        job=job,
        cron_schedule=corpus.settings.refresh.cron,
        default_status=dg.DefaultScheduleStatus.STOPPED,
        tags={"aipk/corpus": corpus.name},
    )
