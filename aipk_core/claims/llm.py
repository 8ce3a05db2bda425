"""The engine that asks a language model: one request for each section, checked as strictly as if a stranger had written
the reply.

What the model says never becomes evidence: it names the numbers of source sentences, and those are quoted. Replies that
are malformed, cut, empty or refused, and servers that are slow, overloaded or gone, cost the section concerned, not the
run; all are counted.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from aipk_core.claims.checks import Statement, run_checks
from aipk_core.claims.engine import Draft
from aipk_core.claims.llm_budget import Budget
from aipk_core.claims.llm_model import ExtractionModel, Reply
from aipk_core.claims.llm_pool import run_in_threads, within
from aipk_core.claims.llm_prompt import PROMPT_VERSION, SCHEMA, SYSTEM, Answer, read_reply, request_text
from aipk_core.claims.llm_sections import Section, sections
from aipk_core.claims.references import points_back
from aipk_core.claims.statements import TERMINAL, leans_on_heading
from aipk_core.documents.model import Document
from aipk_core.errors import ModelError
from aipk_core.hashing import digest

STAGE_VERSION = 1

_PASSING = frozenset({"model-unavailable", "model-timeout", "model-rate-limited"})
_LONGEST_PAUSE = 20.0
_GRACE = 1.0
"""Seconds that the client's own timeout gets to fire first."""
_MOST_HALVINGS = 5
_GIVE_UP_AFTER = 6
"""Sections in a row that fail because the server does, after which the run stops asking."""

Progress = Callable[[str, int, int | None], None]


@dataclass(frozen=True, slots=True)
class LLMSettings:
    """How the model is asked; only ``max_characters`` changes what comes out.

    Attributes:
        retries: further tries after an error that may pass, with a pause that doubles.
        first_pause: seconds before the first of them.
        max_requests, max_cost: what one run may spend; ``None`` sets no limit.
    """

    max_characters: int = 600
    concurrency: int = 4
    retries: int = 3
    first_pause: float = 1.0
    max_requests: int | None = None
    max_cost: float | None = None


class LLMEngine:
    """Claims by a language model."""

    commit_every = 4

    def __init__(
        self,
        model: ExtractionModel,
        settings: LLMSettings | None = None,
        progress: Progress = lambda what, done, total: None,
    ) -> None:
        self.model = model
        self.settings = settings or LLMSettings()
        self._progress = progress
        self._budget = Budget(model, self.settings.max_requests, self.settings.max_cost)
        self._counts: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._failures_in_a_row = 0

    @property
    def name(self) -> str:
        return f"llm:{self.model.name}"

    def fingerprint(self) -> str:
        return digest("llm", STAGE_VERSION, PROMPT_VERSION, self.model.name, self.settings.max_characters)

    def work(self, document: Document) -> Iterator[Section]:
        return sections(document)

    def key(self, work: Section) -> str:
        sentences = [[one.start, one.end, list(one.context)] for one in work.sentences]
        return digest(self.fingerprint(), work.text, list(work.headings), work.lang, sentences)

    def extract(self, work: Sequence[Section]) -> Iterator[tuple[int, list[Draft]]]:
        """See ``ClaimEngine``. Sections are asked for ``concurrency`` at a time; what the budget does not allow is left
        for the next run.

        Raises:
            ModelError: a limit on cost is set and no price of the model is known (code ``price-unknown``).
        """
        if not work:
            return
        prompts = [len(SYSTEM) + len(request_text(section)) for section in work]
        estimate = self._budget.estimate(prompts, [len(section.text) for section in work])
        self._progress(estimate, 0, len(work))
        started = time.monotonic()
        outcomes = run_in_threads(self._one, work, self.settings.concurrency)
        for done, (number, drafts) in enumerate(outcomes, 1):
            rate = done / max(time.monotonic() - started, 1e-6)
            left = (len(work) - done) / rate
            self._progress(f"asking {self.model.name}, {rate:.2g} sections/s, {_duration(left)} left", done, len(work))
            if drafts is not None:
                yield number, drafts

    def figures(self) -> dict[str, int]:
        with self._lock:
            counted = {name: count for name, count in sorted(self._counts.items()) if count}
        return {"requests": self._budget.requests, **self._budget.tokens(), **counted}

    def _one(self, section: Section) -> list[Draft] | None:
        """The drafts of a section; ``None`` when it must be tried again another time. Never raises ``ModelError``."""
        if self._failures_in_a_row >= _GIVE_UP_AFTER:
            self._count("sections not asked: the server is gone")
            return None
        try:
            drafts = self._ask(section, _MOST_HALVINGS)
        except ModelError as error:
            if error.code == "budget-used-up":
                self._count("sections not asked: the budget is used up")
                return None
            self._count(f"sections failed: {error.code}")
            with self._lock:
                self._failures_in_a_row += 1
            return None
        with self._lock:
            self._failures_in_a_row = 0
        return drafts

    def _ask(self, section: Section, halvings: int) -> list[Draft]:
        reply = self._reply(section)
        if reply.refused:
            self._count("replies refused")
            return []
        if not reply.text.strip():
            self._count("replies empty")
            return []
        reading = read_reply(reply.text, section, self.settings.max_characters)
        if reply.cut or not reading.well_formed:
            self._count("replies cut" if reply.cut else "replies malformed")
            if halvings and len(section.sentences) > 1:
                first, second = section.halves()
                left = (
                    halvings - 1 if reply.cut else 0
                )  # a shorter prompt helps a cut reply; nonsense it helps once at most
                return [*self._ask(first, left), *self._ask(second, left)]
        self._count("entries without an existing sentence or text", reading.unusable)
        return [_draft(section, answer) for answer in reading.answers]

    def _reply(self, section: Section) -> Reply:
        """One reply, after as many tries as it takes.

        Raises:
            ModelError: all tries failed, the request is refused for good, or the budget is used up.
        """
        user = request_text(section)
        for attempt in range(self.settings.retries + 1):
            self._budget.take(len(SYSTEM) + len(user))
            try:
                reply = self._ask_in_time(user)
            except ModelError as error:
                self._count(f"errors: {error.code}")
                if error.code not in _PASSING or attempt == self.settings.retries:
                    raise
                time.sleep(min(_LONGEST_PAUSE, self.settings.first_pause * 2**attempt))
            else:
                self._budget.spent(reply, len(SYSTEM) + len(user))
                return reply
        raise AssertionError("the loop returns or raises")

    def _ask_in_time(self, user: str) -> Reply:
        try:
            return within(self.model.timeout + _GRACE, lambda: self.model.ask(SYSTEM, user, SCHEMA))
        except TimeoutError as error:
            raise ModelError(
                f"no whole answer within {self.model.timeout:g} s", code="model-timeout", where=self.model.name
            ) from error

    def _count(self, what: str, times: int = 1) -> None:
        with self._lock:
            self._counts[what] += times


def _draft(section: Section, answer: Answer) -> Draft:
    """The claim with the sentences that it names, checked against them and nothing else."""
    quotes = tuple(section.quote(number) for number in answer.numbers)
    context = section.context(answer.numbers)
    complete = answer.text.endswith(TERMINAL)
    statement = Statement(answer.text, quotes, context, complete, "", section.lang)
    alone = complete and not points_back(answer.text, section.lang) and not leans_on_heading(answer.text, section.lang)
    spans = tuple(section.sentences[number - 1].span for number in answer.numbers)
    return Draft(answer.text, context, "sentence", section.lang, spans, run_checks(statement), () if alone else context)


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"
