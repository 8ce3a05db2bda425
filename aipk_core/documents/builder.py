"""Puts a ``Document`` together block by block, so that every loader normalises text and counts offsets in one way.

A loader hands over *runs*: pieces of text with the place they came from. The builder joins them, folds white space in
prose, brings the text to NFC, and records blocks, atoms and segments over the result.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from aipk_core.documents.model import (
    HEADING_KINDS,
    VERBATIM_KINDS,
    Block,
    Dependency,
    Document,
    Origin,
    Problem,
    Segment,
)
from aipk_core.text.spans import Span

BLOCK_SEPARATOR = "\n\n"

_SPACES = re.compile(r"[\s\u00a0\u2007\u202f\ufeff]+")
_HTML_SPACES = re.compile(r"[^\S\u00a0\u2007\u202f]+|\ufeff+")
_NO_BREAK = re.compile(r"[\u00a0\u2007\u202f]")
# Controls and lone surrogates have no place in text that people read, and break terminals, XML and UTF-8.
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
# In prose a soft hyphen only says where a word may be divided.
_UNSEEN = re.compile(f"{_UNPRINTABLE.pattern}|\\u00ad")


@dataclass(frozen=True, slots=True)
class Run:
    """A piece of a block's text and where it came from.

    Attributes:
        text: as the reader sees it, entities decoded and markup removed.
        byte_start, byte_end: the bytes of ``file`` that it was made from; ``-1`` when the format has no byte positions
            (a PDF glyph, a zipped XML part): the segment then covers the whole file.
        file: path inside the source; ``""`` means the document's own file.
        atom: inline code or another piece that no sentence boundary may cut.
    """

    text: str
    byte_start: int = -1
    byte_end: int = -1
    file: str = ""
    origin: Origin = Origin.LITERAL
    atom: bool = False


@dataclass(frozen=True, slots=True)
class Section:
    """The headings (level, text) above a place in a document, and its anchor."""

    headings: tuple[tuple[int, str], ...]
    anchor: str | None


class DocumentBuilder:
    """Collects the blocks of one document in reading order.

    Args:
        document_id: path inside the source (POSIX).
        size: bytes of the document's own file, for segments without byte positions.
        keep_no_break: a no-break space becomes one space even beside others, as HTML shows it, instead of being folded.
    """

    def __init__(self, document_id: str, size: int = 0, *, keep_no_break: bool = False) -> None:
        self.document_id = document_id
        self.size = size
        self._keep_no_break = keep_no_break
        self.blocks: list[Block] = []
        self.segments: list[Segment] = []
        self.dependencies: dict[tuple[str, str], Dependency] = {}
        self.problems: list[Problem] = []
        self._parts: list[str] = []
        self._length = 0
        self._headings: list[tuple[int, str]] = []
        self._anchor: str | None = None
        self._numbers = 0

    def new_number(self) -> int:
        """A fresh number for ``Block.group`` or ``Block.container``."""
        self._numbers += 1
        return self._numbers

    @property
    def heading_path(self) -> tuple[str, ...]:
        """The headings above the next block, outermost first."""
        return tuple(text for _, text in self._headings)

    def section(self) -> Section:
        """Where we are: to be given to ``back_to`` at the end of a box whose headings hold only inside it."""
        return Section(tuple(self._headings), self._anchor)

    def back_to(self, section: Section) -> None:
        """Forget the headings that were added since ``section``."""
        self._headings = list(section.headings)
        self._anchor = section.anchor

    def add(
        self,
        kind: str,
        runs: Sequence[Run] | str,
        *,
        anchor: str | None = None,
        page: int | None = None,
        group: int | None = None,
        container: int | None = None,
        lead_in: int | None = None,
        columns: Iterable[str] = (),
        language: str | None = None,
        boilerplate: bool = False,
    ) -> int | None:
        """Append a block and return its index in ``blocks``; ``None`` when nothing is left of its text.

        Headings set the heading path and, through ``anchor``, the link target of all that follows.
        """
        if isinstance(runs, str):
            runs = [Run(runs)]
        verbatim = kind in VERBATIM_KINDS
        pieces = _verbatim(runs) if verbatim else _folded(runs, _HTML_SPACES if self._keep_no_break else _SPACES)
        text, pieces = _normalised(pieces)
        if not text or (verbatim and not text.strip()):
            return None
        if self._parts:
            self._parts.append(BLOCK_SEPARATOR)
            self._length += len(BLOCK_SEPARATOR)
        start = self._length
        self._parts.append(text)
        self._length += len(text)
        atoms = self._record(start, pieces)
        if kind in HEADING_KINDS:
            level = int(kind[1])
            while self._headings and self._headings[-1][0] >= level:
                self._headings.pop()
            if anchor is not None:
                self._anchor = anchor
        self.blocks.append(
            Block(
                kind=kind,
                start=start,
                end=self._length,
                heading_path=self.heading_path,
                anchor=anchor if anchor is not None else self._anchor,
                page=page,
                group=group,
                container=container,
                lead_in=lead_in,
                columns=tuple(columns),
                language=language,
                atoms=atoms,
                boilerplate=boilerplate,
            )
        )
        if kind in HEADING_KINDS:
            self._headings.append((int(kind[1]), text))
        return len(self.blocks) - 1

    def block_text(self, index: int) -> str:
        """The text of ``blocks[index]``."""
        return self._parts[2 * index]

    def depend(self, kind: str, name: str, digest: str) -> None:
        """Record that the text was computed from something besides the document's own file."""
        self.dependencies[(kind, name)] = Dependency(kind, name, digest)

    def problem(self, code: str, message: str, where: str = "") -> None:
        """Record something that readers of this document should know."""
        self.problems.append(Problem(code, message, where))

    def build(
        self,
        *,
        title: str = "",
        url: str = "",
        lang: str = "en",
        media_type: str = "text/plain",
        metadata: dict[str, Any] | None = None,
    ) -> Document:
        """The finished document; ``source``, ``licence`` and ``attribution`` are set by the source that it came from."""
        return Document(
            id=self.document_id,
            text="".join(self._parts),
            blocks=tuple(self.blocks),
            segments=tuple(self.segments),
            title=clean(title),
            url=url,
            lang=lang,
            media_type=media_type,
            dependencies=tuple(self.dependencies[key] for key in sorted(self.dependencies)),
            problems=tuple(self.problems),
            metadata=metadata or {},
        )

    def _record(self, start: int, pieces: Sequence[tuple[str, Run]]) -> tuple[Span, ...]:
        atoms: list[Span] = []
        position = start
        for text, run in pieces:
            end = position + len(text)
            if end == position:
                continue
            segment = Segment(
                position,
                end,
                run.file or self.document_id,
                max(run.byte_start, 0),
                run.byte_end if run.byte_end >= 0 else self.size,
                run.origin,
            )
            previous = self.segments[-1] if self.segments else None
            if previous and _continues(previous, segment):
                self.segments[-1] = Segment(
                    previous.start, end, segment.file, previous.byte_start, segment.byte_end, segment.origin
                )
            else:
                self.segments.append(segment)
            if run.atom:
                atoms.append(Span(position, end))
            position = end
        return tuple(atoms)


