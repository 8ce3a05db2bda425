"""One state of a source: a listing of its files, and their bytes. All kinds of source end up as this."""

from __future__ import annotations

import bisect
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from types import TracebackType
from urllib.parse import quote

import pathspec

from aipk_core.documents.model import Problem
from aipk_core.documents.sources.model import Source
from aipk_core.errors import CorpusError, SourceError
from aipk_core.hashing import digest_lines

Progress = Callable[[str, int, int | None], None]
"""Called with what is being done, how many are done, and how many there are (``None`` when nobody knows yet)."""

# Files that hold no text for readers: with no include pattern they are passed over and counted, not reported as failures.
_SUFFIXES_WITHOUT_TEXT = """
    png jpg jpeg jpe gif svg svgz webp avif heic ico bmp tif tiff psd xcf ai eps cur
    mp3 mp4 m4a m4v mov avi mkv webm ogg oga ogv opus wav flac
    woff woff2 ttf otf eot
    css scss sass less js mjs cjs ts tsx jsx map wasm
    zip gz tgz bz2 xz zst 7z rar tar jar whl
    o a so dll dylib exe bin class pyc pyd db sqlite sqlite3 parquet arrow lance npy npz pt onnx safetensors gguf
    lock sum pem crt key
"""
_NOT_DOCUMENTS = frozenset(_SUFFIXES_WITHOUT_TEXT.split())


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file or page of a snapshot.

    Attributes:
        path: id of the document: POSIX path inside the source, NFC.
        size: bytes.
        digest: SHA-256 of the bytes (hex); ``""`` for a file that is too large to be read.
        media_type: what the transport said, ``""`` when the loader has to find out.
        encoding: what the transport said (HTTP ``charset``), ``""`` if nothing.
        url: where a reader finds it, ``""`` if nowhere.
        lang: BCP 47 tag, ``""`` when the document has to tell.
        etag: the transport's own mark of this version (HTTP ``ETag``, git blob), ``""`` if there is none.
    """

    path: str
    size: int
    digest: str
    media_type: str = ""
    encoding: str = ""
    url: str = ""
    lang: str = ""
    etag: str = ""


class SourceSnapshot(ABC):
    """A source as it was when it was opened; what is read from it belongs to that one state.

    Attributes:
        settings: the table of ``corpus.toml`` that it was opened with.
        revision: identifies the state: the git commit, or a digest of all paths and contents.
        problems: what readers of the source should know (names that clash, folders that could not be entered …).
    """

    settings: Source
    revision: str
    problems: tuple[Problem, ...]

    @abstractmethod
    def all_files(self) -> Sequence[SourceFile]:
        """Every file that loaders may look at, documents or not, sorted by path."""

    @abstractmethod
    def read(self, path: str) -> bytes:
        """The bytes of a file of the listing.

        Raises:
            DocumentError: ``too-large``.
            SourceError: ``source-changed`` when the file is no longer what the listing says; ``no-such-file``.
        """

    def files(self) -> list[SourceFile]:
        """The files that are documents by ``include`` and ``exclude``, sorted by path."""
        choice = Choice(self.settings)
        return [file for file in self.all_files() if choice.is_document(file.path)]

    @property
    def site(self) -> SnapshotSite:
        """The files around a document, for loaders whose pages are made from several files."""
        return SnapshotSite(self)

    @abstractmethod
    def close(self) -> None:
        """Let go of processes and files; reading again opens them again."""

    def __enter__(self) -> SourceSnapshot:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class SnapshotSite:
    """A snapshot as ``documents.loaders.registry.Site``."""

    def __init__(self, snapshot: SourceSnapshot) -> None:
        self._snapshot = snapshot
        self._paths = [file.path for file in snapshot.all_files()]
        self._known = frozenset(self._paths)

    def read(self, path: str) -> bytes | None:
        return self._snapshot.read(path) if path in self._known else None

    def list(self, folder: str = "") -> Iterable[str]:
        prefix = folder.strip("/")
        if not prefix:
            return list(self._paths)
        # "/" + 1 is "0": the paths between "folder/" and "folder0" are those under the folder.
        first = bisect.bisect_left(self._paths, prefix + "/")
        last = bisect.bisect_left(self._paths, prefix + "0")
        return self._paths[first:last]


class Choice:
    """Which paths of a source are documents, by the patterns of its settings."""

    def __init__(self, settings: Source) -> None:
        self.everything = not settings.include
        self._include = patterns(settings.include, settings.name)
        self._exclude = patterns(settings.exclude, settings.name)

    def is_document(self, path: str) -> bool:
        if self._exclude.match_file(path):
            return False
        if self.everything:
            return not never_a_document(path)
        return self._include.match_file(path)

    def excludes_folder(self, path: str) -> bool:
        """Whether nothing under this folder can be a document."""
        return self._exclude.match_file(path + "/")


def never_a_document(path: str) -> bool:
    """Whether the name says that this is an image, a program, an archive or the like."""
    name = path.rsplit("/", 1)[-1].lower()
    return "." in name and name.rsplit(".", 1)[-1] in _NOT_DOCUMENTS


def patterns(lines: Sequence[str], where: str) -> pathspec.GitIgnoreSpec:
    """Patterns as in ``.gitignore``.

    Raises:
        CorpusError: a pattern is malformed.
    """
    try:
        return pathspec.GitIgnoreSpec.from_lines(lines)
    except ValueError as error:
        raise CorpusError(
            f"a pattern of include or exclude is malformed: {error}",
            code="pattern-invalid",
            where=where,
            remedy="Write it like a line of .gitignore",
        ) from error


class PathBook:
    """Brings paths to NFC and finds those that cannot be ids: two names for one, or names that are not text."""

    def __init__(self) -> None:
        self._taken: dict[str, str] = {}
        self.problems: list[Problem] = []

    def add(self, path: str) -> str | None:
        """The id of ``path`` (offer paths in a fixed order); ``None`` with a problem noted when it can have none."""
        shown = path.encode("utf-8", "backslashreplace").decode("utf-8")
        if any(0xD800 <= ord(character) <= 0xDFFF for character in path):
            self.problems.append(Problem("name-not-utf8", "the file name is not UTF-8; the file is left out", shown))
            return None
        if any(unicodedata.category(character) == "Cc" for character in path):
            shown = path.encode("unicode_escape").decode("ascii")
            self.problems.append(
                Problem("name-unprintable", "the file name holds control characters; the file is left out", shown)
            )
            return None
        name = unicodedata.normalize("NFC", path)
        other = self._taken.setdefault(name, path)
        if other != path:
            self.problems.append(
                Problem("name-collision", "two file names differ only in their Unicode form; one is left out", shown)
            )
            return None
        return name


def listing_revision(files: Iterable[SourceFile]) -> str:
    """64 hex characters that identify the paths and contents of a listing."""
    return digest_lines(line for file in files for line in (file.path, file.digest or f"{file.size} bytes"))


def url_of(settings: Source, path: str) -> str:
    """Where a reader finds a file, by ``url_base``."""
    if not settings.url_base:
        return ""
    base = settings.url_base if settings.url_base.endswith("/") else settings.url_base + "/"
    return base + quote(path, safe="/~!$&'()*+,;=:@")


def check_totals(settings: Source, count: int, size: int) -> None:
    """Refuse a source that has grown beyond its limits.

    Raises:
        SourceError: ``too-many-files`` or ``too-large``.
    """
    if count > settings.max_files:
        raise SourceError(
            f"the source has more than {settings.max_files} files",
            code="too-many-files",
            where=settings.name,
            remedy="Narrow include and exclude, or raise max_files",
        )
    if size > settings.max_total_bytes:
        raise SourceError(
            f"the files of the source have more than {settings.max_total_bytes} bytes",
            code="too-large",
            where=settings.name,
            remedy="Narrow include and exclude, or raise max_total_bytes",
        )
