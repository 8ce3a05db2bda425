"""A corpus: a folder with ``corpus.toml``, which says where documents come from and how a package is made of them.

corpora/larkfield/
  corpus.toml         the settings, checked here to the last key
  corpus.local.toml   optional, not for git: where this machine keeps a source (``[paths]``)
  reviews.jsonl       the review ledger
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from aipk_core.claims.checks import CHECKS
from aipk_core.cron import check_cron
from aipk_core.documents.sources.model import GitSource, SourceSettings, Texts
from aipk_core.embedding.settings import EmbeddingSettings
from aipk_core.errors import CorpusError
from aipk_core.settings_errors import explained, parse_toml

CORPUS_FILE = "corpus.toml"
LOCAL_FILE = "corpus.local.toml"
LEDGER_FILE = "reviews.jsonl"
SHORTCODES_FILE = "shortcodes.toml"
_MAX_FILE_BYTES = 1 << 20
_SOURCE_KINDS = frozenset({"files", "git", "web"})
_NAME = re.compile(r"[a-z][a-z0-9_]{0,47}")


class _Table(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, use_attribute_docstrings=True)


class ChunkTable(_Table):
    """``[chunks]``: how documents are cut for retrieval."""

    target_tokens: int = Field(default=200, ge=16, le=8192)
    """Length of a chunk in tokens of the embedder, its headings included."""

    overlap_sentences: int = Field(default=0, ge=0, le=10)
    """Sentences at the end of a chunk that the next chunk of the same section repeats."""


class ClaimTable(_Table):
    """``[claims]``: how claims are found."""

    engine: Literal["extractive", "llm"] = "extractive"
    """``extractive`` takes sentences, list items and table rows as they stand. ``llm`` asks a language model for each
    section; what it says is checked against the sentences that it names."""

    model: str = ""
    """For ``llm``: a LiteLLM model name, such as ``ollama/llama3.2`` or ``openai/gpt-4o-mini``."""

    api_base: str = ""
    """Address of the model's server, when it is not the provider's own."""

    api_key_env: str = Field(default="", pattern=r"^([A-Za-z_][A-Za-z0-9_]{0,127})?$")
    """Environment variable that holds the model's key; the key itself never stands in a file."""

    concurrency: int = Field(default=4, ge=1, le=64)
    """How many sections are asked for at the same time."""

    timeout_seconds: int = Field(default=120, ge=1, le=3600)
    """How long one request may take."""

    retries: int = Field(default=3, ge=0, le=10)
    """Further tries after an error that may pass, with growing pauses."""

    max_tokens: int = Field(default=2048, ge=64, le=100_000)
    """Length limit of one reply; a reply that is cut there is asked for again in two halves."""

    max_requests: int | None = Field(default=None, ge=1)
    """Requests that one build may make; the sections left over are done by the next build."""

    max_cost: float | None = Field(default=None, gt=0)
    """Money that one build may spend, in the currency of the prices."""

    price_in: float | None = Field(default=None, ge=0)
    """Price of a million tokens of input, for models whose price LiteLLM does not know."""

    price_out: float | None = Field(default=None, ge=0)
    """Price of a million tokens of output."""

    min_words: int = Field(default=3, ge=1, le=20)
    """Shorter statements are taken for labels, not for claims."""

    max_characters: int = Field(default=600, ge=40, le=10_000)
    """Longer sentences are left out of the claims; they still stand in the chunks."""

    conflicts: Literal["off", "show", "block"] = "show"
    """``show``: claims that contradict each other are listed for review. ``block``: neither may become canonical by
    itself before a person has decided. ``off``: claims are not compared."""

    neighbours: int = Field(default=8, ge=1, le=100)
    """How many of the claims nearest to it each claim is compared with."""

    min_similarity_percent: int = Field(default=75, ge=0, le=100)
    """Claims less alike than this (cosine, in percent) are not compared."""

    @model_validator(mode="after")
    def _engine_and_model(self) -> ClaimTable:
        if self.engine == "llm" and not self.model.strip():
            raise ValueError("the engine 'llm' needs a 'model'")
        if self.engine == "extractive" and self.model:
            raise ValueError("the engine 'extractive' asks no model; set engine = \"llm\" or remove 'model'")
        if (self.price_in is None) != (self.price_out is None):
            raise ValueError("give both price_in and price_out, or neither")
        return self


