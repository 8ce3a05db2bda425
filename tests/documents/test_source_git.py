"""A commit of a git repository as a source; the server is a bare repository on this machine."""

from __future__ import annotations

import os
import pickle
import subprocess
from pathlib import Path

import pytest
from pydantic import ValidationError

from aipk_core.documents.sources import GitSource, SourceSnapshot, open_source
from aipk_core.errors import DocumentError, SourceError

IDENTITY = {
    "GIT_AUTHOR_NAME": "A",
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "A",
    "GIT_COMMITTER_EMAIL": "a@example.org",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
}


class Repository:
    """A bare repository and a working copy that pushes to it."""

    def __init__(self, folder: Path) -> None:
        self.bare, self.work = folder / "site.git", folder / "work"
        self.git("init", "--quiet", "--bare", "--initial-branch=main", str(self.bare), cwd=folder)
        self.git("init", "--quiet", "--initial-branch=main", str(self.work), cwd=folder)
        self.git("remote", "add", "origin", str(self.bare))

    def git(self, *arguments: str, cwd: Path | None = None) -> str:
        done = subprocess.run(
            ["git", *arguments], cwd=cwd or self.work, env={**os.environ, **IDENTITY}, capture_output=True, check=True
        )
        return done.stdout.decode().strip()

    def commit(self, files: dict[str, str | None], branch: str = "main") -> str:
        for name, text in files.items():
            path = self.work / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.unlink() if text is None else path.write_text(text)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "change")
        self.git("push", "--quiet", "origin", f"HEAD:{branch}")
        return self.git("rev-parse", "HEAD")


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository(tmp_path)
    made.commit({"docs/a.md": "A", "docs/b/c.md": "C", "blog/z.md": "Z", "README.md": "readme"})
    return made


def opened(repository: Repository, **fields: object) -> SourceSnapshot:
    settings = GitSource.model_validate({"repository": str(repository.bare), **fields})
    return open_source(settings, repository.bare.parent, repository.bare.parent / "cache")


def paths(snapshot: SourceSnapshot) -> list[str]:
    return [file.path for file in snapshot.files()]


def test_a_branch_is_cloned_once_and_then_fetched(repository: Repository) -> None:
    first = opened(repository)
    assert paths(first) == ["README.md", "blog/z.md", "docs/a.md", "docs/b/c.md"]
    assert first.read("docs/b/c.md") == b"C"
    commit = repository.commit({"docs/a.md": "A again", "blog/z.md": None})
    second = opened(repository, revision="main")
    assert second.revision == commit
    assert paths(second) == ["README.md", "docs/a.md", "docs/b/c.md"]
    assert second.read("docs/a.md") == b"A again"
    assert first.read("docs/a.md") == b"A", "the older snapshot still shows its own state"
    assert len(list((repository.bare.parent / "cache").glob("git-*.git"))) <= 1


def test_a_relative_path_is_seen_from_the_corpus(repository: Repository) -> None:
    settings = GitSource(repository="../site.git")
    snapshot = open_source(settings, repository.bare.parent / "corpus", repository.bare.parent / "cache")
    assert snapshot.read("docs/a.md") == b"A"


def test_tags_commits_and_abbreviations_name_a_state(repository: Repository) -> None:
    old = repository.git("rev-parse", "HEAD")
    repository.git("tag", "--annotate", "--message", "release", "v1")
    repository.git("push", "--quiet", "origin", "v1")
    repository.commit({"docs/a.md": "newer"})
    for revision in ("v1", "refs/tags/v1", old, old[:10]):
        snapshot = opened(repository, revision=revision)
        assert (snapshot.revision, snapshot.read("docs/a.md")) == (old, b"A"), revision


def test_a_known_commit_needs_no_server(repository: Repository) -> None:
    commit = repository.git("rev-parse", "HEAD")
    opened(repository, revision=commit)
    repository.bare.rename(repository.bare.with_name("elsewhere.git"))
    assert opened(repository, revision=commit).read("docs/a.md") == b"A"
    with pytest.raises(SourceError) as caught:
        opened(repository, revision="main")
    assert caught.value.code == "git-unreachable"


def test_only_the_wanted_folders_are_fetched(repository: Repository) -> None:
    repository.git("config", "uploadpack.allowFilter", "true", cwd=repository.bare)
    snapshot = opened(repository, folders=["docs"])
    assert paths(snapshot) == ["docs/a.md", "docs/b/c.md"]
    unwanted = repository.git("rev-parse", "HEAD:blog/z.md")
    clone = next((repository.bare.parent / "cache").glob("git-*[!k]"))
    absent = subprocess.run(
        ["git", f"--git-dir={clone}", "cat-file", "-e", unwanted],
        env={**os.environ, "GIT_NO_LAZY_FETCH": "1"},
        capture_output=True,
    )
    assert absent.returncode != 0
    assert opened(repository, folders=["blog"]).read("blog/z.md") == b"Z"


def test_a_missing_folder_is_said(repository: Repository) -> None:
    snapshot = opened(repository, folders=["docs", "nowhere"])
    assert [(problem.code, problem.where) for problem in snapshot.problems] == [("folder-missing", "nowhere")]


