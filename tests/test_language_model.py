"""Every part that asks a model imports LiteLLM in the one quiet way."""

import re
import subprocess
import sys
from pathlib import Path

LIBRARY = Path(__file__).resolve().parent.parent / "aipk_core"


def test_nothing_else_imports_litellm():
    found = [
        file.relative_to(LIBRARY).as_posix()
        for file in sorted(LIBRARY.rglob("*.py"))
        if re.search(r"^\s*(?:import|from) litellm\b", file.read_text(), re.MULTILINE)
    ]
    assert found == ["language_model.py"]


def test_a_file_of_secrets_in_the_current_folder_is_not_read(tmp_path):
    (tmp_path / ".env").write_text("AIPK_PLANTED=from the folder\n")
    program = (
        "import os\n"
        "from aipk_core.language_model import import_litellm\n"
        "litellm = import_litellm()\n"
        "print(os.environ.get('AIPK_PLANTED'), litellm.telemetry)"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["None", "False"]
