"""Conditions that the claim makes and the statement denies or drops."""

from __future__ import annotations

import re
from collections.abc import Iterator
from operator import ge, gt, le, lt

from aipk_core.verify.alignment import Alignment
from aipk_core.verify.analysis import Analysis, Word
from aipk_core.verify.checks.polarity import sign_of
from aipk_core.verify.findings import Finding
from aipk_core.verify.lexicon import cues
from aipk_core.verify.lexicon.wordnet import Relation
from aipk_core.verify.segments import Mood, segments_of
from aipk_core.verify.vocabulary import bare_words, lacks


def check_conditions(alignment: Alignment) -> Iterator[Finding]:
    statement = alignment.statement
    if statement.lang != "en":
        return
    if alignment.coverage < 0.35:
        return
    yield from _without_it(alignment)
    yield from _excepted(alignment)
    denied = cues.CONDITION_DENIED.search(statement.text)
    if not denied:
        return
    for number, claim in enumerate(alignment.claims):
        shared = statement.stems & claim.stems
        condition = cues.CONDITION.search(claim.text) or cues.EXCEPTION["en"].search(claim.text)
        if _ALONE.search(denied[0]) and not _COMPANY.search(claim.text):
            continue  # "on his own" denies company, not every condition
        if condition and len(shared) >= 2 and not cues.CONDITION_DENIED.search(claim.text):
            yield Finding(
                "condition", f"“{denied[0]}” here, a condition (“{condition[0]} …”) in the claim", denied.span(), number,
                condition.span(), True,
            )  # fmt: skip
            return


_ALONE = re.compile(r"\b(?:own|unaccompanied|unsupervised|unescorted|\w+sel(?:f|ves))\b", re.IGNORECASE)
_COMPANY = re.compile(
    r"\b(?:accompan\w*|supervis\w*|escort\w*|together|presence|present|pairs?|colleague|with (?:an?|the|another|someone|their|his|her))\b",
    re.IGNORECASE,
)
_WITHOUT_WORDS = frozenset(["without", "with", "lacking"])
_EXCEPT_WORDS = frozenset(["except", "excluding", "apart", "exception", "other"])
_WITHOUT = re.compile(r"\b(?:without|with no|lacking)\b(?P<what>[^.;,]{3,80})", re.IGNORECASE)
_NEEDED = re.compile(
    r"\b(?:only (?:if|when|with|after|once|in the (?:company|presence) of|under|on)|provided(?: that)?|providing|as long as|"
    r"on condition that|needs?(?! not)|requires?|must (?:have|bring|show|carry|wear|hold|be accompanied by)|"
    r"(?:has|have) to (?:have|bring|show|carry|wear|be accompanied by)|(?:is|are) required)\b(?P<what>[^.;]{3,120})",
    re.IGNORECASE,
)


def _without_it(alignment: Alignment) -> Iterator[Finding]:
    """``… without an adult`` where the claim says ``only with an adult``."""
    statement = alignment.statement
    if lacks(bare_words(statement.text), _WITHOUT_WORDS):
        return
    without = _WITHOUT.search(statement.text)
    if not without or cues.negations("en").search(statement.text, 0, without.start()):
        return
    if any(segment.mood in (Mood.FORBIDDEN, Mood.OPTIONAL) for segment in segments_of(statement)):
        return
    missing = [word for word in statement.words if without.start("what") <= word.start < without.end("what")]
    main = [word for word in statement.words if word.start < without.start() or word.start >= without.end("what")]
    for number, claim in enumerate(alignment.claims):
        if claim.lang != "en" or cues.negations("en").search(claim.text):
            continue
        for needed in _NEEDED.finditer(claim.text):
            there = [word for word in claim.words if needed.start("what") <= word.start < needed.end("what")]
            rest = [word for word in claim.words if word.start < needed.start()]
            met = _met(missing, there)
            if met and met * 2 >= len(missing) and _met(main, rest) and _concerns(statement, claim):
                yield Finding(
                    "condition", f"“{without[0].strip()}” here, “{needed[0].strip()}” in the claim", without.span(), number,
                    needed.span(), True,
                )  # fmt: skip
                return


_EXCEPT = re.compile(
    r"\b(?:except(?: for| on| in| at)?|excluding|apart from|with the exception of|other than)\s(?P<what>[^.,;:]{2,60}?)"
    r"(?=[.,;:]|$|\s(?:is|are|was|were|may|can|must|has|have|do|does|will)\b)",
    re.IGNORECASE,
)


def _excepted(alignment: Alignment) -> Iterator[Finding]:
    """``It froze in 1710`` where the claim has ``every winter except 1710``."""
    statement = alignment.statement
    if all(lacks(bare_words(claim.text), _EXCEPT_WORDS) for claim in alignment.claims):
        return
    if alignment.coverage < 0.6 or _EXCEPT.search(statement.text):
        return
    signs = {sign_of(segment) for segment in segments_of(statement)}
    for number, claim in enumerate(alignment.claims):
        excepted = _EXCEPT.search(claim.text) if claim.lang == "en" else None
        if excepted is None:
            continue
        denials = [
            m for m in cues.negations("en").finditer(claim.text) if not excepted.start() <= m.start() < excepted.end()
        ]
        if signs != {-1 if len(denials) % 2 else 1}:
            continue
        start, end = excepted.span("what")
        here = [w for w in claim.words if start <= w.start < end]
        rest = [w for w in claim.words if not start <= w.start < end]
        own = [w for w in here if not _met([w], rest)]
        values = [q for q in claim.quantities if start <= q.start < end]
        told = all(_met([w], list(statement.words)) for w in own) and all(
            any(q.same_as(mine) for mine in statement.quantities) for q in values
        )
        if (own or values) and told and _met(list(statement.words), rest):
            yield Finding(
                "condition", f"“{excepted[0]}” in the claim", (0, len(statement.text)), number, excepted.span(), True
            )
            return


def _met(mine: list[Word], theirs: list[Word]) -> int:
    return sum(any(word.relation(other) >= Relation.DERIVED for other in theirs) for word in mine)


def _concerns(statement: Analysis, claim: Analysis) -> bool:
    """Whether a limit in the claim ("under 8") covers the one of whom the statement speaks ("a seven-year-old")."""
    limits = [q for q in claim.quantities if q.bound in ("lt", "le", "gt", "ge") and q.value is not None]
    if not limits:
        return True
    values = [q.value / q.unit.factor if q.unit else q.value for q in statement.quantities if q.value is not None]
    holds = {"lt": lt, "le": le, "gt": gt, "ge": ge}
    bounds = [(q.bound, q.value / q.unit.factor if q.unit else q.value) for q in limits if q.value is not None]
    return any(holds[bound](value, limit) for bound, limit in bounds for value in values)
