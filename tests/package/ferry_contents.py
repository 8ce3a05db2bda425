"""The contents of a small package, for the tests of the format: a made-up ferry company."""

from __future__ import annotations

import numpy as np

from aipk_core.chunks import Chunk
from aipk_core.claims.model import Check, Claim, Evidence, Status
from aipk_core.documents.builder import DocumentBuilder
from aipk_core.documents.model import Document
from aipk_core.embedding.model import EmbedderIdentity, Vectors
from aipk_core.package import PackageContents

DIMENSIONS = 8
IDENTITY = EmbedderIdentity("toy", "1", "ab" * 32, DIMENSIONS, 64)

TIMETABLE = [
    "The night ferry leaves Norrhamn at 23:40.",
    "It carries 340 passengers and 52 cars.",
    "Bicycles travel free of charge.",
]
RULES = ["Dogs must be kept on a lead.", "Smoking is allowed on the upper deck only."]


def vector_of(text: str) -> Vectors:
    """A unit vector that depends on the text alone: counts of letters, eight to a bin."""
    bins = np.bincount([ord(letter) % DIMENSIONS for letter in text] or [0], minlength=DIMENSIONS)
    vector = bins.astype(np.float32) + np.float32(0.1)
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def vectors_of(texts: list[str]) -> Vectors:
    return np.stack([vector_of(text) for text in texts]) if texts else np.zeros((0, DIMENSIONS), np.float32)


def document(name: str, title: str, sentences: list[str]) -> Document:
    builder = DocumentBuilder(name, size=1_000)
    builder.add("h1", title, anchor="top")
    for sentence in sentences:
        builder.add("p", sentence)
    return builder.build(title=title, url=f"https://ferry.example/{name}", metadata={"author": "M. Lind"})


def claims_of(page: Document, status: Status = Status.CANONICAL) -> list[Claim]:
    return [
        Claim(
            id=f"{page.id.split('.')[0]}-{number}",
            text=page.quote(block),
            context=block.heading_path,
            evidence=(
                Evidence(page.id, block.start, block.end, page.quote(block), block.heading_path, f"{page.url}#top"),
            ),
            status=status,
            checks=(Check("complete", passed=True), Check("unambiguous", passed=False, reason="'It' has no name")),
        )
        for number, block in enumerate(page.prose_blocks())
    ]


def chunk_of(page: Document) -> Chunk:
    start, end = page.blocks[1].start, page.blocks[-1].end
    return Chunk(
        f"{page.id}-k", page.id, start, end, page.text[start:end], (page.title,), (page.title,), "top", tokens=30
    )


def ferry_contents(**changes: object) -> PackageContents:
    """A package of two pages with five claims, three of them canonical; ``changes`` replace fields."""
    pages = [document("timetable.md", "Timetable", TIMETABLE), document("rules.md", "House rules", RULES)]
    claims = claims_of(pages[0]) + claims_of(pages[1], Status.EXTRACTED)
    chunks = [chunk_of(page) for page in pages]
    values: dict[str, object] = {
        "name": "ferry",
        "version": "1.2.0",
        "title": "Norrhamn ferries",
        "embedder": IDENTITY,
        "documents": pages,
        "chunks": chunks,
        "chunk_vectors": vectors_of([chunk.full_text for chunk in chunks]),
        "claims": claims,
        "claim_vectors": vectors_of([claim.full_text for claim in claims]),
        "persona": "Answer like a purser: short and friendly.",
        "skills": {"booking": "# Booking\nAsk for the date first."},
        "tools": [{"type": "function", "function": {"name": "departures"}}],
        "questions": [{"id": "q1", "question": "When does the night ferry leave?"}],
        "ledger": b'{"claim":"timetable-0","decision":"approve"}\n',
        "licence_texts": {"CC-BY-4.0": "Attribution 4.0 International"},
        "stages": {"chunks": "1", "claims": "3"},
        "report": {"seconds": 1.25},
    }
    return PackageContents(**{**values, **changes})  # type: ignore[arg-type]