def test_links_submodules_and_pointers_are_not_taken_for_documents(repository: Repository) -> None:
    (repository.work / "link.md").symlink_to("/etc/passwd")
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 12\n"
    commit = repository.git("rev-parse", "HEAD")
    repository.git("update-index", "--add", "--cacheinfo", f"160000,{commit},module")
    (repository.work / "module").mkdir()
    repository.commit({"large.md": pointer})
    snapshot = opened(repository)
    assert [problem.code for problem in snapshot.problems] == ["link-skipped", "submodule-skipped"]
    assert "link.md" not in paths(snapshot)
    with pytest.raises(DocumentError, match="LFS"):
        snapshot.read("large.md")


def test_attributes_and_hooks_do_nothing(repository: Repository) -> None:
    attributes = "*.md ident export-ignore filter=x\n"
    (repository.bare / "hooks" / "post-update").write_text("#!/bin/sh\ntouch ../hooked\n")
    (repository.work / "id.md").write_text("$Id$")
    repository.commit({"docs/.gitattributes": attributes, ".gitattributes": attributes})
    assert opened(repository).read("docs/a.md") == b"A"
    assert opened(repository).read("id.md") == b"$Id$"


def test_names_of_any_kind(repository: Repository) -> None:
    name = 'tab "quoted" é -- :(glob).md'
    repository.commit({name: "text"})
    assert opened(repository).read(name) == b"text"


def test_large_files_and_many_files_are_refused(repository: Repository) -> None:
    repository.commit({"big.md": "x" * 5000})
    snapshot = opened(repository, max_file_bytes=1000)
    with pytest.raises(DocumentError) as caught:
        snapshot.read("big.md")
    assert caught.value.code == "too-large"
    with pytest.raises(SourceError, match="more than 2 files"):
        opened(repository, max_files=2)


def test_what_a_killed_run_left_behind_is_cleared(repository: Repository) -> None:
    opened(repository)
    clone = next((repository.bare.parent / "cache").glob("git-*[!k]"))
    (clone / "shallow.lock").write_text("")
    (clone / "objects" / "pack" / "tmp_pack_X").write_text("half")
    commit = repository.commit({"docs/a.md": "next"})
    assert opened(repository).revision == commit
    assert not (clone / "objects" / "pack" / "tmp_pack_X").exists()


def test_a_failing_fetch_leaves_the_last_state(repository: Repository) -> None:
    commit = opened(repository).revision
    with pytest.raises(SourceError) as caught:
        opened(repository, revision="no-such-branch")
    assert caught.value.code == "git-revision"
    assert opened(repository, revision=commit).read("docs/a.md") == b"A"


@pytest.mark.parametrize("revision", ["a..b", "main^", "HEAD~1", "ma in", "x@{1}", ":/fix", "main:docs", "a*", ".x"])
def test_expressions_are_no_revisions(repository: Repository, revision: str) -> None:
    with pytest.raises(SourceError) as caught:
        opened(repository, revision=revision)
    assert caught.value.code == "git-revision"


@pytest.mark.parametrize(
    "fields",
    [
        {"repository": "--upload-pack=touch /tmp/x"},
        {"repository": "ext::sh -c touch% /tmp/x"},
        {"repository": "https://user:secret@example.org/x"},
        {"repository": "gopher://example.org/x"},
        {"repository": "-oProxyCommand=x@host:path"},
        {"repository": "x", "revision": "--output=/tmp/x"},
        {"repository": "x", "folders": ["../up"]},
        {"repository": "x", "folders": ["-x"]},
        {"repository": "x", "folders": ["/etc"]},
        {},
    ],
)
def test_dangerous_settings_are_refused(fields: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        GitSource.model_validate(fields)


def test_a_plain_folder_can_stand_in_for_the_repository(repository: Repository) -> None:
    repository.work.rename(repository.bare.parent / "extracted")
    settings = GitSource(repository="https://example.org/none.git", path="extracted", folders=("docs",))
    snapshot = open_source(settings, repository.bare.parent, repository.bare.parent / "cache")
    assert paths(snapshot) == ["docs/a.md", "docs/b/c.md"]
    assert snapshot.files()[0].digest == opened(repository).files()[2].digest


def test_a_snapshot_can_go_to_another_process_and_be_closed(repository: Repository) -> None:
    snapshot = opened(repository)
    assert snapshot.read("docs/a.md") == b"A"
    assert pickle.loads(pickle.dumps(snapshot)).read("docs/a.md") == b"A"
    snapshot.close()
    assert snapshot.read("docs/a.md") == b"A"
    snapshot.close()


def test_a_slow_server_is_given_up(repository: Repository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "git").write_text("#!/bin/sh\nsleep 60\n")
    (programs / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    with pytest.raises(SourceError) as caught:
        opened(repository, timeout=1)
    assert caught.value.code == "timeout"


def test_without_git_there_is_a_clear_error(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(SourceError) as caught:
        opened(repository)
    assert caught.value.code == "git-missing"


def test_single_files_can_be_wanted_beside_folders(repository: Repository) -> None:
    snapshot = opened(repository, folders=["docs/b", "README.md"])
    assert (paths(snapshot), snapshot.problems) == (["README.md", "docs/b/c.md"], ())
    settings = GitSource(path="work", folders=("docs/b", "README.md", "nowhere"))
    plain = open_source(settings, repository.bare.parent, repository.bare.parent / "cache")
    assert paths(plain) == ["README.md", "docs/b/c.md"]
    assert [problem.code for problem in plain.problems] == ["folder-missing"]
