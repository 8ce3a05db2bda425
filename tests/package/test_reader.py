"""Opening and reading: unpacked once, repaired when damaged, the same for every thread and process."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from ferry_contents import RULES, document, ferry_contents, vector_of

from aipk_core.claims.model import Status
from aipk_core.errors import EmbedderError, PackageError, StoreError
from aipk_core.package import Package, PackageContents, open_package, write_package
from aipk_core.package.cache import default_cache
from aipk_core.package.digests import content_parts
from aipk_core.package.manifest import MANIFEST_NAME
from aipk_core.package.writer import _sorted


class Usage(NamedTuple):
    total: int
    used: int
    free: int


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_package(tmp_path_factory.mktemp("packages") / "ferry.aipk", ferry_contents()).path


@pytest.fixture(scope="module")
def package(path: Path) -> Iterator[Package]:
    with open_package(path, path.parent / "cache") as package:
        yield package


def test_everything_comes_back_as_it_went_in(package: Package) -> None:
    contents = _sorted(ferry_contents())

    assert list(package.claims()) == contents.claims
    assert list(package.chunks()) == contents.chunks
    assert [package.document(page.id) for page in contents.documents] == contents.documents
    assert [entry.title for entry in package.documents()] == ["House rules", "Timetable"]
    assert package.persona == contents.persona
    assert package.skills == contents.skills
    assert package.tools == contents.tools
    assert package.questions == contents.questions
    assert package.ledger == contents.ledger
    assert package.licence_texts == contents.licence_texts
    assert package.report == contents.report


def test_claims_by_status_and_by_id(package: Package) -> None:
    assert [claim.id for claim in package.claims(Status.EXTRACTED)] == ["rules-0", "rules-1"]
    assert package.claim_ids("canonical") == {"timetable-0", "timetable-1", "timetable-2"}
    claim = package.claim("timetable-1")
    assert claim is not None
    page = package.document(claim.evidence[0].document)
    assert page is not None
    assert page.text[claim.evidence[0].start : claim.evidence[0].end] == claim.evidence[0].quote


@pytest.mark.parametrize("odd", ["absent", "", "' OR 1=1 --", "a'b", 'a"b', "a\\", "\0", "x" * 10_000, "id", "%"])
def test_ids_from_outside_find_nothing_and_break_nothing(package: Package, odd: str) -> None:
    assert package.claim(odd) is None
    assert package.chunk(odd) is None
    assert package.document(odd) is None


def test_search_takes_only_what_may_be_said(package: Package) -> None:
    hits = package.search_claims("dogs on a lead", vector_of("Dogs must be kept on a lead."))
    assert {hit.item.status for hit in hits} == {Status.CANONICAL}

    everything = package.search_claims("dogs on a lead", vector_of("Dogs must be kept on a lead."), status=None)
    assert everything[0].item.id == "rules-0"


def test_words_and_vectors_find_on_their_own(package: Package) -> None:
    nowhere = vector_of("zzzz")
    by_words = package.search_claims("BICYCLE prices?", nowhere, mode="text")
    assert [hit.item.id for hit in by_words] == ["timetable-2"]

    by_vectors = package.search_claims(
        "", vector_of("Timetable > It carries 340 passengers and 52 cars."), mode="vectors"
    )
    assert by_vectors[0].item.id == "timetable-1"
    assert by_vectors[0].similarity == pytest.approx(1.0, abs=1e-5)
    assert package.search_chunks("smoking", nowhere, 1)[0].item.document == "rules.md"


@pytest.mark.parametrize(
    "query",
    [
        '"',
        "a AND (b",
        "*",
        "ferry:*",
        "-ferry",
        "ferry~9",
        "^",
        "\\",
        "[1 TO 2]",
        "  ",
        "\0",
        "?!",
        "💥",
        "x " * 50_000,
    ],
)
def test_no_question_is_a_syntax_error(package: Package, query: str) -> None:
    assert len(package.search_claims(query, vector_of("x"))) == 3


@pytest.mark.parametrize("vector", [np.ones(3, np.float32), np.full(8, np.nan, np.float32), np.zeros((0,), np.float32)])
def test_a_vector_of_another_model_is_refused(package: Package, vector: np.ndarray) -> None:
    with pytest.raises(EmbedderError) as caught:
        package.search_claims("ferry", vector)
    assert caught.value.code == "embedder-mismatch"


def test_the_unpacked_files_are_read_only_and_used_again(path: Path, tmp_path: Path) -> None:
    first = open_package(path, tmp_path)
    files = {file: file.stat().st_mtime_ns for file in first.folder.rglob("*") if file.is_file()}
    assert all(file.stat().st_mode & 0o222 == 0 for file in files)
    list(first.claims())
    first.search_claims("ferry", vector_of("ferry"))

    second = open_package(path, tmp_path)
    assert second.folder == first.folder
    assert {file: file.stat().st_mtime_ns for file in second.folder.rglob("*") if file.is_file()} == files


def _cut(folder: Path) -> None:
    file = next(folder.rglob("data/*.lance"))
    file.chmod(0o644)
    file.write_bytes(file.read_bytes()[:-1])


def _remove(folder: Path) -> None:
    (folder / "persona.md").unlink()


def _add(folder: Path) -> None:
    (folder / "lance" / "claims.lance" / "_versions" / "99.manifest").write_bytes(b"x")


def _manifest(folder: Path) -> None:
    file = folder / MANIFEST_NAME
    file.chmod(0o644)
    file.write_bytes(file.read_bytes().replace(b"Norrhamn", b"Sorrhamn"))


def _marker(folder: Path) -> None:
    (folder / ".checked.json").unlink()


def _link(folder: Path) -> None:
    (folder / "persona.md").rename(folder.parent / "elsewhere")
    (folder / "persona.md").symlink_to(folder.parent / "elsewhere")


@pytest.mark.parametrize("damage", [_cut, _remove, _add, _manifest, _marker, _link])
def test_a_damaged_cache_entry_is_made_anew(path: Path, tmp_path: Path, damage: object) -> None:
    folder = open_package(path, tmp_path).folder
    damage(folder)  # type: ignore[operator]

    with open_package(path, tmp_path) as package:
        assert package.persona.startswith("Answer like")
        assert len(list(package.claims())) == 5


def test_bytes_changed_in_place_are_found_by_a_full_check(path: Path, tmp_path: Path) -> None:
    persona = open_package(path, tmp_path).folder / "persona.md"
    persona.chmod(0o644)
    persona.write_bytes(persona.read_bytes().replace(b"friendly", b"insolent"))

    assert "insolent" in open_package(path, tmp_path).persona  # names and sizes are as they were
    assert "friendly" in open_package(path, tmp_path, verify=True).persona


def _shouted(contents: PackageContents) -> PackageContents:
    page = document("rules.md", "House rules", [RULES[0].upper(), RULES[1]])
    return replace(contents, documents=[page, contents.documents[0]])


def _twice(contents: PackageContents) -> PackageContents:
    return replace(contents, claims=[replace(claim, id="same") for claim in contents.claims])


def _coloured(contents: PackageContents) -> PackageContents:
    return replace(contents, claims=[replace(contents.claims[0], id="c\x1b[31m"), *contents.claims[1:]])


@pytest.mark.parametrize(
    ("forge", "code"), [(_shouted, "span-broken"), (_twice, "id-invalid"), (_coloured, "id-invalid")]
)
def test_a_package_that_breaks_a_promise_does_not_load(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    forge: Callable[[PackageContents], PackageContents],
    code: str,
) -> None:
    monkeypatch.setattr("aipk_core.package.writer.check_contents", lambda contents: None)
    path = write_package(tmp_path / "forged.aipk", forge(ferry_contents())).path

    for _ in range(2):
        with pytest.raises(PackageError) as caught:
            open_package(path, tmp_path / "cache")
        assert caught.value.code == code
        assert caught.value.where.startswith(str(path))
        assert "\x1b" not in str(caught.value)
    assert not [entry for entry in (tmp_path / "cache").iterdir() if entry.is_dir()]


@pytest.mark.parametrize(
    "changes",
    [
        {"persona": "Be grim."},
        {"ledger": b"{}\n"},
        {"tools": [{"type": "function", "function": {"name": "delete"}}]},
        {"title": "Sorrhamn ferries"},
        {"stages": {}},
        {"claims": [replace(claim, status=Status.CANONICAL) for claim in ferry_contents().claims]},
        {"documents": [replace(page, url="https://elsewhere.example") for page in ferry_contents().documents]},
    ],
)
def test_content_that_the_content_digest_does_not_cover_does_not_load(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changes: dict[str, object]
) -> None:
    honest = content_parts(_sorted(ferry_contents()))
    monkeypatch.setattr("aipk_core.package.writer.content_parts", lambda contents: honest)
    path = write_package(tmp_path / "forged.aipk", ferry_contents(**changes)).path

    with pytest.raises(PackageError) as caught:
        open_package(path, tmp_path / "cache")
    assert caught.value.code == "content-differs"


def test_two_processes_open_the_same_package_at_once(path: Path, tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from aipk_core.package import open_package; "
        "p = open_package(Path(sys.argv[1]), Path(sys.argv[2])); print(p.folder, len(list(p.claims())))"
    )
    processes = [
        subprocess.Popen([sys.executable, "-c", code, str(path), str(tmp_path)], stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    outputs = {process.communicate(timeout=120)[0] for process in processes}
    assert outputs == {f"{open_package(path, tmp_path).folder} 5\n"}
    assert len([entry for entry in tmp_path.iterdir() if entry.is_dir()]) == 1


def test_threads_share_one_package(package: Package) -> None:
    barrier = threading.Barrier(6)

    def ask(number: int) -> tuple[list[str], int]:
        barrier.wait()
        hits = package.search_claims("night ferry passengers bicycles", vector_of(f"ferry {number % 2}"))
        return sorted(hit.item.id for hit in hits), len(list(package.claims()))

    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(ask, range(6)))
    assert answers == [(["timetable-0", "timetable-1", "timetable-2"], 5)] * 6


def test_a_closed_package_says_so(path: Path, tmp_path: Path) -> None:
    with open_package(path, tmp_path) as package:
        pass
    with pytest.raises(PackageError) as caught:
        package.claim("timetable-0")
    assert caught.value.code == "closed"


def test_a_cache_without_room_or_leave(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError) as caught:
        open_package(path, tmp_path / "file" / "cache")
    assert caught.value.code == "not-writable"

    monkeypatch.setattr(shutil, "disk_usage", lambda path: Usage(10, 10, 0))
    with pytest.raises(StoreError) as caught:
        open_package(path, tmp_path / "cache")
    assert caught.value.code == "disk-full"
    assert not [entry for entry in (tmp_path / "cache").iterdir() if entry.is_dir()]


def test_where_packages_are_unpacked_by_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "project" / "dist" / "ferry.aipk"
    monkeypatch.delenv("AIPK_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user"))
    assert default_cache(package) == tmp_path / "user" / "aipk"

    (tmp_path / "project" / ".aipk").mkdir(parents=True)
    assert default_cache(package) == tmp_path / "project" / ".aipk" / "cache"

    monkeypatch.setenv("AIPK_CACHE", os.fspath(tmp_path / "named"))
    assert default_cache(package) == tmp_path / "named"


def test_the_manifest_is_read_without_lancedb(path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from aipk_core.package import read_manifest; "
        "print(read_manifest(Path(sys.argv[1]), verify=True).label, "
        "[m for m in ('lancedb', 'onnxruntime', 'litellm', 'pandas') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.strip() == "ferry@1.2.0 []"
