"""What goes into an answer and what comes out of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from aipk_core.verify.model import Report


class Mode(StrEnum):
    """What an answer is made from."""

    NORMAL = "normal"  # the model reads the best chunks; sources are listed
    STRICT_VERIFY = "strict-verify"  # the model reads canonical claims only; the answer is verified afterwards
    STRICT_RENDER = "strict-render"  # as above, and every factual sentence must cite the claim that it stands on

    @property
    def strict(self) -> bool:
        return self is not Mode.NORMAL


class Enforcement(StrEnum):
    """What happens to an answer that the verifier does not accept."""

    OBSERVE = "observe"  # it goes out as it is, with its report
    WARN = "warn"  # it goes out with a note in the text
    BLOCK = "block"  # a refusal goes out instead
    REPAIR = "repair"  # the model is asked once more; then unsupported units are dropped; then a refusal goes out

    @property
    def withholds(self) -> bool:
        """Whether unsupported text must not reach the reader in any field."""
        return self in (Enforcement.BLOCK, Enforcement.REPAIR)


class RefusalCode(StrEnum):
    """Why no answer was given."""

    NOT_IN_SOURCES = "not-in-sources"  # nothing that was found answers the question
    NO_CLAIMS = "no-claims"  # the package has no canonical claim at all
    NO_QUESTION = "no-question"  # there is no text to answer
    EMPTY_ANSWER = "empty-answer"  # the model said nothing
    MODEL_DECLINED = "model-declined"  # the model itself said that it does not know
    UNSUPPORTED = "unsupported"  # the answer says what the sources do not say
    NOTHING_TO_CHECK = "nothing-to-check"  # the answer states no fact that could be checked
    TRUNCATED = "truncated"  # the answer stops in the middle of a sentence


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation; ``role`` is ``system``, ``user`` or ``assistant``."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Citation:
    """An exact source sentence that an answer stands on: ``documents[document].text[start:end] == quote``.

    Attributes:
        number: 1-based, in the order in which the answer leans on it.
        id: the claim's id, or the chunk's in normal mode.
        kind: ``claim`` or ``chunk``.
        text: the claim's statement; for a chunk its text.
        url: link to the page and sentence; ``""`` when the page has no address.
    """

    number: int
    id: str
    kind: str
    package: str
    document: str
    start: int
    end: int
    quote: str
    text: str
    context: tuple[str, ...] = ()
    heading_path: tuple[str, ...] = ()
    url: str = ""
    page: int | None = None


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why there is no answer: a stable code and a sentence for the reader."""

    code: RefusalCode
    message: str


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens that the language model counted; zero when no model ran."""

    prompt_tokens: int = 0
    completion_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(self.prompt_tokens + other.prompt_tokens, self.completion_tokens + other.completion_tokens)


@dataclass(frozen=True, slots=True)
class Answer:
    """What the reader gets.

    Attributes:
        text: the answer, or the words of the refusal.
        report: the verifier's judgement of the model's text; ``None`` when nothing was verified or when its words must
            not be shown (a withheld answer keeps only ``coverage`` and ``counts``).
        coverage: supported factual units / factual units; ``None`` when there is no factual unit.
        counts: units per verdict.
        engine: ``extractive``, or the model's name.
        flagged: the text holds statements that the verifier did not accept, and enforcement let it pass.
        repaired: units were dropped, or the model was asked again.
        notes: what a careful reader should know (a language that a check does not cover, dropped units …).
    """

    text: str
    mode: Mode
    enforcement: Enforcement
    citations: tuple[Citation, ...] = ()
    refusal: Refusal | None = None
    report: Report | None = None
    coverage: float | None = None
    counts: dict[str, int] = field(default_factory=dict)
    usage: Usage = Usage()
    engine: str = "extractive"
    flagged: bool = False
    repaired: bool = False
    notes: tuple[str, ...] = ()

    @property
    def refused(self) -> bool:
        return self.refusal is not None


@dataclass(frozen=True, slots=True)
class Sampling:
    """How the language model is asked; ``None`` leaves a setting to the model's server."""

    temperature: float | None = 0.0
    top_p: float | None = None
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class Completion:
    """What a language model wrote; ``finish`` is ``stop``, ``length`` or another reason that its server gave."""

    text: str
    usage: Usage
    finish: str = "stop"


class Backend(Protocol):
    """A language model. Calls may come from several threads at once.

    Raises:
        ModelError: the model cannot be reached, refuses the request, or answers nonsense.
    """

    @property
    def name(self) -> str: ...

    def complete(self, messages: Sequence[Message], sampling: Sampling) -> Completion: ...


class Judge(Protocol):
    """Judges an answer against the canonical claims it was made for."""

    def verify(self, answer: str, *, require_citations: bool = False) -> Report: ...
