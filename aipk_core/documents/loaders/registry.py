"""Which loader reads which media type, and the contract that every loader keeps.

A loader is a pure function ``(RawDocument, LoadContext) -> Document``. It raises ``DocumentError`` for a document that
cannot be read well, records lesser trouble as ``Problem``, keeps no state between calls, and never looks at anything
but its arguments, so that processes can map over documents.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, cast

from aipk_core.documents.model import Document
from aipk_core.errors import DocumentError

UNKNOWN = "application/octet-stream"


class Site(Protocol):
    """A read-only view on the files of a source, for formats whose pages are made from several files."""

    def read(self, path: str) -> bytes | None:
        """The bytes of a file (POSIX path inside the source); ``None`` when there is no such file."""
        ...

    def list(self, folder: str = "") -> Iterable[str]:
        """The paths of all files under ``folder`` (at any depth), sorted."""
        ...


@dataclass(frozen=True, slots=True)
class RawDocument:
    """A file or page as it was fetched.

    Attributes:
        id: path inside its source (POSIX); becomes ``Document.id``.
        media_type: without parameters, lower case; ``""`` lets ``load`` find out.
        url: where a reader finds it, ``""`` if nowhere (or if the loader works it out).
        lang: BCP 47 tag when the source knows it, ``""`` otherwise.
        encoding: what the transport said about the encoding (HTTP ``charset``), ``""`` if nothing.
    """

    id: str
    data: bytes
    media_type: str = ""
    url: str = ""
    lang: str = ""
    encoding: str = ""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one document may cost; beyond it the loader raises ``DocumentError``.

    Attributes:
        max_bytes: size of the file itself (``too-large``).
        max_expanded_bytes: size of everything unpacked from it or included in it (``archive-bomb`` or ``too-large``).
        max_blocks: number of blocks (``too-large``).
        max_depth: nesting of elements, lists, includes and the like (``invalid`` or a ``Problem``).
        timeout: seconds of work (``timeout``); checked at page or block level, so it may be overrun a little.
    """

    max_bytes: int = 64 << 20
    max_expanded_bytes: int = 256 << 20
    max_blocks: int = 500_000
    max_depth: int = 100
    timeout: float = 60.0


@dataclass(frozen=True, slots=True)
class LoadContext:
    """What a loader may know besides the document: limits, the corpus's options, and the files around the document."""

    limits: Limits = field(default_factory=Limits)
    options: Mapping[str, Any] = field(default_factory=dict)
    site: Site | None = None


Loader = Callable[[RawDocument, LoadContext], Document]

# Modules are named, not imported, so that reading a text file does not load a PDF library.
_LOADERS: dict[str, str] = {
    "text/markdown": "aipk_core.documents.loaders.markdown:load_markdown",
    "text/x-hugo": "aipk_core.documents.loaders.hugo:load_hugo",
    "text/html": "aipk_core.documents.loaders.html:load_html",
    "application/xhtml+xml": "aipk_core.documents.loaders.html:load_html",
    "application/pdf": "aipk_core.documents.loaders.pdf:load_pdf",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "aipk_core.documents.loaders.docx:load_docx",
    "application/vnd.oasis.opendocument.text": "aipk_core.documents.loaders.odt:load_odt",
    "application/epub+zip": "aipk_core.documents.loaders.epub:load_epub",
    "application/rtf": "aipk_core.documents.loaders.rtf:load_rtf",
    "application/x-ipynb+json": "aipk_core.documents.loaders.notebook:load_notebook",
    "text/csv": "aipk_core.documents.loaders.table_file:load_csv",
    "text/tab-separated-values": "aipk_core.documents.loaders.table_file:load_csv",
    "text/plain": "aipk_core.documents.loaders.plain_text:load_text",
    "text/x-rst": "aipk_core.documents.loaders.rst:load_rst",
    "text/asciidoc": "aipk_core.documents.loaders.asciidoc:load_asciidoc",
}

