"""Must, may, should, need not, must not."""

from __future__ import annotations

from collections.abc import Iterator

from aipk_core.verify.alignment import Alignment
from aipk_core.verify.checks.polarity import agrees_elsewhere, sign_of
from aipk_core.verify.findings import Finding
from aipk_core.verify.pairing import ClaimSegment, SegmentPair, claim_segments, share_in
from aipk_core.verify.segments import Mood

_CLASHES = {
    frozenset(pair)
    for pair in (
        (Mood.PERMITTED, Mood.FORBIDDEN),
        (Mood.REQUIRED, Mood.OPTIONAL),
        (Mood.REQUIRED, Mood.PERMITTED),
        (Mood.REQUIRED, Mood.ADVISED),
        (Mood.FORBIDDEN, Mood.ADVISED),
        (Mood.FORBIDDEN, Mood.OPTIONAL),
    )
}
_WORDS = {
    Mood.PERMITTED: "allowed",
    Mood.FORBIDDEN: "forbidden",
    Mood.REQUIRED: "required",
    Mood.OPTIONAL: "optional",
    Mood.ADVISED: "recommended",
}


def check_modality(alignment: Alignment, pairs: list[SegmentPair]) -> Iterator[Finding]:
    segments = claim_segments(alignment)
    for pair in pairs:
        mine = pair.segment.mood
        if mine is Mood.STATED or pair.opposites or pair.target is None:
            continue
        near = [pair.target] if pair.share >= 0.5 else []
        near += [s for s in segments if s.claim == pair.target.claim and share_in(pair, s) >= 0.5]
        if any(s.segment.mood is mine for s in near):
            continue
        for target in near:
            theirs = target.segment.mood
            if frozenset((mine, theirs)) not in _CLASHES or pair.segment.exception != target.segment.exception:
                continue
            if Mood.ADVISED not in (mine, theirs) and _same_bound(alignment, pair, target):
                continue  # "may … if at least 16" and "has to be at least 16"
            if theirs is Mood.REQUIRED and mine is Mood.PERMITTED:
                continue  # what must be done may be done
            if Mood.FORBIDDEN in (mine, theirs) and agrees_elsewhere(pair, sign_of(pair.segment), segments, target):
                continue
            yield Finding(
                "modality", f"{_WORDS[mine]} here, {_WORDS[theirs]} in the claim", pair.segment.mood_span, target.claim,
                target.segment.mood_span, True,
            )  # fmt: skip
            return


def _same_bound(alignment: Alignment, pair: SegmentPair, target: ClaimSegment) -> bool:
    """Whether a limit is what both are about: then "may" and "must" name its two sides."""
    return any(
        match.equal
        and match.quantity.bound
        and match.counterpart is not None
        and match.counterpart.bound
        and pair.segment.start <= match.quantity.start < pair.segment.end
        and match.claim == target.claim
        for match in alignment.quantities
    )
