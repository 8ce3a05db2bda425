"""The stages by name: what each depends on, what settings its output depends on, and the function that does it."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from aipk_core.corpus import CorpusSettings
from aipk_core.hashing import digest
from aipk_core.stages.model import StageContext, StageResult

StageFunction = Callable[[StageContext], StageResult]


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage.

    Attributes:
        depends_on: the stages whose output it reads.
        settings: the tables and keys of ``corpus.toml`` that its output depends on.
        description: what it makes, for people.
        function: ``module:name``; imported when the stage runs, because the stages pull in heavy libraries.
    """

    name: str
    depends_on: tuple[str, ...]
    settings: tuple[str, ...]
    description: str
    function: str

    def load(self) -> StageFunction:
        module, _, name = self.function.partition(":")
        return cast(StageFunction, getattr(importlib.import_module(module), name))

    def settings_digest(self, settings: CorpusSettings) -> str:
        """64 hex characters that change when, and only when, a setting changes that this stage depends on.

        Settings go through their JSON text, because numbers with a fraction have no other canonical form.
        """
        values = settings.model_dump(mode="json", include=set(self.settings))
        return digest(self.name, json.dumps(values, sort_keys=True, ensure_ascii=False))


STAGES: dict[str, Stage] = {
    stage.name: stage
    for stage in (
        Stage(
            "documents",
            (),
            ("sources", "language", "strict", "max_shrink_percent"),
            "Every page and file of the sources as canonical text with blocks and segments.",
            "aipk_core.stages.documents:documents_stage",
        ),
        Stage(
            "chunks",
            ("documents",),
            ("chunks", "embedding"),
            "Whole sentences of one section each: what retrieval indexes.",
            "aipk_core.stages.chunks:chunks_stage",
        ),
        Stage(
            "claims",
            ("documents",),
            ("claims",),
            "Atomic statements, each with the exact source sentences that it stands on.",
            "aipk_core.stages.claims:claims_stage",
        ),
        Stage(
            "embeddings",
            ("chunks", "claims"),
            ("embedding",),
            "A vector for every chunk and every claim.",
            "aipk_core.stages.embeddings:embeddings_stage",
        ),
        Stage(
            "conflicts",
            ("claims", "embeddings"),
            ("claims",),
            "Pairs of claims that cannot both be true, and pairs that say the same.",
            "aipk_core.stages.conflicts:conflicts_stage",
        ),
        Stage(
            "reviewed_claims",
            ("claims", "conflicts"),
            ("review", "claims"),
            "The gate: which claims are canonical by people's decisions and the review policy.",
            "aipk_core.stages.review:review_stage",
        ),
        Stage(
            "package",
            ("documents", "chunks", "embeddings", "reviewed_claims"),
            ("name", "title", "description", "version", "language", "persona", "skills", "tools", "package"),
            "One .aipk file with everything in it, published under dist/.",
            "aipk_core.stages.package:package_stage",
        ),
        Stage(
            "evaluation",
            ("package",),
            ("evaluation", "answer"),
            "The corpus's questions, asked plainly and in strict-render, and how the answers fared.",
            "aipk_core.stages.evaluation:evaluation_stage",
        ),
    )
}
"""Every stage, in an order in which they can run."""
