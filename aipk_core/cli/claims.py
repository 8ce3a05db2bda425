"""``aipk claims``: look at the claims of a corpus and decide on them."""

from __future__ import annotations

import getpass
import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Column, Table

from aipk_core.claims.history import decision_record, pace_of, whole_history
from aipk_core.claims.model import Claim, Status
from aipk_core.claims.pairs import PairKind
from aipk_core.claims.queue import ALL, Filter, Order, ReviewQueue, filter_with_defaults
from aipk_core.cli.claims_review import review_by_keyboard
from aipk_core.cli.console import EXIT_BELOW, escaped, out, reporting_errors
from aipk_core.review.desk import ReviewDesk

app = typer.Typer(no_args_is_help=True, help="Look at the claims of a corpus and decide on them.")

CorpusArgument = Annotated[Path, typer.Argument(help="A corpus folder that was built before.")]
ClaimArgument = Annotated[str, typer.Argument(help="Id of a claim, like c-abcdefghijkl.")]
ClaimsArgument = Annotated[list[str], typer.Argument(help="Ids of claims.")]
ReviewerOption = Annotated[str, typer.Option(help="Who decides; your login name by default.")]
ReasonOption = Annotated[str, typer.Option(help="Why.")]
JsonOption = Annotated[bool, typer.Option("--json", help="JSON instead of a table.")]
ViewOption = Annotated[str, typer.Option(help="waiting (for a person), all, or a status.")]
WhyOption = Annotated[str, typer.Option(help="stale, successor, checks, sample, second, expired, conflict, new …")]
ContainingOption = Annotated[str, typer.Option(help="Only claims whose text or context holds these words.")]
DocumentOption = Annotated[str, typer.Option(help="Only claims of documents whose path holds this.")]
CheckOption = Annotated[str, typer.Option(help="Only claims that fail this check.")]
KindOption = Annotated[str, typer.Option(help="sentence, item or row.")]
PairOption = Annotated[str, typer.Option(help="conflict or duplicate: only claims in such a pair.")]


@app.command("list")
@reporting_errors
def list_claims(
    corpus: CorpusArgument,
    view: ViewOption = ALL,
    status: Annotated[Status | None, typer.Option(help="Only claims with this status.")] = None,
    why: WhyOption = "",
    containing: ContainingOption = "",
    document: DocumentOption = "",
    check: CheckOption = "",
    kind: KindOption = "",
    pair: PairOption = "",
    decided_by: Annotated[str, typer.Option(help="Only claims that this person decided on.")] = "",
    limit: Annotated[int, typer.Option(help="At most so many.", min=1)] = 50,
    as_json: JsonOption = False,
) -> None:
    """List claims, those that most need a person first."""
    queue = ReviewDesk(corpus).queue
    values = {
        "view": str(status) if status else view,
        "why": why,
        "containing": containing,
        "document": document,
        "check": check,
        "kind": kind,
        "pair": pair,
        "reviewer": decided_by,
    }
    chosen = queue.select(filter_with_defaults(values))
    if as_json:
        for name in chosen[:limit]:
            print(json.dumps(_record(queue, name), ensure_ascii=False))
        return
    table = Table(
        Column("id", no_wrap=True),
        Column("status", no_wrap=True),
        Column("claim", ratio=5),
        Column("stands in", ratio=2, overflow="fold"),
        Column("why", ratio=3),
        box=None,
        pad_edge=False,
        expand=True,
    )
    for name in chosen[:limit]:
        claim, entry = queue.claim(name), queue.entry(name)
        place = claim.evidence[0]
        more = f" +{len(claim.evidence) - 1}" if len(claim.evidence) > 1 else ""
        why_shown = claim.reason or ", ".join(entry.reasons)
        table.add_row(
            claim.id, claim.status, escaped(claim.full_text), escaped(place.document) + more, escaped(why_shown)
        )
    out.print(table)
    if len(chosen) > limit:
        out.print(f"… and {len(chosen) - limit:,} more (--limit)")


