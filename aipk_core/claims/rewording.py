"""How a text in other words differs from its source, by the verifier's analysis of both.

Stricter than the verifier itself: a claim that is born here may become the evidence of answers. So a condition, a "may"
or an "only" that the text leaves out counts as much as one that it adds, and each word must stand in the source.
"""

from __future__ import annotations

import re
from functools import lru_cache

from aipk_core.claims.references import rule_language
from aipk_core.verify.alignment import Alignment, align
from aipk_core.verify.analysis import Analysis, Word, analyse
from aipk_core.verify.lexicon import cues
from aipk_core.verify.pairing import SegmentPair, pair_segments
from aipk_core.verify.rules import judge_by_rules
from aipk_core.verify.segments import Mood, segments_of

_LANGUAGES = {"en": "English", "de": "German", "ko": "Korean", "zh": "Chinese", "ja": "Japanese", "ru": "Russian"}
_SAME_WORD = 0.85
_KEPT = 0.75
"""Share of the words of a source clause that a text built on it must keep: what it drops may have been a limit."""
_CONTEXT_SHARE = 0.5
"""Share of a text's words that may come from its headings instead of its source sentence."""
_BLOCKED_BY = {
    "quantity": "numbers", "identifier": "identifiers", "entity": "names", "polarity": "polarity", "antonym": "polarity",
    "modality": "modality", "quantifier": "quantifiers", "condition": "conditions",
}  # fmt: skip
_QUANTIFIERS = {
    "de": r"\b(?P<all>alle\w*|jede\w*|immer|stets|sämtliche\w*)\b|\b(?P<part>manche\w*|einige\w*|viele\w*|meist\w*|oft|manchmal|wenige\w*)\b|\b(?P<only>nur|lediglich|ausschließlich)\b",
    "ru": r"\b(?P<all>все\w*|всё|кажд\w+|люб\w+|всегда)\b|\b(?P<part>некотор\w+|многи\w+|большинств\w+|част\w+|иногда|обычно|нескольк\w+)\b|\b(?P<only>только|лишь|исключительно)\b",
    "zh": r"(?P<all>所有|全部|每|任何|总是|一切|都)|(?P<part>有些|一些|部分|多数|大多|通常|有时|少数|几)|(?P<only>只|仅)",
    "ja": r"(?P<all>すべて|全て|全部|各|毎|常に|いつも|あらゆる)|(?P<part>一部|いくつか|多く|ほとんど|通常|時々)|(?P<only>のみ|だけ|しか)",
    "ko": r"(?P<all>모든|모두|각|매|항상|언제나|전체)|(?P<part>일부|몇|대부분|많은|보통|때때로|가끔)|(?P<only>만\s|뿐|오직|에만)",
}  # fmt: skip
_DE_RU_CONDITION = {
    "de": re.compile(r"\b(?:wenn|falls|sofern|außer|es sei denn|solange|bis|nur mit|ohne|unter der Bedingung)\b", re.IGNORECASE),
    "ru": re.compile(r"\b(?:если|когда|пока|кроме|при условии|за исключением|без)\b", re.IGNORECASE),
    "zh": re.compile(r"如果|若|当|除非|除了|只要|只有|未经|之前"),
    "ja": re.compile(r"場合|とき|時に|れば|たら|限り|以外|まで|際"),
    "ko": re.compile(r"경우|(?:으)?면\b|때\b|제외|없이|까지|동안|한\s"),
}  # fmt: skip


@lru_cache(maxsize=256)
def differences(text: str, quotes: tuple[str, ...], context: tuple[str, ...], lang: str) -> dict[str, str]:
    """Name of a birth check -> why the text fails it. Each check's first finding is enough."""
    language = lang = rule_language(lang, text)
    if language not in _LANGUAGES:
        names = ("polarity", "modality", "quantifiers", "conditions", "wording")
        return dict.fromkeys(names, f"a text in other words is not checked in the language '{lang}'")
    found: dict[str, str] = {}
    statement = analyse(text, lang)
    evidence = [analyse(quote, lang) for quote in quotes]
    if not statement.words and not statement.quantities and not statement.identifiers:
        return {"wording": "the text says nothing that could be compared"}
    judgement = judge_by_rules(statement, evidence)
    for finding in judgement.findings:
        if finding.contradicts or finding.unsupported:
            found.setdefault(_BLOCKED_BY.get(finding.check, "wording"), finding.message)
    alignment = judgement.alignment
    pairs = pair_segments(alignment)
    for name, reason in (
        ("numbers", _bounds(alignment)),
        ("names", _unknown_name(alignment, context, lang)),
        ("polarity", _signs(pairs, alignment)),
        ("modality", _moods(pairs, alignment)),
        ("quantifiers", _quantifiers(pairs, statement, evidence, language)),
        ("conditions", _conditions(pairs, statement, language)),
        ("wording", _words(alignment, context, lang) or _left_out(pairs, alignment, context, lang)),
    ):
        if reason:
            found.setdefault(name, reason)
    return found


def _bounds(alignment: Alignment) -> str:
    """ "At least 5" is not "5"; nor may a number lose its "about"."""
    for match in alignment.quantities:
        mine, theirs = match.quantity, match.counterpart
        if not match.equal:
            return f"the source does not have “{mine.text}”"
        if theirs is not None and (mine.bound, mine.approximate) != (theirs.bound, theirs.approximate):
            return f"“{mine.text}” here, “{theirs.text}” in the source, with another limit"
    return ""


