"""Stage ``package``: everything sealed into one file and published under ``dist/``.

A new package is written beside the old ones under a name that holds its digest; ``dist/<corpus>.aipk`` points to the
latest. The pointer moves last and in one step, so that whoever opens it gets a whole package, the old or the new one.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from aipk_core.claims.ledger import Ledger, read_ledger
from aipk_core.claims.model import Claim, Status
from aipk_core.claims.successors import gone_decisions
from aipk_core.corpus import Corpus
from aipk_core.documents.model import Document
from aipk_core.documents.records import document_from_record
from aipk_core.embedding.model import EmbedderIdentity
from aipk_core.errors import CorpusError, PackageError
from aipk_core.evaluation.questions import load_questions
from aipk_core.hashing import digest
from aipk_core.package.contents import PackageContents
from aipk_core.package.writer import PackageInfo, write_package
from aipk_core.stages.chunks import read_chunks
from aipk_core.stages.documents import document_keys
from aipk_core.stages.embeddings import read_vectors
from aipk_core.stages.model import StageContext, StageResult, inputs_digest, is_current
from aipk_core.stages.package_checks import (
    Coverage,
    check_new_package,
    failed_check,
    refuse_failed,
    write_checks,
)
from aipk_core.stages.registry import STAGES
from aipk_core.stages.review import read_reviewed_claims
from aipk_core.store.manifest import Manifest

STAGE_VERSION = 1

_DOCUMENTS_AT_ONCE = 100
_MOST_REPORTED = 1000


def package_stage(context: StageContext) -> StageResult:
    """Write the package, unless nothing that goes into it has changed; without canonical claims it waits for review."""
    corpus = context.corpus
    manifests = {stage: context.manifest(stage) for stage in (*STAGES["package"].depends_on, "claims")}
    reviewed = manifests["reviewed_claims"]
    ledger = read_ledger(corpus.ledger)
    own = own_texts(corpus)
    fingerprint = digest("package", STAGE_VERSION, STAGES["package"].settings_digest(corpus.settings))
    inputs = inputs_digest(
        fingerprint, *(manifests[stage].version for stage in sorted(manifests)), ledger.version, digest(own)
    )
    current = is_current(context, "package", inputs)
    if current is not None and _still_there(context, current):
        return _result(context, current, unchanged=True)

    canonical = int(reviewed.facts["by_status"].get(str(Status.CANONICAL), 0))
    if not canonical and not corpus.settings.package.allow_unreviewed:
        return _waiting(context, reviewed)

    contents = _contents(context, manifests, own)
    info = _checked_package(context, contents, int(reviewed.facts["waiting"]))
    path = _publish(context, info)
    facts = {**_facts(info, path), "covered": Coverage.of(contents).covered}
    manifest = Manifest("package", fingerprint, _no_rows(), {"inputs": inputs, **facts})
    context.workspace.write_manifest(corpus.name, manifest)
    _retire(context, path)
    return _result(context, manifest, unchanged=False)


def published_package(context: StageContext) -> Path | None:
    """The package that the stage published last, or ``None`` while there is none."""
    manifest = context.workspace.read_manifest(context.corpus.name, "package")
    if manifest is None:
        return None
    path = context.workspace.dist / manifest.facts["file"]
    return path if path.is_file() else None


def _checked_package(context: StageContext, contents: PackageContents, waiting: int) -> PackageInfo:
    """Write the new package beside the published ones and check it; one that fails is deleted.

    Raises:
        PackageError: it could not be written, or a check failed (code ``check-failed``).
    """
    corpus, workspace = context.corpus, context.workspace
    fresh = workspace.dist / f".{corpus.name}.new.aipk"
    try:
        info = write_package(fresh, contents, progress=lambda step: context.progress(step, 0, None))
    except PackageError as error:
        write_checks(workspace, corpus.name, [failed_check(error)])
        raise
    context.progress("checking the new package", 0, None)
    checks = check_new_package(
        info.path,
        contents,
        waiting=waiting,
        before=None if context.allow_shrink else _coverage_before(context),
        max_drop_percent=corpus.settings.max_shrink_percent,
    )
    write_checks(workspace, corpus.name, checks)
    try:
        refuse_failed(checks, corpus.name)
    except PackageError:
        fresh.unlink(missing_ok=True)
        raise
    return info


def _coverage_before(context: StageContext) -> Coverage | None:
    manifest = context.workspace.read_manifest(context.corpus.name, "package")
    if manifest is None or "covered" not in manifest.facts:
        return None
    facts = manifest.facts
    return Coverage(int(facts["canonical"]), int(facts["covered"]), int(facts["documents"]))


def _contents(context: StageContext, manifests: dict[str, Manifest], own: dict[str, Any]) -> PackageContents:
    corpus = context.corpus
    chunks = read_chunks(manifests["chunks"])
    claims = read_reviewed_claims(manifests["claims"], manifests["reviewed_claims"])
    embeddings = manifests["embeddings"]
    ledger = corpus.ledger.read_bytes() if corpus.ledger.exists() else b""
    return PackageContents(
        name=corpus.name,
        version=corpus.settings.version,
        title=corpus.title,
        description=corpus.settings.description,
        embedder=EmbedderIdentity(**embeddings.facts["embedder"]),
        documents=_documents(context, manifests["documents"]),
        chunks=chunks,
        chunk_vectors=read_vectors(context, embeddings, "chunk", [chunk.id for chunk in chunks]),
        claims=claims,
        claim_vectors=read_vectors(context, embeddings, "claim", [claim.id for claim in claims]),
        persona=own["persona"],
        skills=own["skills"],
        tools=own["tools"],
        questions=own["questions"],
        ledger=ledger,
        stages={stage: manifests[stage].fingerprint for stage in sorted(manifests)},
        report=_report(manifests, claims, read_ledger(corpus.ledger)),
    )


def _documents(context: StageContext, manifest: Manifest) -> list[Document]:
    cache = context.workspace.cache("documents")
    keys = document_keys(manifest)
    documents: list[Document] = []
    for first in range(0, len(keys), _DOCUMENTS_AT_ONCE):
        some = keys[first : first + _DOCUMENTS_AT_ONCE]
        records = cache.get(some)
        documents.extend(document_from_record(records[key]["document"]) for key in some)
    return documents


def own_texts(corpus: Corpus) -> dict[str, Any]:
    """What goes into the package from the corpus folder itself, as JSON values.

    Raises:
        CorpusError: a file that ``corpus.toml`` names is missing, unreadable or malformed.
    """
    settings = corpus.settings
    questions = load_questions(corpus) if settings.evaluation.questions else []
    return {
        "persona": corpus.text_of("persona", settings.persona) if settings.persona else "",
        "skills": dict(corpus.skill_files()),
        "tools": _tools(corpus),
        "questions": [question.record() for question in questions],
    }


def _tools(corpus: Corpus) -> list[Any]:
    if not corpus.settings.tools:
        return []
    where = str(corpus.folder / corpus.settings.tools)
    try:
        tools = json.loads(corpus.text_of("tools", corpus.settings.tools))
    except (ValueError, RecursionError) as error:
        raise CorpusError(f"this is not JSON: {error}", where=where, remedy="Correct the file") from error
    if not isinstance(tools, list) or not all(isinstance(tool, dict) for tool in tools):
        raise CorpusError("tools must be a list of objects", where=where, remedy="Write [{...}, {...}]")
    return tools


def _report(manifests: dict[str, Manifest], claims: list[Claim], ledger: Ledger) -> dict[str, Any]:
    return {
        "documents": manifests["documents"].facts.get("shown", {}),
        "failures": manifests["documents"].facts.get("failures", []),
        "claims": manifests["claims"].facts["shown"],
        "review": manifests["reviewed_claims"].facts["by_status"],
        "held back": [{"id": c.id, "reason": c.reason} for c in claims if c.status is Status.EXTRACTED and c.reason][
            :_MOST_REPORTED
        ],
        # What people decided on and no source holds any more: the decision stays in the ledger, the claim is gone.
        "deprecated": [
            {
                "id": decision.claim,
                "was": str(decision.after),
                "reviewer": decision.reviewer,
                "document": decision.seen.document if decision.seen else "",
                "text": decision.seen.text if decision.seen else "",
                "reason": "no source holds it any more",
            }
            for decision in gone_decisions(claims, ledger)[:_MOST_REPORTED]
        ],
    }


def _publish(context: StageContext, info: PackageInfo) -> Path:
    corpus, dist = context.corpus, context.workspace.dist
    digest_part = info.manifest.content_digest[:12]
    path = dist / f"{corpus.name}-{corpus.settings.version}-{digest_part}.aipk"
    info.path.replace(path)
    pointer = dist / f"{corpus.name}.aipk"
    if pointer.exists() and not pointer.is_symlink():
        raise PackageError(
            "a file stands where the pointer to the latest package belongs", where=str(pointer), remedy="Move it away"
        )
    fresh = dist / f".{corpus.name}.pointer"
    fresh.unlink(missing_ok=True)
    fresh.symlink_to(path.name)
    fresh.replace(pointer)
    return path


def _retire(context: StageContext, latest: Path) -> None:
    """Delete packages of this corpus beyond the number to retain, oldest first; never the latest."""
    corpus = context.corpus
    packages = [
        path for path in latest.parent.glob(f"{corpus.name}-*.aipk") if path != latest and not path.is_symlink()
    ]
    packages.sort(key=lambda path: (path.stat().st_mtime_ns, path.name), reverse=True)
    for path in packages[corpus.settings.package.retain - 1 :]:
        path.unlink(missing_ok=True)


def _still_there(context: StageContext, manifest: Manifest) -> bool:
    path = context.workspace.dist / manifest.facts["file"]
    pointer = context.workspace.dist / f"{context.corpus.name}.aipk"
    return (
        path.is_file()
        and path.stat().st_size == manifest.facts["size"]
        and pointer.is_symlink()
        and pointer.readlink() == Path(path.name)
    )


def _facts(info: PackageInfo, path: Path) -> dict[str, Any]:
    counts = info.manifest.counts
    return {
        "file": path.name,
        "size": info.size,
        "sha256": info.sha256,
        "content_digest": info.manifest.content_digest,
        "documents": counts.documents,
        "chunks": counts.chunks,
        "claims": counts.claims,
        "canonical": counts.claims_by_status.get("canonical", 0),
    }


def _no_rows() -> Any:
    import pyarrow as pa

    return pa.table({"id": pa.array([], pa.string())})


def _waiting(context: StageContext, reviewed: Manifest) -> StageResult:
    waiting = int(reviewed.facts["waiting"])
    previous = published_package(context)
    facts: dict[str, Any] = {"waiting for review": waiting, "canonical": 0}
    if previous is not None:
        facts["path"] = str(previous)
    return StageResult(
        "package",
        0,
        0,
        0,
        digest("waiting", reviewed.version),
        context.workspace.dist,
        facts=facts,
        waiting=f"no claim is canonical, so there is nothing to answer from; {waiting} claims wait for review",
    )


def _result(context: StageContext, manifest: Manifest, *, unchanged: bool) -> StageResult:
    facts = manifest.facts
    path = context.workspace.dist / facts["file"]
    pointer = context.workspace.dist / f"{context.corpus.name}.aipk"
    shown = {
        "content digest": facts["content_digest"],
        "path": _relative(pointer),
        "file": facts["file"],
        "bytes": facts["size"],
        "documents": facts["documents"],
        "chunks": facts["chunks"],
        "claims": facts["claims"],
        "canonical": facts["canonical"],
    }
    return StageResult(
        "package",
        facts["documents"] + facts["chunks"] + facts["claims"],
        1 if unchanged else 0,
        0 if unchanged else 1,
        facts["content_digest"],
        path,
        unchanged=unchanged,
        facts=shown,
        sample=({"file": facts["file"], "bytes": facts["size"], "sha256": facts["sha256"]},),
    )


def _relative(path: Path) -> str:
    """``path`` as people would type it."""
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)
