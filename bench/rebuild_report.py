"""Figures with their bars, as a table and as JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class Figure:
    """One figure; ``kept`` says whether it is within its bar, ``None`` when it has none or is not judged."""

    group: str
    what: str
    value: float | int | str
    bar: str
    kept: bool | None


@dataclass
class Report:
    """All figures of a run.

    Attributes:
        sections: of the documentation that the timed builds are made of; empty for all.
        group: what the figures that follow belong to.
        notes: what a reader of the figures should know.
        extra: lists and tables behind the figures, for the JSON.
    """

    sections: list[str]
    group: str = ""
    figures: list[Figure] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    extra: dict[str, Any] = field(default_factory=dict)

    def say(
        self, what: str, value: float | int | str, bar: str = "", kept: bool = True, *, judged: bool = True
    ) -> None:
        """Add a figure, and whether it keeps its bar."""
        self.figures.append(Figure(self.group, what, value, bar, kept if bar and judged else None))

    def say_ratio(self, what: str, part: int, whole: int, limit: float | None = None) -> None:
        """Add ``part / whole``; of nothing, nothing must have been done."""
        ratio = part / whole if whole else float(part)
        bar = f"<= {limit:.2f}" if limit is not None else ""
        self.say(what, ratio, bar, limit is None or (ratio <= limit if whole else part == 0))

    @property
    def missed(self) -> list[Figure]:
        return [figure for figure in self.figures if figure.kept is False]

    def to_dict(self) -> dict[str, Any]:
        return {
            "sections": self.sections or ["all"],
            "figures": [asdict(figure) for figure in self.figures],
            "judged": sum(figure.kept is not None for figure in self.figures),
            "missed": [f"{figure.group}: {figure.what}" for figure in self.missed],
            "notes": self.notes,
            **self.extra,
        }

    def table(self) -> str:
        """For people: every figure with its bar beside it, the misses once more at the end."""
        lines = [f"timed sections: {', '.join(self.sections) or 'all'}"]
        group = ""
        for figure in self.figures:
            if figure.group != group:
                group = figure.group
                lines += ["", group]
            mark = {True: "ok", False: "NO", None: ""}[figure.kept]
            lines.append(f"  {mark:<2} {figure.what:<88} {_shown(figure.value):>16}   {figure.bar}".rstrip())
        lines += ["", *self.notes]
        for name, value in self.extra.items():
            lines += _listed(name, value)
        judged = sum(figure.kept is not None for figure in self.figures)
        lines += ["", f"{judged - len(self.missed)} of {judged} bars kept"]
        lines += [f"  NO {figure.group}: {figure.what}: {_shown(figure.value)}" for figure in self.missed]
        return "\n".join(lines)


def _shown(value: float | int | str) -> str:
    return f"{value:.4f}" if isinstance(value, float) else str(value)


def _listed(name: str, value: Any) -> list[str]:
    if isinstance(value, dict) and "why" in value:  # the cases themselves are in the JSON
        return [f"{name}: " + ("; ".join(f"{why} {count}" for why, count in value["why"].items()) or "none")]
    if isinstance(value, dict):
        if all(isinstance(one, float) for one in value.values()):
            return [f"{name}: " + ", ".join(f"{key} {one:.2f}" for key, one in value.items())]
        value = [f"{key}: {one}" for key, one in value.items()]
    if isinstance(value, list):
        return [f"{name}: {len(value)}", *(f"  {one}"[:200] for one in value[:_LISTED])]
    return [f"{name}: {value}"]


_LISTED = 20
