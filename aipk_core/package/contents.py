"""What a package is made from, and the rules that it must keep before it is written or served."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from aipk_core.chunks import Chunk
from aipk_core.claims.model import Claim, Evidence
from aipk_core.documents.model import Document
from aipk_core.embedding.model import EmbedderIdentity, Vectors
from aipk_core.errors import PackageError

_ID = re.compile(r"[^\s\[\]()<>{}\x00-\x1f\x7f-\x9f]{1,200}")
_DOCUMENT_ID = re.compile(r"[^\x00-\x1f\x7f-\x9f]{1,1000}")
_PLAIN_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,99}")
_PATTERNS = {
    "document": _DOCUMENT_ID,
    "chunk": _ID,
    "claim": _ID,
    "skill": _PLAIN_NAME,
    "licence text": _PLAIN_NAME,
}
_MAX_PLAIN_TEXT = 4 << 20
_VECTORS_PER_CHECK = 8_192
_LENGTH_TOLERANCE = 1e-3


@dataclass(frozen=True, slots=True)
class PackageContents:
    """Everything that goes into a package; in any order, it is sorted when written.

    Attributes:
        chunk_vectors: ``[len(chunks), dimensions]`` float32 unit vectors of ``chunk.full_text``, in the order of ``chunks``.
        claim_vectors: likewise of ``claim.full_text``, for claims of every status.
        persona: Markdown that tells a model how to speak.
        skills: Markdown by name, without file ending.
        tools: tool definitions (JSON); they are described to a model, never run from the package.
        questions: the corpus's test questions, one JSON object each.
        ledger: the review decisions (``reviews.jsonl``) as they are.
        licence_texts: full texts of licences or notices that must travel along, by name.
        stages: version of each pipeline stage that took part.
        report: figures of the build for people; not part of the content digest.
    """

    name: str
    version: str
    embedder: EmbedderIdentity
    documents: Sequence[Document]
    chunks: Sequence[Chunk]
    chunk_vectors: Vectors
    claims: Sequence[Claim]
    claim_vectors: Vectors
    title: str = ""
    description: str = ""
    persona: str = ""
    skills: Mapping[str, str] = field(default_factory=dict)
    tools: Sequence[Any] = ()
    questions: Sequence[Mapping[str, Any]] = ()
    ledger: bytes = b""
    licence_texts: Mapping[str, str] = field(default_factory=dict)
    stages: Mapping[str, str] = field(default_factory=dict)
    report: Mapping[str, Any] = field(default_factory=dict)


def check_contents(contents: PackageContents) -> None:
    """Refuse contents that a package must never hold.

    Raises:
        PackageError: an id stands twice or has a form that citations cannot carry (``id-invalid``), a span does not give
            its quote or points nowhere (``span-broken``), or a vector is not a unit vector of the embedder's length
            (``vector-invalid``).
    """
    if not contents.documents:
        raise PackageError(
            "there is no document to pack",
            code="package-empty",
            where=contents.name,
            remedy="Check the sources of the corpus",
        )
    _check_ids("document", (document.id for document in contents.documents))
    _check_ids("chunk", (chunk.id for chunk in contents.chunks))
    _check_ids("claim", (claim.id for claim in contents.claims))
    _check_ids("skill", contents.skills)
    _check_ids("licence text", contents.licence_texts)
    for name, text in (("persona", contents.persona), *contents.skills.items(), *contents.licence_texts.items()):
        if len(text) > _MAX_PLAIN_TEXT:
            raise PackageError(
                f"the text is longer than {_MAX_PLAIN_TEXT} characters",
                code="too-large",
                where=name,
                remedy="Shorten it, or make it a document of the corpus",
            )
    texts = {document.id: document.text for document in contents.documents}
    for document in contents.documents:
        check_blocks(document)
    check_chunks(contents.chunks, texts)
    check_claims(contents.claims, texts)
    _check_vectors("chunk", contents.chunk_vectors, len(contents.chunks), contents.embedder.dimensions)
    _check_vectors("claim", contents.claim_vectors, len(contents.claims), contents.embedder.dimensions)


def check_blocks(document: Document) -> None:
    """Every block lies inside its document's text.

    Raises:
        PackageError: code ``span-broken``.
    """
    for index, block in enumerate(document.blocks):
        if not 0 <= block.start <= block.end <= len(document.text):
            raise _broken(f"block {index} lies outside the text", document.id)


def check_chunks(chunks: Iterable[Chunk], texts: Mapping[str, str]) -> None:
    """Every chunk is exactly the slice of its document that it names.

    Raises:
        PackageError: code ``span-broken``.
    """
    for chunk in chunks:
        _check_slice(f"chunk {chunk.id}", chunk.document, chunk.start, chunk.end, chunk.text, texts)


def check_claims(claims: Iterable[Claim], texts: Mapping[str, str]) -> None:
    """Every claim stands on evidence, and all of it is exactly the slice of a document that it names.

    Raises:
        PackageError: code ``span-broken``.
    """
    for claim in claims:
        if not claim.evidence:
            raise _broken("the claim stands on no evidence", f"claim {claim.id}")
        for evidence in claim.evidence:
            check_evidence(claim.id, evidence, texts)


def check_evidence(claim: str, evidence: Evidence, texts: Mapping[str, str]) -> None:
    """One piece of evidence gives its quote.

    Raises:
        PackageError: code ``span-broken``.
    """
    _check_slice(f"claim {claim}", evidence.document, evidence.start, evidence.end, evidence.quote, texts)


def _check_slice(what: str, document: str, start: int, end: int, quote: str, texts: Mapping[str, str]) -> None:
    text = texts.get(document)
    if text is None:
        raise _broken(f"it points to the document '{document[:200]}', which is not in the package", what)
    if not 0 <= start < end <= len(text):
        raise _broken(f"its span [{start}, {end}) is empty or outside of the document '{document[:200]}'", what)
    if text[start:end] != quote:
        raise _broken(f"'{document[:200]}'[{start}:{end}] is not its quote, letter for letter", what)


def check_id(kind: str, item: str) -> None:
    """An id is short and printable, and can stand in a citation.

    Args:
        kind: ``document``, ``chunk``, ``claim``, ``skill`` or ``licence text``.

    Raises:
        PackageError: code ``id-invalid``.
    """
    if not _PATTERNS[kind].fullmatch(item) or not _is_unicode(item):
        raise PackageError(
            f"the {kind} id {item[:200]!r} is empty, too long, or holds characters that ids may not have",
            code="id-invalid",
            where=kind,
            remedy="Use ids without white space, brackets and control characters",
        )


def _check_ids(kind: str, ids: Iterable[str]) -> None:
    seen: set[str] = set()
    for item in ids:
        check_id(kind, item)
        if item in seen:
            raise PackageError(
                f"two {kind}s have the id '{item}'",
                code="id-invalid",
                where=kind,
                remedy="Give each its own id",
            )
        seen.add(item)


def _is_unicode(text: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in text)


def _check_vectors(kind: str, vectors: Vectors, rows: int, dimensions: int) -> None:
    if vectors.dtype != np.float32 or vectors.shape != (rows, dimensions):
        raise _bad_vector(
            f"{rows} {kind}s of {dimensions} dimensions came with vectors of shape {vectors.shape} and type {vectors.dtype}",
            kind,
        )
    for start in range(0, rows, _VECTORS_PER_CHECK):
        part = vectors[start : start + _VECTORS_PER_CHECK]
        lengths = np.sqrt(np.einsum("ij,ij->i", part, part, dtype=np.float64))
        wrong = ~(np.abs(lengths - 1.0) <= _LENGTH_TOLERANCE)  # written so that NaN is wrong too
        if wrong.any():
            raise _bad_vector(f"the vector of {kind} number {start + int(wrong.argmax())} is not of length 1", kind)


def _bad_vector(message: str, kind: str) -> PackageError:
    return PackageError(
        message, code="vector-invalid", where=f"{kind} vectors", remedy="Run the embeddings stage again for this corpus"
    )


def _broken(message: str, where: str) -> PackageError:
    return PackageError(
        message,
        code="span-broken",
        where=where,
        remedy="Build the package anew; if the error stays, report it, for this must never happen",
    )
