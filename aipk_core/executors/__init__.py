"""Heavy work on more than one process or machine: a pure function mapped over pieces that are named by their content.

A stage plans the pieces and commits their results; workers only compute. What a worker has computed lies in a folder that
all share, under the piece's name, with a receipt; so it does not matter which worker did it, how often it was asked for,
or whether the stage that asked is still alive.
"""

from __future__ import annotations

from aipk_core.executors.model import Executor, Shard
from aipk_core.executors.opening import BACKENDS, executor_name, open_executor

__all__ = ["BACKENDS", "Executor", "Shard", "executor_name", "open_executor"]
