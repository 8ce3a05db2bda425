"""The sentences of a document: the one splitter, applied to each block on its own."""

from __future__ import annotations

from dataclasses import dataclass

from aipk_core.documents.model import Block, Document
from aipk_core.text.sentences import split_sentences
from aipk_core.text.spans import Span


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence: its span in the document's canonical text, and the index of the block that it stands in."""

    span: Span
    block: int


def document_sentences(document: Document) -> list[Sentence]:
    """All sentences in reading order; none crosses a block, and each slices to exactly its text.

    A heading is one sentence. Blocks whose white space is kept (code, diagrams, formulas) have no sentences.
    """
    return [
        Sentence(span, index)
        for index, block in enumerate(document.blocks)
        for span in block_sentences(document, block)
    ]


def block_sentences(document: Document, block: Block) -> list[Span]:
    """The sentences of one block as spans of the document's text; none for a verbatim block."""
    if block.is_verbatim:
        return []
    if block.is_heading:
        return [block.span] if block.end > block.start else []
    atoms = [atom.shifted(-block.start) for atom in block.atoms]
    spans = split_sentences(document.text[block.start : block.end], document.lang, atoms)
    return [span.shifted(block.start) for span in spans]
