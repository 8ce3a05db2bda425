"""From a source to documents and failures."""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aipk_core.documents.ingest import DocumentFailure, document_files, ingest
from aipk_core.documents.loaders import registry
from aipk_core.documents.loaders.registry import Limits, LoadContext, RawDocument
from aipk_core.documents.model import Document
from aipk_core.documents.sources import FilesSource
from aipk_core.documents.sources.files import open_folder
from aipk_core.documents.worker_pool import Lost, map_in_processes
from aipk_core.errors import AipkError, SourceError


def folder(root: Path, files: dict[str, bytes]) -> Path:
    for name, data in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)
    return root


def results(root: Path, **fields: Any) -> list[Document | DocumentFailure]:
    return list(ingest(open_folder(FilesSource.model_validate(fields), root)))


def test_every_file_becomes_a_document_or_a_failure(tmp_path: Path) -> None:
    folder(tmp_path, {"a.txt": b"One.\n\nTwo.", "b.csv": b"x,y\n1,2\n", "c.nothing": b"\x00\x01\x02", "empty.txt": b""})
    found = results(tmp_path, name="handbook", licence="CC0-1.0", attribution="Nobody", url_base="https://example.org")
    assert [item.id for item in found] == ["a.txt", "b.csv", "c.nothing", "empty.txt"]
    first = found[0]
    assert isinstance(first, Document)
    assert (first.source, first.licence, first.attribution) == ("handbook", "CC0-1.0", "Nobody")
    assert first.url == "https://example.org/a.txt"
    assert [(item.code, item.source) for item in found if isinstance(item, DocumentFailure)] == [
        ("unsupported", "handbook"),
        ("empty", "handbook"),
    ]


def test_the_language_of_the_source_is_that_of_documents_that_have_none(tmp_path: Path) -> None:
    folder(tmp_path, {"a.txt": b"Das ist ein Satz."})
    (document,) = results(tmp_path, lang="de")
    assert isinstance(document, Document)
    assert document.lang == "de"


def test_a_document_that_does_not_say_its_language_is_asked_for_it(tmp_path: Path) -> None:
    folder(
        tmp_path,
        {
            "a.md": "Der Wagen ist nicht mit dem Schlüssel zu öffnen, und das ist auch gut so.".encode(),
            "b.md": b"---\nlang: fr\n---\nBonjour.",
            "c.md": "노드는 파드를 실행한다.".encode(),
            "d.md": b"1 2 3",
        },
    )
    assert [item.lang for item in results(tmp_path) if isinstance(item, Document)] == ["de", "fr", "ko", "en"]


def test_only_some_documents_can_be_asked_for(tmp_path: Path) -> None:
    folder(tmp_path, dict.fromkeys(("a.txt", "b.txt", "c.txt"), b"Text."))
    snapshot = open_folder(FilesSource(), tmp_path)
    calls: list[tuple[str, int, int | None]] = []
    found = list(ingest(snapshot, only={"b.txt"}, progress=lambda *call: calls.append(call)))
    assert [item.id for item in found] == ["b.txt"]
    assert calls == [("documents", 1, 1)]


def test_processes_give_the_same_documents_in_the_same_order(tmp_path: Path) -> None:
    folder(tmp_path, {f"{number:02}.txt": f"Text {number}.".encode() * (number + 1) for number in range(20)})
    folder(tmp_path, {"07.txt": b""})
    assert results(tmp_path, workers=2) == results(tmp_path, workers=1)


def test_a_source_that_changes_meanwhile_is_an_error_in_processes_too(tmp_path: Path) -> None:
    folder(tmp_path, {"a.txt": b"A", "b.txt": b"B"})
    for workers in (1, 2):
        snapshot = open_folder(FilesSource(workers=workers), tmp_path)
        (tmp_path / "b.txt").write_bytes(b"changed" * workers)
        with pytest.raises(SourceError) as caught:
            list(ingest(snapshot))
        assert caught.value.code == "source-changed"


def test_a_fault_of_a_loader_costs_one_document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(raw: RawDocument, context: LoadContext) -> Document:
        raise KeyError("nobody thought of this")

    monkeypatch.setattr(registry, "_loader", lambda name: broken)
    folder(tmp_path, {"a.txt": b"A"})
    (failure,) = results(tmp_path)
    assert isinstance(failure, DocumentFailure)
    assert failure.code == "loader-failed"
    assert "KeyError" in failure.message


def test_limits_reach_the_loaders(tmp_path: Path) -> None:
    folder(tmp_path, {"a.txt": b"long" * 100})
    (failure,) = ingest(open_folder(FilesSource(), tmp_path), limits=Limits(max_bytes=10))
    assert isinstance(failure, DocumentFailure)
    assert failure.code == "too-large"


def test_a_hugo_site_has_pages_and_other_files(tmp_path: Path) -> None:
    folder(
        tmp_path,
        {
            "hugo.toml": b'baseURL = "https://docs.example.org/"\n',
            "content/_index.md": b"---\ntitle: Home\n---\nWelcome.\n",
            "content/guide/start.md": b"---\ntitle: Start\n---\nFirst steps.\n",
            "content/guide/draft.md": b"---\ntitle: Draft\ndraft: true\n---\nNot yet.\n",
            "content/data.txt": b"no page",
        },
    )
    snapshot = open_folder(FilesSource(loader="hugo"), tmp_path)
    assert [file.path for file in document_files(snapshot)] == ["content/_index.md", "content/guide/start.md"]
    assert {file.media_type for file in document_files(snapshot)} == {"text/x-hugo"}


def shout(setting: str) -> Callable[[str], str]:
    """A worker for tests: crashes, hangs or shouts, as the item says."""

    def work(item: str) -> str:
        if item == "crash":
            os._exit(3)
        if item == "hang":
            time.sleep(60)
        return item.upper() + setting

    return work


def refuses_to_start(setting: str) -> Callable[[str], str]:
    raise SystemExit(setting)


def test_workers_that_crash_or_hang_cost_their_item_only() -> None:
    items = ["a", "crash", "b", "hang", "c", "d\ud800"]
    found = list(map_in_processes(shout, "!", items, workers=2, timeout=1.0))
    assert found == ["A!", Lost("crash", "crashed"), "B!", Lost("hang", "timeout"), "C!", "D\ud800!"]


def test_workers_do_not_run_far_ahead_of_their_reader() -> None:
    taken: list[int] = []

    def items() -> Any:
        for number in range(1000):
            taken.append(number)
            yield str(number)

    stream = map_in_processes(shout, "", items(), workers=2, timeout=5.0)
    assert next(stream) == "0"
    assert len(taken) < 20
    stream.close()  # type: ignore[attr-defined]
    gc.collect()


def test_workers_that_cannot_start_are_an_error() -> None:
    with pytest.raises(AipkError) as caught:
        list(map_in_processes(refuses_to_start, "", ["a"], workers=2, timeout=1.0))
    assert caught.value.code == "workers-failed"
