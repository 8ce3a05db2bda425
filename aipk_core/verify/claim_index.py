"""Claims indexed once, so that a unit is compared only with the few that can concern it."""

from __future__ import annotations

import math
from array import array
from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from aipk_core.embedding.model import Embedder, Vectors
from aipk_core.text.languages import primary_language
from aipk_core.verify.analysis import Analysis, analyse
from aipk_core.verify.lexicon.wordnet import wordnet
from aipk_core.verify.model import VerifiableClaim

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
        self._analyses: dict[int, Analysis] = {}
        postings: dict[str, array[int]] = defaultdict(lambda: array("i"))
        for number in range(len(self.claims)):
            for key in keys_of(self.analysis(number)):
                postings[key].append(number)
        self._postings: dict[str, npt.NDArray[np.int32]] = {
            key: np.frombuffer(numbers, dtype=np.int32) for key, numbers in postings.items()
        }

    @cached_property
    def _verbatim(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = defaultdict(list)
        for number, claim in enumerate(self.claims):
            for text in {_plain(claim.text), _plain(full_text(claim))}:
                found[text].append(number)
        return found

    def verbatim(self, text: str) -> list[int]:
        """Numbers of the claims that say exactly this, letter by letter but for case, spaces and the final stop."""
        return self._verbatim.get(_plain(text), [])

    def analysis(self, number: int) -> Analysis:
        """The analysis of a claim with its context in front, made once."""
        if number not in self._analyses:
            claim = self.claims[number]
            self._analyses[number] = analyse(full_text(claim), claim.lang)
        return self._analyses[number]

    def find(
        self, statement: Analysis, limit: int, vector: npt.NDArray[np.float32] | None = None
    ) -> list[tuple[int, float]]:
        """Numbers of the claims nearest to ``statement`` with a score, best first, at most ``limit``."""
        size = len(self.claims)
        if not size:
            return []
        hits = [(key, self._postings[key]) for key in keys_of(statement) if key in self._postings]
        hits += [(key, self._postings[key]) for key in _near_keys(statement) if key in self._postings]
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

    def vectors(self) -> Vectors | None:
        """Unit vectors of all claims, or ``None`` without an embedder."""
        if self._vectors is None and self._embedder is not None and self.claims:
            self._vectors = self._embedder.embed_passages([full_text(claim) for claim in self.claims])
        return self._vectors

    def vector_of(self, text: str) -> npt.NDArray[np.float32] | None:
        if self._embedder is None:
            return None
        self.vectors()
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
    """What a claim is found by."""
    keys = {word.stem for word in analysis.words}
    keys |= {identifier.norm.casefold() for identifier in analysis.identifiers}
    for quantity in analysis.quantities:
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
