"""What a question asks for: its content words, the names in it, and the kind of thing that would answer it.

Most word lists are English. A question in another language expects any kind of answer, so that similarity and shared
words decide alone.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from aipk_core.answer.model import Message

MAX_QUESTION_CHARACTERS = 4_000

_WORD = re.compile(r"[^\W_]+(?:[.'’/_-][^\W_]+)*|[°%€$£¥₩]")
_LETTERS_AND_DIGITS = re.compile(r"(?=.*\d)(?=.*[^\W\d_])")


def listed(words: str) -> frozenset[str]:
    """The words of a list that is written as one text."""
    return frozenset(words.split())


_STOP = listed(
    """a about actually after all also am an and any are aren't as at be been before being both but by can can't cannot
    could did didn't do does doesn't doing don't each either else ever exactly few find for from get gets give given go
    goes had happen happens has have having he her here hers him his how i i'm if in into is isn't it it's its itself just
    know let like made make makes many may me might mine more most much must my need needs no nor not of off often on
    once one only or other our ours out over own per please possible put same she should shall so some soon still such
    take takes tell than thank thanks that that's the their theirs them then there these they thing things this those to
    too under until up upon us use used very want was we well were what what's when where whether which while who who's
    whom whose why will with within would yes you your yours allowed long big large far old fast quickly kind type sort
    called name named currently today now main exact maximum minimum max min someone anyone somebody
    explain describe mean means hello hi"""
)


# Question words of other languages, which would otherwise count as words that a claim must cover.
_FOREIGN_STOP = listed(
    """wer was wann wo wie warum wieso welche welcher welches wieviel viele lange wird werden kann darf muss gibt der die das
    den dem des ein eine einen ist sind hat haben im am zum zur mit bei für von und oder nach aus
    qui que quoi quand où comment pourquoi quel quelle quels quelles combien le la les un une des du de est sont dans pour
    quién qué cuándo dónde cómo cuál cuánto cuánta cuántos cuántas el los las del en es son por para
    chi che cosa quando dove come perché quale quanto quanti il lo gli della di è per
    quem quando onde como qual quanto quantos o os as do da em são
    wie wat wanneer waar hoe waarom welke hoeveel het een van zijn op te
    кто что когда где как почему какой какая какие сколько в на и с по для это"""
)


class Wanted(StrEnum):
    """The kind of thing that answers a question."""

    ANYTHING = "anything"
    QUANTITY = "quantity"
    MONEY = "money"
    TIME = "time"
    PERSON = "person"
    PLACE = "place"
    REASON = "reason"


_DEGREES = listed(
    "long heavy tall high wide deep big large fast quickly soon far often old hot cold loud accurate thick strong"
)
# Degrees that only say "a time" or "a number"; a statement need not repeat them.
_IMPLIED_DEGREES = frozenset({"long", "quickly", "soon", "often", "far", "big", "large"})
_MONEY_WORDS = listed(
    "price prices priced cost costs costing fee fees charge charged salary wage pay paid revenue turnover profit budget"
)
_TIME_WORDS = listed("date day days month year years hour hours minute minutes week weeks deadline time")
_PLACE_WORDS = listed("city country address place location street room")


@dataclass(frozen=True, slots=True)
class Term:
    """One content word of a question.

    Attributes:
        text: as written; a numbered name ("Level 5") is one term besides its word.
        stem: what it is compared by.
        name: it is an identifier ("SEV-1", "F4") or a proper noun, which no other word can stand for.
        category: it only says what kind of thing is asked for ("which organisation", "the time"); an answer names one
            such thing and need not repeat the word.
    """

    text: str
    stem: str
    name: bool
    category: bool = False


@dataclass(frozen=True, slots=True)
class Question:
    """A question taken apart.

    Attributes:
        text: what was asked, cut to ``MAX_QUESTION_CHARACTERS``.
        subject: stems of the thing that "What is …?" or "What does … do?" asks to have explained; a statement that
            begins with it explains it.
        counted: what is counted after "how many": an answer that does not speak of it gives another number.
    """

    text: str
    terms: tuple[Term, ...]
    wanted: Wanted
    counted: tuple[Term, ...] = ()
    subject: tuple[str, ...] = ()
    english: bool = True


def analyse(text: str) -> Question:
    """Take ``text`` apart; never fails, and an empty text has no terms."""
    text = unicodedata.normalize("NFKC", text[:MAX_QUESTION_CHARACTERS]).strip()
    words = _WORD.findall(text)
    lowered = [word.lower() for word in words]
    english = is_english(lowered)
    wanted, degree = _wanted(lowered) if english else (Wanted.ANYTHING, "")
    terms: list[Term] = []
    seen: set[str] = set()
    after_number = False
    for index, (word, low) in enumerate(zip(words, lowered, strict=True)):
        name = _is_name(words, index)
        if low == degree and not name:
            continue
        if index and _is_number(word) and lowered[index - 1] not in _NOT_NUMBERED:
            # "Level 5", "Heron 12", "Appendix B": the number names one of several, and means nothing by itself.
            word, low, name = f"{words[index - 1]} {word}", f"{lowered[index - 1]} {low}", True
        if low in _STOP and not (name and low not in _OPENERS and index > 0):
            continue
        if not english and low in _FOREIGN_STOP:
            continue
        stemmed = stem(low)
        if stemmed not in seen:
            seen.add(stemmed)
            # "Which organisation", and "a Level 2 incident", where the number already says which one.
            asked_for = index > 0 and (lowered[index - 1] in ("which", "what") or after_number)
            category = not name and (asked_for or low in _VAGUE)
            terms.append(Term(word, stemmed, name, category))
        after_number = " " in word
    if degree and degree not in _IMPLIED_DEGREES:
        terms.append(Term(degree, stem(degree), False))
    if not english:
        return Question(text, tuple(terms), wanted, english=False)
    return Question(text, tuple(terms), wanted, _counted(lowered, terms), _subject(text, terms))


_VAGUE = listed(
    "amount case data detail details information number period policy process requirement rule system thing time value way"
)
_NOT_NUMBERED = _STOP | listed("least most than around approximately first last next every")
_OPENERS = frozenset({"i", "what", "who", "when", "where", "why", "which", "how"})


def is_english(words: Sequence[str]) -> bool:
    """Whether a question's words can be read by the English lists: it has at least as many of theirs as of others'."""
    own = sum(word in _STOP for word in words)
    foreign = sum(word in _FOREIGN_STOP and word not in _STOP for word in words)
    latin = sum(word.isascii() for word in words)
    return own >= foreign and 2 * latin > len(words)


def words_of(text: str) -> list[str]:
    """The words, identifiers and currency or unit signs of a text, lower case, in order."""
    return [word.lower() for word in _WORD.findall(unicodedata.normalize("NFKC", text))]


def stems_of(text: str, *, names: bool = True) -> set[str]:
    """What a text can cover: the stems of its words, and of its numbered names ("level 5", "level b").

    Without ``names``, words that are capitalised within the text are left out: "ferries" is not covered by a company
    that is called Saltmarsh Ferries.
    """
    if not names:
        found_words = _WORD.findall(unicodedata.normalize("NFKC", text))
        return {
            stem(word.lower())
            for index, word in enumerate(found_words)
            if index == 0 or not (word[0].isupper() and not word.isupper())
        }
    words = _WORD.findall(unicodedata.normalize("NFKC", text))
    found = {stem(word.lower()) for word in words}
    found.update(f"{stem(first.lower())} {number.lower()}" for first, number in pairwise(words) if _is_number(number))
    return found


def stem(word: str) -> str:
    """A word without its commonest English endings; words with digits or other scripts stay as they are."""
    if " " in word:
        first, _, number = word.partition(" ")
        return f"{stem(first)} {number}"
    word = word.removesuffix("'s").removesuffix("’s")
    word = _IRREGULAR.get(word, word)
    if not word.isascii() or not word.isalpha() or len(word) < 4:
        return word
    for ending, replacement in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)] + replacement
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiosl":
        word = word[:-1]
    return word.rstrip("e") if len(word) > 4 else word


_IRREGULAR = {
    past: present
    for present, pasts in {
        "become": "became",
        "begin": "began begun",
        "break": "broke broken",
        "bring": "brought",
        "build": "built",
        "buy": "bought",
        "choose": "chose chosen",
        "draw": "drew drawn",
        "drive": "drove driven",
        "eat": "ate eaten",
        "fall": "fell fallen",
        "freeze": "froze frozen",
        "grow": "grew grown",
        "hang": "hung",
        "hide": "hid hidden",
        "hold": "held",
        "keep": "kept",
        "lead": "led",
        "lend": "lent",
        "lose": "lost",
        "meet": "met",
        "pay": "paid",
        "run": "ran",
        "sell": "sold",
        "send": "sent",
        "speak": "spoke spoken",
        "spend": "spent",
        "steal": "stole stolen",
        "teach": "taught",
        "wear": "wore worn",
        "win": "won",
        "write": "wrote written",
    }.items()
    for past in pasts.split()
}
_ENDINGS = (
    ("ations", "at"),
    ("ation", "at"),
    ("ments", ""),
    ("ment", ""),
    ("ings", ""),
    ("ing", ""),
    ("ities", "ity"),
    ("sses", "ss"),
    ("ies", "y"),
    ("ied", "y"),
    ("ss", "ss"),
    ("us", "us"),
    ("ors", "or"),
    ("ers", ""),
    ("er", ""),
    ("ed", ""),
    ("es", ""),
    ("ly", ""),
    ("s", ""),
)


def shape(stemmed: str) -> str:
    """Names that can take each other's place look alike: "sev-1" and "sev-2", "level 1" and "level 2", "level b"."""
    base, space, _ = stemmed.rpartition(" ")
    if space:
        return f"{base} #"
    if stemmed.isdigit():
        return "#" * len(stemmed)  # a year can stand for a year, not for a number of cars
    return re.sub(r"\d+", "#", stemmed) if any(character.isdigit() for character in stemmed) else "name"


