"""Sentences that state nothing about the subject: refusals, greetings, offers of help, hedges; in ten languages."""

from __future__ import annotations

import re

from aipk_core.text.abbreviations import words as words_of
from aipk_core.verify.vocabulary import bare_words, lacks

_I = re.IGNORECASE

_REFUSALS = re.compile(
    r"""
    \b(?:i|we)\b[^.!?\n]{0,20}\b(?:do\ not|don['’]t|cannot|can['’]t|can\ not|could\ not|couldn['’]t|am\ unable|are\ unable|was\ unable|am\ not\ able|have\ no|did\ not|didn['’]t|am\ not\ sure|won['’]t)\b
        [^.!?\n]{0,40}\b(?:know|find|found|answer|information|say|tell|have\ (?:any\ |enough\ |that\ |this\ |the\ |sufficient\ )?(?:information|data|details|knowledge|access|sources?)|determine|confirm|verify|help|see\ any|sure|evidence|provide)
    |\b(?:the|this|these|my|provided|available|given|reviewed|any\ of\ the|none\ of\ the)\b[^.!?\n]{0,50}\b(?:claims?|sources?|documents?|documentation|context|information|knowledge|package|passages?|texts?|material|data)\b[^.!?\n]{0,30}
        \b(?:do(?:es)?\ not|don['’]t|doesn['’]t|did\ not|contains?\ no|has\ no|have\ no|provides?\ no|gives?\ no|is\ not|are\ not|is\ silent|are\ silent|says?\ nothing|say\ nothing|lacks?|cannot|mentions?\ no)\b[^.!?\n]{0,30}
        (?:\b(?:answer|mention|say|state|contain|cover|include|specify|provide|address|information|enough|sufficient|support|describe|tell|indicate|give|discuss|give)|[.!]?\s*$)
    |\b(?:there\ is|there['’]s|there\ are|i\ have|we\ have|i\ found|found)\s+(?:no|not\ enough|insufficient|nothing)\b[^.!?\n]{0,40}\b(?:information|data|evidence|details?|mention|answer|claims?|sources?|statement|support|about\ this|in\ the)
    |\b(?:that|this|it|the\ answer|such\ information|the\ information|no\ answer)\b\ (?:is|was|are)\s(?:not|n['’]t)\s(?:stated|mentioned|specified|given|covered|known|found|available|answered|provided|in\ the|included|part)\b[^.!?\n]{0,60}\b(?:source|document|context|claim|information|knowledge|package|text|material)
    |^\W*(?:no\ (?:information|answer|data|evidence)\ (?:is\ )?(?:available|found|provided)|not\ (?:stated|specified|mentioned|found|covered|known)(?:\ in\ [^.]{0,40})?|unknown|no\ idea|i\ am\ not\ sure|insufficient\ (?:information|evidence|data))\b[^.!?\n]{0,40}[.!]?\s*$
    |\b(?:sorry|apolog\w+|unfortunately)\b[^.!?\n]{0,60}\b(?:can['’]?not|can['’]t|unable|do(?:es)?\ not|don['’]t|no\ (?:information|answer|claim)|not\ (?:able|find|found|covered|know))
    |\b(?:outside|beyond)\ (?:of\ )?(?:the\ scope\ of\ )?(?:my|this|the)\ (?:knowledge|scope|documents?|sources?|package|information|material)
    |(?:알\s?수\s?없|모르겠|모릅니다|답(?:변)?(?:할|을|드릴)[^.]{0,12}(?:수\s?없|없)|정보(?:가|를|는)?[^.]{0,16}(?:없|부족|찾을\s?수\s?없)|확인할\s?수\s?없|자료에[^.]{0,20}(?:없|나와\s?있지\s?않)|언급(?:되어|돼)?\s?있지\s?않)
    |(?:不知道|无法(?:回答|确定|确认|得知|找到)|無法(?:回答|確定|確認)|没有(?:相关|足够|找到|提供|提及)?[^。]{0,10}(?:信息|资料|依据|说明)|未(?:提及|说明|提供|涉及|找到)|找不到[^。]{0,12}(?:信息|答案|资料))
    |(?:わかりません|分かりません|わからない|お答えできません|回答できません|答えられません|情報(?:が|は)[^。]{0,14}(?:ありません|見つかりません|含まれていません|ない)|記載(?:が|は|されて)[^。]{0,8}(?:ありません|いません|ない)|不明です)
    |\b(?:не\s+знаю|не\s+могу\s+(?:ответить|найти|сказать|подтвердить)|нет\s+(?:информации|данных|сведений|ответа)|не\s+(?:указано|упомина\w+|содерж\w+|найден\w*|сказано)|недостаточно\s+(?:информации|данных)|не\s+удалось\s+найти)
    |\b(?:ich\s+wei(?:ß|ss)\s+(?:es\s+)?(?:das\s+)?nicht|(?:kann|können)\s+[^.]{0,30}nicht\s+(?:beantworten|finden|sagen|bestätigen)|keine\s+(?:informationen?|angaben?|auskunft|daten|belege)|(?:enthält|enthalten|steht|stehen|geht|gehen)\b[^.]{0,40}\b(?:nicht|keine|nichts)\b[^.]{0,30}(?:hervor|dazu|darüber|angaben|informationen)|nicht\s+(?:angegeben|erwähnt|bekannt|genannt))
    |\b(?:je\s+ne\s+(?:sais|peux|trouve)\b|ne\s+(?:contien\w+|mentionn\w+|précis\w+|permet\w*|fourni\w+)\b[^.]{0,30}\b(?:pas|aucune?)|aucune\s+(?:information|donnée|réponse)|pas\s+d['’]informations?)
    |\b(?:no\s+(?:sé|puedo|encuentro|dispongo|tengo)\b|no\s+(?:contien\w+|mencion\w+|indic\w+|especific\w+|se\s+(?:menciona|indica|especifica|encuentra))|no\s+hay\s+(?:información|datos))
    |(?:لا\s+أعرف|لا\s+أعلم|لا\s+(?:توجد|يوجد|تتوفر)\s+(?:معلومات|إجابة)|لا\s+يمكنني|لا\s+أستطيع|غير\s+(?:مذكور|متوفر))
    |(?:नहीं\s+(?:जानता|जानती|पता|मिली|मिला|दी\s+गई)|जानकारी\s+(?:नहीं|उपलब्ध\s+नहीं)|उत्तर\s+नहीं\s+दे)
    """,
    _I | re.VERBOSE,
)
# a sentence that goes on to state something is not a mere refusal
_GOES_ON = re.compile(
    r"(?:\bbut\b|\bhowever\b|;|\balthough\b|\byet\b|\baber\b|\bно\b|\bmais\b|\bpero\b|하지만|지만|但是|但|ただし|が、)\s*(?P<rest>.+)$",
    _I,
)

