"""Claims indexed once, so that a unit is compared only with the few that can concern it."""

from __future__ import annotations

import math
from array import array
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt

from aipk_core.embedding.model import Embedder, Vectors
from aipk_core.text.languages import primary_language
from aipk_core.verify.analysis import KEPT, Analysis, analyse, parts_of
from aipk_core.verify.identifiers import Identifier
from aipk_core.verify.lexicon.wordnet import wordnet
from aipk_core.verify.meaning import MOST_KEPT, WordVectors
from aipk_core.verify.model import VerifiableClaim
from aipk_core.verify.quantities import Quantity

_COMMON = 0.2
"""A key that more than this share of the claims has says nothing when a rarer one is there too."""


class ClaimIndex:
    """Finds claims by words, numbers and identifiers, and by meaning when an embedder is given.

    Args:
        embedder: used for claims and statements alike; vectors are made on first use.
    """

    def __init__(self, claims: Sequence[VerifiableClaim], embedder: Embedder | None = None) -> None:
        self.claims = tuple(claims)
        self.by_id = {claim.id: number for number, claim in enumerate(self.claims)}
        self._embedder = embedder
        self._vectors: Vectors | None = None
        self.analysis = lru_cache(maxsize=KEPT)(self._analyse)
        """The analysis of a claim with its context in front, by its number; made when first needed, and kept for a while."""
        postings: dict[str, array[int]] = defaultdict(lambda: array("i"))
        for number, claim in enumerate(self.claims):
            for key in keys_in(full_text(claim), claim.lang):
                postings[key].append(number)
        self._postings: dict[str, npt.NDArray[np.int32]] = {
            key: np.frombuffer(numbers, dtype=np.int32) for key, numbers in postings.items()
        }

    @cached_property
    def _verbatim(self) -> dict[int, tuple[int, ...]]:
        """Numbers of claims by the hash of what they say."""
        found: dict[int, tuple[int, ...]] = {}
        for number, claim in enumerate(self.claims):
            for key in {hash(_plain(claim.text)), hash(_plain(full_text(claim)))}:
                found[key] = (*found.get(key, ()), number)
        return found

    def verbatim(self, text: str) -> list[int]:
        """Numbers of the claims that say exactly this, letter by letter but for case, spaces and the final stop."""
        plain = _plain(text)
        claims = self.claims
        return [
            number
            for number in self._verbatim.get(hash(plain), ())
            if plain in (_plain(claims[number].text), _plain(full_text(claims[number])))
        ]

    def _analyse(self, number: int) -> Analysis:
        claim = self.claims[number]
        return analyse(full_text(claim), claim.lang)

    def find(
        self, statement: Analysis, limit: int, vector: npt.NDArray[np.float32] | None = None
    ) -> list[tuple[int, float]]:
        """Numbers of the claims nearest to ``statement`` with a score, best first, at most ``limit``."""
        size = len(self.claims)
        if not size:
            return []
        # in a fixed order: sums of rounded numbers depend on it, and with them the order of claims that are equally near
        hits = [(key, self._postings[key]) for key in sorted(keys_of(statement)) if key in self._postings]
        hits += [(key, self._postings[key]) for key in sorted(_near_keys(statement)) if key in self._postings]
        rare = [(key, numbers) for key, numbers in hits if len(numbers) <= max(20, _COMMON * size)]
        hits = rare or hits
        scores = np.zeros(size, dtype=np.float32)
        if hits:
            weights = [math.log(1 + size / len(numbers)) for _, numbers in hits]
            if sum(len(numbers) for _, numbers in hits) < size // 4:
                for weight, (_, numbers) in zip(weights, hits, strict=True):
                    scores[numbers] += weight
            else:
                joined = np.concatenate([numbers for _, numbers in hits])
                spread = np.repeat(np.asarray(weights, dtype=np.float32), [len(numbers) for _, numbers in hits])
                scores = np.bincount(joined, weights=spread, minlength=size).astype(np.float32)
        if vector is not None and self._vectors is not None:
            near = self._vectors @ vector
            top = float(scores.max()) or 1.0
            scores = scores / top + np.where(near > 0.3, near, 0.0)
        count = min(limit, size)
        best = np.argpartition(-scores, count - 1)[:count] if count < size else np.arange(size)
        best = best[np.argsort(-scores[best], kind="stable")]
        return [(int(number), float(scores[number])) for number in best if scores[number] > 0]

    def vectors(self, same_model: WordVectors | None = None) -> Vectors | None:
        """Unit vectors of all claims, or ``None`` without an embedder."""
        if self._vectors is None and self._embedder is not None and self.claims:
            texts = [full_text(claim) for claim in self.claims]
            if same_model is not None and len(texts) <= MOST_KEPT:
                self._vectors = np.stack([same_model.of(text)[2] for text in texts])
            else:
                self._vectors = self._embedder.embed_passages(texts)
        return self._vectors

    def vector_of(self, text: str, same_model: WordVectors | None = None) -> npt.NDArray[np.float32] | None:
        """The unit vector of a statement; ``same_model`` are the word vectors of the embedder's model: one run
        gives both, and those of the claims are needed soon."""
        if self._embedder is None:
            return None
        self.vectors(same_model)
        if same_model is not None:
            return same_model.of(text)[2]
        row: npt.NDArray[np.float32] = self._embedder.embed_queries([text])[0]
        return row


def _plain(text: str) -> str:
    return " ".join(text.split()).rstrip(" .。!！;；").casefold()


def full_text(claim: VerifiableClaim) -> str:
    """The claim as it can be read alone; ``text_offset`` says where its own text begins."""
    return " > ".join((*claim.context, claim.text))


def text_offset(claim: VerifiableClaim) -> int:
    return len(full_text(claim)) - len(claim.text)


def keys_of(analysis: Analysis) -> set[str]:
    """What a statement looks for."""
    return {word.stem for word in analysis.words} | _value_keys(analysis.identifiers, analysis.quantities)


def keys_in(text: str, lang: str) -> set[str]:
    """What a claim is found by: the keys of its analysis, without the analysis."""
    stems, identifiers, quantities = parts_of(text, lang)
    return stems | _value_keys(identifiers, quantities)


def _value_keys(identifiers: Iterable[Identifier], quantities: Iterable[Quantity]) -> set[str]:
    keys = {identifier.norm.casefold() for identifier in identifiers}
    for quantity in quantities:
        if quantity.value is not None:
            keys.add(f"#{quantity.key}:{float(quantity.value):.6g}")
        else:
            keys.add(f"#{quantity.key}:{quantity.fields}")
    return keys


def _near_keys(analysis: Analysis) -> set[str]:
    """Other forms of the statement's words under which a claim may be filed."""
    if primary_language(analysis.lang) != "en":
        return set()
    table = wordnet()
    return {lemma for word in analysis.words for lemma in table.lemmas(word.norm)} - {
        word.stem for word in analysis.words
    }
