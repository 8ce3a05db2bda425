"""Chunks: whole sentences of one section, what retrieval indexes."""

from __future__ import annotations

from dataclasses import dataclass


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