_GREETINGS = re.compile(
    r"""^\W*(?:
    (?:hi|hello|hey|dear|greetings|good\ (?:morning|afternoon|evening|day)|welcome|thanks?|thank\ you|sure|certainly|of\ course|absolutely|great\ question|good\ question|no\ problem|you['’]re\ welcome|my\ pleasure|happy\ to\ help|glad\ to\ help|best\ regards|kind\ regards|regards|cheers|goodbye|bye|have\ a\ (?:nice|great|good)\ day)\b
    |안녕|감사합니다|고맙습니다|반갑습니다|물론|네[,.!]|你好|您好|谢谢|感谢|当然|不客气|早上好|こんにちは|こんばんは|おはよう|ありがとう|もちろん|はい[、。]|どういたしまして
    |здравствуйте|привет|добрый\ (?:день|вечер)|доброе\ утро|спасибо|конечно|пожалуйста
    |hallo|guten\ (?:tag|morgen|abend)|danke|gerne?|natürlich|selbstverständlich|bitte\ schön|mit\ freundlichen
    |bonjour|salut|bonsoir|merci|bien\ sûr|hola|buenos\ días|buenas|gracias|claro|por\ supuesto|de\ nada
    |مرحبا|أهلا|السلام\ عليكم|شكرا|नमस्ते|धन्यवाद
    )""",
    _I | re.VERBOSE,
)  # fmt: skip
_OFFERS = re.compile(
    r"""(?:
    \b(?:i\ hope\ you['’]?\ ?(?:are|re)\b|hope\ all\ is\ well|let\ me\ know|feel\ free|hope\ (?:this|that|it)\ helps|happy\ to\ help|glad\ to\ (?:help|assist)|here\ to\ help|if\ you\ (?:have|need|want|would\ like)\b[^.]{0,60}\b(?:question|help|detail|know|ask|information|assist)|(?:is\ there|do\ you\ need)\ anything\ else|i\ can\ (?:also\ )?help|don['’]t\ hesitate|any\ (?:other|further|more)\ questions?|would\ you\ like)
    |도움이\ 되|궁금한|문의|추가로\ 필요|말씀해|希望(?:这|对您|能)|如有(?:疑问|其他|任何)|请随时|有什么可以帮|お役に立て|お気軽に|ご質問|надеюсь,?\ (?:это|что)|обращайтесь|если\ (?:у\ вас|возникнут)[^.]{0,30}вопрос|дайте\ знать
    |hoffe,?\ (?:das|dass|ich)|lassen\ sie\ mich\ wissen|weitere\ fragen|n['’]hésitez\ pas|j['’]espère\ que|no\ dudes?\ en|espero\ que
    )""",
    _I | re.VERBOSE,
)  # fmt: skip
_ASIDES = re.compile(
    r"""^\W*(?:
    (?:yes|no|yep|nope|correct|right|exactly|true|false|indeed|okay|ok|got\ it|understood|maybe|perhaps|it\ depends|i\ (?:think|believe|guess)\ so|possibly|probably(?:\ not)?)
    |(?:here(?:['’]s|\ is|\ are)|below\ (?:is|are)|the\ following\ (?:is|are|shows?|lists?))\b[^.;]{0,60}(?:answer|summary|overview|list|what\ i\ found|information|details|steps|claims|facts|breakdown|points)\b[^.;]{0,40}
    |(?:based\ on|according\ to)\ (?:the\ )?(?:provided\ |given\ |available\ |reviewed\ )?(?:context|claims?|sources?|documents?|information)\b
    |i\ (?:will|['’]ll|am\ going\ to|have)\ (?:answer|summari[sz]e|look|check|explain|checked|looked)\b[^.]{0,60}
    |(?:please\ )?note\ that\ i\ am\ an?\ (?:ai|language\ model|assistant)[^.]{0,80}|as\ an\ ai\b[^.]{0,80}|i\ am\ an?\ (?:ai|language\ model|assistant)[^.]{0,60}
    |(?:please\ )?(?:consult|contact|check\ with|refer\ to|ask)\ (?:a|an|your|the)\ (?:professional|expert|doctor|lawyer|official\ \w+|support\ team)[^.]{0,60}
    |in\ (?:summary|short|conclusion)|to\ (?:summari[sz]e|sum\ up)|i\ hope\ so|that['’]s\ (?:it|all|correct|right)
    |네|예|아니요|맞습니다|是的?|不是?|对的?|好的|はい|いいえ|да|нет|верно|ja|nein|richtig|oui|non|sí|نعم|لا|हाँ|नहीं
    )\W*$""",
    _I | re.VERBOSE,
)  # fmt: skip


