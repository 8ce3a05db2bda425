"""``aipk ui``: the Dagster UI over the project's corpora."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

from aipk_core.cli.console import err, reporting_errors
from aipk_core.corpus import find_corpora
from aipk_core.errors import UsageError
from aipk_core.store.dagster_home import WORKSPACE_FILE, dagster_home
from aipk_core.store.workspace import Workspace, project_root


@reporting_errors
def ui(
    port: Annotated[int, typer.Option(help="Port on 127.0.0.1.", min=1, max=65535)] = 3000,
    project: Annotated[Path, typer.Option(help="The project; by default the one that this folder lies in.")] = Path(),
) -> None:
    """Open the Dagster UI: lineage, runs, schedules. Stops with Ctrl-C."""
    root = project_root(project)
    dg = Path(sys.executable).with_name("dg")
    if not dg.is_file():
        raise UsageError(
            "Dagster's UI is not installed", remedy="Install aipk with its extra 'ui', or run make install"
        )
    workspace = Workspace(root)
    if not find_corpora(root):
        raise UsageError(
            "there is no corpus in this project", where=str(root), remedy="Go to the project, or name it with --project"
        )
    workspace.state.mkdir(parents=True, exist_ok=True)
    home = dagster_home(workspace, needs=WORKSPACE_FILE)
    environment = {
        **os.environ,
        "DAGSTER_HOME": str(dagster_home(workspace)),
        "AIPK_STATE_DIR": str(workspace.state),
        "AIPK_PROJECT": str(root),
    }
    err.print(f"Dagster opens on http://127.0.0.1:{port} (Ctrl-C stops it)")
    command = [str(dg), "dev", "--host", "127.0.0.1", "--port", str(port)]
    if home != root:
        # 'dg' runs only in a project with Python code of its own; the older command takes the file by itself.
        command = [sys.executable, "-m", "dagster", *command[1:], "--workspace", WORKSPACE_FILE]
        environment["PYTHONWARNINGS"] = "ignore:Function `dev_command`"
    raise typer.Exit(subprocess.run(command, cwd=home, env=environment, check=False).returncode)  # noqa: S603
