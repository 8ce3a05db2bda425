import multiprocessing
import os

import pytest

from aipk_core.errors import StoreError
from aipk_core.store.workspace import Workspace, project_root


def test_the_project_is_the_nearest_folder_that_looks_like_one(tmp_path):
    (tmp_path / "dagster.yaml").touch()
    corpus = tmp_path / "corpora" / "birds"
    corpus.mkdir(parents=True)
    assert project_root(corpus) == tmp_path
    assert Workspace.of(corpus).state == tmp_path / ".aipk" / "state"
    assert Workspace.of(corpus).dist == tmp_path / "dist"


def test_the_state_folder_can_be_chosen(tmp_path, monkeypatch):
    monkeypatch.setenv("AIPK_STATE_DIR", str(tmp_path / "elsewhere"))
    assert Workspace(tmp_path / "project").state == tmp_path / "elsewhere"


def test_a_stage_that_has_not_run_is_said(tmp_path):
    with pytest.raises(StoreError, match="aipk build") as caught:
        Workspace(tmp_path).require_manifest("birds", "chunks")
    assert caught.value.code == "stage-missing"


def test_a_lock_can_be_taken_again_by_its_own_process(tmp_path):
    workspace = Workspace(tmp_path)
    with workspace.lock("birds"), workspace.lock("birds"):
        assert (workspace.state / "locks" / "birds.json").exists()
    assert not (workspace.state / "locks" / "birds.json").exists()


def _try_lock(root, answers):
    try:
        with Workspace(root).lock("birds"):
            answers.put("got it")
    except StoreError as error:
        answers.put(str(error))


def test_another_process_is_told_who_holds_the_lock(tmp_path):
    context = multiprocessing.get_context("spawn")
    answers = context.Queue()
    with Workspace(tmp_path).lock("birds"):
        process = context.Process(target=_try_lock, args=(tmp_path, answers))
        process.start()
        message = answers.get(timeout=60)
        process.join(60)
    assert "store-locked" in message
    assert f"process {os.getpid()}" in message
    process = context.Process(target=_try_lock, args=(tmp_path, answers))
    process.start()
    assert answers.get(timeout=60) == "got it"
    process.join(60)