_REFUSING = words_of(
    """
    no not nothing t cannot unable lack lacks silent insufficient unknown outside beyond nicht keine nichts ne
    aucune pas
    """
)
"""One of these stands in every refusal that is written in ASCII letters."""
_OFFERING = words_of(
    """
    let feel hope happy glad help you anything hesitate question questions hoffe lassen fragen dude dudes espero
    """
)


def is_refusal(sentence: str) -> bool:
    """Whether ``sentence`` says only that the answer is not known."""
    if lacks(bare_words(sentence), _REFUSING):
        return False
    match = _REFUSALS.search(sentence)
    if not match:
        return False
    rest = _GOES_ON.search(sentence, match.end())
    return (
        rest is None or len(rest["rest"]) < 12 or bool(_REFUSALS.search(rest["rest"]) or _OFFERS.search(rest["rest"]))
    )


def is_greeting(sentence: str) -> bool:
    """A greeting, thanks or an offer of more help, without a statement after it."""
    if len(sentence) > 200:
        return False
    match = _GREETINGS.match(sentence)
    if match:
        rest = sentence[match.end() :].strip(" ,.!！。、~")
        words = len(rest.split())
        return (words <= 5 and not any(char.isdigit() for char in rest)) or bool(_OFFERS.search(rest))
    if lacks(bare_words(sentence), _OFFERING):
        return False
    return bool(_OFFERS.search(sentence)) and not any(char.isdigit() for char in sentence)


def is_aside(sentence: str) -> bool:
    """``Yes.``, ``Here is a summary:`` and the like: true or false only together with the question."""
    return len(sentence) <= 160 and bool(_ASIDES.match(sentence))


def is_question(sentence: str) -> bool:
    return sentence.rstrip(" \t\"'”’)]*_").endswith(("?", "？", "؟"))
