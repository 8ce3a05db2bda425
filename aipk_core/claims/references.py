"""Words whose meaning lies outside of their sentence: "it", "this", "in that case", "the example below".

The lists are closed and small, one for each language that they cover; a language without a list is said to be uncovered
rather than taken for clear.
"""

from __future__ import annotations

import re
from functools import lru_cache

from aipk_core.text.languages import UNDETERMINED, detect_language, primary_language

_OPENING = r"[\s(\[\"'“‘„«*]*"
_LINKERS = (
    r"(?:(?:however|therefore|thus|hence|also|instead|otherwise|similarly|additionally|furthermore|moreover|in addition|"
    r"for example|for instance|in general|generally|typically|usually|normally|by default|note that|note|note:|and|but|so|"
    r"importantly|notably|firstly|secondly|thirdly|first|second|third|finally|lastly|conversely|accordingly|consequently|"
    r"as a result|in fact|in practice|in particular|in short|currently|internally)[,:]?\s+)*"
)
_ENGLISH_START = re.compile(
    rf"{_OPENING}{_LINKERS}"
    r"(?:(?:it|its|they|their|them|he|she|his|her|such|both|otherwise|then|here|either|neither|there|one of (?:them|these)|"
    r"(?:all|any|some|most|each|none|both|either|neither|one|two|many) of (?:these|those|them|this|which))\b"
    r"|(?:this|that|these|those)\b"
    r"|(?:the (?:former|latter|above|following|same|other|others|preceding|previous)|another|an additional)\b"
    r"|the (?:two|three)(?= (?:are|serve|have|can|do|differ|behave|work|may|should|must)\b)"
    r"|(?:when|if|once|because|after|before|until|while|although|since|in|for|at|from|with|without|by|on|as|under|due to|"
    r"because of|instead of|except for|besides|beyond|based on|given|depending on|during)\s+"
    r"(?:(?:all|any|both|either|one|some|each|none)(?: of)?\s+)?(?:this|that|these|those|such|it|them|doing so)\b"
    r"|to (?:do|achieve|enable|avoid|use|prevent|change|allow|fix|solve|address|support|facilitate|mitigate|see|work around)\s+"
    r"(?:so|this|that|it|these|those|them)\b"
    r"|(?:if|when|where|unless) (?:absent|present|set|unset|not (?:set|specified|present|given|provided)|specified|omitted|"
    r"empty|true|false|enabled|disabled|so|not|needed|necessary|required|possible)\b"
    r"|(?:in|for|on|with|without|within|at|during|under|between|by|from|unlike|like|despite|besides|through|via)\b"
    r"(?:(?!\b(?:that|which|who|where|when|if|is|are|was|were|has|have|can|may|must|will)\b)(?:[^,.;:]|[.:](?=\d))){1,60}?,?\s"
    r"(?:they|it|this|these|those|he|she)\s+(?!(?:is|are) (?:possible|recommended|important|necessary|common)\b)(?=\w)"
    # an object that cannot be the subject again: "Two people can install it", "You can use this field"
    r"|(?:[\w'’-]+\s){1,5}(?:can|may|must|should|will|could|cannot|might|can also|may also|do not|does not)\s(?:not\s|also\s|only\s|then\s)?"
    r"[\w-]+\s(?:it|them|this|these|those)\b(?!\s(?:easy|easier|hard|harder|possible|impossible|clear|safe|simple|difficult)\b))",
    re.IGNORECASE,
)
_IMPERSONAL = re.compile(
    rf"{_OPENING}{_LINKERS}(?:it(?: is|['’]s| can be| may be| might be| will be) (?:\w+ly )?(?:possible|impossible|recommended|important|"
    r"necessary|advisable|common|safe|useful|best|good|not (?:possible|recommended|necessary))\b"
    r"|there (?:is|are|was|were|exists?) (?:no|an?|two|three|four|five|several|many|some|multiple|various|different|currently)\b"
    r"|(?:at|since|from|until|as of|for|in|during) this (?:time|point|year|month|week|release|version)\b"
    r"|both\s+(?:the\s+)?[\w-]+(?:\s+[\w-]+){0,3}\s+and\b|(?:n?either)\s+(?:the\s+)?[\w-]+(?:\s+[\w-]+){0,3}\s+n?or\b"
    r"|such (?:as)\b|that (?:is|said)\b)",
    re.IGNORECASE,
)
_CLAUSE_END = re.compile(r"[,;:]|\b(?:that|because|so|when|if|while|but|and)\b")
_DEMONSTRATIVE = re.compile(
    r"(?<=\s)(?:this|these|those)\s(?!(?:is|are|was|were|who|that|which|with|of|in|can|may|must|time|point|way|case)\b)(?P<noun>[\w-]+)",
    re.IGNORECASE,
)
_STARTS = {
    "en": _ENGLISH_START,
    "de": re.compile(
        rf"{_OPENING}(?:es|er|sie|dies\w*|jene\w*|ihr\w*|sein\w*|solche\w*|beide\w*|dort|hier|dann|dabei|dadurch|dafür|damit|"
        r"danach|deshalb|daher|(?:in|bei|nach|vor|mit|wenn|falls|für) (?:dies\w*|jene\w*|solche\w*))\b(?!\s+(?:ist|sind) möglich)",
        re.IGNORECASE,
    ),
    "ru": re.compile(
        rf"{_OPENING}(?:он|она|оно|они|это\w*|эт[аиу]\w*|его|её|ее|их|так\w+|тогда|здесь|там|(?:в|при|для|после|если|когда) эт\w+)\b",
        re.IGNORECASE,
    ),
    "zh": re.compile(rf"{_OPENING}(?:它|它们|他|她|他们|这|这些|那|那些|该|此|此外|其|这样|上述|以上)"),
    "ja": re.compile(rf"{_OPENING}(?:これ|それ|あれ|この|その|あの|ここ|そこ|彼|彼女|同|上記|前述)"),
    "ko": re.compile(
        rf"{_OPENING}(?:이는|이것|그것|이들|그들|이러한|그러한|이런|그런|이로|여기|거기|이때|그는|그녀|해당|위의|이를|그\s|이\s)"
    ),
}
_PLACE = {
    "en": re.compile(
        r"\b(?:(?:in|from|using|with|for) (?:this|the(?: (?:following|previous|preceding|above|next|given|same))?) (?:example|examples|diagram|figure|"
        r"illustration|snippet|manifest|listing|output|scenario|tutorial|exercise)s?\b"
        r"|(?:this|these|the (?:following|previous|preceding|above|next)) (?:example|page|section|document|guide|tutorial|task|topic|"
        r"diagram|figure|table|list|manifest|command|snippet|listing|output|checklist|article|chapter|code|sample|YAML)s?\b"
        r"|the (?:first|second|third|last|next|following|above) (?:example|command|line|snippet|output|manifest)|the (?:following|above)|the output (?:shows|is|looks|displays|will)|(?:your|the) output (?:should|will|may)"
        r"|(?:examples?|table|list|diagram|figure|section|manifest|command|output|steps?|procedure|snippet|code|rules?|settings?|"
        r"configuration|shown|described|listed|mentioned|discussed|explained|given|outlined|defined|see|seen|specified|noted) "
        r"(?:above|below)\b|\b(?:above|below)(?=[.,;:)!]|$)(?<!\d below)(?<!\d above)|^(?:as )?(?:above|below),)",
        re.IGNORECASE,
    ),
    "de": re.compile(
        r"\b(?:in diesem (?:beispiel|abschnitt|kapitel|dokument)|auf dieser seite|wie (?:oben|unten)|(?:siehe )?(?:oben|unten)(?=[.,;:)]|$)|"
        r"(?:folgende\w*|obige\w*|nachstehende\w*|vorstehende\w*) (?:beispiel|tabelle|liste|abbildung|abschnitt)\w*)\b",
        re.IGNORECASE,
    ),
    "ru": re.compile(r"\b(?:в этом (?:примере|разделе|документе)|на этой странице|(?:см\. )?(?:выше|ниже)(?=[.,;:)]|$))", re.IGNORECASE),
    "zh": re.compile(r"(?:本|此|下|上)(?:例|页|节|文|图|表)(?:中|所)?|如(?:上|下)(?:所示|图|表)|以下(?:示例|例子|命令)"),
    "ja": re.compile(r"(?:この|次の|上の|下の|以下の|上記の)(?:例|ページ|節|図|表|コマンド|セクション)"),
    "ko": re.compile(r"(?:이|다음|위|아래)의?\s?(?:예제|예시|예|페이지|절|그림|표|명령)"),
}  # fmt: skip


