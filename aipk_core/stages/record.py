"""What each stage was last made with and what it did: for people who ask why something would be redone, and for plots.

Nothing here decides anything: a build looks at manifests alone. A record that is missing or damaged costs an explanation,
never a result.
"""

from __future__ import annotations

import contextlib
import json
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aipk_core.errors import StoreError
from aipk_core.hashing import digest_file
from aipk_core.stages.registry import STAGES
from aipk_core.store.manifest import write_atomically

if TYPE_CHECKING:
    from aipk_core.corpus import Corpus
    from aipk_core.stages.model import StageContext, StageResult
    from aipk_core.store.workspace import Workspace

_MAX_HISTORY_BYTES = 512 << 10
_MAX_EVENTS = 2_000


@dataclass(frozen=True, slots=True)
class StageRecord:
    """What a stage's current output was made with.

    Attributes:
        settings: the tables and keys of ``corpus.toml`` that the stage depends on, as JSON values.
        code: version of the stage's code.
        inputs: stage -> version of the output that was read.
        ledger: digest of the review ledger's file; empty while there is none.
    """

    settings: dict[str, Any]
    code: int
    inputs: dict[str, str]
    ledger: str = ""


def remember(context: StageContext, result: StageResult) -> None:
    """Write the record of a stage that has just run, and add a line to the corpus's history."""
    workspace, corpus = context.workspace, context.corpus
    record = stage_record(workspace, corpus, result.stage)
    if record is None:
        return
    path = _record_path(workspace, corpus.name, result.stage)
    data = json.dumps(
        {"settings": record.settings, "code": record.code, "inputs": record.inputs, "ledger": record.ledger},
        ensure_ascii=False,
        sort_keys=True,
    ).encode()
    # A full disk has stopped the stage itself, if it had anything to write; if it had not, an old record does no harm.
    with contextlib.suppress(OSError, StoreError):
        if not path.exists() or path.read_bytes() != data:
            write_atomically(path, data)
        _add_to_history(_history_path(workspace, corpus.name), _event(result))


def stage_record(workspace: Workspace, corpus: Corpus, stage: str) -> StageRecord | None:
    """What ``stage`` would be made with now; ``None`` for a stage that this module does not know."""
    known = STAGES.get(stage)
    if known is None:
        return None
    settings = corpus.settings.model_dump(mode="json", include=set(known.settings))
    inputs = {name: workspace.manifest_version(corpus.name, name) for name in known.depends_on}
    ledger = digest_file(corpus.ledger) if corpus.ledger.is_file() else ""
    return StageRecord(settings, stage_code(stage), inputs, ledger)


def read_record(workspace: Workspace, corpus: str, stage: str) -> StageRecord | None:
    """What ``stage`` was last made with, if that is known."""
    try:
        values = json.loads(_record_path(workspace, corpus, stage).read_bytes())
        return StageRecord(values["settings"], values["code"], values["inputs"], values["ledger"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def read_history(workspace: Workspace, corpus: str) -> list[dict[str, Any]]:
    """The last runs of all stages, oldest first: stage, at (seconds since 1970), seconds, rows, hits, misses, statuses."""
    events: list[dict[str, Any]] = []
    with contextlib.suppress(OSError):
        for line in _history_path(workspace, corpus).read_text(encoding="utf-8").splitlines()[-_MAX_EVENTS:]:
            with contextlib.suppress(ValueError):  # the last line of a process that was killed
                event = json.loads(line)
                if isinstance(event, dict) and "stage" in event:
                    events.append(event)
    return events


def stage_code(stage: str) -> int:
    """The version of a stage's code; imports the stage."""
    STAGES[stage].load()
    return int(getattr(sys.modules[STAGES[stage].function.partition(":")[0]], "STAGE_VERSION", 0))


def _event(result: StageResult) -> dict[str, Any]:
    event: dict[str, Any] = {
        "at": int(time.time()),
        "stage": result.stage,
        "seconds": round(result.seconds, 2),
        "rows": result.rows,
        "hits": result.hits,
        "misses": result.misses,
        "model_calls": result.model_calls,
        "unchanged": result.unchanged,
    }
    if result.stage == "reviewed_claims":
        statuses = ("extracted", "reviewed", "canonical", "deprecated")
        event["statuses"] = {name: result.facts[name] for name in statuses if name in result.facts}
    return event


def _add_to_history(path: Path, event: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists() and path.stat().st_size > _MAX_HISTORY_BYTES:
        lines = path.read_bytes().splitlines(keepends=True)
        write_atomically(path, b"".join(lines[len(lines) // 2 :]))
    with path.open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(event) + "\n")


def _record_path(workspace: Workspace, corpus: str, stage: str) -> Path:
    return workspace.store / "records" / corpus / f"{stage}.json"


def _history_path(workspace: Workspace, corpus: str) -> Path:
    return workspace.store / "history" / f"{corpus}.jsonl"
