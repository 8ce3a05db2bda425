"""Builds that are killed, that run out of disk, or that meet another build."""

import json
import multiprocessing
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from aipk_core.build import BuildOptions, build
from aipk_core.errors import StoreError
from aipk_core.package import open_package
from aipk_core.store.cleaning import clean_store
from aipk_core.store.workspace import Workspace

REPOSITORY = Path(__file__).resolve().parents[2]
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


def make_corpus(root):
    (root / "dagster.yaml").touch()
    folder = root / "corpora" / "birds"
    (folder / "pages").mkdir(parents=True)
    (folder / "corpus.toml").write_text(CORPUS)
    (folder / "pages" / "heron.md").write_text("# Heron\n\nThe grey heron stands 98 cm tall. It eats fish and frogs.\n")
    return folder


@pytest.fixture
def corpus(tmp_path, monkeypatch):
    monkeypatch.delenv("AIPK_STATE_DIR", raising=False)
    return make_corpus(tmp_path)


def content(corpus):
    return next(result.version for result in build(corpus) if result.stage == "package")


@pytest.mark.timeout(500)
def test_stopped_builds_lose_nothing_and_redo_nothing():
    rounds = ["--kills", "4", "--pairs", "2", "--signals", "2", "--seed", "11"]
    command = [sys.executable, str(REPOSITORY / "bench" / "crash.py"), *rounds, "--json"]
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, timeout=490)
    assert done.stdout, done.stderr[-2000:]
    report = json.loads(done.stdout)
    assert report["broken"] == []
    assert report["kills"] + report["ended_first"] == 4
    assert report["kills"] >= 2


@pytest.fixture
def small_disk(tmp_path):
    """A disk of 24 MB; mounting one needs rights that not everybody has."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = shutil.which("mount")
    command = [str(mount), "-t", "tmpfs", "-o", "size=24m", "aipk-test", str(folder)]
    if mount is None or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("a small file system cannot be mounted here")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], capture_output=True, check=True)


def test_a_full_disk_is_said_and_costs_nothing(small_disk, monkeypatch, tmp_path):
    monkeypatch.delenv("AIPK_STATE_DIR", raising=False)
    corpus = make_corpus(small_disk)
    first = content(corpus)
    page = corpus / "pages" / "heron.md"
    page.write_text(page.read_text() + "\n".join(f"\nHeron {n} was ringed in {n + 1900}.\n" for n in range(40)))
    elsewhere = tmp_path / "roomy"
    shutil.copytree(small_disk / "corpora", elsewhere / "corpora")
    (elsewhere / "dagster.yaml").touch()
    expected = content(elsewhere / "corpora" / "birds")
    filler = small_disk / "filler"
    said = []
    for left in (0, 24 << 10, 150 << 10):
        filler.write_bytes(b"\0" * max(shutil.disk_usage(small_disk).free - left, 0))
        try:
            build(corpus)
        except StoreError as error:
            said.append(error)
        filler.unlink()  # a package is unpacked when it is opened, which takes space too
        with open_package(small_disk / "dist" / "birds.aipk", verify=True) as package:
            assert package.manifest.content_digest in {first, expected}
    assert len(said) >= 2
    assert {error.code for error in said} == {"disk-full"}
    assert all("Free some space" in str(error) for error in said)
    assert content(corpus) == expected


def _hold(root, ready, done):
    with Workspace(root).using_store():
        ready.set()
        done.wait(60)


def test_the_store_is_not_cleaned_under_a_build_nor_used_while_it_is_cleaned(corpus):
    root = corpus.parent.parent
    build(corpus)
    context = multiprocessing.get_context("spawn")
    ready, done = context.Event(), context.Event()
    other = context.Process(target=_hold, args=(root, ready, done))
    other.start()
    try:
        assert ready.wait(60)
        with pytest.raises(StoreError, match="a build uses the store"):
            clean_store(Workspace(root))
        assert all(result.misses == 0 for result in build(corpus))  # other builds may run meanwhile
    finally:
        done.set()
        other.join(60)
    with Workspace(root).using_store(exclusive=True), pytest.raises(StoreError, match="being cleaned"):
        build(corpus)


def test_what_killed_builds_left_is_removed_by_the_next_build(corpus):
    build(corpus)
    root = corpus.parent.parent
    work = root / "dist" / "..birds.new.aipk.4711.abc.partial"
    work.mkdir()
    (work / "sealed").write_bytes(b"half")
    (root / "dist" / ".birds.new.aipk").write_bytes(b"half")
    manifests = root / ".aipk" / "state" / "store" / "manifests" / "birds"
    (manifests / ".chunks.parquet.x7").write_bytes(b"half")
    build(corpus)
    assert not [path for path in (root / "dist").iterdir() if path.name.startswith(".")]
    assert not list(manifests.glob(".*"))


def test_a_clean_store_keeps_what_recent_states_stand_on(corpus):
    page = corpus / "pages" / "heron.md"
    texts = [f"# Heron\n\nThe grey heron number {number} stands 98 cm tall and eats fish.\n" for number in range(4)]
    for text in texts:
        page.write_text(text)
        build(corpus)
    workspace = Workspace(corpus.parent.parent)
    cleaned = clean_store(workspace, keep=2)
    assert cleaned.dropped["claims"] > 0
    assert cleaned.dropped["vectors_384"] > 0
    assert not cleaned.kept_whole
    for text in (texts[3], texts[2]):
        page.write_text(text)
        assert {result.misses for result in build(corpus, BuildOptions(until="embeddings"))} == {0}
    page.write_text(texts[0])
    assert sum(result.misses for result in build(corpus, BuildOptions(until="embeddings"))) > 0


def test_nothing_is_dropped_while_it_is_unknown_what_is_in_use(corpus):
    build(corpus)
    workspace = Workspace(corpus.parent.parent)
    shutil.rmtree(workspace.store / "uses")
    cleaned = clean_store(workspace)
    assert "birds/chunks" in cleaned.kept_whole
    assert set(cleaned.dropped.values()) == {0}
    assert all(result.misses == 0 for result in build(corpus))
