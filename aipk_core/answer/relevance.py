"""How well one claim answers one question, by weights that were set on two fictional corpora (tests/answer).

Similarity of embeddings alone cannot tell "What does the Heron 12 cost?" from "How many cars does the Heron 12 carry?":
both are about the Heron 12. So three things are weighed together: the similarity, how many of the question's content
words the claim or its context covers (rare words count more, a word may be covered by one that is close in meaning),
and whether the claim holds the kind of thing that is asked for.
"""

from __future__ import annotations

import math
import re
from collections import Counter, OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from threading import Lock

import numpy as np

from aipk_core.answer.question import Question, Term, Wanted, listed, shape, stem, stems_of, words_of
from aipk_core.claims.model import Claim
from aipk_core.embedding.model import Embedder, Vectors
from aipk_core.retrieval.model import ClaimHit

_CACHED_WORDS = 20_000
_UNRELATED_PASSAGES = [
    "The museum opens at nine on weekdays.",
    "Add two spoons of sugar and stir.",
    "The bridge was painted green last summer.",
    "Interest rates rose by a quarter point.",
    "Our cat sleeps on the warm radiator.",
    "The file is saved when the window closes.",
    "Volcanoes form where plates pull apart.",
    "Wear gloves before handling the acid.",
]
_UNRELATED_QUESTIONS = [
    "Who wrote the first novel?",
    "How deep is the lake?",
    "When does the course begin?",
    "Which plants need shade?",
]
_UNRELATED_WORDS = sorted(
    listed("museum sugar bridge interest cat window volcano committee glove train sonnet salary fever harbour")
)
_NUMBER_WORDS = listed(
    """zero one two three four five six seven eight nine ten eleven twelve thirteen fifteen twenty thirty forty fifty
    sixty hundred thousand million billion half quarter once twice double none no single dozen daily weekly monthly
    yearly hourly annually quarterly"""
)
_TIME_SIGNS = listed(
    """monday tuesday wednesday thursday friday saturday sunday january february march april june july august september
    october november december day days week weeks month months year years hour hours minute minutes second seconds daily
    weekly monthly yearly hourly quarter quarterly annually morning noon evening night midnight before after during until
    every when once immediately"""
)
_CURRENCY = re.compile(
    r"[€$£¥₩]|\b(?:euros?|dollars?|pounds?|cents?|yen|won|eur|usd|gbp|chf|francs?|kronor|krone|free of charge|for free|no charge)\b",
    re.IGNORECASE,
)
_PLACE_SIGNS = re.compile(
    r"\b(?:in|at|on|under|near|inside|behind|above|below|beside|to|from|into)\s+\w", re.IGNORECASE
)
_REASON_SIGNS = re.compile(
    r"\b(?:because|since|due to|so that|therefore|in order to|to (?:avoid|prevent|ensure|protect|keep|make|reduce|allow))\b",
    re.IGNORECASE,
)
_MAY = re.compile(r"\b(?:in|of|since|until|by|from|to|on|before|after|\d) May\b|\bMay \d")
_ACRONYM = re.compile(r"[A-Z]{3,6}")
_CAPITAL = re.compile(r"\b[^\W\d_a-z][\w.'’-]+")
_ACTOR = re.compile(
    r"\w+(?:er|or|ist|ian|man|men|ees?|ers|ors|ists|ians)|team|crew|staff|board|company|council|committee|department|desk|"
    r"chief|head|boss|guard|nurse|pilot|captain|everyone|anyone|nobody|client|agent|lead|users?|hr"
)
_NO_ACTORS = listed(
    """after another better bigger color colour computer container corner cover door either ever faster filter floor for
    former further greater harbor higher however larger later latter letter longer lower matter meter minor motor neither
    never newer number offer older or order other over paper per power processor proper quarter rather river sensor server
    shorter shower slower smaller sooner summer timer under water weather whether winter"""
)
# Words that stand for one another in questions about organisations, products and rules, a group a line.
_GROUPS = (
    "headquarters hq office",
    "price cost costs fee euro euros dollar dollars",
    "employee staff workforce headcount people personnel work",
    "boss ceo director head leader chief",
    "charge lead leads head responsible",
    "holiday vacation leave",
    "salary wage pay earn remuneration",
    "guarantee guaranteed warranty",
    "weight mass weigh heavy",
    "height tall high",
    "length long",
    "width wide",
    "depth deep",
    "speed fast",
    "retain keep kept store retention",
    "start begin launch commence",
    "end finish expire stop",
    "buy purchase procure",
    "author write written create",
    "found founded founder establish established",
    "publish release issue",
    "forbid forbidden prohibited banned",
    "size dimensions measure",
    "range distance",
    "capacity hold carry",
    "response respond react",
    "incident event emergency",
    "remote remotely home",
    "frequency interval every",
    "default defaults",
    "delete remove erase",
)


