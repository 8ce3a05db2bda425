"""docs/format.md as a reader who has nothing but the document would follow it."""

from __future__ import annotations

import hashlib
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from ferry_contents import ferry_contents

from aipk_core.package import write_package


def canonical(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def rows_digest(rows: list[Any]) -> str:
    lines = [canonical(row) for row in rows]
    return hashlib.sha256(b"".join(len(line).to_bytes(8, "little") + line for line in lines)).hexdigest()


def array_digest(*values: Any) -> str:
    return hashlib.sha256(canonical(list(values))).hexdigest()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("format")
    write_package(folder / "ferry.aipk", ferry_contents())
    with zipfile.ZipFile(folder / "ferry.aipk") as archive:
        archive.extractall(folder / "unpacked")
    return folder / "unpacked"


def rows_of(folder: Path, table: str) -> list[dict[str, Any]]:
    import lancedb

    return lancedb.connect(str(folder / "lance")).open_table(table).search().to_arrow().to_pylist()


def test_the_content_digest_can_be_computed_from_the_document_alone(folder: Path) -> None:
    manifest = json.loads((folder / "manifest.json").read_bytes())

    def text(name: str) -> str:
        return (folder / name).read_text()

    def json_lines(name: str) -> list[Any]:
        return [json.loads(line) for line in text(name).splitlines()]

    parts = {
        table: rows_digest(
            [
                {name: value for name, value in row.items() if name not in ("search", "vector")}
                for row in rows_of(folder, table)
            ]
        )
        for table in ("documents", "chunks", "claims")
    }
    embedder = manifest["embedder"]
    parts |= {
        "about": array_digest(*(manifest[name] for name in ("name", "version", "title", "description"))),
        "embedder": array_digest(*(embedder[name] for name in ("name", "digest", "dimensions", "max_tokens"))),
        "ledger": hashlib.sha256((folder / "audit/reviews.jsonl").read_bytes()).hexdigest(),
        "licences": array_digest({"CC-BY-4.0": text("licences/CC-BY-4.0.txt")}),
        "persona": array_digest(text("persona.md")),
        "questions": rows_digest(json_lines("questions.jsonl")),
        "skills": array_digest({"booking": text("skills/booking.md")}),
        "stages": array_digest(manifest["stages"]),
        "tools": rows_digest(json_lines("tools.json")[0]),
    }
    assert parts == manifest["parts"]
    assert array_digest("aipk content", parts) == manifest["content_digest"]


def test_members_and_spans_hold(folder: Path) -> None:
    manifest = json.loads((folder / "manifest.json").read_bytes())
    for member in manifest["members"]:
        data = (folder / member["path"]).read_bytes()
        assert (len(data), hashlib.sha256(data).hexdigest()) == (member["size"], member["sha256"])

    texts = {row["id"]: row["text"] for row in rows_of(folder, "documents")}
    chunks, claims = rows_of(folder, "chunks"), rows_of(folder, "claims")
    assert [claim["id"] for claim in claims] == sorted(claim["id"] for claim in claims)
    for chunk in chunks:
        assert texts[chunk["document"]][chunk["start"] : chunk["end"]] == chunk["text"]
    for evidence in (item for claim in claims for item in claim["evidence"]):
        assert texts[evidence["document"]][evidence["start"] : evidence["end"]] == evidence["quote"]

    vectors = b"".join(bytes(memoryview(_floats(row["vector"]))) for row in chunks)
    vectors2 = b"".join(bytes(memoryview(_floats(row["vector"]))) for row in claims)
    lengths = [len(chunks).to_bytes(8, "little"), len(claims).to_bytes(8, "little")]
    expected = hashlib.sha256(lengths[0] + vectors + lengths[1] + vectors2).hexdigest()
    assert manifest["vectors_digest"] == expected


def _floats(values: list[float]) -> Any:
    import array

    return array.array("f", values)
