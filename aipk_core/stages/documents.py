"""Stage ``documents``: every page and file of the sources as a document; only what changed is loaded again.

A document is found in the cache by what it was computed from: its file, its loader's settings, and the state of
everything else that the loader read for it. What that is, is known only after loading, so the way to a document is a
chain: the key of a file leads to the names of what its page needed; those names, with their digests of today, lead to
the next key, and so on until a key has the document. An edit to an included file changes a key on the way of each page
that includes it, and of no other.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pyarrow as pa

from aipk_core.documents.dependencies import CurrentState
from aipk_core.documents.hugo.site import HugoSite
from aipk_core.documents.ingest import DocumentFailure, document_files, ingest, load_context
from aipk_core.documents.loaders.registry import Limits
from aipk_core.documents.model import Document
from aipk_core.documents.records import document_from_record, document_record
from aipk_core.documents.sources import open_source
from aipk_core.documents.sources.model import Source
from aipk_core.documents.sources.snapshot import SourceFile, SourceSnapshot
from aipk_core.errors import CorpusError, DocumentError, SourceError, StoreError
from aipk_core.executors.model import Shard
from aipk_core.executors.opening import executor_name
from aipk_core.hashing import digest
from aipk_core.stages.model import StageContext, StageResult, inputs_digest, is_current
from aipk_core.stages.shard_work import load_payload
from aipk_core.store.cache import JsonCache
from aipk_core.store.manifest import Manifest

STAGE_VERSION = 3

SCHEMA = pa.schema(
    [(name, pa.string()) for name in ("id", "source", "key", "digest", "title", "url", "lang")]
    + [(name, pa.int64()) for name in ("characters", "blocks", "problems")]
)
_BATCH_DOCUMENTS = 64
_FILES_PER_SHARD = 32
_SHRINK_AT_LEAST = 3
_UNSTABLE_FAILURES = frozenset({"timeout", "loader-failed"})
"""Failures that may not happen again; they are tried again at every build."""


def documents_stage(context: StageContext) -> StageResult:
    """Load the documents of all sources and make them the current ones of the corpus.

    Raises:
        SourceError: a source cannot be read, or lost many documents at once (code ``source-shrunk``); the documents of
            the last build stay the current ones.
        CorpusError: there is no document at all (code ``corpus-empty``).
        DocumentError: a document cannot be read well and the corpus is ``strict``.
    """
    corpus = context.corpus
    snapshots = [
        open_source(source, corpus.folder, context.workspace.sources, context.progress)
        for source in corpus.settings.sources
    ]
    try:
        inputs, fingerprint = _inputs(context, snapshots)
        current = is_current(context, "documents", inputs)
        # The caches may have been deleted under the manifest; then the documents are loaded again.
        if current is not None and context.workspace.cache("documents").exists():
            return _result(context, current, hits=current.count, misses=0, unchanged=True)
        loaded = [_load_source(context, snapshot, qualified=len(snapshots) > 1) for snapshot in snapshots]
    finally:
        for snapshot in snapshots:
            snapshot.close()
    _check(context, loaded)
    rows = sorted((row for part in loaded for row in part.rows), key=lambda row: row["id"])
    facts = {
        "inputs": inputs,
        "shown": _figures(loaded, rows),
        "by_source": {part.source: len(part.rows) for part in loaded},
        "revisions": {part.source: part.revision for part in loaded},
        "failures": [failure for part in loaded for failure in part.failures][:1000],
        "warnings": [line for part in loaded for line in part.warnings],
    }
    manifest = Manifest("documents", fingerprint, pa.Table.from_pylist(rows, schema=SCHEMA), facts)
    context.workspace.write_manifest(corpus.name, manifest)
    misses = sum(part.misses for part in loaded)
    return _result(context, manifest, hits=len(rows) - misses, misses=misses, unchanged=False)


@dataclass(frozen=True, slots=True)
class DocumentsAhead:
    """What the stage would load again.

    Attributes:
        current: whether nothing at all would be done.
        total: documents that the sources have now.
        reasons: why (``new``, ``edited``, ``file NAME`` or ``parameter NAME`` that documents are made with, ``settings``)
            -> ids of the documents; a document for which several things changed stands under each.
        gone: ids of documents that the sources have no more.
    """

    current: bool
    total: int
    reasons: dict[str, list[str]] = field(default_factory=dict)
    gone: tuple[str, ...] = ()


def documents_ahead(context: StageContext) -> DocumentsAhead:
    """Find out what the stage would do, without loading a document. Sources are brought up to date, as for a build.

    Raises:
        SourceError: a source cannot be read.
    """
    corpus = context.corpus
    snapshots = [
        open_source(source, corpus.folder, context.workspace.sources, context.progress)
        for source in corpus.settings.sources
    ]
    try:
        inputs, _ = _inputs(context, snapshots)
        current = is_current(context, "documents", inputs)
        if current is not None and context.workspace.cache("documents").exists():
            return DocumentsAhead(True, current.count)
        previous = context.workspace.read_manifest(corpus.name, "documents")
        before = dict(zip(previous.column("id"), previous.column("key"), strict=True)) if previous else {}
        reasons: dict[str, list[str]] = {}
        total = 0
        gone = set(before)
        for snapshot in snapshots:
            files = document_files(snapshot, snapshot.settings)
            finder = _Finder(context, snapshot, snapshot.settings, len(snapshots) > 1)
            found = finder.find(files)
            total += len(files)
            gone -= {finder.document_id(file) for file in files}
            for name, reason in finder.explain([file for file in files if file.path not in found], before):
                reasons.setdefault(reason, []).append(name)
        return DocumentsAhead(False, total, dict(sorted(reasons.items())), tuple(sorted(gone)))
    finally:
        for snapshot in snapshots:
            snapshot.close()


def _inputs(context: StageContext, snapshots: Sequence[SourceSnapshot]) -> tuple[str, str]:
    """What the stage would be computed from, and the digest of its settings."""
    language = context.corpus.settings.language
    # Other choices of files do not make other documents: they count for the stage, not for the documents' keys.
    keys = [_source_key(snapshot.settings, language, _CONTENT | _CHOICE) for snapshot in snapshots]
    fingerprint = digest("documents", STAGE_VERSION, keys)
    return inputs_digest(fingerprint, *(snapshot.revision for snapshot in snapshots)), fingerprint


def document_keys(manifest: Manifest) -> list[str]:
    """The keys under which the cache ``documents`` has the current documents, in document order."""
    return manifest.column("key")


def read_documents(context: StageContext, keys: Sequence[str]) -> Iterator[tuple[str, Document]]:
    """Key and document of each of ``keys``, so many at a time that memory stays bounded, in no promised order.

    Raises:
        StoreError: the cache lacks one (code ``document-missing``).
    """
    cache = context.workspace.cache("documents")
    for first in range(0, len(keys), _BATCH_DOCUMENTS):
        some = keys[first : first + _BATCH_DOCUMENTS]
        left = set(some)
        for key, record in cache.items(some):
            left.discard(key)
            yield key, document_from_record(record["document"])
        if left:
            raise StoreError(
                f"{len(left)} documents that are current are not in the store",
                code="document-missing",
                where=str(context.workspace.caches),
                remedy="Build with --force documents",
            )


@dataclass(slots=True)
class _Loaded:
    """What became of one source."""

    source: str
    revision: str
    rows: list[dict[str, Any]] = field(default_factory=list)
    failures: list[dict[str, str]] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    problems: Counter[str] = field(default_factory=Counter)
    misses: int = 0


def _load_source(context: StageContext, snapshot: SourceSnapshot, *, qualified: bool) -> _Loaded:
    settings: Source = snapshot.settings
    workers = 1 if executor_name(context.corpus.settings.execution.backend) == "serial" else context.workers
    if workers and not settings.workers:
        settings = settings.model_copy(update={"workers": workers})
    files = document_files(snapshot, settings)
    finder = _Finder(context, snapshot, settings, qualified)
    found = finder.find(files)
    loaded = _Loaded(settings.name, snapshot.revision)
    loaded.warnings.extend(f"{settings.name}: {p.message} ({p.where})" for p in snapshot.problems)

    missing = [file for file in files if file.path not in found]
    for path, key, summary in finder.load(missing):
        if "code" in summary:
            loaded.failures.append(summary)
        else:
            found[path] = (key, summary)
            loaded.misses += 1
    for file in files:
        if file.path in found:
            key, summary = found[file.path]
            if "code" in summary:
                loaded.failures.append(summary)
            else:
                loaded.problems.update(summary.get("codes", ()))
                loaded.rows.append({name: value for name, value in {**summary, "key": key}.items() if name != "codes"})
    for failure in loaded.failures:
        loaded.warnings.append(f"{failure['id']}: {failure['message']} [{failure['code']}]")
    return loaded


class _Finder:
    """Finds the documents of one source in the cache, and puts those that it lacks there."""

    def __init__(self, context: StageContext, snapshot: SourceSnapshot, settings: Source, qualified: bool) -> None:
        self.context = context
        self.snapshot = snapshot
        self.settings = settings
        self.qualified = qualified
        self.documents: JsonCache = context.workspace.cache("documents")
        self.traces: JsonCache = context.workspace.cache("document_traces")
        self.summaries: JsonCache = context.workspace.cache("document_summaries")
        # Traces are laid document by document and written with each batch: a commit for each would cost seconds.
        self._laid: dict[str, dict[str, Any]] = {}
        self._put_traces: set[str] = set()
        self._known_traces: frozenset[str] | None = None
        site = load_context(snapshot, settings, Limits()).site
        assert site is not None
        self.state = CurrentState(site)
        language = context.corpus.settings.language
        self.base = digest("document", STAGE_VERSION, _source_key(settings, language), _site_key(site), qualified)

    def find(self, files: Sequence[SourceFile]) -> dict[str, tuple[str, dict[str, Any]]]:
        """Path -> key and summary of the documents that the cache has for the present state of everything."""
        ends: dict[str, str] = {}
        pending = {file.path: self._first_key(file) for file in files} if not self.context.force else {}
        languages = {file.path: file.lang for file in files}
        known = self.summaries.known()
        while pending:
            ends.update({path: key for path, key in pending.items() if key in known})
            needs = self.traces.get([key for path, key in pending.items() if path not in ends])
            pending = {
                path: self._next_key(key, needs[key]["needs"], languages[path])
                for path, key in pending.items()
                if path not in ends and key in needs
            }
        stored = self.summaries.get(list(ends.values()))
        loaded = self.documents.known()
        return {path: (key, stored[key]) for path, key in ends.items() if key in loaded or "code" in stored[key]}

    def document_id(self, file: SourceFile) -> str:
        """The id that the document of ``file`` has in the corpus."""
        return f"{self.settings.name}/{file.path}" if self.qualified else file.path

    def explain(self, files: Sequence[SourceFile], before: dict[str, str]) -> Iterator[tuple[str, str]]:
        """Id and reason for each thing that makes a document of ``files`` load again.

        Args:
            before: id -> key in the cache ``documents`` of the documents that are current.
        """
        for first in range(0, len(files), _BATCH_DOCUMENTS):
            some = files[first : first + _BATCH_DOCUMENTS]
            keys = {self.document_id(file): before.get(self.document_id(file), "") for file in some}
            stored = self.documents.get([key for key in keys.values() if key])
            for file in some:
                name = self.document_id(file)
                record = stored.get(keys[name])
                if record is None:
                    yield name, "settings" if keys[name] else "new"
                    continue
                needs = [(kind, other) for kind, other, _ in record["document"]["dependencies"]]
                was = [value for _, _, value in record["document"]["dependencies"]]
                now = self.state.digests(needs, file.lang)
                changed = [need for need, old, new in zip(needs, was, now, strict=True) if old != new]
                reasons = {"edited" if other == file.path else f"{kind} {other}" for kind, other in changed}
                for reason in sorted(reasons) or ["settings"]:
                    yield name, reason

    def load(self, files: Sequence[SourceFile]) -> Iterator[tuple[str, str, dict[str, Any]]]:
        """Load ``files``, and yield path, key and summary of each; the key is empty for a failure that is not kept."""
        if not files:
            return
        by_path = {file.path: file for file in files}
        batch: list[tuple[str, str, dict[str, Any]]] = []
        documents: dict[str, Any] = {}
        results = self._ingested(files)
        for result in results:
            file = by_path[result.id]
            if isinstance(result, DocumentFailure):
                batch.append((file.path, *self._failure(file, result)))
            else:
                document = self._finished(result)
                key = self._remember(file, document)
                documents[key] = {"document": document_record(document)}
                batch.append((file.path, key, _summary(document)))
            if len(batch) >= _BATCH_DOCUMENTS:
                yield from self._commit(documents, batch)
                documents, batch = {}, []
        yield from self._commit(documents, batch)

    def _ingested(self, files: Sequence[SourceFile]) -> Iterator[Document | DocumentFailure]:
        executor = self.context.remote_executor() if len(files) > _FILES_PER_SHARD else None
        if executor is None:
            yield from ingest(self.snapshot, self.settings, None, self.context.progress, files=files)
            return
        corpus, sources = self.context.corpus.folder, self.context.workspace.sources
        shards = [
            Shard(
                "load",
                load_payload(
                    self.snapshot, corpus, sources, [file.path for file in files[first : first + _FILES_PER_SHARD]]
                ),
            )
            for first in range(0, len(files), _FILES_PER_SHARD)
        ]
        done = 0
        for _, result in executor.map(shards):
            for record in json.loads(result.decode("utf-8", "surrogatepass")):
                done += 1
                self.context.progress("documents", done, len(files))
                if "failure" in record:
                    yield DocumentFailure(**record["failure"])
                else:
                    yield document_from_record(record)

    def _commit(
        self, documents: dict[str, Any], batch: list[tuple[str, str, dict[str, Any]]]
    ) -> Iterator[tuple[str, str, dict[str, Any]]]:
        # The summary says that the document is there and can be found, so it is written last.
        self.traces.put({key: needs for key, needs in self._laid.items() if key not in self._put_traces})
        self._put_traces.update(self._laid)
        self.documents.put(documents)
        self.summaries.put({key: summary for _, key, summary in batch if key})
        yield from batch

    def _finished(self, document: Document) -> Document:
        if self.qualified:
            document = replace(document, id=f"{self.settings.name}/{document.id}")
        if document.lang in {"", "und"}:
            document = replace(document, lang=self.context.corpus.settings.language)
        return document

    def _failure(self, file: SourceFile, failure: DocumentFailure) -> tuple[str, dict[str, Any]]:
        record = {"id": failure.id, "code": failure.code, "message": failure.message, "source": failure.source}
        # A page of a site may fail for what it includes, which the failure does not tell; so it is tried again.
        kept = failure.code not in _UNSTABLE_FAILURES and self.settings.loader != "hugo"
        return (self._first_key(file) if kept else "", record)

    def _remember(self, file: SourceFile, document: Document) -> str:
        """Lay the chain from the file to the document, as far as it is not there, and return the last key."""
        rest = {(item.kind, item.name) for item in document.dependencies if item.name != file.path}
        key = self._first_key(file)
        while True:
            needs = self._trace(key)
            if needs is None:
                if not rest:
                    return key
                needs = {"needs": sorted(map(list, rest))}
                self._laid[key] = needs
            names = needs["needs"]
            rest -= {(kind, name) for kind, name in names}
            key = self._next_key(key, names, file.lang)

    def _trace(self, key: str) -> dict[str, Any] | None:
        if key in self._laid:
            return self._laid[key]
        if self._known_traces is None:
            self._known_traces = self.traces.known()
        return self.traces.get([key]).get(key) if key in self._known_traces else None

    def _first_key(self, file: SourceFile) -> str:
        return digest(self.base, file.path, file.digest, file.size, file.media_type, file.encoding, file.url, file.lang)

    def _next_key(self, key: str, needs: Sequence[Sequence[str]], lang: str) -> str:
        names = [(kind, name) for kind, name in needs]
        return digest(key, [list(name) for name in names], self.state.digests(names, lang))


_CHOICE = frozenset({"include", "exclude", "hidden", "folders", "pages", "sitemaps", "max_files", "max_pages"})
_CONTENT = frozenset({"name", "licence", "attribution", "url_base", "lang", "loader", "options", "max_file_bytes"})


def _source_key(settings: Source, language: str, names: frozenset[str] = _CONTENT) -> str:
    """Digest of the settings of a source that its documents depend on, or with ``_CHOICE`` also which files they are."""
    values = settings.model_dump(mode="json", include=set(names))
    return digest(json.dumps(values, sort_keys=True, ensure_ascii=False), language)


def _site_key(site: Any) -> str:
    """Digest of what all pages of a Hugo site depend on; parameters are not part of it, pages name those they use."""
    if not isinstance(site, HugoSite):
        return ""
    config = {name: value for name, value in site.config.items() if name.lower() != "params"}
    return digest(json.dumps(config, sort_keys=True, ensure_ascii=False, default=str))


def _summary(document: Document) -> dict[str, Any]:
    return {
        "id": document.id,
        "source": document.source,
        "digest": document.digest,
        "title": document.title,
        "url": document.url,
        "lang": document.lang,
        "characters": len(document.text),
        "blocks": len(document.blocks),
        "problems": len(document.problems),
        "codes": sorted({problem.code for problem in document.problems}),
    }


def _check(context: StageContext, loaded: Sequence[_Loaded]) -> None:
    corpus = context.corpus
    failures = [failure for part in loaded for failure in part.failures]
    if failures and corpus.settings.strict:
        first = failures[0]
        more = f" (and {len(failures) - 1} more documents)" if len(failures) > 1 else ""
        raise DocumentError(
            f"{first['message']}{more}, and the corpus is strict",
            code=first["code"],
            where=first["id"],
            remedy="Mend or exclude the file, or set strict = false",
        )
    if not any(part.rows for part in loaded):
        what = f"none of {len(failures)} files could be read" if failures else "the sources have no documents"
        raise CorpusError(what, code="corpus-empty", where=str(corpus.folder), remedy="Check path, include and exclude")
    if context.allow_shrink:
        return
    previous = context.workspace.read_manifest(corpus.name, "documents")
    before: dict[str, int] = previous.facts["by_source"] if previous else {}
    for part in loaded:
        had = before.get(part.source, 0)
        lost = had - len(part.rows)
        if lost >= _SHRINK_AT_LEAST and lost * 100 > had * corpus.settings.max_shrink_percent:
            raise SourceError(
                f"the source had {had} documents at the last build and has {len(part.rows)} now",
                code="source-shrunk",
                where=part.source,
                remedy="Check the source; build with --allow-shrink if this is meant",
            )


def _figures(loaded: Sequence[_Loaded], rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    failures: Counter[str] = Counter(failure["code"] for part in loaded for failure in part.failures)
    problems: Counter[str] = Counter()
    for part in loaded:
        problems.update(part.problems)
    figures: dict[str, Any] = {
        "documents": len(rows),
        "characters": sum(row["characters"] for row in rows),
        "blocks": sum(row["blocks"] for row in rows),
        "failures": sum(failures.values()),
    }
    figures |= {f"failed: {code}": count for code, count in sorted(failures.items())}
    figures |= {f"with {code}": count for code, count in sorted(problems.items())}
    return figures


def _result(context: StageContext, manifest: Manifest, *, hits: int, misses: int, unchanged: bool) -> StageResult:
    sample = [{name: row[name] for name in ("id", "title", "characters", "blocks", "url")} for row in manifest.head(10)]
    return StageResult(
        "documents",
        manifest.count,
        hits,
        misses,
        manifest.version,
        context.workspace.manifest_path(context.corpus.name, "documents"),
        unchanged=unchanged,
        facts={**manifest.facts["shown"], "revisions": manifest.facts["revisions"]},
        sample=tuple(sample),
        warnings=tuple(manifest.facts["warnings"]),
    )
