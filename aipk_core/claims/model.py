"""Claims: atomic factual statements, each standing on exact source sentences."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


class Status(StrEnum):
    """Where a claim stands in its life."""

    EXTRACTED = "extracted"
    REVIEWED = "reviewed"
    CANONICAL = "canonical"
    DEPRECATED = "deprecated"


@dataclass(frozen=True, slots=True)
class Evidence:
    """A span of a document that states the claim: ``documents[document].text[start:end] == quote``.

    Attributes:
        url: link to the page, the heading and, as a text fragment, the sentence; ``""`` when the page has no address.
    """

    document: str
    start: int
    end: int
    quote: str
    heading_path: tuple[str, ...] = ()
    url: str = ""
    page: int | None = None


@dataclass(frozen=True, slots=True)
class Check:
    """One birth check of a claim against its evidence."""

    name: str
    passed: bool
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Claim:
    """One atomic factual statement.

    Attributes:
        id: short, stable, derived from text and context; no spaces or brackets; the same id always means the same text.
        text: the statement itself; with ``context`` in front of it, it can be read alone.
        context: heading path, list lead-in and column names that give the text its meaning, outermost first.
        evidence: where it stands; the same claim may stand on many pages, first in document order.
        kind: ``sentence``, ``item`` or ``row``.
        engine: what extracted it: ``extractive``, or ``llm:<model>``.
        predecessor: id of the claim that this one replaces after an edit; ``""`` if none.
    """

    id: str
    text: str
    context: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    status: Status = Status.EXTRACTED
    kind: str = "sentence"
    lang: str = "en"
    engine: str = "extractive"
    checks: tuple[Check, ...] = ()
    predecessor: str = ""
    reason: str = field(default="")

    @property
    def failed_checks(self) -> tuple[Check, ...]:
        return tuple(check for check in self.checks if not check.passed)

    @property
    def full_text(self) -> str:
        """The claim with its context in front, for embedding, prompts and verification."""
        return " > ".join((*self.context, self.text)) if self.context else self.text
