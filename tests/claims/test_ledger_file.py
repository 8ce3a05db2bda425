"""The ledger on disk: appended to by several programs, never read again without need, never half written."""

import errno
import os
import subprocess
import sys
import threading

import pytest

from aipk_core.claims import ledger_file
from aipk_core.claims.deciding import Request, decide, take
from aipk_core.claims.ledger import read_ledger
from aipk_core.claims.ledger_file import LedgerFile
from aipk_core.claims.model import Claim, Evidence
from aipk_core.errors import ReviewError


def claim(name):
    return Claim(name, f"Text {name}.", (), (Evidence("a.md", 0, 5, f"Text {name}."),))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "reviews.jsonl"


def test_what_others_append_is_taken_in_without_reading_the_rest_again(path, monkeypatch):
    decide(path, claim("c-a"), "promote", reviewer="ana")
    mine = LedgerFile(path)
    kept = mine.ledger
    decide(path, claim("c-b"), "promote", reviewer="ben")
    parsed = []
    add_lines = ledger_file.add_lines

    def counting(ledger, lines, *rest):
        lines = list(lines)
        parsed.extend(lines)
        return add_lines(ledger, lines, *rest)

    monkeypatch.setattr(ledger_file, "add_lines", counting)
    assert mine.refresh()
    assert mine.ledger is kept
    assert len(parsed) == 1
    assert [d.claim for d in mine.ledger.decisions] == ["c-a", "c-b"]
    assert not mine.refresh()
    assert len(parsed) == 1


def test_a_file_that_was_rewritten_is_read_and_verified_as_a_whole(path):
    for name in ("c-a", "c-b"):
        decide(path, claim(name), "promote", reviewer="ana")
    mine = LedgerFile(path)
    first, second = path.read_text().splitlines()
    path.write_text(first.replace("ana", "eve") + "\n" + second + "\n" + second.replace("c-b", "c-c") + "\n")
    with pytest.raises(ReviewError) as caught:
        mine.refresh()
    assert caught.value.code == "ledger-broken"
    path.write_text(first + "\n")
    assert mine.refresh()
    assert [d.claim for d in mine.ledger.decisions] == ["c-a"]


def test_a_full_disk_stores_nothing_and_breaks_nothing(path, monkeypatch):
    decide(path, claim("c-a"), "promote", reviewer="ana")
    before = path.read_bytes()
    mine = LedgerFile(path)

    def full(descriptor, data, offset):
        os.lseek(descriptor, offset, os.SEEK_SET)
        os.write(descriptor, data[:10])
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(ledger_file.os, "pwrite", full)
        with pytest.raises(ReviewError) as caught:
            take(mine, [Request(claim("c-b"), "promote", "ana")])
    assert caught.value.code == "ledger-unwritable"
    assert path.read_bytes() == before
    take(mine, [Request(claim("c-b"), "promote", "ana")])
    assert len(read_ledger(path).decisions) == 2


def test_the_entry_is_on_disk_before_it_is_told(path, monkeypatch):
    order = []
    real = os.fsync
    monkeypatch.setattr(ledger_file.os, "fsync", lambda descriptor: (order.append("fsync"), real(descriptor)))
    decide(path, claim("c-a"), "promote", reviewer="ana")
    # The file, and the folder that has just got a new name in it.
    assert order == ["fsync", "fsync"]


def test_many_threads_and_files_at_once_lose_nothing(path):
    files = [LedgerFile(path) for _ in range(3)]
    errors = []

    def work(number):
        try:
            for step in range(8):
                take(files[number % 3], [Request(claim(f"c-{number}-{step}"), "promote", f"r{number}")])
        except ReviewError as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    ledger = read_ledger(path)
    assert len(ledger.decisions) == 48
    assert len(ledger.heads) == 1  # one chain: nobody wrote on an old state


PROGRAM = """
import sys
from pathlib import Path
from aipk_core.claims.deciding import decide
from aipk_core.claims.model import Claim, Evidence
for n in range(6):
    claim = Claim(f"c-{sys.argv[2]}-{n}", "Text.", (), (Evidence("a.md", 0, 5, "Text."),))
    decide(Path(sys.argv[1]), claim, "promote", reviewer=sys.argv[2])
"""


FOREVER = """
import sys
from pathlib import Path
from aipk_core.claims.deciding import Request, take
from aipk_core.claims.ledger_file import LedgerFile
from aipk_core.claims.model import Claim, Evidence
file = LedgerFile(Path(sys.argv[1]))
for n in range(100_000):
    claim = Claim(f"c-{sys.argv[2]}-{n}", "Text.", (), (Evidence("a.md", 0, 5, "Text."),))
    take(file, [Request(claim, "promote", "ana", "r" * 1500)])
    print(claim.id, flush=True)
"""


def test_killing_the_writer_at_any_moment_loses_nothing_that_it_had_told(path):
    for number, wait in enumerate((1, 17, 60)):
        writer = subprocess.Popen(
            [sys.executable, "-c", FOREVER, str(path), str(number)], stdout=subprocess.PIPE, text=True
        )
        told = [writer.stdout.readline().strip() for _ in range(wait)]
        writer.kill()
        told += writer.stdout.read().split()
        writer.wait(30)
        writer.stdout.close()
        stored = {decision.claim for decision in read_ledger(path).decisions}
        assert set(told) - {""} <= stored
    decide(path, claim("c-last"), "promote", reviewer="ben")
    assert read_ledger(path).decisions[-1].claim == "c-last"


def test_two_processes_lose_nothing(path):
    running = [subprocess.Popen([sys.executable, "-c", PROGRAM, str(path), name]) for name in ("ana", "ben")]
    assert [process.wait(60) for process in running] == [0, 0]
    ledger = read_ledger(path)
    assert len(ledger.decisions) == 12
    assert len(ledger.heads) == 1
