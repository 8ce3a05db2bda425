"""A running server over the ferry company: real packages, a scripted or no language model."""

from __future__ import annotations

import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import uvicorn

sys.path.insert(0, str(Path(__file__).parent.parent / "answer"))

from ferry_company import STATEMENTS
from ferry_package import write_ferry_package

from aipk_core.answer.model import Backend
from aipk_core.serve.app import ServeSettings, build_app
from aipk_core.serve.desks import Desks
from aipk_core.serve.library import open_desks

Start = Callable[..., str]


@pytest.fixture(scope="session")
def ferry_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The ferry company as a package file."""
    return write_ferry_package(tmp_path_factory.mktemp("ferry") / "saltmarsh.aipk")


@pytest.fixture(scope="session")
def second_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A part of the same company under another name, so that both packages hold some of the same claims."""
    path = tmp_path_factory.mktemp("second") / "procedure.aipk"
    return write_ferry_package(path, name="procedure", statements=[one for one in STATEMENTS if "Safety" in one[0][0]])


@pytest.fixture(scope="session")
def ferry_desks(ferry_file: Path) -> Desks:
    return open_desks([ferry_file])


@pytest.fixture(scope="session")
def two_desks(ferry_file: Path, second_file: Path) -> Desks:
    return open_desks([ferry_file, second_file])


def with_model(desks: Desks, backend: Backend) -> Desks:
    """The same desks with a language model."""
    answering = [replace(desk, answerer=desk.answerer.with_backend(backend)) for desk in desks.all]
    return Desks(tuple(answering), desks.libraries)


@pytest.fixture
def start(ferry_desks: Desks) -> Iterator[Start]:
    """Starts a server on a free port and gives its address; all are stopped at the end of the test."""
    running: list[tuple[uvicorn.Server, threading.Thread]] = []

    def run(
        settings: ServeSettings | None = None, *, backend: Backend | None = None, desks: Desks | None = None
    ) -> str:
        served = with_model(desks or ferry_desks, backend) if backend else desks or ferry_desks
        listener = socket.socket()
        listener.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(build_app(served, settings), log_level="error", server_header=False))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        deadline = time.monotonic() + 20
        while not server.started and time.monotonic() < deadline:
            time.sleep(0.01)
        running.append((server, thread))
        return f"http://127.0.0.1:{listener.getsockname()[1]}"

    yield run
    for server, thread in running:
        server.should_exit = True
        thread.join(timeout=10)
