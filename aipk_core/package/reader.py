"""Reading a package: checked, unpacked once into a cache, searched in place."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from aipk_core.chunks import Chunk
from aipk_core.claims.model import Claim, Status
from aipk_core.documents.model import Document
from aipk_core.errors import EmbedderError, PackageError
from aipk_core.package.cache import default_cache, unpacked
from aipk_core.package.checks import check_unpacked
from aipk_core.package.container import Container
from aipk_core.package.manifest import Manifest
from aipk_core.package.search import Candidate, Mode, Scored, fuse
from aipk_core.package.search_terms import query_terms
from aipk_core.package.stored_tables import StoredTables, converted
from aipk_core.package.table_layout import check_table_layout
from aipk_core.package.tables import (
    CHUNKS,
    CLAIMS,
    DOCUMENT_SCHEMA,
    DOCUMENTS,
    chunk_of,
    chunk_schema,
    claim_of,
    claim_schema,
    document_of,
)
from aipk_core.package.writer import LEDGER, PERSONA, QUESTIONS, REPORT, TOOLS

MAX_HITS: Final = 1_000
_MIN_CANDIDATES = 40
_MAX_TEXT_MEMBER = 64 << 20
# Vectors and search terms are for searching; nobody wants to read them.
_COLUMNS = {
    table: tuple(name for name in schema.names if name not in ("search", "vector"))
    for table, schema in ((DOCUMENTS, DOCUMENT_SCHEMA), (CHUNKS, chunk_schema(2)), (CLAIMS, claim_schema(2)))
}
_LISTING = ("id", "title", "url", "lang", "media_type", "source", "licence", "attribution")

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class DocumentEntry:
    """A document in a listing, without its text."""

    id: str
    title: str
    url: str
    lang: str
    media_type: str
    source: str
    licence: str
    attribution: str


def open_package(path: Path, cache_dir: Path | None = None, *, verify: bool = False) -> Package:
    """Open a package file for reading.

    The first opening checks every member against its digest, unpacks it, and checks that every chunk and every claim is
    exactly the slice of a document that it says. Later ones check the file's digest and the unpacked names and sizes.

    Args:
        cache_dir: where packages are unpacked; see ``default_cache`` for the place without it.
        verify: check everything again.

    Raises:
        PackageError: the file is missing, no package, damaged, unsafe, of another version, or breaks the exact spans.
        StoreError: the cache cannot be written, or its disk is full.
    """
    with Container(path) as container:
        cache = cache_dir if cache_dir is not None else default_cache(path)
        folder, digest = unpacked(
            container, cache, check=lambda unpacked: _check(path, unpacked, container.manifest), verify=verify
        )
        return Package(path, folder, container.manifest, digest)


def _check(path: Path, folder: Path, manifest: Manifest) -> None:
    """Refuse a freshly unpacked package that is not what its manifest says, or that breaks the exact spans."""
    with Package(path, folder, manifest, "") as package:
        try:
            check_table_layout(folder)
            check_unpacked(package)
        except PackageError as error:
            where = ": ".join(part for part in (str(path), error.where) if part and part != str(folder))
            raise PackageError(error.message, code=error.code, where=where, remedy=error.remedy) from error


def read_manifest(path: Path, *, verify: bool = False) -> Manifest:
    """The manifest of a package file, without LanceDB and without unpacking; with ``verify``, every member is read and
    compared with its digest.

    Raises:
        PackageError: the file is missing, no package, damaged, unsafe, or of another version.
    """
    with Container(path) as container:
        if verify:
            container.verify()
        return container.manifest


class Package:
    """An open package: read-only, and safe to share between threads.

    Attributes:
        path: the package file; ``folder``: where it is unpacked.
        sha256: digest of the package file.
    """

    def __init__(self, path: Path, folder: Path, manifest: Manifest, sha256: str) -> None:
        self.path = path
        self.folder = folder
        self.manifest = manifest
        self.sha256 = sha256
        self._tables = StoredTables(folder)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the tables; the unpacked files stay for the next time."""
        self._tables.close()

    @property
    def name(self) -> str:
        return self.manifest.name

    @property
    def persona(self) -> str:
        """Markdown that tells a model how to speak; ``""`` when the corpus has none."""
        return self._text(PERSONA)

    @property
    def skills(self) -> dict[str, str]:
        """Markdown of every skill by name."""
        paths = [member.path for member in self.manifest.members if member.path.startswith("skills/")]
        return {Path(path).stem: self._text(path) for path in paths}

    @property
    def licence_texts(self) -> dict[str, str]:
        """Full texts of licences and notices by name."""
        paths = [member.path for member in self.manifest.members if member.path.startswith("licences/")]
        return {Path(path).stem: self._text(path) for path in paths}

    @property
    def tools(self) -> list[Any]:
        """Tool definitions of the corpus: data that a server may choose to offer, never something that is run."""
        lines = self._json_lines(TOOLS)
        return list(lines[0]) if lines and isinstance(lines[0], list) else []

    @property
    def questions(self) -> list[dict[str, Any]]:
        """The corpus's test questions."""
        return [line for line in self._json_lines(QUESTIONS) if isinstance(line, dict)]

    @property
    def ledger(self) -> bytes:
        """The review decisions that the claims rest on, as they stood when the package was built."""
        return self._bytes(LEDGER)

    @property
    def report(self) -> dict[str, Any]:
        """Figures of the build."""
        lines = self._json_lines(REPORT)
        return dict(lines[0]) if lines and isinstance(lines[0], dict) else {}

    def documents(self) -> list[DocumentEntry]:
        """All documents, sorted by id, without their texts."""
        rows = self._tables.rows(DOCUMENTS, _LISTING)
        return sorted((DocumentEntry(**row) for row in rows), key=lambda entry: entry.id)

    def each_document(self) -> Iterator[Document]:
        """All documents with their texts, blocks and segments, one after the other; in the order of their ids."""
        return (self._converted(document_of, row) for row in self._tables.rows(DOCUMENTS, _COLUMNS[DOCUMENTS]))

    def document(self, document_id: str) -> Document | None:
        """One document with its text, blocks and segments."""
        return self._one(DOCUMENTS, document_id, document_of)

    def chunk(self, chunk_id: str) -> Chunk | None:
        return self._one(CHUNKS, chunk_id, chunk_of)

    def claim(self, claim_id: str) -> Claim | None:
        return self._one(CLAIMS, claim_id, claim_of)

    def claims(self, status: Status | str | None = None) -> Iterator[Claim]:
        """All claims, or those of one status, read in batches; in the order of their ids."""
        where = f"status = '{Status(status).value}'" if status is not None else None
        return (self._converted(claim_of, row) for row in self._tables.rows(CLAIMS, _COLUMNS[CLAIMS], where))

    def chunks(self) -> Iterator[Chunk]:
        """All chunks, read in batches; in the order of their ids."""
        return (self._converted(chunk_of, row) for row in self._tables.rows(CHUNKS, _COLUMNS[CHUNKS]))

    def schema(self, table: str) -> pa.Schema:
        """The columns of a table (``documents``, ``chunks`` or ``claims``) and their types."""
        return self._tables.schema(table)

    def claim_ids(self, status: Status | str | None = None) -> set[str]:
        where = f"status = '{Status(status).value}'" if status is not None else None
        return {row["id"] for row in self._tables.rows(CLAIMS, ("id",), where)}

    def chunk_ids(self) -> set[str]:
        return {row["id"] for row in self._tables.rows(CHUNKS, ("id",))}

    def search_claims(
        self,
        query_text: str,
        query_vector: npt.NDArray[np.float32],
        limit: int = 8,
        *,
        status: Status | str | None = Status.CANONICAL,
        mode: Mode = "hybrid",
    ) -> list[Scored[Claim]]:
        """The best claims for a question, best first.

        Args:
            query_vector: the question's unit vector, made by the embedder that the manifest names.
            status: only claims of this status; ``None`` for all.
        """
        candidates = self.claim_candidates(query_text, query_vector, limit, status=status, mode=mode)
        return fuse(candidates, limit=limit, mode=mode)

    def search_chunks(
        self, query_text: str, query_vector: npt.NDArray[np.float32], limit: int = 8, *, mode: Mode = "hybrid"
    ) -> list[Scored[Chunk]]:
        """The best chunks for a question, best first."""
        return fuse(self.chunk_candidates(query_text, query_vector, limit, mode=mode), limit=limit, mode=mode)

    def claim_candidates(
        self,
        query_text: str,
        query_vector: npt.NDArray[np.float32],
        limit: int,
        *,
        status: Status | str | None = Status.CANONICAL,
        mode: Mode = "hybrid",
    ) -> list[Candidate[Claim]]:
        """What ``fuse`` needs to rank this package's claims, alone or with those of other packages."""
        where = f"status = '{Status(status).value}'" if status is not None else None
        return self._candidates(CLAIMS, claim_of, query_text, query_vector, limit, where, mode)

    def chunk_candidates(
        self, query_text: str, query_vector: npt.NDArray[np.float32], limit: int, *, mode: Mode = "hybrid"
    ) -> list[Candidate[Chunk]]:
        """What ``fuse`` needs to rank this package's chunks, alone or with those of other packages."""
        return self._candidates(CHUNKS, chunk_of, query_text, query_vector, limit, None, mode)

    def _candidates(
        self,
        table: str,
        convert: Callable[[Mapping[str, Any]], Item],
        query_text: str,
        query_vector: npt.NDArray[np.float32],
        limit: int,
        where: str | None,
        mode: Mode,
    ) -> list[Candidate[Item]]:
        vector = np.asarray(query_vector, dtype=np.float32).reshape(-1)
        if vector.shape != (self.manifest.embedder.dimensions,) or not np.isfinite(vector).all():
            raise EmbedderError(
                f"the question's vector has {vector.size} dimensions, those of the package have "
                f"{self.manifest.embedder.dimensions}",
                code="embedder-mismatch",
                where=str(self.path),
                remedy=f"Use the embedder {self.manifest.embedder.name}",
            )
        wanted = max(4 * min(max(limit, 1), MAX_HITS), _MIN_CANDIDATES)
        near = self._tables.nearest(table, vector, wanted, where) if mode != "text" else []
        terms = query_terms(query_text) if mode != "vectors" else ""
        # Rows of equal weight come in no promised order, so more are read than needed and ties are broken by id.
        worded = self._tables.matching(table, terms, 2 * wanted, where) if terms else []
        worded.sort(key=lambda row: (-row["_score"], row["id"]))
        ranks = {row["id"]: rank for rank, row in enumerate(worded[:wanted])}
        near_ids = {row["id"] for row in near}
        rows = {row["id"]: row for row in (*near, *worded[:wanted])}
        return [
            Candidate(
                id=row_id,
                item=self._converted(convert, row),
                similarity=float(np.clip(np.dot(np.asarray(row["vector"], dtype=np.float32), vector), -1.0, 1.0)),
                by_vector=row_id in near_ids,
                text_rank=ranks.get(row_id),
            )
            for row_id, row in rows.items()
        ]

    def _one(self, table: str, item_id: str, convert: Callable[[Mapping[str, Any]], Item]) -> Item | None:
        row = self._tables.row(table, item_id, _COLUMNS[table])
        return None if row is None else self._converted(convert, row)

    def _converted(self, convert: Callable[[Mapping[str, Any]], Item], row: Mapping[str, Any]) -> Item:
        return converted(convert, row, self.path)

    def _bytes(self, name: str) -> bytes:
        member = self.manifest.member(name)
        if member is None:
            return b""
        try:
            if member.size > _MAX_TEXT_MEMBER:
                raise PackageError(f"'{name}' is too large to be read", code="too-large", where=str(self.path))
            return (self.folder / name).read_bytes()
        except OSError as error:
            raise PackageError(
                f"the unpacked file '{name}' cannot be read ({error.strerror})",
                code="cache-damaged",
                where=str(self.folder),
                remedy="Open the package again; the cache repairs itself",
            ) from error

    def _text(self, name: str) -> str:
        try:
            return self._bytes(name).decode("utf-8")
        except UnicodeDecodeError as error:
            raise PackageError(f"'{name}' is not UTF-8 text", where=str(self.path)) from error

    def _json_lines(self, name: str) -> list[Any]:
        try:
            return [json.loads(line) for line in self._text(name).split("\n") if line.strip()]
        except (ValueError, RecursionError) as error:
            raise PackageError(f"'{name}' is not JSON", where=str(self.path)) from error
