"""``manifest.json``: what a package is and what is in it.

The manifest can be read without LanceDB and without unpacking anything else. It lists every other member with its size
and digest, so nothing can be in a package that it does not name.
"""

from __future__ import annotations

import json
import re
from typing import Annotated, Any, Final, Literal, NoReturn, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from aipk_core.embedding.model import EmbedderIdentity
from aipk_core.errors import PackageError
from aipk_core.hashing import digest

FORMAT: Final = "aipk"
FORMAT_VERSION: Final = 2
"""Version 1 was another project's binary format with the same file ending; this one starts at 2."""

MANIFEST_NAME: Final = "manifest.json"
MAX_MANIFEST_BYTES: Final = 16 << 20
MAX_MEMBERS: Final = 20_000
MAX_MEMBER_BYTES: Final = 64 << 30
MAX_TOTAL_BYTES: Final = 256 << 30

_MEMBER_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,127}(?:/[A-Za-z0-9_][A-Za-z0-9._-]{0,127}){0,7}")

Digest = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
PackageName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9._-]{0,63}$")]
PackageVersion = Annotated[str, StringConstraints(pattern=r"^[0-9A-Za-z][0-9A-Za-z.+-]{0,63}$")]
Line = Annotated[str, StringConstraints(max_length=2_000, pattern=r"^[^\x00-\x1f\x7f-\x9f\u2028\u2029]*$")]
Count = Annotated[int, Field(ge=0, le=10**10)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Member(_Part):
    """One file inside the package, with the size and the digest of its unpacked bytes."""

    path: str = Field(max_length=400)
    size: int = Field(ge=0, le=MAX_MEMBER_BYTES)
    sha256: Digest

    @model_validator(mode="after")
    def _plain_path(self) -> Self:
        if not is_member_name(self.path):
            raise ValueError(f"{self.path!r} is no plain relative path")
        return self


class EmbedderRecord(_Part):
    """The embedder that made the vectors; questions must be embedded by the same one."""

    name: Line
    revision: Line
    digest: Digest
    dimensions: int = Field(ge=2, le=16_384)
    max_tokens: int = Field(ge=1, le=1_000_000)

    @classmethod
    def of(cls, identity: EmbedderIdentity) -> Self:
        return cls(
            name=identity.name,
            revision=identity.revision,
            digest=identity.digest,
            dimensions=identity.dimensions,
            max_tokens=identity.max_tokens,
        )

    @property
    def identity(self) -> EmbedderIdentity:
        return EmbedderIdentity(self.name, self.revision, self.digest, self.dimensions, self.max_tokens)


class Counts(_Part):
    """How many rows there are; claims by status."""

    documents: Count
    chunks: Count
    claims: Count
    claims_by_status: dict[Literal["extracted", "reviewed", "canonical", "deprecated"], Count]
    questions: Count = 0

    @model_validator(mode="after")
    def _adds_up(self) -> Self:
        if sum(self.claims_by_status.values()) != self.claims:
            raise ValueError("the claims by status do not add up to all claims")
        return self


class Licence(_Part):
    """Under which terms the documents of one source may be used, and whom to name.

    Attributes:
        source: name of the source in the corpus.
        licence: SPDX identifier or name of the licence; ``""`` when the corpus does not say.
        attribution: the words that name the authors.
    """

    source: Line
    licence: Line = ""
    attribution: Line = ""
    documents: Count = 0


class Manifest(_Part):
    """All of ``manifest.json``.

    Attributes:
        content_digest: identifies the content: the same sources, settings and ledger give the same one, on any machine
            and at any time. It covers ``parts``, not the bytes of the members, in which LanceDB puts random names.
        parts: digest of each kind of content (documents, chunks, claims, persona …), so that two packages can be compared.
        vectors_digest: digest of all vectors, bit by bit. It may differ between two kinds of processor.
        stages: version of each pipeline stage that took part.
    """

    format: Literal["aipk"] = FORMAT
    format_version: Literal[2] = FORMAT_VERSION
    name: PackageName
    version: PackageVersion
    title: Line = ""
    description: Line = ""
    content_digest: Digest
    parts: dict[Line, Digest]
    vectors_digest: Digest
    embedder: EmbedderRecord
    counts: Counts
    languages: list[Line] = Field(max_length=1_000)
    licences: list[Licence] = Field(max_length=10_000)
    stages: dict[Line, Line] = Field(default_factory=dict)
    members: list[Member] = Field(max_length=MAX_MEMBERS)

    @model_validator(mode="after")
    def _members_are_distinct(self) -> Self:
        names = [member.path.lower() for member in self.members]
        if len(set(names)) != len(names):
            raise ValueError("two members differ at most in upper and lower case")
        if MANIFEST_NAME in names:
            raise ValueError("the manifest lists itself")
        folders = {name.rsplit("/", depth)[0] for name in names for depth in range(1, name.count("/") + 1)}
        if folders & set(names):
            raise ValueError("a member has the name of a folder")
        if sum(member.size for member in self.members) > MAX_TOTAL_BYTES:
            raise ValueError("the members are too large altogether")
        return self

    @model_validator(mode="after")
    def _content_is_its_parts(self) -> Self:
        if self.content_digest != digest("aipk content", self.parts):
            raise ValueError("the content digest is not that of the parts")
        return self

    @property
    def label(self) -> str:
        """``name@version``, for people."""
        return f"{self.name}@{self.version}"

    def member(self, path: str) -> Member | None:
        return next((member for member in self.members if member.path == path), None)

    def encoded(self) -> bytes:
        """The bytes of ``manifest.json``; the same manifest always gives the same bytes."""
        text = json.dumps(self.model_dump(mode="json"), sort_keys=True, ensure_ascii=False, indent=1)
        return (text + "\n").encode("utf-8")


def is_member_name(name: str) -> bool:
    """Whether ``name`` is a relative path that is safe and means the same on every system: ASCII letters, digits,
    dots, dashes and underscores, no part that starts with a dot, at most eight parts."""
    return _MEMBER_NAME.fullmatch(name) is not None


def parse_manifest(data: bytes, *, where: str) -> Manifest:
    """The manifest that ``data`` holds.

    Raises:
        PackageError: ``data`` is no manifest (``manifest-invalid``), or one of another version (``version-unsupported``).
    """
    if len(data) > MAX_MANIFEST_BYTES:
        raise _invalid(f"it is larger than {MAX_MANIFEST_BYTES >> 20} MiB", where)
    try:
        values = json.loads(data.decode("utf-8"), object_pairs_hook=_distinct_keys, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise _invalid(f"it is not JSON ({error})", where) from error
    if not isinstance(values, dict) or values.get("format") != FORMAT:
        raise _invalid("it does not say that it is an aipk manifest", where)
    version = values.get("format_version")
    if version != FORMAT_VERSION or isinstance(version, bool):
        raise PackageError(
            f"the package has format version {str(version)[:20]}, and this program reads version {FORMAT_VERSION}",
            code="version-unsupported",
            where=where,
            remedy="Install the version of aipk that the package was built with, or build the package anew",
        )
    try:
        return Manifest.model_validate_json(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise _invalid(f"{place}: {first['msg']}"[:500], where) from error


def _distinct_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return values


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON value")


def _invalid(reason: str, where: str) -> PackageError:
    return PackageError(
        f"the package's manifest is not valid: {reason}",
        code="manifest-invalid",
        where=where,
        remedy="Get the package again from where it came from, or build it anew",
    )
