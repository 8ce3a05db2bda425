"""Small pictures of a corpus's history, drawn as SVG and shown in Dagster beside the assets."""

import base64
from collections.abc import Mapping, Sequence
from typing import Any

from aipk_core.stages import STAGES

MAX_PICTURE_BYTES = 20_000
_POINTS = 30
_WIDTH, _HEIGHT, _LEFT, _BOTTOM = 520, 160, 46, 18
_COLOURS = {
    "canonical": "#2f855a",
    "reviewed": "#2b6cb0",
    "extracted": "#c05621",
    "deprecated": "#718096",
    "from cache": "#2f855a",
    "new": "#c05621",
}
_STAGE_COLOURS = ("#2b6cb0", "#2f855a", "#c05621", "#6b46c1", "#b7791f", "#319795", "#97266d", "#718096")


def claims_over_time(history: Sequence[Mapping[str, Any]]) -> str:
    """Markdown: the claims of each build by status; empty without two builds that changed something."""
    events = [event["statuses"] for event in history if event.get("statuses") and not event.get("unchanged")]
    return _bars("claims by status, one bar a build", events[-_POINTS:], _COLOURS)


def cache_use(history: Sequence[Mapping[str, Any]], stage: str) -> str:
    """Markdown: what each run of a stage took from the cache and what was new."""
    events = [{"from cache": event["hits"], "new": event["misses"]} for event in history if event.get("stage") == stage]
    return _bars("rows from the cache and new, one bar a run", events[-_POINTS:], _COLOURS)


def time_by_stage(history: Sequence[Mapping[str, Any]]) -> str:
    """Markdown: how long each stage took, one bar a build; a build ends with its last stage."""
    builds: list[dict[str, float]] = []
    names = list(STAGES)
    position = len(names)
    for event in history:
        if event.get("stage") not in STAGES:
            continue
        at = names.index(event["stage"])
        if at <= position:
            builds.append({})
        position = at
        builds[-1][event["stage"]] = float(event.get("seconds", 0))
    colours = dict(zip(names, _STAGE_COLOURS, strict=True))
    return _bars("seconds by stage, one bar a build", builds[-_POINTS:], colours)


def _bars(title: str, bars: Sequence[Mapping[str, float]], colours: Mapping[str, str]) -> str:
    highest = max((sum(bar.values()) for bar in bars), default=0)
    if not highest:
        return ""
    wide = (_WIDTH - _LEFT) / max(len(bars), 8)
    shapes = [f'<text x="2" y="12">{_number(highest)}</text>', f'<text x="2" y="{_HEIGHT - _BOTTOM}">0</text>']
    for number, bar in enumerate(bars):
        top = float(_HEIGHT - _BOTTOM)
        for name, colour in colours.items():
            tall = bar.get(name, 0) / highest * (_HEIGHT - _BOTTOM - 6)
            if tall > 0:
                top -= tall
                x = _LEFT + number * wide
                place = f'x="{x:.1f}" y="{top:.1f}" width="{wide * 0.8:.1f}" height="{tall:.1f}"'
                shapes.append(f'<rect {place} fill="{colour}"/>')
    used = [name for name in colours if any(bar.get(name) for bar in bars)]
    for number, name in enumerate(used):
        x = _LEFT + number * (_WIDTH - _LEFT) / max(len(used), 4)
        shapes.append(f'<text x="{x:.0f}" y="{_HEIGHT - 4}" fill="{colours[name]}">{name}</text>')
    picture = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{_HEIGHT}" font-family="sans-serif" '
        f'font-size="10">{"".join(shapes)}</svg>'
    )
    encoded = base64.b64encode(picture.encode()).decode()
    return f"![{title}](data:image/svg+xml;base64,{encoded})" if len(encoded) <= MAX_PICTURE_BYTES else ""


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.1f}"
