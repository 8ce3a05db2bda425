"""Local files as a source."""

from __future__ import annotations

import os
import pickle
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aipk_core.documents.sources import FilesSource, open_source
from aipk_core.documents.sources.files import FolderSnapshot, open_folder
from aipk_core.errors import CorpusError, DocumentError, SourceError


def tree(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def opened(root: Path, **fields: object) -> FolderSnapshot:
    return open_folder(FilesSource.model_validate(fields), root)


def paths(snapshot: FolderSnapshot) -> list[str]:
    return [file.path for file in snapshot.files()]


def codes(snapshot: FolderSnapshot) -> list[str]:
    return [problem.code for problem in snapshot.problems]


def test_files_come_sorted_with_posix_paths_and_can_be_read(tmp_path: Path) -> None:
    tree(tmp_path / "handbook", {"b.md": "B", "a/z.md": "Z", "a.md": "A"})
    source = FilesSource(name="handbook", path="handbook", url_base="https://example.org/docs")
    with open_source(source, tmp_path, tmp_path / "cache") as snapshot:
        assert [file.path for file in snapshot.files()] == ["a.md", "a/z.md", "b.md"]
        assert snapshot.read("a/z.md") == b"Z"
        assert snapshot.files()[1].url == "https://example.org/docs/a/z.md"
        assert snapshot.site.read("nothing.md") is None
        assert list(snapshot.site.list("a")) == ["a/z.md"]


def test_the_revision_follows_contents_and_names_but_not_times(tmp_path: Path) -> None:
    tree(tmp_path, {"a.md": "one", "b.md": "two"})
    first = opened(tmp_path).revision
    os.utime(tmp_path / "a.md", (1, 1))
    assert opened(tmp_path).revision == first
    (tmp_path / "a.md").write_text("One")
    second = opened(tmp_path).revision
    (tmp_path / "b.md").rename(tmp_path / "c.md")
    assert len({first, second, opened(tmp_path).revision}) == 3


def test_patterns_work_like_gitignore(tmp_path: Path) -> None:
    tree(
        tmp_path, {"a.md": "", "a.txt": "", "drafts/b.md": "", "docs/drafts/c.md": "", "docs/keep.md": "", "x.bak": ""}
    )
    assert paths(opened(tmp_path, include=["*.md"], exclude=["/drafts/"])) == [
        "a.md",
        "docs/drafts/c.md",
        "docs/keep.md",
    ]
    assert paths(opened(tmp_path, include=["docs/**", "!docs/drafts/**"])) == ["docs/keep.md"]
    assert paths(opened(tmp_path, exclude=["drafts/", "*.bak"])) == ["a.md", "a.txt", "docs/keep.md"]


def test_images_and_hidden_files_are_no_documents_unless_asked_for(tmp_path: Path) -> None:
    tree(tmp_path, {"a.md": "", "logo.PNG": "", ".secret.md": "", ".git/config": ""})
    assert paths(opened(tmp_path)) == ["a.md"]
    assert paths(opened(tmp_path, hidden=True, exclude=[".git/"])) == [".secret.md", "a.md"]
    assert paths(opened(tmp_path, include=["*.PNG"])) == ["logo.PNG"]


def test_a_hugo_source_sees_the_files_around_its_pages(tmp_path: Path) -> None:
    tree(tmp_path, {"hugo.toml": "", "content/en/a.md": "", "content/en/glossary/pod.md": ""})
    snapshot = opened(tmp_path, loader="hugo", include=["content/"], exclude=["content/en/glossary/"])
    assert paths(snapshot) == ["content/en/a.md"]
    assert list(snapshot.site.list()) == ["content/en/a.md", "content/en/glossary/pod.md", "hugo.toml"]


def test_links_are_followed_inside_the_root_only(tmp_path: Path) -> None:
    tree(tmp_path / "root", {"docs/a.md": "A"})
    tree(tmp_path, {"outside/secret.md": "secret"})
    root = tmp_path / "root"
    (root / "again.md").symlink_to("docs/a.md")
    (root / "more").symlink_to("docs")
    (root / "out.md").symlink_to(tmp_path / "outside" / "secret.md")
    (root / "outer").symlink_to("../outside")
    (root / "docs" / "up").symlink_to("..")
    (root / "gone.md").symlink_to("nowhere.md")
    (root / "self.md").symlink_to("self.md")
    snapshot = opened(root)
    assert paths(snapshot) == ["again.md", "docs/a.md", "more/a.md"]
    assert snapshot.read("again.md") == b"A"
    assert sorted(set(codes(snapshot))) == ["link-broken", "link-loop", "link-outside"]
    assert "secret" not in "".join(paths(snapshot))


def test_a_file_swapped_for_a_link_after_the_walk_is_not_read(tmp_path: Path) -> None:
    tree(tmp_path / "root", {"a/x.md": "harmless"})
    tree(tmp_path, {"outside/x.md": "secret!!"})
    snapshot = opened(tmp_path / "root")
    (tmp_path / "root" / "a" / "x.md").unlink()
    (tmp_path / "root" / "a" / "x.md").symlink_to(tmp_path / "outside" / "x.md")
    with pytest.raises(SourceError, match="changed"):
        snapshot.read("a/x.md")
    (tmp_path / "root" / "a" / "x.md").unlink()
    (tmp_path / "root" / "a").rmdir()
    (tmp_path / "root" / "a").symlink_to(tmp_path / "outside")
    with pytest.raises(SourceError, match="changed"):
        snapshot.read("a/x.md")


@pytest.mark.parametrize("change", ["text", "longer", "gone"])
def test_a_snapshot_never_mixes_two_states(tmp_path: Path, change: str) -> None:
    tree(tmp_path, {"a.md": "before"})
    snapshot = opened(tmp_path)
    if change == "gone":
        (tmp_path / "a.md").unlink()
    else:
        (tmp_path / "a.md").write_text("after!" if change == "text" else "something longer")
    with pytest.raises(SourceError) as caught:
        snapshot.read("a.md")
    assert caught.value.code == "source-changed"


def test_what_is_no_file_is_said_and_never_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    tree(tmp_path, {"a.md": ""})
    snapshot = opened(tmp_path)
    assert paths(snapshot) == ["a.md"]
    assert codes(snapshot) == ["not-a-file"]


def test_names_that_are_not_text_or_clash_are_said(tmp_path: Path) -> None:
    composed, decomposed = unicodedata.normalize("NFC", "é.md"), unicodedata.normalize("NFD", "é.md")
    (tmp_path / composed).write_text("one")
    (tmp_path / decomposed).write_text("two")
    (tmp_path / "line\nbreak.md").write_text("")
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.md")).write_text("")
    snapshot = opened(tmp_path)
    assert paths(snapshot) == [composed]
    assert sorted(codes(snapshot)) == ["name-collision", "name-not-utf8", "name-unprintable"]


def test_a_decomposed_name_gets_a_composed_id(tmp_path: Path) -> None:
    (tmp_path / unicodedata.normalize("NFD", "é.md")).write_text("text")
    snapshot = opened(tmp_path)
    assert paths(snapshot) == [unicodedata.normalize("NFC", "é.md")]
    assert snapshot.read(unicodedata.normalize("NFC", "é.md")) == b"text"


def test_limits(tmp_path: Path) -> None:
    tree(tmp_path, {"a.md": "x" * 50, "b.md": "y"})
    snapshot = opened(tmp_path, max_file_bytes=10)
    assert paths(snapshot) == ["a.md", "b.md"]
    with pytest.raises(DocumentError) as too_large:
        snapshot.read("a.md")
    assert too_large.value.code == "too-large"
    with pytest.raises(SourceError, match="more than 1 files"):
        opened(tmp_path, max_files=1)
    with pytest.raises(SourceError, match="more than 50 bytes"):
        opened(tmp_path, max_total_bytes=50)


def test_many_links_between_folders_end(tmp_path: Path) -> None:
    for number in range(12):
        (tmp_path / f"d{number}").mkdir()
    for number in range(12):
        for other in range(12):
            (tmp_path / f"d{number}" / f"to{other}").symlink_to(f"../d{other}")
    with pytest.raises(SourceError, match="more than 500 files"):
        opened(tmp_path, max_files=500)


def test_deep_folders_end(tmp_path: Path) -> None:
    folder = tmp_path
    for _ in range(80):
        folder = folder / "d"
    folder.mkdir(parents=True)
    (folder / "deep.md").write_text("")
    snapshot = opened(tmp_path)
    assert (paths(snapshot), codes(snapshot)) == ([], ["too-deep"])


def test_a_missing_folder_is_an_error_and_one_file_is_a_source(tmp_path: Path) -> None:
    with pytest.raises(SourceError) as caught:
        opened(tmp_path / "nowhere")
    assert caught.value.code == "source-missing"
    tree(tmp_path, {"one.md": "text"})
    assert paths(opened(tmp_path / "one.md")) == ["one.md"]


def test_a_malformed_pattern_is_an_error_of_the_corpus(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="malformed"):
        opened(tmp_path, exclude=["!"])


def test_a_snapshot_can_go_to_another_process(tmp_path: Path) -> None:
    tree(tmp_path, {"a.md": "A"})
    copy = pickle.loads(pickle.dumps(opened(tmp_path)))
    assert copy.read("a.md") == b"A"


@settings(max_examples=25, deadline=None)
@given(
    st.dictionaries(
        st.text(st.characters(exclude_characters="/", exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12)
        .filter(lambda name: not name.startswith("."))
        .map(lambda name: unicodedata.normalize("NFC", name) + ".md"),
        st.binary(max_size=20),
        max_size=5,
    )
)
def test_any_names_and_contents_come_back_as_they_are(
    tmp_path_factory: pytest.TempPathFactory, files: dict[str, bytes]
) -> None:
    root = tmp_path_factory.mktemp("any")
    for name, data in files.items():
        (root / name).write_bytes(data)
    snapshot = opened(root)
    assert {file.path: snapshot.read(file.path) for file in snapshot.files()} == files
