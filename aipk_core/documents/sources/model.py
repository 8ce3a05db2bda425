"""What a corpus says about one of its sources: the ``[[sources]]`` tables of ``corpus.toml``.

Three kinds share one set of fields (which files, which loader, licence, limits) and differ in where the files lie::

    [[sources]]
    type = "files"
    name = "handbook"
    path = "handbook"
    exclude = ["drafts/", "*.bak"]

    [[sources]]
    type = "git"
    name = "website"
    repository = "https://github.com/example/website"
    revision = "v1.36"
    folders = ["content/en", "i18n/en", "data"]

    [[sources]]
    type = "web"
    name = "manual"
    sitemaps = ["https://docs.example.org/sitemap.xml"]
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

Texts = Annotated[tuple[str, ...], Field(strict=False)]
"""A list of strings; TOML and JSON know no tuples."""

_LANGUAGE_TAG = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*")
_GIT_SCP = re.compile(r"[\w.-]+@[\w.-]+:[\w./~+-]+")
_GIT_SCHEMES = frozenset({"https", "http", "ssh", "git", "file"})


class Source(BaseModel):
    """The fields that every kind of source has."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, use_attribute_docstrings=True)

    name: str = Field(default="documents", pattern=r"^[a-z0-9][a-z0-9._-]{0,63}$")
    """Name of the source, unique in its corpus; every document carries it."""

    licence: str = ""
    """Licence of the documents, best as an SPDX identifier ("CC-BY-4.0")."""

    attribution: str = ""
    """The credit that the licence asks for; shown with every citation."""

    url_base: str = ""
    """Address under which readers find the files: a document's URL is this plus its path. Web pages have their own URL."""

    lang: str = ""
    """BCP 47 tag of all documents; empty means that each document, or else its text, decides."""

    include: Texts = ()
    """Patterns like those of ``.gitignore`` for the files that are documents; none means every file that may be one."""

    exclude: Texts = ()
    """Patterns like those of ``.gitignore`` for files that are no documents; they win over ``include``."""

    hidden: bool = False
    """Whether files and folders whose name starts with a full stop are looked at."""

    loader: Literal["auto", "hugo"] = "auto"
    """``hugo`` reads the source as a Hugo site; ``auto`` picks a loader for each file by its media type."""

    options: Annotated[dict[str, Any], Field(strict=False)] = Field(default_factory=dict)
    """Settings of the loader, for instance the shortcodes of a Hugo site."""

    workers: int = Field(default=0, ge=0, le=64)
    """Processes that load documents; 0 decides by the number of files and processors, 1 stays in this process."""

    max_file_bytes: int = Field(default=64 << 20, ge=1)
    """A larger file is reported as ``too-large`` instead of being read."""

    max_files: int = Field(default=200_000, ge=1)
    """A source with more files is refused: the pattern probably caught something else."""

    max_total_bytes: int = Field(default=16 << 30, ge=1)
    """A source with more bytes in all is refused."""

    @field_validator("lang")
    @classmethod
    def _language_tag(cls, value: str) -> str:
        if value and not _LANGUAGE_TAG.fullmatch(value):
            raise ValueError("must be a BCP 47 language tag such as en, de or zh-Hant")
        return value

    @field_validator("url_base")
    @classmethod
    def _web_address(cls, value: str) -> str:
        if value:
            _check_web_address(value)
        return value


class FilesSource(Source):
    """A folder (or one file) on this machine."""

    type: Literal["files"] = "files"

    path: str = Field(default=".", min_length=1, pattern=r"^[^\x00]*$")
    """The folder or file; relative to the corpus folder."""


