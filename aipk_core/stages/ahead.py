"""What the next build would redo, and why: found out without doing it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from aipk_core.stages.documents import DocumentsAhead, documents_ahead
from aipk_core.stages.model import StageContext
from aipk_core.stages.record import StageRecord, read_record, stage_record
from aipk_core.stages.registry import STAGES

UP_TO_DATE = "up to date"
WOULD_RUN = "would run"
AFTER_OTHERS = "if earlier stages change"
NEVER_RAN = "has not run"

_REASONS_SHOWN = 8


@dataclass(frozen=True, slots=True)
class StageAhead:
    """What the next build would do in one stage.

    Attributes:
        state: ``up to date``, ``would run``, ``has not run``, or ``if earlier stages change``: a stage above would run,
            and this one follows only if that gives another output (an edit that no reader sees does not).
        reasons: why, one sentence each.
        documents: of the stage ``documents``: reason -> ids of the documents that would be loaded again.
    """

    stage: str
    state: str
    reasons: tuple[str, ...] = ()
    documents: dict[str, list[str]] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        return {"state": self.state, "reasons": list(self.reasons), "documents": self.documents}


def stages_ahead(context: StageContext) -> list[StageAhead]:
    """What the next build would do, stage by stage. Sources are brought up to date, as for a build.

    Raises:
        SourceError, StoreError: a source or a manifest cannot be read.
    """
    found: list[StageAhead] = []
    moving: set[str] = set()
    for name, stage in STAGES.items():
        above = [other for other in stage.depends_on if other in moving]
        item = _stage_ahead(context, name, above)
        if item.state != UP_TO_DATE:
            moving.add(name)
        found.append(item)
    return found


def _stage_ahead(context: StageContext, name: str, above: list[str]) -> StageAhead:
    workspace, corpus = context.workspace, context.corpus
    known = read_record(workspace, corpus.name, name)
    if known is None and not workspace.manifest_version(corpus.name, name):
        return StageAhead(name, NEVER_RAN)
    now = stage_record(workspace, corpus, name)
    assert now is not None
    reasons = _differences(known, now) if known is not None else []
    documents: dict[str, list[str]] = {}
    if name == "documents":
        ahead = documents_ahead(context)
        documents = ahead.reasons
        if ahead.current:
            return StageAhead(name, UP_TO_DATE)
        reasons += _document_reasons(ahead)
        return StageAhead(name, WOULD_RUN, tuple(reasons), documents)
    if name in _READS_LEDGER and known is not None and known.ledger != now.ledger:
        reasons.append("the review ledger has other decisions")
    if reasons:
        return StageAhead(name, WOULD_RUN, tuple(reasons))
    if above:
        return StageAhead(name, AFTER_OTHERS, (f"follows {', '.join(above)}",))
    return StageAhead(name, UP_TO_DATE)


_READS_LEDGER = frozenset({"claims", "reviewed_claims", "package"})


def _differences(known: StageRecord, now: StageRecord) -> list[str]:
    reasons = []
    if known.code != now.code:
        reasons.append(f"the stage's code has version {now.code}, not {known.code}")
    for name, old, new in _changed("", known.settings, now.settings):
        reasons.append(f"{name} is {_shown(new)}, not {_shown(old)}")
    for name, version in now.inputs.items():
        if known.inputs.get(name) != version:
            reasons.append(f"the output of {name} has changed")
    return reasons


def _changed(path: str, old: Any, new: Any) -> list[tuple[str, Any, Any]]:
    """The settings that differ, by the names that they have in ``corpus.toml``."""
    if isinstance(old, dict) and isinstance(new, dict):
        found = []
        for name in sorted({*old, *new}):
            found += _changed(f"{path}.{name}" if path else name, old.get(name), new.get(name))
        return found
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        found = []
        for number, (one, other) in enumerate(zip(old, new, strict=True)):
            found += _changed(f"{path}[{number}]", one, other)
        return found
    return [] if old == new else [(path, old, new)]


def _shown(value: Any) -> str:
    text = "unset" if value is None else repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


def _document_reasons(ahead: DocumentsAhead) -> list[str]:
    names = {name for ids in ahead.reasons.values() for name in ids}
    lines = [f"{len(names)} of {ahead.total} documents would be loaded again"]
    by_size = sorted(ahead.reasons.items(), key=lambda item: (-len(item[1]), item[0]))
    for reason, ids in by_size[:_REASONS_SHOWN]:
        lines.append(f"{len(ids)} {_DOCUMENT_REASONS.get(reason, f'because of {reason}')}")
    if len(by_size) > _REASONS_SHOWN:
        lines.append(f"and {len(by_size) - _REASONS_SHOWN} further reasons")
    if ahead.gone:
        lines.append(f"{len(ahead.gone)} are gone")
    return lines


_DOCUMENT_REASONS = {
    "new": "are new",
    "edited": "because their own file was edited",
    "settings": "because of the source's settings, or because the cache lacks them",
}
