"""What may leave: which units of a judged answer are accepted, and what is left when the others are taken out."""

from __future__ import annotations

import re
from collections.abc import Sequence

from aipk_core.answer.model import RefusalCode
from aipk_core.answer.question import analyse, listed, stem, stems_of
from aipk_core.verify.model import Outcome, Report, UnitKind, UnitReport, Verdict

# Words with which a model offers help or says that it does not know.
_OFFERS = {
    stem(word)
    for word in listed(
        """answer assist contain context else further greetings help hello information know material mention more need
        provide question reference say sorry source state thank unable understand welcome you"""
    )
}
_ASSERTS = re.compile(
    r"\b(?:is|are|was|were|be|been|may|must|can|cannot|will|would|shall|should|has|have|had|do|does|did|not|no|never)\b|n['’]t\b",
    re.IGNORECASE,
)
_LINK = re.compile(r"(?:\b[a-z][a-z0-9+.-]{1,20}:|(?<!:))//[^\s<>()\"'`\]]*[^\s<>()\"'`\].,;:!?]", re.IGNORECASE)
_BRACKETED = re.compile(r"\[[^\[\]\n]{0,200}\]")
_REASONING = re.compile(r"<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_EMPTY_ITEM = re.compile(r"^[ \t]*(?:[-*+•]|\d{1,3}[.)])?[ \t]*(?:\[[ xX]?\])?[ \t]*$")
_EMPTY_ROW = re.compile(r"^[ \t|:-]*\|[ \t|:-]*$")


def visible(text: str) -> str:
    """A model's reply without its reasoning block, which is neither an answer nor checked."""
    return _REASONING.sub("", text).strip()


def faults(report: Report, *, literal: Sequence[str] = ()) -> list[UnitReport]:
    """The units that must not reach a reader when enforcement withholds.

    Args:
        literal: texts of the sources; code and web addresses are accepted only where they stand in one of them.
    """
    return [unit for unit in report.units if not _accepted(unit, literal)]


def standing(report: Report, *, literal: Sequence[str] = ()) -> RefusalCode | None:
    """Why this answer cannot go out as it is, or ``None`` when every unit of it is accepted."""
    if report.outcome is Outcome.EMPTY:
        return RefusalCode.EMPTY_ANSWER
    if report.outcome is Outcome.REFUSAL:
        return RefusalCode.MODEL_DECLINED
    if report.outcome is Outcome.TRUNCATED:
        return RefusalCode.TRUNCATED
    if faults(report, literal=literal) or foreign_links(report.answer, literal):
        return RefusalCode.UNSUPPORTED
    if not any(unit.verdict is Verdict.SUPPORTED for unit in report.units):
        declined = any(unit.verdict is Verdict.REFUSAL for unit in report.units)
        return RefusalCode.MODEL_DECLINED if declined else RefusalCode.NOTHING_TO_CHECK
    return None


def remarks(report: Report, question: str) -> list[UnitReport]:
    """Units that pass for talk (headings, questions, hedges …) and yet bring in something that nobody checked.

    "Did you know that it costs 9000 dollars?" states no fact by its form. Such a unit may stay only when every word of it
    that means something stands in the question, or, for a heading, in the supported statements beside it.
    """
    known = stems_of(question) | _OFFERS
    stated = set(known)
    for unit in report.units:
        if unit.verdict is Verdict.SUPPORTED:
            stated |= stems_of(unit.text)
    return [
        unit
        for unit in report.units
        if unit.verdict in (Verdict.NOT_FACTUAL, Verdict.REFUSAL)
        and unit.kind is not UnitKind.CODE  # held against the sources already
        and not _is_talk(unit, known, stated)
    ]


def without(report: Report, dropped: Sequence[UnitReport]) -> str:
    """The answer without ``dropped``, and without the list marks, table rows and headings that they leave empty."""
    text = report.answer
    for unit in sorted(dropped, key=lambda unit: -unit.start):
        text = f"{text[: unit.start]}\0{text[unit.end :]}"
    lines = []
    for line in text.split("\n"):
        bare = re.sub(r"[ \t]*\0(?:[ \t]*\[[^\[\]\n]{1,200}\])*", "", line)
        emptied = bare != line
        if emptied and (_EMPTY_ITEM.match(bare) or _EMPTY_ROW.match(bare)):
            continue
        lines.append(bare)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def _is_talk(unit: UnitReport, known: set[str], stated: set[str]) -> bool:
    text = _BRACKETED.sub(" ", unit.text)
    content = {term.stem for term in analyse(text).terms}
    if unit.kind is UnitKind.HEADING:
        return content <= stated and not _ASSERTS.search(text)
    if unit.kind is UnitKind.CITATION:
        return not content
    return content <= known


def foreign_links(text: str, literal: Sequence[str]) -> list[str]:
    """Web addresses in ``text`` that no source has.

    A reader's client may follow them by itself (``![](https://…)``), and so tell a stranger what was asked.
    """
    return [link for link in _LINK.findall(text) if not any(link in source for source in literal)]


def _accepted(unit: UnitReport, literal: Sequence[str]) -> bool:
    if unit.unknown_citations or foreign_links(unit.text, literal):
        return False
    if unit.kind is UnitKind.CODE:
        return unit.verdict is Verdict.SUPPORTED or _stands_in(unit.text, literal)
    if unit.kind is UnitKind.REASONING:
        return False
    return unit.verdict in (Verdict.SUPPORTED, Verdict.NOT_FACTUAL, Verdict.REFUSAL)


def _stands_in(code: str, literal: Sequence[str]) -> bool:
    lines = [line.strip() for line in code.splitlines()]
    lines = [line for line in lines if line and not line.startswith(("```", "~~~"))]
    return all(any(line in text for text in literal) for line in lines)
