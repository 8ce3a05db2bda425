"""What a second opinion looks like: a learned model, a user's own NLI model, a language model behind LiteLLM.

Rules run first. A judge is asked only when the rules do not settle a unit, and never overrules a contradiction they found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable


@dataclass(frozen=True, slots=True)
class Probabilities:
    """Belief in each verdict; the three sum to 1."""

    supported: float
    contradicted: float
    not_found: float


@dataclass(frozen=True, slots=True)
class Pair:
    """What a judge reads: the evidence as one text, and one statement."""

    evidence: str
    statement: str


@runtime_checkable
class Judge(Protocol):
    """Something that reads pairs and says how far the evidence supports the statement.

    A judge that reads only some languages says so with an attribute ``languages`` (see ``reads``).

    ``name`` is shown in reports, e.g. ``model:grounding-v2``. ``judge`` returns one answer per pair, in order; it raises
    ``ModelError`` when it cannot answer, and the report then says that it did not run.
    """

    @property
    def name(self) -> str: ...

    def judge(self, pairs: Sequence[Pair]) -> list[Probabilities]: ...


def reads(judge: Judge, lang: str) -> bool:
    """Whether a judge can be asked about a statement in ``lang``: one without an attribute ``languages`` reads all."""
    languages: frozenset[str] | None = getattr(judge, "languages", None)
    return languages is None or lang in languages
