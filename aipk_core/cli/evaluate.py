"""``aipk eval``: ask a corpus's questions and print how the answers fared."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from aipk_core.cli.console import err, escaped, out, progress_bar, reporting_errors
from aipk_core.corpus import load_corpus
from aipk_core.errors import CorpusError
from aipk_core.stages import StageContext
from aipk_core.store.workspace import Workspace


@reporting_errors
def evaluate(
    corpus: Annotated[Path, typer.Argument(help="A corpus folder whose package has been built.")],
    model: Annotated[str, typer.Option(help="LiteLLM model; by default the one of corpus.toml, or none.")] = "",
    api_base: Annotated[str, typer.Option(help="Address of the model's server.")] = "",
    model_key_env: Annotated[str, typer.Option(help="Environment variable that holds the model's API key.")] = "",
    details: Annotated[bool, typer.Option("--details", help="Also print every question with its answers.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Ask the questions of a corpus as vanilla retrieval-augmented generation and in strict-render, and compare.

    Exit codes: 0 evaluated, 2 error.
    """
    from aipk_core.evaluation.questions import load_questions
    from aipk_core.evaluation.run import asked_record
    from aipk_core.stages.evaluation import evaluate_package, gold_warnings
    from aipk_core.stages.package import published_package

    loaded = load_corpus(corpus)
    package = published_package(StageContext(loaded, Workspace.of(loaded.folder)))
    if package is None:
        raise CorpusError("there is no package yet", where=str(corpus), remedy=f"Run: aipk build {corpus}")
    if not loaded.settings.evaluation.questions:
        raise CorpusError(
            "the corpus has no questions", where=str(corpus), remedy="Write some and name the file in [evaluation]"
        )
    answer = loaded.settings.answer
    if model:
        answer = answer.model_copy(update={"model": model, "api_base": api_base, "api_key_env": model_key_env})
    with progress_bar(quiet=as_json) as progress:
        questions = load_questions(loaded)
        warnings = gold_warnings(package, questions)
        asked, summaries = evaluate_package(package, questions, answer, loaded.settings.embedding, progress)
    for warning in warnings:
        err.print(f"[yellow]note:[/] {escaped(warning)}", soft_wrap=True)
    if as_json:
        value: dict[str, Any] = {
            "summary": [summary.row() for summary in summaries],
            "asked": [asked_record(item) for item in asked],
        }
        value["warnings"] = list(warnings)
        print(json.dumps(value, ensure_ascii=False, indent=2))
        return
    if details:
        for item in asked:
            state = "refused" if item.refused else "answered"
            flags = [name for name in ("contradicts_gold", "gold_cited") if getattr(item, name)]
            out.print(f"[bold]{item.question.id}[/] {item.way}: {state} {' '.join(flags)}")
            out.print(f"  {escaped(item.question.question)}\n  {escaped(item.text)}", style="dim")
    # Ways side by side read better on a narrow terminal than one wide row each.
    rows = [summary.row() for summary in summaries]
    table = Table("", *(row["way"] for row in rows), box=None, pad_edge=False)
    for name in list(rows[0])[1:]:
        table.add_row(name, *(row[name] for row in rows))
    out.print(table)
    err.print("[dim]coverage: share of the answers' statements that canonical claims support; refusals count as 0[/]")