# The last suffix of the file name, lower case, without its dot.
_SUFFIXES: dict[str, str] = {
    "md": "text/markdown",
    "markdown": "text/markdown",
    "mdown": "text/markdown",
    "mkd": "text/markdown",
    "html": "text/html",
    "htm": "text/html",
    "xhtml": "application/xhtml+xml",
    "pdf": "application/pdf",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "docm": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "dotx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "odt": "application/vnd.oasis.opendocument.text",
    "ott": "application/vnd.oasis.opendocument.text",
    "epub": "application/epub+zip",
    "rtf": "application/rtf",
    "ipynb": "application/x-ipynb+json",
    "csv": "text/csv",
    "tsv": "text/tab-separated-values",
    "tab": "text/tab-separated-values",
    "txt": "text/plain",
    "text": "text/plain",
    "rst": "text/x-rst",
    "rest": "text/x-rst",
    "adoc": "text/asciidoc",
    "asciidoc": "text/asciidoc",
    "asc": "text/asciidoc",
}

# First bytes that no file of another type has, whatever its name says.
_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"%PDF-", "application/pdf"),
    (b"{\\rtf", "application/rtf"),
)
_ZIP_MAGIC = b"PK\x03\x04"


def load(raw: RawDocument, context: LoadContext | None = None) -> Document:
    """Read ``raw`` with the loader of its media type (found by ``media_type_of`` when it has none).

    Raises:
        DocumentError: ``unsupported`` for a type without loader, ``too-large``, or whatever the loader says.
    """
    context = context or LoadContext()
    if len(raw.data) > context.limits.max_bytes:
        raise DocumentError(
            f"the file has {len(raw.data)} bytes, more than the limit of {context.limits.max_bytes}",
            code="too-large",
            where=raw.id,
            remedy="Split the file or raise max_bytes",
        )
    media_type = raw.media_type or media_type_of(raw.id, raw.data)
    name = _LOADERS.get(media_type)
    if name is None:
        raise DocumentError(
            f"there is no loader for {media_type}",
            code="unsupported",
            where=raw.id,
            remedy="Exclude the file or convert it to a format that is read",
        )
    if not raw.data.strip(b"\0\t\n\r "):
        raise DocumentError("the file is empty", code="empty", where=raw.id, remedy="Exclude the file")
    return _loader(name)(raw, context)


_MARKED_UP_TEXT = frozenset({"text/x-rst", "text/asciidoc", "text/markdown"})


def media_types() -> tuple[str, ...]:
    """All media types that have a loader."""
    return tuple(_LOADERS)


def media_type_of(path: str, data: bytes = b"") -> str:
    """The media type of a file by its first bytes and its name; ``application/octet-stream`` when neither tells."""
    name = path.rsplit("/", 1)[-1].lower()
    suffix = name.rsplit(".", 1)[-1] if "." in name else ""
    by_name = _SUFFIXES.get(suffix, UNKNOWN)
    if suffix == "txt" and name.count(".") > 1:
        # Sphinx publishes its sources as "index.rst.txt".
        inner = _SUFFIXES.get(name.rsplit(".", 2)[1], UNKNOWN)
        by_name = inner if inner in _MARKED_UP_TEXT else by_name
    if data:
        return _by_content(data, by_name)
    return by_name


def _by_content(data: bytes, by_name: str) -> str:
    """Correct a name by magic bytes where those cannot lie, and guess where the name says nothing."""
    for magic, media_type in _MAGIC:
        if data.startswith(magic):
            return media_type
    if data.startswith(_ZIP_MAGIC):
        return _by_container(data, by_name)
    if by_name != UNKNOWN:
        return by_name
    head = data[:1024].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if head.startswith((b"<!doctype html", b"<html")):
        return "text/html"
    return UNKNOWN


def _by_container(data: bytes, by_name: str) -> str:
    """EPUB and OpenDocument store their type uncompressed as the first member; Word files name their main part."""
    head = data[:200]
    for media_type in ("application/epub+zip", "application/vnd.oasis.opendocument.text"):
        if b"mimetype" + media_type.encode("ascii") in head:
            return media_type
    if by_name == UNKNOWN and b"word/document.xml" in data:
        return _SUFFIXES["docx"]
    return by_name


def _loader(name: str) -> Loader:
    module, _, function = name.partition(":")
    return cast(Loader, getattr(importlib.import_module(module), function))
