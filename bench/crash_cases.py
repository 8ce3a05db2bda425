"""Other ways in which builds meet trouble: two at once of which one is killed, and signals that ask a build to end.

Used by ``crash.py``, whose promises must hold here as well. Besides, a build that finds its corpus being built must say so
by the code ``store-locked``, and a command that is asked to end must do so soon, with the exit code that shells expect
(130 for SIGINT, 143 for SIGTERM), without a traceback and without leaving a process behind.
"""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parent.parent
EXIT_CODES = {signal.SIGINT: 130, signal.SIGTERM: 143}
_SOON = 30.0


@dataclass(frozen=True)
class Build:
    """A build under way in a process of its own, which says which stages start and end."""

    process: Any
    connection: Connection

    def wait_for(self, event: tuple[str, str], seconds: float) -> bool:
        """Whether the event came before the build ended and in time."""
        deadline = time.monotonic() + seconds
        with contextlib.suppress(EOFError):
            while self.connection.poll(max(deadline - time.monotonic(), 0)):
                told = self.connection.recv()
                if told == event:
                    return True
                if told[0] == "result":
                    return False
        return False

    def result(self, seconds: float) -> Any:
        """What the build came to; ``None`` when it ended, or the time was over, without a result."""
        deadline = time.monotonic() + seconds
        with contextlib.suppress(EOFError):
            while self.connection.poll(max(deadline - time.monotonic(), 0)):
                told = self.connection.recv()
                if told[0] == "result":
                    return told[1]
        return None

    def kill(self) -> bool:
        """Kill it; whether it was still alive."""
        alive = bool(self.process.is_alive())
        if alive:
            os.kill(self.process.pid, signal.SIGKILL)
        self.process.join()
        self.connection.close()
        return alive


Start = Callable[[Path, str], Build]
Check = Callable[[Path, str], list[str]]


def one_corpus_twice(project: Path, stage: str, moment: float, start: Start, check: Check) -> list[str]:
    """A second build meets the first, which is then killed; a third begins at the very moment after."""
    faults = []
    first = start(project, "birds")
    first.wait_for(("start", stage), _SOON * 4)
    second = start(project, "birds")
    met = second.result(_SOON * 4)
    time.sleep(moment)
    killed = first.kill()
    second.kill()
    if killed and (not isinstance(met, dict) or met.get("code") != "store-locked"):
        faults.append(f"a second build was not refused: {met}")
    return faults + check(project, "birds")


def two_corpora(project: Path, stage: str, moment: float, start: Start, check: Check) -> list[str]:
    """Two corpora that share the store and most of their text are built at once, and one is killed."""
    first, second = start(project, "birds"), start(project, "finches")
    first.wait_for(("start", stage), _SOON * 4)
    time.sleep(moment)
    first.kill()
    other = second.result(_SOON * 8)
    second.process.join(_SOON)
    second.kill()
    faults = [f"the other build: {other}"] if not isinstance(other, dict) or "error" in other else []
    return faults + [f"finches: {fault}" for fault in check(project, "finches")] + check(project, "birds")


def signalled(project: Path, number: signal.Signals, moment: float, check: Check, *, plain: bool = True) -> list[str]:
    """The command is asked to end ``moment`` seconds after it has taken the corpus's lock."""
    command = [sys.executable, "-m", "aipk_core.cli", "build", "corpora/birds", *(["--plain"] if plain else [])]
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    process = subprocess.Popen(
        command,
        cwd=project,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    faults = []
    lock = project / ".aipk/state/locks/build-birds.json"
    _await(lock, process)
    try:
        said, _ = process.communicate(timeout=moment)
    except subprocess.TimeoutExpired:
        asked = time.monotonic()
        over = not lock.exists()  # Python itself is ending, and knows no better than to die of the signal
        process.send_signal(number)
        try:
            said, _ = process.communicate(timeout=_SOON)
        except subprocess.TimeoutExpired:
            process.kill()
            said, _ = process.communicate()
            faults.append(f"it did not end within {_SOON:.0f} s of {number.name}")
        took = time.monotonic() - asked
        # Dagster makes no difference between the two signals.
        expected = (0, EXIT_CODES[number], *(() if plain else (EXIT_CODES[signal.SIGINT],)))
        if not over and process.returncode not in expected:
            faults.append(f"{number.name}: exit code {process.returncode}")
        print(f"      {number.name} after {moment:.1f} s: {process.returncode} in {took:.1f} s", file=sys.stderr)
    if "Traceback" in said:
        faults.append(f"{number.name}: a traceback: {said.strip().splitlines()[-1][:200]}")
    left = list(_session(process.pid))
    if left:
        time.sleep(2)
        left = list(_session(process.pid))
    faults += [f"{number.name}: {len(left)} processes are left"] if left else []
    for one in left:
        with contextlib.suppress(ProcessLookupError):
            os.kill(one, signal.SIGKILL)
    return faults + check(project, "birds")


def second_corpus(project: Path) -> None:
    """A corpus like ``birds`` under another name: most rows of the shared caches are wanted by both."""
    birds, finches = project / "corpora" / "birds", project / "corpora" / "finches"
    shutil.rmtree(finches, ignore_errors=True)
    shutil.copytree(birds, finches, ignore=shutil.ignore_patterns("reviews.jsonl"))
    for page in sorted((finches / "pages").glob("*.md"))[:2]:
        page.write_text(page.read_text() + "\nA finch was seen beside it.\n")


def moments(chance: random.Random, seconds: float, rounds: int) -> list[float]:
    """One moment in each of ``rounds`` equal parts of the time, so that early and late ones are all met."""
    return [(number + chance.random()) * seconds / rounds for number in range(rounds)]


def _await(path: Path, process: subprocess.Popen[str]) -> None:
    """Until ``path`` is there, or the process has ended."""
    deadline = time.monotonic() + 4 * _SOON
    while not path.exists() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)


def _session(leader: int) -> Iterator[int]:
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, IndexError):
            state, *fields = stat.read_text().rpartition(")")[2].split()
            if int(fields[2]) == leader and state != "Z":
                yield int(stat.parent.name)
