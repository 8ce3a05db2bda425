"""Words that carry logic: negation, permission and duty, quantifiers, order, cause, condition; patterns by language."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from aipk_core.verify.vocabulary import bare_words, lacks

_I = re.IGNORECASE

# Read as plain text before negations are counted: they look negative and are not.
PSEUDO_NEGATION = re.compile(
    r"^\W*(?:no|nope)\s?,(?=\s)|(?<=,\s)not even\b|\bnot only\b|\b(?:no(?: \w+| one)?|nobody|none)\b(?=[^,;.:]{0,20}\b(?:under|below|over|above|younger|older)\b(?: than)?(?: the age of| age)? \d)"
    r"|\bnot merely\b|\bnot just\b|\bno(?:ne)? other than\b|\bno\.?\s(?=\d|[A-Z]{1,4}-?\d)|\bno (?:more|later|less|fewer|longer|earlier|greater|higher|lower|further|sooner) than\b"
    r"|\bnot (?:more|less|later|longer|earlier|greater|higher|fewer|lower) than\b|\b(?:(?:must|may|can|shall|should|will)\s?)?(?:not?|never|cannot|can't|neither)\b(?=[\w\s,']{0,40}\bexceeds?\b)"
    r"|\b(?:not?|never|cannot)\b(?=[\w\s]{0,12}\b(?:(?:fall|drop|go|sink)s? below|more than|less than|fewer than|longer than|be (?:above|below|under|over)))"
    r"|\b(?:no|not|never|nobody|none|neither|cannot|nothing)\b(?=[^,;.:]{0,50}\b(?:more|less|fewer|longer|later|higher|lower|greater|larger|earlier|heavier|older|younger) than\s+(?:\d|[a-z]+teen|one|two|three|four|five|six|seven|eight|nine|ten|twel|twen|thir|for|fif|an? (?:hour|day|week|month|year|dozen)))"
    r"|\bwhether(?: or not)?\b|\bor not\b|\bwith or without\b|\bno matter\b|\bregardless\b|\bnothing but\b|\bnot least\b|\bno doubt\b|\bno less often than\b|\bnot to mention\b"
    r"|\bwithout (?:undue )?(?:delay|limit|exception|fail|manual action)\b|\bwithout changing anything\b"
    r"|\bnicht nur\b|\bnicht (?:mehr|weniger|länger|später|früher) als\b|\bне только\b|\bне (?:более|менее|позднее|позже|больше|меньше)\b|不仅|不但|不超过|不得超过|不少于|不低于|뿐만 아니라|だけで(?:は)?なく|かま(?:い)?ません|構いません|かまわない|構わない|かもしれません|かもしれない",
    _I,
)
HEDGE = re.compile(
    r"\b(?:i\s?['’]?\s?a?m not (?:really |too |entirely |quite |totally )?sure(?: (?:about|when|who|what|how|if|why|where|which|of)\b[^,.;]{0,60}?)?\s?,?(?=\s?but|\s?,|\s?\.)|i (?:do not|don\s?['’]\s?t) (?:really )?know(?: (?:about|when|who|what|how|if|why|where|much)\b[^,.;]{0,60}?)?\s?,?(?=\s?but|\s?,|\s?\.))(?:\s?,?\s*but(?: i (?:do )?know(?: that)?)?)?"
    r"|\bi (?:do )?(?:know|think|believe|guess|heard|hear)(?: that)?\b"
    r"|\b(?:according to|going by|as far as|from what|based on|judging by) (?:the |our |your |this |these )?[\w-]*\s?(?:handbook|documents?|documentation|notes?|sheet|data table|table|procedure|lease|agreement|contract|manual|guide|text|sources?|claims?|records?|report|policy|page|release notes)(?: (?:says?|tells?|goes|states?|shows?|suggests?|indicates?)(?: us)?)?\s*,?"
    r"|\b(?:it|there) (?:appears?|seems?)(?: to be)?(?: that)?\b|\b(?:the|our) (?:documents?|notes?|sources?|documentation|handbook|manual) (?:suggests?|indicates?|says?|states?|shows?)(?: that)?\b"
    r"|\b(?:apparently|reportedly|presumably|evidently|seemingly|supposedly|it is said that|as it were|in fact|of course|indeed|basically|essentially)\b,?",
    _I,
)
"""Words that say how sure the speaker is, and nothing about the matter."""
NEGATION = {
    "en": re.compile(
        r"\b(?:no longer|not|never|no|none|nobody|nothing|neither|nor|cannot|without|nowhere|hardly|lacks?|lacking|devoid)\b|n['’]t\b|\b(?:have|has|had|is|are|was|were) yet to\b|\bhands off\b"
        r"|\b(?:keep|keeps|kept|stay|stays|stayed|steer|steers) (?:off|away|out|clear)\b"
        r"|\b(?:fails?|failed|refuses?|refused|ceases?|ceased|stops?|stopped) to\b|\bfree (?:of|from)\b(?! charge)"
        r"|\b(?:rather than|instead of|other than|as opposed to|except(?: for)?)\b|\ba last resort\b",
        _I,
    ),
    "de": re.compile(
        r"\b(?:nicht|kein\w*|nie|niemals|niemand\w*|nichts|ohne|weder|noch nie|keinesfalls|un(?:verschlüsselt|gültig|möglich|zulässig)\w*)\b",
        _I,
    ),
    "fr": re.compile(r"\b(?:ne|n['’]|pas|jamais|aucune?|rien|personne|sans|ni)\b", _I),
    "es": re.compile(r"\b(?:no|nunca|jamás|ningun\w*|ningún|nada|nadie|sin|ni|tampoco)\b", _I),
    "ru": re.compile(r"\b(?:не|нет|ни|никогда|никто|ничего|нельзя|без|никак\w*|отсутству\w*|невозможно)\b", _I),
    "ko": re.compile(
        r"지\s?(?:않|못|말)|없(?:다|는|이|으|고|어|음|습)|아니(?:다|며|라|고|하|한|었|ㄴ)|안\s(?=되|된|됩|한|합)|못\s?(?:한|하)|절대|미(?:지원|포함|적용)|불가"
    ),
    "zh": re.compile(
        r"不(?!仅|但|过|同|断|少于|超过|得超过|低于)|没有?|未(?!来)|无(?!论|线)|非(?!常)|绝不|勿|别(?=再|把)"
    ),
    "ja": re.compile(r"ない(?!し)|ません|なく(?!と)|なかっ|(?<=[あ-ん])ず(?:に|、|$)|(?:不可|無し|なし|未)(?!来)"),
    "ar": re.compile(r"(?:^|\s)(?:لا|لم|لن|ليس|ليست|غير|بدون|دون|ما)(?=\s)"),
    "hi": re.compile(r"(?:नहीं|मत|बिना|न)(?=\s|।|$)"),
}
# Words after which a negated main clause is a condition, not a denial: "not … unless", "not … without".
EXCEPTION = {
    "en": re.compile(r"\b(?:unless|without|until|except|other than|only (?:if|when|after|with|once|by|in|for|on|where|before|to|during|while)|only|solely|provided|as long as|subject to|needs?(?! not| no\b|n['’]t)|requires?|depends? on|last resort|reserved for|alone)\b", _I),
    "de": re.compile(r"\b(?:außer|ohne|nur|erst|es sei denn|sofern|lediglich|ausschließlich|bis|vorausgesetzt|brauch\w*|benötig\w*|erforder\w*)\b", _I),
    "fr": re.compile(r"\b(?:sauf|sans|seulement|uniquement|à moins|que si|tant que|avant)\b", _I),
    "es": re.compile(r"\b(?:salvo|sin|sólo|solo|solamente|únicamente|a menos|hasta)\b", _I),
    "ru": re.compile(r"\b(?:без|только|лишь|кроме|если не|пока|исключительно|нужно|необходим\w*|требуется)\b", _I),
    "ko": re.compile(r"경우에만|에만|만\s|때만|않으면|없이|없으면|제외|해야|필요"),
    "zh": re.compile(r"除非|只有|仅(?!仅没)|才|之前|未经|除了|只能|必须"),
    "ja": re.compile(r"限り|だけ|のみ|しか|以外|までは|なければ|必要"),
}  # fmt: skip

FORBIDDEN = {
    "en": re.compile(
        r"\b(?:must|may|can|shall|should|could|might)(?:\s?not|n['’]t)\b(?! (?:only|exceed|be (?:above|below|over|under)))|\bcannot\b(?! exceed)|\bcan['’]t\b|\b(?:is|are|be|was|were|isn['’]t|aren['’]t)(?:\s+\w+){0,2}?\s+(?:prohibited|forbidden|banned|barred|disallowed|outlawed|ruled out|off limits|off the table|illegal|unlawful|impermissible|refused|blocked|vetoed)\b"
        r"|\b(?:prohibits?|forbids?|bans?|bars?|disallows?|prohibited|forbidden|banned|(?:not|\w*n['’]t) (?:be )?(?:allowed|permitted|authori[sz]ed|acceptable|tolerated|possible|able)|unable to|no longer (?:allowed|permitted)|off the table|ruled out|off limits|out of bounds|denied (?:access|entry|admission)|no (?:access|entry|admittance|admission)(?! (?:fee|charge))|no (?:right|permission|authority) to)\b"
        r"|\b(?:no|none|nobody|no one|neither)\b[^,;.]{0,40}\b(?:may|can|allowed|permitted)\b|\bnever\b[^,;.]{0,12}\b(?:be )?\w+ed\b(?=\s*[,;.]?)(?!)",
        _I,
    ),
    "de": re.compile(
        r"\b(?:verboten|untersagt|unzulässig|nicht (?:erlaubt|gestattet|zulässig)|kein\w*\b[^,;.]{0,40}\b(?:erlaubt|gestattet|zulässig|zugelassen|darf|dürfen)|(?:darf|dürfen|kann|können)\b[^,;.]{0,20}\bkein\w*|(?:darf|dürfen|kann|können)\b[^,;.]{0,40}\bnicht)\b",
        _I,
    ),
    "ru": re.compile(r"\b(?:запрещ\w+|нельзя|не (?:допускается|разрешается|может|могут|должн\w+)|воспрещ\w+)\b", _I),
    "ko": re.compile(r"금지|수\s?없|안\s?된|안\s?됩|불가|허용되지"),
    "zh": re.compile(r"禁止|不得|不能|不可|不允许|严禁|不准|不许"),
    "ja": re.compile(
        r"禁止|できない|できません|てはならない|てはいけない|許可されていない|禁じ|不可|(?<!し)[えけせてねへめれげべぺ](?:ません|ない(?!と))"
    ),
    "fr": re.compile(r"\b(?:interdit\w*|ne (?:peut|peuvent|doit|doivent) pas|défendu)\b", _I),
    "es": re.compile(r"\b(?:prohibid\w+|no (?:puede|pueden|debe|deben|se permite))\b", _I),
}
PERMITTED = {
    "en": re.compile(
        r"\b(?:may|can|could|might)\b(?!\s?not|n['’]t)(?! \d)|\b(?:allowed|permitted|permits?|allows?|permissible|authori[sz]ed|free to|acceptable|tolerated|lets?|welcome to|able to|possible|entitled|at (?:the|their|his|her|your) [\w'’]*\s?discretion|let (?:\w+ )?in(?:to)?|admitted|(?:have|has|had|get|gets|gain|given|granted|full|free) access|go ahead|feel free|(?:is|are|it['’]s|that['’]s) (?:perfectly |absolutely |quite |entirely |just )?(?:fine|ok|okay|all right|alright|no problem))\b",
        _I,
    ),
    "de": re.compile(r"\b(?:darf|dürfen|kann|können|erlaubt|gestattet|zulässig|möglich)\b", _I),
    "ru": re.compile(r"\b(?:можно|может|могут|разреш\w+|допускается|вправе)\b", _I),
    "ko": re.compile(r"수\s?있|허용|가능|허가|해도 (?:된|됩|좋)"),
    "zh": re.compile(r"可以|(?<!不)允许|(?<!不)能(?!源|力|量)|(?<!不)可(?=载|用|由|在|随)|许可"),
    "ja": re.compile(r"できる|できます|許可|てもかま|ても構|てもいい|て(?:も)?結構|てもよい|て良い|てよい|可能"),
    "fr": re.compile(r"\b(?:peut|peuvent|autorisé\w*|permis\w*|possible)\b", _I),
    "es": re.compile(r"\b(?:puede|pueden|permitid\w+|autorizad\w+|posible)\b", _I),
}
REQUIRED = {
    "en": re.compile(
        r"\b(?:must|shall)\b(?!\s?not|n['’]t)|\b(?:has|have|had) to\b|\b(?:is|are|be|was|were) (?:(?!expected|supposed|due|likely|said|thought|believed|known|planned|scheduled|hoped|able|free|allowed)\w+ )?(?:to be|obliged|bound|obligated|required)\b|\b(?:mandatory|compulsory|obligatory|required|requires?|necessary|needs? to|necessarily|indispensable)\b",
        _I,
    ),
    "de": re.compile(
        r"\b(?:muss|müssen|hat sich|haben sich|verpflichtend|vorgeschrieben|erforderlich|obligatorisch|pflicht|zwingend)\b",
        _I,
    ),
    "ru": re.compile(r"\b(?:долж\w+|обязан\w*|необходимо|нужно|обязательн\w*|следует|требуется)\b", _I),
    "ko": re.compile(r"해야|하여야|필수|의무|반드시|되어야"),
    "zh": re.compile(r"必须|须|应当|一定要|强制|需要"),
    "ja": re.compile(r"なければならない|必須|義務|べき|必要がある"),
    "fr": re.compile(r"\b(?:doit|doivent|obligatoire\w*|requis\w*|faut)\b", _I),
    "es": re.compile(r"\b(?:debe|deben|obligatori\w+|requerid\w+|hay que)\b", _I),
}
OPTIONAL = {
    "en": re.compile(
        r"\b(?:need not|needn['’]t|(?:do|does|did)(?: not|n['’]t) (?:have|need) to|optional|voluntary|discretionary|(?:not|never|no longer|n['’]t)(?: \w+)? (?:required|obliged|mandatory|compulsory|obligatory|necessary|obligated|bound)|(?:nobody|no one|none|neither|no \w+)(?: \w+){0,3} (?:obliged|required|bound|need|has to|have to)|unnecessary|(?:if|as|when) (?:they|you|he|she|it|we) (?:so )?(?:prefer|wish|like|want|please|choose|care)s?(?: to)?|needs? no|(?<!it is )(?<!it['’]s )(?<!it was )up to (?:you|them|him|her|us|me|each|the (?!\d)[a-z]+(?= (?:to|whether)\b|\s?[.,;]|$))|left to (?:[\w'’]+ ){0,3}(?:discretion|choice|judge?ment|decision|taste|preference)|left (?:entirely |wholly )?up to|(?:your|their|his|her|its|our|the [\w'’]+) (?:own )?(?:choice|call|decision) (?:whether|to)|for (?:you|them|him|her|us|the \w+) to (?:decide|choose)|no (?:obligation|need|requirement|duty)|not a (?:requirement|must|condition)|(?:not|n['’]t) (?:strictly |really |absolutely )?(?:needed|necessary|essential|called for)|can (?:choose|decide) whether|without obligation)\b",
        _I,
    ),
    "de": re.compile(r"\b(?:nicht verpflichtend|freiwillig|optional|muss nicht|müssen nicht|nicht erforderlich)\b", _I),
    "ru": re.compile(r"\b(?:не обяза\w+|необязательн\w*|добровольн\w*|по желанию|факультативн\w*)\b", _I),
    "ko": re.compile(r"선택(?:\s?사항)?|의무(?:는|가)? 아니|하지 않아도"),
    "zh": re.compile(r"可选|自愿|不必|无需|非强制|不需要"),
    "ja": re.compile(r"任意|必要(?:は|が)ない|しなくても|義務(?:では|は)ない"),
}
ADVISED = {
    "en": re.compile(
        r"\b(?:should|ought to|expected to|supposed to|recommended|recommends?|advisable|advised|suggested|preferabl[ey]|best practice|preferred|encouraged)\b",
        _I,
    ),
    "de": re.compile(r"\b(?:sollte\w*|empfohlen|empfiehlt|ratsam)\b", _I),
    "ru": re.compile(r"\b(?:рекоменд\w+|желательно)\b", _I),
    "ko": re.compile(r"권장|권고|좋다|바람직"),
    "zh": re.compile(r"建议|推荐|最好"),
    "ja": re.compile(r"推奨|望ましい|勧め"),
}

UNIVERSAL = re.compile(
    r"^\W*(?:No|None|Nobody|Nothing|Neither)\b|\b(?:anywhere|everywhere|nowhere)\b|\b(?:all|every|each|always|everyone|everybody|everything|any(?:one|body|thing)?|entire|entirely|whole|whatsoever|whatever|whoever|both|invariably|in all cases|in every case|at all times|throughout|no \w+ (?:of any kind|whatsoever)|completely|100\s?%)\b",
    _I,
)
PARTIAL = re.compile(
    r"\b(?:some|several|most|many|few|a few|certain|mostly|mainly|usually|often|sometimes|partly|partially|majority|minority|half|in part|generally|typically|rarely|seldom|occasionally|part of)\b",
    _I,
)
EXCLUSIVE = re.compile(
    r"\b(?:only|solely|exclusively|alone|nobody but|none but|nothing but|just one|just a single|merely)\b", _I
)
CONDITION = re.compile(
    r"\b(?:if|unless|provided|providing|only with|only when|only if|only after|only once|until|as long as|except|subject to|in case|on condition|without|whenever|when|once|assuming|depending|where)\b",
    _I,
)
CONDITION_DENIED = re.compile(
    r"\b(?:whether or not|with or without|regardless|no matter|even (?:if|when|without|though)|in any case|at any time|under any circumstances|or not|on (?:his|her|their|its|your|my|our) own|unaccompanied|unsupervised|unescorted|by (?:him|her|it)self|by themselves|by yourself|irrespective|unconditionally|always|at all times|whenever|however|come what may|right away|without any|at (?:the|their|his|her|its) [\w'’]*\s?discretion|without exception|automatically in all)\b",
    _I,
)
BEFORE = re.compile(r"\b(?:before|prior to|ahead of|earlier than|in advance of|preceding|until)\b", _I)
AFTER = re.compile(r"\b(?:after|following|once|later than|subsequent to|since|upon|as soon as|when)\b", _I)
STRICT_AFTER = re.compile(r"\b(?:after|following|later than|subsequent to|once)\b", _I)
CAUSE_AFTER = re.compile(
    r"\b(?:because(?: of)?|since|due to|owing to|as a result of|on account of|caused by|thanks to|brought about by|triggered by)\b",
    _I,
)
CAUSE_BEFORE = re.compile(
    r"(?:\b(?:therefore|hence|thus|consequently|as a result(?! of)|so that|which is why|leads? to|led to|causes?|caused(?! by)|results? in|resulted in|(?<!were )(?<!was )(?<!are )(?<!is )(?<!been )made(?! (?:by|of|from|in|with|at|up)\b)|triggers?|triggered(?! by)|brings? about)\b|, so\b)",
    _I,
)


LEXICAL_DENIAL = re.compile(
    r"\b(?:outside|beyond|exempt\w*|exclu\w+|lack\w*|absent|absence|missing|refus\w+|reject\w*|fail\w*|prevent\w*|eliminat\w+|delet\w+|discard\w*|eradicat\w+|abol\w+|abandon\w*|withdr[ae]w\w*|exclusion|deletion|avoid\w*|omit\w*|unable|impossible|unfit|"
    r"unless|without|end(?:s|ed)?|stopp?\w*|ceas\w+|los[et]\w*|remov\w+|dropp?(?:s|ed)?|only|free of|shut|last resort|"
    r"un(?!der|til|it|ion|iform|ique|iverse)\w{4,}|in(?:valid|accessible|active|capable|complete|correct|eligible|sufficient|operable)\w*|dis(?:allow|able|regard|continu)\w*|non-?\w{4,})\b",
    _I,
)
"""Words that deny by their own meaning: with one of them on one side only, counting "not" proves nothing."""


_WORDS_OF = {
    "hedge": "sure know think believe guess heard hear according based judging appear appears seem seems suggest suggests "
    "indicate indicates say says state states show shows apparently reportedly presumably evidently seemingly supposedly said "
    "indeed basically essentially",
    "pseudo": "no not never cannot t nobody none neither nothing whether without regardless nicht",
    "negation": "yet hands keep keeps kept stay stays stayed steer steers "
    "no not never none nobody nothing neither nor cannot without nowhere hardly lack lacks lacking devoid t fail "
    "fails failed refuse refuses refused cease ceases ceased stop stops stopped free rather instead other opposed except resort",
    "exception": "unless without until except other only solely provided long subject need needs require requires depend "
    "depends resort reserved alone",
    "opening": "unless without until except only provided long denn sofern",
    "optional": "up left choice call decision decide choose chooses please pleases care cares obligation requirement duty needed "
    "need needn optional voluntary discretionary not never no t nobody none neither unnecessary prefer prefers wish "
    "wishs like likes want wants",
    "forbidden": "bounds denied access entry admission "
    "not t cannot mustnot maynot shallnot shouldnot couldnot mightnot prohibited forbidden banned barred disallowed "
    "outlawed ruled limits table illegal unlawful impermissible refused blocked vetoed prohibit prohibits forbid forbids ban "
    "bans bar bars disallow disallows unable no none nobody neither never",
    "required": "must shall has have had be obliged bound obligated required expected mandatory compulsory obligatory require "
    "requires necessary need needs necessarily indispensable",
    "advised": "expected supposed "
    "should ought recommended recommend recommends advisable advised suggested preferably preferable best preferred "
    "encouraged",
    "permitted": "admitted access ahead feel fine ok okay alright right problem "
    "may can could might allowed permitted permit permits allow allows permissible authorised authorized free "
    "acceptable tolerated let lets welcome able possible entitled discretion",
    "time": "before prior ahead after following earlier later until",
    "cause_after": "because since due owing result account caused thanks brought triggered",
    "cause_before": "therefore hence thus consequently result so why lead leads led cause causes caused results resulted made "
    "trigger triggers triggered bring brings",
}
WORDS_OF = {name: frozenset(words.split()) for name, words in _WORDS_OF.items()}
"""Words of which each English pattern needs one; a text without them is not searched."""
_HEDGE_PHRASES = ("going by", "as far as", "from what", "as it were", "in fact", "of course")


@lru_cache(maxsize=20_000)
def hedges(text: str) -> tuple[tuple[int, int], ...]:
    """Where a text says how sure its speaker is."""
    if lacks(bare_words(text), WORDS_OF["hedge"]):
        lowered = text.lower()
        if not any(phrase in lowered for phrase in _HEDGE_PHRASES):
            return ()
    return tuple(match.span() for match in HEDGE.finditer(text))


@cache
def negations(lang: str) -> re.Pattern[str]:
    return NEGATION.get(lang, NEGATION["en"])


def pattern_for(table: dict[str, re.Pattern[str]], lang: str) -> re.Pattern[str] | None:
    """The pattern of a language; ``None`` where there is none (the report then says so)."""
    return table.get(lang)
