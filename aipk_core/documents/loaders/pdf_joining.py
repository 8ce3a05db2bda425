"""Lines of a paragraph joined to running text: hyphens at line ends, spaces, scripts without spaces, Korean.

A hyphen at a line end either was put in to break a word or belongs to it. The document itself is asked first (does it
write the word with or without hyphen elsewhere?), then an English word list, and else the word is taken as broken.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from aipk_core.documents.builder import Run
from aipk_core.documents.loaders.korean_spacing import KoreanSpacing, starts_with_particle
from aipk_core.documents.loaders.pdf_lines import Line
from aipk_core.documents.loaders.scripts import SpacingHabits, is_hangul
from aipk_core.documents.loaders.word_list import english_words

_WORD = re.compile(r"[^\W\d_]+(?:[-\u2010\u2011'’][^\W\d_]+)*")
_TAIL = re.compile(r"([^\W\d_]+)$")
_HEAD = re.compile(r"^([^\W\d_]+)")
_ANY_HYPHEN = "-\u2010\u00ad"

# Small words that follow a suspended hyphen ("Vor- und Nachteile", "pre- and post-war").
_SUSPENDED = frozenset(["and", "or", "to", "und", "oder", "bis", "et", "ou", "en", "of", "y", "o", "e"])

# Prefixes that are written together with what follows unless the document shows otherwise.
_FUSED = frozenset(
    [
        "re",
        "un",
        "pre",
        "sub",
        "inter",
        "over",
        "under",
        "dis",
        "mis",
        "de",
        "trans",
        "super",
        "micro",
        "macro",
        "meta",
        "up",
        "out",
        "back",
        "fore",
        "hyper",
        "infra",
        "intra",
        "para",
        "poly",
        "tele",
        "ultra",
        "bio",
        "geo",
        "hydro",
        "photo",
        "thermo",
    ]
)


@dataclass(slots=True)
class Vocabulary:
    """Words that a document shows inside its lines, for deciding about those at line ends."""

    words: Counter[str] = field(default_factory=Counter)
    firsts: Counter[str] = field(default_factory=Counter)  # first parts of words with a hyphen
    inner_unicode_hyphens: int = 0
    final_unicode_hyphens: int = 0
    line_ends: list[tuple[str, str]] = field(default_factory=list)  # what stands before and behind hyphens at line ends
    _hyphenates: bool | None = None
    lang: str = "en"
    korean: KoreanSpacing = field(default_factory=KoreanSpacing)
    habits: SpacingHabits = field(default_factory=SpacingHabits)

    def learn(self, lines: Iterable[Line]) -> None:
        before: Line | None = None
        for line in lines:
            if before is not None and before.text[-1:] in _ANY_HYPHEN:
                tail, head = _TAIL.search(before.text[:-1]), _HEAD.match(line.text)
                if tail and head:
                    self.line_ends.append((tail.group(1).casefold(), head.group(1).casefold()))
            before = line
            found = list(_WORD.finditer(line.text))
            for match in found:
                at_end = match.end() >= len(line.text.rstrip(_ANY_HYPHEN))
                if match.start() == 0 or at_end:
                    # May be half a word: it says nothing, but for a compound whose both parts are whole.
                    continue
                word = match.group().casefold().replace("\u2010", "-").replace("\u2011", "-")
                self.words[word] += 1
                if "-" in word:
                    self.firsts[word.split("-", 1)[0]] += 1
            self.inner_unicode_hyphens += line.text[:-1].count("\u2010")
            self.final_unicode_hyphens += line.text.endswith("\u2010")
            self.korean.learn(line.text)
            self.habits.learn(line.text)

    @property
    def breaks_with_unicode_hyphens(self) -> bool:
        """Whether words are broken with U+2010 alone, so that every other hyphen belongs to its word."""
        return self.inner_unicode_hyphens == 0 and self.final_unicode_hyphens >= 3

    @property
    def hyphenates(self) -> bool:
        """Whether the document breaks words at line ends at all; if not, every hyphen there is the author's.

        It does when some word that is whole only without the hyphen stands there.
        """
        if self._hyphenates is None:
            broken = sum(
                self.is_word(before + behind) and not (self.is_word(before) and self.is_word(behind))
                for before, behind in self.line_ends
            )
            self._hyphenates = not self.is_english or broken > 0 or len(self.line_ends) < 2
        return self._hyphenates

    @property
    def is_english(self) -> bool:
        return self.lang.startswith("en")

    def is_word(self, word: str) -> bool:
        """Whether the document uses ``word`` (lower case) by itself, or English does."""
        return word in self.words or (self.is_english and word in english_words())

    def knows(self, word: str) -> bool:
        return word.casefold() in self.words


def joined_runs(lines: list[Line], vocabulary: Vocabulary, skip: int = 0) -> list[Run]:
    """The running text of ``lines`` as runs, monospaced pieces as atoms.

    Args:
        skip: characters at the start of the first line (a list marker) that are left out.
    """
    runs: list[Run] = []
    for index, line in enumerate(lines):
        start = skip if index == 0 else 0
        text = line.text
        following = lines[index + 1] if index + 1 < len(lines) else None
        end, joint = len(text), ""
        if following is not None:
            if following.side_by_side(line) and following.page == line.page:
                joint = " "
            else:
                end, joint = _joint(text, following.text, line, following, vocabulary, _free_width(line, lines))
        runs += _pieces(line, start, end)
        if joint:
            runs.append(Run(joint))
    return runs


def _free_width(line: Line, lines: list[Line]) -> float:
    """Width between the end of a line and the furthest end of the lines of its column, in points."""
    column = [other.right for other in lines if other.page == line.page and abs(other.left - line.left) < 3 * line.size]
    return max(column) - line.right


def _pieces(line: Line, start: int, end: int) -> list[Run]:
    runs: list[Run] = []
    position = start
    text = line.text.replace("\u00ad", "-")
    for mono_start, mono_end in line.mono_spans:
        mono_start, mono_end = max(mono_start, position), min(mono_end, end)
        if mono_start >= mono_end or line.monospace:
            continue
        if mono_start > position:
            runs.append(Run(text[position:mono_start]))
        runs.append(Run(text[mono_start:mono_end], atom=True))
        position = mono_end
    if position < end:
        runs.append(Run(text[position:end]))
    return runs


def _joint(
    text: str, after: str, line: Line, following: Line, vocabulary: Vocabulary, ragged: float
) -> tuple[int, str]:
    """How much of ``text`` stays, and what stands between it and the next line."""
    if not text or not after:
        return len(text), " "
    last, first = text[-1], after[0]
    if _is_broken_address(text, after):
        return len(text), ""
    if last in _ANY_HYPHEN and len(text) > 1 and not text[-2].isspace():
        return _after_hyphen(text, after, vocabulary)
    if last == "/" and not text[-2:-1].isspace() and (first.isalnum() or first in "{<["):
        return len(text), ""
    if last in "—–" and len(text) > 1 and not text[-2].isspace():
        return len(text), ""
    if is_hangul(first) and last.isascii() and last.isalnum():
        return len(text), "" if starts_with_particle(after) else " "
    if is_hangul(last) and is_hangul(first):
        return len(text), " " if vocabulary.korean.space_between(line, following, ragged) else ""
    return len(text), vocabulary.habits.joint(text, after)


def _after_hyphen(text: str, after: str, vocabulary: Vocabulary) -> tuple[int, str]:
    kept, dropped = (len(text), ""), (len(text) - 1, "")
    tail, head = _TAIL.search(text[:-1]), _HEAD.match(after)
    if text[-1] == "\u2010" and vocabulary.inner_unicode_hyphens == 0:
        return dropped  # this document's own hyphens are others; this one divides words
    if vocabulary.breaks_with_unicode_hyphens or not tail or not head:
        return kept
    if not vocabulary.hyphenates and text[-1] != "\u2010":
        return kept
    before, behind = tail.group(1), head.group(1)
    solid, compound = (before + behind).casefold(), f"{before}-{behind}".casefold()
    if vocabulary.words[compound] or vocabulary.words[solid]:
        return kept if vocabulary.words[compound] > vocabulary.words[solid] else dropped
    if vocabulary.is_english and solid in english_words():
        return dropped
    in_chain = text[: tail.start()].endswith(tuple(_ANY_HYPHEN)) or _continues_compound(after, head.end())
    if behind.casefold() in _SUSPENDED and not in_chain:
        return len(text), " "
    if _CAMEL.search(before) or _CAMEL.search(behind):
        return dropped  # an identifier
    if behind[0].isupper():
        # "emptyDir" is an identifier, "pre-Columbian" is not.
        return dropped if before.islower() and before not in _BEFORE_NAMES else kept
    before, behind = before.casefold(), behind.casefold()
    words = vocabulary.is_word(before) and vocabulary.is_word(behind)
    if tail.group(1).isupper() and len(before) > 1:
        return kept if vocabulary.is_word(behind) else dropped
    in_address = _is_identifier(text[: tail.start()].rsplit(" ", 1)[-1])
    if in_chain or in_address:
        return kept if words and behind not in _SUFFIXES else dropped  # a link of a chain such as up-to-date
    if len(before) >= 3 and vocabulary.firsts[before] and behind not in _SUFFIXES:
        return kept  # as in other compounds of this document
    return kept if vocabulary.is_english and words and _are_two_words(before, behind) else dropped


_BEFORE_NAMES = frozenset(
    {"non", "pre", "anti", "mid", "trans", "post", "pro", "un", "ex", "neo", "sub", "inter", "intra", "half", "semi"}
)
_CAMEL = re.compile(r"[a-z][A-Z]")


def _is_identifier(start: str) -> bool:
    """Whether what stands before a word, without a space, makes it part of a path or an option."""
    return start.startswith("--") or any(sign in start for sign in "/_.=")


_ADDRESS = re.compile(r"(?:https?:|ftp:|www\.|doi\.org/|://)\S*$", re.IGNORECASE)


def _is_broken_address(text: str, after: str) -> bool:
    """Whether a web address goes on in the next line: it ends with one of its signs, and no word of a sentence follows."""
    match = _ADDRESS.search(text[-300:])
    if match is None or text[-1] not in "/.:?&=_#%~":
        return False
    if match.group(0).lower().endswith(("http:", "https:", "https:/", "http:/")):
        return after.startswith("/")
    following = after.split(" ", 1)[0].rstrip(".,;:)]")
    if following.isalpha() and (following.casefold() in english_words() or following[0].isupper()):
        return False
    return bool(following) and (following[0].isalnum() or following[0] in "/_~%#{")


def _continues_compound(after: str, end: int) -> bool:
    return after[end : end + 1] in ("-", "\u2010") and after[end + 1 : end + 2].isalpha()


def _are_two_words(before: str, behind: str) -> bool:
    """Whether two English words make a compound that is written with a hyphen.

    Printers break closed compounds at the same place ("work-flow"), so that it takes more than two known words.
    """
    if before in _FUSED or behind in _SUFFIXES:
        return False
    return before in _FIRST_PARTS or behind in _SECOND_PARTS


_SUFFIXES = frozenset(
    {"able", "ible", "ing", "ed", "er", "est", "ly", "ness", "ment", "ful", "less", "ism", "ist", "ship", "hood", "ward",
     "some", "age", "al", "ally", "ation", "tion", "ions", "ity", "ive", "ous", "ant", "ent", "ize", "ise", "men"}
)  # fmt: skip
_FIRST_PARTS = frozenset(
    {
        "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "single", "double", "multi",
        "self", "well", "non", "high", "low", "long", "short", "cross", "full", "half", "open", "real", "user", "first",
        "second", "third", "large", "small", "best", "ever", "fast", "fine", "general", "ill", "quasi", "semi", "zero",
        "higher", "lower", "cost", "mid", "anti", "ex", "peer",
    }
)  # fmt: skip
_SECOND_PARTS = frozenset(
    {
        "based", "like", "dimensional", "level", "term", "specific", "driven", "defined", "free", "order", "scale",
        "known", "oriented", "related", "wide", "side", "only", "called", "aware", "friendly", "party", "quality",
        "length", "grained", "sized", "size", "dependent", "independent", "invariant", "making", "made", "owned",
        "running", "purpose", "effective", "efficient", "intensive", "rich", "safe", "scoped", "stage", "step", "style",
        "tuned", "type", "valued", "weighted", "year", "old", "day", "hour", "minute", "in", "to", "of", "the",
        "linear", "zero", "negative", "positive", "generated", "provided", "managed", "hosted", "written", "supervised",
        "trained", "learning", "effort",
    }
)  # fmt: skip
