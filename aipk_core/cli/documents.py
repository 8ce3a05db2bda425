"""``aipk documents`` and ``aipk sentences``: see what a file, a folder, a site or a corpus becomes."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import chain, islice
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.tree import Tree

from aipk_core.cli.console import EXIT_BELOW, err, escaped, out, progress_bar, reporting_errors
from aipk_core.corpus import CORPUS_FILE, load_corpus
from aipk_core.documents.ingest import DocumentFailure, ingest, language_of
from aipk_core.documents.links import citation_url
from aipk_core.documents.model import Block, Document, Problem
from aipk_core.documents.sources import FilesSource, Progress, SourceSnapshot, open_source
from aipk_core.documents.sources.files import open_folder
from aipk_core.errors import UsageError
from aipk_core.store.workspace import Workspace

_SHOWN_CHARACTERS = 2000
_PARAGRAPHS_AT_MOST = 64 << 20


class LoaderName(StrEnum):
    AUTO = "auto"
    HUGO = "hugo"


@dataclass(frozen=True, slots=True)
class _Choice:
    """What was asked for on the command line."""

    path: Path
    loader: LoaderName
    site: Path | None
    lang: str
    media_type: str
    workers: int


@dataclass(frozen=True, slots=True)
class _Summary:
    """A row of the table of documents."""

    id: str
    title: str = ""
    blocks: int = 0
    sentences: int = 0
    characters: int = 0
    notes: str = ""
    failure: str = ""


@reporting_errors
def documents(
    path: Annotated[
        Path | None,
        typer.Argument(help="A file, a folder, a corpus folder, or - for standard input.", show_default=False),
    ] = None,
    jsonl: Annotated[bool, typer.Option("--jsonl", help="One document a line, as JSON.")] = False,
    loader: Annotated[LoaderName, typer.Option(help="hugo reads the files as pages of a Hugo site.")] = LoaderName.AUTO,
    site: Annotated[
        Path | None, typer.Option(help="Root of the Hugo site (with hugo.toml); PATH is a page or folder in it.")
    ] = None,
    lang: Annotated[str, typer.Option(help="Language of documents that do not say it (BCP 47).")] = "",
    media_type: Annotated[str, typer.Option(help="Media type of standard input.")] = "",
    workers: Annotated[int, typer.Option(min=0, max=64, help="Processes; 0 decides by itself.")] = 0,
    segments: Annotated[
        bool, typer.Option(help="With --jsonl: add the bytes that each piece of text comes from.")
    ] = False,
) -> None:
    """Show what documents become: text, blocks, sentences, dependencies, errors.

    With --jsonl a document that cannot be read is a line with errors and an empty text, and the command ends with 0.
    Without it, the command ends with 1 when some document could not be read.
    """
    if path is None and site is None:
        raise UsageError(
            "there is nothing to read", where="PATH", remedy="Name a file or folder, or a site with --site"
        )
    choice = _Choice(path or site or Path(), loader, site, lang, media_type, workers)
    with progress_bar(quiet=jsonl and sys.stderr.isatty() is False) as progress:
        results = _results(choice, progress)
        if jsonl:
            for result in results:
                _write_line(_record(result, segments))
            return
        failed = _show(results)
    if failed:
        raise typer.Exit(EXIT_BELOW)


@reporting_errors
def sentences(
    jsonl: Annotated[bool, typer.Option("--jsonl", help="Read {text, lang?} lines, write {spans} lines.")] = False,
    lang: Annotated[str, typer.Option(help="Language of texts that do not say it (BCP 47).")] = "en",
) -> None:
    """Split text from standard input into sentences.

    Spans count Unicode code points. Without --jsonl the input is plain text and each sentence is printed on a line.
    """
    if jsonl:
        _split_lines(lang)
    else:
        _split_text(lang)


def _results(choice: _Choice, progress: Progress) -> Iterator[Document | DocumentFailure]:
    if str(choice.path) == "-":
        yield _from_stdin(choice)
    elif choice.loader is LoaderName.HUGO or choice.site is not None:
        yield from _of_site(choice, progress)
    elif (choice.path / CORPUS_FILE).is_file() or choice.path.name == CORPUS_FILE:
        corpus = load_corpus(choice.path)
        cache = Workspace.of(choice.path).sources
        for source in corpus.settings.sources:
            changes = {"lang": source.lang or choice.lang, "workers": choice.workers or source.workers}
            with open_source(source.model_copy(update=changes), corpus.folder, cache, progress) as snapshot:
                for result in _ingested(snapshot, progress):
                    # As in a build: ids of several sources carry the source's name.
                    several = len(corpus.settings.sources) > 1
                    yield replace(result, id=f"{source.name}/{result.id}") if several else result
    else:
        settings = FilesSource(lang=choice.lang, workers=choice.workers, hidden=choice.path.is_file())
        if choice.path.is_file():
            # A file that is named is read whatever its suffix says.
            settings = settings.model_copy(update={"include": ("*",)})
        with open_folder(settings, choice.path, progress=progress) as snapshot:
            yield from _ingested(snapshot, progress)


def _of_site(choice: _Choice, progress: Progress) -> Iterator[Document | DocumentFailure]:
    """The pages of a Hugo site at or below the path."""
    site = (choice.site or _site_above(choice.path)).resolve()
    path = choice.path.resolve()
    if not path.exists():
        candidate = (site / choice.path).resolve()
        path = candidate if candidate.exists() else path
    if not path.is_relative_to(site) or not path.exists():
        raise UsageError(
            "the path is not inside the site", where=str(choice.path), remedy=f"Name a page or folder below {site}"
        )
    settings = FilesSource(loader="hugo", lang=choice.lang, workers=choice.workers)
    with open_folder(settings, site, progress=progress) as snapshot:
        inside = "" if path == site else path.relative_to(site).as_posix()
        wanted = {
            file.path
            for file in snapshot.files()
            if not inside or file.path == inside or file.path.startswith(inside + "/")
        }
        yield from _ingested(snapshot, progress, wanted)


def _site_above(path: Path) -> Path:
    """The nearest folder at or above ``path`` with the configuration of a Hugo site."""
    start = path.resolve()
    for folder in (start, *start.parents):
        for name in ("hugo.toml", "hugo.yaml", "hugo.yml", "config.toml", "config.yaml", "config.yml"):
            if (folder / name).is_file():
                return folder
    raise UsageError(
        "no Hugo site is at or above this path", where=str(path), remedy="Name its root folder with --site"
    )


def _ingested(
    snapshot: SourceSnapshot, progress: Progress, only: set[str] | None = None
) -> Iterator[Document | DocumentFailure]:
    for problem in snapshot.problems:
        _warn(problem)
    yield from ingest(snapshot, progress=progress, only=only)


def _from_stdin(choice: _Choice) -> Document | DocumentFailure:
    from aipk_core.documents.loaders.registry import Limits, RawDocument, load
    from aipk_core.errors import DocumentError

    data = sys.stdin.buffer.read(Limits().max_bytes + 1)
    try:
        document = load(RawDocument("stdin", data, choice.media_type or _sniffed(data), lang=choice.lang))
        return replace(document, lang=language_of(document))
    except DocumentError as error:
        return DocumentFailure("stdin", error.code, error.message, error.remedy)


def _sniffed(data: bytes) -> str:
    from aipk_core.documents.loaders.registry import UNKNOWN, media_type_of

    found = media_type_of("stdin", data)
    return "text/markdown" if found in {UNKNOWN, "text/plain"} else found


def _warn(problem: Problem) -> None:
    err.print(f"[yellow]note:[/] {escaped(problem.where)}: {escaped(problem.message)} [dim]({problem.code})[/]")


def _record(result: Document | DocumentFailure, segments: bool) -> dict[str, Any]:
    """A document as the JSON line that other programs read; every field is always there."""
    from aipk_core.documents.sentences import document_sentences

    if isinstance(result, DocumentFailure):
        failure = {"code": result.code, "message": result.message, "remedy": result.remedy}
        empty: dict[str, list[Any]] = {name: [] for name in ("blocks", "sentences", "dependencies", "problems")}
        named = {"id": result.id, "url": "", "title": "", "lang": "", "text": ""}
        return {**named, **empty, "errors": [failure], "source": result.source}
    record: dict[str, Any] = {
        "id": result.id,
        "url": result.url,
        "title": result.title,
        "lang": result.lang,
        "text": result.text,
        "blocks": [_block_fields(block) for block in result.blocks],
        "sentences": [list(sentence.span) for sentence in document_sentences(result)],
        "dependencies": [{"kind": item.kind, "name": item.name, "digest": item.digest} for item in result.dependencies],
        "problems": [{"code": item.code, "message": item.message, "where": item.where} for item in result.problems],
        "errors": [],
        "source": result.source,
        "media_type": result.media_type,
        "metadata": result.metadata,
    }
    if segments:
        record["segments"] = [
            [piece.start, piece.end, piece.file, piece.byte_start, piece.byte_end, str(piece.origin)]
            for piece in result.segments
        ]
    return record


def _block_fields(block: Block) -> dict[str, Any]:
    return {
        "kind": block.kind,
        "start": block.start,
        "end": block.end,
        "heading_path": list(block.heading_path),
        "anchor": block.anchor,
        "page": block.page,
        "group": block.group,
        "container": block.container,
        "lead_in": block.lead_in,
        "columns": list(block.columns),
        "language": block.language,
        "atoms": [list(atom) for atom in block.atoms],
        "boilerplate": block.boilerplate,
    }


def _write_line(record: dict[str, Any]) -> None:
    sys.stdout.buffer.write(json.dumps(record, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n")
    sys.stdout.buffer.flush()


def _show(results: Iterator[Document | DocumentFailure]) -> int:
    """Print one document as a tree, several as a table; the number of those that could not be read."""
    first = list(islice(results, 2))
    if len(first) == 1 and isinstance(first[0], Document):
        _show_document(first[0])
        return 0
    # Documents are let go one by one: a corpus need not fit into memory.
    rows = [_summary(result) for result in chain(first, results)]
    _show_table(rows)
    return sum(bool(row.failure) for row in rows)


def _summary(result: Document | DocumentFailure) -> _Summary:
    from aipk_core.documents.sentences import document_sentences

    if isinstance(result, DocumentFailure):
        return _Summary(result.id, failure=f"{result.message} ({result.code})")
    notes = ", ".join(sorted({problem.code for problem in result.problems}))
    sentences = len(document_sentences(result))
    return _Summary(result.id, result.title, len(result.blocks), sentences, len(result.text), notes)


def _show_table(rows: list[_Summary]) -> None:
    table = Table(box=None, pad_edge=False)
    table.add_column("document", overflow="fold", max_width=60)
    table.add_column("title", overflow="ellipsis", no_wrap=True, max_width=40)
    table.add_column("blocks", justify="right", no_wrap=True)
    table.add_column("sentences", justify="right", no_wrap=True)
    table.add_column("notes", overflow="fold", style="yellow")
    read = [row for row in rows if not row.failure]
    for row in read:
        table.add_row(escaped(row.id), escaped(row.title), f"{row.blocks:,}", f"{row.sentences:,}", escaped(row.notes))
    if read:
        out.print(table)
    for row in rows:
        if row.failure:
            out.print(f"[red]not read:[/] {escaped(row.id)}: {escaped(row.failure)}")
    failed = len(rows) - len(read)
    out.print(
        f"{len(read):,} documents, {sum(row.blocks for row in read):,} blocks, "
        f"{sum(row.sentences for row in read):,} sentences, {sum(row.characters for row in read):,} characters"
        + (f", [red]{failed:,} not read[/]" if failed else "")
    )


def _show_document(document: Document) -> None:
    """The blocks as a tree under their headings, each sentence with a mark of its own."""
    facts = [document.media_type, document.lang, document.url, document.licence]
    tree = Tree(f"[bold]{escaped(document.title or document.id)}[/]  [dim]{escaped('  '.join(filter(None, facts)))}[/]")
    branches: list[Tree] = [tree]
    for block in document.blocks:
        del branches[len(block.heading_path) + 1 :]
        label = f"[cyan]{block.kind}[/]" + (f" [dim]p. {block.page}[/]" if block.page else "")
        columns = f" [magenta]{escaped(' / '.join(block.columns))}:[/]" if block.columns else ""
        branch = branches[-1].add(f"{label}{columns} {_marked(document, block)}")
        if block.is_heading:
            branches.append(branch)
    out.print(tree)
    for problem in document.problems:
        out.print(f"[yellow]note:[/] {escaped(problem.message)} [dim]({escaped(problem.code)})[/]")
    for dependency in document.dependencies:
        out.print(f"[dim]depends on[/] {dependency.kind} {escaped(dependency.name)}")
    first = next(document.prose_blocks(), None)
    if document.url and first:
        out.print(f"[dim]link to a sentence:[/] {escaped(citation_url(document, first))}", soft_wrap=True)


def _marked(document: Document, block: Block) -> str:
    """The text of a block with sentence ends shown, and the middle of a long one left out."""
    from aipk_core.documents.sentences import block_sentences

    spans = block_sentences(document, block)
    text = (
        " [green]¦[/] ".join(escaped(document.quote(span)) for span in spans)
        if spans
        else escaped(document.quote(block))
    )
    return text if len(text) <= _SHOWN_CHARACTERS else escaped(document.quote(block)[:_SHOWN_CHARACTERS]) + " …"


def _split_lines(lang: str) -> None:
    from aipk_core.text.sentences import split_sentences

    for number, line in enumerate(sys.stdin.buffer, 1):
        if not line.strip():
            continue
        text, language = _request(line, number, lang)
        spans = ",".join([f"[{start},{end}]" for start, end in split_sentences(text, language)])
        sys.stdout.buffer.write(f'{{"spans":[{spans}]}}\n'.encode())
        sys.stdout.buffer.flush()


def _request(line: bytes, number: int, lang: str) -> tuple[str, str]:
    try:
        value = json.loads(line)
    except ValueError as error:
        raise UsageError(
            f"line {number} is not JSON", where="standard input", remedy='Send {"text": …} lines'
        ) from error
    text = value.get("text") if isinstance(value, dict) else None
    language = (value.get("lang") if isinstance(value, dict) else None) or lang
    if not isinstance(text, str) or not isinstance(language, str):
        raise UsageError(
            f"line {number} has no text", where="standard input", remedy='Send {"text": …, "lang": …} lines'
        )
    return text, language


def _split_text(lang: str) -> None:
    from aipk_core.text.sentences import split_sentences

    text = sys.stdin.buffer.read(_PARAGRAPHS_AT_MOST + 1)
    if len(text) > _PARAGRAPHS_AT_MOST:
        raise UsageError("the text is larger than 64 MiB", where="standard input", remedy="Split it, or use --jsonl")
    decoded = text.decode("utf-8", "replace")
    spans = split_sentences(decoded, lang)
    width = len(str(len(spans)))
    for number, span in enumerate(spans, 1):
        sentence = " ".join(decoded[span.start : span.end].split())
        out.print(f"[dim]{number:>{width}}[/]  {escaped(sentence)}", soft_wrap=True)
