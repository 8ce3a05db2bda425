"""What the executors of other machines share: they hand out names, and wait for receipts in the shared folder."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence

from aipk_core.errors import StoreError
from aipk_core.executors.model import Shard, ShardFolder

_LOOK_SECONDS = 0.1
_MAX_UNDER_WAY = 256


class RemoteExecutor(ABC):
    """Hands out shards and waits for their receipts.

    A shard whose receipt does not come within ``patience`` seconds is handed out again: its worker may be gone. That two
    workers then do it costs time and nothing else, because both write the same result under the same name.
    """

    name = ""

    def __init__(self, folder: ShardFolder, patience: float = 600.0, tries: int = 5) -> None:
        self._folder = folder
        self._patience = patience
        self._tries = tries

    @abstractmethod
    def _hand_out(self, names: Sequence[str]) -> None:
        """Let workers know of these shards, whose payloads are in the folder."""

    def _check_workers(self) -> None:
        """Raise when it is certain that nobody works; called when nothing came for a while. By default nobody knows."""
        return

    def map(self, shards: Sequence[Shard]) -> Iterator[tuple[Shard, bytes]]:
        """Every shard with its result, as they come.

        Raises:
            AipkError: what a shard's function raised.
            StoreError: no worker answers, or a shard was handed out ``tries`` times in vain (``workers-failed``).
        """
        left = list({shard.name: shard for shard in shards}.values())
        for first in range(0, len(left), _MAX_UNDER_WAY):
            yield from self._map(left[first : first + _MAX_UNDER_WAY])

    def _map(self, shards: Sequence[Shard]) -> Iterator[tuple[Shard, bytes]]:
        left = {shard.name: shard for shard in shards}
        for shard in shards:
            self._folder.ask(shard)
        handed = dict.fromkeys(left, 0)
        self._hand(left, handed)
        heard = time.monotonic()
        while left:
            done = [name for name in left if self._folder.has(name)]
            for name in done:
                shard = left[name]
                result = self._folder.take(shard)
                heard = time.monotonic()
                if result is not None:
                    yield shard, result
                    self._folder.committed(shard)
                    del left[name]
            if left and not done:
                if time.monotonic() - heard > self._patience:
                    self._check_workers()
                    self._hand(left, handed)
                    heard = time.monotonic()
                time.sleep(_LOOK_SECONDS)

    def _hand(self, left: dict[str, Shard], handed: dict[str, int]) -> None:
        missing = [name for name in left if not self._folder.has(name)]
        for name in missing:
            handed[name] += 1
            if handed[name] > self._tries:
                raise StoreError(
                    f"a piece of work was handed out {self._tries} times and never came back",
                    code="workers-failed",
                    where=self.name,
                    remedy="Look at the logs of the workers",
                )
        self._hand_out(missing)
