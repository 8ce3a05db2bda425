"""Which executor a build uses: ``$AIPK_EXECUTOR``, else ``[execution] backend`` of the corpus."""

from __future__ import annotations

import os
from pathlib import Path

from aipk_core.errors import StoreError, UsageError
from aipk_core.executors.local import ProcessExecutor, SerialExecutor
from aipk_core.executors.model import Executor, ShardFolder

BACKENDS = ("serial", "processes", "celery", "ray", "kubernetes")
REMOTE = frozenset({"celery", "ray", "kubernetes"})
"""Backends whose workers may be on other machines."""


def executor_name(setting: str = "processes") -> str:
    """The backend to use.

    Raises:
        UsageError: there is no such backend.
    """
    name = os.environ.get("AIPK_EXECUTOR") or setting
    if name not in BACKENDS:
        raise UsageError(
            f"there is no executor '{name}'", where="AIPK_EXECUTOR", remedy=f"Use one of: {', '.join(BACKENDS)}"
        )
    return name


def open_executor(name: str, folder: Path, workers: int = 0) -> Executor:
    """The executor called ``name``.

    Args:
        folder: where shards and results lie, for backends of this machine; others take ``$AIPK_SHARDS`` first.
        workers: processes of the backend ``processes``; 0 takes as many as there are processors.

    Raises:
        StoreError: what the backend needs is missing, or no worker answers.
        UsageError: there is no such backend.
    """
    shared = Path(os.environ.get("AIPK_SHARDS") or folder)
    if name == "serial":
        return SerialExecutor()
    if name == "processes":
        return ProcessExecutor(folder, workers)
    if name == "celery":
        try:
            from aipk_core.executors.celery import CeleryExecutor
        except ImportError as error:
            raise StoreError(
                "Celery is not installed",
                code="executor-missing",
                where="celery",
                remedy="Install it with: pip install 'aipk[celery]'",
            ) from error
        return CeleryExecutor(patience=float(os.environ.get("AIPK_PATIENCE_SECONDS", "600")))
    if name == "ray":
        from aipk_core.executors.ray import RayExecutor

        return RayExecutor(shared)
    if name == "kubernetes":
        from aipk_core.executors.kubernetes import KubernetesExecutor

        return KubernetesExecutor(ShardFolder(shared))
    raise UsageError(f"there is no executor '{name}'", remedy=f"Use one of: {', '.join(BACKENDS)}")
