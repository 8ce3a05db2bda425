"""What a rebuild costs, as shares of a full build in the same run, on real states of the Kubernetes documentation.

    python bench/incremental.py                                    all pages of all four states (hours on two cores)
    python bench/incremental.py --sections concepts,tasks,setup    the pages of some sections
    python bench/incremental.py --sections setup --skip-scratch    quick: no from-scratch builds to compare digests with

The states are those of the shared data folder (``$AIPK_SHARED``). Every build runs in a process of its own, so that times
include opening models and peak memory is that of one build. Work goes to a temporary folder (``--work`` keeps it).
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import resource
import shutil
import sys
import tarfile
import tempfile
import time
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parent.parent
STATES = ("2025-12-18-8b8f5d5669", "2026-04-22-02ab95c970", "2026-07-17-a03aec8e2a", "2026-07-23-9604dda635")
STEPS = ("release", "regeneration", "week")
SOURCE = "website"


@dataclass
class Built:
    """One build."""

    seconds: float
    digest: str
    stages: dict[str, dict[str, Any]]
    megabytes: int
    texts: dict[str, list[str]] = field(default_factory=dict)
    claims: dict[str, str] = field(default_factory=dict)

    def misses(self, stage: str) -> int:
        return int(self.stages[stage]["misses"])

    def calls(self) -> int:
        return sum(int(stage["model_calls"]) for stage in self.stages.values())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sections", default="", help="folders of content/en/docs, with commas; all by default")
    parser.add_argument("--states", type=int, default=len(STATES), choices=range(1, len(STATES) + 1))
    parser.add_argument("--skip-scratch", action="store_true", help="do not build each state from scratch as well")
    parser.add_argument(
        "--shared", type=Path, default=Path(os.environ.get("AIPK_SHARED", REPOSITORY.parent / "shared"))
    )
    parser.add_argument("--work", type=Path, help="a folder to work in, kept afterwards")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if not (options.shared / "data" / "kubernetes").is_dir():
        print("the shared data folder is not here; set AIPK_SHARED to its place", file=sys.stderr)
        return 2
    if options.work:
        options.work.mkdir(parents=True, exist_ok=True)
        report = run(options.work, options)
    else:
        with tempfile.TemporaryDirectory(prefix="aipk-incremental-") as folder:
            report = run(Path(folder), options)
    print(json.dumps(report, indent=2) if options.json else table(report))
    return 0


def run(work: Path, options: argparse.Namespace) -> dict[str, Any]:
    """All figures, in the order in which a corpus would live through them."""
    os.environ.pop("AIPK_STATE_DIR", None)
    sections = [part for part in options.sections.split(",") if part]
    project = make_project(work / "project", sections)
    states = [
        unpacked(options.shared / "data" / "kubernetes", state, work / "states") for state in STATES[: options.states]
    ]
    report: dict[str, Any] = {"sections": sections or ["all"], "figures": []}
    say = report["figures"].append

    site = work / "site"  # one place that changes under the corpus, as a checkout does
    show(states[0], site)
    full = build(project, site)
    embedding = full.stages["embeddings"]["seconds"]
    say(figure("full build", f"{full.seconds:.1f} s", "", True))
    say(
        figure(
            "share of the embedder in a full build",
            embedding / full.seconds,
            ">= 0.80",
            embedding / full.seconds >= 0.8,
        )
    )
    rest = (full.seconds - embedding) / embedding
    say(figure("everything else / embedding", rest, "<= 0.25", rest <= 0.25))
    say(figure("peak memory of a full build, MB", full.megabytes, "<= 1500", full.megabytes <= 1500))
    report["stages of the full build"] = {name: stage["seconds"] for name, stage in full.stages.items()}

    again = build(project, site)
    share = again.seconds / full.seconds
    say(figure("nothing changed: time / full", share, "<= 0.02", share <= 0.02))
    say(figure("nothing changed: model calls", again.calls(), "0", again.calls() == 0))
    report["seconds when nothing changed"] = round(again.seconds, 2)

    page = edit_one_sentence(site, sections)
    edited = build(project, site)
    share = edited.seconds / full.seconds
    say(figure(f"one sentence edited ({page}): time / full", share, "<= 0.03", share <= 0.03))
    say(
        figure(
            "one sentence edited: documents, chunks, texts redone",
            redone(edited),
            "1, 1, few",
            edited.misses("chunks") == 1,
        )
    )
    report["seconds of one edit"] = {name: stage["seconds"] for name, stage in edited.stages.items()}

    for step, state, name in zip(STEPS, states[1:], STATES[1:], strict=False):
        show(states[STATES.index(name) - 1], site)
        before = build(project, site)
        show(state, site)
        ours = build(project, site, shrink=True)
        say(
            figure(
                f"{step}: time / full",
                ours.seconds / full.seconds,
                "<= 0.05" if step == "week" else "",
                step != "week" or ours.seconds <= 0.05 * full.seconds,
            )
        )
        report_step(say, step, before, ours)
        report_sources(say, step, before, ours, states[STATES.index(name) - 1], state)
        if not options.skip_scratch:
            fresh = build(make_project(work / f"fresh-{step}", sections), site)
            say(
                figure(
                    f"{step}: same content digest as from scratch",
                    str(ours.digest == fresh.digest),
                    "True",
                    ours.digest == fresh.digest,
                )
            )
            shutil.rmtree(work / f"fresh-{step}")
    report["kept"] = sum(item["kept"] for item in report["figures"])
    report["missed"] = [item["what"] for item in report["figures"] if not item["kept"]]
    return report


def report_step(say: Any, step: str, before: Built, after: Built) -> None:
    """Compare what was redone with what readers see as changed."""
    changed = {page for page in after.texts if after.texts[page] != before.texts.get(page)}
    old = {text for texts in before.texts.values() for text in texts}
    new = {text for texts in after.texts.values() for text in texts}
    chunks = len(new - old)
    claims = set(after.claims.values()) - set(before.claims.values())
    texts = chunks + len(claims)
    calls = after.misses("embeddings")
    ratio = calls / texts if texts else float(calls == 0)
    say(figure(f"{step}: texts embedded / texts that are new ({texts})", ratio, "<= 1.30", ratio <= 1.3))
    ratio = after.misses("chunks") / len(changed) if changed else float(after.misses("chunks") == 0)
    say(figure(f"{step}: pages cut again / pages whose text changed ({len(changed)})", ratio, "", True))
    invisible = after.misses("documents") - after.misses("chunks")
    say(figure(f"{step}: pages loaded again of which a reader sees nothing", invisible, "", True))
    stand = set(before.claims) & set(after.claims)
    same = {name for name, text in before.claims.items() if text in set(after.claims.values())}
    kept = len(stand & same) / len(same) if same else 1.0
    say(figure(f"{step}: claims whose text still stands that keep their id ({len(same)})", kept, "1.00", kept == 1.0))


def report_sources(say: Any, step: str, before: Built, after: Built, old: Path, new: Path) -> None:
    """Pages that changed through what they depend on alone, and edits that no reader sees."""
    both = [page for page in after.texts if page in before.texts]
    edited = {page for page in both if (old / page).read_bytes() != (new / page).read_bytes()}
    changed = {page for page in both if after.texts[page] != before.texts[page]}
    added = len(after.texts) - len(both)
    say(figure(f"{step}: pages that changed only through what they depend on", len(changed - edited), "", True))
    invisible = edited - changed
    # A page may be cut again for what its chunks do not show (its address, its anchors), but never be embedded again.
    say(figure(f"{step}: edits that no reader sees, of {len(edited)}", len(invisible), "", True))
    most = len(changed) + added
    say(
        figure(f"{step}: pages cut again beyond those that changed or are new", after.misses("chunks") - most, "", True)
    )


def build(project: Path, site: Path, *, shrink: bool = False) -> Built:
    """Build in a process of its own."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=build_here, args=(project, site, shrink, theirs))
    started = time.perf_counter()
    process.start()
    theirs.close()
    outcome = ours.recv()
    process.join()
    if "error" in outcome:
        raise SystemExit(f"the build failed: {outcome['error']}")
    seconds = outcome.pop("seconds")
    print(
        f"  built in {seconds:.1f} s (with its start: {time.perf_counter() - started:.1f} s)",
        file=sys.stderr,
        flush=True,
    )
    return Built(seconds, **outcome)


