"""Writing: what breaks a promise is refused, what is written is whole, and the same content has the same digest."""

from __future__ import annotations

import errno
import os
import re
import shutil
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from ferry_contents import (
    DIMENSIONS,
    IDENTITY,
    RULES,
    TIMETABLE,
    claims_of,
    document,
    ferry_contents,
    vector_of,
    vectors_of,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from aipk_core.claims.model import Status
from aipk_core.errors import PackageError, StoreError
from aipk_core.package import PackageContents, check_contents, open_package, read_manifest, write_package
from aipk_core.package.digests import content_digest, content_parts


class Usage(NamedTuple):
    total: int
    used: int
    free: int


def test_the_same_content_in_another_order_has_the_same_digest(tmp_path: Path) -> None:
    contents = ferry_contents()
    shuffled = replace(
        contents,
        documents=contents.documents[::-1],
        chunks=contents.chunks[::-1],
        chunk_vectors=contents.chunk_vectors[::-1],
        claims=contents.claims[::-1],
        claim_vectors=contents.claim_vectors[::-1],
        skills=dict(reversed(contents.skills.items())),
        report={"seconds": 99.0},
    )
    first = write_package(tmp_path / "a.aipk", contents)
    second = write_package(tmp_path / "b.aipk", shuffled)

    assert first.manifest.content_digest == second.manifest.content_digest
    assert first.manifest.vectors_digest == second.manifest.vectors_digest


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({"persona": "Be grim."}, "persona"),
        ({"version": "1.2.1"}, "about"),
        ({"embedder": replace(IDENTITY, digest="cd" * 32)}, "embedder"),
        ({"ledger": b""}, "ledger"),
        ({"skills": {}}, "skills"),
        ({"questions": []}, "questions"),
        ({"tools": []}, "tools"),
        ({"stages": {"chunks": "2"}}, "stages"),
        ({"licence_texts": {}}, "licences"),
    ],
)
def test_each_kind_of_content_has_its_own_digest(changes: dict[str, Any], part: str) -> None:
    before, after = content_parts(ferry_contents()), content_parts(ferry_contents(**changes))

    assert {name for name in before if before[name] != after[name]} == {part}
    assert content_digest(before) != content_digest(after)


def test_a_changed_status_changes_the_claims_alone() -> None:
    contents = ferry_contents()
    deprecated = [replace(claim, status=Status.DEPRECATED) for claim in contents.claims]
    before, after = content_parts(contents), content_parts(replace(contents, claims=deprecated))

    assert {name for name in before if before[name] != after[name]} == {"claims"}


def test_unchanged_content_leaves_the_file_alone_and_a_damaged_one_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "ferry.aipk"
    first = write_package(path, ferry_contents())
    again = write_package(path, ferry_contents())
    assert not first.unchanged
    assert again.unchanged
    assert again.sha256 == first.sha256

    data = bytearray(path.read_bytes())
    data[data.index(b"Answer like")] ^= 1
    path.write_bytes(data)
    assert not write_package(path, ferry_contents()).unchanged
    assert read_manifest(path, verify=True).name == "ferry"

    assert not write_package(path, ferry_contents(persona="Be grim.")).unchanged


