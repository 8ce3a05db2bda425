"""Damaged files end in text or in a named error, within bounds of time and memory."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest
from office_files import docx, paragraph, pdf

from aipk_core.documents.loaders.registry import RawDocument, load, media_types
from aipk_core.errors import AipkError

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def fuzz() -> ModuleType:
    specification = importlib.util.spec_from_file_location("fuzz_documents", REPOSITORY / "bench" / "fuzz_documents.py")
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules["fuzz_documents"] = module
    specification.loader.exec_module(module)
    return module


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """One small file of each kind that takes no other file."""
    files = {
        "a.txt": b"Heading\n=======\n\nSome text\nof two lines.\n\n1. one\n2. two\n",
        "a.csv": b"a,b\n1,2\n3,4\n",
        "a.rst": b"Title\n=====\n\n- a\n- b\n\n+---+---+\n| a | b |\n+---+---+\n\n.. note:: x\n",
        "a.adoc": b"= Title\n\n== Part\n\n* a\n** b\n\n|===\n|a |b\n|===\n",
        "a.rtf": b"{\\rtf1\\ansi{\\fonttbl{\\f0\\fcharset204 A;}}\\f0 \\'cd\\'e0 \\u1046? \\trowd x\\cell\\row\\par}",
        "a.ipynb": b'{"cells": [{"cell_type": "markdown", "source": ["# T\\n", "text"]}]}',
        "a.docx": docx(paragraph("Text") + "<w:tbl><w:tr><w:tc><w:p/></w:tc></w:tr></w:tbl>"),
        "a.pdf": pdf([[(60, 700, 10, "Text of a page."), (60, 688, 10, "More of it.")]]),
    }
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    return tmp_path


def test_a_mutation_is_always_the_same(fuzz: ModuleType, folder: Path) -> None:
    files = fuzz.documents(folder)
    assert len(files) == 8
    assert [fuzz.mutated(files, 3, index) for index in range(40)] == [
        fuzz.mutated(files, 3, index) for index in range(40)
    ]
    assert len({fuzz.mutated(files, 3, index)[1] for index in range(0, 80, 8)}) > 5


def test_damaged_files_end_well(fuzz: ModuleType, folder: Path) -> None:
    results = fuzz.run(folder, 1, list(range(160)))
    assert [result for result in results if result.kind not in ("ok", "error")] == []
    assert fuzz.summary(results)["mutations"] == 160


@pytest.mark.data
def test_damaged_real_files_end_well(fuzz: ModuleType, shared_data: Path) -> None:
    results = fuzz.run(shared_data / "documents", 5, list(range(140)))
    assert [result for result in results if result.kind not in ("ok", "error")] == []


def test_a_hang_and_a_crash_would_be_seen(fuzz: ModuleType) -> None:
    results = [
        fuzz.Result(1, "a", "hang", "9 s", 9.0, 1.0),
        fuzz.Result(2, "a", "error", "invalid", 0.1, 1.0),
        fuzz.Result(3, "a", "crash", "signal 11", 0.1, 1.0),
    ]
    summary = fuzz.summary(results)
    assert (summary["hang"], summary["crash"], summary["errors"]) == (1, 1, {"invalid": 1})


@pytest.mark.parametrize("media_type", media_types())
@pytest.mark.parametrize(
    "data", [b"\x00\x01\x02", b"{", b"<", b"PK\x03\x04", b"\xff\xfe", b"a" * 100_000, "é".encode() * 9]
)
def test_any_bytes_under_any_type(media_type: str, data: bytes) -> None:
    try:
        document = load(RawDocument("content/en/a", data, media_type=media_type))
    except AipkError:
        return
    assert "\n\n".join(document.quote(block) for block in document.blocks) == document.text