def clean(text: str) -> str:
    """``text`` as one line of prose: NFC, white space folded, nothing unprintable."""
    return unicodedata.normalize("NFC", _SPACES.sub(" ", _UNSEEN.sub("", text))).strip()


def _continues(previous: Segment, following: Segment) -> bool:
    return (
        previous.end == following.start
        and previous.file == following.file
        and previous.origin == following.origin
        and (
            previous.byte_end == following.byte_start
            or (previous.byte_start, previous.byte_end) == (following.byte_start, following.byte_end)
        )
    )


def _verbatim(runs: Sequence[Run]) -> list[tuple[str, Run]]:
    pieces = [(_UNPRINTABLE.sub("", run.text.replace("\r\n", "\n").replace("\r", "\n")), run) for run in runs]
    while pieces and not pieces[-1][0].rstrip():
        pieces.pop()
    while pieces and not pieces[0][0].strip("\n"):
        pieces.pop(0)
    if pieces:
        pieces[-1] = (pieces[-1][0].rstrip(), pieces[-1][1])
        pieces[0] = (pieces[0][0].lstrip("\n"), pieces[0][1])
    return pieces


def _folded(runs: Sequence[Run], spaces: re.Pattern[str]) -> list[tuple[str, Run]]:
    """Runs with white space folded to single spaces, also across run borders, and none at the two ends."""
    pieces: list[tuple[str, Run]] = []
    after_space = True
    for run in runs:
        text = spaces.sub(" ", _UNSEEN.sub("", run.text))
        if after_space and text.startswith(" "):
            text = text[1:]
        if text:
            after_space = text.endswith(" ")
            pieces.append((_NO_BREAK.sub(" ", text), run))
    while pieces and not pieces[0][0].strip():
        pieces.pop(0)
    while pieces and not pieces[-1][0].strip():
        pieces.pop()
    if pieces:
        pieces[0] = (pieces[0][0].lstrip(), pieces[0][1])
        pieces[-1] = (pieces[-1][0].rstrip(), pieces[-1][1])
    return pieces


def _normalised(pieces: list[tuple[str, Run]]) -> tuple[str, list[tuple[str, Run]]]:
    """The joined text in NFC, and pieces that still add up to it.

    A combining mark at the start of a run may fuse with the run before it; such neighbours become one piece.
    """
    done: list[tuple[str, Run]] = []
    for text, run in pieces:
        text = unicodedata.normalize("NFC", text)
        if done and text:
            joined = unicodedata.normalize("NFC", done[-1][0] + text)
            if joined != done[-1][0] + text:
                before = done.pop()[1]
                fused = Run(
                    joined, before.byte_start, run.byte_end, before.file, before.origin, before.atom and run.atom
                )
                done.append((joined, fused if before.file == run.file else before))
                continue
        if text:
            done.append((text, run))
    return "".join(text for text, _ in done), done