@app.command()
@reporting_errors
def show(corpus: CorpusArgument, claim: ClaimArgument, as_json: JsonOption = False) -> None:
    """Show one claim: its text, checks, every place where it stands, pairs, differences and decisions."""
    from aipk_core.review.records import difference_record

    desk = ReviewDesk(corpus)
    queue = desk.queue
    found = queue.claim(claim)
    decisions = whole_history(queue.file.ledger, claim, found.predecessor)
    difference = difference_record(queue, claim)
    if as_json:
        record = {**_record(queue, claim), "decisions": [decision_record(d) for d in decisions]}
        for kind in PairKind:
            pairs = desk.partners(claim, kind)
            record[f"{kind}s"] = [{"id": pair.other(claim), "reasons": list(pair.reasons)} for pair in pairs]
        record["difference"] = difference
        print(json.dumps(record, ensure_ascii=False, indent=2))
        return
    out.print(f"[bold]{found.id}[/]  {found.status}  {escaped(found.reason)}")
    out.print(escaped(" > ".join(found.context)), style="dim")
    out.print(escaped(found.text))
    if difference is not None:
        out.print(f"  changed since {escaped(difference['of'])} ({escaped(difference['what'])}):")
        out.print("  " + _coloured(difference["pieces"]))
    for check in found.checks:
        out.print(f"  {'[green]✓[/]' if check.passed else '[red]✗[/]'} {check.name} {escaped(check.reason)}")
    for place in found.evidence[:20]:
        out.print(f"  {escaped(place.document)} \\[{place.start}:{place.end}] {escaped(place.url)}", soft_wrap=True)
    if len(found.evidence) > 20:
        out.print(f"  … and {len(found.evidence) - 20} more places")
    for kind in PairKind:
        for pair in desk.partners(claim, kind):
            out.print(f"  {kind} with {pair.other(claim)}: {escaped('; '.join(pair.reasons))}")
    for decision in decisions:
        on = f" on {decision.claim}" if decision.claim != claim else ""
        out.print(
            f"  {decision.at} {decision.action}{on} by {escaped(decision.reviewer)} {escaped(decision.reason)}".rstrip()
        )


@app.command()
@reporting_errors
def stats(
    corpus: CorpusArgument,
    reviewer: Annotated[str, typer.Option(help="Also this person's pace.")] = "",
    as_json: JsonOption = False,
) -> None:
    """Count claims by status, and say how the review stands."""
    queue = ReviewDesk(corpus).queue
    figures: dict[str, Any] = {str(status): queue.counts.get(str(status), 0) for status in Status}
    entries = [queue.entry(name) for name in queue.select(Filter(ALL))]
    figures["waiting"] = queue.waiting
    for why in ("stale", "successor", "expired", "second"):
        figures[why] = sum(entry.standing.why == why for entry in entries)
    ledger = queue.file.ledger
    figures["decided_by_people"] = sum(ledger.latest(entry.claim.id) is not None for entry in entries)
    figures["ledger_entries"] = len(ledger.decisions)
    if queue.gate.sample is not None:
        sample = queue.gate.sample
        figures |= {"sample_size": sample.size, "sample_read": sample.read, "sample_wrong": sample.wrong}
        figures |= {"sample_upper_bound": round(sample.upper_bound, 4), "sample_accepted": sample.accepted}
    if reviewer:
        pace = pace_of(ledger, reviewer)
        figures |= {"decided_today": pace.today, "per_minute": pace.per_minute}
    if as_json:
        print(json.dumps(figures))
        return
    for name, value in figures.items():
        out.print(f"{name:<20} {value:>8,}" if isinstance(value, int) else f"{name:<20} {value!s:>8}")


@app.command()
@reporting_errors
def promote(
    corpus: CorpusArgument,
    claims: ClaimsArgument,
    reviewer: ReviewerOption = "",
    reason: ReasonOption = "",
    valid_from: Annotated[str, typer.Option(help="First day on which it is true, like 2026-01-31.")] = "",
    valid_until: Annotated[str, typer.Option(help="Last day on which it is true.")] = "",
    as_json: JsonOption = False,
) -> None:
    """Make claims canonical. Where two people are needed, the second one does this."""
    _decide(corpus, claims, "promote", reviewer, reason, as_json, valid_from=valid_from, valid_until=valid_until)


