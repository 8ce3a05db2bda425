"""A commit of a git repository as a source.

The repository is cloned once, bare, without history and where the server can do so without the files that nobody asked
for; later builds fetch. Files are read from the object database at one commit: nothing is checked out, so symbolic
links, ``.gitattributes`` filters and hooks play no part.
"""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp

from filelock import FileLock, Timeout

from aipk_core.documents.model import Problem
from aipk_core.documents.sources.files import open_folder, too_large
from aipk_core.documents.sources.git_command import BlobReader, Git
from aipk_core.documents.sources.model import GitSource
from aipk_core.documents.sources.snapshot import (
    Choice,
    PathBook,
    Progress,
    SourceFile,
    SourceSnapshot,
    check_totals,
    url_of,
)
from aipk_core.errors import DocumentError, SourceError
from aipk_core.hashing import digest

_COMMIT_ID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_SHORT_ID = re.compile(r"[0-9a-f]{7,64}")
# What git itself refuses in the name of a branch or tag, and what would make it a pattern.
_REVISION_REFUSED = re.compile(r"[\s~^:?*\[\\\x00-\x20\x7f]|\.\.|@\{|//|\.lock(?:/|$)|[./]$|^[-/.]")
_WANTED = "refs/aipk/wanted"
_LARGE_FILE_POINTER = b"version https://git-lfs.github.com/spec/v1\n"


@dataclass(frozen=True, slots=True)
class _Entry:
    """A line of ``git ls-tree``: a file (``blob``), a symbolic link or a submodule."""

    mode: str
    object_id: str
    path: str


class GitSnapshot(SourceSnapshot):
    """The wanted files of one commit; see ``open_git``. ``revision`` is the commit's id."""

    def __init__(
        self,
        settings: GitSource,
        repository: Path,
        commit: str,
        files: Sequence[SourceFile],
        problems: tuple[Problem, ...],
    ) -> None:
        self.settings: GitSource = settings
        self.revision = commit
        self.problems = problems
        self._files = tuple(files)
        self._by_path = {file.path: file for file in files}
        self._reader = BlobReader(repository)

    def all_files(self) -> Sequence[SourceFile]:
        return self._files

    def read(self, path: str) -> bytes:
        file = self._by_path.get(path)
        if file is None:
            raise SourceError("there is no such file in the source", code="no-such-file", where=path)
        if not file.digest:
            raise too_large(path, file.size, self.settings.max_file_bytes)
        data = self._reader.read(file.etag)
        if data.startswith(_LARGE_FILE_POINTER):
            raise DocumentError(
                "the repository holds a Git LFS pointer instead of the file",
                code="unsupported",
                where=path,
                remedy="Use a folder with the real files (path), or exclude the file",
            )
        return data

    def close(self) -> None:
        self._reader.close()


def open_git(
    settings: GitSource, corpus_dir: Path, cache_dir: Path, progress: Progress | None = None
) -> SourceSnapshot:
    """The wanted files of ``settings.revision``; or, with ``settings.path``, those of a plain folder.

    Raises:
        SourceError: ``git-missing``, ``git-unreachable``, ``git-denied``, ``git-revision``, ``git-failed``, ``timeout``,
            ``source-busy``, ``source-missing``, ``too-many-files``, ``too-large``.
    """
    if settings.path:
        return open_folder(settings, corpus_dir / settings.path, settings.folders, progress)
    if settings.revision != "HEAD" and _REVISION_REFUSED.search(settings.revision):
        raise _no_revision(settings)
    address = _address(settings.repository, corpus_dir)
    cache_dir.mkdir(parents=True, exist_ok=True)
    repository = cache_dir / f"git-{digest('git', address)[:24]}"
    try:
        with FileLock(str(repository) + ".lock", timeout=settings.timeout):
            git = _prepared(settings, repository, address)
            commit = _Fetch(settings, git, progress).commit()
            return _snapshot(settings, git, commit, progress)
    except Timeout as error:
        raise SourceError(
            "another process is fetching the same repository",
            code="source-busy",
            where=settings.name,
            remedy="Wait for it to end",
        ) from error


def _address(repository: str, corpus_dir: Path) -> str:
    """What git is told: URLs as they are, paths absolute (so they can be neither options nor host names)."""
    if "://" in repository or re.match(r"[\w.-]+@[\w.-]+:", repository):
        return repository
    return str((corpus_dir / repository).resolve())


