"""Facts about writing systems that decide how lines are joined and which way text runs."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

# Han, kana, bopomofo, their punctuation and full-width forms: written without spaces between words.
_SPACELESS = re.compile(
    "[\u1100-\u11ff\u2e80-\u303f\u3040-\u30ff\u3100-\u312f\u31a0-\u31bf\u31f0-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\ufe30-\ufe4f\uff00-\uffef\U00020000-\U0003ffff]"
)
_THAI_LIKE = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")
_HANGUL = re.compile("[\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff]")
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]")


def is_spaceless(character: str) -> bool:
    """Whether two lines that meet at this character (Chinese, Japanese) are joined without a space."""
    return bool(_SPACELESS.match(character)) and not _HANGUL.match(character)


def is_hangul(character: str) -> bool:
    return bool(_HANGUL.match(character))


def is_right_to_left(character: str) -> bool:
    return bool(_RIGHT_TO_LEFT.match(character))


def line_joint(before: str, after: str) -> str:
    """What stands between the last character of a line and the first of the next: a space, or nothing."""
    if is_spaceless(before) and is_spaceless(after):
        return ""
    if _THAI_LIKE.match(before) and _THAI_LIKE.match(after):
        return ""
    return " "


@dataclass(slots=True)
class SpacingHabits:
    """How a text in a script without spaces treats the places where authors differ, learnt from inside its lines.

    Some put a space between Chinese and Latin words, most do not; after an ASCII comma between Chinese words likewise.
    """

    latin_spaced: int = 0
    latin_glued: int = 0
    comma_spaced: int = 0
    comma_glued: int = 0

    def learn(self, line: str) -> None:
        if line.isascii() or not any(is_spaceless(character) for character in line[:200]):
            return
        self.latin_spaced += len(_LATIN_SPACED.findall(line))
        self.latin_glued += len(_LATIN_GLUED.findall(line))
        self.comma_spaced += len(_COMMA_SPACED.findall(line))
        self.comma_glued += len(_COMMA_GLUED.findall(line))

    def joint(self, text: str, after: str) -> str:
        """What stands between the line ``text`` and the line ``after``, both not empty: a space, or nothing."""
        last, first = text[-1], after[0]
        if is_spaceless(last) != is_spaceless(first):
            script, other = (last, first) if is_spaceless(last) else (first, last)
            if other in ",.;:!?)]%" and len(text) > 1 and is_spaceless(first) and is_spaceless(text[-2]):
                return " " if self.comma_spaced > self.comma_glued else ""
            if other.isalnum() and unicodedata.category(script).startswith("L") and not is_hangul(other):
                return " " if self.latin_spaced > self.latin_glued else ""
            if not unicodedata.category(script).startswith("L") and not is_hangul(other):
                return ""  # full-width punctuation brings its own space
        return line_joint(last, first)


_HAN = "[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]"
_LATIN_SPACED = re.compile(f"{_HAN} [A-Za-z0-9]|[A-Za-z0-9] {_HAN}")
_LATIN_GLUED = re.compile(f"{_HAN}[A-Za-z0-9]|[A-Za-z0-9]{_HAN}")
_COMMA_SPACED = re.compile(f"{_HAN}[,;:.!?] {_HAN}")
_COMMA_GLUED = re.compile(f"{_HAN}[,;:.!?]{_HAN}")


def dominant_language(text: str, default: str = "en", *, encoding: str = "") -> str:
    """A BCP 47 tag where the script alone decides it, ``default`` otherwise; looks at the first 20,000 characters.

    Args:
        encoding: the legacy encoding the text came in, which tells Japanese without kana from Chinese.
    """
    counts: dict[str, int] = {}
    for character in text[:20_000]:
        if character.isalpha():
            name = _language_of_script(character)
            # A Chinese or Korean character says as much as several letters.
            counts[name] = counts.get(name, 0) + _WEIGHTS.get(name, 1)
    total = sum(counts.values())
    if not total:
        return default
    if counts.get("ja", 0) * 12 > total or (encoding in _JAPANESE_ENCODINGS and "zh" in counts):
        return "ja"
    best = max(counts, key=lambda name: counts[name])
    if counts[best] * 3 < total or not best:
        return default
    # A script that the default language is written in says nothing against it.
    return default if best == _language_of_script_tag(default) else best


_SCRIPT_LANGUAGES = (
    ("HIRAGANA", "ja"),
    ("KATAKANA", "ja"),
    ("CJK", "zh"),
    ("HANGUL", "ko"),
    ("ARABIC", "ar"),
    ("HEBREW", "he"),
    ("THAI", "th"),
    ("DEVANAGARI", "hi"),
    ("GREEK", "el"),
    ("CYRILLIC", "ru"),
)
_WEIGHTS = {"zh": 4, "ja": 3, "ko": 2}
_JAPANESE_ENCODINGS = frozenset({"cp932", "euc_jp", "iso2022_jp", "shift_jis"})
_SAME_SCRIPT = {
    "uk": "ru",
    "bg": "ru",
    "sr": "ru",
    "be": "ru",
    "mk": "ru",
    "fa": "ar",
    "ur": "ar",
    "mr": "hi",
    "ne": "hi",
}


def _language_of_script(character: str) -> str:
    if character < "\u0370":
        return ""
    name = unicodedata.name(character, "")
    return next((language for script, language in _SCRIPT_LANGUAGES if name.startswith(script)), "")


def _language_of_script_tag(tag: str) -> str:
    primary = tag.split("-", 1)[0].lower()
    return _SAME_SCRIPT.get(primary, primary)