def build_here(project: Path, site: Path, shrink: bool, connection: Connection) -> None:
    """In a child: build, then read back what readers see of it."""
    from aipk_core.build import BuildOptions
    from aipk_core.build import build as plain_build
    from aipk_core.errors import AipkError
    from aipk_core.store.workspace import Workspace

    folder = project / "corpora" / "kubernetes"
    started = time.perf_counter()
    try:
        results = plain_build(folder, BuildOptions(paths={SOURCE: str(site)}, allow_shrink=shrink))
    except AipkError as error:
        connection.send({"error": str(error)})
        return
    seconds = time.perf_counter() - started
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    workspace = Workspace(project)
    texts: dict[str, list[str]] = {}
    for row in workspace.require_manifest("kubernetes", "chunks").rows.to_pylist():
        texts.setdefault(row["document"], []).append(" > ".join(json.loads(row["heading_path"])) + "\n" + row["text"])
    claims = {
        row["id"]: " > ".join(json.loads(row["context"])) + "\n" + row["text"]
        for row in workspace.require_manifest("kubernetes", "claims").rows.to_pylist()
    }
    package = next(result for result in results if result.stage == "package")
    stages = {
        result.stage: {
            "seconds": round(result.seconds, 3),
            "rows": result.rows,
            "hits": result.hits,
            "misses": result.misses,
            "model_calls": result.model_calls,
        }
        for result in results
    }
    outcome = {"seconds": seconds, "digest": package.version, "stages": stages, "megabytes": megabytes}
    connection.send({**outcome, "texts": texts, "claims": claims})