def _prepared(settings: GitSource, repository: Path, address: str) -> Git:
    """The bare repository in the cache, created in one step, and freed from what a killed run left behind."""
    if not (repository / "HEAD").exists():
        fresh = Path(mkdtemp(prefix="git-new-", dir=repository.parent))
        try:
            git = Git(fresh, settings.timeout, settings.name)
            git.run("init", "--quiet", "--bare", str(fresh))
            git.run("config", "remote.origin.url", address)
            fresh.replace(repository)
        finally:
            shutil.rmtree(fresh, ignore_errors=True)
    # This process holds the lock of the whole repository, so these are left over from one that was killed.
    for stale in [*repository.glob("*.lock"), *(repository / "refs").rglob("*.lock")]:
        stale.unlink(missing_ok=True)
    for stale in (repository / "objects" / "pack").glob("tmp_*"):
        stale.unlink(missing_ok=True)
    return Git(repository, settings.timeout, settings.name)


class _Fetch:
    """Brings the commit and the wanted files into the cache."""

    def __init__(self, settings: GitSource, git: Git, progress: Progress | None) -> None:
        self.settings = settings
        self.git = git
        self.progress = progress

    def commit(self) -> str:
        """The id of the commit, with its trees in the cache."""
        revision = self.settings.revision
        if _COMMIT_ID.fullmatch(revision) and self._present(revision):
            return revision
        self._say("looking up the revision")
        found = self._advertised(revision)
        if found:
            name, commit = found
            if not self._present(commit):
                self._fetch(f"+{name}:{_WANTED}", "--depth=1", "--filter=blob:none")
            # The branch may have moved between the two calls; what was fetched is one state in any case.
            return commit if self._present(commit) else self._resolved(_WANTED)
        if not _SHORT_ID.fullmatch(revision):
            raise _no_revision(self.settings)
        if _COMMIT_ID.fullmatch(revision):
            try:
                self._fetch(f"+{revision}:{_WANTED}", "--depth=1", "--filter=blob:none")
                return self._resolved(_WANTED)
            except SourceError as error:
                if error.code not in {"git-failed", "git-revision"}:
                    raise
        # An abbreviated id, or a server that hands out nothing but branches and tags: look through the history.
        deepen = ["--unshallow"] if (self.git.repository / "shallow").exists() else []
        self._fetch("+refs/heads/*:refs/aipk/heads/*", "+refs/tags/*:refs/aipk/tags/*", "--filter=blob:none", *deepen)
        return self._resolved(revision)

    def blobs(self, commit: str, wanted: Sequence[str]) -> None:
        """Bring the wanted blobs into the cache, all in one request."""
        missing = self._missing(commit) & set(wanted)
        if not missing:
            return
        self._say("fetching files")
        try:
            self._fetch_ids(sorted(missing))
        except SourceError as error:
            if error.code not in {"git-failed", "git-revision"}:
                raise
            # The server knows partial clones but not requests for single files.
            self._fetch(f"+{commit}:{_WANTED}", "--depth=1", "--no-filter", "--refetch")
        if self._missing(commit) & missing:
            raise SourceError(
                "the server did not send all files of the commit",
                code="git-failed",
                where=self.settings.name,
                remedy="Try again, or use a plain folder (path)",
            )

    def _advertised(self, revision: str) -> tuple[str, str] | None:
        """The full name and the commit of a branch or tag, by what the server says now."""
        names = [revision] if revision == "HEAD" or revision.startswith("refs/") else []
        names += [f"refs/heads/{revision}", f"refs/tags/{revision}"]
        asked = [*names, *(f"{name}^{{}}" for name in names)]
        lines = self.git.run("ls-remote", "--quiet", "origin", *asked).decode("utf-8", "replace").splitlines()
        known = {name: identity for identity, _, name in (line.partition("\t") for line in lines)}
        for name in names:
            commit = known.get(f"{name}^{{}}") or known.get(name)
            if commit and _COMMIT_ID.fullmatch(commit):
                return name, commit
        return None

    def _fetch(self, *arguments: str) -> None:
        options = [argument for argument in arguments if argument.startswith("--")]
        refs = [argument for argument in arguments if not argument.startswith("--")]
        self._say("fetching")
        self.git.run("fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--force", *options, "origin", *refs)

    def _fetch_ids(self, ids: Sequence[str]) -> None:
        self.git.run(
            *("-c", "fetch.negotiationAlgorithm=noop", "fetch", "--quiet", "--no-tags", "--no-write-fetch-head"),
            *("--filter=blob:none", "--stdin", "origin"),
            stdin="".join(f"{identity}\n" for identity in ids).encode(),
        )

    def _missing(self, commit: str) -> set[str]:
        listing = self.git.run("rev-list", "--objects", "--no-object-names", "--missing=print", "--no-walk", commit)
        return {line[1:] for line in listing.decode("ascii", "replace").splitlines() if line.startswith("?")}

    def _present(self, commit: str) -> bool:
        """Whether the commit and all its trees are here (a fetch that was cut off leaves no half state, but be sure)."""
        return self.git.succeeds("ls-tree", "-r", "-t", "--name-only", f"{commit}^{{commit}}")

    def _resolved(self, name: str) -> str:
        try:
            return (
                self.git.run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
                .decode()
                .strip()
            )
        except SourceError as error:
            raise _no_revision(self.settings) from error

    def _say(self, what: str) -> None:
        if self.progress:
            self.progress(what, 0, None)


