"""What a page or file becomes: canonical text, blocks over it, and segments that lead back to the source bytes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from aipk_core.hashing import digest
from aipk_core.text.spans import Span

PROSE_KINDS = frozenset({"p", "li", "td", "dd", "blockquote", "figcaption", "caption", "summary", "footnote"})
"""Block kinds that hold sentences; the others (headings, code, labels) are shown but make no statements."""

HEADING_KINDS = ("h1", "h2", "h3", "h4", "h5", "h6")

VERBATIM_KINDS = frozenset({"code", "mermaid", "math"})
"""Block kinds whose white space is kept as it is; they are never split into sentences."""


class Origin(StrEnum):
    """How a piece of canonical text came to be."""

    LITERAL = "literal"  # stands in the file as it is, but for markup and white space
    SHORTCODE = "shortcode"  # written by a template that the file calls
    INCLUDE = "include"  # taken from another file
    COMPUTED = "computed"  # from a site parameter, a translation table or a number that the loader worked out


@dataclass(frozen=True, slots=True)
class Segment:
    """Canonical text ``[start, end)`` comes from bytes ``[byte_start, byte_end)`` of ``file`` (path inside the source)."""

    start: int
    end: int
    file: str
    byte_start: int
    byte_end: int
    origin: Origin = Origin.LITERAL


@dataclass(frozen=True, slots=True)
class Block:
    """One paragraph, heading, list item, table cell, code block …: ``document.text[start:end]``.

    Attributes:
        kind: ``p``, ``li``, ``td``, ``th``, ``dt``, ``dd``, ``h1`` … ``h6``, ``code``, ``caption``, ``figcaption``,
            ``summary``, ``alt``, ``button``, ``blockquote``, ``footnote``, ``mermaid``, ``math``.
        heading_path: the headings above this block, outermost first, without the block itself.
        anchor: the ``id`` of the nearest heading at or above the block (URL fragment), if the format has one.
        page: 1-based page number, for paged formats.
        group: number of the list, table row or definition that holds this block, unique in its document; blocks with the
            same number belong together (the cells of one row, the paragraphs of one item).
        container: number of the whole list or table around the group, unique in its document.
        lead_in: index of the block that introduces this list or table ("The limits are:"), if there is one.
        columns: the column names of a table cell: its own column's header first, then its row's header.
        language: programming language of a code block.
        atoms: spans (document offsets) of inline code, which no sentence boundary may cut.
        boilerplate: text that the site repeats everywhere (disclaimers); shown, but no source of claims.
    """

    kind: str
    start: int
    end: int
    heading_path: tuple[str, ...] = ()
    anchor: str | None = None
    page: int | None = None
    group: int | None = None
    container: int | None = None
    lead_in: int | None = None
    columns: tuple[str, ...] = ()
    language: str | None = None
    atoms: tuple[Span, ...] = ()
    boilerplate: bool = False

    @property
    def span(self) -> Span:
        return Span(self.start, self.end)

    @property
    def is_heading(self) -> bool:
        return self.kind in HEADING_KINDS

    @property
    def is_verbatim(self) -> bool:
        return self.kind in VERBATIM_KINDS


@dataclass(frozen=True, slots=True)
class Dependency:
    """Something besides the page's own file that its text was computed from.

    Attributes:
        kind: ``include``, ``glossary``, ``feature-gate``, ``example``, ``page``, ``parameter``, ``translation``, ``data``.
        name: path inside the source, or the name of the parameter or string.
        digest: SHA-256 of what was read (hex), so that a change of it is seen without loading the page again;
            ``""`` when the thing was looked for and is absent.
    """

    kind: str
    name: str
    digest: str


@dataclass(frozen=True, slots=True)
class Problem:
    """Something about a document that its readers should know; it did not stop the document from loading."""

    code: str
    message: str
    where: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """One page or file as a reader sees it.

    Attributes:
        id: path inside its source (POSIX), stable between builds.
        text: canonical text: blocks joined by a blank line, NFC, no-break spaces as spaces. All offsets live here.
        url: where a reader finds the page; ``""`` if nowhere.
        lang: BCP 47 tag.
        metadata: further facts of the format (author, date, front matter); JSON values.
    """

    id: str
    text: str
    blocks: tuple[Block, ...]
    segments: tuple[Segment, ...] = ()
    title: str = ""
    url: str = ""
    lang: str = "en"
    media_type: str = "text/plain"
    source: str = ""
    licence: str = ""
    attribution: str = ""
    dependencies: tuple[Dependency, ...] = ()
    problems: tuple[Problem, ...] = ()
    metadata: dict[str, Any] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        """Identifies what a reader sees and how it is structured, not where it came from or what the source bytes were."""
        return digest(
            "document", self.text, self.title, self.url, self.lang, [_block_key(block) for block in self.blocks]
        )

    def quote(self, span: Span | Block) -> str:
        return self.text[span.start : span.end]

    def prose_blocks(self) -> Iterator[Block]:
        """Blocks that can hold statements, in reading order."""
        return (block for block in self.blocks if block.kind in PROSE_KINDS and not block.boilerplate)


def _block_key(block: Block) -> list[Any]:
    return [
        block.kind,
        block.start,
        block.end,
        list(block.heading_path),
        block.anchor,
        block.page,
        block.group,
        block.container,
        block.lead_in,
        list(block.columns),
        block.language,
        [list(atom) for atom in block.atoms],
        block.boilerplate,
    ]
