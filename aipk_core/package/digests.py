"""Digests of a package's content, independent of how LanceDB lays its files out.

Vectors are digested apart from the rest: they follow from the text and the embedder, but two kinds of processor may
differ in the last bit of a sum, and that must not make the same content look different.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from aipk_core.embedding.model import EmbedderIdentity, Vectors
from aipk_core.hashing import digest, digest_bytes, digest_lines
from aipk_core.package.contents import PackageContents
from aipk_core.package.tables import chunk_row, claim_row, document_row


def content_parts(contents: PackageContents) -> dict[str, str]:
    """The digest of each kind of content; ``contents`` must be sorted by id."""
    return {
        "about": about_digest(contents.name, contents.version, contents.title, contents.description),
        "chunks": rows_digest(chunk_row(chunk) for chunk in contents.chunks),
        "claims": rows_digest(claim_row(claim) for claim in contents.claims),
        "documents": rows_digest(document_row(document) for document in contents.documents),
        "embedder": embedder_digest(contents.embedder),
        "ledger": digest_bytes(contents.ledger),
        "licences": digest(dict(contents.licence_texts)),
        "persona": digest(contents.persona),
        "questions": rows_digest(contents.questions),
        "skills": digest(dict(contents.skills)),
        "stages": digest(dict(contents.stages)),
        "tools": rows_digest(contents.tools),
    }


def about_digest(name: str, version: str, title: str, description: str) -> str:
    return digest(name, version, title, description)


def embedder_digest(identity: EmbedderIdentity) -> str:
    """The embedder as far as it decides the vectors; its revision may change while its bytes do not."""
    return digest(identity.name, identity.digest, identity.dimensions, identity.max_tokens)


def rows_digest(rows: Iterable[Any]) -> str:
    """One digest over JSON values in their order, without holding them in memory."""
    return digest_lines(
        json.dumps(row, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False) for row in rows
    )


def content_digest(parts: Mapping[str, str]) -> str:
    """One digest over all ``parts``."""
    return digest("aipk content", dict(parts))


def vectors_digest(*tables: Vectors) -> str:
    """SHA-256 over the little-endian float32 bytes of all vectors, table by table."""
    hasher = hashlib.sha256()
    for vectors in tables:
        hasher.update(len(vectors).to_bytes(8, "little"))
        for start in range(0, len(vectors), 4_096):
            hasher.update(np.ascontiguousarray(vectors[start : start + 4_096], dtype="<f4").tobytes())
    return hasher.hexdigest()
