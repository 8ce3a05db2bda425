"""What every stage takes and gives back."""

from __future__ import annotations

import ctypes
import gc
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from aipk_core.corpus import Corpus
from aipk_core.hashing import digest
from aipk_core.store.manifest import Manifest
from aipk_core.store.workspace import Workspace

if TYPE_CHECKING:
    from aipk_core.embedding.deferred import DeferredEmbedder
    from aipk_core.executors.model import Executor

Progress = Callable[[str, int, int | None], None]
"""Told what is being done, how many are done, and how many there are (``None`` when nobody knows yet)."""


def no_progress(what: str, done: int, total: int | None) -> None:
    """A ``Progress`` for callers that do not care."""


@dataclass(frozen=True, slots=True)
class StageContext:
    """What a stage may use.

    Attributes:
        workers: processes for heavy work; 0 decides by the machine.
        allow_shrink: take a source at its word although it lost many documents at once.
        force: do the stage again although nothing that it depends on has changed.
    """

    corpus: Corpus
    workspace: Workspace
    progress: Progress = no_progress
    workers: int = 0
    allow_shrink: bool = False
    force: bool = False

    def manifest(self, stage: str) -> Manifest:
        """The output of a stage that this one depends on."""
        return self.workspace.require_manifest(self.corpus.name, stage)

    def remote_executor(self) -> Executor | None:
        """The executor for heavy work when it is to be done by workers elsewhere; ``None`` keeps it on this machine."""
        from aipk_core.executors.opening import REMOTE, executor_name, open_executor

        name = executor_name(self.corpus.settings.execution.backend)
        return open_executor(name, self.workspace.state / "shards") if name in REMOTE else None

    def embedder(self) -> DeferredEmbedder:
        """The corpus's embedder, which is opened only when a text needs it."""
        from aipk_core.embedding.deferred import DeferredEmbedder

        return DeferredEmbedder(self.corpus.settings.embedding, self.workspace.store / "embedders.json")


@dataclass(frozen=True, slots=True)
class StageResult:
    """What a stage did.

    Attributes:
        rows: rows of its output.
        hits, misses: rows taken from the cache, and rows computed anew.
        version: digest of the output; equal output has an equal version.
        output: the file that holds (or lists) the output.
        unchanged: whether nothing that the stage depends on has changed since it last ran.
        facts: counts and other figures of the stage, in the order in which to show them.
        sample: a few rows for people to look at.
        warnings: what the person who builds should know.
        waiting: why the stage could not make its output yet, when that is a normal state (claims wait for review).
        model_calls: texts given to an embedder, and requests made of a language model.
    """

    stage: str
    rows: int
    hits: int
    misses: int
    version: str
    output: Path
    unchanged: bool = False
    seconds: float = 0.0
    facts: dict[str, Any] = field(default_factory=dict)
    sample: tuple[dict[str, Any], ...] = ()
    warnings: tuple[str, ...] = ()
    waiting: str = ""
    model_calls: int = 0

    def to_dict(self) -> dict[str, Any]:
        """The result as JSON values, without the sample."""
        return {
            "stage": self.stage,
            "rows": self.rows,
            "hits": self.hits,
            "misses": self.misses,
            "model_calls": self.model_calls,
            "seconds": round(self.seconds, 3),
            "unchanged": self.unchanged,
            "version": self.version,
            "output": str(self.output),
            "facts": self.facts,
            "warnings": list(self.warnings),
            "waiting": self.waiting,
        }


def run_timed(stage: Callable[[StageContext], StageResult], context: StageContext) -> StageResult:
    """Run one stage; note how long it took, what it was made with, and what it did."""
    from aipk_core.stages.record import remember

    context.workspace.forget_uses()
    started = time.perf_counter()
    result = stage(context)
    if not result.unchanged:
        _give_memory_back()
    result = replace(result, seconds=time.perf_counter() - started)
    remember(context, result)
    return result


def _give_memory_back() -> None:
    """Return freed memory to the system: what one stage needed would otherwise lie idle under the peak of the next."""
    gc.collect()
    pa.default_memory_pool().release_unused()
    with suppress(OSError, AttributeError):  # only the C library of GNU has it
        ctypes.CDLL(None).malloc_trim(0)


_LAYOUT = 2
"""Version of what stages note in their manifests beside the rows; manifests of another layout are made anew."""


def inputs_digest(fingerprint: str, *versions: str) -> str:
    """Identifies what a stage would be computed from."""
    return digest("inputs", _LAYOUT, fingerprint, list(versions))


def is_current(context: StageContext, stage: str, inputs: str) -> Manifest | None:
    """The stage's last manifest, if it was made from the same inputs and nobody forces the stage to run."""
    if context.force:
        return None
    manifest = context.workspace.read_manifest(context.corpus.name, stage)
    if manifest is not None and manifest.facts.get("inputs") == inputs:
        return manifest
    return None