def test_what_is_inside_tells_nothing_about_time_or_place(tmp_path: Path) -> None:
    info = write_package(tmp_path / "ferry.aipk", ferry_contents())
    with zipfile.ZipFile(info.path) as archive:
        assert {member.date_time for member in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert archive.namelist() == sorted(archive.namelist())
        content = b"".join(archive.read(name) for name in archive.namelist())
    assert str(tmp_path).encode() not in content
    assert os.uname().nodename.encode() not in content
    versions = [member.path for member in info.manifest.members if member.path.endswith(".manifest")]
    assert len(versions) == 3


def test_the_manifest_says_what_is_in_it(tmp_path: Path) -> None:
    contents = ferry_contents(title="Norrhamn\n  ferries")
    licensed = [
        replace(page, source="site", licence="CC-BY-4.0", attribution="Norrhamn port") for page in contents.documents
    ]
    manifest = write_package(tmp_path / "ferry.aipk", replace(contents, documents=licensed)).manifest

    assert (manifest.label, manifest.title) == ("ferry@1.2.0", "Norrhamn ferries")
    assert manifest.counts.claims_by_status == {"extracted": 2, "reviewed": 0, "canonical": 3, "deprecated": 0}
    assert manifest.languages == ["en"]
    assert [licence.model_dump() for licence in manifest.licences] == [
        {"source": "site", "licence": "CC-BY-4.0", "attribution": "Norrhamn port", "documents": 2}
    ]
    assert manifest.embedder.identity == IDENTITY
    assert manifest == read_manifest(tmp_path / "ferry.aipk")


def _with_claim(change: Callable[[Any], Any]) -> PackageContents:
    contents = ferry_contents()
    return replace(contents, claims=[change(contents.claims[0]), *contents.claims[1:]])


def _moved(claim: Any, **changes: Any) -> Any:
    return replace(claim, evidence=(replace(claim.evidence[0], **changes),))


@pytest.mark.parametrize(
    ("contents", "code"),
    [
        (_with_claim(lambda claim: _moved(claim, start=claim.evidence[0].start + 1)), "span-broken"),
        (_with_claim(lambda claim: _moved(claim, end=10**6)), "span-broken"),
        (_with_claim(lambda claim: _moved(claim, start=-1)), "span-broken"),
        (_with_claim(lambda claim: _moved(claim, start=5, end=5, quote="")), "span-broken"),
        (_with_claim(lambda claim: _moved(claim, quote=claim.evidence[0].quote + " ")), "span-broken"),
        (_with_claim(lambda claim: _moved(claim, document="absent.md")), "span-broken"),
        (_with_claim(lambda claim: replace(claim, evidence=())), "span-broken"),
        (_with_claim(lambda claim: replace(claim, id="rules-1")), "id-invalid"),
        (_with_claim(lambda claim: replace(claim, id="two words")), "id-invalid"),
        (_with_claim(lambda claim: replace(claim, id="c[1]")), "id-invalid"),
        (_with_claim(lambda claim: replace(claim, id="")), "id-invalid"),
        (ferry_contents(skills={"../notes": "x"}), "id-invalid"),
        (ferry_contents(persona="x" * (5 << 20)), "too-large"),
        (ferry_contents(documents=[], chunks=[], claims=[]), "package-empty"),
        (ferry_contents(documents=[document("rules.md", "House rules", RULES)] * 2), "id-invalid"),
        (ferry_contents(claim_vectors=np.zeros((5, DIMENSIONS), np.float32)), "vector-invalid"),
        (ferry_contents(claim_vectors=np.full((5, DIMENSIONS), np.nan, np.float32)), "vector-invalid"),
        (ferry_contents(claim_vectors=vectors_of(["x"] * 4)), "vector-invalid"),
        (ferry_contents(chunk_vectors=vectors_of(["x", "y"]).astype(np.float64)), "vector-invalid"),
        (ferry_contents(chunk_vectors=vectors_of(["x", "y"])[:, :4]), "vector-invalid"),
    ],
)
def test_contents_that_break_a_promise_do_not_build(tmp_path: Path, contents: PackageContents, code: str) -> None:
    with pytest.raises(PackageError) as caught:
        write_package(tmp_path / "ferry.aipk", contents)
    assert caught.value.code == code
    assert list(tmp_path.iterdir()) == []


def test_settings_that_the_manifest_cannot_carry(tmp_path: Path) -> None:
    with pytest.raises(PackageError) as caught:
        write_package(tmp_path / "ferry.aipk", ferry_contents(version="../1"))
    assert caught.value.code == "manifest-invalid"
    assert list(tmp_path.iterdir()) == []


@settings(max_examples=80, deadline=None)
@given(start=st.integers(-3, 200), length=st.integers(-3, 200), changed=st.booleans())
def test_only_the_exact_slice_passes(start: int, length: int, changed: bool) -> None:
    page = document("timetable.md", "Timetable", TIMETABLE)
    quote = page.text[max(start, 0) : max(start + length, 0)]
    quote = quote.swapcase() if changed else quote
    claim = _moved(claims_of(page)[0], start=start, end=start + length, quote=quote)
    contents = ferry_contents(
        documents=[page], chunks=[], chunk_vectors=vectors_of([]), claims=[claim], claim_vectors=vectors_of(["x"])
    )
    exact = (
        start >= 0 and length > 0 and start + length <= len(page.text) and page.text[start : start + length] == quote
    )
    if exact:
        check_contents(contents)
    else:
        with pytest.raises(PackageError):
            check_contents(contents)


def test_a_full_disk_is_noticed_before_the_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda path: Usage(10, 10, 0))
    with pytest.raises(StoreError, match="disk is full") as caught:
        write_package(tmp_path / "ferry.aipk", ferry_contents())
    assert caught.value.code == "disk-full"
    assert list(tmp_path.iterdir()) == []


