"""Birth checks: what must be true of a claim before any policy may promote it without a person reading it.

Each check compares the claim's text with its evidence and gives a reason when it fails. They run when a claim is
extracted and travel with it; a review policy names those that it relies on, and none may pass over one of ``BLOCKING``.

A word-for-word quote says what its source says in any language. A text in other words is read by the verifier's own
analysis (see ``rewording``), which does not know every language: where it does not, the check fails and says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from aipk_core.claims.model import Check
from aipk_core.claims.references import points_at_its_page, points_back

# A number with its inner separators and sign; also inside words ("G2", "IP67"), which the identifiers check repeats.
_NUMBER = re.compile(r"[-−+±]?\d+(?:[.,:/\u00a0\u202f]\d+)*")
_IDENTIFIER = re.compile(r"`[^`]+`|--?[A-Za-z][\w-]+|\b\w*(?:[A-Za-z]\w*\d|\d\w*[A-Za-z]|[a-z][A-Z]|[A-Z]{2}|_)\w*\b")
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|neither|nor|without|cannot|kein\w*|nicht|nie|niemals|ohne|weder|"
    r"не|нет|ни|никогда|без|никто|ничего)\b|n['’]t\b|[不没沒未無无非]|ません|ない|않|못|없|아니",
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
        antecedent: what a text that points back ("It …") means; already part of the context.
    """

    text: str
    quotes: tuple[str, ...]
    context: tuple[str, ...] = ()
    complete: bool = True
    antecedent: str = ""
    lang: str = "en"

    @property
    def is_quote(self) -> bool:
        return bool(self.text.strip()) and self.text in self.quotes


def run_checks(statement: Statement) -> tuple[Check, ...]:
    """All birth checks of ``statement``, in the order of ``CHECKS``."""
    return tuple(Check(name, not reason, reason) for name, reason in _reasons(statement))


def blocking_failure(checks: Iterable[Check]) -> Check | None:
    """The first failed check that no review policy may pass over; ``None`` when there is none."""
    return next((check for check in checks if not check.passed and check.name in BLOCKING), None)


def _reasons(statement: Statement) -> Iterable[tuple[str, str]]:
    for name, check in CHECKS.items():
        yield name, check(statement)


def _exact_quote(statement: Statement) -> str:
    if not _has_source(statement):
        return "there is no source sentence"
    return "" if statement.is_quote else "the text is not a word-for-word quote of its source"


def _numbers(statement: Statement) -> str:
    missing = _missing(_NUMBER, statement, "the source does not have the number {}")
    return missing or _reworded("numbers", statement)


def _names(statement: Statement) -> str:
    return _reworded("names", statement)


def _identifiers(statement: Statement) -> str:
    missing = _missing(_IDENTIFIER, statement, "the source does not have the name {}")
    return missing or _reworded("identifiers", statement)


def _polarity(statement: Statement) -> str:
    if statement.is_quote:
        return ""
    denied = any(_NEGATION.search(quote) for quote in statement.quotes)
    if (_NEGATION.search(statement.text) is not None) != denied:
        return "the text and its source differ in a negation"
    return _reworded("polarity", statement)


def _modality(statement: Statement) -> str:
    return _reworded("modality", statement)


def _quantifiers(statement: Statement) -> str:
    return _reworded("quantifiers", statement)


def _conditions(statement: Statement) -> str:
    return _reworded("conditions", statement)


def _wording(statement: Statement) -> str:
    if not _has_source(statement):
        return "there is no source sentence"
    return _reworded("wording", statement)


def _self_contained(statement: Statement) -> str:
    if not statement.complete and not statement.context:
        return "a fragment without a heading or a lead-in that gives it a meaning"
    back = points_back(statement.text, statement.lang)
    if back and not statement.antecedent:
        return f"'{_tail(back)}' means something said before, and what is not certain"
    place = points_at_its_page(statement.text, statement.lang)
    if place:
        return f"it speaks of something beside it on its page ('{place}')"
    return ""


CHECKS: dict[str, Callable[[Statement], str]] = {
    "exact-quote": _exact_quote,
    "numbers": _numbers,
    "names": _names,
    "identifiers": _identifiers,
    "polarity": _polarity,
    "modality": _modality,
    "quantifiers": _quantifiers,
    "conditions": _conditions,
    "wording": _wording,
    "self-contained": _self_contained,
}
"""Name -> function that gives the reason of a failure, or an empty string."""

BLOCKING = frozenset(CHECKS) - {"exact-quote", "self-contained"}
"""A claim that fails one of these says something that its evidence may not say: only a person may promote it."""


def _tail(words: str) -> str:
    """The last two words, which name what is pointed to ("in Kubernetes 1.35, this is")."""
    return " ".join(words.split()[-2:])


def _has_source(statement: Statement) -> bool:
    return any(quote.strip() for quote in statement.quotes)


def _reworded(name: str, statement: Statement) -> str:
    """What the analysis of a text in other words finds; nothing for a quote, whose words are those of its source."""
    if statement.is_quote or not _has_source(statement):
        return ""
    from aipk_core.claims.rewording import differences  # quotes need none of the tables that this reads

    return differences(statement.text, statement.quotes, statement.context, statement.lang).get(name, "")


def _missing(pattern: re.Pattern[str], statement: Statement, message: str) -> str:
    if statement.is_quote:
        return ""
    there = _found(pattern, statement.quotes)
    for token in sorted(_found(pattern, (statement.text,))):
        if token not in there:
            return message.format(token)
    return ""


def _found(pattern: re.Pattern[str], texts: Sequence[str]) -> set[str]:
    return {match.group().strip("`") for text in texts for match in pattern.finditer(text)}
