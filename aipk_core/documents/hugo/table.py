"""The table that says what each shortcode of a site does.

Hugo's and Docsy's own shortcodes are built in. A corpus adds those of its site as data::

    [shortcodes.note]
    does = "notice"          # one of the behaviours
    heading = "note"         # its settings

    [shortcodes.version]
    template = "[[parameter version]]"

    [shortcodes.advert]
    does = "nothing"
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from importlib import resources
from pathlib import Path
from typing import Any

from aipk_core.documents.hugo import feature_gates, glossary, shortcodes, versions
from aipk_core.documents.hugo.calls import Call
from aipk_core.documents.hugo.shortcodes import Behaviour
from aipk_core.documents.hugo.templates import check_template, fill_template
from aipk_core.documents.traced import Traced
from aipk_core.errors import CorpusError

BEHAVIOURS: dict[str, Behaviour] = {
    **shortcodes.BEHAVIOURS,
    **glossary.BEHAVIOURS,
    **feature_gates.BEHAVIOURS,
    **versions.BEHAVIOURS,
}

_BUILT_IN = "hugo"


class ShortcodeTable:
    """Names of shortcodes and what they do.

    Args:
        entries: name -> settings, later ones win.

    Raises:
        CorpusError: an entry names a behaviour or template part that does not exist.
    """

    def __init__(self, *entries: Mapping[str, Any]) -> None:
        self._entries: dict[str, Mapping[str, Any]] = {}
        for table in entries:
            for name, settings in table.items():
                self._entries[name] = _checked(name, settings)

    def knows(self, name: str) -> bool:
        return name in self._entries

    def settings(self, name: str) -> Mapping[str, Any]:
        return self._entries.get(name, {})

    def write(self, call: Call) -> Traced:
        """The HTML (or Markdown) that a call stands for."""
        template = call.settings.get("template")
        if isinstance(template, str):
            return fill_template(template, call)
        return BEHAVIOURS[str(call.settings.get("does", "inner"))](call)


def shipped_tables() -> dict[str, dict[str, Any]]:
    """The tables that come with this package, by name."""
    tables: dict[str, dict[str, Any]] = {}
    for file in resources.files("aipk_core.documents.hugo").joinpath("tables").iterdir():
        if file.name.endswith(".toml"):
            tables[file.name.removesuffix(".toml")] = tomllib.loads(file.read_text(encoding="utf-8"))
    return tables


def read_table(path: Path) -> dict[str, Any]:
    """The shortcode table of a corpus (``shortcodes.toml``), to be merged into the options of its source.

    Raises:
        CorpusError: the file cannot be read, or an entry is wrong.
    """
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise CorpusError(
            f"the shortcode table cannot be read: {error}", where=str(path), remedy="Correct the file"
        ) from error
    build_table(table)
    return table


def build_table(
    options: Mapping[str, Any], base_url: str = "", used: Iterable[str] = ()
) -> tuple[ShortcodeTable, dict[str, Any]]:
    """The table for a site, and the other settings that its tables make.

    Args:
        options: ``shortcodes`` (name -> settings), and ``extends``: the name of a shipped table; without it the shipped
            table for ``base_url`` is used, if there is one.
        used: shortcodes of a page that stands alone, without a site to say where it belongs: the shipped table that
            knows most of them is used.

    Raises:
        CorpusError: a table is wrong, or ``extends`` names none.
    """
    shipped = shipped_tables()
    extends = options.get("extends")
    if extends is None:
        extends = _fitting(shipped, base_url, set(used))
    if extends not in shipped:
        raise CorpusError(
            f"there is no shortcode table named {extends!r}",
            where="extends",
            remedy=f"Use one of: {', '.join(sorted(shipped))}",
        )
    chosen = [shipped[_BUILT_IN]] + ([shipped[extends]] if extends != _BUILT_IN else [])
    own = options.get("shortcodes", {})
    if not isinstance(own, Mapping):
        raise CorpusError("shortcodes must be a table", where="shortcodes", remedy="Write [shortcodes.NAME]")
    settings: dict[str, Any] = {}
    for table in (*chosen, options):
        settings.update({key: value for key, value in table.items() if key not in ("shortcodes", "sites", "extends")})
    return ShortcodeTable(*(table.get("shortcodes", {}) for table in chosen), own), settings


def _fitting(shipped: Mapping[str, Mapping[str, Any]], base_url: str, used: set[str]) -> str:
    for name, table in sorted(shipped.items()):
        if base_url in table.get("sites", []):
            return name
    unknown = used - set(shipped[_BUILT_IN]["shortcodes"])
    return max(
        sorted(shipped),
        key=lambda name: (len(unknown & set(shipped[name]["shortcodes"])), name == _BUILT_IN),
    )


def _checked(name: str, settings: Any) -> Mapping[str, Any]:
    where = f"shortcodes.{name}"
    if not isinstance(settings, Mapping):
        raise CorpusError("a shortcode is described by a table", where=where, remedy="Write [shortcodes.NAME]")
    template = settings.get("template")
    if isinstance(template, str):
        check_template(template, where)
    elif settings.get("does") not in BEHAVIOURS:
        raise CorpusError(
            f"there is no shortcode behaviour named {settings.get('does')!r}",
            where=where,
            remedy=f"Give a template, or use one of: {', '.join(sorted(BEHAVIOURS))}",
        )
    return settings