class ReviewTable(_Table):
    """``[review]``: who or what decides that a claim becomes canonical."""

    policy: Literal["manual", "auto", "sample"] = "manual"
    """``manual``: only people decide. ``auto``: a claim that passes all of ``checks`` becomes canonical. ``sample``:
    people read a share of the claims that pass all of ``checks``; the rest becomes canonical if that share was good."""

    checks: Texts = ()
    """Birth checks that the policies ``auto`` and ``sample`` rely on; must be named when one of them is chosen."""

    sample_percent: float = Field(default=10.0, gt=0, le=100)
    """Policy ``sample``: the share of claims that people read."""

    max_error_percent: float = Field(default=2.0, gt=0, lt=100)
    """Policy ``sample``: the rest is accepted if the error rate's upper confidence bound is not above this."""

    confidence_percent: float = Field(default=95.0, ge=50, lt=100)
    """Policy ``sample``: how sure that bound is."""

    sample_seed: str = Field(default="", max_length=200)
    """Policy ``sample``: any text; another one draws another sample."""

    people_needed: int = Field(default=1, ge=1, le=2)
    """2: a claim that people decide on becomes canonical when two of them have approved the same text."""

    people: dict[str, Literal["reviewer", "approver"]] = {}
    """Who may decide: reviewers may review and reject, approvers everything. Empty: everybody may do everything."""

    @field_validator("checks")
    @classmethod
    def _known_checks(cls, values: tuple[str, ...]) -> tuple[str, ...]:
        for value in values:
            if value not in CHECKS:
                raise ValueError(f"there is no check '{value}'; there are: {', '.join(CHECKS)}")
        return values

    @model_validator(mode="after")
    def _fitting_checks(self) -> ReviewTable:
        if self.policy != "manual" and not self.checks:
            raise ValueError(f"the policy '{self.policy}' needs the list of checks that it relies on")
        if self.policy == "manual" and self.checks:
            raise ValueError("the policy 'manual' uses no checks; remove them or choose 'auto' or 'sample'")
        return self

    @model_validator(mode="after")
    def _enough_people(self) -> ReviewTable:
        approvers = sum(role == "approver" for role in self.people.values())
        if self.people and (not approvers or len(self.people) < self.people_needed):
            raise ValueError("nobody could make a claim canonical: name at least one approver, and enough people")
        return self


class AnswerTable(_Table):
    """``[answer]``: how questions are answered during evaluation."""

    model: str = ""
    """A LiteLLM model name; empty answers extractively, without any model."""

    api_base: str = ""
    """Address of the model's server, when it is not the provider's own."""

    api_key_env: str = Field(default="", pattern=r"^([A-Za-z_][A-Za-z0-9_]{0,127})?$")
    """Environment variable that holds the model's key; the key itself never stands in a file."""


class EvaluationTable(_Table):
    """``[evaluation]``: questions that the package is tried on after each build."""

    questions: str = ""
    """A TOML file with ``[[questions]]``; empty means no evaluation."""


class PackageTable(_Table):
    """``[package]``: what happens to finished packages."""

    retain: int = Field(default=3, ge=1, le=1000)
    """How many packages of this corpus stay in ``dist/``; older ones are deleted."""

    allow_unreviewed: bool = False
    """Build a package although no claim is canonical (it can then answer nothing in the strict modes)."""


class RefreshTable(_Table):
    """``[refresh]``: when the package is rebuilt by itself."""

    cron: str = ""
    """A cron line in UTC, for example ``0 5 * * 1``; empty means never."""

    @field_validator("cron")
    @classmethod
    def _cron_line(cls, value: str) -> str:
        if value:
            check_cron(value)
        return value

    fresh_days: int = Field(default=0, ge=0, le=3660)
    """After so many days without a build, Dagster shows the package as stale; 0 means never."""


class ExecutionTable(_Table):
    """``[execution]``: where heavy work is done. It changes no result, and ``$AIPK_EXECUTOR`` goes before it."""

    backend: Literal["serial", "processes", "celery", "ray", "kubernetes"] = "processes"
    """``processes`` of this machine, or workers on others; see docs/operations.md."""


