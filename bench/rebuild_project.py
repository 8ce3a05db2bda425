"""A project of its own with the Kubernetes corpus, its site at several dates, and builds by the real command.

Every build is the command ``aipk build --plain --json`` in a process of its own, so that its time includes the start of
Python and of the models, and its memory is its own.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parent.parent
STATES = ("2025-12-18-8b8f5d5669", "2026-04-22-02ab95c970", "2026-07-17-a03aec8e2a", "2026-07-23-9604dda635")
STEPS = ("release", "regeneration", "week")
SOURCE = "website"
CORPUS = "kubernetes"
_SAMPLED_EVERY = 1.0
_OURS = ("AIPK_STATE_DIR", "AIPK_CACHES", "AIPK_EXECUTOR", "AIPK_SHARDS")


@dataclass(frozen=True)
class Built:
    """One build.

    Attributes:
        seconds: spent in the stages.
        with_start: of the whole process, from its start to its end.
        digest: the package's content digest; empty when the build stopped before the package.
        megabytes: the most that the process and its workers held at one moment.
    """

    seconds: float
    with_start: float
    digest: str
    stages: dict[str, dict[str, Any]]
    megabytes: int

    def misses(self, stage: str) -> int:
        return int(self.stages[stage]["misses"])

    def model_calls(self) -> int:
        return sum(int(stage["model_calls"]) for stage in self.stages.values())


def make_project(project: Path, sections: list[str]) -> Path:
    """A project with the corpus that ships, read from a folder, cut down to ``sections`` of the documentation."""
    folder = corpus_folder(project)
    if folder.exists():
        return project
    shutil.copytree(REPOSITORY / "corpora" / CORPUS, folder, ignore=shutil.ignore_patterns("corpus.local.toml"))
    (project / "dagster.yaml").touch()
    settings = (folder / "corpus.toml").read_text()
    if sections:
        chosen = ", ".join(f'"/content/en/docs/{section}/"' for section in sections)
        cut = settings.replace('include = ["/content/en/docs/"]', f"include = [{chosen}]")
        if cut == settings:
            raise SystemExit('corpus.toml does not say include = ["/content/en/docs/"] any more')
        settings = cut
    (folder / "corpus.toml").write_text(settings)
    return project


def corpus_folder(project: Path) -> Path:
    return project / "corpora" / CORPUS


def share_vectors(project: Path, other: Path) -> None:
    """Give ``project`` the vectors that ``other`` has, by digest of their texts, and nothing else of its store."""
    for table in (other / ".aipk/state/store/caches").glob("vectors_*.lance"):
        shutil.copytree(table, project / ".aipk/state/store/caches" / table.name)


def unpacked(folder: Path, state: str, into: Path) -> Path:
    """The folder of one state of the documentation."""
    target = into / f"k8s-docs-{state}"
    if not target.is_dir():
        target.mkdir(parents=True)
        with tarfile.open(folder / f"k8s-docs-{state}.tar.gz") as archive:
            archive.extractall(target, filter="data")
    return target


def show(state: Path, site: Path) -> None:
    """Make ``site`` the given state: one place that changes under the corpus, as a checkout does."""
    shutil.rmtree(site, ignore_errors=True)
    shutil.copytree(state, site)


def edit_one_sentence(site: Path, sections: list[str]) -> str:
    """Change a word of a sentence in the middle of a page, and return the page's path."""
    docs = site / "content" / "en" / "docs"
    folder = docs / (sections[0] if sections else "concepts")
    for page in sorted(folder.rglob("*.md")):
        lines = page.read_text().split("\n")
        plain = [n for n, line in enumerate(lines) if len(line) > 60 and line[0].isalpha() and "{{" not in line]
        if len(plain) > 8:
            number = plain[len(plain) // 2]
            words = lines[number].split(" ")
            words.insert(len(words) // 2, "certainly")
            lines[number] = " ".join(words)
            page.write_text("\n".join(lines))
            return str(page.relative_to(docs))
    raise SystemExit("no page of these sections has a sentence to edit")


def build(project: Path, site: Path, *, until: str = "", shrink: bool = False) -> Built:
    """Build by the command, as a person does."""
    command = [sys.executable, "-m", "aipk_core.cli", "build", str(corpus_folder(project)), "--plain", "--json"]
    command += ["--path", f"{SOURCE}={site}"]
    command += ["--until", until] if until else []
    command += ["--allow-shrink"] if shrink else []
    environment = {name: value for name, value in os.environ.items() if name not in _OURS}
    environment["PYTHONPATH"] = str(REPOSITORY)
    with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as complained:
        started = time.perf_counter()
        process = subprocess.Popen(command, stdout=said, stderr=complained, env=environment, start_new_session=True)
        memory = _Memory(process.pid)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        with_start = time.perf_counter() - started
        memory.stop()
        said.seek(0)
        complained.seek(0)
        if process.returncode:
            raise SystemExit(f"the build failed: {complained.read().decode(errors='replace')[-2000:]}")
        outcome = json.loads(said.read())
    megabytes = max(usage.ru_maxrss >> 10, memory.most >> 10)
    print(f"  built in {outcome['seconds']:.1f} s (with its start: {with_start:.1f} s)", file=sys.stderr, flush=True)
    return Built(outcome["seconds"], with_start, outcome["content_digest"], outcome["stages"], megabytes)


class _Memory:
    """Looks once a second at what a process and all below it hold, each shared page counted once.

    Attributes:
        most: kilobytes.
    """

    def __init__(self, pid: int) -> None:
        self.most = 0
        self._pid = pid
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._ended.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._ended.wait(_SAMPLED_EVERY):
            self.most = max(self.most, sum(map(_held, _family(self._pid))))


def _family(session: int) -> list[int]:
    """All processes of a session: the build, which began it, and its workers."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, IndexError):
            # The name, in brackets, may hold blanks; after it come state, parent, process group and session.
            if int(stat.read_text().rpartition(")")[2].split()[3]) == session:
                found.append(int(stat.parent.name))
    return found


def _held(pid: int) -> int:
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1])
    return 0
