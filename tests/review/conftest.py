from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from canal import build_claims, write_corpus

from aipk_core.review.desk import ReviewDesk


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project folder of the corpus, built once; tests work on copies."""
    root = tmp_path_factory.mktemp("built")
    build_claims(write_corpus(root))
    return root


@pytest.fixture
def corpus(built: Path, tmp_path: Path) -> Path:
    shutil.copytree(built, tmp_path / "project")
    return tmp_path / "project" / "corpora" / "canal"


@pytest.fixture
def desk(corpus: Path) -> ReviewDesk:
    return ReviewDesk(corpus)
