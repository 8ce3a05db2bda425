"""Executors of this machine: one after the other, or in processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from aipk_core.documents.worker_pool import Lost, map_in_processes, useful_workers
from aipk_core.errors import StoreError
from aipk_core.executors.model import Shard, ShardFolder, work_named

_TRIES = 3
_SECONDS_PER_SHARD = 3600.0


class SerialExecutor:
    """Does shards in this process, one after the other, and keeps nothing between."""

    name = "serial"

    def map(self, shards: Sequence[Shard]) -> Iterator[tuple[Shard, bytes]]:
        """Every shard with its result, in order."""
        for shard in shards:
            yield shard, work_named(shard.work)(shard.payload)


class ProcessExecutor:
    """Does shards in processes of this machine; a process that dies is replaced and its shard tried again."""

    name = "processes"

    def __init__(self, folder: Path, workers: int = 0) -> None:
        self._folder = ShardFolder(folder)
        self._workers = workers or useful_workers()

    def map(self, shards: Sequence[Shard]) -> Iterator[tuple[Shard, bytes]]:
        """Every shard with its result.

        Raises:
            StoreError: a shard's process died ``_TRIES`` times (code ``workers-failed``).
        """
        left = list(shards)
        for shard in left:
            self._folder.ask(shard)
        for _ in range(_TRIES):
            by_name = {shard.name: shard for shard in left}
            workers = min(self._workers, len(left))
            answers = map_in_processes(_start, str(self._folder.folder), by_name, workers, _SECONDS_PER_SHARD)
            left = []
            for answer in answers:
                name = answer.item if isinstance(answer, Lost) else answer
                shard = by_name[name]
                result = self._folder.take(shard)
                if result is None:
                    left.append(shard)
                    continue
                yield shard, result
                self._folder.committed(shard)
            if not left:
                return
        raise StoreError(
            f"{len(left)} pieces of work ended their process {_TRIES} times",
            code="workers-failed",
            where=left[0].work,
            remedy="Give the machine more memory, or set fewer workers",
        )


def _start(folder: str) -> Callable[[str], str]:
    shards = ShardFolder(Path(folder))

    def work(name: str) -> str:
        shards.compute(name)
        return name

    return work
