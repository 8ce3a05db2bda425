"""Builds that are killed at random moments: is the last package whole, and does the next build end as if nothing happened?

    python bench/crash.py --kills 100 --seed 1
    python bench/crash.py --kills 6 --json        for tests: one JSON object, exit code 1 when a promise was broken

Every round starts from a corpus with a published package, edits some pages, and kills the build (SIGKILL) at a random
moment of a stage; the stages take turns, so that each gets its share of the kills. Then it is checked that

- the package that ``dist/`` points to opens, is intact and answers;
- the next build gives the same content digest as a build that was never killed;
- no stage that had committed before the kill runs again, and no row that was in a cache is computed again;
- nothing half-written is left.
"""

from __future__ import annotations

import argparse
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
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

os.environ.pop("AIPK_STATE_DIR", None)
STAGES = ("documents", "chunks", "claims", "embeddings", "conflicts", "reviewed_claims", "package", "evaluation")
CACHED = {"chunks": ("chunks",), "claims": ("claims",), "embeddings": ("vectors_384",), "documents": ("documents",)}
PAGES = 8
EDITED = 3
PATIENCE = 240
ANSWERS = "AIPK_CRASH_ANSWERS"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--answers", action="store_true", help="also put an answer together in every round (slow)")
    options = parser.parse_args()
    if options.answers:
        os.environ[ANSWERS] = "1"
    with tempfile.TemporaryDirectory(prefix="aipk-crash-") as folder:
        report = run(Path(folder), options.kills, random.Random(options.seed), quiet=options.json)
    print(json.dumps(report, indent=2) if options.json else summary(report))
    return 1 if report["broken"] else 0


def run(folder: Path, kills: int, chance: random.Random, quiet: bool) -> dict[str, Any]:
    """Build once, once more after the edits without a kill, then ``kills`` rounds."""
    base, reference = folder / "base", folder / "reference"
    write_corpus(base, edited=False)
    build_to_the_end(base)
    shutil.copytree(base, reference, symlinks=True)
    write_corpus(reference, edited=True)
    whole = build_to_the_end(reference)
    report: dict[str, Any] = {"kills": 0, "killed_in": Counter(), "ended_first": 0, "broken": []}
    for number in range(kills):
        stage = STAGES[number % len(STAGES)]
        project = folder / f"round-{number}"
        shutil.copytree(base, project, symlinks=True)
        write_corpus(project, edited=True)
        moment = chance.random() * max(whole["seconds"][stage], 0.005)
        committed, killed = build_and_kill(project, stage, moment)
        report["kills"] += killed
        report["ended_first"] += not killed
        if killed:
            report["killed_in"][stage] += 1
        faults = check(project, whole, committed)
        report["broken"] += [f"round {number} ({stage} + {moment:.3f} s): {fault}" for fault in faults]
        shutil.rmtree(project)
        if not quiet:
            print(f"{number + 1:>4}  {stage:<16} +{moment:7.3f} s  {'; '.join(faults) or 'well'}", flush=True)
    return report


def check(project: Path, whole: dict[str, Any], committed: list[str]) -> list[str]:
    """What is wrong after a kill; empty when every promise was kept."""
    faults = []
    answered = in_process(ask, project)
    if answered != "well":
        faults.append(f"the last package: {answered}")
    before = in_process(rows, project)
    again = build_to_the_end(project)
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


def build_to_the_end(project: Path) -> dict[str, Any]:
    """Build in a process of its own and return digest, misses, seconds and what was unchanged, by stage."""
    result: dict[str, Any] = in_process(build_here, project)
    return result


def build_and_kill(project: Path, stage: str, moment: float) -> tuple[list[str], bool]:
    """Build, kill ``moment`` seconds after ``stage`` has begun; the stages committed by then, and whether it was alive."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("fork").Process(target=build_here, args=(project, theirs))
    process.start()
    theirs.close()
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
    assert process.pid is not None
    alive = process.is_alive()
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


def build_here(project: Path, connection: Connection) -> None:
    """In a child process: build, and say which stages start and end."""
    from aipk_core.build import BuildOptions, build
    from aipk_core.errors import AipkError

    def on_stage(stage: str, result: Any) -> None:
        connection.send(("done" if result else "start", stage))

    try:
        results = build(project / "corpora" / "birds", BuildOptions(on_stage=on_stage, workers=1))
    except AipkError as error:
        connection.send(("result", {"error": str(error)}))
        return
    outcome = {
        "digest": next(result.version for result in results if result.stage == "package"),
        "misses": {result.stage: result.misses for result in results},
        "seconds": {result.stage: result.seconds for result in results},
        "unchanged": {result.stage: result.unchanged for result in results},
    }
    connection.send(("result", outcome))


def ask(project: Path, connection: Connection) -> None:
    """In a child process: open the published package, check it whole, and ask it something."""
    from aipk_core.answer.opening import open_answerer
    from aipk_core.embedding import open_embedder
    from aipk_core.errors import AipkError
    from aipk_core.package import open_package
    from aipk_core.retrieval import PackageRetriever

    said = "well"
    try:
        with open_package(project / "dist" / "birds.aipk", verify=True) as package:
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


def in_process(function: Any, project: Path) -> Any:
    """What ``function`` sends as its result. LanceDB and onnxruntime keep threads, so each use gets a process."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("fork").Process(target=function, args=(project, theirs))
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