def rule_language(lang: str, text: str) -> str:
    """The language whose word lists apply to ``text``; where nobody could tell, that of its script, or English."""
    primary = primary_language(lang)
    if primary != UNDETERMINED:
        return primary
    return "en" if text.isascii() or (found := detect_language(text)) == UNDETERMINED else found


def covers_references(lang: str) -> bool:
    """Whether words that point elsewhere are known in ``lang``."""
    return primary_language(lang) in _STARTS


@lru_cache(maxsize=20_000)
def points_back(text: str, lang: str = "en") -> str:
    """The words at the start of a sentence that mean something said before it ("It", "If this"); ``""`` if there are none."""
    pattern = _STARTS.get(rule_language(lang, text))
    match = pattern.match(text) if pattern else None
    if pattern is _ENGLISH_START and (match is None or _IMPERSONAL.match(text)):
        return _unnamed(text)
    if match is None:
        return ""
    return match.group().strip(" ([\"'“‘„«*")


def _unnamed(text: str) -> str:
    """ "these requests" in the first clause of a sentence that names no requests before."""
    clause = _CLAUSE_END.split(text, maxsplit=1)[0]
    for match in _DEMONSTRATIVE.finditer(clause):
        noun = match["noun"].casefold().rstrip("s")
        if noun not in clause[: match.start()].casefold():
            return match.group()
    return ""


def points_at_its_page(text: str, lang: str = "en") -> str:
    """Words that mean something that stands beside the sentence on its page ("in this example"); ``""`` if none."""
    pattern = _PLACE.get(rule_language(lang, text))
    match = pattern.search(text) if pattern else None
    return match.group().strip() if match else ""
