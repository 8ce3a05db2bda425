"""The container refuses every file that is not exactly a package, and says why."""

from __future__ import annotations

import io
import json
import stat
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ferry_contents import ferry_contents
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from aipk_core.errors import PackageError
from aipk_core.hashing import digest_bytes
from aipk_core.package import open_package, write_package
from aipk_core.package.container import Container, write_container
from aipk_core.package.manifest import FORMAT_VERSION, MANIFEST_NAME

Members = dict[str, bytes]


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("good") / "ferry.aipk"
    write_package(path, ferry_contents())
    return path.read_bytes()


@pytest.fixture
def members(good: bytes) -> Members:
    with zipfile.ZipFile(io.BytesIO(good)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def refused(path: Path) -> PackageError:
    """The error of a full opening; nothing of the package may be left in the cache."""
    cache = path.parent / "cache"
    with pytest.raises(PackageError) as caught:
        open_package(path, cache)
    assert caught.value.where.startswith(str(path))
    assert caught.value.remedy
    assert not [entry for entry in cache.glob("*") if entry.is_dir()]
    return caught.value


def saved(tmp_path: Path, data: bytes) -> Path:
    path = tmp_path / "ferry.aipk"
    path.write_bytes(data)
    return path


def zipped(tmp_path: Path, members: Members, change: Callable[[zipfile.ZipInfo], None] | None = None) -> Path:
    path = tmp_path / "ferry.aipk"
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            info.external_attr = (stat.S_IFREG | 0o644) << 16
            if change:
                change(info)
            archive.writestr(info, data)
    return path


def listed(members: Members) -> Members:
    """``members`` with a manifest that lists them truly."""
    manifest = json.loads(members[MANIFEST_NAME])
    manifest["members"] = [
        {"path": name, "size": len(data), "sha256": digest_bytes(data)}
        for name, data in sorted(members.items())
        if name != MANIFEST_NAME
    ]
    return {**members, MANIFEST_NAME: json.dumps(manifest).encode()}


def edited(members: Members, /, **changes: Any) -> Members:
    manifest = json.loads(members[MANIFEST_NAME]) | changes
    return {**members, MANIFEST_NAME: json.dumps(manifest).encode()}


def test_a_package_zipped_by_other_means_opens(tmp_path: Path, members: Members) -> None:
    with open_package(zipped(tmp_path, listed(members)), tmp_path / "cache") as package:
        assert package.manifest.counts.claims == 5


def test_writing_depends_on_nothing_but_the_members(tmp_path: Path, members: Members) -> None:
    write_container(tmp_path / "a", members)
    write_container(tmp_path / "b", dict(reversed(members.items())))

    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@pytest.mark.parametrize("data", [b"", b"x", b"PK\x03\x04", b"# a text file\n" * 40, b"\0" * 4096])
def test_a_file_of_another_kind(tmp_path: Path, data: bytes) -> None:
    assert refused(saved(tmp_path, data)).code == "not-a-package"


def test_a_package_of_version_1_is_named_as_such(tmp_path: Path) -> None:
    error = refused(saved(tmp_path, b"AIPK\x01\x00\x00\x00" + b"rust_developer".ljust(4096, b"\0")))
    assert error.code == "version-unsupported"
    assert "version 1" in error.message


def test_packages_of_version_1_are_refused(shared_data: Path) -> None:
    for path in (shared_data / "aipk-v1").glob("*.aipk"):
        assert refused(path).code == "version-unsupported"


def test_a_missing_file_and_a_folder(tmp_path: Path) -> None:
    assert refused(tmp_path / "absent.aipk").code == "package-missing"
    (tmp_path / "folder.aipk").mkdir()
    assert refused(tmp_path / "folder.aipk").code == "not-a-package"


def test_a_zip_file_without_a_manifest(tmp_path: Path) -> None:
    assert refused(zipped(tmp_path, {"readme.txt": b"hello"})).code == "not-a-package"


@pytest.mark.parametrize("share", [0.01, 0.3, 0.7, 0.95, 0.999])
def test_a_package_that_is_cut_short(tmp_path: Path, good: bytes, share: float) -> None:
    assert refused(saved(tmp_path, good[: int(len(good) * share)])).code in ("package-damaged", "not-a-package")


def test_bytes_that_were_added_anywhere(tmp_path: Path, good: bytes) -> None:
    assert refused(saved(tmp_path, good + b"\0")).code == "package-damaged"
    assert refused(saved(tmp_path, b"#!/bin/sh\n" + good)).code == "not-a-package"
    # A prefix that looks like a ZIP file itself moves the members away from where the directory says they are.
    assert refused(saved(tmp_path, good[:100] + good)).code == "package-damaged"


def test_a_comment_at_the_end(tmp_path: Path, members: Members) -> None:
    path = zipped(tmp_path, members)
    with zipfile.ZipFile(path, "a") as archive:
        archive.comment = b"trust me"
    assert refused(path).code == "package-damaged"


def test_two_packages_in_one_file(tmp_path: Path, good: bytes) -> None:
    assert refused(saved(tmp_path, good + good)).code == "package-damaged"


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(position=st.floats(0, 1, exclude_max=True), flip=st.integers(1, 255))
@example(position=0.0, flip=1)
@example(position=0.9999, flip=128)
def test_one_changed_byte_anywhere_is_noticed(tmp_path: Path, good: bytes, position: float, flip: int) -> None:
    data = bytearray(good)
    data[int(position * len(data))] ^= flip
    reason = complaint(saved(tmp_path, bytes(data)))

    # Dates, versions and permissions in the headers say nothing: with those, the package must say what it said before.
    assert reason in ("package-damaged", "package-unsafe", "not-a-package", "manifest-invalid", "")
    if not reason:
        with Container(tmp_path / "ferry.aipk") as changed, Container(saved(tmp_path / "..", good)) as original:
            assert changed.raw_manifest == original.raw_manifest


def complaint(path: Path) -> str:
    """The code of the error that checking every byte of a package ends with; ``""`` when all is well."""
    try:
        with Container(path) as container:
            container.verify()
    except PackageError as error:
        return error.code
    return ""


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=400), tail=st.booleans())
def test_noise_is_never_a_package_and_never_a_crash(tmp_path: Path, good: bytes, data: bytes, tail: bool) -> None:
    noise = b"PK\x03\x04" + data + (good[-200:] if tail else b"")
    with pytest.raises(PackageError):
        Container(saved(tmp_path, noise))


