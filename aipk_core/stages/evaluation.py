"""Stage ``evaluation``: the package is asked the corpus's questions, plainly and in strict-render."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa

from aipk_core.answer.backend import BackendSettings, LiteLLMBackend, read_key
from aipk_core.answer.judging import judge_over
from aipk_core.answer.knowledge import Knowledge
from aipk_core.answer.model import Backend
from aipk_core.answer.opening import open_answerer
from aipk_core.corpus import AnswerTable
from aipk_core.embedding import EmbeddingSettings, open_embedder
from aipk_core.evaluation.questions import Question, load_questions, missing_gold
from aipk_core.evaluation.run import Asked, Summary, ask_all, asked_record, summarise
from aipk_core.hashing import digest
from aipk_core.package import open_package
from aipk_core.retrieval import PackageRetriever
from aipk_core.stages.model import Progress, StageContext, StageResult, inputs_digest, is_current
from aipk_core.stages.package import published_package
from aipk_core.stages.registry import STAGES
from aipk_core.store.manifest import Manifest

STAGE_VERSION = 2


def evaluation_stage(context: StageContext) -> StageResult:
    """Ask the questions of the corpus; a corpus without questions, or without a package yet, has nothing to evaluate."""
    settings = context.corpus.settings
    package = published_package(context)
    questions = load_questions(context.corpus) if settings.evaluation.questions else []
    if package is None or not questions:
        why = "there is no package yet" if package is None else "the corpus has no questions"
        return _nothing(context, why)
    content = str(context.manifest("package").facts["content_digest"])
    fingerprint = digest("evaluation", STAGE_VERSION, STAGES["evaluation"].settings_digest(settings))
    inputs = inputs_digest(fingerprint, content, digest([question.record() for question in questions]))
    current = is_current(context, "evaluation", inputs)
    if current is not None:
        return _result(context, current, unchanged=True)
    asked, summaries = evaluate_package(package, questions, settings.answer, settings.embedding, context.progress)
    facts = {
        "inputs": inputs,
        "table": [summary.row() for summary in summaries],
        "asked": [asked_record(item) for item in asked],
        "warnings": gold_warnings(package, questions),
    }
    rows = pa.table({"question": [item.question.id for item in asked], "way": [item.way for item in asked]})
    manifest = Manifest("evaluation", fingerprint, rows, facts, digest("evaluation", json.dumps(facts)))
    context.workspace.write_manifest(context.corpus.name, manifest)
    return _result(context, manifest, unchanged=False)


def evaluate_package(
    package: Path, questions: list[Question], answer: AnswerTable, embedding: EmbeddingSettings, progress: Progress
) -> tuple[list[Asked], list[Summary]]:
    """Ask ``questions`` of the package at ``package`` and sum up.

    Raises:
        PackageError, EmbedderError, ModelError: the package, its embedder or the configured model cannot be used.
    """
    backend: Backend | None = None
    if answer.model:
        key = read_key(variable=answer.api_key_env)
        backend = LiteLLMBackend(BackendSettings(answer.model, answer.api_base, key))
    embedder = open_embedder(embedding)
    with open_package(package) as opened:
        retriever = PackageRetriever([opened], embedder)
        answerer = open_answerer([opened], embedder, backend=backend, retriever=retriever)
        judge = judge_over(Knowledge.behind(retriever), retriever, embedder)
        asked = ask_all(questions, answerer, retriever, judge, progress)
        return asked, summarise(asked, answerer.engine)


def gold_warnings(package: Path, questions: list[Question]) -> tuple[str, ...]:
    """What is wrong with the gold sentences of ``questions``: those that no document of the package says."""
    with open_package(package) as opened:

        def text_of(name: str) -> str | None:
            document = opened.document(name)
            return document.text if document else None

        return missing_gold(questions, text_of)


def _nothing(context: StageContext, why: str) -> StageResult:
    output = context.workspace.manifest_path(context.corpus.name, "evaluation")
    return StageResult("evaluation", 0, 0, 0, digest("nothing to evaluate", why), output, facts={"state": why})


def _result(context: StageContext, manifest: Manifest, *, unchanged: bool) -> StageResult:
    table: list[dict[str, str]] = manifest.facts["table"]
    facts: dict[str, Any] = {
        f"{row['way']}: {name}": value for row in table for name, value in row.items() if name != "way"
    }
    rows = manifest.count
    return StageResult(
        "evaluation",
        rows,
        rows if unchanged else 0,
        0 if unchanged else rows,
        manifest.version,
        context.workspace.manifest_path(context.corpus.name, "evaluation"),
        unchanged=unchanged,
        facts=facts,
        model_calls=0 if unchanged else rows,
        sample=tuple(table),
        warnings=tuple(manifest.facts["warnings"]),
    )
