"""Reviewing in the terminal: one claim after the other, one key a decision."""

from __future__ import annotations

import typer
from rich.prompt import Prompt

from aipk_core.claims.ledger import Decision
from aipk_core.claims.model import Status
from aipk_core.claims.pairs import PairKind
from aipk_core.claims.queue import Filter, Order, ReviewQueue
from aipk_core.cli.console import escaped, out
from aipk_core.documents.model import Document
from aipk_core.errors import ReviewError
from aipk_core.review.desk import ReviewDesk
from aipk_core.review.records import difference_record

_KEYS = "a approve   r reject   e edit as new   o reopen   s skip   b back   u undo   q quit"
_AROUND = 300


def review_by_keyboard(desk: ReviewDesk, reviewer: str, wanted: Filter) -> None:
    """Go through the claims that pass the filter until they end or the reviewer quits."""
    queue = desk.queue
    names = queue.select(wanted)
    undoable: list[list[str]] = []
    decided = 0
    at = 0
    while at < len(names):
        name = names[at]
        _show(desk, queue, name, f"{at + 1:,} of {len(names):,}")
        out.print(_KEYS, style="dim")
        key = typer.getchar().lower()
        try:
            if key == "q":
                break
            if key == "b":
                at = max(0, at - 1)
            elif key == "s":
                at += 1
            elif key == "u":
                if undoable:
                    undone = queue.undo(undoable[-1], reviewer)
                    undoable.pop()
                    decided -= 1
                    at = names.index(undone[-1].claim) if undone[-1].claim in names else at
                else:
                    out.print("nothing to undo")
            elif key in _ACTIONS:
                decisions = _decide(queue, name, key, reviewer)
                undoable.append([decision.digest for decision in decisions])
                decided += 1
                at += 1
        except ReviewError as error:
            # A rule was broken or somebody was quicker: the claim is shown again as it is now.
            out.print(f"[red]{escaped(str(error))}[/]")
            queue.refresh()
    out.print(f"{decided:,} decided, {queue.waiting:,} wait")


_ACTIONS = {"a": "approve", "r": "reject", "e": "edit", "o": "reopen"}


def _decide(queue: ReviewQueue, name: str, key: str, reviewer: str) -> list[Decision]:
    action = _ACTIONS[key]
    entry = queue.entry(name)
    reason = text = ""
    if action in ("reject", "reopen"):
        reason = Prompt.ask("reason", console=out)
    if action == "edit":
        text = Prompt.ask("new text", console=out, default=entry.claim.text)
    order = Order(name, action, reason, text, status=entry.standing.status, last_entry=queue.last_entry(name))
    try:
        decisions = queue.decide([order], reviewer)
    except ReviewError as error:
        if error.code != "reason-missing" or reason:
            raise
        out.print(escaped(error.message))
        reason = Prompt.ask("reason", console=out)
        order = Order(name, action, reason, text, status=order.status, last_entry=order.last_entry)
        decisions = queue.decide([order], reviewer)
    for decision in decisions:
        out.print(f"  {decision.claim}: {decision.before} → {decision.after}")
    return decisions


def _show(desk: ReviewDesk, queue: ReviewQueue, name: str, position: str) -> None:
    claim, entry = queue.claim(name), queue.entry(name)
    colour = {Status.CANONICAL: "green", Status.DEPRECATED: "red"}.get(claim.status, "yellow")
    out.rule(f"{position}  {claim.id}  [{colour}]{claim.status}[/]")
    out.print(escaped(" > ".join(claim.context)), style="dim")
    out.print(escaped(claim.text), style="bold")
    for line in dict.fromkeys((claim.reason, *entry.reasons)):
        if line:
            out.print(f"  · {escaped(line)}")
    for check in claim.failed_checks:
        out.print(f"  [red]✗[/] {check.name}: {escaped(check.reason)}")
    difference = difference_record(queue, name)
    if difference is not None:
        styles = {"same": "{}", "gone": "[red strike]{}[/]", "new": "[green underline]{}[/]"}
        shown = "".join(styles[kind].format(escaped(text)) for kind, text in difference["pieces"])
        out.print(f"  changed since {escaped(difference['what'])}: {shown}")
    for kind in PairKind:
        for pair in desk.partners(name, kind)[:5]:
            other = pair.other(name)
            if other in queue:
                text = queue.entry(other).claim.full_text
                out.print(f"  {kind} with {other}: {escaped(text)}\n    {escaped('; '.join(pair.reasons))}")
    if claim.evidence:
        place = claim.evidence[0]
        more = f" and {len(claim.evidence) - 1} more places" if len(claim.evidence) > 1 else ""
        out.print(f"{escaped(place.document)} > {escaped(' > '.join(place.heading_path))}{more}", style="dim")
        out.print(_excerpt(desk.document(place.document), place.start, place.end))


def _excerpt(document: Document, start: int, end: int) -> str:
    before = document.text[max(0, start - _AROUND) : start]
    after = document.text[end : end + _AROUND]
    return f"{escaped(before)}[reverse]{escaped(document.text[start:end])}[/]{escaped(after)}"
