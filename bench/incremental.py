"""What a rebuild costs, as shares of a full build in the same run, on real states of the Kubernetes documentation.

    python bench/incremental.py --sections concepts,tasks,setup    the pages of some sections, with the real embedder
    python bench/incremental.py                                    all pages (hours on two cores)
    python bench/incremental.py --sections setup --pages no        quick: only what is timed, of a small section
    python bench/incremental.py ... --save figures.json            the table, and the same figures as JSON

Two projects live through the four states of the shared data folder (``$AIPK_SHARED``):

1. the chosen sections with the real embedder, up to the package: times, memory, what was embedded again, and whether the
   package has the content digest of a build from scratch. Those builds from scratch compute everything anew but the
   vectors, which they take from the first project by digest of the text (``--scratch full`` embeds anew as well,
   ``--scratch no`` leaves them out). No time that is compared comes from them.
2. all pages up to chunks and claims, which needs no embedder: pages that changed only through what they are made with,
   edits that no reader sees, and what becomes of review decisions when pages move.

Times are given twice: of the whole command, from the start of its process, and of its stages alone. Exit code 0 whenever
it ran, whatever the figures; those that miss their bar are listed at the end.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

import rebuild_pages
import rebuild_reviews
from rebuild_project import (
    REPOSITORY,
    STATES,
    STEPS,
    Built,
    build,
    corpus_folder,
    edit_one_sentence,
    make_project,
    share_vectors,
    show,
    unpacked,
)
from rebuild_report import Report
from rebuild_reviews import Decided
from rebuild_state import State, StateReader, chunk_texts, new_blocks, new_placed_blocks, touched_chunks


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sections", default="", help="folders of content/en/docs, with commas; all by default")
    parser.add_argument("--states", type=int, default=len(STATES), choices=range(1, len(STATES) + 1))
    parser.add_argument("--scratch", default="vectors", choices=("vectors", "full", "no"), help="builds from scratch")
    parser.add_argument("--pages", default="yes", choices=("yes", "no"), help="also all pages without an embedder")
    parser.add_argument("--timed", default="yes", choices=("yes", "no"), help="the builds that are timed")
    parser.add_argument(
        "--reviews", type=int, default=400, help="claims to decide on for each kind of sentence or page"
    )
    parser.add_argument(
        "--vectors", type=Path, help="a project that has vectors already; for development: times are then not judged"
    )
    parser.add_argument(
        "--shared", type=Path, default=Path(os.environ.get("AIPK_SHARED", REPOSITORY.parent / "shared"))
    )
    parser.add_argument("--work", type=Path, help="a folder to work in, kept afterwards")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    parser.add_argument("--save", type=Path, help="write the JSON to this file as well")
    options = parser.parse_args()
    if not (options.shared / "data" / "kubernetes").is_dir():
        print("the shared data folder is not here; set AIPK_SHARED to its place", file=sys.stderr)
        return 2
    if options.work:
        options.work.mkdir(parents=True, exist_ok=True)
        report = run(options.work.resolve(), options)
    else:
        with tempfile.TemporaryDirectory(prefix="aipk-incremental-") as folder:
            report = run(Path(folder), options)
    text = json.dumps(report.to_dict(), indent=2, ensure_ascii=False)
    if options.save:
        options.save.write_text(text + "\n")
    print(text if options.json else report.table())
    return 0


def run(work: Path, options: argparse.Namespace) -> Report:
    """All figures, in the order in which a corpus would live through them."""
    for name in ("AIPK_STATE_DIR", "AIPK_CACHES"):
        os.environ.pop(name, None)
    data = options.shared / "data" / "kubernetes"
    states = [unpacked(data, state, work / "states") for state in STATES[: options.states]]
    sections = [part for part in options.sections.split(",") if part]
    report = Report(sections)
    started = time.perf_counter()
    if options.timed == "yes":
        Timed(work, states, sections, options, report).run()
    if options.pages == "yes":
        all_pages(work, data, states, options, report)
    report.extra["seconds of this bench"] = round(time.perf_counter() - started)
    return report


class Timed:
    """The chosen sections, with the embedder, up to the package."""

    def __init__(
        self, work: Path, states: list[Path], sections: list[str], options: argparse.Namespace, report: Report
    ) -> None:
        self._work = work
        self._states = states
        self._sections = sections
        self._options = options
        self._report = report
        self._site = work / "site"
        self._project = make_project(work / "project", sections)
        self._reader = StateReader(self._project)
        self._judged = options.vectors is None

    def run(self) -> None:
        report = self._report
        report.group = "full build"
        if self._options.vectors:
            share_vectors(self._project, self._options.vectors.resolve())
            report.notes.append("vectors were given (--vectors): no time is judged")
        show(self._states[0], self._site)
        full = build(self._project, self._site)
        self._full_build(full)
        self._nothing_changed(full)
        self._one_edit(full)
        show(self._states[0], self._site)
        build(self._project, self._site)
        decided = rebuild_reviews.decide_sample(
            corpus_folder(self._project), rebuild_reviews.Fates(self._states), self._options.reviews
        )
        # Takes in the decisions; those of a small section may reject so much that the package would ask about it.
        build(self._project, self._site, shrink=True)
        first = before = self._reader.read()
        for step, state in zip(STEPS, self._states[1:], strict=False):
            report.group = step
            had = self._reader.vectors()
            show(state, self._site)
            built = build(self._project, self._site, shrink=True)
            after = self._reader.read()
            self._time(f"{step}: time", built, full, 0.05 if step == "week" else None)
            self._redone(step, before, after, built, had)
            self._from_scratch(step, built)
            review_figures(report, corpus_folder(self._project), step, decided, first, after)
            before = after

    def _full_build(self, full: Built) -> None:
        report = self._report
        embedding = float(full.stages["embeddings"]["seconds"])
        report.say("with its start, s", full.with_start)
        report.say("stages alone, s", full.seconds)
        share, rest = embedding / full.with_start, (full.with_start - embedding) / embedding
        report.say("share of the wall time in the embedder", share, ">= 0.80", share >= 0.8, judged=self._judged)
        report.say("everything else / embedding", rest, "<= 0.25", rest <= 0.25, judged=self._judged)
        report.say("peak memory with workers, MB", full.megabytes, "<= 1500", full.megabytes <= 1500)
        report.extra["stages of the full build, s"] = _stage_seconds(full)

    def _nothing_changed(self, full: Built) -> None:
        self._report.group = "nothing changed"
        again = build(self._project, self._site)
        self._time("time", again, full, 0.02)
        calls = again.model_calls()
        self._report.say("calls of the embedder or a model", calls, "0", calls == 0)
        misses = sum(again.misses(stage) for stage in again.stages)
        self._report.say("rows computed, all stages", misses, "0", misses == 0)

    def _one_edit(self, full: Built) -> None:
        report = self._report
        report.group = "one sentence"
        before, had = self._reader.read(), self._reader.vectors()
        page = edit_one_sentence(self._site, self._sections)
        edited = build(self._project, self._site)
        report.notes.append(f"the one sentence that was edited stands in {page}")
        self._time("time", edited, full, 0.03)
        self._redone("one sentence", before, self._reader.read(), edited, had)
        report.extra["stages of the build after one edit, s"] = _stage_seconds(edited)

    def _time(self, what: str, built: Built, full: Built, limit: float | None) -> None:
        whole, alone = built.with_start / full.with_start, built.seconds / full.seconds
        for name, share in (("with its start", whole), ("stages alone", alone)):
            bar = f"<= {limit:.2f}" if limit is not None else ""
            kept = limit is None or share <= limit
            self._report.say(f"{what} / full build, {name}", share, bar, kept, judged=self._judged)
        self._report.say(f"{what}, with its start and in stages, s", f"{built.with_start:.1f}, {built.seconds:.1f}")

    def _redone(self, step: str, before: State, after: State, built: Built, had: frozenset[str]) -> None:
        """Compare what was computed with what readers see as changed."""
        report = self._report
        pages = {name for name, page in after.pages.items() if before.pages.get(name) != page}
        report.say(
            "pages whose text or structure changed, and pages loaded", f"{len(pages)}, {built.misses('documents')}"
        )
        changed = len(chunk_texts(after) - chunk_texts(before))
        touched = len(touched_chunks(before, after))
        again = len(after.vector_keys["chunk"] - had)
        report.say_ratio(
            f"chunks embedded again ({again}) / chunks whose text changed ({changed})", again, changed, 1.3
        )
        report.say_ratio(
            f"chunks embedded again ({again}) / chunks that hold a new block ({touched})", again, touched, 1.3
        )
        new = set(after.claims.values()) - set(before.claims.values())
        claims = len(after.vector_keys["claim"] - had)
        report.say_ratio(f"claims embedded again ({claims}) / claims that are new ({len(new)})", claims, len(new), 1.3)
        limit = 1.5 if step == "week" else None
        block_figures(report, before, after, "blocks read again for claims", built.misses("claims"), limit)
        block_figures(report, before, after, "chunks embedded again", again, limit)
        pages_cut(report, before, after, built)

    def _from_scratch(self, step: str, built: Built) -> None:
        if self._options.scratch == "no":
            return
        project = make_project(self._work / f"fresh-{step}", self._sections)
        ledger = corpus_folder(self._project) / "reviews.jsonl"
        shutil.copyfile(ledger, corpus_folder(project) / ledger.name)
        if self._options.scratch == "vectors":
            share_vectors(project, self._project)
        fresh = build(project, self._site)
        shutil.rmtree(project)
        how = "but for vectors" if self._options.scratch == "vectors" else "vectors too"
        same = built.digest == fresh.digest
        self._report.say(f"content digest is that of a build from scratch ({how})", str(same), "True", same)


def all_pages(work: Path, data: Path, states: list[Path], options: argparse.Namespace, report: Report) -> None:
    """All pages, without an embedder: pages that a release must touch or leave alone, and review decisions."""
    project, site = make_project(work / "pages", []), work / "pages-site"
    reader = StateReader(project)
    rendered = rebuild_pages.rendered_commits(data)
    first: State | None = None
    before: State | None = None
    decided: list[Decided] = []
    for number, state in enumerate(states):
        show(state, site)
        chunked = build(project, site, until="chunks", shrink=True)
        built = build(project, site, until="claims", shrink=True)
        after = reader.read()
        if first is None or before is None:
            first = before = after
            decided = rebuild_reviews.decide_sample(
                corpus_folder(project), rebuild_reviews.Fates(states), options.reviews
            )
            continue
        step = STEPS[number - 1]
        report.group = f"{step}, all pages"
        limit = 1.5 if step == "week" else None
        cut = len(chunk_texts(after) - chunk_texts(before))
        touched = len(touched_chunks(before, after))
        block_figures(report, before, after, "blocks read again for claims", built.misses("claims"), limit)
        block_figures(report, before, after, "chunks with another text", cut, limit)
        report.say_ratio(
            f"chunks with another text ({cut}) / chunks that hold a new block ({touched})", cut, touched, 1.3
        )
        pages_cut(report, before, after, chunked)
        old = states[number - 1]
        if {path.name.rpartition("-")[2] for path in (old, state)} <= rendered:
            page_figures(report, data, old, state, before, after)
        review_figures(report, corpus_folder(project), f"{step}, all pages", decided, first, after)
        before = after


def block_figures(report: Report, before: State, after: State, what: str, done: int, limit: float | None) -> None:
    """Work against the blocks that changed. What a block stands under is part of what it says, and of what is embedded, so
    a new heading changes the blocks below it; the ratio to the blocks whose own words are new is printed beside it."""
    placed, words = len(new_placed_blocks(before, after)), len(new_blocks(before, after))
    report.say_ratio(f"{what} ({done}) / blocks with new words, headings or columns ({placed})", done, placed, limit)
    report.say_ratio(f"{what} ({done}) / blocks with new words ({words})", done, words)


def pages_cut(report: Report, before: State, after: State, built: Built) -> None:
    """Pages that the build cut into chunks again, against those that are new or not what they were."""
    known = {(name, page.digest) for name, page in before.pages.items()}
    changed = sum((name, page.digest) not in known for name, page in after.pages.items())
    cut = built.misses("chunks")
    report.say_ratio(f"pages cut again ({cut}) / pages whose text or structure is new ({changed})", cut, changed, 1.0)


def page_figures(report: Report, data: Path, old: Path, new: Path, before: State, after: State) -> None:
    """Pages that changed only through what they are made with, and edits that no reader sees."""
    wanted = rebuild_pages.expected(data, old, new)
    found = rebuild_pages.found(data, old, new, before, after)
    many = len(wanted.through_others)
    report.say(
        "pages changed only through what they are made with: caught", found.caught, str(many), found.caught == many
    )
    unseen = len(wanted.unseen)
    report.say(
        "edits that no reader sees: pages with no chunk cut again", found.still, str(unseen), found.still == unseen
    )
    report.say("unchanged pages whose text changed for us", len(found.beyond))
    report.extra["pages that were not caught"] = found.not_caught
    report.extra["unseen edits whose page was cut again -> whether a chunk's text changed"] = found.cut_again
    report.extra["unchanged pages whose text changed for us"] = found.beyond


def review_figures(report: Report, corpus: Path, step: str, decided: list[Decided], first: State, after: State) -> None:
    """What became of the decisions that were taken at the first state."""
    outcome = rebuild_reviews.judge(corpus, decided, first, after)
    kept = outcome.kept / outcome.stand if outcome.stand else 1.0
    offered = outcome.offered / outcome.edited if outcome.edited else 1.0
    report.say(
        f"decided claims whose text stands ({outcome.stand} of {len(decided)}): keep the decision",
        kept,
        "1.00",
        kept == 1.0,
    )
    report.say(
        f"decided claims whose text was edited ({outcome.edited}): offered with a diff",
        offered,
        ">= 0.90",
        offered >= 0.9,
    )
    labels = outcome.labels_kept / outcome.labels if outcome.labels else 1.0
    report.say(f"decided labels and values in the same row or list ({outcome.labels}): keep the decision", labels)
    report.say(f"of the offered ({outcome.offered}): under the sentence that difflib finds", outcome.right)
    report.say("decided claims whose text is gone", outcome.gone)
    report.extra[f"{step}: decisions not kept or not offered"] = {
        "why": dict(outcome.why.most_common()),
        "some": outcome.missed,
    }


def _stage_seconds(built: Built) -> dict[str, float]:
    return {name: round(float(stage["seconds"]), 2) for name, stage in built.stages.items()}


if __name__ == "__main__":
    sys.exit(main())
