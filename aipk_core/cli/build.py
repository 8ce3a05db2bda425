"""``aipk build``."""

from __future__ import annotations

import json
import shlex
from importlib.metadata import entry_points
from pathlib import Path
from typing import Annotated, cast

import typer
from rich.table import Table

from aipk_core.build import BuildOptions, Runner, build_summary
from aipk_core.build import build as plain_build
from aipk_core.cli.console import ending_on_sigterm, err, escaped, out, progress_bar, reporting_errors
from aipk_core.errors import UsageError
from aipk_core.stages import STAGES, StageResult

RUNNERS = "aipk.runners"
"""Entry-point group of the ways to run a build; ``dagster`` comes with the package ``pipelines``."""

_STAGE_NAMES = ", ".join(STAGES)


@reporting_errors
def build(
    corpus: Annotated[Path, typer.Argument(help="A corpus folder, for example corpora/larkfield.")],
    path: Annotated[
        list[str] | None,
        typer.Option("--path", help="Read a source from a local folder: NAME=FOLDER.", metavar="NAME=FOLDER"),
    ] = None,
    until: Annotated[str, typer.Option(help=f"Stop after this stage: {_STAGE_NAMES}.")] = "",
    force: Annotated[
        list[str] | None,
        typer.Option(help="Run this stage although nothing that it depends on has changed; repeatable."),
    ] = None,
    workers: Annotated[int, typer.Option(help="Processes for heavy work; 0 decides by the machine.", min=0)] = 0,
    allow_shrink: Annotated[
        bool, typer.Option("--allow-shrink", help="Accept that a source lost many of its documents.")
    ] = False,
    plain: Annotated[
        bool, typer.Option("--plain", help="Run the stages directly, without Dagster and its run history.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="End with one JSON object on standard output.")] = False,
) -> None:
    """Build the package of a corpus: documents, chunks, claims, embeddings, review gate, package, evaluation.

    Exit codes: 0 built (or waiting for review, which the last line says), 2 error, 130 or 143 stopped by Ctrl-C or SIGTERM.
    """
    with ending_on_sigterm(), progress_bar(quiet=as_json) as progress:
        options = BuildOptions(
            paths=local_paths(path or []),
            force=frozenset(force or []),
            until=until,
            workers=workers,
            allow_shrink=allow_shrink,
            progress=progress,
            on_stage=_quiet if as_json else _announce,
        )
        results = _runner(plain)(corpus, options)
    if as_json:
        print(json.dumps(build_summary(results), ensure_ascii=False, indent=2))
        return
    _print_outcome(corpus, results)


def _runner(plain: bool) -> Runner:
    if plain:
        return plain_build
    for entry in entry_points(group=RUNNERS, name="dagster"):
        return cast(Runner, entry.load())
    raise UsageError(
        "Dagster's part of aipk is not installed", remedy="Install aipk with its pipelines, or use --plain"
    )


def local_paths(values: list[str]) -> dict[str, str]:
    """The values of ``--path`` as source name -> folder."""
    paths: dict[str, str] = {}
    for value in values:
        name, equals, folder = value.partition("=")
        if not equals or not name or not folder:
            raise UsageError(
                f"'{value}' is not NAME=FOLDER", remedy="Name the source and the folder, like website=/data"
            )
        if not Path(folder).exists():
            raise UsageError(f"there is no folder '{folder}'", remedy="Check the path after the equals sign")
        paths[name] = str(Path(folder).resolve())
    return paths


def _quiet(stage: str, result: StageResult | None) -> None:
    """Say nothing while stages run."""


def _announce(stage: str, result: StageResult | None) -> None:
    if result is None:
        return
    done = "nothing has changed" if result.unchanged else f"{result.hits:,} from cache, {result.misses:,} new"
    err.print(f"  [bold]{stage:<16}[/] {result.rows:>8,} rows   {done}   [dim]{result.seconds:.1f} s[/]")
    for warning in result.warnings[:5]:
        err.print(f"    [yellow]note:[/] {escaped(warning)}", soft_wrap=True)
    if len(result.warnings) > 5:
        err.print(f"    [yellow]note:[/] and {len(result.warnings) - 5} more")


def _print_outcome(corpus: Path, results: list[StageResult]) -> None:
    waiting = next((result.waiting for result in results if result.waiting), "")
    package = next((result for result in results if result.stage == "package"), None)
    evaluation = next((result for result in results if result.stage == "evaluation"), None)
    if evaluation is not None and evaluation.sample:
        table = Table("", *(str(row["way"]) for row in evaluation.sample), box=None, pad_edge=False)
        for name in list(evaluation.sample[0])[1:]:
            table.add_row(name, *(str(row[name]) for row in evaluation.sample))
        out.print(table)
    if waiting:
        command = f"aipk claims list {shlex.quote(str(corpus))}"
        out.print(f"[bold yellow]waiting:[/] {escaped(waiting)}. See: {escaped(command)}", soft_wrap=True)
    if package is not None and package.facts.get("path"):
        file = str(package.facts["path"])
        out.print(f"[bold green]package:[/] {escaped(file)}", soft_wrap=True)
        out.print(escaped(f'next: aipk ask {shlex.quote(file)} "your question"'), soft_wrap=True)