def _unknown_name(alignment: Alignment, context: tuple[str, ...], lang: str) -> str:
    known = _context_stems(context, lang)
    for match in alignment.words:
        if match.word.name and match.worth < _SAME_WORD and match.word.stem not in known:
            return f"the source does not have the name “{match.word.norm}”"
    return ""


def _signs(pairs: list[SegmentPair], alignment: Alignment) -> str:
    for pair in pairs:
        if pair.target is not None and pair.segment.negative != pair.target.segment.negative:
            return "the text and its source differ in a negation"
    if not pairs and any(segment.negative for claim in alignment.claims for segment in segments_of(claim)):
        return "the text and its source differ in a negation"
    return ""


def _moods(pairs: list[SegmentPair], alignment: Alignment) -> str:
    for pair in pairs:
        theirs = pair.target.segment.mood if pair.target else Mood.STATED
        if pair.segment.mood is not theirs:
            return f"{_mood(pair.segment.mood)} here, {_mood(theirs)} in the source"
    here = {segment.mood for segment in segments_of(alignment.statement)}
    there = {segment.mood for claim in alignment.claims for segment in segments_of(claim)}
    added = here - there - {Mood.STATED}
    return f"the source does not say that it is {_mood(min(added))}" if added else ""


def _mood(mood: Mood) -> str:
    return "a plain statement" if mood is Mood.STATED else str(mood.value)


def _quantifiers(pairs: list[SegmentPair], statement: Analysis, evidence: list[Analysis], language: str) -> str:
    mine = _quantifier_kinds(statement.text, language)
    everything = set().union(*(_quantifier_kinds(claim.text, language) for claim in evidence)) if evidence else set()
    if mine - everything:
        return f"the source does not say “{_QUANTIFIER_WORDS[min(mine - everything)]}”"
    used = set().union(*(_quantifier_kinds(pair.target.text, language) for pair in pairs if pair.target), set())
    if used - mine:
        return f"the text leaves out “{_QUANTIFIER_WORDS[min(used - mine)]}”"
    return ""


_QUANTIFIER_WORDS = {"all": "all, every, any", "part": "some, most, usually", "only": "only"}


def _quantifier_kinds(text: str, language: str) -> set[str]:
    if language == "en":
        tables = {"all": cues.UNIVERSAL, "part": cues.PARTIAL, "only": cues.EXCLUSIVE}
        return {kind for kind, pattern in tables.items() if pattern.search(text)}
    pattern = re.compile(_QUANTIFIERS[language], re.IGNORECASE)
    return {name for match in pattern.finditer(text) for name, value in match.groupdict().items() if value}


def _conditions(pairs: list[SegmentPair], statement: Analysis, language: str) -> str:
    """A condition that the sentences behind the text make and the text does not."""
    pattern = cues.CONDITION if language == "en" else _DE_RU_CONDITION[language]
    mine = pattern.findall(statement.text)
    sources = dict.fromkeys(pair.target.analysis.text for pair in pairs if pair.target)
    theirs = [match for text in sources for match in pattern.findall(text)]
    if len(theirs) > len(mine):
        return f"the text leaves out a condition (“{theirs[0]} …”)"
    if len(mine) > len(theirs):
        return f"the source does not make the condition “{mine[0]} …”"
    return ""


def _words(alignment: Alignment, context: tuple[str, ...], lang: str) -> str:
    """Each word must stand in the source, or in the headings above it; and in the order of the source."""
    known = _context_stems(context, lang)
    strange = [match for match in alignment.words if match.worth < _SAME_WORD]
    new = next((match.word for match in strange if match.word.stem not in known), None)
    if new is not None:
        return f"the source does not have the word “{new.norm}”"
    if len(strange) > _CONTEXT_SHARE * len(alignment.words):
        return "most of the text comes from its headings, not from its source"
    return "the words stand in another order than in the source" if _reordered(alignment) else ""


def _reordered(alignment: Alignment) -> bool:
    """Whether words of one source sentence come in another order: "A calls B" is not "B calls A"."""
    last: dict[int, int] = {}
    for match in alignment.words:
        if match.counterpart is None or match.claim < 0:
            continue
        stem = match.counterpart.stem
        places = [word.start for word in alignment.claims[match.claim].words if word.stem == stem]
        later = [place for place in places if place >= last.get(match.claim, -1)]
        if not later:
            return True
        last[match.claim] = min(later)
    return False


def _left_out(pairs: list[SegmentPair], alignment: Alignment, context: tuple[str, ...], lang: str) -> str:
    """Words of the source clauses that the text is built on and that it drops: they may be what limits the statement."""
    mine = {word.stem for word in alignment.statement.words} | _context_stems(context, lang)
    for pair in pairs:
        if pair.target is None:
            return "a part of the text has nothing like it in the source"
        theirs: list[Word] = pair.target.words
        kept = sum(word.stem in mine for word in theirs)
        dropped = next((word for word in theirs if word.stem not in mine), None)
        if dropped is not None and kept < _KEPT * len(theirs):
            return f"the text leaves out “{dropped.norm}”"
        back = align(pair.target.analysis, [alignment.statement])
        inside = [q for q in back.quantities if pair.target.segment.start <= q.quantity.start < pair.target.segment.end]
        lost = next((q.quantity.text for q in inside if not q.equal), "")
        if lost:
            return f"the text leaves out “{lost}”"
    return ""


@lru_cache(maxsize=1_000)
def _context_stems(context: tuple[str, ...], lang: str) -> frozenset[str]:
    return frozenset(word.stem for part in context for word in analyse(part, lang).words)
