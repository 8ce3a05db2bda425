"""``aipk claims``: look at the claims of a corpus and decide on them."""

from __future__ import annotations

import getpass
import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from aipk_core.claims.deciding import decide
from aipk_core.claims.ledger import read_ledger
from aipk_core.claims.model import Claim, Status
from aipk_core.claims.policy import Policy, apply_review, count_review
from aipk_core.cli.console import escaped, out, reporting_errors
from aipk_core.corpus import Corpus, load_corpus
from aipk_core.errors import ReviewError
from aipk_core.store.workspace import Workspace

app = typer.Typer(no_args_is_help=True, help="Look at the claims of a corpus and decide on them.")

CorpusArgument = Annotated[Path, typer.Argument(help="A corpus folder.")]
ClaimArgument = Annotated[str, typer.Argument(help="Id of a claim, like c-abcdefghijkl.")]
ReviewerOption = Annotated[str, typer.Option(help="Who decides; your login name by default.")]
JsonOption = Annotated[bool, typer.Option("--json", help="JSON instead of a table.")]


@app.command("list")
@reporting_errors
def list_claims(
    corpus: CorpusArgument,
    status: Annotated[Status | None, typer.Option(help="Only claims with this status.")] = None,
    containing: Annotated[str, typer.Option(help="Only claims whose text or context holds these words.")] = "",
    limit: Annotated[int, typer.Option(help="At most so many.", min=1)] = 50,
    as_json: JsonOption = False,
) -> None:
    """List claims, those that wait for a decision first."""
    _, claims = _claims(corpus)
    order = [Status.EXTRACTED, Status.REVIEWED, Status.CANONICAL, Status.DEPRECATED]
    words = containing.casefold()
    chosen = [
        claim
        for claim in sorted(claims, key=lambda claim: order.index(claim.status))
        if (status is None or claim.status is status) and words in claim.full_text.casefold()
    ]
    if as_json:
        for claim in chosen[:limit]:
            print(json.dumps(_record(claim), ensure_ascii=False))
        return
    table = Table("id", "status", "claim", "stands in", "why", box=None, pad_edge=False)
    for claim in chosen[:limit]:
        place = claim.evidence[0]
        more = f" +{len(claim.evidence) - 1}" if len(claim.evidence) > 1 else ""
        table.add_row(
            claim.id, claim.status, escaped(claim.full_text), escaped(place.document) + more, escaped(claim.reason)
        )
    out.print(table)
    if len(chosen) > limit:
        out.print(f"… and {len(chosen) - limit:,} more (--limit)")


@app.command()
@reporting_errors
def show(corpus: CorpusArgument, claim: ClaimArgument, as_json: JsonOption = False) -> None:
    """Show one claim: its text, checks, every place where it stands, and its decisions."""
    loaded, claims = _claims(corpus)
    found = _find(claims, claim)
    history = read_ledger(loaded.ledger).history(claim)
    if as_json:
        decisions = [
            {"at": d.at, "action": d.action, "after": d.after, "reviewer": d.reviewer, "reason": d.reason}
            for d in history
        ]
        print(json.dumps({**_record(found), "decisions": decisions}, ensure_ascii=False, indent=2))
        return
    out.print(f"[bold]{found.id}[/]  {found.status}  {escaped(found.reason)}")
    out.print(escaped(" > ".join(found.context)), style="dim")
    out.print(escaped(found.text))
    for check in found.checks:
        out.print(f"  {'[green]✓[/]' if check.passed else '[red]✗[/]'} {check.name} {escaped(check.reason)}")
    for place in found.evidence[:20]:
        out.print(f"  {escaped(place.document)} \\[{place.start}:{place.end}] {escaped(place.url)}", soft_wrap=True)
    if len(found.evidence) > 20:
        out.print(f"  … and {len(found.evidence) - 20} more places")
    for decision in history:
        out.print(f"  {decision.at} {decision.action} by {escaped(decision.reviewer)} {escaped(decision.reason)}")


@app.command()
@reporting_errors
def stats(corpus: CorpusArgument, as_json: JsonOption = False) -> None:
    """Count claims by status."""
    loaded, claims = _claims(corpus)
    counts = count_review(claims, read_ledger(loaded.ledger))
    figures = {str(status): counts.by_status.get(str(status), 0) for status in Status}
    figures |= {"waiting": counts.waiting, "stale": counts.stale, "decided_by_people": counts.decided_by_people}
    if as_json:
        print(json.dumps(figures))
        return
    for name, value in figures.items():
        out.print(f"{name:<20} {value:>8,}")


@app.command()
@reporting_errors
def promote(
    corpus: CorpusArgument,
    claims: Annotated[list[str], typer.Argument(help="Ids of claims.")],
    reviewer: ReviewerOption = "",
    reason: Annotated[str, typer.Option(help="Why.")] = "",
) -> None:
    """Make claims canonical."""
    _decide(corpus, claims, "promote", reviewer, reason)


@app.command()
@reporting_errors
def reject(
    corpus: CorpusArgument,
    claims: Annotated[list[str], typer.Argument(help="Ids of claims.")],
    reason: Annotated[str, typer.Option(help="Why; needed.")],
    reviewer: ReviewerOption = "",
) -> None:
    """Reject claims; they never come back by themselves."""
    _decide(corpus, claims, "reject", reviewer, reason)


@app.command()
@reporting_errors
def reopen(
    corpus: CorpusArgument,
    claims: Annotated[list[str], typer.Argument(help="Ids of claims.")],
    reason: Annotated[str, typer.Option(help="Why; needed.")],
    reviewer: ReviewerOption = "",
) -> None:
    """Put rejected claims back into the queue."""
    _decide(corpus, claims, "reopen", reviewer, reason)


def _decide(folder: Path, ids: list[str], action: str, reviewer: str, reason: str) -> None:
    corpus, claims = _claims(folder)
    chosen = [_find(claims, name) for name in ids]
    for claim in chosen:
        decision = decide(corpus.ledger, claim, action, reviewer=reviewer or getpass.getuser(), reason=reason)
        out.print(f"{claim.id}: {decision.before} → {decision.after}")


def _claims(folder: Path) -> tuple[Corpus, list[Claim]]:
    from aipk_core.stages.claims import read_claims

    corpus = load_corpus(folder)
    manifest = Workspace.of(corpus.folder).require_manifest(corpus.name, "claims")
    review = corpus.settings.review
    claims = apply_review(read_claims(manifest), read_ledger(corpus.ledger), Policy(review.policy, review.checks))
    return corpus, claims


def _find(claims: list[Claim], name: str) -> Claim:
    for claim in claims:
        if claim.id == name:
            return claim
    raise ReviewError(f"there is no claim '{name}'", code="claim-unknown", remedy="See 'aipk claims list'")


def _record(claim: Claim) -> dict[str, Any]:
    return {
        "id": claim.id,
        "status": claim.status,
        "text": claim.text,
        "context": list(claim.context),
        "reason": claim.reason,
        "kind": claim.kind,
        "lang": claim.lang,
        "checks": [{"name": c.name, "passed": c.passed, "reason": c.reason} for c in claim.checks],
        "evidence": [
            {"document": e.document, "start": e.start, "end": e.end, "quote": e.quote, "url": e.url}
            for e in claim.evidence
        ],
    }
