"""The one sentence splitter: every part of the project that needs sentences calls ``split_sentences``.

It is a rule system. One scan finds events: places where a sentence may end (end marks, line breaks, faces, ruled
lines). Each is decided by a bounded neighbourhood: the word before, the first word after, open brackets. Time is linear
in the length of the text, whatever the text is.
"""

from __future__ import annotations

import heapq
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Final

from aipk_core.text.abbreviations import words
from aipk_core.text.sentence_ends import Stop, ends_before_glued, ends_sentence
from aipk_core.text.sentence_lines import LineBreaks, item_starts
from aipk_core.text.sentence_mail import message_ends
from aipk_core.text.sentence_rules import LanguageRules, rules_for
from aipk_core.text.spans import Span, stripped

_BRACKET_REACH: Final = 300  # a bracket that does not close within this many characters protects nothing
_THAI_PIECE: Final = 60
_WIDE_CONTINUES: Final = ("と", "って", "、", "，", "。", "；", "：", "の", "を", "が", "は", "に", "で", "も", "的")
_CHINESE_SAID: Final = re.compile(r"[^\s。！？，]{0,3}(?:[说說问問答喊叫]|(?<!知)道)")
_LEADING: Final = " \t\n\r([\"'•⁃‣▪●◦–—*+>#-"
_BRACKETS: Final = (("(", ")"), ("（", "）"), ("「", "」"), ("『", "』"), ("《", "》"), ("【", "】"))

_STOPS: Final = r".!?\u2026\u0589\u061f\u06d4\u0964\u0965\u1362\u1367\u104b\u17d4\u17d5\u203c\u2047\u2048\u2049"
_CLOSERS: Final = r"\"'\u201d\u2019\u00bb\u203a\u201c)\]}*_`"
_WIDE_CLOSERS: Final = r"\"'\u201d\u2019)\u300d\u300f\uff09\u3011\u300b\u3009\u3015"

_WIDE: Final = r"\u3002\uff01\uff1f\uff61"
_RULES: Final = r"*=_~#-"
_EMOJI: Final = r"\u2639-\u263b\u2665\U0001f300-\U0001faff"
# Every event is found by its first character, so that the search skips over letters quickly; the alternatives then look
# back at it.
_EVENT: Final = re.compile(
    rf"[\n\r\u2028\u2029{_WIDE}{_STOPS}{_RULES}:;<\^{_EMOJI}HISTWYMO](?:"
    rf"(?P<line>(?<=[\n\r\u2028\u2029])\s*+)"
    rf"|(?P<stop>(?<=[{_STOPS}])(?P<marks>(?:(?<=\.)(?:[ \u00a0]\.(?![^\s.{_CLOSERS}]))++)?[{_STOPS}]*+)"
    rf"(?:[ \u00a0\u202f]?[\u00bb\u203a]|[ ]\)(?!\S))?[{_CLOSERS}]*+"
    rf"(?:[ ]?\[\d{{1,3}}\](?=\s|\[|\Z)|[\u00b9\u00b2\u00b3\u2070-\u2079]+(?=\s|\Z))*+)"
    rf"|(?P<starter>(?<=[a-z][ ][A-Z])(?<=[a-z][ ].)(?:(?<=H)(?:e|er|is)|(?<=I)t|(?<=S)he|(?<=T)(?:hey|his|hese|here|heir)"
    rf"|(?<=W)e|(?<=Y)ou|(?<=M)y|(?<=O)ur)(?:'s|'re)?[ ](?=[a-z]))"
    rf"|(?P<wide>(?<=[{_WIDE}])[{_WIDE}!?\u2026]*+[{_WIDE_CLOSERS}]*+)"
    rf"|(?P<rule>(?:(?<!\S\*)(?<=\*)\*\*++|(?<=[{_RULES}])(?<![{_RULES}][{_RULES}])[{_RULES}]{{3,}}+)(?!\S))"
    rf"|(?P<face>(?<![^\s.!?].)(?:(?<=[:;=])[-'^]?[)(DPp\]*]++|(?<=<)3|(?<=\^)_?\^|(?<=[{_EMOJI}])\ufe0f?)(?!\S))"
    r")"
)
_THAI_SPACE: Final = re.compile(r"(?P<space>(?<=[\u0e00-\u0e7f])[ ]++(?=[\u0e00-\u0e7f]))")
_CODE: Final = re.compile(r"(?P<ticks>`{1,3})(?!`)[^`\n]{1,300}(?P=ticks)(?!`)")
_AFTER: Final = re.compile(
    r"\s*+([\"'\u201c\u2018\u00ab\u2039\u201e\u201a(\[{\u00bf\u00a1*_`~<]*+)[ ]?([–—-][ ])?(\S{0,24})"
)
_NO_UNPUNCTUATED_END: Final = words(
    "a an the of in on at by for from with to into onto as and or but nor if when where while because since than that "
    "which who whom whose is are was were be been am do does did has have had can could will would shall should may "
    "might must not no this these those my your his her its our their said says see say called titled named about "
    "let make makes made before after until unless though although so what how why like via per between both either"
)
_THAI_ENDINGS: Final = ("ครับ", "ค่ะ", "คะ", "นะ", "จ้ะ", "จ้า")
_THAI_CONTINUES: Final = (
    "และ", "หรือ", "แต่", "ที่", "ซึ่ง", "โดย", "เพราะ", "เพื่อ", "ว่า", "กับ", "จาก", "ใน", "ของ", "เช่น", "ได้แก่", "คือ", "เป็น",
    "รวมถึง", "ตลอดจน", "จึง", "ก็", "อัน", "ไม่ว่า", "แก่", "ตาม", "เพียง", "ต่อ", "ยัง", "ด้วย", "อย่าง", "เท่า", "ฯ", "ๆ",
)  # fmt: skip
_THAI_UNFINISHED: Final = (
    "และ",
    "หรือ",
    "แต่",
    "ที่",
    "ซึ่ง",
    "โดย",
    "เพราะ",
    "เพื่อ",
    "ว่า",
    "กับ",
    "จาก",
    "ใน",
    "ของ",
    "เช่น",
    "ๆ",
    "ฯ",
)