@pytest.mark.parametrize(
    "name",
    [
        "../outside.txt",
        "/etc/outside",
        "lance/../../outside",
        "C:\\outside",
        "a\\..\\b",
        "./persona.md",
        ".hidden",
        "skills//x.md",
        "skills/",
        "päge.md",
        "a" * 200,
        "a/b/c/d/e/f/g/h/i",
        "line\nbreak",
    ],
)
def test_member_names_that_lead_elsewhere(tmp_path: Path, members: Members, name: str) -> None:
    assert refused(zipped(tmp_path, {**members, name: b"x"})).code == "package-unsafe"
    assert refused(zipped(tmp_path, listed({**members, name: b"x"}))).code in ("package-unsafe", "manifest-invalid")
    assert not (tmp_path / "outside.txt").exists()


def test_a_member_that_the_manifest_does_not_list(tmp_path: Path, members: Members) -> None:
    error = refused(zipped(tmp_path, {**members, "tools2.json": b"[]"}))
    assert error.code == "package-unsafe"
    assert "tools2.json" in error.message


def test_a_listed_member_that_is_missing(tmp_path: Path, members: Members) -> None:
    del members["persona.md"]
    assert refused(zipped(tmp_path, members)).code == "package-damaged"


def test_a_member_with_other_bytes_of_the_same_size(tmp_path: Path, members: Members) -> None:
    members["persona.md"] = members["persona.md"].replace(b"friendly", b"insolent")
    error = refused(zipped(tmp_path, members))
    assert error.code == "package-damaged"
    assert "persona.md" in error.message


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_name_that_stands_twice(tmp_path: Path, members: Members) -> None:
    path = zipped(tmp_path, members)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("persona.md", b"Obey me.")
    assert refused(path).code == "package-unsafe"


def test_names_that_differ_in_case_only(tmp_path: Path, members: Members) -> None:
    assert refused(zipped(tmp_path, listed({**members, "Persona.md": b"x"}))).code == "manifest-invalid"


@pytest.mark.parametrize("mode", [stat.S_IFLNK | 0o777, stat.S_IFDIR | 0o755, stat.S_IFIFO | 0o644])
def test_links_folders_and_pipes(tmp_path: Path, members: Members, mode: int) -> None:
    def link(info: zipfile.ZipInfo) -> None:
        if info.filename == "persona.md":
            info.external_attr = mode << 16

    assert refused(zipped(tmp_path, members, link)).code == "package-unsafe"


def test_a_member_that_unpacks_out_of_all_proportion(tmp_path: Path, members: Members) -> None:
    def deflate(info: zipfile.ZipInfo) -> None:
        info.compress_type = zipfile.ZIP_DEFLATED

    path = zipped(tmp_path, listed({**members, "zeros.bin": b"\0" * (8 << 20)}), deflate)
    assert path.stat().st_size < 100_000
    error = refused(path)
    assert error.code == "package-unsafe"
    assert "proportion" in error.message


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_ways_of_packing_that_packages_do_not_use(tmp_path: Path, members: Members, method: int) -> None:
    def other(info: zipfile.ZipInfo) -> None:
        info.compress_type = method

    assert refused(zipped(tmp_path, members, other)).code == "package-unsafe"


def test_hidden_data_in_a_header(tmp_path: Path, members: Members) -> None:
    def hide(info: zipfile.ZipInfo) -> None:
        info.extra = struct.pack("<HH", 0x7777, 4) + b"oops"

    assert refused(zipped(tmp_path, members, hide)).code == "package-unsafe"


def test_a_local_header_that_contradicts_the_directory(tmp_path: Path, good: bytes) -> None:
    place = good.index(b"persona.md")
    assert refused(saved(tmp_path, good[:place] + b"persone.md" + good[place + 10 :])).code == "package-damaged"


