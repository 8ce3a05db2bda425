"""Which sentences, list items and table cells state a fact, and why the others do not.

The rules are closed word lists and the shape of the text: cheap enough for a hundred thousand sentences, and the same
text always gets the same answer. They are fullest for English; in other languages they ask for less and leave out less.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from aipk_core.claims.references import rule_language

TERMINAL = (".", "!", "。", "！", "．", "।", "۔", ".)", ".”", '."', ".’", "!)", "。」", "。）")
_QUESTION = ("?", "？", "؟", "?)", '?"', "?”", "？」")
_WORD = re.compile(r"\w+")
# Each character of these scripts counts as half a word: they are written without spaces.
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\u0e00-\u0e7f]")
_EMPTY_VALUES = frozenset({"-", "–", "—", "n/a", "na", "…", "...", "?", "tbd"})


@dataclass(frozen=True, slots=True)
class Candidate:
    """A piece of text that may become a claim.

    Attributes:
        form: ``prose``, ``item`` or ``cell``.
        context: headings, lead-in, term, row and column names, outermost first.
        lead: the sentence that introduces the list, or the term that the text defines; ``""`` if none.
        code: whether the whole text is inline code.
    """

    text: str
    form: str
    lang: str
    context: tuple[str, ...] = ()
    lead: str = ""
    code: bool = False

    @property
    def complete(self) -> bool:
        """Whether it ends like a sentence."""
        return self.text.endswith(TERMINAL)


def why_left_out(candidate: Candidate, *, min_words: int, max_characters: int) -> str:
    """Why the text is no claim: ``question``, ``navigation``, ``instruction``, ``fragment``, ``introduction``, ``code``,
    ``empty``, ``length``; ``""`` when it states something."""
    text = candidate.text
    if len(text) > max_characters:
        return "length"
    if text.endswith(_QUESTION):
        return "question"
    if text.endswith((":", "：")):
        return "introduction"
    if not any(character.isalnum() for character in text):
        return "empty"
    if candidate.form == "cell":
        empty = text.casefold() in _EMPTY_VALUES or not candidate.context
        return "empty" if empty else "navigation" if _NAVIGATION.match(text) and candidate.complete else ""
    if word_count(text) < min_words and not label_of(text):
        return "fragment"
    if candidate.code:
        return "code"
    if _NAVIGATION.match(text) or _LEADS_ELSEWHERE.search(text) or _is_list_of_links(candidate):
        return "navigation"
    if _INSTRUCTION.match(text):
        return "instruction"
    return "fragment" if _is_fragment(candidate) else ""


def word_count(text: str) -> int:
    """Words, where a character of an unspaced script counts as half a word."""
    unspaced = len(_UNSPACED.findall(text))
    return len(_WORD.findall(_UNSPACED.sub(" ", text))) + unspaced // 2


def label_of(text: str) -> str:
    """The label that an item starts with ("Response" of "Response: …", "err" of "err - error string"); ``""`` if none."""
    match = _LABEL.match(text)
    if match is None or word_count(match["label"]) > 6 or _NO_LABEL.fullmatch(match["label"]):
        return ""
    return match["label"]


def is_navigation_heading(heading: str) -> bool:
    """Whether what stands under ``heading`` leads elsewhere ("What's next", "See also")."""
    return _NAVIGATION_HEADING.fullmatch(heading.strip().rstrip(":")) is not None


def is_notice_heading(heading: str) -> bool:
    """Whether ``heading`` only says what kind of notice follows ("Note:", "Caution")."""
    return heading.strip().rstrip(":：").casefold() in _NOTICES


def leans_on_heading(text: str, lang: str) -> bool:
    """Whether a whole sentence says of something unnamed that a heading names: "The default value is 10.", "Scores all
    placements.", "A component that runs on each node.\""""
    if rule_language(lang, text) != "en":
        return False
    named = _GENERIC_SUBJECT.match(text) is None and _NO_SUBJECT.match(text) is None
    return not named or not (_AUXILIARY.search(text) or _VERB_SHAPE.search(text) or word_count(text) > 12)


_LABEL = re.compile(r"(?P<label>[^\s:：.!?][^:：.!?\n]{0,60}?)(?::\s|：\s?|\s[-–—]\s)(?=\S)")
_NO_LABEL = re.compile(r"(?:(?:for )?examples?|e\.g|i\.e|that is|in short|in summary|z\. ?B|例如|例)\.?", re.IGNORECASE)
_NOTICES = frozenset(
    [
        "note",
        "notes",
        "caution",
        "warning",
        "tip",
        "tips",
        "important",
        "info",
        "information",
        "attention",
        "danger",
        "hint",
        "notice",
        "hinweis",
        "achtung",
        "warnung",
        "wichtig",
        "примечание",
        "внимание",
        "важно",
        "предупреждение",
        "注意",
        "注",
        "警告",
        "提示",
        "備考",
        "참고",
        "주의",
        "경고",
        "중요",
        "메모",
    ]
)
_NAVIGATION_HEADING = re.compile(
    r"what(?:['’]s| is) next|next steps?|see also|further reading|(?:additional |more |related |external )?(?:resources|links|"
    r"reading|references|topics|documentation|information)|learn more|where to go (?:next|from here)|related|"
    r"table of contents|contents|in this (?:page|section|guide)|siehe auch|weiterführendes|nächste schritte|что дальше|смотрите также|"
    r"см\. также|下一步|接下来|接下來|另请参阅|相关链接|次の項目|関連項目|다음 내용|참고 자료|관련 문서",
    re.IGNORECASE,
)
_MORE = r"(?:more|further|additional|details?|learn|find|see|get|read|know|understand|view|an? (?:example|overview|introduction|list)|other|a (?:complete|full|larger|longer)|the (?:full|complete|exact))"
_LOOK = r"(?:see|refer to|read|check(?: out)?|visit|consult|take a look at|have a look at|look at|learn|view|follow|go to|browse|start (?:with|by)|explore|review)"
_NAVIGATION = re.compile(
    r"[\s(\[\"'“]*(?:(?:note|tip|note that|also|please|next|then|finally|first|for now|optionally|alternatively|otherwise|instead|again|for example|as an example|for instance)[,:]?\s+)*(?:"
    r"(?:see|refer to|read (?:about|more|the|how|on|our|further|through)|check out|visit|consult|click|learn|browse|go to|jump to|follow (?:the|this|these|our|along)|"
    r"continue (?:to|with|reading)|return to|find out|find (?:more|details|out)|take a look|have a look|look at|look into|get hands-on|get started|get (?:more|an|details)|"
    r"(?:read|review|study)\b[^.]{0,80}\bto (?:learn|understand|find|see)|familiarity with\b[^.]{0,80}(?:suggested|recommended|assumed|required)|"
    r"dive|discover|explore|watch|try out|join|contact|subscribe|sign up|more (?:info|information|details)|"
    r"(?:full|further|additional|detailed|more) (?:details|information|instructions|reading|documentation)|details (?:on|about|of|are|can))\b|"
    rf"(?:for|to) {_MORE}\b[^.]{{0,160}}?\b{_LOOK}\b|"
    rf"(?:if you|when you|once you)\b[^.]{{0,120}}?,\s(?:please |you (?:can|may|should|might) )?(?:also )?{_LOOK}\b|"
    r"for\b[^.]{0,160}?,\s(?:please )?(?:see|refer to|consult|visit|check out|read)\b|"
    rf"in (?:order )?to {_MORE}\b[^.]{{0,120}}?\b{_LOOK}\b|"
    r"(?:this|the following|the next|the rest of this|the remaining|these|the previous|that) (?:page|section|document|guide|tutorial|topic|task|table|"
    r"article|list|chapter|reference|checklist|overview|walkthrough|post|diagram|figure|example|examples|steps?|sub-?section)s?\b(?! (?:is|are) (?:not )?(?:deprecated|removed|stable|beta|alpha))|"
    r"in (?:this|the following|the next) (?:page|section|document|guide|tutorial|task|article|chapter|example)s?\b|on this page\b|"
    r"(?:figure|fig\.|table|listing|abbildung|tabelle|рис\.|таблица|图|表|図|그림|표)\s?\d+|"
    r"(?:here is|here are|here['’]s|below is|below are|above is)\b|"
    r"you (?:can|may|should|might|could|will) (?:also )?(?:read|find|learn|see|refer to|consult|check out|visit|want to (?:read|see|learn)|be interested in)\b(?: (?:more|about|how|the|also|our|further|additional|examples?))?|"
    r"(?:other|several|the following|these) (?:pages|sections|guides|documents|articles|tutorials)\b|(?:information|documentation|instructions|examples?)\b[^.]{0,120}\b(?:can|may) be found\b|"
    r"(?:is|are) (?:described|documented|explained|covered|discussed) (?:in|on|at)\b|"
    r"(?:siehe|weitere informationen|mehr dazu|lesen sie|einzelheiten)\b|(?:см\.|подробнее|смотрите|дополнительн\w+ информац\w+)\s|"
    r"(?:有关|关于|如需|要了解|请参阅|参见|请参考|詳細は|詳しくは|参照|자세한|더 알아보|참고하))",
    re.IGNORECASE,
)  # fmt: skip
_LEADS_ELSEWHERE = re.compile(
    r"^[^.,;:]{0,80}\b(?:has|have|provides?|contains?|gives?|offers?) (?:the |some )?(?:instructions|details|documentation|more (?:detail|details|information)|"
    r"further (?:details|information)) (?:on|about|for|of|in)\b|\b(?:is|are) (?:described|documented|explained|covered|discussed) (?:in|on|at) "
    r"(?:the|this|our|their) (?:[\w-]+ ){0,2}(?:documentation|docs|guide|page|section|reference|tutorial)\b"
    r"|\b(?:described|documented|explained|covered|discussed|shown|listed) (?:in (?:more |greater )?detail )?(?:below|above|later|in the (?:next|following))\b",
    re.IGNORECASE,
)
_INSTRUCTION = re.compile(
    r"(?:now |next,? |then |first,? |finally,? |optionally,? |again,? |please )?"
    r"(?:run|type|enter|open|press|select|choose|create|install|download|copy|paste|save|edit|apply|delete|verify|"
    r"wait|try|repeat|make sure|ensure|execute|start by|use the following|imagine|suppose|assume|consider|let['’]s|let us|recall|"
    r"remember|keep in mind|bear in mind|think of)\b(?![-:/])",
    re.IGNORECASE,
)
_AUXILIARY = re.compile(
    r"\b(?:is|are|was|were|am|has|have|had|does|do|did|can|could|may|might|must|shall|should|will|would|cannot|needs?|"
    r"isn|aren|doesn|don|gets?|makes?|means?|lets?|goes|becomes?|seems?)\b|n['’]t\b|\b(?:it|there|that|what|here)['’]s\b|\b\w+['’](?:re|ll|ve)\b",
)
_FINITE = {
    "de": re.compile(
        r"\b(?:ist|sind|war|waren|hat|haben|hatte\w*|wird|werden|wurde\w*|kann|können|muss|müssen|darf|dürfen|soll\w*|will|wollen|"
        r"[a-zäöüß]{2,}(?:t|en|te|ten|e))\b"
    ),
    "ko": re.compile(r"(?:다|요|까|음|함|임|됨|죠|네)[.!)”\"]*$|[:：]"),
}
_VERB_SHAPE = re.compile(r"(?<![\w-])[a-z]{2,}(?:[^su\W]s|es|ed)(?![\w-])")
_NOUN_PHRASE = re.compile(
    r"(?:an?|one|the|another|each|some)\s(?P<head>(?:(?!\b(?:that|which|who|where|whose|used|for|of|with|responsible|in|to|from|by|when)\b)[^,.;:()]){2,80}?)\s"
    r"(?P<tail>that|which|who|where|whose|used|responsible|for|of|with|in|to|from|by|when)\b(?P<rest>.*)",
    re.IGNORECASE,
)
_CUT_START = re.compile(
    r"[\s(\[]*(?:and|or|but|nor|which|that|whose|where|by|with|of|to|from|for)\b|[a-z]+ed (?:by|in|at|on|from|with|for|to)\b"
)
_GERUND = re.compile(r"[A-Z][a-z]+ing\b")
_GENERIC_SUBJECT = re.compile(
    r"(?:by default,? |currently,? |(?:usually|typically|generally|normally),? |if \w+(?: \w+){0,3}, )?(?:the|its|a|any|each|every|all|no|multiple|possible|valid|allowed|supported|accepted) "
    r"(?:default|default value|value|values|field|fields|option|options|setting|settings|parameter|flag|name|names|number|type|format|list|key|feature|"
    r"minimum|maximum|limit|version|status|object|resource|command|plugin|plugins|driver|component|mechanism|behaviou?r|effect|result|reason|purpose|"
    r"order|rule|rules|process|method|operation|action|request|response|string|entry|entries|file|directory|size|mode|keys)\s"
    r"(?:is|are|was|were|must|may|can|can(?:not|['’]t)|should|will|has|have|does|do|defaults?|specif(?:y|ies)|contains?|includes?|applies|appl(?:y|ies)|means|allows?|gets?|takes?)\b",
    re.IGNORECASE,
)  # fmt: skip
_NO_SUBJECT = re.compile(
    r"(?:[A-Z][a-z]+(?<!ss)s (?:the|a|an|all|any|each|every|no|whether|its)\b"
    r"|(?:Defaults|Applies|Refers|Corresponds|Must|May|Can|Cannot|Should|Will|Is|Are|Has|Does|Optional|Required|Deprecated|Equivalent)\b)"
)


_NAMED_SAYS = re.compile(
    r"[A-Z][A-Za-z0-9]*[a-z][A-Z][A-Za-z0-9]*\s(?:is|are|was|were|has|have|can|may|must|will|contains|describes|represents|defines|specifies|"
    r"holds|provides|selects|identifies|indicates|references|records|wraps|adds|controls|allows|stores|maps|keeps|captures|embeds|"
    r"encapsulates|determines|configures|tracks|matches|maintains|enables|exposes|implements|returns)\s\w+(?:\W+\w+){3,}\Z"
)
"""``PodTemplate describes a template for creating copies of a predefined pod``: reference pages leave the full stop out."""


def _is_list_of_links(candidate: Candidate) -> bool:
    """Items under "What's next", and those after "Learn about:" that are no sentences."""
    if candidate.form != "item":
        return False
    under = any(is_navigation_heading(heading) for heading in candidate.context[-2:])
    return under or (_NAVIGATION.match(candidate.lead) is not None and not candidate.complete)


def _is_fragment(candidate: Candidate) -> bool:
    language = rule_language(candidate.lang, candidate.text)
    text = candidate.text
    if candidate.form == "prose" and not candidate.complete:
        # a paragraph without a full stop is a label, a caption or a cut sentence, unless a named thing says what it is
        return language != "en" or _NAMED_SAYS.match(text) is None
    if candidate.form == "item" and not candidate.complete:
        if candidate.lead or label_of(text):
            return False  # the introduction or the label makes a statement of it
        # a title in a list of titles ends in plurals that look like verbs, so only helping verbs count here
        return not (_AUXILIARY.search(text) if language == "en" else _has_verb(text, language))
    if (candidate.lead and candidate.form == "item") or label_of(text):
        return False
    if language == "en" and (_CUT_START.match(text) or _is_noun_phrase(text)):
        return True
    return not _has_verb(text, language)


def _has_verb(text: str, language: str) -> bool:
    """Whether a finite verb may be there; in languages without a list the answer is yes."""
    if language == "en":
        if _AUXILIARY.search(text):
            return True
        if _GERUND.match(text):  # of "Using the extended name", "extended" is no verb
            return any(not match[0].endswith("ed") for match in _VERB_SHAPE.finditer(text))
        return _VERB_SHAPE.search(text) is not None or word_count(text) > 6
    pattern = _FINITE.get(language)
    return pattern is None or pattern.search(text) is not None


def _is_noun_phrase(text: str) -> bool:
    """ "A component that runs on each node.": a thing with a relative clause, and nothing said of it."""
    match = _NOUN_PHRASE.match(text)
    if match is None or match["head"].split()[0].casefold() in ("following",):
        return False
    if _AUXILIARY.search(match["head"]) or _VERB_SHAPE.search(match["head"]):
        return False
    rest = match["rest"]
    helpers = len(_AUXILIARY.findall(rest))
    if match["tail"].casefold() in ("that", "which", "who", "where", "whose"):
        # the relative clause has a verb of its own; of verbs by their shape alone, plurals cannot be told apart
        inside = _AUXILIARY.match(rest.strip()) is not None
        return helpers + len(_VERB_SHAPE.findall(rest)) <= 1 or (helpers == 0 and not inside)
    return helpers + len(_VERB_SHAPE.findall(rest)) == 0


def joined_context(parts: Sequence[str]) -> tuple[str, ...]:
    """The parts that name something, without headings that only say what kind of notice follows."""
    return tuple(part for part in parts if part and not is_notice_heading(part))
