"""A build whose heavy work is done by two real Celery workers over Redis; one is killed in mid-run."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from aipk_core.build import BuildOptions, build
from aipk_core.errors import StoreError
from aipk_core.store.workspace import Workspace

REPOSITORY = Path(__file__).resolve().parents[2]
PAGES = 70
CORPUS = """
[[sources]]
type = "files"
path = "pages"
[claims]
conflicts = "off"
[review]
policy = "auto"
checks = ["exact-quote"]
"""


@pytest.fixture
def broker(tmp_path):
    """A Redis server of our own on loopback, which keeps nothing."""
    pytest.importorskip("celery", reason="Celery is not installed (extra 'celery')")
    server = shutil.which("redis-server")
    if server is None:
        pytest.skip("redis-server is not installed")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [server, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL)
    try:
        _until(lambda: _listens(port), 30)
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        process.terminate()
        process.wait(20)


@pytest.fixture
def workers(broker, tmp_path, monkeypatch):
    """Two workers, each a process of its own; their logs name the shards that they do."""
    monkeypatch.setenv("AIPK_BROKER", broker)
    monkeypatch.setenv("AIPK_SHARDS", str(tmp_path / "shards"))
    monkeypatch.setenv("AIPK_PATIENCE_SECONDS", "8")
    (tmp_path / "shards").mkdir()
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    started = []
    for name in ("one", "two"):
        log = (tmp_path / f"{name}.log").open("wb")
        command = [sys.executable, "-m", "celery", "-A", "aipk_core.executors.celery", "worker", "-n", f"{name}@aipk"]
        command += ["--pool", "solo", "--loglevel", "INFO", "--without-gossip", "--without-mingle"]
        started.append(subprocess.Popen(command, cwd=REPOSITORY, env=environment, stdout=log, stderr=log))
        log.close()
    try:
        _until(lambda: all(b"ready" in (tmp_path / f"{n}.log").read_bytes() for n in ("one", "two")), 100)
        yield started
    finally:
        for process in started:
            process.kill()
            process.wait(20)


def _listens(port):
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


def _until(true, seconds):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it took too long"
        time.sleep(0.05)


def make_corpus(root):
    (root / "dagster.yaml").touch()
    folder = root / "corpora" / "birds"
    (folder / "pages").mkdir(parents=True)
    (folder / "corpus.toml").write_text(CORPUS)
    for page in range(PAGES):
        lines = [f"The bird number {page} of ring {part} weighs {page * 10 + part} g." for part in range(4)]
        (folder / "pages" / f"bird-{page}.md").write_text(f"# Bird {page}\n\n" + "\n\n".join(lines) + "\n")
    return folder


@pytest.mark.celery
@pytest.mark.timeout(290)
def test_a_worker_that_is_killed_loses_and_doubles_nothing(workers, tmp_path, monkeypatch):
    from aipk_core.executors import celery as backend

    monkeypatch.setattr(backend, "_PING_SECONDS", 30.0)
    backend.app.conf.broker_url = os.environ["AIPK_BROKER"]
    (tmp_path / "far").mkdir()
    (tmp_path / "near").mkdir()
    far, near = make_corpus(tmp_path / "far"), make_corpus(tmp_path / "near")
    victim, survivor = workers
    killed = []

    def kill_one(what, done, total):
        if what == "embedding" and not killed:
            os.kill(victim.pid, signal.SIGKILL)
            killed.append(done)

    monkeypatch.setenv("AIPK_EXECUTOR", "celery")
    results = {result.stage: result for result in build(far, BuildOptions(progress=kill_one))}
    assert killed
    assert killed[0] < results["embeddings"].misses
    assert survivor.poll() is None
    rows = Workspace(tmp_path / "far").vectors("vectors", 384)
    assert len(rows.known()) == results["embeddings"].misses  # a key that stood twice would count once in ``known`` …
    assert rows.rows(sorted(rows.known())).num_rows == len(rows.known())  # … and twice here
    assert not list((tmp_path / "shards").iterdir())
    done_by = {name: (tmp_path / f"{name}.log").read_text().count("succeeded") for name in ("one", "two")}
    assert all(done_by.values()), done_by

    monkeypatch.setenv("AIPK_EXECUTOR", "processes")
    here = {result.stage: result for result in build(near)}
    assert results["package"].version == here["package"].version
    assert results["documents"].misses == here["documents"].misses == PAGES

    survivor.kill()
    survivor.wait(20)
    monkeypatch.setenv("AIPK_EXECUTOR", "celery")
    monkeypatch.setattr(backend, "_PING_SECONDS", 1.0)
    with pytest.raises(StoreError, match="no Celery worker answers"):
        backend.CeleryExecutor()
