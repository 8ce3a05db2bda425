"""Shards, their folder, and the executors of this machine."""

import json
import os
import subprocess
import sys

import pytest

from aipk_core.errors import AipkError, EmbedderError, StoreError, UsageError
from aipk_core.executors import BACKENDS, Shard, executor_name, open_executor
from aipk_core.executors import model as executors_model
from aipk_core.executors.kubernetes import job_manifest
from aipk_core.executors.model import ShardFolder
from aipk_core.executors.waiting import RemoteExecutor
from aipk_core.executors.worker import work


def double(payload):
    number = json.loads(payload)
    if number == 13:
        raise EmbedderError("thirteen is not embedded", code="unlucky", where="13", remedy="Take another number")
    return str(number * 2).encode()


@pytest.fixture(autouse=True)
def _works(monkeypatch):
    monkeypatch.setitem(executors_model.WORK, "double", f"{__name__}:double")
    monkeypatch.setitem(sys.modules, __name__, sys.modules[__name__])


def shards(*numbers):
    return [Shard("double", json.dumps(number)) for number in numbers]


def test_a_shard_is_named_by_its_content_alone():
    assert shards(1)[0].name == Shard("double", "1").name
    assert len({shard.name for shard in shards(1, 2, 3)}) == 3


def test_serial_results_come_in_order(tmp_path):
    executor = open_executor("serial", tmp_path)
    assert [result for _, result in executor.map(shards(3, 1, 2))] == [b"6", b"2", b"4"]


def test_a_folder_keeps_what_was_done_and_a_damaged_result_is_done_again(tmp_path):
    folder = ShardFolder(tmp_path)
    (shard,) = shards(21)
    folder.ask(shard)
    assert folder.waiting() == [shard.name]
    assert folder.take(shard) is None
    folder.compute(shard.name)
    assert folder.waiting() == []
    assert folder.take(shard) == b"42"
    (tmp_path / f"{shard.name}.out").write_bytes(b"43")
    assert folder.take(shard) is None
    folder.compute(shard.name)
    assert folder.take(shard) == b"42"
    folder.committed(shard)
    assert list(tmp_path.iterdir()) == []
    folder.compute(shard.name)  # asked for twice: the second comes too late and does nothing
    assert list(tmp_path.iterdir()) == []


def test_an_error_of_the_work_reaches_the_one_who_planned_it(tmp_path):
    folder = ShardFolder(tmp_path)
    (shard,) = shards(13)
    folder.ask(shard)
    folder.compute(shard.name)
    with pytest.raises(AipkError) as caught:
        folder.take(shard)
    assert (caught.value.code, caught.value.where) == ("unlucky", "13")
    assert folder.waiting() == [shard.name]  # the next build tries it again


def test_workers_without_a_broker_share_what_waits(tmp_path):
    folder = ShardFolder(tmp_path)
    for shard in shards(*range(12)):
        folder.ask(shard)
    assert work(tmp_path, 0, 2) + work(tmp_path, 1, 2) == 12
    assert folder.waiting() == []


class _Forgetful(RemoteExecutor):
    """Loses each shard the first time that it is handed out, and does it twice the second time."""

    name = "forgetful"

    def __init__(self, folder, loses=1):
        super().__init__(folder, patience=0.2, tries=3)
        self.seen = {}
        self.loses = loses

    def _hand_out(self, names):
        for name in names:
            self.seen[name] = self.seen.get(name, 0) + 1
            if self.seen[name] > self.loses:
                self._folder.compute(name)
                self._folder.compute(name)


def test_lost_shards_are_handed_out_again_and_none_is_taken_twice(tmp_path):
    executor = _Forgetful(ShardFolder(tmp_path))
    results = [result for _, result in executor.map(shards(1, 2, 3, 3))]
    assert sorted(results) == [b"2", b"4", b"6"]
    assert list(tmp_path.iterdir()) == []


def test_shards_that_never_come_back_end_in_an_error(tmp_path):
    executor = _Forgetful(ShardFolder(tmp_path), loses=99)
    with pytest.raises(StoreError) as caught:
        list(executor.map(shards(1)))
    assert caught.value.code == "workers-failed"


def test_a_message_can_ask_for_known_work_only(tmp_path):
    folder = ShardFolder(tmp_path)
    shard = Shard("os:system", '"true"')
    folder.ask(shard)
    folder.compute(shard.name)
    with pytest.raises(AipkError) as caught:
        folder.take(shard)
    assert caught.value.code == "shard-unknown"


def test_the_environment_goes_before_the_setting(monkeypatch):
    monkeypatch.delenv("AIPK_EXECUTOR", raising=False)
    assert executor_name() == "processes"
    monkeypatch.setenv("AIPK_EXECUTOR", "celery")
    assert executor_name("serial") == "celery"
    monkeypatch.setenv("AIPK_EXECUTOR", "abacus")
    with pytest.raises(UsageError, match=BACKENDS[0]):
        executor_name()


def test_a_job_of_kubernetes_is_named_by_its_shards_and_holds_no_more_pods_than_it_needs():
    names = [shard.name for shard in shards(1, 2, 3)]
    job = job_manifest(names, "aipk:1", "claim", "/shards", pods=8)
    assert job["spec"]["completions"] == 3
    assert job == job_manifest(names[::-1], "aipk:1", "claim", "/shards", pods=8)
    assert job["metadata"]["name"].startswith("aipk-")


def test_backends_that_are_not_installed_say_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(StoreError, match="pip install ray"):
        open_executor("ray", tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(StoreError, match="kubectl"):
        open_executor("kubernetes", tmp_path)


def test_no_executor_is_imported_without_need():
    program = (
        "import sys, aipk_core.executors, aipk_core.stages.embeddings, aipk_core.stages.documents\n"
        "heavy = {'celery', 'ray', 'kombu', 'redis'} & set(sys.modules)\n"
        "sys.exit(repr(heavy) if heavy else 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, env={**os.environ}
    )
    assert done.returncode == 0, done.stderr
