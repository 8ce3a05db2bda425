"""What chunks are put together from: the sections of a document, and in each the pieces that a chunk holds whole.

A piece is a sentence, a short list item, a table row or a code block. Bundles are runs of pieces that should stay in
one chunk if they fit: a list or table with the sentence that introduces it, a code block with the sentence before it.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from aipk_core.documents.model import Block, Document
from aipk_core.documents.sentences import block_sentences
from aipk_core.text.spans import Span, stripped

_CHARACTERS_PER_TOKEN: Final = 16
"""A token counts for at most this many characters: tokenizers turn a word of any length into one unknown token."""

_NO_CONTENT: Final = frozenset({"button"})
_BREAKS: Final = ("\n", " ", "，", "、", "；", ",", ";", "/")


@dataclass(frozen=True, slots=True)
class Note:
    """A line of context that a piece needs; not repeated where the chunk's own text covers ``span``."""

    text: str
    size: int
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Piece:
    """Text that a chunk holds as a whole.

    Attributes:
        size: tokens, or characters / 16 where that is more.
        block: index of its first block.
        notes: context lines that it needs.
        sentence: a sentence of prose, which the next chunk may repeat as overlap.
        leads: makes no sense at the end of a chunk: it introduces what follows.
    """

    start: int
    end: int
    size: int
    block: int
    notes: tuple[Note, ...] = ()
    sentence: bool = False
    leads: bool = False


