"""A Hugo site as its source files show it: configuration, languages, parameters, translations and cached files."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from aipk_core.documents.hugo.front_matter import FrontMatter, load_yaml, plain, split_front_matter
from aipk_core.documents.loaders.encodings import decode
from aipk_core.documents.loaders.registry import Site
from aipk_core.documents.traced import SourceText
from aipk_core.errors import SourceError

_CONFIG_FILES = ("hugo.toml", "hugo.yaml", "hugo.yml", "config.toml", "config.yaml", "config.yml")
_CONFIG_FOLDER = "config/_default"
_MAX_CONFIG = 1 << 20


@dataclass(frozen=True, slots=True)
class Language:
    """One language of a site: its content folder (POSIX, no slash at the end) and the prefix of its URLs."""

    code: str
    content: str
    prefix: str
    weight: int


class HugoSite:
    """A site's files with everything that pages share read only once.

    It is itself a ``Site``: build one for each process, hand it to every page as ``LoadContext.site``. The files must
    not change meanwhile.

    Args:
        files: the files of the source.
        options: ``root`` (folder of the site inside the source, ``""``), ``base_url`` and ``params`` (override those of
            the configuration).
    """

    def __init__(self, files: Site, options: Mapping[str, Any] | None = None) -> None:
        self.files = files
        self.options: dict[str, Any] = dict(options or {})
        self.root = str(self.options.get("root", "")).strip("/")
        self._texts: dict[str, SourceText | None] = {}
        self._headers: dict[str, FrontMatter] = {}
        self._lists: dict[str, tuple[str, ...]] = {}
        self._translations: dict[str, dict[str, str]] = {}
        self.memory: dict[Any, Any] = {}
        self.config = self._read_config()
        self.languages = self._read_languages()

    # --- files -----------------------------------------------------------------------------------------------------

    def read(self, path: str) -> bytes | None:
        return self.files.read(path)

    def list(self, folder: str = "") -> Iterable[str]:
        if folder not in self._lists:
            self._lists[folder] = tuple(self.files.list(folder))
        return self._lists[folder]

    def path(self, inside: str) -> str:
        """The path inside the source of a path inside the site."""
        return f"{self.root}/{inside}" if self.root else inside

    def text(self, path: str) -> SourceText | None:
        """A decoded text file; ``None`` when there is none."""
        if path not in self._texts:
            data = self.files.read(path)
            self._texts[path] = None if data is None else source_text(path, data)
        return self._texts[path]

    def header(self, path: str) -> FrontMatter:
        """The front matter of a page; empty when there is no such file."""
        if path not in self._headers:
            text = self.text(path)
            self._headers[path] = split_front_matter(text.text) if text else FrontMatter()
        return self._headers[path]

    # --- configuration ---------------------------------------------------------------------------------------------

    @property
    def base_url(self) -> str:
        """Where the site lives, without a slash at the end; ``""`` when nobody says."""
        return str(self.options.get("base_url", self.setting("baseURL") or "")).rstrip("/")

    def setting(self, *names: str) -> Any:
        """A value of the configuration by its path of names, upper and lower case alike; ``None`` if unset."""
        return _lookup(self.config, names)

    def parameter(self, name: str) -> Any:
        """A site parameter by its name, dots for tables; ``None`` if unset."""
        override = _lookup(self.options.get("params", {}), name.split("."))
        return override if override is not None else _lookup(self.config, ("params", *name.split(".")))

    def language_of(self, path: str) -> Language | None:
        """The language that a content file belongs to; ``None`` for files outside all content folders."""
        found = [language for language in self.languages if path.startswith(f"{language.content}/")]
        return max(found, key=lambda language: len(language.content), default=None)

    @property
    def default_language(self) -> Language:
        code = str(self.setting("defaultContentLanguage") or "en")
        return next((language for language in self.languages if language.code == code), self.languages[0])

    def translation(self, key: str, language: str) -> str | None:
        """A string of the interface in ``language``, else in the default language; ``None`` when there is none."""
        for code in dict.fromkeys((language, self.default_language.code)):
            if code not in self._translations:
                self._translations[code] = self._read_translations(code)
            if key in self._translations[code]:
                return self._translations[code][key]
        return None

    # --- reading ---------------------------------------------------------------------------------------------------

    def _read_config(self) -> dict[str, Any]:
        for name in _CONFIG_FILES:
            if table := self._read_table(self.path(name)):
                return table
        # The same in a folder: one file for all, and one for each table that has grown too long for it.
        merged: dict[str, Any] = {}
        for path in self.list(self.path(_CONFIG_FOLDER)):
            name, _, suffix = path.rpartition("/")[2].partition(".")
            if suffix not in ("toml", "yaml", "yml"):
                continue
            table = self._read_table(path)
            merged.update(table if name in ("hugo", "config") else {name: table})
        return merged

    def _read_table(self, path: str) -> dict[str, Any]:
        data = self.files.read(path)
        if data is None:
            return {}
        if len(data) > _MAX_CONFIG:
            raise SourceError("the site's configuration is too large", where=path, remedy="Check the file")
        return _table(path, data)

    def _read_languages(self) -> tuple[Language, ...]:
        default = str(self.setting("defaultContentLanguage") or "en")
        in_folder = bool(self.setting("defaultContentLanguageInSubdir"))
        content = str(self.setting("contentDir") or "content")
        tables = self.setting("languages")
        found: list[Language] = []
        for code, table in (tables if isinstance(tables, dict) else {}).items():
            if not isinstance(table, dict) or table.get("disabled"):
                continue
            folder = str(_lookup(table, ("contentDir",)) or content).strip("/")
            weight = table.get("weight")
            prefix = f"/{code}" if code != default or in_folder else ""
            found.append(Language(str(code), self.path(folder), prefix, weight if isinstance(weight, int) else 0))
        if not found:
            found.append(Language(default, self.path(content.strip("/")), "", 0))
        return tuple(sorted(found, key=lambda language: (language.weight, language.code)))

    def _read_translations(self, code: str) -> dict[str, str]:
        for name in (f"i18n/{code}/{code}", f"i18n/{code}"):
            for suffix in (".toml", ".yaml", ".yml"):
                data = self.files.read(self.path(name + suffix))
                if data is not None and len(data) <= _MAX_CONFIG:
                    return _strings(_table(self.path(name + suffix), data))
        return {}


def source_text(path: str, data: bytes, encoding: str = "", file: str | None = None) -> SourceText:
    """Decoded text with its way back to bytes.

    Raises:
        DocumentError: the bytes are no text.
    """
    decoded = decode(data, encoding, where=path)
    return SourceText(path if file is None else file, decoded.text, decoded.encoding, data)


def _table(path: str, data: bytes) -> dict[str, Any]:
    try:
        text = data.decode("utf-8-sig")
        values = plain(tomllib.loads(text) if path.endswith(".toml") else load_yaml(text))
    except (ValueError, RecursionError) as error:
        raise SourceError(
            f"cannot be read: {' '.join(str(error).split())[:200]}", where=path, remedy="Correct the file"
        ) from error
    return values if isinstance(values, dict) else {}


def _strings(table: Mapping[str, Any]) -> dict[str, str]:
    """Translations: ``[key] other = "…"`` or ``key = "…"``."""
    strings: dict[str, str] = {}
    for key, value in table.items():
        text = value.get("other") if isinstance(value, dict) else value
        if isinstance(text, str):
            strings[key] = text
    return strings


def _lookup(table: Any, names: Iterable[str]) -> Any:
    for name in names:
        if not isinstance(table, Mapping):
            return None
        if name not in table:
            name = next((key for key in table if str(key).lower() == name.lower()), name)
        table = table.get(name)
    return table
