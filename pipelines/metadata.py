"""What a stage did, as metadata that Dagster shows beside its asset."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import dagster as dg

from aipk_core.stages import StageResult
from pipelines.plots import cache_use, claims_over_time, time_by_stage

_SAMPLE_ROWS = 10
_CELL_CHARACTERS = 200


def stage_metadata(result: StageResult) -> dict[str, Any]:
    """Counts, cache hits and misses, where the output is, a sample, and warnings; well under 50 kB."""
    metadata: dict[str, Any] = {
        "dagster/row_count": result.rows,
        "cache hits": result.hits,
        "cache misses": result.misses,
        "unchanged": result.unchanged,
        "seconds": round(result.seconds, 3),
        "output": dg.MetadataValue.path(str(result.output)),
        "version": result.version,
    }
    metadata |= {f"{_plain(name)}": _value(value) for name, value in result.facts.items()}
    if result.sample:
        metadata["sample"] = dg.MetadataValue.md(sample_table(result.sample))
    if result.warnings:
        metadata["warnings"] = dg.MetadataValue.md("\n".join(f"- {_cell(line)}" for line in result.warnings[:50]))
    if result.waiting:
        metadata["waiting"] = result.waiting
    return metadata


def stage_pictures(stage: str, history: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """How the stage, and with it the corpus, has fared over the last builds; each picture is at most 20 kB."""
    pictures = {"cache over time": cache_use(history, stage)}
    if stage == "reviewed_claims":
        pictures["claims over time"] = claims_over_time(history)
    if stage == "package":
        pictures = {"build time": time_by_stage(history)}
    return {name: dg.MetadataValue.md(picture) for name, picture in pictures.items() if picture}


def sample_table(rows: Sequence[Mapping[str, Any]]) -> str:
    """A Markdown table of a few rows; text from documents is cut and its markup made harmless."""
    columns = list(rows[0])
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    lines += ["| " + " | ".join(_cell(row.get(name, "")) for name in columns) + " |" for row in rows[:_SAMPLE_ROWS]]
    return "\n".join(lines)


def _cell(value: Any) -> str:
    text = " ".join(str(value).split())
    if len(text) > _CELL_CHARACTERS:
        text = text[:_CELL_CHARACTERS] + " …"
    for character in "\\`*_[]<>|!#":
        text = text.replace(
            character, "\\" + character if character not in "<>" else "&lt;" if character == "<" else "&gt;"
        )
    return text


def _plain(name: str) -> str:
    return name.strip()[:100]


def _value(value: Any) -> Any:
    if isinstance(value, bool | int | float | str):
        return value
    if hasattr(value, "item"):
        return value.item()
    return json.dumps(value, ensure_ascii=False, default=str)[:2000]
