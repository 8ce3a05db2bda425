"""Opens the packages that a server answers from."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from aipk_core.answer.answerer import Limits
from aipk_core.answer.model import Backend
from aipk_core.answer.opening import embedder_for, open_answerer
from aipk_core.embedding import EmbeddingSettings
from aipk_core.package import open_package
from aipk_core.retrieval import PackageRetriever
from aipk_core.serve.desks import Desk, Desks

MERGED = "all-packages"


def open_desks(
    paths: Sequence[Path],
    *,
    backend: Backend | None = None,
    embedding: EmbeddingSettings | None = None,
    cache_dir: Path | None = None,
    limits: Limits | None = None,
) -> Desks:
    """One desk for each package; with several, first of all one over all of them.

    Every package is opened and checked before the first request: a damaged one, or one that was built with another
    embedder, stops the start and not an answer.

    Raises:
        PackageError, EmbedderError, UsageError
    """
    packages = [open_package(path, cache_dir) for path in paths]
    embedder = embedder_for(packages, embedding)
    merged = PackageRetriever(packages, embedder)
    now = int(time.time())
    desks = []
    if len(packages) > 1:
        answerer = open_answerer(packages, embedder, backend=backend, retriever=merged, limits=limits)
        desks.append(Desk(_free_name(merged.labels), answerer, merged, now, "All packages together"))
    for label, package in zip(merged.labels, packages, strict=True):
        alone = PackageRetriever([package], embedder)
        alone.labels = (label,)  # the name that tells it apart here, also in its hits
        answerer = open_answerer([package], embedder, backend=backend, retriever=alone, limits=limits)
        desks.append(Desk(label, answerer, alone, now, package.manifest.title or package.manifest.name))
    return Desks(tuple(desks), dict(zip(merged.labels, packages, strict=True)))


def _free_name(taken: Sequence[str]) -> str:
    name = MERGED
    while name in taken:
        name += "_"
    return name
