"""``aipk documents`` and ``aipk sentences``."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from aipk_core.cli.documents import documents, sentences

app = typer.Typer()
app.command()(documents)
app.command()(sentences)


def run(*arguments: str, stdin: bytes | str | None = None, code: int = 0) -> Result:
    result = CliRunner().invoke(app, list(arguments), input=stdin, catch_exceptions=False)
    assert result.exit_code == code, result.output
    return result


def lines(result: Result) -> list[dict[str, Any]]:
    return [json.loads(line) for line in result.stdout.splitlines()]


@pytest.fixture
def handbook(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_text("First sentence. Second sentence, with 8.4 kWh.\n\nNext paragraph.\n")
    (tmp_path / "b.csv").write_text("name,limit\npod,110\n")
    (tmp_path / "empty.txt").write_text("")
    return tmp_path


def test_a_folder_becomes_one_line_a_document(handbook: Path) -> None:
    first, table, empty = lines(run("documents", str(handbook), "--jsonl"))
    assert first["id"] == "a.txt"
    quotes = [first["text"][start:end] for start, end in first["sentences"]]
    assert quotes == ["First sentence.", "Second sentence, with 8.4 kWh.", "Next paragraph."]
    assert [first["text"][block["start"] : block["end"]] for block in first["blocks"]][1] == "Next paragraph."
    assert [block["columns"] for block in table["blocks"] if block["kind"] == "td"][1][0] == "limit"
    assert (empty["text"], empty["errors"][0]["code"]) == ("", "empty")


def test_every_line_has_every_field(handbook: Path) -> None:
    fields = {"id", "url", "title", "lang", "text", "blocks", "sentences", "dependencies", "errors"}
    for record in lines(run("documents", str(handbook), "--jsonl")):
        assert fields <= set(record)
        for block in record["blocks"]:
            assert {"kind", "start", "end", "heading_path", "anchor", "page", "group", "container"} <= set(block)


def test_one_file_whatever_its_name(handbook: Path) -> None:
    (record,) = lines(run("documents", str(handbook / "a.txt"), "--jsonl", "--lang", "de"))
    assert (record["id"], record["lang"]) == ("a.txt", "de")
    (handbook / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    (record,) = lines(run("documents", str(handbook / "picture.png"), "--jsonl"))
    assert record["errors"][0]["code"] == "unsupported"


def test_segments_lead_back_to_the_bytes(handbook: Path) -> None:
    (record,) = lines(run("documents", str(handbook / "a.txt"), "--jsonl", "--segments"))
    data = (handbook / "a.txt").read_bytes()
    start, end, file, byte_start, byte_end, origin = record["segments"][0]
    assert (file, origin) == ("a.txt", "literal")
    assert data[byte_start:byte_end].decode() == record["text"][start:end]


def test_standard_input(handbook: Path) -> None:
    (record,) = lines(run("documents", "-", "--jsonl", "--media-type", "text/plain", stdin="Just a text."))
    assert (record["id"], record["text"]) == ("stdin", "Just a text.")


def test_a_corpus_folder_is_read_by_its_sources(handbook: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIPK_STATE_DIR", str(handbook / "state"))
    settings = '[[sources]]\ntype = "files"\nname = "texts"\ninclude = ["*.txt"]\nlang = "fr"\n'
    (handbook / "corpus.toml").write_text('name = "book"\n' + settings)
    first, empty = lines(run("documents", str(handbook), "--jsonl"))
    assert (first["source"], first["lang"]) == ("texts", "fr")
    assert empty["errors"]
    (handbook / "corpus.toml").write_text(settings + settings.replace("texts", "again"))
    ids = [record["id"] for record in lines(run("documents", str(handbook / "corpus.toml"), "--jsonl"))]
    assert ids == ["texts/a.txt", "texts/empty.txt", "again/a.txt", "again/empty.txt"]


def test_a_hugo_site_without_a_corpus(tmp_path: Path) -> None:
    (tmp_path / "content" / "en" / "docs").mkdir(parents=True)
    (tmp_path / "hugo.toml").write_text('baseURL = "https://docs.example.org/"\ncontentDir = "content/en"\n')
    (tmp_path / "content/en/_index.md").write_text("---\ntitle: Home\n---\nWelcome here.\n")
    (tmp_path / "content/en/docs/start.md").write_text("---\ntitle: Start\n---\nFirst steps.\n")
    every = lines(run("documents", str(tmp_path), "--jsonl", "--loader", "hugo"))
    assert [record["id"] for record in every] == ["content/en/_index.md", "content/en/docs/start.md"]
    assert every[1]["title"] == "Start"
    assert "First steps." in every[1]["text"]
    assert lines(run("documents", "--jsonl", "--site", str(tmp_path))) == every
    page = str(tmp_path / "content/en/docs/start.md")
    for path in (page, str(tmp_path / "content/en/docs"), "content/en/docs"):
        found = lines(run("documents", path, "--jsonl", "--loader", "hugo", "--site", str(tmp_path)))
        assert [record["id"] for record in found] == ["content/en/docs/start.md"], path


def test_in_a_terminal_a_folder_is_a_table_and_a_document_a_tree(handbook: Path) -> None:
    table = run("documents", str(handbook), code=1).stdout
    assert "a.txt" in table
    assert "2 documents" in table
    assert "empty" in table
    tree = run("documents", str(handbook / "a.txt")).stdout
    assert "First sentence. ¦ Second sentence" in tree


def test_text_of_documents_cannot_play_with_the_terminal(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("[bold red]Look[/] \x1b[31mhere\x1b[0m [link=file:///etc]x[/link].")
    shown = run("documents", str(tmp_path / "a.txt")).stdout
    assert "[bold red]Look[/]" in shown
    assert "\x1b" not in shown


@pytest.mark.parametrize(
    "arguments",
    [
        ("/no/such/folder", "--jsonl"),
        ("/tmp", "--site", "/no/such/site"),
        ("/", "--loader", "hugo"),
        ("--jsonl",),
    ],
)
def test_what_cannot_work_ends_with_two_and_one_line(arguments: tuple[str, ...]) -> None:
    result = run("documents", *arguments, code=2)
    assert result.stdout == ""
    assert "error:" in result.stderr


def test_sentences_of_json_lines() -> None:
    requests = ['{"text": "One. Two 8.4 kWh."}', "", '{"text": "一。二。", "lang": "zh"}', '{"text": ""}']
    found = lines(run("sentences", "--jsonl", stdin="\n".join(requests)))
    assert found == [{"spans": [[0, 4], [5, 17]]}, {"spans": [[0, 2], [2, 4]]}, {"spans": []}]


@pytest.mark.parametrize("line", ["nonsense", "[]", '{"no": "text"}', '{"text": 3}', '{"text": "x", "lang": 3}'])
def test_other_lines_are_errors_that_name_the_line(line: str) -> None:
    result = run("sentences", "--jsonl", stdin=f'{{"text": "Good."}}\n{line}\n', code=2)
    assert lines(result) == [{"spans": [[0, 5]]}]
    assert "line 2" in result.stderr


def test_sentences_of_plain_text_are_numbered() -> None:
    shown = run("sentences", stdin="One [here].\nTwo is\non two lines.\n\nThree.").stdout
    assert "One [here]." in shown
    assert shown.rstrip().splitlines()[-1].endswith("Three.")


def test_answers_come_while_questions_are_still_asked() -> None:
    script = "import typer\nfrom aipk_core.cli.documents import sentences\ntyper.run(sentences)\n"
    process = subprocess.Popen(
        [sys.executable, "-c", script, "--jsonl"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
    )
    assert process.stdin is not None
    assert process.stdout is not None
    for text in ("One. Two.", "Three."):
        process.stdin.write(json.dumps({"text": text}).encode() + b"\n")
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["spans"][0][0] == 0
    process.stdin.close()
    assert process.wait(10) == 0
    process.stdout.close()
