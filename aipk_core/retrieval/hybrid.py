"""Hybrid search over open packages, with the embedder that they were built with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Generic, TypeVar

from aipk_core.chunks import Chunk
from aipk_core.claims.model import Claim, Status
from aipk_core.embedding.model import Embedder, EmbedderIdentity
from aipk_core.errors import EmbedderError, UsageError
from aipk_core.package import Package
from aipk_core.package.search import Candidate, Mode, fuse
from aipk_core.retrieval.model import ChunkHit, ClaimHit

MAX_QUERY_CHARACTERS = 20_000
"""A longer question is cut; the embedder reads no further than this anyway."""

_QUALIFIER = ":"

Item = TypeVar("Item")


class PackageRetriever:
    """Searches one or several packages as if they were one; safe to share between threads.

    An id that stands in more than one of the packages is qualified by its package's label (``label:id``), so that every
    hit has its own.

    Args:
        mode: ``hybrid``, or one half of it alone for comparison.

    Raises:
        UsageError: there is no package.
        EmbedderError: a package was built with another embedder (``embedder-mismatch``): its vectors and those of
            ``embedder`` cannot be compared, and a search would give wrong answers without a sign.
    """

    def __init__(self, packages: Sequence[Package], embedder: Embedder, *, mode: Mode = "hybrid") -> None:
        if not packages:
            raise UsageError("there is no package to search", remedy="Name at least one .aipk file")
        for package in packages:
            check_embedder(package, embedder.identity)
        self.packages = tuple(packages)
        self.labels = _labels(self.packages)
        self._embedder = embedder
        self._mode: Mode = mode
        several = len(self.packages) > 1
        self._shared_claims = _standing_twice([package.claim_ids() for package in packages]) if several else frozenset()
        self._shared_chunks = _standing_twice([package.chunk_ids() for package in packages]) if several else frozenset()

    def claims(self, query: str, *, limit: int = 8) -> list[ClaimHit]:
        """The best canonical claims for ``query``, best first; none for a blank one."""
        query = query[:MAX_QUERY_CHARACTERS]
        if not query.strip() or limit < 1:
            return []
        vector = self._embedder.embed_queries([query])[0]
        pool: list[Candidate[_Found[Claim]]] = []
        for label, package in zip(self.labels, self.packages, strict=True):
            found = package.claim_candidates(query, vector, limit, status=Status.CANONICAL, mode=self._mode)
            pool += [_labelled(candidate, label) for candidate in found]
        return [
            ClaimHit(hit.item.package, self._qualified_claim(hit.item), hit.similarity, hit.score)
            for hit in fuse(pool, limit=limit, mode=self._mode)
        ]

    def chunks(self, query: str, *, limit: int = 8) -> list[ChunkHit]:
        """The best chunks for ``query``, best first; none for a blank one."""
        query = query[:MAX_QUERY_CHARACTERS]
        if not query.strip() or limit < 1:
            return []
        vector = self._embedder.embed_queries([query])[0]
        pool: list[Candidate[_Found[Chunk]]] = []
        for label, package in zip(self.labels, self.packages, strict=True):
            found = package.chunk_candidates(query, vector, limit, mode=self._mode)
            pool += [_labelled(candidate, label) for candidate in found]
        return [
            ChunkHit(hit.item.package, self._qualified_chunk(hit.item), hit.similarity, hit.score)
            for hit in fuse(pool, limit=limit, mode=self._mode)
        ]

    def find_claim(self, claim_id: str) -> tuple[str, Claim] | None:
        """The claim with this id, qualified or not, of any status, and the label of its package."""
        for label, package in zip(self.labels, self.packages, strict=True):
            qualifier = label + _QUALIFIER
            if claim_id.startswith(qualifier) and (claim := package.claim(claim_id[len(qualifier) :])):
                return label, replace(claim, id=claim_id)
        if claim_id in self._shared_claims:
            return None  # which one is meant cannot be told
        for label, package in zip(self.labels, self.packages, strict=True):
            if claim := package.claim(claim_id):
                return label, claim
        return None

    def package(self, label: str) -> Package | None:
        """The package that hits call ``label``."""
        return next((package for name, package in zip(self.labels, self.packages, strict=True) if name == label), None)

    def _qualified_claim(self, found: _Found[Claim]) -> Claim:
        claim = found.item
        if claim.id not in self._shared_claims:
            return claim
        return replace(claim, id=f"{found.package}{_QUALIFIER}{claim.id}")

    def _qualified_chunk(self, found: _Found[Chunk]) -> Chunk:
        chunk = found.item
        if chunk.id not in self._shared_chunks:
            return chunk
        return replace(chunk, id=f"{found.package}{_QUALIFIER}{chunk.id}")


def check_embedder(package: Package, identity: EmbedderIdentity) -> None:
    """Refuse an embedder that did not make the package's vectors.

    Raises:
        EmbedderError: code ``embedder-mismatch``.
    """
    built = package.manifest.embedder
    if (built.digest, built.dimensions) != (identity.digest, identity.dimensions):
        raise EmbedderError(
            f"the package was built with the embedder {built.name} {built.revision} ({built.digest[:12]}), not with "
            f"{identity.name} {identity.revision} ({identity.digest[:12]})",
            code="embedder-mismatch",
            where=str(package.path),
            remedy="Configure the package's embedder, or build the package anew with this one",
        )


class _Found(Generic[Item]):
    """An item and the label of the package that it was found in."""

    __slots__ = ("item", "package")

    def __init__(self, package: str, item: Item) -> None:
        self.package = package
        self.item = item


def _labelled(candidate: Candidate[Item], label: str) -> Candidate[_Found[Item]]:
    return Candidate(
        id=f"{candidate.id}{_QUALIFIER}{label}",
        item=_Found(label, candidate.item),
        similarity=candidate.similarity,
        by_vector=candidate.by_vector,
        text_rank=candidate.text_rank,
    )


def _labels(packages: Sequence[Package]) -> tuple[str, ...]:
    """The shortest of name, name@version and name@version#digest that tells all packages apart."""
    for labels in (
        [package.manifest.name for package in packages],
        [package.manifest.label for package in packages],
        [f"{package.manifest.label}#{package.sha256[:12]}" for package in packages],
    ):
        if len(set(labels)) == len(labels):
            return tuple(labels)
    raise UsageError("the same package was named twice", remedy="Name each package once")


def _standing_twice(sets: Sequence[set[str]]) -> frozenset[str]:
    counts = Counter(item for ids in sets for item in ids)
    return frozenset(item for item, count in counts.items() if count > 1)
