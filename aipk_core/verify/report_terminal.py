"""A report for the terminal: each unit with its verdict, the reasons, and the claim it was compared with."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from aipk_core.verify.model import Report, UnitReport, Verdict, VerifiableClaim

_SIGNS = {
    Verdict.SUPPORTED: ("✓", "green"),
    Verdict.CONTRADICTED: ("✗", "bold red"),
    Verdict.PARTLY_SUPPORTED: ("◐", "yellow"),
    Verdict.NOT_FOUND: ("?", "yellow"),
    Verdict.NOT_FACTUAL: ("·", "dim"),
    Verdict.REFUSAL: ("–", "cyan"),
}


def print_report(report: Report, console: Console) -> None:
    """Prints the report; texts are shown as they are, without markup and control characters."""
    for unit in report.units:
        console.print(render_unit(report, unit))
    console.print(summary_line(report))
    for note in report.notes:
        console.print(Text(f"note: {_plain(note)}", style="dim"))


def summary_line(report: Report) -> Text:
    coverage = "nothing to check" if report.coverage is None else f"{report.coverage:.0%} supported"
    counts = ", ".join(f"{count} {verdict.replace('_', ' ')}" for verdict, count in sorted(report.counts.items()))
    return Text.assemble(
        (coverage, "bold"), f" · {report.outcome.value.replace('_', ' ')} · {counts or 'no units'} · {report.method}"
    )


def render_unit(report: Report, unit: UnitReport) -> RenderableType:
    sign, style = _SIGNS[unit.verdict]
    head = Text.assemble((f"{sign} {unit.verdict.value.replace('_', ' '):<16} ", style))
    spans = [
        reason.unit_span for reason in unit.reasons if reason.unit_span and reason.unit_span != (unit.start, unit.end)
    ]
    head.append_text(_marked(report.answer, unit.start, unit.end, spans))
    lines: list[RenderableType] = [head]
    for reason in unit.reasons:
        lines.append(Padding(Text(f"{_plain(reason.message)}  [{reason.check}]", style="dim"), (0, 0, 0, 4)))
    for claim in _shown_claims(unit):
        claim_spans = [
            reason.claim_span for reason in unit.reasons if reason.claim_id == claim.id and reason.claim_span
        ]
        line = Text(f"claim {claim.id}: ", style="dim")
        line.append_text(_marked(claim.text, 0, len(claim.text), claim_spans))
        lines.append(Padding(line, (0, 0, 0, 4)))
    return Group(*lines)


def _shown_claims(unit: UnitReport) -> list[VerifiableClaim]:
    """The claim that comes nearest, and those that the reasons speak of; none for a unit that is supported."""
    if unit.verdict is Verdict.SUPPORTED:
        return []
    spoken_of = {reason.claim_id for reason in unit.reasons}
    return [match.claim for n, match in enumerate(unit.claims) if n == 0 or match.claim.id in spoken_of]


def _marked(text: str, start: int, end: int, spans: Iterable[tuple[int, int]]) -> Text:
    shown = Text(_plain(text[start:end]))
    for a, b in spans:
        shown.stylize("reverse", max(0, a - start), max(0, min(b, end) - start))
    return shown


def _plain(text: str) -> str:
    """Control characters could command the terminal: one sign for each keeps the offsets."""
    return "".join(char if char.isprintable() else " " if char.isspace() else "�" for char in text)
