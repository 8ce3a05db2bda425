"""Builds that are killed at random moments: is the last package whole, and does the next build end as if nothing happened?

    python bench/crash.py --kills 100 --seed 1
    python bench/crash.py --kills 6 --json        for tests: one JSON object, exit code 1 when a promise was broken
    python bench/crash.py --kills 0 --pairs 16 --signals 16
                                                  only the other cases (``crash_cases.py``): two builds at once of which
                                                  one is killed, and builds that SIGINT or SIGTERM asks to end

Every round starts from a corpus with a published package, edits some pages, and kills the build (SIGKILL) at a random
moment of a stage; the stages take turns, so that each gets its share of the kills. Then it is checked that

- the package that ``dist/`` points to opens, is intact and answers;
- the next build gives the same content digest as a build that was never killed;
- no stage that had committed before the kill runs again, and no row that was in a cache is computed again;
- nothing half-written is left.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import multiprocessing
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import crash_cases

os.environ.pop("AIPK_STATE_DIR", None)
STAGES = ("documents", "chunks", "claims", "embeddings", "conflicts", "reviewed_claims", "package", "evaluation")
CACHED = {
    "documents": ("documents",),
    "chunks": ("document_chunks",),
    "claims": ("claims",),
    "embeddings": ("vectors_384",),
}
"""Stage -> the caches that must have a new row for each row that the stage says it computed."""
PAGES = 8
EDITED = 3
PATIENCE = 240
ANSWERS = "AIPK_CRASH_ANSWERS"


def main() -> int:
    # a shell's background job ignores SIGINT, and so would every build that is started here to be asked to end
    signal.signal(signal.SIGINT, signal.default_int_handler)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pairs", type=int, default=0, help="rounds with two builds at once")
    parser.add_argument("--signals", type=int, default=0, help="rounds in which SIGINT or SIGTERM comes")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--answers", action="store_true", help="also put an answer together in every round (slow)")
    options = parser.parse_args()
    if options.answers:
        os.environ[ANSWERS] = "1"
    with tempfile.TemporaryDirectory(prefix="aipk-crash-") as folder:
        bench = Bench(Path(folder), quiet=options.json)
        bench.kill(options.kills, random.Random(options.seed))
        bench.pair(options.pairs, random.Random(options.seed))
        bench.signal(options.signals, random.Random(options.seed))
        report = bench.report
    print(json.dumps(report, indent=2) if options.json else summary(report))
    return 1 if report["broken"] else 0


class Bench:
    """A corpus with a published package, another state of it, and what a build of that comes to without any trouble."""

    def __init__(self, folder: Path, *, quiet: bool) -> None:
        self._folder = folder
        self._quiet = quiet
        self._base = folder / "base"
        write_corpus(self._base, edited=False)
        build_to_the_end(self._base)
        self._whole = {"birds": self._without_trouble("birds", self._base)}
        self.report: dict[str, Any] = {"kills": 0, "killed_in": Counter(), "ended_first": 0, "broken": []}

    def kill(self, rounds: int, chance: random.Random) -> None:
        """Kill a build in each round; the stages take turns."""
        for number in range(rounds):
            stage = STAGES[number % len(STAGES)]
            moment = chance.random() * self._seconds(stage)
            with self._round(f"{stage} + {moment:.3f} s") as (project, faults):
                committed, killed = build_and_kill(project, stage, moment)
                self.report["kills"] += killed
                self.report["ended_first"] += not killed
                if killed:
                    self.report["killed_in"][stage] += 1
                faults += check(project, self._whole["birds"], committed)

    def pair(self, rounds: int, chance: random.Random) -> None:
        """Two builds at once, of one corpus and of two corpora by turns; one is killed."""
        if not rounds:
            return
        self.report["pairs"] = rounds
        crash_cases.second_corpus(self._base)
        build_to_the_end(self._base, "finches")
        self._whole["finches"] = self._without_trouble("finches", self._base)
        for number in range(rounds):
            stage = STAGES[number // 2 % len(STAGES)]
            moment = chance.random() * self._seconds(stage)
            case = crash_cases.two_corpora if number % 2 else crash_cases.one_corpus_twice
            with self._round(f"{case.__name__}, {stage} + {moment:.3f} s") as (project, faults):
                crash_cases.second_corpus(project)
                faults += case(project, stage, moment, start_build, self._check)

    def signal(self, rounds: int, chance: random.Random) -> None:
        """The command is asked to end, by SIGINT and SIGTERM by turns; and of four builds two run through Dagster."""
        if not rounds:
            return
        self.report["signals"] = rounds
        longest = _SLOWER * sum(self._whole["birds"]["seconds"].values())
        for number, moment in enumerate(crash_cases.moments(chance, longest, rounds)):
            name = (signal.SIGINT, signal.SIGTERM)[number % 2]
            plain = number % 4 < 2
            with self._round(f"{name.name}{'' if plain else ' (Dagster)'} + {moment:.1f} s") as (project, faults):
                faults += crash_cases.signalled(project, name, moment, self._check, plain=plain)

    @contextlib.contextmanager
    def _round(self, what: str) -> Iterator[tuple[Path, list[str]]]:
        """A copy of the base with the edits, and a list for what is found wrong."""
        project = self._folder / "round"
        shutil.copytree(self._base, project, symlinks=True)
        write_corpus(project, edited=True)
        faults: list[str] = []
        started = time.monotonic()
        yield project, faults
        shutil.rmtree(project)
        self.report["broken"] += [f"{what}: {fault}" for fault in faults]
        if not self._quiet:
            print(f"  {what:<50} {'; '.join(faults) or 'well'}  [{time.monotonic() - started:.1f} s]", flush=True)

    def _check(self, project: Path, corpus: str) -> list[str]:
        return check(project, self._whole[corpus], [], corpus)

    def _without_trouble(self, corpus: str, base: Path) -> dict[str, Any]:
        project = self._folder / "reference"
        shutil.copytree(base, project, symlinks=True)
        write_corpus(project, edited=True)
        if corpus != "birds":
            crash_cases.second_corpus(project)
        whole = build_to_the_end(project, corpus)
        shutil.rmtree(project)
        return whole

    def _seconds(self, stage: str) -> float:
        return max(float(self._whole["birds"]["seconds"][stage]), 0.005)


_SLOWER = 1.5
"""A build by the command imports what the forked builds here have imported already."""


def check(project: Path, whole: dict[str, Any], committed: list[str], corpus: str = "birds") -> list[str]:
    """What is wrong after a kill; empty when every promise was kept."""
    faults = []
    answered = in_process(ask, project, corpus)
    if answered != "well":
        faults.append(f"the last package: {answered}")
    before = in_process(rows, project)
    again = build_to_the_end(project, corpus)
    if "error" in again:
        return [*faults, f"the next build fails: {again['error']}"]
    if again["digest"] != whole["digest"]:
        faults.append("another content digest")
    faults += [f"{stage} was committed and ran again" for stage in committed if not again["unchanged"][stage]]
    after = in_process(rows, project)
    for stage, caches in CACHED.items():
        new = sum(after.get(name, 0) - before.get(name, 0) for name in caches)
        if again["misses"][stage] > new:
            faults.append(f"{stage} computed {again['misses'][stage]} rows although {new} were missing")
    left = [path.name for path in (project / "dist").iterdir() if path.name.startswith(".")]
    left += [path.name for path in (project / ".aipk/state/store/manifests").rglob(".*")]
    return faults + [f"left behind: {name}" for name in left]


def build_to_the_end(project: Path, corpus: str = "birds") -> dict[str, Any]:
    """Build in a process of its own and return digest, misses, seconds and what was unchanged, by stage."""
    result: dict[str, Any] = in_process(build_here, project, corpus)
    return result


def start_build(project: Path, corpus: str) -> crash_cases.Build:
    """A build in a process of its own."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("fork").Process(target=build_here, args=(project, corpus, theirs))
    process.start()
    theirs.close()
    return crash_cases.Build(process, ours)


