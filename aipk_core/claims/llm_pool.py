"""A few threads that work through a list, and a time limit for calls that know none."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


def run_in_threads(
    function: Callable[[_Item], _Result], items: Sequence[_Item], threads: int
) -> Iterator[tuple[int, _Result]]:
    """``function`` of each item, with its number, in the order in which they are ready; ``threads`` at once at most.

    An exception of ``function`` is raised here. When the caller stops early, no further item is begun, and nothing waits
    for those that have begun.
    """
    waiting: queue.SimpleQueue[int] = queue.SimpleQueue()
    done: queue.SimpleQueue[tuple[int, Callable[[], _Result]]] = queue.SimpleQueue()
    stop = threading.Event()
    for number in range(len(items)):
        waiting.put(number)

    def work() -> None:
        while not stop.is_set():
            try:
                number = waiting.get_nowait()
            except queue.Empty:
                return
            done.put((number, _outcome(lambda number=number: function(items[number]))))  # type: ignore[misc]

    for _ in range(min(threads, len(items))):
        threading.Thread(target=work, daemon=True, name="claims").start()
    try:
        for _ in range(len(items)):
            number, result = done.get()
            yield number, result()
    finally:
        stop.set()


def within(seconds: float, function: Callable[[], _Result]) -> _Result:
    """What ``function`` gives or raises, or ``TimeoutError`` after so many seconds.

    A call that hangs (a server that sends one byte a minute keeps every socket timeout from firing) goes on in a thread
    of its own, which does not keep the process from ending.
    """
    done: queue.SimpleQueue[Callable[[], _Result]] = queue.SimpleQueue()
    threading.Thread(target=lambda: done.put(_outcome(function)), daemon=True, name="claims-request").start()
    try:
        outcome = done.get(timeout=seconds)
    except queue.Empty:
        raise TimeoutError(f"no result within {seconds:g} s") from None
    return outcome()


def _outcome(function: Callable[[], _Result]) -> Callable[[], _Result]:
    """Calls ``function`` now, and returns what gives its result or raises its error in the thread that asks."""
    try:
        result = function()
    except BaseException as error:
        caught = error

        def fail() -> _Result:
            raise caught

        return fail
    return lambda: result
