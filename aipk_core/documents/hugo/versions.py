"""Shortcodes that work with version numbers from the site's parameters."""

from __future__ import annotations

import html
import re

from aipk_core.documents.hugo.calls import Call
from aipk_core.documents.hugo.shortcodes import Behaviour, find_page
from aipk_core.documents.model import Origin
from aipk_core.documents.traced import Traced

_VERSION = re.compile(r"v?(\d{1,6})\.(\d{1,6})")
_NUMBER = re.compile(r"[+-]?\d{1,6}")


def skew(call: Call) -> Traced:
    """A version some minor releases away: ``skew currentVersionAddMinor -1 "-"`` is ``1-35`` for v1.36."""
    wanted = call.argument(0)
    separator = call.argument(2) or "."
    name = "latest" if wanted in _LATEST else "version"
    if wanted == "currentPatchVersion":
        return call.shown(_patch_version(call), Origin.COMPUTED)
    number = call.argument(1)
    distance = int(number) if wanted == "currentVersionAddMinor" and _NUMBER.fullmatch(number) else 0
    distance += _DISTANCES.get(wanted, 0)
    version = _VERSION.match(call.parameter(name))
    if version is None or wanted not in _DISTANCES:
        call.problem("shortcode-argument", f"{call.name} cannot work out {wanted!r}")
        return Traced()
    return call.shown(f"{version[1]}{separator}{int(version[2]) + distance}", Origin.COMPUTED)


_DISTANCES = {
    "currentVersion": 0,
    "currentVersionAddMinor": 0,
    "latestVersion": 0,
    "nextMinorVersion": 1,
    "oldestMinorVersion": -2,
    "prevMinorVersion": -1,
}
_LATEST = frozenset({"latestVersion", "nextMinorVersion", "oldestMinorVersion", "prevMinorVersion"})


def _patch_version(call: Call) -> str:
    """The patch release that the site lists for the current version, else its first one."""
    current = call.parameter("version")
    versions = call.build.parameter("versions")
    for entry in versions if isinstance(versions, list) else []:
        if isinstance(entry, dict) and entry.get("version") == current:
            patch = str(entry.get("fullversion") or entry.get("githubbranch") or "")
            if patch.removeprefix("v").startswith(current.removeprefix("v") + "."):
                return patch.removeprefix("v")
    return current.removeprefix("v") + ".0"


def version_check(call: Call) -> Traced:
    """The server version that a page asks for, and how to find one's own."""
    least = call.expansion.header.values.get("min-kubernetes-server-version")
    parts: list[str | Traced] = []
    if least:
        key = "version_check_mustbe" if str(least) == call.parameter("version") else "version_check_mustbeorlater"
        parts += ["<p>", call.translation(key), call.shown(str(least), Origin.COMPUTED), ".</p>\n"]
    parts += ["<p>", call.translation("version_check_tocheck"), "<code>kubectl version</code>.</p>\n"]
    return call.join("\n", *parts)


def latest(call: Call) -> Traced:
    """The latest version in a pattern. Settings: ``pattern`` with ``{v}`` (v1.36) or ``{n}`` (1.36)."""
    version = call.parameter("latest")
    shown = call.setting("pattern", "{v}").replace("{v}", version).replace("{n}", version.removeprefix("v"))
    return call.shown(shown, Origin.COMPUTED)


def version_list(call: Call) -> Traced:
    """The same page for the other versions of the site."""
    versions = call.build.parameter("versions")
    current = call.parameter("version")
    title = str(call.expansion.header.values.get("title") or "")
    intro = call.build.translation("docs_page_versions") or "%s %s"
    for value in (call.argument(0), current):
        intro = intro.replace("%s", html.escape(value, quote=False), 1)
    items: list[str | Traced] = []
    for entry in versions if isinstance(versions, list) else []:
        if isinstance(entry, dict) and entry.get("version") != current:
            items += ["<li>", call.shown(f"{title} (Kubernetes {entry.get('version')})", Origin.COMPUTED), "</li>\n"]
    place = call.place(Origin.COMPUTED)
    return call.join("<div>\n<p>", Traced.of(intro, place), "</p>\n<ul>\n", *items, "</ul>\n</div>\n")


def page_link(call: Call) -> Traced:
    """A link to a page: the text given, else the anchor, else a value of that page's front matter.

    Settings: ``folder`` (below the content folder), ``value`` (dotted name in the front matter; ``title``).
    """
    text = call.argument("text") or call.argument("anchor")
    if text:
        return call.join("<a>", call.shown(text), "</a>")
    name = call.argument("page", 0)
    path = find_page(call, f"/{call.setting('folder')}/{name}")
    value = _value(call.build.header(path, "page").values, call) if path else None
    if path is None:
        call.problem("include-missing", f"there is no page {name!r} to link to")
    return call.join("<a>", call.shown(str(value) if value is not None else "", Origin.COMPUTED), "</a>")


def page_lookup(call: Call) -> Traced:
    """A link to the page of a folder whose front matter has a value.

    Settings: ``folder``, ``value`` (dotted name in the front matter), ``argument`` (holds the wanted value).
    """
    wanted = call.argument(call.setting("argument", "kind"))
    for content in call.content_folders():
        for path in call.build.files(f"{content}/{call.setting('folder')}"):
            if not path.endswith(".md") or _value(call.build.site.header(path).values, call) != wanted:
                continue
            title = str(call.build.header(path, "page").values.get("title") or wanted)
            return call.join("<a>", call.shown(title, Origin.COMPUTED), "</a>")
    call.problem("include-missing", f"there is no page for {wanted!r}")
    return Traced()


def _value(values: object, call: Call) -> object:
    """The value with the dotted name that the table gives."""
    for part in call.setting("value", "title").split("."):
        values = values.get(part) if isinstance(values, dict) else None
    return values


BEHAVIOURS: dict[str, Behaviour] = {
    "latest-version": latest,
    "page-link": page_link,
    "page-lookup": page_lookup,
    "skew": skew,
    "version-check": version_check,
    "version-list": version_list,
}
