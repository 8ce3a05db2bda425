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
        if not any(is_hangul(character) for character in line[:200]):
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

    def space_between(self, line: Line, following: Line) -> bool:
        """Whether a space belongs between the end of ``line`` and the start of ``following``."""
        tail = _hangul_end(line.text)
        head = _hangul_start(following.text)
        if self.words[tail + head]:
            return False
        return self._odds(tail, head) > 0

    def _odds(self, tail: str, head: str) -> float:
        """Logarithm of the odds for a space, from counts of this document smoothed by how the language is."""
        last, first = tail[-1], head[0]
        ending = _smoothed(self.ends[last], self.syllables[last], _ENDING.get(last, _ENDING_DEFAULT))
        beginning = _smoothed(self.begins[first], self.syllables[first], _BEGINNING.get(first, 0.35))
        score = math.log(ending / (1 - ending)) + math.log(beginning / (1 - beginning)) + 0.6
        together = self.inner[last + first]
        score -= math.log1p(together) * 1.2
        if self.words[tail]:
            score += 0.8
        if self.words[head]:
            score += 0.5
        if self.prefixes[tail + head]:
            score -= 1.5
        if len(tail) == 1:
            score -= 0.8
        return score


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


def _smoothed(count: int, total: int, prior: float) -> float:
    weight = 4.0
    return min(0.98, max(0.02, (count + weight * prior) / (total + weight)))


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


# How often a syllable is the last of its word: particles and endings nearly always, others seldom.
_ENDING_DEFAULT = 0.15
_ENDING = {
    **dict.fromkeys("은는을를의에", 0.85),
    **dict.fromkeys("이가과와로도며고서", 0.6),
    **dict.fromkeys("한할된될든든게면지", 0.6),
    **dict.fromkeys("및등수때것중", 0.8),
}
_BEGINNING = {
    **dict.fromkeys("을를은는며로", 0.02),
    **dict.fromkeys("의에과와들적", 0.08),
    **dict.fromkeys("하되된한할", 0.2),
    **dict.fromkeys("그이모어있없수것및또", 0.6),
}
