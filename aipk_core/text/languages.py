"""Language tags, and a small honest guess at the language of a text."""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

from aipk_core.text.abbreviations import STARTERS, words

UNDETERMINED = "und"
"""The BCP 47 tag for a text whose language is not known."""

_SAMPLE = 4000
_TAG = re.compile(r"[A-Za-z]{2,8}(?:[-_][A-Za-z0-9]{1,8})*")
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_ISO_639_2: Final = {
    "eng": "en", "deu": "de", "ger": "de", "fra": "fr", "fre": "fr", "spa": "es", "rus": "ru", "kor": "ko",
    "zho": "zh", "chi": "zh", "jpn": "ja", "ara": "ar", "hin": "hi", "tha": "th", "ita": "it", "por": "pt",
    "nld": "nl", "dut": "nl", "pol": "pl", "cmn": "zh",
}  # fmt: skip

# Letters of one script stand for one language here; scripts that many languages share are told apart by small words.
_SCRIPTS: Final = (
    ("kana", re.compile(r"[\u3040-\u30ff\uff66-\uff9f]")),
    ("hangul", re.compile(r"[\uac00-\ud7a3\u1100-\u11ff]")),
    ("han", re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0002ffff]")),
    ("cyrillic", re.compile(r"[\u0400-\u04ff]")),
    ("arabic", re.compile(r"[\u0600-\u06ff]")),
    ("devanagari", re.compile(r"[\u0900-\u097f]")),
    ("thai", re.compile(r"[\u0e00-\u0e7f]")),
    ("latin", re.compile(r"[A-Za-z\u00c0-\u024f]")),
)
_LANGUAGE_OF: Final = {
    "hangul": "ko",
    "han": "zh",
    "kana": "ja",
    "cyrillic": "ru",
    "arabic": "ar",
    "devanagari": "hi",
    "thai": "th",
}
# A Han or kana character carries about as much text as three letters of an alphabet.
_WEIGHT: Final = {"kana": 3, "hangul": 2, "han": 3}

_SMALL_WORDS: Final[dict[str, frozenset[str]]] = {
    "en": words(
        "the of and to in is that it for was with be are not you this have from they which i had has does did would could my"
        " your we she what how about who when his her their been were into i'm i'd it's don't can't didn't isn't doesn't"
    ),
    "de": words(
        "der die das und ist nicht ein eine zu den mit sich von auf für dem werden wird auch sind im wurde wurden"
        " nach bei nur darf keine wie vor aus zur zum eines einer ohne"
    ),
    "fr": words("le la les des et est une par dans que pour qui pas sur au du ce il sont avec nous vous"),
    "es": words("el la los las fue y es una que del por con para se su lo como más pero sus está son"),
    "it": words("il di che è per un una non sono della del con gli nel alla dei più anche"),
    "pt": words("o os as um uma que não é do da em para com se dos por mais são ao na"),
    "nl": words("de het een en van is niet dat op te zijn met voor aan ook er wordt bij"),
    "pl": words("i w na z nie się jest do to że o jak dla od po są przez oraz"),
}


def primary_language(tag: str) -> str:
    """The two-letter language of a BCP 47 or ISO 639-2 tag in lower case: ``de`` of ``de-AT``; ``und`` if malformed."""
    if not _TAG.fullmatch(tag):
        return UNDETERMINED
    first = re.split(r"[-_]", tag, maxsplit=1)[0].lower()
    return _ISO_639_2.get(first, first)


def detect_language(text: str) -> str:
    """The likely language of ``text`` among those that this project has rules for; ``und`` when there is no evidence.

    Scripts used by one of these languages decide by themselves; the Latin languages are told apart by their most
    frequent words. Only the first 4,000 characters are looked at. Languages outside the list are not recognised:
    Ukrainian is reported as ``ru``, Persian as ``ar``, and an unknown Latin language as ``und``.
    """
    sample = text[:_SAMPLE]
    weights = {name: len(script.findall(sample)) * _WEIGHT.get(name, 1) for name, script in _SCRIPTS}
    if weights["kana"] * 10 >= weights["han"] and weights["kana"]:
        weights["kana"] += weights["han"]
        weights["han"] = 0
    script = max(weights, key=lambda name: weights[name])
    if not weights[script]:
        return UNDETERMINED
    return _latin_language(sample) if script == "latin" else _LANGUAGE_OF[script]


def _latin_language(sample: str) -> str:
    small_words = Counter(word.lower() for word in _WORD.findall(sample))
    scores = {
        language: sum(small_words[word] for word in small)
        + 0.25 * sum(small_words[word] for word in STARTERS[language] - small)
        for language, small in _SMALL_WORDS.items()
    }
    best = max(scores, key=lambda language: scores[language])
    # "as", "do" and "i" are words of several languages: one of them alone tells nothing in plain letters
    clues = sum(1 for word in small_words if word in _SMALL_WORDS[best])
    enough = clues >= (1 if best == "en" or not sample.isascii() else 2)
    return best if enough and scores[best] >= 1 else UNDETERMINED
