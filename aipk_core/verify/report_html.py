"""A report as one HTML page: the answer on the left, what it stands on at the right, differences marked.

The page loads nothing and runs no script; every text is escaped.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from urllib.parse import urlsplit

from aipk_core.verify.model import ClaimMatch, Reason, Report, UnitReport, Verdict

_LABELS = {
    Verdict.SUPPORTED: "supported",
    Verdict.CONTRADICTED: "contradicted",
    Verdict.PARTLY_SUPPORTED: "partly supported",
    Verdict.NOT_FOUND: "not found",
    Verdict.NOT_FACTUAL: "not a statement",
    Verdict.REFUSAL: "refusal",
}
_STYLE = """
:root{color-scheme:light dark;--ok:#1a7f37;--bad:#cf222e;--part:#9a6700;--none:#6e7781;--line:#d0d7de;--mark:#fff3a3;--ink:#1f2328;--back:#fff}
@media (prefers-color-scheme:dark){:root{--ok:#3fb950;--bad:#f85149;--part:#d29922;--none:#8b949e;--line:#30363d;--mark:#6b5900;--ink:#e6edf3;--back:#0d1117}}
body{font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--back);margin:2rem auto;max-width:72rem;padding:0 1rem}
h1{font-size:1.3rem}.unit{display:grid;grid-template-columns:1fr 1fr;gap:1rem;border-top:1px solid var(--line);padding:.8rem 0}
@media (max-width:50rem){.unit{grid-template-columns:1fr}}
.verdict{font-size:.8rem;font-weight:600}.supported .verdict{color:var(--ok)}.contradicted .verdict{color:var(--bad)}
.partly_supported .verdict{color:var(--part)}.not_found .verdict{color:var(--part)}.not_factual .verdict,.refusal .verdict{color:var(--none)}
.unit p{margin:.2rem 0;white-space:pre-wrap;overflow-wrap:anywhere}mark{background:var(--mark);color:inherit;border-radius:2px}
.claim{border-left:3px solid var(--line);padding-left:.6rem;margin:.3rem 0}.claim.cited{border-color:var(--ok)}
small{color:var(--none)}ul{margin:.2rem 0;padding-left:1.2rem}
""".strip()


def report_to_html(report: Report, title: str = "Verification report") -> str:
    """A self-contained page in UTF-8."""
    coverage = "nothing to check" if report.coverage is None else f"{report.coverage:.0%} supported"
    counts = ", ".join(f"{count} {_LABELS[Verdict(verdict)]}" for verdict, count in sorted(report.counts.items()))
    body = "\n".join(_unit(report, unit) for unit in report.units)
    notes = "".join(f"<li>{escape(note)}</li>" for note in report.notes)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head><body>\n<h1>{escape(title)}</h1>\n"
        f"<p><strong>{coverage}</strong> · {escape(report.outcome.value.replace('_', ' '))} · {counts or 'no units'} · "
        f"<small>{escape(report.method)}</small></p>\n"
        + (f"<ul>{notes}</ul>\n" if notes else "")
        + body
        + "\n</body></html>\n"
    )


def _unit(report: Report, unit: UnitReport) -> str:
    spans = [
        reason.unit_span for reason in unit.reasons if reason.unit_span and reason.unit_span != (unit.start, unit.end)
    ]
    text = _marked(report.answer, unit.start, unit.end, spans)
    reasons = "".join(
        f"<li>{escape(reason.message)} <small>({escape(reason.check)})</small></li>" for reason in unit.reasons
    )
    claims = "".join(_claim(match, unit.reasons) for match in unit.claims) or (
        "<p><small>no claim speaks of this</small></p>" if unit.factual else ""
    )
    return (
        f'<section class="unit {unit.verdict.value}"><div><span class="verdict">{_LABELS[unit.verdict]}</span>'
        f"<p>{text}</p>{f'<ul>{reasons}</ul>' if reasons else ''}</div><div>{claims}</div></section>"
    )


def _claim(match: ClaimMatch, reasons: Iterable[Reason]) -> str:
    claim = match.claim
    spans = [reason.claim_span for reason in reasons if reason.claim_id == claim.id and reason.claim_span]
    context = f"<small>{escape(' › '.join(claim.context))}</small>" if claim.context else ""
    place = f"{claim.document} {claim.start}–{claim.end}" if claim.document else claim.id
    safe = urlsplit(claim.url).scheme in ("http", "https") if claim.url else False
    source = (
        f'<a href="{escape(claim.url, quote=True)}" rel="noreferrer">{escape(place)}</a>' if safe else escape(place)
    )
    quote = f"<p><small>“{escape(claim.quote)}”</small></p>" if claim.quote and claim.quote != claim.text else ""
    return (
        f'<div class="claim{" cited" if match.cited else ""}">{context}<p>{_marked(claim.text, 0, len(claim.text), spans)}</p>'
        f"{quote}<small>{source} · {escape(claim.id)}{' · cited' if match.cited else ''}</small></div>"
    )


def _marked(text: str, start: int, end: int, spans: Iterable[tuple[int, int]]) -> str:
    """``text[start:end]``, escaped, with the spans marked; overlapping spans are joined."""
    parts, at = [], start
    for a, b in sorted(spans):
        a, b = max(a, at), min(b, end)
        if a >= b:
            continue
        parts += [escape(text[at:a]), "<mark>", escape(text[a:b]), "</mark>"]
        at = b
    return "".join(parts) + escape(text[at:end])
