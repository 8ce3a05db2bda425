"""Shortcodes over a folder of feature gates: one file each, with the stages that the feature went through."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from aipk_core.documents.hugo.calls import Call, unwrapped
from aipk_core.documents.hugo.shortcodes import Behaviour, inside
from aipk_core.documents.model import Origin
from aipk_core.documents.traced import Place, Traced

_FOLDER = "docs/reference/command-line-tools-reference/feature-gates"
_GRADUATED = frozenset({"stable", "deprecated"})


@dataclass(frozen=True, slots=True)
class Gate:
    """A feature gate: its name, its file, its stages from the first to the last."""

    name: str
    path: str
    stages: tuple[Mapping[str, Any], ...]
    removed: bool


def state(call: Call) -> Traced:
    """The state of a feature: as given, or the last stage of a gate.

    Settings: ``folder`` (of the gates, below the content folder).
    """
    name = call.argument("feature_gate_name")
    if name:
        gate = _find(call, name)
        if gate is None or not gate.stages:
            call.problem("feature-gate-missing", f"there is no feature gate {name!r} with stages")
            return Traced()
        last = gate.stages[-1]
        place = _stage_place(call, gate)
        default = "feature_gate_enabled" if last.get("defaultValue") is True else "feature_gate_disabled"
        version, stage, note = f"v{last.get('fromVersion', '')}", str(last.get("stage", "")), call.translation(default)
    else:
        version = call.argument("for_k8s_version") or call.parameter("version")
        stage, place, note = call.argument("state"), call.place(), Traced()
    return call.join(
        '\n<div class="feature-state-notice">\n<span class="feature-state-name">',
        call.translation("feature_state"),
        "</span>\n<code>",
        call.translation("feature_state_kubernetes_label"),
        " ",
        Traced.of(html.escape(f"{version} [{stage}]"), place),
        "</code>",
        note,
        "</div>\n",
    )


def table(call: Call) -> Traced:
    """A table of gates and their stages: those in early stages, or those that graduated or were deprecated."""
    removed = call.argument("show-removed") not in ("", "false")
    early_only = not _wanted(call) & _GRADUATED
    rows: list[str | Traced] = []
    for gate in _gates(call):
        stages = [str(stage.get("stage", "")) for stage in gate.stages]
        if gate.removed != removed or (not removed and early_only == bool(_GRADUATED.intersection(stages))):
            continue
        rows += [_row(call, gate, stage) for stage in gate.stages]
    columns = ("feature", "default", "stage", *(("from", "to") if removed else ("since", "until")))
    heads = [call.translation(f"feature_gate_table_header_{name}") for name in columns]
    caption = call.argument("caption")
    return call.join(
        "<table>\n",
        *(('<caption style="display:none">', call.html(caption), "</caption>\n") if caption else ()),
        "<thead>\n<tr>",
        *(part for head in heads for part in ("<th>", head, "</th>")),
        "</tr>\n</thead>\n<tbody>\n",
        *rows,
        "</tbody>\n</table>\n",
    )


def listing(call: Call) -> Traced:
    """Names and descriptions of all gates that are still there, or (``show-removed``) of those that are gone."""
    removed = call.argument("show-removed") not in ("", "false")
    wanted = _wanted(call)
    parts: list[str | Traced] = []
    for gate in _gates(call):
        stages = {str(stage.get("stage", "")) for stage in gate.stages}
        if not gate.stages or gate.removed != removed or (not removed and wanted and not wanted & stages):
            continue
        content = call.expansion.include(gate.path, "feature-gate") or Traced()
        if not content.text.strip():
            continue
        parts += [f'<dt id="{html.escape(gate.name)}"><code>', _name(call, gate), "</code></dt>\n<dd>", content]
        parts.append("</dd>\n")
    return call.join("<dl>\n", *parts, "</dl>\n")


def description(call: Call) -> Traced:
    """The description of one gate."""
    name = call.argument("name", 0)
    gate = _find(call, name)
    if gate is None:
        call.problem("feature-gate-missing", f"there is no feature gate {name!r}")
        return Traced()
    content = call.expansion.include(gate.path, "feature-gate") or Traced()
    return call.join("<p><code>", _name(call, gate), "</code>: ", unwrapped(content), "</p>\n")


# --- gates ---------------------------------------------------------------------------------------------------------


def _folders(call: Call) -> Iterator[str]:
    folder = call.setting("folder", _FOLDER)
    for content in call.content_folders():
        yield f"{content}/{folder}"


def _find(call: Call, name: str) -> Gate | None:
    """A gate by its title; its file mostly has the same name."""
    for folder in _folders(call):
        path = f"{folder}/{name}.md"
        if "/" not in name and inside(call, path):
            gate = _gate(call, path)
            if gate is not None and gate.name == name:
                return gate
        for path in call.build.files(folder):
            if call.build.site.header(path).values.get("title") == name and path.endswith(".md"):
                return _gate(call, path)
    return None


def _gate(call: Call, path: str) -> Gate | None:
    values = call.build.header(path, "feature-gate").values
    title = values.get("title")
    if not isinstance(title, str):
        return None
    stages = values.get("stages")
    kept = tuple(stage for stage in stages if isinstance(stage, dict)) if isinstance(stages, list) else ()
    return Gate(title, path, kept, values.get("removed") is True)


def _gates(call: Call) -> list[Gate]:
    """All gates, in the order of their titles."""
    for folder in _folders(call):
        found = []
        for path in call.build.files(folder):
            if path.endswith(".md") and path.rpartition("/")[2] not in ("index.md", "_index.md"):
                gate = _gate(call, path)
                if gate is not None:
                    found.append(gate)
        if found:
            return sorted(found, key=lambda gate: (gate.name.lower(), gate.name))
    return []


def _wanted(call: Call) -> set[str]:
    names = {name.strip() for name in call.argument("include").split(",") if name.strip()}
    return {"stable" if name == "ga" else name for name in names}


def _name(call: Call, gate: Gate) -> Traced:
    source = call.build.site.text(gate.path)
    at = source.text.find(gate.name, 0, call.build.site.header(gate.path).body) if source else -1
    written = html.escape(gate.name)
    if source is None or at < 0:
        return call.shown(gate.name, Origin.COMPUTED)
    return Traced.of(written, Place(source, at, at + len(gate.name), Origin.INCLUDE, written == gate.name))


def _stage_place(call: Call, gate: Gate) -> Place | None:
    """The front matter of a gate's file, from which its state is worked out."""
    source = call.build.site.text(gate.path)
    if source is None:
        return call.place(Origin.COMPUTED)
    return Place(source, 0, call.build.site.header(gate.path).body, Origin.COMPUTED)


def _row(call: Call, gate: Gate, stage: Mapping[str, Any]) -> Traced:
    place = _stage_place(call, gate)

    def cell(text: str) -> Traced:
        return Traced.of(html.escape(text), place)

    default = stage.get("defaultValue")
    shown = str(default).lower() if isinstance(default, bool) else str(default or "–")
    stage_name = str(stage.get("stage", ""))
    return call.join(
        "<tr><td><code>",
        _name(call, gate),
        "</code></td><td><code>",
        cell(shown),
        "</code></td><td>",
        call.translation(f"feature_gate_stage_{stage_name}"),
        "</td><td>",
        cell(str(stage.get("fromVersion") or "–")),
        "</td><td>",
        cell(str(stage.get("toVersion") or "–")),
        "</td></tr>\n",
    )


BEHAVIOURS: dict[str, Behaviour] = {
    "feature-gate-description": description,
    "feature-gate-list": listing,
    "feature-gate-table": table,
    "feature-state": state,
}
