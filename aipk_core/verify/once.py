"""Large tables and models that are loaded when first needed, once for all threads of a process."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def once(load: Callable[P, T]) -> Callable[P, T]:
    """Like ``functools.cache``, but threads that come at the same time wait for one load instead of each doing it."""
    loaded: dict[Hashable, T] = {}
    lock = threading.Lock()

    @wraps(load)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> T:
        key = (args, tuple(sorted(kwargs.items())))
        if key not in loaded:
            with lock:
                if key not in loaded:
                    loaded[key] = load(*args, **kwargs)
        return loaded[key]

    return wrapped
