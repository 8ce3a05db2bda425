"""``aipk store`` and ``aipk status``: what the project keeps, and what the next build would do."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path
from typing import Annotated, cast

import typer
from rich.table import Table

from aipk_core.cli.console import EXIT_BELOW, err, escaped, out, progress_bar, reporting_errors
from aipk_core.errors import UsageError
from aipk_core.store.workspace import Workspace

RUN_HISTORY = "aipk.run_history"
"""Entry-point group of the functions that shorten a run history: ``(workspace, keep) -> runs deleted``."""

app = typer.Typer(no_args_is_help=True, help="The stage store: what it holds, and how to make it smaller.")

ProjectOption = Annotated[
    Path, typer.Option("--project", help="A folder of the project; by default the one you are in.")
]


@reporting_errors
def status(
    corpus: Annotated[Path, typer.Argument(help="A corpus folder, for example corpora/larkfield.")],
    path: Annotated[
        list[str] | None,
        typer.Option("--path", help="Read a source from a local folder: NAME=FOLDER.", metavar="NAME=FOLDER"),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Show what the next build would redo, and why, without doing it. Sources are brought up to date, as for a build.

    Exit codes: 0 all is up to date, 1 the next build has something to do, 2 error.
    """
    from aipk_core.cli.build import local_paths
    from aipk_core.corpus import load_corpus
    from aipk_core.stages import StageContext
    from aipk_core.stages.ahead import UP_TO_DATE, stages_ahead

    loaded = load_corpus(corpus, paths=local_paths(path or []))
    with progress_bar(quiet=as_json) as progress:
        workspace = Workspace.of(loaded.folder)
        with workspace.using_store():
            ahead = stages_ahead(StageContext(loaded, workspace, progress))
    if as_json:
        print(json.dumps({item.stage: item.to_dict() for item in ahead}, ensure_ascii=False, indent=2))
    else:
        for item in ahead:
            colour = "green" if item.state == UP_TO_DATE else "yellow"
            out.print(f"  [bold]{item.stage:<16}[/] [{colour}]{item.state}[/]")
            for reason in item.reasons:
                out.print(f"      {escaped(reason)}", soft_wrap=True)
    if any(item.state != UP_TO_DATE for item in ahead):
        raise typer.Exit(EXIT_BELOW)


@app.command()
@reporting_errors
def size(
    project: ProjectOption = Path(),
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Show what lies in the store, in bytes on disk."""
    from aipk_core.store.cleaning import store_size

    found = store_size(Workspace.of(project))
    if as_json:
        print(json.dumps(found.to_dict(), indent=2))
        return
    table = Table("", "rows", "bytes", box=None, pad_edge=False)
    for cache in found.caches:
        table.add_row(f"cache {cache.name}", f"{cache.rows:,}", f"{cache.bytes:,}")
    for name in ("manifests", "sources", "runs", "packages"):
        table.add_row(name, "", f"{getattr(found, name):,}")
    table.add_row("all", "", f"{found.total:,}")
    out.print(table)


@app.command()
@reporting_errors
def gc(
    project: ProjectOption = Path(),
    keep: Annotated[
        int, typer.Option(help="States of every stage whose rows stay, besides the present one.", min=0)
    ] = 2,
    runs: Annotated[
        int | None, typer.Option("--runs", help="Also delete all but the last N runs of Dagster's history.", min=1)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Drop rows that no recent build stands on, and compact the rest. No build may run meanwhile."""
    from aipk_core.store.cleaning import clean_store

    workspace = Workspace.of(project)
    with progress_bar(quiet=as_json) as progress:
        cleaned = clean_store(workspace, keep=keep + 1, progress=progress)
    deleted = _run_history()(workspace, runs) if runs is not None else 0
    if as_json:
        print(json.dumps({**cleaned.to_dict(), "runs_deleted": deleted}, indent=2))
        return
    for name in cleaned.kept_whole:
        err.print(f"[yellow]note:[/] it is not known what {name} stands on, so no row was dropped: build with --force")
    out.print(
        f"{cleaned.before:,} bytes before, {cleaned.after:,} after; {sum(cleaned.dropped.values()):,} rows dropped"
    )
    if runs is not None:
        out.print(f"{deleted:,} runs deleted")


def _run_history() -> Callable[[Workspace, int], int]:
    for entry in entry_points(group=RUN_HISTORY, name="dagster"):
        return cast(Callable[[Workspace, int], int], entry.load())
    raise UsageError("Dagster's part of aipk is not installed", remedy="Install aipk with its pipelines")