def _is_number(word: str) -> bool:
    """Digits, a version, or one capital letter, as in "Level 5", "Release 2.0" and "Appendix B"."""
    return word.replace(".", "").isdigit() or (len(word) == 1 and word.isupper() and word != "I")


_EXPLAIN = re.compile(
    r"(?:what (?:is|are)|what(?:'s|’s)|explain|describe|define) (?:the (?:purpose|role|point|job) of )?(?P<thing>.+?)"
    r"(?: (?:used |good )?for)?[?.! ]*|(?:what (?:do|does)|how (?:do|does)) (?P<doer>.+?) (?:do|work|mean)[?.! ]*",
    re.IGNORECASE,
)
_MOST_SUBJECT_WORDS = 4


def _subject(text: str, terms: list[Term]) -> tuple[str, ...]:
    match = _EXPLAIN.fullmatch(text)
    if match is None or len(terms) > _MOST_SUBJECT_WORDS:
        return ()
    words = [word for word in words_of(match["thing"] or match["doer"]) if word not in _STOP]
    return tuple(stem(word) for word in words) if 0 < len(words) <= _MOST_SUBJECT_WORDS else ()


def _counted(words: list[str], terms: list[Term]) -> tuple[Term, ...]:
    for position, (first, second) in enumerate(pairwise(words)):
        if (first, second) == ("how", "many"):
            run: list[str] = []
            for word in words[position + 2 : position + 6]:
                if word in _STOP:
                    break
                run.append(stem(word))
            return tuple(term for term in terms if term.stem in run and not term.name)
    return ()


