"""Does an end mark end the sentence? Decided from the word before it and the first word after it."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from aipk_core.text.abbreviations import words
from aipk_core.text.sentence_rules import LanguageRules

_OPENING: Final = "\"'“‘«‹„‚([{¿¡*_`~<「『（"
_LEADING: Final = "([•⁃‣▪●◦–—*+>#-"
_DOTTED: Final = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]{1,3}\Z")
_ENUMERATOR: Final = re.compile(r"[(\[]?(?:\d{1,3}(?:\.\d{1,2})*|[A-Za-z]|[ivxIVX]{1,5})\Z")
_ELIDED: Final = re.compile(r"\A(?:[ldLD]|[Qq]u|[Dd]all|[Dd]ell|[Nn]ell)['’](?=\w{2})")
_LABEL: Final = re.compile(r"(?:[A-Z]{0,3}|\+)\d|[B-HJ-Z](?![\w'’])")
_INITIAL: Final = re.compile(r"[^\W\d_]\.\Z")
_ROMAN: Final = re.compile(r"[IVXLC]{1,6}\Z")
_FACE: Final = re.compile(r"(?:[:;=][-'^]?[)(DPp\]*]+|<3|\^_?\^)(?!\S)")
_CONSONANTS: Final = re.compile(r"[b-df-hj-np-tv-xzßбвгджзйклмнпрстфхцчшщ]+\Z")
_ALPHABETS_END: Final = "\u0530"  # Latin, Greek and Cyrillic come before
_GLUED_LOWER: Final = re.compile(r"[a-z']{3,}(?=[ ,])")
_GLUED_WORD: Final = re.compile(r"[\"'“‘(]?(?:[A-Z][a-z']+|I|A)(?=[ ,])")

# Abbreviations that are ordinary words as well: before a word in lower case they end a sentence.
_WORDS_TOO: Final = words("no art fig app tab pub ed ex miss mass ill wash ore ref max min sun sat mar")
# Small words that introduce something: whatever follows belongs to them.
_ALWAYS_INNER: Final = words("eg ie cf viz vs approx incl excl esp resp bzw vgl ca sog env")
# Words after which a lone mark is a character that is spoken of: "a leading ! character", "= and ! in strings".
_BEFORE_SYMBOL: Final = words("and or a an the leading trailing symbol character sign use add with")
# "Figure 3. The ferry" and "Step 2. Wait." are one sentence: the number is a label.
_NUMBERED_THINGS: Final = words(
    "figure fig. table chapter section step part appendix example algorithm theorem lemma definition exhibit listing box "
    "rule question exercise problem article abbildung abb. tabelle kapitel schritt teil tableau étape chapitre figura "
    "tabla paso capítulo рисунок рис. таблица глава шаг"
)
# Times and eras, and the names that go on after them: "at 5 p.m. Monday", "9 a.m. EST", but "at 5 p.m. Ann left".
_HALVES_AND_ERAS: Final = words("a.m p.m b.c b.c.e c.e")
_AFTER_TIMES: Final = words(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june july august "
    "september october november december est edt cst cdt mst mdt pst pdt gmt utc cet bst eastern central pacific "
    "mountain greenwich local et ct mt pt"
)
# "Oh! she knows": before lower case the mark belongs to the word.
_INTERJECTIONS: Final = words("ah oh o alas lo hey ha aha wow hush ho eh")
# Things that are named by a letter: "Plan B. Then" ends a sentence, "John B. Then" does not.
_LETTERED: Final = words("plan type class vitamin appendix part section group grade step option hepatitis")


class Stop(NamedTuple):
    """An end mark followed by white space, and what stands around it.

    Attributes:
        before: up to 48 characters of the sentence before ``token``.
        token: what stands between the last white space and the mark; ``""`` after white space or inline code.
        marks: the end marks themselves: ``.``, ``?!``, ``. . .``.
        closers: closing quotes and brackets, and footnote numbers, after the marks.
        opener: opening quotes and brackets before ``word``.
        dash: the dash between the opener and ``word``, if there is one.
        word: the start of the word after the white space; ``""`` at the end of the text.
        first: ``token`` is the first thing in its sentence.
        label: the only word before ``token`` in its sentence, in lower case; ``""`` if there are none or several.
    """

    before: str
    token: str
    marks: str
    closers: str
    opener: str
    dash: str
    word: str
    first: bool
    label: str


def ends_sentence(stop: Stop, rules: LanguageRules) -> bool:
    """Whether the sentence ends after this mark and its closers."""
    word = stop.word
    if not word:
        return True
    if _FACE.match(word):
        return False
    if word[0] in ",;:)]}»›”/|&=" or (word[0] == "-" and word[:2] == "--"):
        return False
    lower = _is_lower(word)
    if (lower and stop.dash in ("–", "—")) or (stop.dash and lower and stop.closers):  # «Why?» — she asked
        return False
    mark = stop.marks[0]
    if "?" in stop.marks or "!" in stop.marks:
        return _after_exclamation(stop, lower)
    if mark not in ".…":
        return True
    if len(stop.marks) > 1 or mark == "…":
        return _after_ellipsis(stop, lower)
    labels = stop.closers in ("", ")") and (stop.first or stop.label in _NUMBERED_THINGS)
    if labels and _ENUMERATOR.match(stop.token.lstrip(_LEADING)):
        return False
    if stop.closers:
        return not lower
    return _after_full_stop(stop, lower, rules)


def ends_before_glued(before: str, marks: str, closers: str, after: str, rules: LanguageRules) -> bool:
    """Whether a sentence ends at a mark that no white space follows ("the end.The next")."""
    if ord(marks[0]) > 0x2100 or (marks[0] in "।॥۔" and after[0].isalpha()):
        return True
    if _is_wide(after[0]) and before and _is_wide(before[-1]):
        return not (closers and "가" <= after[0] <= "힣")  # a particle after a Korean quotation
    token = before.rsplit(None, 1)[-1] if before and not before[-1].isspace() else ""
    if not token.replace("'", "").replace("’", "").lstrip(_OPENING).isalpha() or len(token) < 2:
        return False
    if "?" in marks and _GLUED_LOWER.match(after):
        return True
    found = _GLUED_WORD.match(after)
    if not found:
        return False
    if marks != "." or closers:
        return True
    return token[-2:].islower() and _bare(found[0].lstrip(_OPENING)) in rules.starters


def _after_exclamation(stop: Stop, lower: bool) -> bool:
    if not lower:
        return True
    if stop.closers:
        return False
    if not stop.token and stop.before.rstrip().rpartition(" ")[2].lower() in _BEFORE_SYMBOL:
        return False
    if not stop.token and not stop.before.rstrip()[-1:].isalpha():
        return False
    if stop.marks == "!" and stop.token.lower().lstrip(_OPENING) in _INTERJECTIONS:
        return False
    # A name with its own mark: "at Yahoo! in the". At the start of a sentence it is an exclamation: "Great! now".
    named = stop.marks == "!" and stop.token[:1].isupper() and stop.token[1:].islower() and not stop.first
    return not named


def _after_ellipsis(stop: Stop, lower: bool) -> bool:
    if stop.token.endswith(("[", "(")) or (not stop.token and stop.word == "I"):
        return False
    return not lower and not (stop.word[0].isdigit())


def _after_full_stop(stop: Stop, lower: bool, rules: LanguageRules) -> bool:
    token = stop.token.lstrip(_OPENING)
    if not token:
        return True
    key = _key(stop.before, token, rules)
    word = stop.word
    starts = _bare(word) in rules.starters
    digit = word[0].isdigit()
    if key in rules.number and (_LABEL.match(word) or (_ROMAN.match(_letters(word)) and _letters(word) != "I")):
        return False
    if key in rules.title and not (lower and key in _WORDS_TOO):
        # "Rep. Smith" is a title, "our sales rep. She" is not.
        return token.islower() and key.isalpha() and word[0].isupper() and starts and key not in _ALWAYS_INNER
    if key in rules.final:
        return not lower and not stop.opener.startswith("(")
    if len(key) == 1 and key.isalpha():
        return _after_letter(stop, starts, lower)
    if key in _HALVES_AND_ERAS:
        phrase = len(stop.before.split()) < 4 and not starts  # "At 5 p.m. Ann left": nothing has been said yet
        return word[0].isupper() and _bare(word) not in _AFTER_TIMES and not phrase
    if key in rules.inner or _DOTTED.match(key):
        if lower:
            return key in _WORDS_TOO and not stop.before.rstrip()[-1:].isdigit()  # "20 min. or so": a unit
        if stop.dash in ("–", "—"):  # "WASHINGTON, D.C. — The senate"
            return False
        return starts and not digit
    if rules.ordinals and ((token.isdigit() and len(token) <= 2) or _ROMAN.match(token)):
        return starts and not lower
    if lower:
        if key in rules.number and key not in _WORDS_TOO:
            return False
        if key == "in" and stop.before.rstrip()[-1:].isdigit():  # "a 2 in. pipe"
            return False
        # Without a vowel it is an abbreviation that no list has: "Hs. de carrera", "sth. else"; but "HTML. then" is a
        # word. The lists of the other languages are shorter, so there a short word counts as an abbreviation too.
        if not key.isalpha() or token.isupper() or len(key) > 5 or key[0] >= _ALPHABETS_END:
            return True
        if not key[0].isascii() and word[0].isascii():  # "Это дом. kubectl": a name in another script starts a sentence
            return True
        return not _CONSONANTS.match(key) and (rules.informal or len(key) > 3)
    return True


def _after_letter(stop: Stop, starts: bool, lower: bool) -> bool:
    """ "E. Smith" is an initial; "you and I. Did" and "Plan B. The" end a sentence."""
    if lower or not starts or _INITIAL.match(stop.word):  # "А. С. Пушкин", where "С" is a preposition as well
        return False
    previous = stop.before.split()
    if not previous:
        return False
    last = previous[-1].strip("\"'“‘(")
    if last.lower() in _LETTERED:
        return True
    return last.islower() or not last[:1].isalpha()


def _key(before: str, token: str, rules: LanguageRules) -> str:
    """The form to look up: lower case, without an elided article, joined with the part before it in "z. B.", "и т. д."."""
    key = _ELIDED.sub("", token).lower().rpartition("(")[2]
    for ending in rules.compounds:
        if key.endswith(ending):
            return ending
    if len(key) > 2 or not before.endswith((". ", ".\u00a0", ".\u202f")):
        return key
    joined = before.rstrip().rpartition(" ")[2].lstrip(_OPENING).lower() + key
    return joined if joined in rules.known or _DOTTED.match(joined) else key


def _bare(word: str) -> str:
    return word.replace("’", "'").rstrip('.,;:!?)]}"”…').split("'")[0].lower()


def _letters(word: str) -> str:
    return word.rstrip(".,;:!?)]}\"'”")


def _is_lower(word: str) -> bool:
    return word[0].islower()


def _is_wide(character: str) -> bool:
    return "\u2e80" <= character <= "\ud7ff" or "\uf900" <= character <= "\ufaff" or character >= "\U00020000"