def _snapshot(settings: GitSource, git: Git, commit: str, progress: Progress | None) -> GitSnapshot:
    choice = Choice(settings)
    book = PathBook()
    whole = settings.loader == "hugo"
    chosen: dict[str, str] = {}
    for entry in sorted(_entries(git, commit, settings.folders), key=lambda entry: entry.path):
        if not settings.hidden and any(part.startswith(".") for part in entry.path.split("/")):
            continue
        wanted = choice.is_document(entry.path)
        if not (entry.mode.startswith("100") and (wanted or whole)):
            if wanted and entry.mode == "120000":
                book.problems.append(Problem("link-skipped", "symbolic links in git are not followed", entry.path))
            elif entry.mode == "160000":
                book.problems.append(Problem("submodule-skipped", "submodules are not fetched", entry.path))
            continue
        name = book.add(entry.path)
        if name is not None:
            chosen[name] = entry.object_id
            check_totals(settings, len(chosen), 0)
    for folder in settings.folders:
        if not any(name == folder or name.startswith(folder + "/") for name in chosen):
            book.problems.append(Problem("folder-missing", "nothing was found in this folder", folder))
    _Fetch(settings, git, progress).blobs(commit, list(chosen.values()))
    files = _hashed(settings, git, chosen, progress)
    return GitSnapshot(settings, git.repository, commit, files, tuple(book.problems))


def _entries(git: Git, commit: str, folders: Sequence[str]) -> list[_Entry]:
    listing = git.run("ls-tree", "-r", "-z", "--full-tree", commit, "--", *folders)
    entries = []
    for line in listing.split(b"\0"):
        if line:
            fields, _, path = line.partition(b"\t")
            mode, _, identity = fields.decode("ascii").split(" ")
            entries.append(_Entry(mode, identity, path.decode("utf-8", "surrogateescape")))
    return entries


def _hashed(settings: GitSource, git: Git, chosen: dict[str, str], progress: Progress | None) -> list[SourceFile]:
    sizes = git.sizes(list(chosen.values()))
    check_totals(settings, len(chosen), sum(size for size in sizes if size <= settings.max_file_bytes))
    files = []
    reader = BlobReader(git.repository)
    try:
        for number, ((path, identity), size) in enumerate(zip(chosen.items(), sizes, strict=True)):
            if progress:
                progress("files", number, len(chosen))
            content = "" if size > settings.max_file_bytes else hashlib.sha256(reader.read(identity)).hexdigest()
            files.append(SourceFile(path, size, content, url=url_of(settings, path), lang=settings.lang, etag=identity))
    finally:
        reader.close()
    return sorted(files, key=lambda file: file.path)


def _no_revision(settings: GitSource) -> SourceError:
    return SourceError(
        f"the repository has no branch, tag or commit {settings.revision!r}",
        code="git-revision",
        where=settings.name,
        remedy="Check revision in corpus.toml",
    )
