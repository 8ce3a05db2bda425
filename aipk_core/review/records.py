"""What the review page is told, as JSON values; every text is set as text by the page, never as markup."""

from __future__ import annotations

from bisect import bisect_right
from typing import Any

from aipk_core.claims.differences import word_difference
from aipk_core.claims.history import decision_record, whole_history
from aipk_core.claims.ledger import SEEN_QUOTE, Decision, Seen
from aipk_core.claims.model import Claim, Evidence
from aipk_core.claims.pairs import ClaimPair, PairKind
from aipk_core.claims.queue import ReviewQueue
from aipk_core.documents.model import HEADING_KINDS, Block, Document
from aipk_core.review.desk import ReviewDesk
from aipk_core.serve.pages import is_web_address

_PLACES = 50
_PAIRS = 20
_HISTORY = 50
_BLOCKS_BEFORE = 12
_BLOCKS_AFTER = 12
_BLOCK_CHARACTERS = 4000


def row_record(queue: ReviewQueue, name: str) -> dict[str, Any]:
    """One line of the queue."""
    entry = queue.entry(name)
    first = entry.claim.evidence[0] if entry.claim.evidence else None
    return {
        "id": name,
        "text": entry.claim.text[:300],
        "context": list(entry.claim.context),
        "document": first.document if first else "",
        "status": str(entry.standing.status),
        "why": entry.standing.why,
        "waits": entry.standing.waits_for_people,
        "reasons": list(entry.reasons),
        "risk": entry.risk,
    }


def claim_record(desk: ReviewDesk, name: str) -> dict[str, Any]:
    """Everything that a person should see before deciding on a claim, but for the source page."""
    queue = desk.queue
    entry = queue.entry(name)
    claim = queue.claim(name)
    history = whole_history(queue.file.ledger, name, claim.predecessor)
    return {
        **row_record(queue, name),
        "text": claim.text,
        "reason": claim.reason,
        "kind": claim.kind,
        "lang": claim.lang,
        "engine": claim.engine,
        "predecessor": claim.predecessor,
        "last_entry": queue.last_entry(name),
        "checks": [{"name": c.name, "passed": c.passed, "reason": c.reason} for c in claim.checks],
        "places": [_place(place) for place in claim.evidence[:_PLACES]],
        "more_places": max(0, len(claim.evidence) - _PLACES),
        "conflicts": [_partner(queue, claim, pair) for pair in desk.partners(name, PairKind.CONFLICT)[:_PAIRS]],
        "duplicates": [_partner(queue, claim, pair) for pair in desk.partners(name, PairKind.DUPLICATE)[:_PAIRS]],
        "difference": difference_record(queue, name),
        "in_sample": queue.gate.in_sample(name),
        "history": [decision_record(decision) for decision in history[-_HISTORY:]],
        "risk": entry.risk,
    }


def difference_record(queue: ReviewQueue, name: str) -> dict[str, Any] | None:
    """What changed since a person last saw the claim, or the one that it continues; ``None`` if nothing did."""
    entry = queue.entry(name)
    claim = entry.claim
    if entry.standing.why == "successor":
        succession = queue.gate.successions[name]
        return _difference(succession.decision, succession.predecessor, claim, quotes=False)
    if entry.standing.why == "stale":
        decision = queue.file.ledger.latest(name)
        return _difference(decision, name, claim, quotes=True) if decision else None
    if claim.engine == "edited":
        old = claim.evidence[0].quote if claim.evidence else ""
        return {"of": claim.predecessor, "what": "the source and the edited text", "pieces": _pieces(old, claim.text)}
    return None


def source_record(document: Document, place: Evidence) -> dict[str, Any]:
    """The blocks around a place, with the exact span marked: each block is text before, within and after the mark."""
    starts = [block.start for block in document.blocks]
    at = max(0, bisect_right(starts, place.start) - 1)
    first, last = max(0, at - _BLOCKS_BEFORE), min(len(document.blocks), at + _BLOCKS_AFTER + 1)
    return {
        "document": document.id,
        "title": document.title,
        "lang": document.lang,
        "url": place.url if is_web_address(place.url) else "",
        "heading_path": list(place.heading_path),
        "page": place.page,
        "start": place.start,
        "end": place.end,
        "cut_before": first > 0,
        "cut_after": last < len(document.blocks),
        "blocks": [_block(document.text, block, place) for block in document.blocks[first:last]],
    }


def _block(text: str, block: Block, place: Evidence) -> dict[str, Any]:
    left, right = max(block.start, place.start), min(block.end, place.end)
    if left >= right:
        left = right = block.end
    before, marked, after = text[block.start : left], text[left:right], text[right : block.end]
    if len(before) > _BLOCK_CHARACTERS:
        before = "… " + before[-_BLOCK_CHARACTERS:] if marked else before[:_BLOCK_CHARACTERS] + " …"
    kind = (
        "verbatim"
        if block.is_verbatim
        else "heading"
        if block.kind in HEADING_KINDS
        else "item"
        if block.kind in ("li", "dd", "td", "th")
        else "paragraph"
    )
    return {
        "kind": kind,
        "level": int(block.kind[1]) if block.kind in HEADING_KINDS else 0,
        "columns": list(block.columns),
        "before": before,
        "marked": marked,
        "after": after[:_BLOCK_CHARACTERS],
    }


def _place(place: Evidence) -> dict[str, Any]:
    return {
        "document": place.document,
        "heading_path": list(place.heading_path),
        "quote": place.quote[:1000],
        "page": place.page,
        "url": place.url if is_web_address(place.url) else "",
    }


def _partner(queue: ReviewQueue, claim: Claim, pair: ClaimPair) -> dict[str, Any]:
    name = pair.other(claim.id)
    if name not in queue:
        return {"id": name, "text": "", "context": [], "document": "", "status": "gone", "reasons": list(pair.reasons)}
    other = queue.entry(name)
    record = row_record(queue, name)
    return {
        **{key: record[key] for key in ("id", "context", "document", "status")},
        "text": other.claim.text,
        "reasons": list(pair.reasons),
        "pieces": _pieces(other.claim.text, claim.text),
    }


def _difference(decision: Decision | None, old: str, claim: Claim, *, quotes: bool) -> dict[str, Any] | None:
    if decision is None or decision.seen is None:
        return None
    seen = decision.seen
    what = f"{decision.action} by {decision.reviewer} on {decision.at[:10]}"
    if quotes:
        now = [place.quote[:SEEN_QUOTE] for place in claim.evidence]
        gone = [quote for quote in seen.quotes if quote not in now]
        fresh = [quote for quote in dict.fromkeys(now) if quote not in seen.quotes]
        return {"of": old, "what": what, "pieces": _pieces("\n".join(gone[:4]), "\n".join(fresh[:4]))}
    if seen.text == claim.text:  # the words are the same, so what they stand under is what has changed
        was, is_now = (" > ".join((*context, claim.text)) for context in (seen.context, Seen.of(claim).context))
        return {"of": old, "what": what, "pieces": _pieces(was, is_now)}
    return {"of": old, "what": what, "pieces": _pieces(seen.text, claim.text)}


def _pieces(old: str, new: str) -> list[list[str]]:
    return [[piece.kind, piece.text] for piece in word_difference(old, new)]
