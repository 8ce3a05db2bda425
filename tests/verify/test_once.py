import threading
import time

from aipk_core.verify.once import once


def test_threads_that_come_at_once_share_one_load():
    calls = []

    @once
    def table(name="a"):
        calls.append(name)
        time.sleep(0.05)
        return object()

    found = []
    threads = [threading.Thread(target=lambda: found.append(table())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert calls == ["a"]
    assert len(set(map(id, found))) == 1
    assert table("b") is not table()


def test_a_load_that_failed_is_tried_again():
    attempts = []

    @once
    def flaky():
        attempts.append(1)
        if len(attempts) == 1:
            raise OSError("not yet")
        return "loaded"

    try:
        flaky()
    except OSError:
        assert flaky() == "loaded"