def build_and_kill(project: Path, stage: str, moment: float) -> tuple[list[str], bool]:
    """Build, kill ``moment`` seconds after ``stage`` has begun; the stages committed by then, and whether it was alive."""
    build = start_build(project, "birds")
    process, ours = build.process, build.connection
    committed: list[str] = []
    deadline = time.monotonic() + PATIENCE
    try:
        while time.monotonic() < deadline and ours.poll(max(deadline - time.monotonic(), 0)):
            event = ours.recv()
            if event[0] == "done":
                committed.append(event[1])
            elif event == ("start", stage):
                deadline = min(deadline, time.monotonic() + moment)
            elif event[0] == "result":
                break
    except EOFError:
        pass
    alive = bool(process.is_alive())
    if alive:
        os.kill(process.pid, signal.SIGKILL)
    process.join()
    try:
        while ours.poll(0):  # what it said before it died
            event = ours.recv()
            if event[0] == "done":
                committed.append(event[1])
    except (EOFError, OSError):
        pass
    return committed, alive


def build_here(project: Path, corpus: str, connection: Connection) -> None:
    """In a child process: build, and say which stages start and end."""
    from aipk_core.build import BuildOptions, build
    from aipk_core.errors import AipkError

    def on_stage(stage: str, result: Any) -> None:
        connection.send(("done" if result else "start", stage))

    try:
        results = build(project / "corpora" / corpus, BuildOptions(on_stage=on_stage, workers=1))
    except AipkError as error:
        connection.send(("result", {"error": str(error), "code": error.code}))
        return
    outcome = {
        "digest": next(result.version for result in results if result.stage == "package"),
        "misses": {result.stage: result.misses for result in results},
        "seconds": {result.stage: result.seconds for result in results},
        "unchanged": {result.stage: result.unchanged for result in results},
    }
    connection.send(("result", outcome))