@app.command("approve")
@reporting_errors
def approve(
    corpus: CorpusArgument,
    claims: ClaimsArgument,
    reviewer: ReviewerOption = "",
    reason: ReasonOption = "",
    as_json: JsonOption = False,
) -> None:
    """Take claims the step towards canonical that you can take: reviewed for the first of two people, else canonical."""
    _decide(corpus, claims, "approve", reviewer, reason, as_json)


@app.command()
@reporting_errors
def demote(
    corpus: CorpusArgument,
    claims: ClaimsArgument,
    reason: Annotated[str, typer.Option(help="Why; needed.")],
    reviewer: ReviewerOption = "",
    as_json: JsonOption = False,
) -> None:
    """Take canonical claims back to reviewed."""
    _decide(corpus, claims, "demote", reviewer, reason, as_json)


@app.command()
@reporting_errors
def reject(
    corpus: CorpusArgument,
    claims: ClaimsArgument,
    reason: Annotated[str, typer.Option(help="Why; needed.")],
    reviewer: ReviewerOption = "",
    as_json: JsonOption = False,
) -> None:
    """Reject claims; they never come back by themselves."""
    _decide(corpus, claims, "reject", reviewer, reason, as_json)


@app.command()
@reporting_errors
def reopen(
    corpus: CorpusArgument,
    claims: ClaimsArgument,
    reason: Annotated[str, typer.Option(help="Why; needed.")],
    reviewer: ReviewerOption = "",
    as_json: JsonOption = False,
) -> None:
    """Put rejected claims back into the queue."""
    _decide(corpus, claims, "reopen", reviewer, reason, as_json)


@app.command()
@reporting_errors
def edit(
    corpus: CorpusArgument,
    claim: ClaimArgument,
    text: Annotated[str, typer.Option(help="The text of the claim that takes its place.")],
    reviewer: ReviewerOption = "",
    reason: ReasonOption = "",
    as_json: JsonOption = False,
) -> None:
    """Replace a claim by one with another text on the same evidence; it must pass its checks, or it waits."""
    _decide(corpus, [claim], "edit", reviewer, reason, as_json, text=text)


@app.command()
@reporting_errors
def undo(
    corpus: CorpusArgument,
    claims: ClaimsArgument,
    reviewer: ReviewerOption = "",
    reason: ReasonOption = "",
    as_json: JsonOption = False,
) -> None:
    """Take back your last decision on claims, by a new entry in the ledger."""
    queue = ReviewDesk(corpus).queue
    latest = [queue.gate.decision_on(name) for name in claims]
    entries = [decision.digest if decision else "" for decision in latest]
    _say(queue.undo(entries, reviewer or getpass.getuser(), reason=reason), as_json)


@app.command("review")
@reporting_errors
def review(
    corpus: CorpusArgument,
    reviewer: ReviewerOption = "",
    view: ViewOption = "waiting",
    why: WhyOption = "",
    containing: ContainingOption = "",
    document: DocumentOption = "",
    check: CheckOption = "",
    pair: PairOption = "",
) -> None:
    """Decide on claims one after the other, by single keys, here in the terminal."""
    desk = ReviewDesk(corpus)
    values = {"view": view, "why": why, "containing": containing, "document": document, "check": check, "pair": pair}
    review_by_keyboard(desk, reviewer or getpass.getuser(), filter_with_defaults(values))