def _is_name(words: list[str], index: int) -> bool:
    word = words[index]
    if _LETTERS_AND_DIGITS.match(word) or (word.isupper() and len(word) > 1):
        return True
    if word[0].isdigit():
        return True
    return word[0].isupper() and index > 0


def _wanted(words: list[str]) -> tuple[Wanted, str]:
    """What is asked for, and the word after "how" where it is one of degree."""
    if not words:
        return Wanted.ANYTHING, ""
    found = set(words)
    if found & {"why"}:
        return Wanted.REASON, ""
    for position, word in enumerate(words[:-1]):
        following = words[position + 1]
        if word == "how" and following in ("many", "much"):
            rest = set(words[position + 2 :])
            money = following == "much" and rest & (_MONEY_WORDS | {"reimburse", "reimbursed", "owe", "earn"})
            return (Wanted.MONEY if money else Wanted.QUANTITY), ""
        if word == "how" and following in _DEGREES:
            return Wanted.QUANTITY, following
    if "who" in found or "whom" in found:
        return Wanted.PERSON, ""
    if "when" in words[:3]:
        return Wanted.TIME, ""
    if "where" in words[:3]:
        return Wanted.PLACE, ""
    if words[0] in ("what", "which") or words[0] in ("in", "at", "on", "by"):
        head = set(words[:6])
        if head & {"price", "cost", "salary", "wage", "fee", "revenue", "turnover", "profit", "budget"}:
            return Wanted.MONEY, ""
        if any(a in ("what", "which") and b in _TIME_WORDS for a, b in pairwise(words)):
            return Wanted.TIME, ""
        if any(a in ("what", "which") and b in _PLACE_WORDS for a, b in pairwise(words)):
            return Wanted.PLACE, ""
    if "cost" in found and "what" in found:
        return Wanted.MONEY, ""
    return Wanted.ANYTHING, ""


_FOLLOWS = re.compile(
    r"(?:and|or|but|also|then|what about|how about|what if|it|its|they|their|he|she|his|her|this|that|these|those)\b",
    re.IGNORECASE,
)
_REFERS = re.compile(r"\b(?:it|its|they|them|their|he|she|him|his|hers?|there|then|the same)\b", re.IGNORECASE)


def standalone(conversation: Sequence[Message]) -> str:
    """The last thing the user asked, with the question before it in front when it cannot be understood alone.

    "And for Level 2?" after "What is the response to Level 1?" takes over "What is the response to", not "Level 1".
    ``""`` when the user asked nothing.
    """
    asked = [" ".join(message.content.split()) for message in conversation if message.role == "user"]
    asked = [text for text in asked if text]
    if not asked or not conversation or conversation[-1].role not in ("user", "system"):
        return asked[-1][:MAX_QUESTION_CHARACTERS] if asked else ""
    last = asked[-1][:MAX_QUESTION_CHARACTERS]
    if len(asked) < 2 or not (_FOLLOWS.match(last) or _REFERS.search(last)):
        return last
    before, now = analyse(asked[-2]), analyse(last)
    if len(now.terms) > 4:
        return last
    kinds = {shape(term.stem) for term in now.terms if term.name}
    kept = asked[-2][:MAX_QUESTION_CHARACTERS]
    for term in sorted(before.terms, key=lambda term: -len(term.text)):
        if term.name and shape(term.stem) in kinds:
            kept = kept.replace(term.text, " ")
    return f"{kept} {last}"
