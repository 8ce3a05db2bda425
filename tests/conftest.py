"""Fixtures that all tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent


def shared_folder() -> Path:
    """Real data for tests and benchmarks: ``$AIPK_SHARED``, or the folder ``shared`` beside the repository."""
    return Path(os.environ.get("AIPK_SHARED") or REPOSITORY.parent / "shared")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data; tests that ask for it are skipped where it is absent."""
    folder = shared_folder() / "data"
    if not folder.is_dir():
        pytest.skip("the shared data folder is not here (set AIPK_SHARED to its place)")
    return folder