class CorpusSettings(_Table):
    """All of ``corpus.toml``."""

    name: str
    """Short name: lower-case letters, digits and underscores. Names the package and the group in Dagster. A file that
    does not say it is named like its folder."""

    title: str = ""
    description: str = ""
    version: str = Field(default="0.0.0", pattern=r"^[0-9A-Za-z][0-9A-Za-z.+-]{0,63}$")
    language: str = Field(default="en", pattern=r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$")

    persona: str = ""
    """A Markdown file, relative to the corpus, that tells a model how to speak."""

    skills: Texts = ()
    """Glob patterns of Markdown files with instructions for special tasks."""

    tools: str = ""
    """A JSON file with tool definitions (a list of OpenAI function tools). They are described, never run."""

    strict: bool = False
    """Whether a document that cannot be read well fails the build instead of being listed in its report."""

    max_shrink_percent: int = Field(default=30, ge=0, le=100)
    """A source that loses more than this share of its documents at once is asked about, not obeyed."""

    sources: Annotated[tuple[SourceSettings, ...], Field(min_length=1, strict=False)]
    chunks: ChunkTable = ChunkTable()
    embedding: EmbeddingSettings = EmbeddingSettings()
    claims: ClaimTable = ClaimTable()
    review: ReviewTable = ReviewTable()
    answer: AnswerTable = AnswerTable()
    evaluation: EvaluationTable = EvaluationTable()
    package: PackageTable = PackageTable()
    refresh: RefreshTable = RefreshTable()
    execution: ExecutionTable = ExecutionTable()

    @field_validator("name")
    @classmethod
    def _plain_name(cls, value: str) -> str:
        if not _NAME.fullmatch(value):
            raise ValueError(
                f"'{value[:80]}' must be lower-case letters, digits and underscores, at most 48, and begin with a letter"
            )
        return value

    @field_validator("persona", "tools")
    @classmethod
    def _possible_path(cls, value: str) -> str:
        if "\0" in value:
            raise ValueError("holds a zero byte, which no path can")
        return value

    @field_validator("skills")
    @classmethod
    def _patterns_inside(cls, values: tuple[str, ...]) -> tuple[str, ...]:
        for value in values:
            path = PurePath(value)
            if "\0" in value or not path.parts or path.is_absolute() or ".." in path.parts:
                raise ValueError(f"'{value[:80]}' is no pattern for files inside the corpus folder, like 'skills/*.md'")
        return values

    @model_validator(mode="after")
    def _distinct_sources(self) -> CorpusSettings:
        names = [source.name for source in self.sources]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"two sources are called '{name}'; give each a name of its own")
        return self


class Corpus:
    """A corpus folder and its checked settings."""

    def __init__(self, folder: Path, settings: CorpusSettings) -> None:
        self.folder = folder
        self.settings = settings

    @property
    def name(self) -> str:
        return self.settings.name

    @property
    def title(self) -> str:
        return self.settings.title or self.settings.name

    @property
    def ledger(self) -> Path:
        """The review ledger; the file need not exist yet."""
        return self.folder / LEDGER_FILE

    def text_of(self, setting: str, path: str, *, limit: int = _MAX_FILE_BYTES) -> str:
        """The text of a file of the corpus folder that a setting names.

        Raises:
            CorpusError: the file is missing, outside of the folder, too large or not UTF-8.
        """
        where = f"{self.folder / CORPUS_FILE} ({setting})"
        target = (self.folder / path).resolve()
        if not target.is_relative_to(self.folder.resolve()):
            raise CorpusError(
                f"'{path}' lies outside of the corpus folder", where=where, remedy="Move the file into it"
            )
        try:
            if target.stat().st_size > limit:
                raise CorpusError(f"'{path}' is larger than {limit} bytes", where=where, remedy="Shorten the file")
            return target.read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            raise CorpusError(f"'{path}' is not UTF-8", where=where, remedy="Save the file as UTF-8") from error
        except OSError as error:
            raise CorpusError(
                f"'{path}' cannot be read: {error.strerror}",
                where=where,
                remedy="Create the file or remove the setting",
            ) from error

    def skill_files(self) -> list[tuple[str, str]]:
        """Name and text of each skill, sorted by name.

        Raises:
            CorpusError: a pattern matches nothing, or a file cannot be read.
        """
        found: dict[str, str] = {}
        for pattern in self.settings.skills:
            paths = sorted(path for path in self.folder.glob(pattern) if path.is_file())
            if not paths:
                raise CorpusError(
                    f"no file matches '{pattern}'",
                    where=f"{self.folder / CORPUS_FILE} (skills)",
                    remedy="Correct the pattern or remove it",
                )
            for path in paths:
                found[path.stem] = self.text_of("skills", str(path.relative_to(self.folder)))
        return sorted(found.items())


