"""From a snapshot of a source to its documents: every file becomes a document or a failure with a reason."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from aipk_core.documents.hugo.pages import hugo_pages
from aipk_core.documents.hugo.site import HugoSite
from aipk_core.documents.loaders.registry import Limits, LoadContext, RawDocument, Site, load
from aipk_core.documents.model import Document
from aipk_core.documents.records import document_from_record, document_record
from aipk_core.documents.sources.model import Source
from aipk_core.documents.sources.snapshot import Progress, SourceFile, SourceSnapshot
from aipk_core.documents.worker_pool import Lost, can_start_processes, map_in_processes, useful_workers
from aipk_core.errors import AipkError, DocumentError, SourceError
from aipk_core.text.languages import UNDETERMINED, detect_language

HUGO_PAGE = "text/x-hugo"
_FEW_FILES = 48
"""Below this, starting processes takes longer than it saves."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class DocumentFailure:
    """A file that did not become a document.

    Attributes:
        id: path inside the source.
        code: kind of failure; see ``DocumentError``, and ``loader-failed`` for a fault of the loader itself.
        message: what happened.
        remedy: what the user can do, ``""`` if nothing is known.
        source: name of the source.
    """

    id: str
    code: str
    message: str
    remedy: str = ""
    source: str = ""


def document_files(snapshot: SourceSnapshot, settings: Source | None = None) -> list[SourceFile]:
    """The files of a snapshot that become documents, sorted by path: for a Hugo site its pages, else all chosen files."""
    settings = settings or snapshot.settings
    files = snapshot.files()
    if settings.loader != "hugo":
        return files
    pages = {page.path: page.lang for page in hugo_pages(HugoSite(snapshot.site, _options(settings)))}
    return [
        replace(file, media_type=HUGO_PAGE, url="", lang=pages[file.path] or file.lang)
        for file in files
        if file.path in pages
    ]


def ingest(
    snapshot: SourceSnapshot,
    settings: Source | None = None,
    limits: Limits | None = None,
    progress: Progress | None = None,
    only: Collection[str] | None = None,
    files: Sequence[SourceFile] | None = None,
) -> Iterator[Document | DocumentFailure]:
    """Load the documents of a source, in the order of their paths.

    Args:
        settings: those of the snapshot by default; ``workers`` decides how many processes take part.
        only: ids of the documents that are wanted; all by default.
        files: what ``document_files`` says, for callers that have asked it already.

    Raises:
        SourceError: a file is no longer what it was when the snapshot was taken; what was yielded before is of one state.
    """
    settings = settings or snapshot.settings
    limits = limits or Limits(max_bytes=settings.max_file_bytes)
    known = document_files(snapshot, settings) if files is None else files
    files = [file for file in known if only is None or file.path in only]
    workers = _workers(settings, len(files))
    load_all = _serially if workers == 1 else _in_processes
    for number, result in enumerate(load_all(snapshot, settings, limits, files, workers)):
        yield result
        if progress:
            progress("documents", number + 1, len(files))


def load_file(
    snapshot: SourceSnapshot, file: SourceFile, settings: Source, context: LoadContext
) -> Document | DocumentFailure:
    """One document of a source, with the licence, attribution and address that the source gives it."""
    try:
        raw = RawDocument(file.path, snapshot.read(file.path), file.media_type, file.url, file.lang, file.encoding)
        document = load(raw, context)
    except DocumentError as error:
        return DocumentFailure(file.path, error.code, error.message, error.remedy, settings.name)
    except AipkError:
        raise
    except Exception as error:
        # A loader has met something that nobody thought of: a fault of ours, which must not cost the rest of the corpus.
        _log.info("the loader failed on %s", file.path, exc_info=True)
        message = f"the loader failed: {type(error).__name__}: {' '.join(str(error).split())[:200]}"
        return DocumentFailure(file.path, "loader-failed", message, "Report this file as a bug", settings.name)
    return replace(
        document,
        source=settings.name,
        licence=settings.licence,
        attribution=settings.attribution,
        url=document.url or file.url,
        lang=language_of(document, settings.lang),
    )


def language_of(document: Document, fallback: str = "") -> str:
    """The language that a document says it has; else what its text looks like; else ``fallback``, else English."""
    if document.lang not in {"", UNDETERMINED}:
        return document.lang
    detected = detect_language(document.text)
    return detected if detected != UNDETERMINED else fallback or "en"


def load_context(snapshot: SourceSnapshot, settings: Source, limits: Limits) -> LoadContext:
    """What the loaders of a source may know besides a document's own bytes; make one for each process."""
    options = _options(settings)
    site: Site = HugoSite(snapshot.site, options) if settings.loader == "hugo" else snapshot.site
    return LoadContext(limits, options, site)


def _options(settings: Source) -> dict[str, object]:
    options = dict(settings.options)
    if settings.loader == "hugo" and settings.url_base:
        options.setdefault("base_url", settings.url_base)
    return options


def _workers(settings: Source, files: int) -> int:
    if not can_start_processes() or files < 2:
        return 1
    if settings.workers:
        return min(settings.workers, files)
    return 1 if files < _FEW_FILES else min(useful_workers(), 8)


def _serially(
    snapshot: SourceSnapshot, settings: Source, limits: Limits, files: list[SourceFile], workers: int
) -> Iterator[Document | DocumentFailure]:
    context = load_context(snapshot, settings, limits)
    for file in files:
        yield load_file(snapshot, file, settings, context)


def _in_processes(
    snapshot: SourceSnapshot, settings: Source, limits: Limits, files: list[SourceFile], workers: int
) -> Iterator[Document | DocumentFailure]:
    job = _Job(snapshot, settings, limits, {file.path: file for file in files})
    # Loaders watch their own time; this stops those that cannot, because a library does not come back.
    patience = limits.timeout * 2 + 10
    for result in map_in_processes(_start, job, (file.path for file in files), workers, patience):
        if isinstance(result, Lost):
            code = "timeout" if result.reason == "timeout" else "loader-failed"
            message = "the loader took too long" if code == "timeout" else "the loader's process ended by itself"
            yield DocumentFailure(result.item, code, message, "Exclude the file or report it as a bug", settings.name)
            continue
        record = json.loads(result)
        if "source_error" in record:
            fields = record["source_error"]
            raise SourceError(fields.pop("message"), **fields)
        if "failure" in record:
            yield DocumentFailure(**record["failure"])
        else:
            yield document_from_record(record)


@dataclass(frozen=True, slots=True)
class _Job:
    snapshot: SourceSnapshot
    settings: Source
    limits: Limits
    files: dict[str, SourceFile]


def _start(job: _Job) -> Callable[[str], str]:
    """What a worker process does with the id of a document; called once in each process."""
    context = load_context(job.snapshot, job.settings, job.limits)

    def work(path: str) -> str:
        try:
            result = load_file(job.snapshot, job.files[path], job.settings, context)
        except SourceError as error:
            return json.dumps({"source_error": error.to_dict()})
        if isinstance(result, DocumentFailure):
            names = ("id", "code", "message", "remedy", "source")
            return json.dumps({"failure": {name: getattr(result, name) for name in names}})
        return json.dumps(document_record(result), ensure_ascii=False)

    return work