def make_project(project: Path, sections: list[str]) -> Path:
    """A project with the corpus that ships, read from a folder, cut down to ``sections``."""
    folder = project / "corpora" / "kubernetes"
    if folder.exists():
        return project
    shutil.copytree(REPOSITORY / "corpora" / "kubernetes", folder, ignore=shutil.ignore_patterns("corpus.local.toml"))
    (project / "dagster.yaml").touch()
    settings = (folder / "corpus.toml").read_text()
    if sections:
        chosen = ", ".join(f'"/content/en/docs/{section}/"' for section in sections)
        settings = settings.replace('include = ["/content/en/docs/"]', f"include = [{chosen}]")
    (folder / "corpus.toml").write_text(settings)
    return project


def unpacked(folder: Path, state: str, into: Path) -> Path:
    """The folder of one state of the documentation."""
    target = into / f"k8s-docs-{state}"
    if not target.is_dir():
        target.mkdir(parents=True)
        with tarfile.open(folder / f"k8s-docs-{state}.tar.gz") as archive:
            archive.extractall(target, filter="data")
    return target


def show(state: Path, site: Path) -> None:
    """Make ``site`` the given state."""
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


def redone(built: Built) -> str:
    return ", ".join(str(built.misses(stage)) for stage in ("documents", "chunks", "embeddings"))


def figure(what: str, value: Any, limit: str, kept: bool) -> dict[str, Any]:
    shown = f"{value:.4f}" if isinstance(value, float) else str(value)
    return {"what": what, "value": shown, "limit": limit, "kept": bool(kept)}


def table(report: dict[str, Any]) -> str:
    lines = [f"sections: {', '.join(report['sections'])}", ""]
    for item in report["figures"]:
        mark = "ok " if item["kept"] else "NO "
        lines.append(f"  {mark} {item['what']:<75} {item['value']:>12}   {item['limit']}")
    lines += ["", f"stages of the full build (s): {report['stages of the full build']}"]
    lines += [f"seconds of one edit: {report['seconds of one edit']}"]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