def _concepts() -> dict[str, list[frozenset[str]]]:
    groups: dict[str, list[frozenset[str]]] = {}
    for line in _GROUPS:
        members = frozenset(stem(word) for word in line.split())
        for member in members:
            groups.setdefault(member, []).append(members)
    return groups


_CONCEPTS = _concepts()


class Vocabulary:
    """How common each word is among the claims of a package; rare words say more about what is asked.

    Args:
        subjects: names and titles of the packages, whose words every claim may leave out.
    """

    def __init__(self, claims: Iterable[Claim], subjects: Iterable[str] = ()) -> None:
        self.size = 0
        self._subjects = {stem(word) for subject in subjects for word in words_of(subject)}
        self._frequency: Counter[str] = Counter()
        for claim in claims:
            self.size += 1
            heading = claim.evidence[0].heading_path if claim.evidence else ()
            self._frequency.update(stems_of(" > ".join((*heading, claim.full_text))))

    def is_subject(self, stemmed: str) -> bool:
        """Whether a name is that of the package's own subject."""
        return stemmed in self._subjects

    def knows(self, stemmed: str) -> bool:
        return self._frequency[stemmed] > 0

    def weight(self, stemmed: str) -> float:
        """0..1: 1 for a word that no claim has, near 0.1 for one that every claim has."""
        if not self.size:
            return 1.0
        share = self._frequency[stemmed] / self.size
        return max(0.1, 1.0 - math.log1p(share * 30) / math.log1p(30))


@dataclass(frozen=True, slots=True)
class Scale:
    """What a cosine means for one embedder: nothing up to ``low``, as close as can be from ``low + width`` on."""

    low: float
    width: float

    def __call__(self, cosine: float) -> float:
        return max(0.0, min(1.0, (cosine - self.low) / self.width))


class WordSimilarity:
    """Cosine similarity of single words, remembered; without an embedder no two different words are similar.

    Embedders differ in how similar unrelated texts are (0.05 for one, 0.73 for another), so each one is first shown texts
    that have nothing to do with each other, and cosines are read from there.
    """

    def __init__(self, embedder: Embedder | None) -> None:
        self._embedder = embedder
        self._vectors: OrderedDict[str, Vectors] = OrderedDict()
        self._lock = Lock()
        self._scales: tuple[Scale, Scale] | None = None

    def scales(self) -> tuple[Scale, Scale]:
        """How to read cosines between a question and a claim, and between two words."""
        if self._scales is None:
            texts, words = 0.05, 0.24
            if self._embedder is not None:
                passages = self._embedder.embed_passages(_UNRELATED_PASSAGES)
                texts = float((self._embedder.embed_queries(_UNRELATED_QUESTIONS) @ passages.T).mean())
                vectors = self._embedder.embed_passages(_UNRELATED_WORDS)
                others = ~np.eye(len(_UNRELATED_WORDS), dtype=bool)
                words = float((vectors @ vectors.T)[others].mean())
            self._scales = (
                Scale(texts + (1 - texts) * 0.054, (1 - texts) * 0.736),
                Scale(words + (1 - words) * 0.08, (1 - words) * 0.526),
            )
        return self._scales

    def between(self, words: Sequence[str], others: Sequence[str]) -> Vectors:
        """``[len(words), len(others)]``, zeros where there is no embedder."""
        if self._embedder is None or not words or not others:
            return np.zeros((len(words), len(others)), dtype=np.float32)
        return np.asarray(self._of(words) @ self._of(others).T, dtype=np.float32)

    def _of(self, words: Sequence[str]) -> Vectors:
        with self._lock:
            held = {word: self._vectors[word] for word in words if word in self._vectors}
        missing = list(dict.fromkeys(word for word in words if word not in held))
        if missing:
            assert self._embedder is not None
            vectors = self._embedder.embed_passages(missing)
            held.update(zip(missing, vectors, strict=True))
            with self._lock:
                self._vectors.update(zip(missing, vectors, strict=True))
                while len(self._vectors) > _CACHED_WORDS:
                    self._vectors.popitem(last=False)
        return np.stack([held[word] for word in words])


