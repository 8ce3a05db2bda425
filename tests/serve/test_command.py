"""``aipk-serve`` as a process: what it imports, what it refuses, how it stops."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from aipk_core.errors import UsageError
from aipk_core.serve.command import parse_embedder

RUN = [sys.executable, "-c", "from aipk_core.serve.command import main; main()"]


def refused(*arguments: str, environment: dict[str, str] | None = None) -> str:
    """The one line that the command ends with; it must fail before it serves anything."""
    done = subprocess.run(
        [*RUN, *arguments], capture_output=True, text=True, timeout=60, env={**os.environ, **(environment or {})}
    )
    assert done.returncode == 2, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done.stderr


def test_it_starts_without_the_heavy_libraries_and_stops_when_told(ferry_file: Path, tmp_path: Path) -> None:
    """LiteLLM comes only with a model; Dagster and pandas never."""
    probe = (
        "import sys, atexit, json\n"
        "heavy = ('dagster', 'pandas', 'litellm', 'openai', 'torch')\n"
        "atexit.register(lambda: print(json.dumps([name for name in heavy if name in sys.modules])))\n"
        "from aipk_core.serve.command import main\nmain()\n"
    )
    command = [sys.executable, "-c", probe, str(ferry_file), "--port", "0", "--cache-dir", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(3)]
        assert lines[0].startswith("Serving saltmarsh with extractive")
        address = lines[1].split()[-1]
        assert address.startswith("http://127.0.0.1:")
        body = {"messages": [{"role": "user", "content": "How long are camera recordings kept?"}]}
        reply = httpx.post(f"{address}v1/chat/completions", json=body, timeout=60).json()
        assert "45 days" in reply["choices"][0]["message"]["content"]
        process.send_signal(signal.SIGTERM)
        rest, _ = process.communicate(timeout=30)
        assert json.loads(rest.strip().splitlines()[-1]) == []


def test_another_address_needs_a_key(ferry_file: Path, tmp_path: Path) -> None:
    assert "needs a key" in refused(str(ferry_file), "--host", "0.0.0.0")
    assert "not set" in refused(str(ferry_file), "--host", "0.0.0.0", "--api-key-env", "NO_SUCH_VARIABLE")
    empty = tmp_path / "key"
    empty.write_text("\n")
    assert "one key" in refused(str(ferry_file), "--api-key-file", str(empty))


def test_a_file_that_is_no_package_is_one_line(tmp_path: Path, ferry_file: Path) -> None:
    bad = tmp_path / "bad.aipk"
    bad.write_bytes(b"not a package")
    assert str(bad) in refused(str(bad))
    cut = tmp_path / "cut.aipk"
    cut.write_bytes(ferry_file.read_bytes()[:5_000])
    assert str(cut) in refused(str(cut), "--cache-dir", str(tmp_path / "cache"))
    assert "missing.aipk" in refused(str(tmp_path / "missing.aipk"))


def test_an_embedder_that_did_not_build_the_package_stops_the_start(ferry_file: Path, tmp_path: Path) -> None:
    assert "no-such" in refused(str(ferry_file), "--embedder", f"onnx:{tmp_path / 'no-such'}")


def test_embedders_are_named_by_kind() -> None:
    assert parse_embedder("") is None
    minilm = parse_embedder("minilm")
    assert minilm is not None
    assert minilm.provider == "minilm"
    remote = parse_embedder("litellm:ollama/nomic-embed-text")
    assert remote is not None
    assert remote.model == "ollama/nomic-embed-text"
    for bad in ("minilm:x", "onnx", "litellm:", "word2vec"):
        with pytest.raises(UsageError):
            parse_embedder(bad)
