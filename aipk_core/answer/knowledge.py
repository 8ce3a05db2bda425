"""The canonical claims that answers may stand on, all in memory or looked up when they are needed."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from threading import Lock

from aipk_core.answer.relevance import Vocabulary
from aipk_core.claims.model import Claim, Status
from aipk_core.retrieval import PackageRetriever

EAGER_CLAIMS = 1_000
"""Packages with more claims than this are not read whole when they are opened."""

_SAMPLED_CLAIMS = 5_000
_REMEMBERED_CLAIMS = 10_000
_SAME_TEXT_HITS = 3


@dataclass(frozen=True, slots=True)
class Knowledge:
    """The canonical claims of one package, or of several taken together.

    Attributes:
        claims: by claim id, with the label of the package that holds it; no other claim may be shown or cited.
        named: the claim with exactly this text, if there is one.
    """

    claims: Mapping[str, tuple[str, Claim]]
    vocabulary: Vocabulary = field(repr=False)
    named: Callable[[str], Claim | None] = field(repr=False)

    @staticmethod
    def of(claims: Iterable[tuple[str, Claim]], subjects: Iterable[str] = ()) -> Knowledge:
        """Claims with their package labels, held in memory; of two with the same id the first one counts.

        Args:
            subjects: names and titles of the packages.
        """
        by_id: dict[str, tuple[str, Claim]] = {}
        for package, claim in claims:
            by_id.setdefault(claim.id, (package, claim))
        by_text = {claim.text: claim for _, claim in reversed(by_id.values())}
        return Knowledge(by_id, Vocabulary((claim for _, claim in by_id.values()), subjects), by_text.get)

    @staticmethod
    def behind(retriever: PackageRetriever) -> Knowledge:
        """The canonical claims of a retriever's packages: few are read at once, many only when they are asked for."""
        manifests = [package.manifest for package in retriever.packages]
        subjects = [text for manifest in manifests for text in (manifest.name, manifest.title)]
        if sum(manifest.counts.claims for manifest in manifests) <= EAGER_CLAIMS:
            return Knowledge.of(canonical_claims(retriever), subjects)

        def named(text: str) -> Claim | None:
            hits = retriever.claims(text, limit=_SAME_TEXT_HITS)
            return next((hit.claim for hit in hits if hit.claim.text == text), None)

        # Claims come in the order of their ids, which are digests: the first ones are a fair sample of all.
        sample = (claim for _, claim in islice(canonical_claims(retriever), _SAMPLED_CLAIMS))
        return Knowledge(ClaimsOnDemand(retriever), Vocabulary(sample, subjects), named)


def canonical_claims(retriever: PackageRetriever) -> Iterator[tuple[str, Claim]]:
    """Every claim that answers may stand on, with the label of its package, under the ids that retrieval gives them."""
    pairs = list(zip(retriever.labels, retriever.packages, strict=True))
    standing = Counter(name for _, package in pairs for name in package.claim_ids()) if len(pairs) > 1 else Counter()
    for label, package in pairs:
        for claim in package.claims(Status.CANONICAL):
            yield label, (replace(claim, id=f"{label}:{claim.id}") if standing[claim.id] > 1 else claim)


class ClaimsOnDemand(Mapping[str, tuple[str, Claim]]):
    """Looks claims up in their packages and remembers the latest ones."""

    def __init__(self, retriever: PackageRetriever) -> None:
        self._retriever = retriever
        self._size = sum(
            package.manifest.counts.claims_by_status.get(Status.CANONICAL.value, 0) for package in retriever.packages
        )
        self._held: OrderedDict[str, tuple[str, Claim]] = OrderedDict()
        self._lock = Lock()

    def __getitem__(self, claim_id: str) -> tuple[str, Claim]:
        with self._lock:
            if claim_id in self._held:
                return self._held[claim_id]
        found = self._retriever.find_claim(claim_id)
        if found is None or found[1].status is not Status.CANONICAL:
            raise KeyError(claim_id)
        with self._lock:
            self._held[claim_id] = found
            while len(self._held) > _REMEMBERED_CLAIMS:
                self._held.popitem(last=False)
        return found

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[str]:
        return (claim.id for _, claim in canonical_claims(self._retriever))
