"""What a user sees after a mistake: one line with a code, a place and a remedy; exit 2; nothing half-written."""

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from aipk_core.build import build
from aipk_core.cli import application

CORPUS = '[[sources]]\ntype = "files"\npath = "pages"\n[review]\npolicy = "auto"\nchecks = ["exact-quote"]\n'


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("AIPK_STATE_DIR", raising=False)
    (tmp_path / "dagster.yaml").touch()
    runner = CliRunner()
    return lambda *arguments: runner.invoke(application(), [str(argument) for argument in arguments])


@pytest.fixture
def corpus(tmp_path):
    folder = tmp_path / "corpora" / "birds"
    (folder / "pages").mkdir(parents=True)
    (folder / "corpus.toml").write_text(CORPUS)
    (folder / "pages" / "heron.md").write_text("# Heron\n\nThe grey heron stands 98 cm tall.\n")
    return folder


def one_line(result, code):
    assert result.exit_code == 2, result.output
    lines = [line for line in result.stderr.splitlines() if line.strip()]
    assert len(lines) == 1, result.stderr
    assert lines[0].startswith("error: ")
    assert f"[{code}]" in lines[0]
    assert re.search(r"\]\. \S.*\.$", lines[0]), "there is no remedy"
    return lines[0]


def test_a_missing_folder(run):
    assert "nowhere" in one_line(run("build", "nowhere", "--plain"), "corpus-missing")


def test_a_folder_without_a_corpus(run, tmp_path):
    (tmp_path / "empty").mkdir()
    one_line(run("build", "empty", "--plain"), "corpus-missing")


@pytest.mark.parametrize(
    "text", ["titel = 'x'\n" + CORPUS, CORPUS + "[chunks]\ntarget_tokens = 'many'\n", "[[", "name = 5\n" + CORPUS]
)
def test_a_broken_corpus_file(run, corpus, text):
    (corpus / "corpus.toml").write_text(text)
    assert "corpus.toml" in one_line(run("build", corpus, "--plain"), "corpus-invalid")
    assert not Path("dist").exists()


def test_an_empty_corpus(run, corpus):
    (corpus / "pages" / "heron.md").unlink()
    one_line(run("build", corpus, "--plain"), "corpus-empty")
    assert not Path("dist").exists()


def test_a_source_folder_that_is_not_there(run, corpus):
    (corpus / "corpus.toml").write_text(CORPUS.replace("pages", "pagse"))
    assert run("build", corpus, "--plain").exit_code == 2


def test_a_document_that_cannot_be_read_in_a_strict_corpus(run, corpus):
    (corpus / "corpus.toml").write_text("strict = true\n" + CORPUS)
    (corpus / "pages" / "scan.pdf").write_bytes(b"%PDF-1.4 no more than this")
    assert "scan.pdf" in one_line(run("build", corpus, "--plain"), "invalid")
    assert not Path("dist").exists()


def test_a_path_that_is_no_pair(run, corpus):
    one_line(run("build", corpus, "--path", "website"), "usage")


@pytest.mark.parametrize("command", [("ask", "{}", "why"), ("verify", "{}", "It is so."), ("inspect", "{}")])
@pytest.mark.parametrize("damage", ["missing", "empty", "text", "short", "appended", "flipped"])
def test_a_package_that_is_not_intact(run, corpus, command, damage, tmp_path):
    package = tmp_path / "bad.aipk"
    if damage in {"short", "appended", "flipped"}:
        build(corpus)
        data = (tmp_path / "dist" / "birds.aipk").read_bytes()
        middle = len(data) // 2
        changed = {
            "short": data[:middle],
            "appended": data + b"more",
            "flipped": data[:middle] + bytes([data[middle] ^ 0xFF]) + data[middle + 1 :],
        }
        package.write_bytes(changed[damage])
    elif damage != "missing":
        package.write_bytes(b"" if damage == "empty" else b"not a package at all")
    result = run(*(part.format(package) for part in command), *(["--verify"] if command[0] == "inspect" else []))
    assert result.exit_code == 2, (result.output, result.stderr)
    lines = [line for line in result.stderr.splitlines() if line.startswith("error: ")]
    assert len(lines) == 1
    assert "Traceback" not in result.output


def test_a_build_says_what_to_do_next(run, corpus):
    result = run("build", corpus, "--plain")
    assert result.exit_code == 0
    assert "dist/birds.aipk" in result.stdout
    assert "next: aipk ask" in result.stdout


def test_a_build_that_waits_for_review_is_no_failure(run, corpus):
    (corpus / "corpus.toml").write_text(CORPUS.partition("[review]")[0])
    result = run("build", corpus, "--plain")
    assert result.exit_code == 0
    assert "waiting" in result.stdout
