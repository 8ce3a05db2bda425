"""Digests of a package's content, independent of how LanceDB lays its files out.

Vectors are digested apart from the rest: they follow from the text and the embedder, but two kinds of processor may
differ in the last bit of a sum, and that must not make the same content look different.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from aipk_core.embedding.model import Vectors
from aipk_core.hashing import digest, digest_bytes, digest_lines
from aipk_core.package.contents import PackageContents
from aipk_core.package.tables import chunk_row, claim_row, document_row


def content_parts(contents: PackageContents) -> dict[str, str]:
    """The digest of each kind of content; ``contents`` must be sorted by id."""
    identity = contents.embedder
    return {
        "about": digest(contents.name, contents.version, contents.title, contents.description),
        "chunks": digest_lines(_json(chunk_row(chunk)) for chunk in contents.chunks),
        "claims": digest_lines(_json(claim_row(claim)) for claim in contents.claims),
        "documents": digest_lines(_json(document_row(document)) for document in contents.documents),
        "embedder": digest(identity.name, identity.digest, identity.dimensions, identity.max_tokens),
        "ledger": digest_bytes(contents.ledger),
        "licences": digest(dict(contents.licence_texts)),
        "persona": digest(contents.persona),
        "questions": digest_lines(_json(question) for question in contents.questions),
        "skills": digest(dict(contents.skills)),
        "stages": digest(dict(contents.stages)),
        "tools": digest_lines(_json(tool) for tool in contents.tools),
    }


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


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