def ask(project: Path, corpus: str, connection: Connection) -> None:
    """In a child process: open the published package, check it whole, and ask it something."""
    from aipk_core.answer.opening import open_answerer
    from aipk_core.embedding import open_embedder
    from aipk_core.errors import AipkError
    from aipk_core.package import open_package
    from aipk_core.retrieval import PackageRetriever

    said = "well"
    try:
        with open_package(project / "dist" / f"{corpus}.aipk", verify=True) as package:
            embedder = open_embedder()
            retriever = PackageRetriever([package], embedder)
            hits = retriever.claims("How tall is bird number 5?", limit=3)
            if not any("bird number 5 stands" in hit.claim.text for hit in hits):
                said = "does not find what it holds"
            elif os.environ.get(ANSWERS):
                answerer = open_answerer([package], embedder, backend=None, retriever=retriever)
                if not answerer.answer("How tall is bird number 5?").text.strip():
                    said = "answers nothing"
    except AipkError as error:
        said = str(error)
    connection.send(("result", said))


def rows(project: Path, connection: Connection) -> None:
    """In a child process: the number of rows of every cache."""
    from aipk_core.store.cache import Cache, table_names
    from aipk_core.store.workspace import Workspace

    workspace = Workspace(project)
    folder = workspace.store / "caches"
    connection.send(("result", {name: len(Cache.existing(folder, name).known()) for name in table_names(folder)}))


def in_process(function: Any, project: Path, *others: Any) -> Any:
    """What ``function`` sends as its result. LanceDB and onnxruntime keep threads, so each use gets a process."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("fork").Process(target=function, args=(project, *others, theirs))
    process.start()
    theirs.close()
    try:
        while ours.poll(PATIENCE):
            event = ours.recv()
            if event[0] == "result":
                return event[1]
    except EOFError:
        pass
    finally:
        process.join(5)
        process.kill()
    return {"error": f"{function.__name__} ended without a result"}


def write_corpus(project: Path, *, edited: bool) -> None:
    """A project with one corpus of a few pages; ``edited`` is a later state of it."""
    corpus = project / "corpora" / "birds"
    (corpus / "pages").mkdir(parents=True, exist_ok=True)
    (project / "dagster.yaml").touch()
    (corpus / "corpus.toml").write_text(
        '[[sources]]\ntype = "files"\npath = "pages"\n'
        '[review]\npolicy = "auto"\nchecks = ["exact-quote", "numbers"]\n'
        '[evaluation]\nquestions = "questions.toml"\n[package]\nretain = 2\n'
    )
    (corpus / "questions.toml").write_text(
        '[[questions]]\nid = "span"\nquestion = "What is the span of bird number 3?"\n'
    )
    for number in range(PAGES):
        height = number * 7 + (500 if edited and number < EDITED else 0)
        lines = [f"# Bird {number}", "", f"The bird number {number} stands {height + 10} cm tall."]
        lines += [f"In region {part} of list {number} it was counted {part * 3 + height} times." for part in range(4)]
        (corpus / "pages" / f"bird-{number}.md").write_text("\n".join(lines) + "\n")


def summary(report: dict[str, Any]) -> str:
    stages = ", ".join(f"{stage} {count}" for stage, count in report["killed_in"].items())
    lines = [f"{report['kills']} builds killed ({stages}); {report['ended_first']} ended before their moment came"]
    lines += [f"{report['pairs']} rounds with two builds at once, one of them killed"] if "pairs" in report else []
    lines += [f"{report['signals']} builds asked to end by SIGINT or SIGTERM"] if "signals" in report else []
    lines += [f"  BROKEN: {fault}" for fault in report["broken"]]
    return "\n".join([*lines, f"promises broken: {len(report['broken'])}"])


def preload() -> None:
    """Import what builds need, once, before any thread is started: children are forked from here."""
    import warnings

    warnings.simplefilter("ignore")
    import importlib

    for name in (
        "lancedb",
        "onnxruntime",
        "tokenizers",
        "pyarrow.parquet",
        "aipk_core.answer.opening",
        "aipk_core.retrieval",
    ):
        importlib.import_module(name)
    for stage in importlib.import_module("aipk_core.stages").STAGES.values():
        stage.load()


if __name__ == "__main__":
    preload()
    sys.exit(main())
