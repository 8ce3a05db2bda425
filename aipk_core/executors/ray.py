"""Ray: shards as remote tasks of a cluster that ``RAY_ADDRESS`` names. Workers must see the shared folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from aipk_core.errors import StoreError
from aipk_core.executors.model import ShardFolder
from aipk_core.executors.waiting import RemoteExecutor


class RayExecutor(RemoteExecutor):
    """Hands shards to Ray.

    Raises:
        StoreError: Ray is not installed (code ``executor-missing``).
    """

    name = "ray"

    def __init__(self, folder: Path) -> None:
        super().__init__(ShardFolder(folder))
        try:
            import ray  # type: ignore[import-not-found, unused-ignore]
        except ImportError as error:
            raise StoreError(
                "Ray is not installed", code="executor-missing", where="ray", remedy="Install it with: pip install ray"
            ) from error
        if not ray.is_initialized():
            ray.init(address="auto", ignore_reinit_error=True, include_dashboard=False)
        self._task: Any = ray.remote(max_retries=3)(compute_shard)
        self._references: list[Any] = []

    def _hand_out(self, names: Sequence[str]) -> None:
        # References are kept: Ray cancels work that nobody refers to.
        self._references = [self._task.remote(str(self._folder.folder.resolve()), name) for name in names]


def compute_shard(folder: str, name: str) -> None:
    """Do one shard; runs on a worker of the cluster."""
    ShardFolder(Path(folder)).compute(name)