def load_corpus(path: Path, *, paths: Mapping[str, str] | None = None) -> Corpus:
    """Read and check the corpus in the folder ``path`` (or the ``corpus.toml`` at it).

    Args:
        paths: source name -> local folder to read that source from instead; wins over ``corpus.local.toml``.

    Raises:
        CorpusError: the folder or file is missing, is not TOML, or a key or value is wrong; the message names it.
    """
    folder = path.parent if path.name == CORPUS_FILE else path
    file = folder / CORPUS_FILE
    if not folder.is_dir():
        raise CorpusError(
            "there is no such corpus folder", code="corpus-missing", where=str(path), remedy="Check the path"
        )
    if not file.is_file():
        raise CorpusError(
            f"the folder has no {CORPUS_FILE}",
            code="corpus-missing",
            where=str(folder),
            remedy="Point at a corpus folder, or create the file",
        )
    values = _read_toml(file)
    local = _read_toml(folder / LOCAL_FILE) if (folder / LOCAL_FILE).is_file() else {}
    values.setdefault("name", _named_like(folder))
    try:
        settings = CorpusSettings.model_validate(values)
        overrides = {**_LocalSettings.model_validate(local).paths, **(paths or {})}
    except ValidationError as error:
        raise CorpusError(explained(error, tags=_SOURCE_KINDS), where=str(file), remedy="Correct the file") from error
    return Corpus(folder, _with_shortcodes(_with_paths(settings, overrides, file), folder / SHORTCODES_FILE))


def _named_like(folder: Path) -> str:
    """The folder's name as a corpus name: "My Handbook" is ``my_handbook``. A name that cannot be made is left as it is,
    for the settings to complain about it."""
    name = folder.resolve().name
    letters = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    plain = re.sub(r"[^a-z0-9]+", "_", letters).strip("_")[:48].rstrip("_")
    return plain if _NAME.fullmatch(plain) else name


def find_corpora(root: Path) -> list[Path]:
    """The corpus folders under ``root/corpora``, sorted by name; before them ``root``, if it is a corpus itself."""
    alone = [root] if (root / CORPUS_FILE).is_file() else []
    return alone + sorted(file.parent for file in (root / "corpora").glob(f"*/{CORPUS_FILE}"))


class _LocalSettings(_Table):
    paths: dict[str, str] = {}


def _with_shortcodes(settings: CorpusSettings, file: Path) -> CorpusSettings:
    """The corpus's own shortcode table as options of its Hugo sources; what a source itself says wins."""
    if not file.is_file() or not any(source.loader == "hugo" for source in settings.sources):
        return settings
    from aipk_core.documents.hugo.table import read_table

    table = read_table(file)
    sources = tuple(
        source.model_copy(update={"options": {**table, **source.options}}) if source.loader == "hugo" else source
        for source in settings.sources
    )
    return settings.model_copy(update={"sources": sources})


def _with_paths(settings: CorpusSettings, overrides: Mapping[str, str], file: Path) -> CorpusSettings:
    by_name = {source.name: source for source in settings.sources}
    for name, path in overrides.items():
        source = by_name.get(name)
        if source is None:
            raise CorpusError(
                f"there is no source '{name}' to read from '{path}'",
                where=str(file),
                remedy=f"Name one of: {', '.join(by_name)}",
            )
        if not isinstance(source, GitSource) and source.type != "files":
            raise CorpusError(
                f"the source '{name}' is a web source and cannot be read from a folder",
                where=str(file),
                remedy="Remove the path",
            )
        by_name[name] = source.model_copy(update={"path": path})
    return settings.model_copy(update={"sources": tuple(by_name.values())})


def _read_toml(file: Path) -> dict[str, Any]:
    try:
        data = file.read_bytes()
        if len(data) > _MAX_FILE_BYTES:
            raise CorpusError("the file is larger than 1 MiB", where=str(file), remedy="Move data out of it")
        return parse_toml(data)
    except ValueError as error:
        raise CorpusError(str(error), where=str(file), remedy="Correct the file") from error
    except OSError as error:
        raise CorpusError(
            f"cannot be read: {error.strerror}", where=str(file), remedy="Check its permissions"
        ) from error
