"""Sections of a document as a language model reads them: numbered source sentences, each an exact span."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from aipk_core.claims.statements import is_navigation_heading, joined_context
from aipk_core.documents.model import PROSE_KINDS, Block, Document
from aipk_core.text.sentences import split_sentences
from aipk_core.text.spans import Span

_MAX_SENTENCES = 30
_MAX_CHARACTERS = 4_000
_LONGEST_SENTENCE = 1_500


@dataclass(frozen=True, slots=True)
class Sentence:
    """A source sentence: ``section.text[start:end]``; ``context`` is what introduces it inside of its section."""

    start: int
    end: int
    context: tuple[str, ...] = ()

    @property
    def span(self) -> Span:
        return Span(self.start, self.end)


@dataclass(frozen=True, slots=True)
class Section:
    """What one request is about: ``document.text[start : start + len(text)] == text``."""

    start: int
    text: str
    headings: tuple[str, ...]
    lang: str
    sentences: tuple[Sentence, ...]

    def quote(self, number: int) -> str:
        """The source sentence with this number, counted from 1."""
        return self.sentences[number - 1].span.of(self.text)

    def context(self, numbers: tuple[int, ...]) -> tuple[str, ...]:
        """Headings, and what introduces the sentences with these numbers, if it is the same for all."""
        own = {self.sentences[number - 1].context for number in numbers}
        return joined_context((*self.headings, *(own.pop() if len(own) == 1 else ())))

    def halves(self) -> tuple[Section, Section]:
        """Two sections with half of the sentences each, over the same text."""
        middle = len(self.sentences) // 2
        first, second = self.sentences[:middle], self.sentences[middle:]
        return (
            Section(self.start, self.text, self.headings, self.lang, first),
            Section(self.start, self.text, self.headings, self.lang, second),
        )


def sections(document: Document) -> Iterator[Section]:
    """The sections of ``document`` that have sentences, in reading order; long ones in several parts."""
    part: list[tuple[Block, list[Sentence]]] = []
    for block in document.blocks:
        if block.kind not in PROSE_KINDS or block.boilerplate:
            continue
        if block.heading_path and is_navigation_heading(block.heading_path[-1]):
            continue
        found = _sentences(document, block)
        if not found:
            continue
        if part and (part[-1][0].heading_path != block.heading_path or _is_full(part, found, block)):
            yield _section(document, part)
            part = []
        part.append((block, found))
    if part:
        yield _section(document, part)


def _is_full(part: list[tuple[Block, list[Sentence]]], found: list[Sentence], block: Block) -> bool:
    count = sum(len(sentences) for _, sentences in part) + len(found)
    return count > _MAX_SENTENCES or block.end - part[0][0].start > _MAX_CHARACTERS


def _section(document: Document, part: list[tuple[Block, list[Sentence]]]) -> Section:
    start, end = part[0][0].start, part[-1][0].end
    headings = part[0][0].heading_path or ((document.title,) if document.title else ())
    sentences = tuple(Sentence(one.start - start, one.end - start, one.context) for _, found in part for one in found)
    return Section(start, document.text[start:end], headings, document.lang, sentences)


def _sentences(document: Document, block: Block) -> list[Sentence]:
    """The sentences of a block at their places in the document."""
    context: list[str] = []
    if block.lead_in is not None and block.kind != "td":
        context.append(" ".join(document.quote(document.blocks[block.lead_in]).split())[-300:].rstrip(":："))
    context.extend(column for column in block.columns if column)
    text = document.quote(block)
    atoms = [atom.shifted(-block.start) for atom in block.atoms]
    return [
        Sentence(block.start + span.start, block.start + span.end, tuple(context))
        for span in split_sentences(text, document.lang, atoms)
        if span.end - span.start <= _LONGEST_SENTENCE and any(c.isalnum() for c in span.of(text))
    ]
