"""Kubernetes: an indexed Job whose pods share the shards among them, started with ``kubectl``.

    AIPK_JOB_IMAGE     image with aipk in it
    AIPK_JOB_CLAIM     name of the PersistentVolumeClaim that is mounted where AIPK_SHARDS says, in the build and in the pods
    AIPK_JOB_PODS      pods at once (default 4)
    AIPK_JOB_NAMESPACE namespace (default: that of kubectl)

Every pod runs ``python -m aipk_core.executors.worker``; a pod that is lost is started again by Kubernetes and finds what
is done by its receipts.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from typing import Any

from aipk_core.errors import StoreError
from aipk_core.executors.model import ShardFolder
from aipk_core.executors.waiting import RemoteExecutor
from aipk_core.hashing import digest

_APPLY_SECONDS = 60


class KubernetesExecutor(RemoteExecutor):
    """Starts one Job for each hand-out of shards.

    Raises:
        StoreError: ``kubectl`` is not there (``executor-missing``) or a setting is (``executor-unset``).
    """

    name = "kubernetes"

    def __init__(self, folder: ShardFolder) -> None:
        super().__init__(folder, patience=1800.0)
        self._kubectl = shutil.which("kubectl")
        if self._kubectl is None:
            raise StoreError(
                "kubectl is not installed", code="executor-missing", where="kubernetes", remedy="Install kubectl"
            )
        self._image, self._claim = _setting("AIPK_JOB_IMAGE"), _setting("AIPK_JOB_CLAIM")
        self._pods = int(os.environ.get("AIPK_JOB_PODS", "4"))

    def _hand_out(self, names: Sequence[str]) -> None:
        if not names:
            return
        job = job_manifest(names, self._image, self._claim, str(self._folder.folder), self._pods)
        namespace = os.environ.get("AIPK_JOB_NAMESPACE")
        command = [str(self._kubectl), "apply", *(["--namespace", namespace] if namespace else []), "-f", "-"]
        done = subprocess.run(  # noqa: S603 - the program was found, the arguments are ours
            command, input=json.dumps(job), text=True, capture_output=True, timeout=_APPLY_SECONDS, check=False
        )
        if done.returncode:
            raise StoreError(
                f"kubectl apply failed: {done.stderr.strip()[:300]}",
                code="workers-failed",
                where="kubernetes",
                remedy="Check the cluster, the namespace and the settings AIPK_JOB_*",
            )


def job_manifest(names: Sequence[str], image: str, claim: str, folder: str, pods: int) -> dict[str, Any]:
    """The Job that does the shards ``names``, split over ``pods`` pods; its name comes from the shards alone."""
    pods = max(1, min(pods, len(names)))
    worker = ["python", "-m", "aipk_core.executors.worker", folder, "--parts", str(pods)]
    container = {
        "name": "worker",
        "image": image,
        "command": worker,
        "env": [{"name": "AIPK_SHARDS", "value": folder}],
        "volumeMounts": [{"name": "shards", "mountPath": folder}],
        "resources": {"requests": {"cpu": "2", "memory": "2Gi"}, "limits": {"memory": "3Gi"}},
        "securityContext": {"allowPrivilegeEscalation": False, "runAsNonRoot": True},
    }
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": f"aipk-{digest(sorted(names))[:24]}", "labels": {"app": "aipk-worker"}},
        "spec": {
            "completionMode": "Indexed",
            "completions": pods,
            "parallelism": pods,
            "backoffLimit": 6 * pods,
            "ttlSecondsAfterFinished": 3600,
            "template": {
                "metadata": {"labels": {"app": "aipk-worker"}},
                "spec": {
                    "restartPolicy": "Never",
                    "containers": [container],
                    "volumes": [{"name": "shards", "persistentVolumeClaim": {"claimName": claim}}],
                },
            },
        },
    }


def _setting(name: str) -> str:
    value = os.environ.get(name)
    if not value:
        raise StoreError(
            f"the environment variable {name} is not set",
            code="executor-unset",
            where="kubernetes",
            remedy=f"Set {name}",
        )
    return value
