"""Processes that work on items side by side; one that crashes or hangs costs its item, not the run.

Answers come back in the order of the items, and only a bounded number of them is under way, so memory stays bounded
however many items there are. Items, answers and the workers' setting travel as JSON text.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Any

from aipk_core.errors import AipkError

_START_SECONDS = 120.0
_AHEAD = 4
_READY = b"ready"

Work = Callable[[str], str]
"""What a worker does with an item; made by ``start(setting)`` inside the worker."""


@dataclass(frozen=True, slots=True)
class Lost:
    """An item whose worker crashed (``crashed``) or was stopped because it took too long (``timeout``)."""

    item: str
    reason: str


class _Worker:
    """One process, the pipe to it, and what it is doing."""

    def __init__(self, start: Callable[[Any], Work], setting: Any) -> None:
        context = multiprocessing.get_context("spawn")  # threads of the parent make fork unsafe
        self.connection, theirs = context.Pipe()
        self.process: SpawnProcess = context.Process(target=_serve, args=(start, setting, theirs), daemon=True)
        self.process.start()
        theirs.close()
        self.number: int | None = None
        self.item = ""
        self.deadline = time.monotonic() + _START_SECONDS
        self.started = False

    @property
    def idle(self) -> bool:
        return self.started and self.number is None

    def give(self, number: int, item: str, timeout: float) -> None:
        self.number, self.item = number, item
        self.deadline = time.monotonic() + timeout
        self.connection.send_bytes(item.encode("utf-8", "surrogatepass"))

    def stop(self) -> None:
        self.connection.close()
        self.process.terminate()
        self.process.join(2)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        self.process.close()


def map_in_processes(
    start: Callable[[Any], Work], setting: Any, items: Iterable[str], workers: int, timeout: float
) -> Iterator[str | Lost]:
    """``start(setting)(item)`` for every item, in order.

    Args:
        start: a function of a module; called once in each worker.
        setting: handed to ``start``; must be fit to go to another process.
        workers: number of processes.
        timeout: seconds that one item may take before its worker is stopped.

    Raises:
        AipkError: ``workers-failed`` when the processes do not even start.
    """
    pool = [_Worker(start, setting) for _ in range(workers)]
    source = enumerate(items)
    results: dict[int, str | Lost] = {}
    given = returned = 0
    exhausted = False
    try:
        while True:
            for worker in pool:
                if worker.idle and not exhausted and given - returned < workers * _AHEAD:
                    following = next(source, None)
                    if following is None:
                        exhausted = True
                        break
                    given += 1
                    worker.give(*following, timeout)
            while returned in results:
                result = results.pop(returned)
                returned += 1
                yield result
            if exhausted and given == returned:
                return
            for index in _events(pool):
                pool[index] = _attended(pool[index], results, lambda: _Worker(start, setting))
    finally:
        for worker in pool:
            worker.stop()


def useful_workers() -> int:
    """Processors that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1


def can_start_processes() -> bool:
    """Whether this process may have children: a worker may not."""
    return not multiprocessing.current_process().daemon


def _serve(start: Callable[[Any], Work], setting: Any, connection: Connection) -> None:
    """The life of a worker: until the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes; the parent stops its workers itself
    work = start(setting)
    connection.send_bytes(_READY)
    while True:
        try:
            item = connection.recv_bytes()
        except EOFError:
            return
        answer = work(item.decode("utf-8", "surrogatepass")).encode("utf-8", "surrogatepass")
        try:
            connection.send_bytes(answer)
        except BrokenPipeError:
            return  # nobody wants the answer any more


def _events(pool: list[_Worker]) -> list[int]:
    """Workers that have something to say, are gone, or have taken too long."""
    busy = [worker for worker in pool if not worker.idle]
    left = min((worker.deadline for worker in busy), default=time.monotonic() + 1) - time.monotonic()
    ready = wait([worker.connection for worker in busy], max(left, 0))
    now = time.monotonic()
    return [
        index
        for index, worker in enumerate(pool)
        if worker.connection in ready or (not worker.idle and worker.deadline <= now)
    ]


def _attended(worker: _Worker, results: dict[int, str | Lost], fresh: Callable[[], _Worker]) -> _Worker:
    """Take a worker's answer, or replace the worker when there will be none."""
    try:
        answer = worker.connection.recv_bytes() if worker.connection.poll() else None
    except (EOFError, ConnectionResetError):
        answer = b""
    if not worker.started:
        if answer != _READY:
            raise AipkError(
                "the processes that load documents do not start",
                code="workers-failed",
                where="workers",
                remedy="Set workers = 1 (or, in a script, start from under: if __name__ == '__main__')",
            )
        worker.started = True
        return worker
    if worker.number is None:
        return worker
    if answer:
        results[worker.number] = answer.decode("utf-8", "surrogatepass")
        worker.number = None
        return worker
    results[worker.number] = Lost(worker.item, "timeout" if answer is None else "crashed")
    worker.stop()
    return fresh()
