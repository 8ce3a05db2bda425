"""What a build stands on, read back from its store: pages, blocks, sentences, chunks, claims, vectors.

What changed between two builds is worked out here from the texts alone, and never from what the builds say they did.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from rebuild_project import CORPUS

from aipk_core.documents.model import Block, Document
from aipk_core.documents.records import document_from_record
from aipk_core.documents.sentences import block_sentences
from aipk_core.stages.documents import document_keys
from aipk_core.store.cache import Cache
from aipk_core.store.workspace import Workspace

FEW_WORDS = 6
"""A text of fewer words ("false", "Defaults to 1.") is a label or value: it says something only with what it stands under."""

Label = tuple[str, ...]
"""The words, the nearest heading, the column and row, and what introduces the list."""


@dataclass(frozen=True)
class Page:
    """One page as a reader sees it.

    Attributes:
        digest: of the whole document, its headings, anchors and address included.
        blocks: kind and text of every block.
        placed: the same with the headings above and the column names.
        sentences: of all blocks, white space folded.
        readable: the sentences that can hold statements: not headings, code or labels.
        labels: of sentences of few words, by where they start in the page's text: the words, and what they stand under.
    """

    digest: str
    title: str
    blocks: tuple[tuple[str, str], ...]
    sentences: tuple[str, ...]
    readable: tuple[str, ...]
    labels: Mapping[int, Label] = field(default_factory=dict)
    placed: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True)
class ChunkText:
    """One chunk: what is embedded, and the blocks that it holds something of, as kind and text."""

    embedded: str
    headings: str
    blocks: tuple[tuple[str, str], ...]


@dataclass
class State:
    """What one build stands on; chunks by page, claims by id."""

    pages: dict[str, Page]
    chunks: dict[str, list[ChunkText]]
    claims: dict[str, str] = field(default_factory=dict)
    vector_keys: dict[str, set[str]] = field(default_factory=dict)

    @property
    def blocks(self) -> set[tuple[str, str]]:
        return {block for page in self.pages.values() for block in page.blocks}

    @property
    def sentences(self) -> set[str]:
        return {sentence for page in self.pages.values() for sentence in page.sentences}


class StateReader:
    """Reads states of one project; pages that have not changed are read once."""

    def __init__(self, project: Path) -> None:
        self._project = project
        self._known: dict[str, tuple[Document, Page]] = {}

    def read(self) -> State:
        """The state that the last build has left."""
        workspace = Workspace(self._project)
        documents = self._documents(workspace)
        chunks: dict[str, list[ChunkText]] = {}
        for row in workspace.require_manifest(CORPUS, "chunks").rows.to_pylist():
            document = documents[row["document"]][0]
            held = [b for b in document.blocks if b.start < row["end"] and row["start"] < b.end]
            context = json.loads(row["context"])
            chunks.setdefault(row["document"], []).append(
                ChunkText(
                    "\n".join((*context, row["text"])), "\n".join(context), tuple(_block(document, b) for b in held)
                )
            )
        state = State({name: page for name, (_, page) in documents.items()}, chunks)
        claims = workspace.read_manifest(CORPUS, "claims")
        for row in claims.rows.to_pylist() if claims is not None else ():
            state.claims[row["id"]] = " > ".join((*json.loads(row["context"]), row["text"]))
        vectors = workspace.read_manifest(CORPUS, "embeddings")
        if vectors is not None:
            for kind, key in zip(vectors.column("kind"), vectors.column("key"), strict=True):
                state.vector_keys.setdefault(kind, set()).add(key)
        return state

    def vectors(self) -> frozenset[str]:
        """Keys of all vectors in the store."""
        folder = Workspace(self._project).store / "caches"
        return frozenset().union(
            *(Cache.existing(folder, path.stem).known() for path in folder.glob("vectors_*.lance"))
        )

    def _documents(self, workspace: Workspace) -> dict[str, tuple[Document, Page]]:
        manifest = workspace.require_manifest(CORPUS, "documents")
        keys = dict(zip(manifest.column("id"), document_keys(manifest), strict=True))
        digests = dict(zip(manifest.column("id"), manifest.column("digest"), strict=True))
        cache = workspace.cache("documents")
        wanted = [keys[name] for name in keys if _identity(name, digests[name]) not in self._known]
        for first in range(0, len(wanted), _AT_ONCE):
            for _, record in cache.items(wanted[first : first + _AT_ONCE]):
                document = document_from_record(record["document"])
                self._known[_identity(document.id, document.digest)] = (document, _page(document))
        now = {_identity(name, digests[name]) for name in keys}
        self._known = {name: value for name, value in self._known.items() if name in now}
        return {name: self._known[_identity(name, digests[name])] for name in keys}


_AT_ONCE = 100


def folded(text: str) -> str:
    return " ".join(text.split())


def is_label(text: str) -> bool:
    return len(text.split()) < FEW_WORDS


def new_blocks(before: State, after: State) -> set[tuple[str, str]]:
    """The blocks that readers see now and saw on no page before."""
    return after.blocks - before.blocks


def new_placed_blocks(before: State, after: State) -> set[tuple[str, ...]]:
    """The blocks whose text, headings or columns readers saw together on no page before."""

    def placed(state: State) -> set[tuple[str, ...]]:
        return {block for page in state.pages.values() for block in page.placed}

    return placed(after) - placed(before)


def touched_chunks(before: State, after: State) -> set[str]:
    """What is embedded of the chunks that hold a block which stood under these headings on no page before."""
    stood = set(_placed_blocks(before))
    touched = set()
    for chunks in after.chunks.values():
        for chunk in chunks:
            if any((chunk.headings, block) not in stood for block in chunk.blocks):
                touched.add(chunk.embedded)
    return touched


def chunk_texts(state: State) -> set[str]:
    return {chunk.embedded for chunks in state.chunks.values() for chunk in chunks}


def _placed_blocks(state: State) -> Iterable[tuple[str, tuple[str, str]]]:
    return ((chunk.headings, block) for chunks in state.chunks.values() for chunk in chunks for block in chunk.blocks)


def _identity(name: str, digest: str) -> str:
    return f"{digest} {name}"


def _page(document: Document) -> Page:
    sentences: list[str] = []
    readable: list[str] = []
    prose = {id(block) for block in document.prose_blocks()}
    labels: dict[int, Label] = {}
    for block in document.blocks:
        spans = block_sentences(document, block)
        found = [folded(document.quote(span)) for span in spans]
        sentences += found
        lead = document.quote(document.blocks[block.lead_in]) if block.lead_in is not None else ""
        under = (*block.heading_path[-1:], *block.columns, folded(lead))
        labels.update((span.start, (text, *under)) for span, text in zip(spans, found, strict=True) if is_label(text))
        if id(block) in prose:
            readable += found
    blocks = tuple(_block(document, block) for block in document.blocks)
    placed = tuple((*block.heading_path, *block.columns, *_block(document, block)) for block in document.blocks)
    return Page(document.digest, document.title, blocks, tuple(sentences), tuple(readable), labels, placed)


def _block(document: Document, block: Block) -> tuple[str, str]:
    return block.kind, folded(document.quote(block))