class GitSource(Source):
    """Files of one commit of a git repository; nothing is checked out, so symbolic links and filters play no part."""

    type: Literal["git"] = "git"

    repository: str = ""
    """``https://``, ``ssh://``, ``git://`` or ``file://`` URL, ``user@host:path``, or a path relative to the corpus folder."""

    revision: str = "HEAD"
    """Branch, tag or commit; a branch is looked up again at each build."""

    folders: Texts = ()
    """Only these folders (or single files) are fetched and looked at; none means all."""

    path: str = Field(default="", pattern=r"^[^\x00]*$")
    """A plain folder with the files, used instead of the repository (an extracted archive, a working copy)."""

    timeout: int = Field(default=900, ge=1)
    """Seconds that one git command may take."""

    @field_validator("repository", "revision")
    @classmethod
    def _no_option(cls, value: str) -> str:
        if value.startswith("-") or any(ord(character) < 32 for character in value):
            raise ValueError("must not start with '-' or hold control characters")
        return value

    @field_validator("repository")
    @classmethod
    def _known_transport(cls, value: str) -> str:
        if "::" in value:
            raise ValueError("names a transport helper; only https, ssh, git and file are allowed")
        scheme = value.partition("://")[0].lower() if "://" in value else ""
        if scheme and scheme not in _GIT_SCHEMES:
            raise ValueError(f"uses the transport {scheme!r}; only https, http, ssh, git and file are allowed")
        if not scheme and "@" in value and ":" in value and not _GIT_SCP.fullmatch(value):
            raise ValueError("is neither a URL nor user@host:path")
        if scheme and urlsplit(value).password is not None:
            raise ValueError("holds a password, which does not belong into a corpus; use an SSH key")
        return value

    @field_validator("folders")
    @classmethod
    def _plain_folders(cls, values: tuple[str, ...]) -> tuple[str, ...]:
        for value in values:
            parts = value.strip("/").split("/")
            if value.startswith(("-", "/", ":")) or any(part in {"", ".", ".."} for part in parts):
                raise ValueError(f"{value!r} is not a plain folder path inside the repository")
        return tuple(value.strip("/") for value in values)

    @model_validator(mode="after")
    def _somewhere(self) -> GitSource:
        if not self.repository and not self.path:
            raise ValueError("needs a repository (or a path to a folder with its files)")
        return self


class WebSource(Source):
    """Pages of a web site."""

    type: Literal["web"] = "web"

    pages: Texts = ()
    """Addresses of pages to read."""

    sitemaps: Texts = ()
    """Addresses of sitemaps or sitemap indexes (plain or gzipped) whose pages are read."""

    follow_links: int = Field(default=0, ge=0, le=20)
    """How many links away from ``pages`` to go; 0 reads the pages only."""

    hosts: Texts = ()
    """Further hosts that belong to the site; by default only the hosts of ``pages`` and ``sitemaps`` do."""

    content_types: Texts = ()
    """Media types that are kept; by default those that have a loader."""

    ignore_robots: bool = False
    """Read pages that robots.txt asks robots not to read. Only for sites of your own."""

    allow_private: bool = False
    """Allow addresses of this machine and of private networks (an intranet). Never for addresses from strangers."""

    user_agent: str = Field(default="aipk", min_length=1, max_length=200, pattern=r"^[ -~]+$")
    """Name that the site sees and that robots.txt is searched for."""

    delay: float = Field(default=0.5, ge=0, le=60, allow_inf_nan=False)
    """Seconds between two requests to one host; robots.txt may ask for more."""

    timeout: float = Field(default=30.0, gt=0, le=600, allow_inf_nan=False)
    """Seconds that one page may take, with its redirects."""

    total_timeout: float = Field(default=4 * 3600.0, gt=0, allow_inf_nan=False)
    """Seconds that the whole source may take; a later run goes on where this one stopped."""

    max_pages: int = Field(default=10_000, ge=1)
    """Pages that are read at most; a site with more is cut there, with a problem that says so."""

    max_redirects: int = Field(default=5, ge=0, le=20)
    """Redirects that one page may take."""

    max_retries: int = Field(default=3, ge=0, le=10)
    """How often a page is asked for again after 429, 5xx or a broken connection."""

    @field_validator("pages", "sitemaps")
    @classmethod
    def _web_addresses(cls, values: tuple[str, ...]) -> tuple[str, ...]:
        for value in values:
            _check_web_address(value)
        return values

    @model_validator(mode="after")
    def _something(self) -> WebSource:
        if not self.pages and not self.sitemaps:
            raise ValueError("needs pages or sitemaps")
        return self


SourceSettings = Annotated[FilesSource | GitSource | WebSource, Field(discriminator="type")]
"""One ``[[sources]]`` table, told apart by its ``type``."""


def _check_web_address(value: str) -> None:
    if any(ord(character) <= 32 or ord(character) == 127 for character in value):
        raise ValueError("an address holds no white space or control characters")
    parts = urlsplit(value)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ValueError(f"{value!r} is not an http or https address")
    if parts.username is not None or parts.password is not None:
        raise ValueError("an address must not hold a user name or password")
    _ = parts.port  # raises ValueError when it is no number up to 65535
