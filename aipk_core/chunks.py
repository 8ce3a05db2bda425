"""Chunks: whole sentences of one section, what retrieval indexes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from aipk_core.chunk_pieces import Note, Piece, Ruler, SectionPieces, sections
from aipk_core.documents.model import Block, Document
from aipk_core.errors import UsageError
from aipk_core.hashing import digest

STAGE_VERSION: Final = 1
"""Raised whenever the same document and settings give other chunks than before."""

_SMALL_TAIL: Final = 4  # a last chunk under a quarter of the target joins the one before it, if the limit allows


@dataclass(frozen=True, slots=True)
class Chunk:
    """A run of whole sentences of one section of one document.

    Attributes:
        id: derived from the document id, the text and, for repeated text, a running number.
        text: exactly ``document.text[start:end]``.
        context: what a reader sees above or beside the text and needs to understand it: heading path, then the lead-in
            of a list or the column names of a table.
        tokens: length of ``full_text`` in tokens of the embedder that the chunks were cut for.
    """

    id: str
    document: str
    start: int
    end: int
    text: str
    heading_path: tuple[str, ...] = ()
    context: tuple[str, ...] = ()
    anchor: str | None = None
    page: int | None = None
    lang: str = "en"
    tokens: int = 0

    @property
    def full_text(self) -> str:
        """What is embedded: the context, one line each, then the text."""
        return "\n".join((*self.context, self.text))


@dataclass(frozen=True, slots=True)
class ChunkSettings:
    """How documents are cut.

    Attributes:
        target_tokens: most tokens of ``Chunk.full_text``, in tokens of the embedder.
        limit_tokens: up to this many tokens are allowed where it saves a chunk of a few words at the end of a section;
            0 means no more than ``target_tokens``.
        overlap_sentences: sentences at the end of a chunk that the next chunk of the same section repeats.
        skip_boilerplate: leave out what the site repeats on every page.

    Raises:
        UsageError: a value is out of range.
    """

    target_tokens: int = 200
    limit_tokens: int = 0
    overlap_sentences: int = 0
    skip_boilerplate: bool = True

    def __post_init__(self) -> None:
        if not 16 <= self.target_tokens <= 100_000:
            raise UsageError(
                f"a chunk of {self.target_tokens} tokens makes no sense",
                code="chunk-size",
                remedy="Set target_tokens between 16 and the most that the embedder reads",
            )
        if self.overlap_sentences < 0 or (self.limit_tokens and self.limit_tokens < self.target_tokens):
            raise UsageError(
                "overlap_sentences must not be negative, nor limit_tokens below target_tokens",
                code="chunk-size",
                remedy="Correct the settings under [chunks]",
            )

    def fingerprint(self) -> str:
        """Changes whenever the settings would give other chunks."""
        return digest(
            "chunk-settings",
            STAGE_VERSION,
            self.target_tokens,
            self.limit_tokens,
            self.overlap_sentences,
            self.skip_boilerplate,
        )


def chunk_document(document: Document, settings: ChunkSettings, count_tokens: Callable[[str], int]) -> list[Chunk]:
    """The chunks of a document in reading order; every chunk lies in one section and slices to its text.

    Sentences, table rows and short list items stay whole; lists, tables and code with their introduction stay together
    where they fit. Only a sentence that is longer than a chunk is cut. Sections are cut independently: an edit in one
    leaves the chunks of the others as they are. Headings alone make no chunk.

    Args:
        count_tokens: tokens of a text as the embedder counts them, without its start and end marks. Called once for
            each different piece and once for each chunk.
    """
    ruler = Ruler(count_tokens)
    seen: Counter[str] = Counter()
    chunks: list[Chunk] = []
    for indices in sections(document, skip_boilerplate=settings.skip_boilerplate):
        first = document.blocks[indices[0]]
        headings = _headings(document, first, ruler, settings.target_tokens // 2)
        base = sum(note.size for note in headings)
        pieces = SectionPieces(document, indices, ruler, settings.target_tokens - base)
        for window in _windows(pieces.bundles(), settings, base):
            text = document.text[window.start : window.end]
            block = document.blocks[window.pieces[0].block]
            context = tuple(note.text for note in (*headings, *window.notes()))
            chunks.append(
                Chunk(
                    id=digest("chunk", document.id, text, seen[text])[:32],
                    document=document.id,
                    start=window.start,
                    end=window.end,
                    text=text,
                    heading_path=first.heading_path,
                    context=context,
                    anchor=block.anchor,
                    page=block.page,
                    lang=document.lang,
                    tokens=count_tokens("\n".join((*context, text))),
                )
            )
            seen[text] += 1
    return chunks


class _Window:
    """The pieces of one chunk; ``repeated`` of them are overlap with the chunk before."""

    def __init__(self, pieces: Sequence[Piece] = (), repeated: int = 0) -> None:
        self.pieces = list(pieces)
        self.repeated = repeated

    @property
    def start(self) -> int:
        return self.pieces[0].start

    @property
    def end(self) -> int:
        return self.pieces[-1].end

    @property
    def is_new(self) -> bool:
        """Whether it holds anything besides overlap."""
        return len(self.pieces) > self.repeated

    def notes(self) -> list[Note]:
        """The context lines of its pieces, each once, without those that its own text covers."""
        return _open_notes(self.pieces)

    def size_with(self, more: Sequence[Piece] = ()) -> int:
        pieces = [*self.pieces, *more]
        return sum(piece.size for piece in pieces) + sum(note.size for note in _open_notes(pieces))


def _open_notes(pieces: Sequence[Piece]) -> list[Note]:
    if not any(piece.notes for piece in pieces):
        return []
    start, end = pieces[0].start, pieces[-1].end
    notes = dict.fromkeys(note for piece in pieces for note in piece.notes)
    return [note for note in notes if note.span is None or not (start <= note.span.start and note.span.end <= end)]


def _windows(bundles: list[list[Piece]], settings: ChunkSettings, base: int) -> list[_Window]:
    room = settings.target_tokens - base
    done: list[_Window] = []
    window = _Window()

    def place(group: Sequence[Piece]) -> None:
        nonlocal window
        if window.pieces and window.size_with(group) > room:
            if window.is_new:
                done.append(window)
            window = _overlap(window, settings.overlap_sentences)
            if window.pieces and window.size_with(group) > room:
                window = _Window()
        window.pieces.extend(group)

    for bundle in bundles:
        if _Window().size_with(bundle) <= room:
            place(bundle)
        else:
            for group in _introduced(bundle, room):
                place(group)
    if window.is_new:
        done.append(window)
    _join_small_tail(done, settings, base)
    return done


def _introduced(bundle: list[Piece], room: int) -> Iterator[list[Piece]]:
    """The pieces of a bundle one by one, but introductions and table heads together with what follows them."""
    group: list[Piece] = []
    for piece in bundle:
        group.append(piece)
        if piece.leads and piece is not bundle[-1]:
            continue
        if len(group) > 1 and _Window().size_with(group) > room:
            yield from ([alone] for alone in group)
        else:
            yield group
        group = []


def _overlap(window: _Window, sentences: int) -> _Window:
    """A new window that begins with the last sentences of the one before."""
    repeated: list[Piece] = []
    for piece in reversed(window.pieces[1:]):
        if len(repeated) == sentences or not piece.sentence:
            break
        repeated.insert(0, piece)
    return _Window(repeated, len(repeated))


def _join_small_tail(windows: list[_Window], settings: ChunkSettings, base: int) -> None:
    if len(windows) < 2:
        return
    last = windows[-1]
    new = last.pieces[last.repeated :]
    if (
        sum(piece.size for piece in new) * _SMALL_TAIL < settings.target_tokens
        and base + windows[-2].size_with(new) <= settings.limit_tokens
    ):
        windows[-2].pieces.extend(new)
        windows.pop()


def _headings(document: Document, first: Block, ruler: Ruler, room: int) -> list[Note]:
    """The heading path (or the title, where there is none), the outermost left out where they would take half the chunk."""
    lines = list(first.heading_path) or ([document.title] if document.title else [])
    notes = [Note(line, ruler.size(line, room)) for line in lines if line]
    while notes and sum(note.size for note in notes) > room:
        notes.pop(0)
    return notes