@dataclass(frozen=True, slots=True)
class Relevance:
    """How well a claim answers a question, 0 to about 1, and what went into that.

    Attributes:
        coverage: weighted share of the question's content words that the claim or its context covers.
        names_missing: names of the question that the claim does not mention.
        fits: the claim holds the kind of thing that is asked for.
        covered: per term of the question, how well it is covered, 0..1.
    """

    hit: ClaimHit
    score: float
    coverage: float
    similarity: float
    names_missing: tuple[str, ...]
    fits: bool
    covered: tuple[float, ...]


def relevance(
    question: Question, hits: Sequence[ClaimHit], vocabulary: Vocabulary, similarity: WordSimilarity
) -> list[Relevance]:
    """Every hit with its score, best first."""
    parts = [_parts(question, hit, similarity) for hit in hits]
    # An acronym may be known by the words that it stands for, which only the claims found can show.
    known = {
        term.stem
        for index, term in enumerate(question.terms)
        if vocabulary.knows(term.stem) or (term.name and any(part.covered[index] >= 0.5 for part in parts))
    }
    judged = [_judge(question, part, known, vocabulary, similarity) for part in parts]
    return sorted(judged, key=lambda one: (-one.score, -one.hit.similarity, one.hit.claim.id))


@dataclass(frozen=True, slots=True)
class _Parts:
    """A hit with how well it covers each term of the question.

    Attributes:
        stems: of its text and context; ``common``: of its text without names.
    """

    hit: ClaimHit
    covered: list[float]
    stems: set[str]
    common: set[str]


def _parts(question: Question, hit: ClaimHit, similarity: WordSimilarity) -> _Parts:
    claim = hit.claim
    heading = claim.evidence[0].heading_path if claim.evidence else ()
    own = words_of(claim.text)
    around = words_of(" ".join((*heading, *claim.context)))
    own_stems, around_stems = stems_of(claim.text), stems_of(" > ".join((*heading, *claim.context)))
    common_stems = stems_of(claim.text, names=False)
    covered = [_exact(term, own_stems if term.name else common_stems, around_stems) for term in question.terms]
    for index, term in enumerate(question.terms):
        if covered[index] < 0.9 and term.name and _ACRONYM.fullmatch(term.text):
            covered[index] = max(covered[index], 0.9 * _spells(term.stem, own) or 0.8 * _spells(term.stem, around))
    _, word_scale = similarity.scales()
    open_terms = [
        index for index, term in enumerate(question.terms) if covered[index] < 0.75 and not _is_identifier(term)
    ]
    candidates = [word for word in dict.fromkeys((*own, *around)) if len(word) > 2]
    near = similarity.between([question.terms[index].text.lower() for index in open_terms], candidates)
    for row, index in enumerate(open_terms):
        best = float(near[row].max()) if near.shape[1] else 0.0
        covered[index] = max(covered[index], min(0.9, word_scale(best)))
    return _Parts(hit, covered, own_stems | around_stems, common_stems)


def _judge(
    question: Question, parts: _Parts, known: set[str], vocabulary: Vocabulary, similarity: WordSimilarity
) -> Relevance:
    hit, covered = parts.hit, parts.covered
    # A name says which thing is asked about, the other words what about it; only they tell an answer from a near miss.
    asked = [index for index, term in enumerate(question.terms) if not term.name] or range(len(question.terms))
    weights = [_weight(term, vocabulary) for term in question.terms]
    total = sum(weights[index] for index in asked)
    coverage = sum(weights[index] * covered[index] for index in asked) / total if total else 0.0
    unknown, missing = _names(question, covered, known, vocabulary)
    rival = _speaks_of_another(question, covered, parts.stems)
    fits = _fits(question, hit.claim, parts.common, similarity)
    gap = max(
        (
            1 - covered[index]
            for index in asked
            if question.terms[index].stem not in known and not question.terms[index].category
        ),
        default=0.0,
    )
    closeness = similarity.scales()[0](hit.similarity)
    score = 0.6 * coverage + 0.4 * closeness - 0.1 * gap
    if question.subject and _begins_with(hit.claim.text, question.subject):
        score += 0.1
    score *= 1.0 if fits else 0.6
    score *= 0.35 if unknown else 0.4 if rival else 0.85 if missing else 1.0
    return Relevance(hit, max(0.0, score), coverage, hit.similarity, unknown + missing, fits, tuple(covered))


