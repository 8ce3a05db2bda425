"""What the checks know about one text: its words, quantities, identifiers and clauses, each with its place."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

from aipk_core.text.languages import primary_language
from aipk_core.verify.identifiers import Identifier, find_identifiers
from aipk_core.verify.lexemes import Lexeme, lexeme
from aipk_core.verify.lexicon import cues
from aipk_core.verify.lexicon.phrasal import FIRST_WORDS, PHRASAL
from aipk_core.verify.lexicon.stopwords import stopwords
from aipk_core.verify.lexicon.wordnet import Relation, wordnet
from aipk_core.verify.quantities import Quantity, find_quantities
from aipk_core.verify.vocabulary import bare_words, lacks


class Word(NamedTuple):
    """A word that carries meaning.

    Attributes:
        norm: NFKC, case-folded, without possessive.
        stem: what inflected forms share.
        clause: number of the clause it stands in.
        name: begins with a capital inside a sentence, or is all capitals.
        form: norm and stem as the one object that knows their relations.
    """

    start: int
    end: int
    norm: str
    stem: str
    clause: int
    name: bool
    form: Lexeme

    def relation(self, other: Word) -> Relation:
        """How this word stands to another: it says more or less, or the contrary."""
        return self.form.relation(other.form)


def word_at(start: int, end: int, norm: str, stem: str, clause: int = 0, *, name: bool = False) -> Word:
    return Word(start, end, norm, stem, clause, name, lexeme(norm, stem))


@dataclass(frozen=True, eq=False)
class Analysis:
    """All of it for one text; made once for a claim and kept."""

    text: str
    lang: str
    words: tuple[Word, ...]
    quantities: tuple[Quantity, ...]
    identifiers: tuple[Identifier, ...]
    clauses: tuple[tuple[int, int], ...]

    @cached_property
    def forms(self) -> dict[Lexeme, tuple[int, ...]]:
        """The forms of the words, each with the numbers of the words that have it."""
        found: dict[Lexeme, tuple[int, ...]] = {}
        for number, word in enumerate(self.words):
            found[word.form] = (*found.get(word.form, ()), number)
        return found

    @cached_property
    def form_set(self) -> frozenset[Lexeme]:
        return frozenset(self.forms)

    @cached_property
    def stems(self) -> frozenset[str]:
        return frozenset(word.stem for word in self.words)

    @cached_property
    def lowered(self) -> str:
        return self.text.casefold()

    def clause_at(self, offset: int) -> int:
        for number, (start, end) in enumerate(self.clauses):
            if start <= offset < end:
                return number
        return max(0, len(self.clauses) - 1)


KEPT = 8_192
"""Texts whose analysis, and what is derived from it, is kept."""


@lru_cache(maxsize=KEPT)
def analyse(text: str, lang: str = "en") -> Analysis:
    """The analysis of ``text``; equal texts share one."""
    language = primary_language(lang)
    identifiers, quantities, taken = _values(text, language)
    clauses = _clauses(text)
    words = _words(text, language, clauses, taken)
    return Analysis(text, language, tuple(words), tuple(quantities), tuple(identifiers), tuple(clauses))


def parts_of(text: str, lang: str = "en") -> tuple[set[str], list[Identifier], list[Quantity]]:
    """Stems, identifiers and quantities as an analysis has them, without the rest, for texts by the hundred thousand."""
    language = primary_language(lang)
    identifiers, quantities, taken = _values(text, language)
    stems = {stem_of(norm, language) if raw else norm for _, _, _, norm, raw in _pieces(text, language, taken)}
    return stems, identifiers, quantities


def _values(text: str, lang: str) -> tuple[list[Identifier], list[Quantity], list[tuple[int, int]]]:
    """Identifiers, quantities, and the spans of these and of everything else in which no words are looked for."""
    identifiers = find_identifiers(text)
    names = [(identifier.start, identifier.end) for identifier in identifiers]
    quantities = find_quantities(text, lang, names)
    taken = [*names, *((quantity.start, quantity.end) for quantity in quantities)]
    if lang == "en":
        taken += cues.hedges(text)
    return identifiers, quantities, taken


_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*(?:-[^\W\d_]+)*", re.UNICODE)
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff々]+")
_BREAKS = re.compile(
    r"[;；。:：—]|\s[-–]\s|[,，、]|[()（）]|\s>\s|(?<=[.!?])(?<!\b[Nn]o\.)(?<!\best\.)(?<!\bapprox\.)(?<!\bvs\.)(?<!\bDr\.)(?<!\bMr\.)(?<!\bMrs\.)(?<!\bSt\.)\s"
    r"|\b(?:and|or|but|while|whereas|although|though|because|since|if|when|whenever|unless|until|which|who|whose|where|provided|rather than|instead of|except|without|"
    r"so|yet(?! to\b)|und|oder|aber|während|weil|wenn|sondern|dagegen|et|ou|mais|tandis|parce|si|y|o|pero|mientras|porque|"
    r"и|или|но|а|потому|если|когда|тогда)\b",
    re.IGNORECASE,
)


_INSERTED = re.compile(
    r"\b(?:may|might|must|can|could|shall|should|will|would|is|are|was|were|has|have|had)(?P<inserted>, [^,;.:]{2,40},)\s",
    re.IGNORECASE,
)
"""What stands between a verb and its helper belongs to the same clause: "wards may, if they wish, order …"."""


def _clauses(text: str) -> list[tuple[int, int]]:
    cuts = [0]
    inserted = [match.span("inserted") for match in _INSERTED.finditer(text)] if ", " in text else []
    for match in _BREAKS.finditer(text):
        if inserted and any(a <= match.start() < b for a, b in inserted):
            continue
        if (
            match[0] in (",", "，", ".", ":")
            and text[match.start() - 1 : match.start()].isdigit()
            and text[match.end() : match.end() + 1].isdigit()
        ):
            continue
        if match[0] in "()（）" and _in_short_brackets(text, match.start()):
            continue
        cut = match.start() if match[0][0].isalpha() else match.end()
        if cut - cuts[-1] > 1 or len(cuts) == 1:
            cuts.append(cut)
        else:
            cuts[-1] = cut
    return [(start, end) for start, end in zip(cuts, [*cuts[1:], len(text)], strict=True) if start < end] or [
        (0, len(text))
    ]


def _in_short_brackets(text: str, at: int) -> bool:
    """Whether the bracket at ``at`` belongs to a pair around one short word: "the vehicle (ROV) cannot …"."""
    start = (
        at if text[at] in "(（" else max(text.rfind("(", max(0, at - 15), at), text.rfind("（", max(0, at - 15), at))
    )
    return start >= 0 and bool(re.match(r"[(（][^\s()（）]{1,12}[)）]", text[start : start + 16]))


def _words(text: str, lang: str, clauses: list[tuple[int, int]], taken: list[tuple[int, int]]) -> list[Word]:
    words = []
    clause = 0
    for place, start, end, norm, raw in _pieces(text, lang, taken):
        while clause + 1 < len(clauses) and place >= clauses[clause][1]:
            clause += 1
        if raw:
            name = (
                lang != "de"
                and raw[0].isupper()
                and (_inside_sentence(text, place) or (len(raw) > 1 and raw.isupper()))
            )
            words.append(word_at(start, end, norm, stem_of(norm, lang), clause, name=name))
        else:
            words.append(word_at(start, end, norm, norm, clause))
    return words


def _pieces(text: str, lang: str, taken: list[tuple[int, int]]) -> Iterator[tuple[int, int, int, str, str]]:
    """Words outside of the spans ``taken``: where the written word begins, where its part does and ends,
    the part, the written word. A verb of two words is given as the one that says the same.

    For ideographs these are overlapping pairs of characters, the customary stand-in for words where nothing separates them;
    their written word is empty.
    """
    stops = stopwords(lang)
    may_join = lang == "en" and not lacks(bare_words(text), FIRST_WORDS)
    phrasal = {match.start(): match for match in PHRASAL.finditer(text)} if may_join else {}
    reached = 0
    for match in _WORD.finditer(text):
        start, end = match.span()
        if start < reached or (taken and any(start < b and a < end for a, b in taken)):
            continue
        raw = match[0]
        if not raw.isascii() and _CJK.search(raw):
            for at, norm in (_japanese_words if lang == "ja" else _ideograph_pairs)(raw, start):
                yield start, at, at + len(norm), norm, ""
            continue
        if start in phrasal:
            two, reached = phrasal[start], phrasal[start].end()
            meaning = str(two.lastgroup)
            yield start, start, reached, meaning, meaning
            continue
        norm = _normal(raw)
        if "'" in norm and _CLITIC.sub("", norm) in stops:
            continue  # "you'll", "they're"
        if norm in stops or (len(norm) == 1 and norm.isascii()):
            continue
        if "-" not in norm or len(norm) <= 3:
            yield start, start, end, norm, raw
            continue
        at = start
        for part in norm.split("-"):
            if part and part not in stops:
                yield start, at, at + len(part), part, raw
            at += len(part) + 1


_CLITIC = re.compile(r"(?:n't|'(?:ll|re|ve|d|m))$")
_JAPANESE_RUN = re.compile(r"[\u3400-\u9fff々]+|[\u30a0-\u30ff]+")


def _japanese_words(run: str, start: int) -> Iterator[tuple[int, str]]:
    """Runs of katakana, and of ideographs in pairs; what stands between them in hiragana is grammar for the most part."""
    for piece in _JAPANESE_RUN.finditer(run):
        characters, base = piece[0], start + piece.start()
        if len(characters) <= 2 or "\u30a0" <= characters[0] <= "\u30ff":
            yield base, characters
            continue
        for i in range(len(characters) - 1):
            yield base + i, characters[i : i + 2]


def _ideograph_pairs(run: str, start: int) -> Iterator[tuple[int, str]]:
    for piece in _CJK.finditer(run):
        characters = piece[0]
        base = start + piece.start()
        if len(characters) == 1:
            yield base, characters
        for i in range(len(characters) - 1):
            pair = characters[i : i + 2]
            if not all("\u3040" <= char <= "\u309f" for char in pair):
                yield base + i, pair


def _normal(raw: str) -> str:
    if raw.isascii() and raw.isalpha():
        return raw.lower()
    norm = unicodedata.normalize("NFKC", raw).casefold().replace("’", "'")
    return re.sub(r"'s?$", "", norm)


def _inside_sentence(text: str, start: int) -> bool:
    before = text[:start].rstrip(" *_\"“‘'(")
    return bool(before) and before[-1] not in ".!?>\n•|·"


@lru_cache(maxsize=100_000)
def stem_of(word: str, lang: str) -> str:
    """What the inflected forms of ``word`` have in common; a real lemma in English, a light stem elsewhere."""
    if not word.isascii() and any("가" <= char <= "힣" for char in word):
        return _korean_stem(word)
    if lang == "en" or word.isascii():
        lemmas = wordnet().lemmas(word)
        return min(lemmas, key=len) if lemmas else word
    endings = _ENDINGS.get(lang, ())
    for ending in endings:
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    return word


_ENDINGS = {
    "ru": tuple(sorted(["иями", "ями", "ами", "ого", "его", "ому", "ему", "ыми", "ими", "ую", "юю", "ая", "яя", "ое", "ее", "ые", "ие", "ый", "ий", "ой", "ей", "ом", "ем", "ам", "ям", "ах", "ях", "ов", "ев", "ия", "ии", "ию", "а", "я", "о", "е", "ы", "и", "у", "ю", "ь", "ть", "ться", "ется", "ются", "ит", "ят", "ут", "ют", "ен", "ена", "ено", "ены", "ла", "ло", "ли", "л"], key=len, reverse=True)),
    "de": ("ungen", "ungs", "ung", "enden", "ende", "ern", "em", "en", "er", "es", "et", "te", "st", "e", "n", "s", "t"),
    "fr": ("ements", "ement", "ations", "ation", "ées", "ée", "és", "é", "es", "er", "s", "e"),
    "es": ("aciones", "ación", "mente", "ados", "adas", "ado", "ada", "os", "as", "es", "o", "a", "s"),
}  # fmt: skip
_PARTICLES = tuple(
    sorted(
        [
            "은",
            "는",
            "이",
            "가",
            "을",
            "를",
            "의",
            "에",
            "에서",
            "에게",
            "에는",
            "에도",
            "로",
            "으로",
            "와",
            "과",
            "도",
            "만",
            "까지",
            "부터",
            "보다",
            "하고",
            "이나",
            "나",
            "처럼",
            "마다",
            "씩",
            "이다",
            "이며",
            "이고",
            "입니다",
            "한다",
            "하다",
            "하며",
            "하고",
            "하여",
            "해야",
            "된다",
            "되며",
            "되어",
            "있다",
            "있으며",
            "있는",
            "없다",
            "없으며",
            "습니다",
            "합니다",
            "됩니다",
            "했다",
            "되었다",
            "하는",
            "하지",
            "이라고",
            "라고",
            "으로는",
            "에서는",
            "으로부터",
            "호는",
            "호에",
            "한",
            "할",
            "된",
            "될",
            "인",
        ],
        key=len,
        reverse=True,
    )
)


def _korean_stem(word: str) -> str:
    for particle in _PARTICLES:
        if word.endswith(particle) and len(word) - len(particle) >= 2:
            return word[: -len(particle)]
    return word
