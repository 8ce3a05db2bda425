"""Celery workers: ``celery -A aipk_core.executors.celery worker`` on any machine that sees broker and folder.

Settings come from the environment, the same for workers and for the build:

    AIPK_BROKER   address of the broker, for example redis://127.0.0.1:6379/0
    AIPK_SHARDS   the folder that all share

Messages are JSON and hold the name of a shard, nothing else; what is done comes from the folder and from this program.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from celery import Celery

from aipk_core.errors import StoreError
from aipk_core.executors.model import ShardFolder
from aipk_core.executors.waiting import RemoteExecutor

TASK = "aipk.shard"
QUEUE = "aipk"
_NAME = re.compile(r"[0-9a-f]{64}\Z")
_PING_SECONDS = 10.0
_SILENCES = 2


def broker_settings(broker: str) -> dict[str, Any]:
    """Celery's settings: a message is acknowledged when its work is done, so that a worker's death loses none."""
    return {
        "broker_url": broker,
        "result_backend": None,
        "task_ignore_result": True,
        "task_serializer": "json",
        "accept_content": ["json"],
        "task_acks_late": True,
        "task_reject_on_worker_lost": True,
        "task_default_queue": QUEUE,
        "worker_prefetch_multiplier": 1,
        "worker_hijack_root_logger": False,
        "worker_send_task_events": False,
        "broker_connection_retry_on_startup": True,
        "broker_connection_timeout": 10,
        "broker_transport_options": {"visibility_timeout": 3600},
    }


def shard_folder() -> Path:
    """The folder that workers and builds share.

    Raises:
        StoreError: ``AIPK_SHARDS`` is not set.
    """
    folder = os.environ.get("AIPK_SHARDS")
    if not folder:
        raise StoreError(
            "the environment variable AIPK_SHARDS is not set",
            code="executor-unset",
            remedy="Set it to a folder that workers and builds share",
        )
    return Path(folder)


app = Celery("aipk")
app.conf.update(broker_settings(os.environ.get("AIPK_BROKER", "redis://127.0.0.1:6379/0")))


@app.task(name=TASK)  # type: ignore[untyped-decorator, unused-ignore]
def shard_task(name: str) -> None:
    """Do one shard."""
    if isinstance(name, str) and _NAME.match(name):
        ShardFolder(shard_folder()).compute(name)


class CeleryExecutor(RemoteExecutor):
    """Hands shards to Celery workers."""

    name = "celery"

    def __init__(self, *, patience: float = 600.0) -> None:
        super().__init__(ShardFolder(shard_folder()), patience)
        self._silences = _SILENCES - 1  # at the start all are idle, and one silence tells enough
        self._check_workers()

    def _hand_out(self, names: Sequence[str]) -> None:
        for name in names:
            shard_task.apply_async((name,), queue=QUEUE)

    def _check_workers(self) -> None:
        from kombu.exceptions import OperationalError

        try:
            answers = app.control.ping(timeout=_PING_SECONDS)
        except (OperationalError, OSError) as error:
            raise StoreError(
                f"the broker cannot be reached: {error}",
                code="workers-failed",
                where="AIPK_BROKER",
                remedy="Start the broker, or correct its address",
            ) from error
        # A worker that is deep in its work may not answer in time; nobody is not there because of one silence.
        self._silences = 0 if answers else self._silences + 1
        if self._silences >= _SILENCES:
            raise StoreError(
                "no Celery worker answers",
                code="workers-failed",
                where="AIPK_BROKER",
                remedy="Start one: celery -A aipk_core.executors.celery worker",
            )
