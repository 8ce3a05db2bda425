"""An answer put together from canonical claims alone, without any language model."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from aipk_core.answer.question import Question, stems_of, words_of
from aipk_core.answer.relevance import Relevance
from aipk_core.claims.model import Claim

ANSWERS_FROM = 0.63
"""Relevance below this is a refusal: it parts questions that claims answer from near misses about the same things."""

HOPELESS_BELOW = 0.3
"""Relevance below this is refused before a language model is asked; what answers a question was never seen below 0.5."""

MAX_CLAIMS = 3
_ABOUT_AS_GOOD = 0.93
_DANGLING = re.compile(
    r"(?:it|its|they|them|their|these|those|this|that|he|she|his|her|such|here|there|both|otherwise|however|"
    r"in this case|in that case|in addition|also|then|instead|therefore)\b",
    re.IGNORECASE,
)
_ENDS = re.compile(r"[.!?:;…。！？][\"'”’)\]]*$")


@dataclass(frozen=True, slots=True)
class Statement:
    """One claim of an answer.

    Attributes:
        text: with its context where it cannot be read alone.
        bare: without.
        before: the claim that stands before it in the source, when its own words point back to that.
    """

    claim: Claim
    text: str
    bare: str
    before: Claim | None = None

    def forms(self) -> list[str]:
        """The statement with its citation, the form that is easiest to understand first."""
        own = f"{self.bare} [{self.claim.id}]"
        first = [f"{_closed(' '.join(self.before.text.split()))} [{self.before.id}] {own}"] if self.before else []
        return list(dict.fromkeys([*first, f"{self.text} [{self.claim.id}]", own]))


def select(ranked: Sequence[Relevance]) -> list[Relevance]:
    """The few claims that answer, best first; empty when not even the best is close enough."""
    if not ranked or ranked[0].score < ANSWERS_FROM:
        return []
    best = ranked[0]
    chosen = [best]
    for other in ranked[1:]:
        if len(chosen) == MAX_CLAIMS or other.score < max(ANSWERS_FROM, _ABOUT_AS_GOOD * best.score):
            break
        if not any(_says_the_same(other.hit.claim, taken.hit.claim) for taken in chosen):
            chosen.append(other)
    return chosen


def statements(
    question: Question, chosen: Sequence[Relevance], named: Callable[[str], Claim | None]
) -> list[Statement]:
    """The chosen claims as sentences that a reader understands without the page around them.

    Args:
        named: finds the canonical claim with a text, for the sentence that an "it" points back to.
    """
    return [_statement(question, one.hit.claim, named) for one in chosen]


def compose(parts: Sequence[str]) -> str:
    """One statement as a paragraph, several as a list."""
    return parts[0] if len(parts) == 1 else "\n".join(f"- {part}" for part in parts)


def _statement(question: Question, claim: Claim, named: Callable[[str], Claim | None]) -> Statement:
    bare = _closed(" ".join(claim.text.split()))
    own = stems_of(claim.text)
    asked = {term.stem for term in question.terms}
    before = named(claim.context[-1]) if claim.context and _ENDS.search(claim.context[-1]) else None
    shown = [element for element in _context_shown(claim, own, asked) if not _ENDS.search(element)]
    text = f"{', '.join(shown)} — {bare}" if shown and not _stands_alone(claim, own & asked, asked) else bare
    return Statement(claim, text, bare, before if before is not claim else None)


def _context_shown(claim: Claim, own: set[str], asked: set[str]) -> list[str]:
    """The headings, lead-ins and column names that the reader must see, outermost first."""
    context = [" ".join(element.split()).rstrip(":") for element in claim.context]
    said, shown = set(own), set[int]()
    for index in reversed(range(len(context))):  # "Level 2" says all that "Levels" above it could say
        stems = stems_of(context[index])
        if asked & (stems - said):
            shown.add(index)
            said |= stems
    if claim.kind == "row":  # a value means nothing without its row and its column
        shown.update(range(max(0, len(context) - 2), len(context)))
    elif not shown and context and not _stands_alone(claim) and not stems_of(context[-1]) <= own:
        shown.add(len(context) - 1)
    return [context[index] for index in sorted(shown) if context[index]]


def _stands_alone(claim: Claim, covered: set[str] | None = None, asked: set[str] | None = None) -> bool:
    """Whether the text says what it is about: a whole sentence with a subject of its own.

    With the question's stems: a sentence that names some of what was asked is not put under a heading for the rest.
    """
    text = claim.text.strip()
    if claim.kind == "row" or _DANGLING.match(text):
        return False
    whole = len(words_of(text)) >= 4 and bool(_ENDS.search(text)) and ":" not in text[:40]
    if not whole:
        return False
    return claim.kind != "item" or bool(covered is None or not asked or covered)


def _says_the_same(one: Claim, other: Claim) -> bool:
    first, second = stems_of(one.text), stems_of(other.text)
    return bool(first and second) and len(first & second) >= 0.9 * len(first | second)


def _closed(text: str) -> str:
    return text if _ENDS.search(text) else f"{text}."
