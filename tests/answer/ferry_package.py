"""The ferry company as a real package: three documents, a chunk for each section, every statement a canonical claim."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ferry_company import STATEMENTS

from aipk_core.chunks import Chunk
from aipk_core.claims.model import Claim, Evidence, Status
from aipk_core.documents.builder import DocumentBuilder
from aipk_core.documents.model import Document
from aipk_core.embedding import open_embedder
from aipk_core.hashing import digest
from aipk_core.package import PackageContents, write_package


def write_ferry_package(
    destination: Path,
    *,
    name: str = "saltmarsh",
    status: Status = Status.CANONICAL,
    statements: Sequence[tuple[tuple[str, ...], str]] = STATEMENTS,
) -> Path:
    """Write the package to ``destination``; ``status`` is that of every claim."""
    documents, claims, chunks = [], [], []
    for title in dict.fromkeys(context[0] for context, _ in statements):
        document, own_claims, own_chunks = _document([one for one in statements if one[0][0] == title], title, status)
        documents.append(document)
        claims += own_claims
        chunks += own_chunks
    embedder = open_embedder()
    contents = PackageContents(
        name=name,
        version="1.0.0",
        title="Saltmarsh Ferries",
        embedder=embedder.identity,
        documents=documents,
        chunks=chunks,
        chunk_vectors=embedder.embed_passages([chunk.full_text for chunk in chunks]),
        claims=claims,
        claim_vectors=embedder.embed_passages([claim.full_text for claim in claims]),
        persona="You speak for the crewing desk.",
    )
    write_package(destination, contents)
    return destination


def _document(
    statements: Sequence[tuple[tuple[str, ...], str]], title: str, status: Status
) -> tuple[Document, list[Claim], list[Chunk]]:
    name = f"{title.lower().replace(' ', '-')}.md"
    builder = DocumentBuilder(name)
    places: list[tuple[int, tuple[str, ...], str]] = []
    open_headings: tuple[str, ...] = ()
    for context, text in statements:
        if context != open_headings:
            for depth in range(len(context)):
                if context[: depth + 1] != open_headings[: depth + 1]:
                    builder.add(f"h{depth + 1}", context[depth], anchor=context[depth].lower().replace(" ", "-"))
            open_headings = context
        index = builder.add("p", text)
        assert index is not None
        places.append((index, context, text))
    document = builder.build(title=title, url=f"https://ferries.example/{name.removesuffix('.md')}")
    claims = []
    for index, context, text in places:
        block = document.blocks[index]
        url = f"{document.url}#{block.anchor}"
        evidence = Evidence(name, block.start, block.end, document.quote(block), context, url)
        claims.append(Claim("k" + digest(list(context), text)[:10], text, context, (evidence,), status=status))
    chunks = []
    for context in dict.fromkeys(context for _, context, _ in places):
        blocks = [document.blocks[index] for index, own, _ in places if own == context]
        start, end = blocks[0].start, blocks[-1].end
        chunks.append(
            Chunk(f"c{digest(name, start)[:10]}", name, start, end, document.text[start:end], context, context)
        )
    return document, claims, chunks