def _names(
    question: Question, covered: Sequence[float], known: set[str], vocabulary: Vocabulary
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names that no claim of the package has, and names that only this claim lacks.

    What the package as a whole is about ("Larkfield") is seldom repeated in a claim and never missing.
    """
    lacking = [
        term
        for term, share in zip(question.terms, covered, strict=True)
        if term.name and share < 0.5 and not vocabulary.is_subject(term.stem)
    ]
    unknown = tuple(term.text for term in lacking if term.stem not in known)
    return unknown, tuple(term.text for term in lacking if term.stem in known)


def _speaks_of_another(question: Question, covered: Sequence[float], stems: set[str]) -> bool:
    """Whether the claim is about Level A when Level B was asked for, and says nothing of Level B."""
    shapes = {shape(one) for one in stems} - {"name"}
    return any(
        term.name and share < 0.5 and shape(term.stem) in shapes
        for term, share in zip(question.terms, covered, strict=True)
    )


def _begins_with(text: str, subject: Sequence[str]) -> bool:
    """Whether a statement is about its first words: "A Pod is …", "The kube-scheduler watches …"."""
    words = words_of(text)
    while words and words[0] in ("a", "an", "the"):
        words = words[1:]
    return [stem(word) for word in words[: len(subject)]] == list(subject)


def _weight(term: Term, vocabulary: Vocabulary) -> float:
    return vocabulary.weight(term.stem) * (0.5 if term.category else 1.0)


def _is_identifier(term: Term) -> bool:
    return term.name and (
        term.text.isupper() or any(character.isdigit() or character == " " for character in term.text)
    )


def _exact(term: Term, own: set[str], around: set[str]) -> float:
    if term.stem in own:
        return 1.0
    if term.stem in around:
        return 0.9
    if any(group & own for group in _CONCEPTS.get(term.stem, ())):
        return 0.9
    if any(group & around for group in _CONCEPTS.get(term.stem, ())):
        return 0.8
    if len(term.stem) >= 5 and not term.name:
        for other in own | around:
            if len(other) >= 5 and _shared(term.stem, other) >= max(5, 0.7 * max(len(term.stem), len(other))):
                return 0.8
    return 0.0


def _spells(acronym: str, words: Sequence[str]) -> bool:
    """Whether consecutive words begin with the letters of ``acronym``: "root cause analysis" for "rca"."""
    return len(acronym) > 2 and acronym in "".join(word[0] for word in words)


def _shared(first: str, second: str) -> int:
    count = 0
    for a, b in zip(first, second, strict=False):
        if a != b:
            break
        count += 1
    return count


def _fits(question: Question, claim: Claim, stems: set[str], similarity: WordSimilarity) -> bool:
    if question.counted and not any(_spoken_of(term, claim, stems, similarity) for term in question.counted):
        return False
    text = claim.text
    words = set(words_of(text))
    asked = {term.stem for term in question.terms}
    match question.wanted:
        case Wanted.QUANTITY:
            return _has_number(text, words, asked)
        case Wanted.MONEY:
            return bool(_CURRENCY.search(text)) and (_has_number(text, words, asked) or "free" in words)
        case Wanted.TIME:
            return bool(words & _TIME_SIGNS) or _MAY.search(text) is not None or _has_number(text, words, asked)
        case Wanted.PERSON:
            return _has_person(text, asked)
        case Wanted.PLACE:
            return bool(_PLACE_SIGNS.search(text)) or ":" in text
        case _:
            return True


def _spoken_of(term: Term, claim: Claim, stems: set[str], similarity: WordSimilarity) -> bool:
    if _exact(term, stems, set()) >= 0.8:
        return True
    near = similarity.between([term.text.lower()], list(dict.fromkeys(words_of(claim.text))))
    return bool(near.size) and similarity.scales()[1](float(near.max())) >= 0.75


def _has_person(text: str, asked: set[str]) -> bool:
    """A name that the question does not hold itself, or a word for somebody who acts ("the harbour master")."""
    capitals = [match for match in _CAPITAL.finditer(text) if stem(match.group().lower()) not in asked]
    if any(match.start() > 0 for match in capitals):
        return True
    words = (word for word in words_of(text) if word not in _NO_ACTORS)
    return any(_ACTOR.fullmatch(word) and stem(word) not in asked for word in words)


def _has_number(text: str, words: set[str], asked: set[str]) -> bool:
    """A number that is not part of a name in the question ("the Heron 12" gives no quantity)."""
    numbers = {word for word in words if any(character.isdigit() for character in word)} - asked
    return bool(numbers or words & _NUMBER_WORDS)
