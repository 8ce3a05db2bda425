"""What two similar claims are to each other, by rules: in conflict, duplicates, or neither.

The verifier may take it for granted that a sentence speaks of what its evidence speaks of. Two claims of a corpus need
not: "within 5 working days" of a level A and "within 15 working days" of a level B are both true. So a conflict needs
more than a contradiction: the two must agree in everything else, in the headings that name their subject too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from aipk_core.claims.model import Claim
from aipk_core.claims.pairs import ClaimPair, PairKind
from aipk_core.claims.references import points_back
from aipk_core.claims.statements import leans_on_heading
from aipk_core.verify.alignment import Alignment
from aipk_core.verify.analysis import Analysis, analyse, stem_of
from aipk_core.verify.findings import Finding
from aipk_core.verify.rules import judge_by_rules

_SAME_WORD = 0.85
"""Worth of a word match from which two words are taken to mean the same."""
_SAME_MATTER = 0.8
"""Share of the words of each claim that the other must have before the two can be in conflict."""
_OWN_SUBJECT = 3
"""Content words from which a sentence is taken to name its subject itself, whatever heading it stands under."""
_TELLING = frozenset({"quantity", "polarity", "modality", "quantifier", "antonym"})
_NAMING = frozenset({"label", "version", "ordinal"})
"""Kinds of quantities that say which thing is meant rather than how much of it."""
_MEANING = re.compile(r"[\w\-−+±%<>=/*$€£°#@&|~^.:]+")
_BEGINNING = 5
_SPACED = re.compile(r"\w\s\w")
_TOKEN = re.compile(r"\w+")


def judge_pair(one: Claim, other: Claim, similarity: float) -> ClaimPair | None:
    """The pair that two claims form, or ``None`` when they are neither in conflict nor duplicates."""
    if one.lang != other.lang or one.id == other.id:
        return None
    if _folded(one.text) == _folded(other.text):
        if not _same_place(one, other):
            return None
        return _pair(PairKind.DUPLICATE, one, other, ("both have the same words",), similarity)
    if not _share_words(one.text, other.text):
        return None
    sides = _Sides.of(one, other)
    if not sides.same_names or not _same_place(one, other):
        return None
    findings = () if _are_siblings(one, other) else sides.contradictions
    if findings and sides.same_matter(findings):
        reasons = tuple(dict.fromkeys(finding.message for finding in findings))
        return _pair(PairKind.CONFLICT, one, other, reasons, similarity)
    if not findings and sides.say_the_same:
        return _pair(PairKind.DUPLICATE, one, other, ("both say the same in slightly different words",), similarity)
    return None


def _pair(kind: PairKind, one: Claim, other: Claim, reasons: tuple[str, ...], similarity: float) -> ClaimPair:
    a, b = sorted((one.id, other.id))
    return ClaimPair(kind, a, b, reasons, round(similarity, 4))


@dataclass(frozen=True, slots=True)
class _Sides:
    """Both claims read against each other: ``forward`` reads the first by the second."""

    forward: Alignment
    backward: Alignment
    findings: tuple[Finding, ...]

    @classmethod
    def of(cls, one: Claim, other: Claim) -> _Sides:
        first, second = analyse(one.text, one.lang), analyse(other.text, other.lang)
        # Without the parser, which takes longer than all else: only a pair of the same words asks it, see below.
        there, back = judge_by_rules(first, [second], parse=False), judge_by_rules(second, [first], parse=False)
        return cls(there.alignment, back.alignment, (*there.findings, *back.findings))

    @property
    def contradictions(self) -> tuple[Finding, ...]:
        telling = [f for f in self.findings if f.contradicts and f.check in _TELLING]
        opposites = {f.message for f in telling if f.check == "antonym"}
        if len(opposites) > 2 or (opposites and any(f.check == "polarity" for f in telling)):
            return ()  # two turns of meaning: "outbound … egress" and "inbound … ingress", "lower … not" and "higher …"
        first, second = self.forward.statement, self.backward.statement
        if any(_names_its_subject(first.text, f) or _names_its_subject(second.text, f) for f in telling):
            return ()
        return tuple(telling)

    @property
    def same_names(self) -> bool:
        """Whether neither side has an identifier, a label or a proper name that the other lacks."""
        for side in (self.forward, self.backward):
            if any(not match.equal for match in side.identifiers):
                return False
            if any(not match.equal and match.quantity.kind in _NAMING for match in side.quantities):
                return False
            if any(match.word.name and match.worth < _SAME_WORD for match in side.words):
                return False
        return True

    def same_matter(self, findings: Iterable[Finding]) -> bool:
        """Whether both sides share nearly all of their words, and each number that differs has a counterpart."""
        excused = {finding.span for finding in findings if finding.check in ("antonym", "modality") and finding.span}
        for side in (self.forward, self.backward):
            if any(not match.equal and match.counterpart is None for match in side.quantities):
                return False
            words = [match for match in side.words if (match.word.start, match.word.end) not in excused]
            same = sum(match.worth >= _SAME_WORD for match in words)
            if same < 2 or same < _SAME_MATTER * len(words):
                return False
        return True

    @property
    def say_the_same(self) -> bool:
        """Whether both sides have the same words, numbers and names, small words included, in nearly the same order."""
        if _object(self.findings):
            return False
        mine, theirs = (_telling_tokens(side.statement) for side in (self.forward, self.backward))
        if sorted(mine) != sorted(theirs) or len(mine) < _OWN_SUBJECT:
            return False
        turned = any(mine == theirs[cut:] + theirs[:cut] for cut in range(len(mine)))  # a phrase put in front
        moved = sum(a != b for a, b in zip(mine, theirs, strict=True))
        if not turned and moved > len(mine) // 3:
            return False
        first, second = self.forward.statement, self.backward.statement
        return not any(
            _object(judge_by_rules(one, [other]).findings) for one, other in ((first, second), (second, first))
        )


def _object(findings: Iterable[Finding]) -> bool:
    """Whether a finding speaks against two texts saying the same."""
    return any(finding.contradicts or finding.unsupported for finding in findings)


_VERB = re.compile(
    r"\b(?:is|are|was|were|has|have|does|do|can|may|must|will|should|cannot)\b|\b[a-z]{2,}s (?:a|an|the|all|its)\b"
)
_LIMITING = re.compile(
    r"\b(?:that|which|who|whose|if|when|unless|where|while|until|before|after|wenn|falls|если|когда)\b[^,;]*$",
    re.IGNORECASE,
)


def _names_its_subject(text: str, finding: Finding) -> bool:
    """Whether a difference only says which things are meant: an opposite in front of the verb ("ingress lists …"), or a
    denial inside of a limiting clause ("Pods that are not …", "if you do not …")."""
    if finding.span is None:
        return False
    before = text[: finding.span[0]]
    if finding.check == "antonym":
        return _VERB.search(before) is None
    return finding.check == "polarity" and _LIMITING.search(before) is not None


_IDLE = frozenset({"a", "an", "the", "also", "please", "note", "that", "ein", "eine", "der", "die", "das"})
_IRREGULAR_PLACES = re.compile(r"(?<=\w)[-’'](?=\w)")


def _telling_tokens(analysis: Analysis) -> list[str]:
    """All words of a text in order, numbers in the form of their value, without articles."""
    tokens = _TOKEN.findall(_IRREGULAR_PLACES.sub("", analysis.text.casefold()))
    return [stem_of(token, analysis.lang) for token in tokens if token not in _IDLE]


def _share_words(one: str, other: str) -> bool:
    """Whether half of the words of the longer text begin like words of the other: cheap, and without it the rules, which
    ask for more, cannot find a pair anyway."""
    first, second = _beginnings(one), _beginnings(other)
    return 2 * len(first & second) >= max(len(first), len(second))


@lru_cache(maxsize=20_000)
def _beginnings(text: str) -> frozenset[str]:
    if not _SPACED.search(text):
        return frozenset(text.casefold())
    return frozenset(word[:_BEGINNING] for word in _TOKEN.findall(text.casefold()))


def _are_siblings(one: Claim, other: Claim) -> bool:
    """Whether two claims are told apart by their place rather than by their words: entries of one list or table, and
    sentences about something unnamed ("The default value is 1.") in one section."""
    if one.kind != "sentence" and one.kind == other.kind and one.context == other.context:
        return True
    return leans_on_heading(one.text, one.lang) or leans_on_heading(other.text, other.lang)


def _same_place(one: Claim, other: Claim) -> bool:
    """Whether the headings do not tell apart what two claims speak of.

    Items, cells and short sentences live by their headings, and need the same ones at the end of the path; longer
    sentences name their subject, and only a heading that is the other's variant ("Level A", "Level B") sets them apart.
    """
    if _folded(one.context[-1:]) == _folded(other.context[-1:]) and (
        one.kind == "sentence" or _folded(one.context[-2:]) == _folded(other.context[-2:])
    ):
        return True
    if any(points_back(claim.text, claim.lang) for claim in (one, other)):
        return False  # what they point back to is not the same
    both_sentences = one.kind == other.kind == "sentence"
    contents = min(len(analyse(claim.text, claim.lang).words) for claim in (one, other))
    if not both_sentences or contents < _OWN_SUBJECT:
        return False
    return not any(_are_variants(mine, theirs) for mine in one.context for theirs in other.context)


def _are_variants(mine: str, theirs: str) -> bool:
    """Whether two headings are alike but for a label: "Level A" and "Level B", "v1.30" and "v1.31"."""
    first, second = _TOKEN.findall(mine.casefold()), _TOKEN.findall(theirs.casefold())
    if first == second or not set(first) & set(second):
        return False
    return len(first) == len(second) and sum(a != b for a, b in zip(first, second, strict=True)) == 1


@lru_cache(maxsize=20_000)
def _folded(text: str | tuple[str, ...]) -> str:
    """Words and signs that carry meaning, without case and punctuation."""
    joined = text if isinstance(text, str) else " ".join(text)
    return " ".join(word.rstrip(".:") or word for word in _MEANING.findall(joined.casefold()))
