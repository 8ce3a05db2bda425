"""Whether a Korean line ended between two words or inside one: Korean has spaces, but lines break anywhere.

The document's own lines are the evidence: words that it writes elsewhere, and how often each syllable ends or begins
a word in it. A line that was stretched by more than a syllable was not broken for want of room, but at a space.
"""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from dataclasses import dataclass, field

from aipk_core.documents.loaders.korean_syllables import ENDS_AND_BEGINS, PAIRS
from aipk_core.documents.loaders.pdf_lines import Line
from aipk_core.documents.loaders.scripts import is_hangul

_TOKEN = re.compile(r"[^\s]+")


@dataclass(slots=True)
class KoreanSpacing:
    words: Counter[str] = field(default_factory=Counter)
    prefixes: Counter[str] = field(default_factory=Counter)
    ends: Counter[str] = field(default_factory=Counter)
    begins: Counter[str] = field(default_factory=Counter)
    inner: Counter[str] = field(default_factory=Counter)
    syllables: Counter[str] = field(default_factory=Counter)

    def learn(self, line: str) -> None:
        """Count the words inside a line; its first and last may be halves and are left out."""
        if line.isascii() or not any(is_hangul(character) for character in line[:200]):
            return
        tokens = _TOKEN.findall(line)
        for position, token in enumerate(tokens):
            word = "".join(character for character in token if is_hangul(character))
            if not word or len(word) != len(token.rstrip(".,;:!?)”’·")):
                continue
            for first, second in itertools.pairwise(word):
                self.inner[first + second] += 1
            if position < len(tokens) - 1:
                self.ends[word[-1]] += 1
            if position > 0:
                self.begins[word[0]] += 1
            if 0 < position < len(tokens) - 1:
                self.words[word] += 1
                for length in range(1, len(word)):
                    self.prefixes[word[:length]] += 1
            self.syllables.update(word)

    def space_between(self, line: Line, following: Line, ragged: float = 0.0) -> bool:
        """Whether a space belongs between the end of ``line`` and the start of ``following``.

        Args:
            ragged: width that ``line`` leaves free at its end, in points.
        """
        tail = _hangul_end(line.text)
        head = _hangul_start(following.text)
        if line.slack + ragged > following.first_width + 0.05 * line.size > 0.05 * line.size:
            return True  # there was room for another syllable
        if self.words[tail + head]:
            return False
        return self._odds(tail, head) > 0

    def _odds(self, tail: str, head: str) -> float:
        """Logarithm of the odds for a space, from the language's counts and the document's own."""
        last, first = tail[-1], head[0]
        usual_end, usual_begin = ENDS_AND_BEGINS.get(last, (0.25, 0.35))[0], ENDS_AND_BEGINS.get(first, (0.25, 0.35))[1]
        ending = _smoothed(self.ends[last], self.syllables[last], usual_end)
        beginning = _smoothed(self.begins[first], self.syllables[first], usual_begin)
        score = _PRIOR + _logit(ending) + _logit(beginning)
        pair = last + first
        score -= 0.9 * math.log1p(self.inner[pair])
        if pair in PAIRS:
            score -= 1.6 - PAIRS[pair] / len(PAIRS)
        elif not self.inner[pair]:
            score += 0.3
        if self.words[tail]:
            score += 1.2
        if self.words[head]:
            score += 0.7
        if self.prefixes[tail + head]:
            score -= 1.5
        if len(tail) == 1 and tail not in _SHORT_WORDS:
            score -= 1.0
        if head in _SURE_PARTICLES:
            score -= 4.0
        elif starts_with_particle(head):
            score -= 1.5
        if len(tail) >= 2 and _CLAUSE_END.search(tail):
            score += 1.2
        elif len(tail) >= 2 and _VERB_SUFFIX.match(head) and last not in _PARTICLE_ENDS:
            score -= 1.2
        return score


_PRIOR = 1.3
_SURE_PARTICLES = frozenset(
    ["는", "은", "을", "를", "의", "에", "와", "과", "가", "로", "도", "에서", "에게", "으로", "이다", "한다", "된다"]
)
_PARTICLE_ENDS = frozenset("은는을를의에와과가로도서며고")
_CLAUSE_END = re.compile(
    r"(?:으며|이며|하며|되며|지만|므로|도록|면서|하고|되고|이나|거나|에서|에게|부터|까지|으로|에는|[과와을를은는의])$"
)
_VERB_SUFFIX = re.compile(
    r"하[여는고며게기지였도]|[한할함했]|되[어는고며지었]|[된될됨됐]|시[키킨킬]|적[인으]|들[이은을의에과]|스[러럽]|이[고며나라]"
)
_SHORT_WORDS = frozenset("이그저및등수때것중한두세네각또더못안제")


def _logit(share: float) -> float:
    return math.log(share / (1 - share))


def _smoothed(count: int, total: int, prior: float) -> float:
    weight = 6.0
    return min(0.985, max(0.015, (count + weight * prior) / (total + weight)))


_PARTICLES = frozenset(
    [
        "은",
        "는",
        "이",
        "가",
        "을",
        "를",
        "의",
        "에",
        "로",
        "와",
        "과",
        "도",
        "만",
        "에서",
        "에게",
        "으로",
        "부터",
        "까지",
        "이나",
        "나",
        "라는",
        "이라는",
        "에는",
        "에도",
        "에서는",
        "으로는",
        "로는",
        "에만",
        "보다",
        "처럼",
    ]
)


def starts_with_particle(text: str) -> bool:
    """Whether the first word of ``text`` is a particle, which is written to the word before it, also to Latin ones."""
    return _hangul_start(text) in _PARTICLES


def _hangul_end(text: str) -> str:
    index = len(text)
    while index > 0 and is_hangul(text[index - 1]):
        index -= 1
    return text[index:]


def _hangul_start(text: str) -> str:
    index = 0
    while index < len(text) and is_hangul(text[index]):
        index += 1
    return text[:index]
