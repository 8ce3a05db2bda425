"""Says which checks could not be made in a language, so that silence is not taken for agreement."""

from __future__ import annotations

from collections.abc import Sequence

from aipk_core.verify.analysis import Analysis
from aipk_core.verify.lexicon import cues
from aipk_core.verify.parsing import parser_installed

_NAMES = {
    "ko": "Korean", "zh": "Chinese", "ja": "Japanese", "ru": "Russian", "de": "German", "fr": "French", "es": "Spanish",
    "ar": "Arabic", "hi": "Hindi", "en": "English",
}  # fmt: skip


def note_languages(
    statement: Analysis, claims: Sequence[Analysis], notes: dict[str, None], *, bridged: bool = False
) -> None:
    """Adds to ``notes`` what was not checked for this statement.

    Args:
        bridged: a multilingual embedder compares meanings across languages.
    """
    lang = statement.lang
    name = _NAMES.get(lang, lang)
    if lang != "en":
        notes[f"{name}: order, cause and word opposites are not checked; numbers, denials and identifiers are"] = None
    elif not parser_installed():
        notes["exchanged roles are not checked: spaCy's English model en_core_web_sm is not installed"] = None
    if lang not in cues.NEGATION:
        notes[f"{name}: denials are not checked"] = None
    others = {claim.lang for claim in claims} - {lang}
    if others:
        listed = ", ".join(sorted(_NAMES.get(other, other) for other in others))
        how = "meaning, numbers and denials only" if bridged else "words need a multilingual embedder"
        notes[f"statements in {name} were compared with claims in {listed}: {how}"] = None
