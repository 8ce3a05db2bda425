"""Birth checks: what must be true of a claim before any policy may promote it without a person reading it.

Each check compares the claim's text with its evidence and gives a reason when it fails. They run when a claim is
extracted and travel with it; a review policy names those that it relies on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from aipk_core.claims.model import Check

# A number with its inner separators and sign; also inside words ("G2", "IP67"), which the identifiers check repeats.
_NUMBER = re.compile(r"[-−+±]?\d+(?:[.,:/\u00a0\u202f]\d+)*%?")
_IDENTIFIER = re.compile(r"`[^`]+`|--?[A-Za-z][\w-]+|\b\w*(?:[A-Za-z]\w*\d|\d\w*[A-Za-z]|[a-z][A-Z]|[A-Z]{2}|_)\w*\b")
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|neither|nor|without|cannot|kein\w*|nicht|nie|niemals|ohne|weder|"
    r"не|нет|ни|никогда|без|никто|ничего)\b|n['’]t\b|[不没没未無无非]|ません|ない|않|못|없|아니",
    re.IGNORECASE,
)
_DANGLING = re.compile(
    r"(?:it|its|this|that|these|those|they|their|them|he|she|his|her|such|both|otherwise|then|here|either|neither|"
    r"the (?:former|latter|above|following|same|other))\b(?!\s+(?:is|are) (?:possible|recommended|important)\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Statement:
    """What the checks look at.

    Attributes:
        text: the claim as it would be stored.
        quotes: the exact source texts that it stands on.
        context: heading path, lead-in, column names, antecedent.
        complete: whether the text is a whole sentence (otherwise an item or a cell, which needs its context).
        antecedent: the sentence before it, when the text points back ("It …"); already part of the context.
    """

    text: str
    quotes: tuple[str, ...]
    context: tuple[str, ...] = ()
    complete: bool = True
    antecedent: str = ""


def run_checks(statement: Statement) -> tuple[Check, ...]:
    """All birth checks of ``statement``, in the order of ``CHECKS``."""
    results = []
    for name, check in CHECKS.items():
        reason = check(statement)
        results.append(Check(name, not reason, reason))
    return tuple(results)


def points_back(text: str) -> bool:
    """Whether a sentence starts with a word that means something said before it ("It", "This", "These" …)."""
    return _DANGLING.match(text) is not None


def _exact_quote(statement: Statement) -> str:
    if not statement.quotes or not any(quote.strip() for quote in statement.quotes):
        return "there is no source sentence"
    if statement.text not in statement.quotes:
        return "the text is not a word-for-word quote of its source"
    return ""


def _numbers(statement: Statement) -> str:
    return _missing(_NUMBER, statement, "the source does not have the number {}")


def _identifiers(statement: Statement) -> str:
    return _missing(_IDENTIFIER, statement, "the source does not have the name {}")


def _polarity(statement: Statement) -> str:
    here = len(_NEGATION.findall(statement.text))
    there = sum(len(_NEGATION.findall(quote)) for quote in statement.quotes)
    if (here == 0) != (there == 0):
        return "the text and its source differ in a negation"
    return ""


def _self_contained(statement: Statement) -> str:
    if not statement.complete and not statement.context:
        return "a fragment without a heading or a lead-in that gives it a meaning"
    if points_back(statement.text) and not statement.antecedent:
        return f"it starts with '{statement.text.split()[0]}', and what that means is not certain"
    return ""


CHECKS: dict[str, Callable[[Statement], str]] = {
    "exact-quote": _exact_quote,
    "numbers": _numbers,
    "identifiers": _identifiers,
    "polarity": _polarity,
    "self-contained": _self_contained,
}
"""Name -> function that gives the reason of a failure, or an empty string."""


def _missing(pattern: re.Pattern[str], statement: Statement, message: str) -> str:
    there = _found(pattern, statement.quotes)
    for token in sorted(_found(pattern, (statement.text,))):
        if token not in there:
            return message.format(token)
    return ""


def _found(pattern: re.Pattern[str], texts: Sequence[str]) -> set[str]:
    return {match.group().strip("`") for text in texts for match in pattern.finditer(text)}