@app.command()
@reporting_errors
def conflicts(
    corpus: CorpusArgument,
    duplicates: Annotated[bool, typer.Option("--duplicates", help="Near-duplicates instead of conflicts.")] = False,
    settled: Annotated[bool, typer.Option("--settled", help="Also pairs of which one was rejected.")] = False,
    limit: Annotated[int, typer.Option(help="At most so many.", min=1)] = 50,
    as_json: JsonOption = False,
) -> None:
    """List claims that contradict each other. Exit code 1 when there are open conflicts."""
    desk = ReviewDesk(corpus)
    queue = desk.queue
    wanted = PairKind.DUPLICATE if duplicates else PairKind.CONFLICT
    pairs = [
        pair
        for pair in desk.pairs
        if pair.kind is wanted
        and pair.a in queue
        and pair.b in queue
        and (settled or all(queue.entry(c).standing.status is not Status.DEPRECATED for c in (pair.a, pair.b)))
    ]
    for pair in pairs[:limit]:
        one, other = queue.claim(pair.a), queue.claim(pair.b)
        if as_json:
            record = {
                "kind": pair.kind,
                "a": _record(queue, pair.a),
                "b": _record(queue, pair.b),
                "reasons": list(pair.reasons),
                "similarity": pair.similarity,
                "judge": pair.judge,
            }
            print(json.dumps(record, ensure_ascii=False))
            continue
        out.print(f"[bold]{escaped('; '.join(pair.reasons))}[/]")
        for claim in (one, other):
            place = claim.evidence[0].document if claim.evidence else ""
            out.print(f"  {claim.id} {claim.status} {escaped(place)}\n    {escaped(claim.full_text)}")
    if not as_json and len(pairs) > limit:
        out.print(f"… and {len(pairs) - limit:,} more (--limit)")
    if pairs and not duplicates:
        raise typer.Exit(EXIT_BELOW)


@app.command()
@reporting_errors
def history(
    corpus: CorpusArgument,
    claim: Annotated[str, typer.Argument(help="Only the decisions on this claim and those that it continues.")] = "",
    reviewer: Annotated[str, typer.Option(help="Only this person's decisions.")] = "",
    limit: Annotated[int, typer.Option(help="At most so many, the last ones.", min=1)] = 50,
    as_json: JsonOption = False,
) -> None:
    """List decisions, oldest first."""
    from aipk_core.claims.ledger import read_ledger
    from aipk_core.corpus import load_corpus

    ledger = read_ledger(load_corpus(corpus).ledger)
    decisions = whole_history(ledger, claim) if claim else ledger.decisions
    chosen = [decision for decision in decisions if not reviewer or decision.reviewer == reviewer]
    for decision in chosen[-limit:]:
        if as_json:
            print(json.dumps(decision_record(decision), ensure_ascii=False))
            continue
        seen = decision.seen.text if decision.seen else ""
        out.print(
            f"{decision.at} {decision.claim} {decision.action} by {escaped(decision.reviewer)}: "
            f"{decision.before} → {decision.after}  {escaped(decision.reason)}"
        )
        if seen:
            out.print(f"    {escaped(seen[:200])}", style="dim")


def _decide(
    folder: Path,
    ids: list[str],
    action: str,
    reviewer: str,
    reason: str,
    as_json: bool,
    *,
    text: str = "",
    valid_from: str = "",
    valid_until: str = "",
) -> None:
    queue = ReviewDesk(folder).queue
    orders = [
        Order(name, action, reason, text, valid_from=valid_from, valid_until=valid_until) for name in dict.fromkeys(ids)
    ]
    _say(queue.decide(orders, reviewer or getpass.getuser()), as_json)


def _say(decisions: list[Any], as_json: bool) -> None:
    for decision in decisions:
        if as_json:
            print(json.dumps(decision_record(decision), ensure_ascii=False))
        else:
            replaced = f", replaced by {decision.edit.id}" if decision.edit else ""
            out.print(f"{decision.claim}: {decision.before} → {decision.after}{replaced}")


def _coloured(pieces: list[list[str]]) -> str:
    styles = {"same": "{}", "gone": "[red strike]{}[/]", "new": "[green underline]{}[/]"}
    return "".join(styles[kind].format(escaped(text)) for kind, text in pieces)


def _record(queue: ReviewQueue, name: str) -> dict[str, Any]:
    claim: Claim = queue.claim(name)
    entry = queue.entry(name)
    return {
        "id": claim.id,
        "status": claim.status,
        "text": claim.text,
        "context": list(claim.context),
        "reason": claim.reason,
        "why": entry.standing.why,
        "risk": entry.risk,
        "risk_reasons": list(entry.reasons),
        "kind": claim.kind,
        "lang": claim.lang,
        "engine": claim.engine,
        "predecessor": claim.predecessor,
        "checks": [{"name": c.name, "passed": c.passed, "reason": c.reason} for c in claim.checks],
        "evidence": [
            {"document": e.document, "start": e.start, "end": e.end, "quote": e.quote, "url": e.url}
            for e in claim.evidence
        ],
    }
