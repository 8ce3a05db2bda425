"""Dagster's settings for a project that brings none: a corpus folder alone, built with an installed aipk.

A project's own ``dagster.yaml`` and ``workspace.yaml`` win. Without them, those that ship with aipk are put under the
state folder, so that nothing appears among the user's files.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from aipk_core.errors import StoreError
from aipk_core.store.workspace import Workspace

DAGSTER_FILE = "dagster.yaml"
WORKSPACE_FILE = "workspace.yaml"


def dagster_home(workspace: Workspace, *, needs: str = DAGSTER_FILE) -> Path:
    """The folder that holds Dagster's settings: the project's root if the file ``needs`` is there, else one in its state.

    Raises:
        StoreError: the settings cannot be written.
    """
    if (workspace.root / needs).is_file():
        return workspace.root
    home = workspace.state / "dagster_home"
    try:
        home.mkdir(parents=True, exist_ok=True)
        for name in (DAGSTER_FILE, WORKSPACE_FILE):
            own = workspace.root / name
            text = (own if own.is_file() else files("aipk_core.store") / "dagster" / name).read_text(encoding="utf-8")
            target = home / name
            if not target.is_file() or target.read_text(encoding="utf-8") != text:
                target.write_text(text, encoding="utf-8")
    except OSError as error:
        raise StoreError(
            f"cannot write: {error.strerror}",
            code="store-unwritable",
            where=str(home),
            remedy="Check the folder's permissions",
        ) from error
    return home