class Ruler:
    """Measures text in tokens and remembers what it measured."""

    def __init__(self, count_tokens: Callable[[str], int]) -> None:
        self._count = count_tokens
        self._known: dict[str, int] = {}

    def size(self, text: str, at_most: int) -> int:
        """Tokens of ``text``, or its characters / 16 where that is more; very long texts are not tokenised."""
        least = -(-len(text) // _CHARACTERS_PER_TOKEN)
        if least > at_most:
            return least
        known = self._known.get(text)
        if known is None:
            known = self._known[text] = self._count(text)
        return max(known, least)


def sections(document: Document, *, skip_boilerplate: bool) -> Iterator[list[int]]:
    """Runs of block indices that stand under the same heading, next to each other; headings are in none of them."""
    run: list[int] = []
    for index, block in enumerate(document.blocks):
        skipped = block.is_heading or block.kind in _NO_CONTENT or (skip_boilerplate and block.boilerplate)
        if run and (skipped or block.heading_path != document.blocks[run[-1]].heading_path):
            yield run
            run = []
        if not skipped:
            run.append(index)
    if run:
        yield run


class SectionPieces:
    """Cuts the blocks of one section into bundles of pieces.

    Args:
        room: most tokens of a piece; longer ones are cut at sentences, then lines and words, then anywhere.
    """

    def __init__(self, document: Document, indices: Sequence[int], ruler: Ruler, room: int) -> None:
        self.document = document
        self.indices = indices
        self.ruler = ruler
        self.room = room

    def bundles(self) -> list[list[Piece]]:
        """Runs of pieces in reading order, each to be kept together where it fits."""
        bundles: list[list[Piece]] = []
        for run in self._runs():
            first = self.document.blocks[run[0]]
            if first.container is None and not first.is_verbatim:
                bundles.extend([piece] for index in run for piece in self._prose(index))
                continue
            pieces = self._contained(run) if first.container is not None else self._verbatim(run[0])
            introduction = self._introduction(first, bundles, run[0])
            if introduction is not None:
                bundles.pop()
                pieces = [introduction, *pieces]
            bundles.append(pieces)
        return bundles

    def _runs(self) -> Iterator[list[int]]:
        """Each list or table with all that is nested in it, each code block, and each block of prose."""
        blocks = self.document.blocks
        position = 0
        last_of = {blocks[index].container: place for place, index in enumerate(self.indices)}
        while position < len(self.indices):
            container = blocks[self.indices[position]].container
            end = position + 1
            if container is not None:
                last = last_of[container]
                inside = self.indices[position : last + 1]
                if all(blocks[index].container is not None or blocks[index].group is not None for index in inside):
                    end = last + 1
            yield list(self.indices[position:end])
            position = end

    def _introduction(self, first: Block, bundles: list[list[Piece]], index: int) -> Piece | None:
        """The sentence right before a list, table or code block, if it introduces it."""
        if not bundles or len(bundles[-1]) != 1 or not bundles[-1][0].sentence:
            return None
        piece = bundles[-1][0]
        if first.lead_in is None:
            introduces = piece.block == index - 1 and (first.is_verbatim or self._text(piece).endswith((":", "：")))
        else:
            introduces = piece.block == first.lead_in
        return Piece(piece.start, piece.end, piece.size, piece.block, piece.notes, True, True) if introduces else None

    def _contained(self, run: list[int]) -> list[Piece]:
        pieces: list[Piece] = []
        for _, members in groupby(run, key=self._group_key):
            pieces.extend(self._group(list(members)))
        return pieces

    def _group_key(self, index: int) -> tuple[int | None, int | None]:
        block = self.document.blocks[index]
        return (block.container, block.group if block.group is not None else -index)

    def _group(self, members: list[int]) -> list[Piece]:
        """One list item, table row or definition: a piece if it fits, else its blocks' sentences."""
        blocks = [self.document.blocks[index] for index in members]
        span = Span(blocks[0].start, blocks[-1].end)
        notes = (*self._lead_note(blocks[0]), *self._column_note(blocks))
        room = max(8, self.room - sum(note.size for note in notes))
        size = self._size(span)
        heads_table = all(block.kind == "th" for block in blocks)
        if size <= room:
            return [Piece(span.start, span.end, size, members[0], notes, leads=heads_table)]
        pieces: list[Piece] = []
        for index in members:
            block = self.document.blocks[index]
            own = (*self._lead_note(block), *self._column_note([block]))
            room = max(8, self.room - sum(note.size for note in own))
            size = self._size(block.span)
            if size <= room:
                pieces.append(Piece(block.start, block.end, size, index, own))
            elif block.is_verbatim:
                pieces.extend(self._cut(block.span, index, own, room))
            else:
                for sentence in block_sentences(self.document, block):
                    pieces.extend(self._sentence(sentence, index, own, room))
        return pieces

    def _prose(self, index: int) -> list[Piece]:
        block = self.document.blocks[index]
        notes = self._column_note([block])
        room = max(8, self.room - sum(note.size for note in notes))
        return [
            piece
            for sentence in block_sentences(self.document, block)
            for piece in self._sentence(sentence, index, notes, room)
        ]

    def _verbatim(self, index: int) -> list[Piece]:
        span = self.document.blocks[index].span
        size = self._size(span)
        if size <= self.room:
            return [Piece(span.start, span.end, size, index)]
        notes = self._lead_note(self.document.blocks[index])
        return self._cut(span, index, notes, max(8, self.room - sum(note.size for note in notes)))

    def _sentence(self, span: Span, index: int, notes: tuple[Note, ...], room: int) -> list[Piece]:
        size = self._size(span)
        if size <= room:
            return [Piece(span.start, span.end, size, index, notes, sentence=True)]
        return self._cut(span, index, notes, room)

    def _lead_note(self, block: Block) -> tuple[Note, ...]:
        """The sentence that introduces the list, table or code, unless it is long."""
        if block.lead_in is None:
            return ()
        lead = self.document.blocks[block.lead_in]
        found = block_sentences(self.document, lead)
        if not found or lead.heading_path != block.heading_path:
            return ()
        size = self._size(found[-1])
        return (Note(found[-1].of(self.document.text), size, found[-1]),) if size <= self.room // 4 else ()

    def _column_note(self, blocks: Sequence[Block]) -> tuple[Note, ...]:
        """The names of the columns, in one line."""
        names = dict.fromkeys(block.columns[0] for block in blocks if block.columns)
        if not names:
            return ()
        line = " | ".join(names)
        size = self.ruler.size(line, self.room)
        if size > self.room // 2:
            # Long headers must not crowd out the row itself: each name keeps an equal share of half the room.
            share = max(8, self.room * 2 // len(names))
            line = " | ".join(name if len(name) <= share else name[: share - 1] + "…" for name in names)
            line = line[: self.room * 2]
            size = self.ruler.size(line, self.room)
        return (Note(line, size),)

    def _cut(self, span: Span, index: int, notes: tuple[Note, ...], room: int) -> list[Piece]:
        """A text that is too long, cut at lines or words where it has any, and never inside a written character."""
        text = self.document.text
        pieces: list[Piece] = []
        start, guess = span.start, room * 4
        while start < span.end:
            length = min(guess, span.end - start)
            size = self.ruler.size(text[start : start + length], room)
            while size > room and length > 1:
                length = max(1, min(length - 1, length * room * 9 // (size * 10)))
                size = self.ruler.size(text[start : start + length], room)
            guess = max(8, length + length // 8 if size * 4 < room * 3 else length)
            end = start + length
            if end < span.end:
                end = _cut_before(text, start, end)
            part = stripped(text, Span(start, end))
            if self.document.blocks[index].is_verbatim:  # the first line keeps its indentation
                indented = max(start, text.rfind("\n", start, part.start) + 1)
                part = Span(indented, part.end)
            if text[part.start : part.end].strip():
                pieces.append(Piece(part.start, part.end, self._size(part), index, notes))
            start = end
        return pieces

    def _size(self, span: Span) -> int:
        return self.ruler.size(span.of(self.document.text), self.room)

    def _text(self, piece: Piece) -> str:
        return self.document.text[piece.start : piece.end]


def _cut_before(text: str, start: int, end: int) -> int:
    """The last good place to cut in ``[start, end]``: after a line, else after a word or mark, else between characters."""
    for mark in _BREAKS:
        earliest = start + (end - start) // (8 if mark == "\n" else 2)
        found = text.rfind(mark, earliest, end)
        if found > start:
            return found + 1
    for cut in range(end, max(start + 1, end - 16), -1):
        if not _joins(text[cut]) and text[cut - 1] != "\u200d":
            return cut
    return end


def _joins(character: str) -> bool:
    """Whether a character belongs to the one before it."""
    return (
        unicodedata.category(character) in ("Mn", "Mc", "Me")
        or character in "\u200d\ufe0f"
        or "\U0001f3fb" <= character <= "\U0001f3ff"
    )