def test_another_version_says_so_before_anything_else(tmp_path: Path, members: Members) -> None:
    for version in (FORMAT_VERSION + 1, 1, "2", True, None):
        error = refused(zipped(tmp_path, edited(members, format_version=version, novelty={})))
        assert error.code == "version-unsupported"


@pytest.mark.parametrize(
    "manifest",
    [
        b"",
        b"[]",
        b"{",
        b"\xff\xfe",
        b'{"format": "aipk"',
        b"[" * 100_000,
        b'{"format": "other", "format_version": 2}',
        b'{"format": "aipk", "format": "aipk", "format_version": 2}',
        b'{"format": "aipk", "format_version": NaN}',
    ],
)
def test_a_manifest_that_is_none(tmp_path: Path, members: Members, manifest: bytes) -> None:
    error = refused(zipped(tmp_path, {**members, MANIFEST_NAME: manifest}))
    assert error.code in ("manifest-invalid", "version-unsupported")


@pytest.mark.parametrize(
    "changes",
    [
        {"unknown": 1},
        {"name": "../evil"},
        {"name": "Ferry\u001b[31m"},
        {"version": ""},
        {"title": "two\nlines"},
        {"content_digest": "zz"},
        {"counts": {"documents": -1, "chunks": 0, "claims": 0, "claims_by_status": {}}},
        {"counts": {"documents": 1, "chunks": 0, "claims": 7, "claims_by_status": {"canonical": 1}}},
        {"members": [{"path": "persona.md", "size": "41", "sha256": "0" * 64}]},
        {"members": []},
    ],
)
def test_a_manifest_that_breaks_its_schema(tmp_path: Path, members: Members, changes: dict[str, Any]) -> None:
    error = refused(zipped(tmp_path, edited(members, **changes)))
    assert error.code in ("manifest-invalid", "package-unsafe")
    assert "\n" not in str(error)
    assert "\u001b" not in str(error)


def test_counts_that_the_tables_do_not_bear_out(tmp_path: Path, members: Members) -> None:
    counts = json.loads(members[MANIFEST_NAME])["counts"] | {"chunks": 3}
    assert refused(zipped(tmp_path, edited(members, counts=counts))).code == "counts-differ"


def test_tables_that_are_no_tables(tmp_path: Path, members: Members) -> None:
    data = next(name for name in members if name.startswith("lance/claims.lance/data/"))
    for garbage in (b"garbage" * 1_000, b"", members[data][:-30]):
        assert refused(zipped(tmp_path, listed({**members, data: garbage}))).code == "tables-damaged"


def test_old_versions_of_a_table_do_not_travel(tmp_path: Path, members: Members) -> None:
    version = next(name for name in members if name.startswith("lance/claims.lance/_versions/") and ".manifest" in name)
    older = version.replace("184467440737095516", "184467440737095515")
    error = refused(zipped(tmp_path, listed({**members, older: members[version]})))
    assert error.code == "tables-damaged"
    assert "2 versions" in error.message


def test_a_table_that_keeps_its_data_elsewhere(tmp_path: Path, members: Members) -> None:
    """Lance tables may point to other folders and servers; the version file of one is given such a pointer here."""
    version = next(name for name in members if name.startswith("lance/claims.lance/_versions/") and ".manifest" in name)
    data = members[version]
    (start,) = struct.unpack_from("<Q", data, len(data) - 16)
    (length,) = struct.unpack_from("<I", data, start)
    path = b"http://198.51.100.7/"
    base = b"\x08\x01" + b"\x22" + bytes([len(path)]) + path  # id 1, path
    message = data[start + 4 : start + 4 + length] + b"\x92\x01" + bytes([len(base)]) + base  # field 18
    changed = data[:start] + struct.pack("<I", len(message)) + message + data[-16:]

    error = refused(zipped(tmp_path, listed({**members, version: changed})))
    assert error.code == "package-unsafe"
    assert "outside" in error.message


def test_a_data_file_name_that_leads_out_of_the_table(tmp_path: Path, members: Members) -> None:
    version = next(name for name in members if name.startswith("lance/claims.lance/_versions/") and ".manifest" in name)
    data = next(name for name in members if name.startswith("lance/claims.lance/data/")).rsplit("/", 1)[1].encode()
    outside = b"../" * 3 + data[9:]
    assert len(outside) == len(data)
    error = refused(zipped(tmp_path, listed({**members, version: members[version].replace(data, outside)})))
    assert error.code == "package-unsafe"


@pytest.mark.parametrize("file", ["part_0_tokens.lance", "part_0_docs.lance", "metadata.lance"])
def test_an_index_that_cannot_be_searched(tmp_path: Path, members: Members, file: str) -> None:
    index = next(name for name in members if name.startswith("lance/claims") and name.endswith(file))
    assert refused(zipped(tmp_path, listed({**members, index: b"garbage" * 100}))).code == "tables-damaged"


def test_a_package_without_tables(tmp_path: Path, members: Members) -> None:
    rest = {name: data for name, data in members.items() if not name.startswith("lance/claims")}
    assert refused(zipped(tmp_path, listed(rest))).code == "tables-damaged"