def split_sentences(text: str, lang: str = "en", atoms: Sequence[Span] = ()) -> list[Span]:
    """The sentences of ``text`` in order, without white space at their ends; between them there is only white space.

    A blank line always ends a sentence. A single line break ends one unless the lines look wrapped (see
    ``sentence_lines``). Thai has no end mark: a space between Thai letters ends a sentence once the piece has 60
    characters, or after a polite particle, and never before a word that continues one (and, or, that, which …).

    Args:
        lang: BCP 47 tag; languages without lists of their own are split with the English abbreviations.
        atoms: sorted or unsorted spans (inline code, formulas) that no boundary may cut and whose stops end nothing.
            Markdown code spans between backticks are atoms by themselves.
    """
    scan = _Scan(text, rules_for(lang), _merged([*atoms, *_code_spans(text)]))
    spans: list[Span] = []
    start = 0
    for end in scan.ends():
        if end > start:
            span = stripped(text, Span(start, end))
            if span.start < span.end:
                spans.append(span)
            start = end
    return spans


class _Scan:
    """One pass over a text; holds where the current sentence started and how many brackets are open."""

    def __init__(self, text: str, rules: LanguageRules, atoms: list[Span]) -> None:
        self.text = text
        self.rules = rules
        self.atoms = atoms
        self.atom_starts = [atom.start for atom in atoms]
        self.forced = sorted({*item_starts(text), *message_ends(text, rules.starters)})
        self.brackets = [pair for pair in _BRACKETS if pair[0] in text]
        self.lines = LineBreaks(text)
        self.start = 0
        self.counted = 0
        self.open: dict[str, int] = {}

    def ends(self) -> Iterator[int]:
        """Offsets at which a sentence ends, ascending; the last is the length of the text."""
        forced = iter(self.forced)
        following = next(forced, None)
        for event in self._events():
            while following is not None and following <= event.start():
                if not self._inside_atom(following):
                    yield self._begin(following)
                following = next(forced, None)
            for end in self._decide(event):
                if not (self.atoms and self._inside_atom(end)):
                    yield self._begin(end)
        while following is not None:
            if not self._inside_atom(following):
                yield self._begin(following)
            following = next(forced, None)
        yield len(self.text)

    def _events(self) -> Iterator[re.Match[str]]:
        events = _EVENT.finditer(self.text)
        if not self.rules.thai:
            return events
        return heapq.merge(events, _THAI_SPACE.finditer(self.text), key=re.Match.start)

    def _begin(self, at: int) -> int:
        self.start = self.counted = max(at, self.start)
        self.open.clear()
        return at

    def _decide(self, event: re.Match[str]) -> tuple[int, ...]:
        kind = event.lastgroup
        begin, end = event.span()
        if kind == "line":
            return (begin,) if self.lines.breaks(begin, end) else ()
        if self.atoms and self._holds(begin):
            return ()
        if kind == "stop":
            return (end,) if self._stop(event) else ()
        if kind == "wide":
            return (end,) if self._wide(begin, end) else ()
        if kind == "rule":
            return self._around_rule(begin, end)
        if kind == "face":
            return (end,) if self._next_word(end)[2][:1].isupper() else ()
        if kind == "space":
            return (begin,) if self._thai(begin, end) else ()
        return (begin,) if self.rules.informal and self._unpunctuated(begin) else ()

    def _stop(self, event: re.Match[str]) -> bool:
        text = self.text
        begin, end = event.span()
        if end == len(text):
            return True
        marks = text[begin] + event["marks"]
        closers = text[begin + len(marks) : end]
        before = text[max(self.start, begin - 48) : begin]
        if not text[end].isspace():
            return ends_before_glued(before, marks, closers, text[end : end + 24], self.rules)
        if self._bracketed(begin, end):
            return False
        opener, dash, word = self._next_word(end)
        token = before.rsplit(None, 1)[-1] if before and not before[-1].isspace() else ""
        near = begin - self.start < 48
        leading = text[self.start : begin - len(token)].strip(_LEADING) if near else " "
        place = Stop(
            before=before[: len(before) - len(token)],
            token="" if self.atoms and self._ends_atom(begin) else token,
            marks=marks,
            closers=closers,
            opener=opener,
            dash=dash,
            word=word,
            first=not leading,
            label=leading.lower(),
        )
        return ends_sentence(place, self.rules)

    def _around_rule(self, begin: int, end: int) -> tuple[int, ...]:
        """A ruled line stands by itself; ``---=`` opens a banner and ``=---`` closes one."""
        first, last = self.text[begin], self.text[end - 1]
        if begin and not self.text[begin - 1].isspace():
            return (end,)
        return (begin, end) if first == last else (begin,) if first == "-" else (end,)

    def _wide(self, begin: int, end: int) -> bool:
        """Chinese and Japanese marks always end a sentence, but for quotes and brackets that the sentence goes on after."""
        text = self.text
        if self._bracketed(begin, end):
            return False
        following = text[end : end + 2]
        if text[end - 1] in "\u300d\u300f\uff09\u3011\u300b\u3009\u3015\u201d\u2019)":
            return not following.startswith(_WIDE_CONTINUES) and not _CHINESE_SAID.match(text, end)
        return not following.startswith(("、", "，"))

    def _bracketed(self, begin: int, end: int) -> bool:
        """Whether the event stands inside a bracket that opened in mid-sentence and closes soon."""
        text = self.text
        inside = False
        for opening, closing in self.brackets:
            last_opened = text.rfind(opening, self.counted, end)
            last_closed = text.rfind(closing, self.counted, end)
            if last_opened > last_closed:
                self.open.setdefault(opening, text.find(opening, max(self.counted, last_closed), end))
            elif last_closed >= 0:
                self.open.pop(opening, None)
            opened = self.open.get(opening, -1)
            if opened >= 0 and begin - opened < _BRACKET_REACH:
                closed = text.find(closing, end, opened + _BRACKET_REACH)
                goes_on = text[self.start : opened].strip() or text.startswith(_WIDE_CONTINUES, closed + 1)
                inside = inside or (closed >= 0 and bool(goes_on))
        self.counted = end
        return inside

    def _unpunctuated(self, begin: int) -> bool:
        """A lower-case word, then a capitalised pronoun and a lower-case word: web English without its full stop."""
        last = self.text[max(self.start, begin - 24) : begin].rstrip().rpartition(" ")[2]
        return last.isalpha() and len(last) > 1 and last not in _NO_UNPUNCTUATED_END

    def _thai(self, begin: int, end: int) -> bool:
        if self.text.startswith(_THAI_CONTINUES, end) or self.text.endswith(_THAI_UNFINISHED, self.start, begin):
            return False
        return begin - self.start >= _THAI_PIECE or self.text.endswith(_THAI_ENDINGS, self.start, begin)

    def _next_word(self, at: int) -> tuple[str, str, str]:
        """Opening quotes and brackets after ``at``, the dash after them, and the start of the next word."""
        found = _AFTER.match(self.text, at)
        return (found[1], (found[2] or "")[:1], found[3]) if found else ("", "", "")

    def _atom_before(self, at: int) -> Span | None:
        index = bisect_right(self.atom_starts, at) - 1
        return self.atoms[index] if index >= 0 else None

    def _inside_atom(self, boundary: int) -> bool:
        """Whether a boundary at this offset would cut an atom."""
        atom = self._atom_before(boundary)
        return atom is not None and atom.start < boundary < atom.end

    def _holds(self, position: int) -> bool:
        """Whether an atom covers the character at this offset."""
        atom = self._atom_before(position)
        return atom is not None and atom.start <= position < atom.end

    def _ends_atom(self, at: int) -> bool:
        """Whether the character before this offset is the last of an atom: it is code, no abbreviation."""
        return at > 0 and self._holds(at - 1)


def _code_spans(text: str) -> list[Span]:
    return [Span(*found.span()) for found in _CODE.finditer(text)] if "`" in text else []


def _merged(atoms: list[Span]) -> list[Span]:
    """Sorted and without overlaps, so that one look-up finds the atom that covers an offset."""
    merged: list[Span] = []
    for atom in sorted(atoms):
        if merged and atom.start < merged[-1].end:
            merged[-1] = Span(merged[-1].start, max(merged[-1].end, atom.end))
        elif atom.end > atom.start:
            merged.append(Span(*atom))
    return merged
