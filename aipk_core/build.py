"""Build a package from a corpus: all stages in order, in this process, without an orchestrator."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aipk_core.corpus import Corpus, load_corpus
from aipk_core.errors import UsageError
from aipk_core.stages import STAGES, Progress, StageContext, StageResult, no_progress, run_timed
from aipk_core.store.cleaning import remove_leftovers
from aipk_core.store.workspace import Workspace

OnStage = Callable[[str, StageResult | None], None]
"""Called with a stage's name and ``None`` when it starts, and with its result when it ends."""


def _silent(stage: str, result: StageResult | None) -> None:
    """An ``OnStage`` for callers that do not care."""


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """How a build is run; none of this changes what comes out of it.

    Attributes:
        paths: source name -> local folder to read that source from.
        force: stages that run although nothing that they depend on has changed.
        until: the last stage to run; empty runs all.
        workers: processes for heavy work; 0 decides by the machine.
        allow_shrink: take a source at its word although it lost many documents at once.
    """

    paths: Mapping[str, str] = field(default_factory=dict)
    force: frozenset[str] = frozenset()
    until: str = ""
    workers: int = 0
    allow_shrink: bool = False
    progress: Progress = no_progress
    on_stage: OnStage = _silent

    def stages(self) -> list[str]:
        """The stages to run, in order.

        Raises:
            UsageError: a stage is named that does not exist.
        """
        for name in (*self.force, *([self.until] if self.until else [])):
            if name not in STAGES:
                raise UsageError(f"there is no stage '{name}'", remedy=f"Use one of: {', '.join(STAGES)}")
        names = list(STAGES)
        if not self.until:
            return names
        wanted = {self.until}
        for name in reversed(names):
            if name in wanted:
                wanted.update(STAGES[name].depends_on)
        return [name for name in names if name in wanted]

    def context(self, corpus: Corpus, workspace: Workspace, stage: str) -> StageContext:
        """What ``stage`` gets to work with."""
        return StageContext(
            corpus=corpus,
            workspace=workspace,
            progress=self.progress,
            workers=self.workers,
            allow_shrink=self.allow_shrink,
            force=stage in self.force,
        )


Runner = Callable[[Path, BuildOptions], list[StageResult]]
"""A way to run a build: this module's ``build``, or an orchestrator that calls the same stages."""


def build(path: Path, options: BuildOptions | None = None) -> list[StageResult]:
    """Build the corpus at ``path`` and return what each stage did.

    Raises:
        AipkError: the first stage that fails; the stages before it stay committed, the last good package stays in place.
    """
    options = options or BuildOptions()
    corpus = load_corpus(path, paths=options.paths)
    workspace = Workspace.of(corpus.folder)
    results: list[StageResult] = []
    stages = options.stages()
    with building(corpus, workspace):
        check_own_files(corpus, stages)
        for name in stages:
            options.on_stage(name, None)
            result = run_timed(STAGES[name].load(), options.context(corpus, workspace, name))
            options.on_stage(name, result)
            results.append(result)
    return results


def check_own_files(corpus: Corpus, stages: list[str]) -> None:
    """Read the files that ``corpus.toml`` names, for a mistake in them should be told before an hour's work, not after.

    Raises:
        CorpusError: one is missing or malformed.
    """
    if "package" in stages:
        from aipk_core.stages.package import own_texts

        own_texts(corpus)


@contextmanager
def building(corpus: Corpus, workspace: Workspace) -> Iterator[None]:
    """Hold the corpus's build lock and keep the store from being cleaned; what a killed build left half-written goes.

    Raises:
        StoreError: another process builds it (code ``store-locked``).
    """
    with workspace.lock(f"build-{corpus.name}") as first, workspace.using_store():
        if first:
            remove_leftovers(workspace, corpus.name)
        yield


def build_summary(results: list[StageResult]) -> dict[str, Any]:
    """What ``aipk build --json`` prints: digest and path of the package, wall time, and each stage's figures."""
    package = next((result for result in results if result.stage == "package"), None)
    return {
        "content_digest": package.facts.get("content digest", "") if package else "",
        "package": package.facts.get("path", "") if package else "",
        "waiting": next((result.waiting for result in results if result.waiting), ""),
        "seconds": round(sum(result.seconds for result in results), 3),
        "stages": {result.stage: result.to_dict() for result in results},
    }
