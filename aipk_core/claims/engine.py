"""What every way of finding claims promises: it cuts a document into pieces of work, and makes drafts of each piece.

A piece of work depends on nothing but itself, so its drafts are cached under its key and an edit redoes one piece only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from aipk_core.claims.identity import claim_id
from aipk_core.claims.model import Check
from aipk_core.documents.model import Document
from aipk_core.text.spans import Span


@dataclass(frozen=True, slots=True)
class Draft:
    """A claim without a place: ``spans`` are offsets in the text of its piece of work.

    Attributes:
        spans: the exact source sentences that it stands on, in reading order; at least one.
        needed: the part of ``context`` without which the text does not mean the same; empty when it stands alone.
    """

    text: str
    context: tuple[str, ...]
    kind: str
    lang: str
    spans: tuple[Span, ...]
    checks: tuple[Check, ...]
    needed: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        return claim_id(self.text, self.needed, self.lang)

    def to_json(self) -> dict[str, Any]:
        return {
            "text": self.text,
            "context": list(self.context),
            "kind": self.kind,
            "lang": self.lang,
            "spans": [list(span) for span in self.spans],
            "checks": [[check.name, check.passed, check.reason] for check in self.checks],
            "needed": list(self.needed),
        }

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Draft:
        return cls(
            value["text"],
            tuple(value["context"]),
            value["kind"],
            value["lang"],
            tuple(Span(start, end) for start, end in value["spans"]),
            tuple(Check(*check) for check in value["checks"]),
            tuple(value["needed"]),
        )


class Work(Protocol):
    """One piece of a document: ``document.text[start : start + len(text)] == text``."""

    @property
    def start(self) -> int: ...

    @property
    def text(self) -> str: ...


SomeWork = TypeVar("SomeWork", bound=Work)


class ClaimEngine(Protocol[SomeWork]):
    """A way of finding claims."""

    @property
    def name(self) -> str:
        """``extractive``, or ``llm:<model>``."""
        ...

    @property
    def commit_every(self) -> int:
        """How many finished pieces may wait in memory before they are stored."""
        ...

    def fingerprint(self) -> str:
        """Digest of the engine's version and of everything but the documents that its drafts depend on."""
        ...

    def work(self, document: Document) -> Iterator[SomeWork]:
        """The pieces of work of ``document`` in reading order."""
        ...

    def key(self, work: SomeWork) -> str:
        """Digest of everything that the drafts of a piece are made from, but for its place."""
        ...

    def extract(self, work: Sequence[SomeWork]) -> Iterator[tuple[int, list[Draft]]]:
        """The drafts of each piece, with its number in ``work``, in the order in which they are ready. A piece that
        could not be done is left out; ``figures`` counts it."""
        ...

    def figures(self) -> dict[str, int]:
        """What happened so far, counted: requests, failures by kind …"""
        ...