def _full(*args: object, **kwargs: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def _lance_full(*args: object, **kwargs: object) -> None:
    raise RuntimeError("lance error: LanceError(IO): No space left on device (os error 28)")


@pytest.mark.parametrize(
    ("place", "failure"), [("write_container", _full), ("_write_tables", _lance_full), ("digest_file", _full)]
)
def test_a_disk_that_fills_up_on_the_way_leaves_the_last_good_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str, failure: Callable[..., None]
) -> None:
    path = tmp_path / "ferry.aipk"
    before = write_package(path, ferry_contents()).sha256
    monkeypatch.setattr(f"aipk_core.package.writer.{place}", failure)

    with pytest.raises(StoreError) as caught:
        write_package(path, ferry_contents(persona="Be grim."))
    assert caught.value.code == "disk-full"
    assert [entry.name for entry in tmp_path.iterdir()] == ["ferry.aipk"]
    with open_package(path, tmp_path / "cache") as package:
        assert package.sha256 == before


def test_a_destination_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError) as caught:
        write_package(tmp_path / "file" / "ferry.aipk", ferry_contents())
    assert caught.value.code == "not-writable"


def test_a_killed_writer_leaves_the_last_good_package_and_its_rubble_goes_later(tmp_path: Path) -> None:
    path = tmp_path / "ferry.aipk"
    before = write_package(path, ferry_contents()).sha256
    code = (
        "import os, sys; sys.path.insert(0, sys.argv[2]); from pathlib import Path; from ferry_contents import *; "
        "from aipk_core.package import write_package; "
        "write_package(Path(sys.argv[1]), ferry_contents(persona='Be grim.'), "
        "progress=lambda step: os.kill(os.getpid(), 9) if step == 'sealing' else None)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path), str(Path(__file__).parent)], timeout=60, check=False)
    assert done.returncode == -9
    (rubble,) = (entry for entry in tmp_path.iterdir() if re.search(r"\.partial$", entry.name))
    with open_package(path, tmp_path / "cache") as package:
        assert package.sha256 == before

    assert not write_package(path, ferry_contents(persona="Be kind.")).unchanged
    assert rubble.exists()  # too fresh: perhaps another machine writes there
    old = time.time() - 3_600
    os.utime(rubble, (old, old))
    write_package(path, ferry_contents(persona="Be brief."))
    assert not rubble.exists()


def test_a_large_table_gets_a_vector_index_that_finds(tmp_path: Path) -> None:
    sentences = [f"Boat number {number} has {number * 7 % 101} seats" for number in range(600)]
    page = document("boats.md", "Boats", sentences)
    claims = claims_of(page)
    contents = ferry_contents(
        documents=[page],
        chunks=[],
        chunk_vectors=vectors_of([]),
        claims=claims,
        claim_vectors=vectors_of([claim.full_text for claim in claims]),
    )
    plain = write_package(tmp_path / "plain.aipk", contents)
    info = write_package(tmp_path / "indexed.aipk", contents, vector_index_rows=500)

    assert len(info.manifest.members) > len(plain.manifest.members)
    assert info.manifest.content_digest == plain.manifest.content_digest
    with open_package(info.path, tmp_path / "cache") as package:
        hits = package.search_claims("", vector_of(claims[77].full_text), 3, mode="vectors")
        assert hits[0].similarity == pytest.approx(1.0, abs=1e-5)
