"""Words that carry no content of their own. Negations, modal verbs and quantifiers are among them: checks look at those."""

from __future__ import annotations

from functools import cache

_EN = """
a an the this that these those there here it its they them their theirs he him his she her hers we us our you your i me my
who whom whose which what where when why how is are was were be been being am do does did done doing has have had having
can could may might must shall should will would ought and or but nor so yet if then else than as at by for from in into of
off on onto out over to up with within without about above after again against all along also although always among an
any anybody anyone anything around because before behind below beneath beside besides between beyond both during each
either ever every everybody everyone everything except few further hence however just least less like many more most much
neither never no nobody none not nothing now often once only other others otherwise own per rather same several since some
somebody someone something such sure that's though through throughout thus together too toward towards under unless until
upon very via well whatever whenever whereas wherever whether while whoever e.g i.e etc one ones onto shall s t d ll re ve
don doesn didn isn aren wasn weren cannot can't won't don't doesn't isn't aren't get gets got make makes made take takes
took taken go goes going gone come comes came let lets put puts use uses used using based according seem seems appear
appears apparently reportedly respectively namely called named known case way thing things kind sort lot approx about
roughly approximately around nearly almost exactly incl e.g. i.e. even still already yet whether instead
also too quite ever regardless merely simply need needs needed able unable
"""
_OTHERS = {
    "de": "der die das den dem des ein eine einer eines einem einen und oder aber nicht kein keine keiner keinen ist sind war waren wird werden wurde wurden hat haben hatte kann können darf dürfen muss müssen soll sollen sich es er sie wir ihr ich man in im an am auf aus bei mit nach von vom vor zu zum zur für über unter durch um bis als wie wenn weil dass auch nur noch schon sehr mehr alle jede jeder jedes dagegen zwar jedoch sowie beim pro wer zwischen während ohne gegen seit dessen deren diese dieser dieses",
    "fr": "le la les l un une des du de d et ou mais ne pas plus est sont était été être a ont avoir peut doit dans en sur sous par pour avec sans au aux ce cette ces cet il elle ils elles on nous vous qui que dont où si comme très aussi tout tous toute toutes chaque entre se s son sa ses leur leurs y n c j m t qu",
    "es": "el la los las un una unos unas y o pero no es son era fue ser está están ha han haber puede debe en de del al a por para con sin sobre entre que quien cuyo donde si como muy también todo todos toda todas cada se su sus lo le les este esta estos estas ese esa más ya hasta desde cuando porque",
    "ru": "и или но а не ни нет в во на с со к ко от до по за из у о об при для без под над между через что чтобы как это этот эта эти тот та те он она оно они его её ее их мы вы я который которая которые которое быть был была было были есть будет можно нельзя нужно должен должна должны может могут если когда только также уже ещё еще же ли бы все всех каждый каждая каждые потому",
    "ko": "그 이 저 것 수 및 또는 그리고 그러나 하지만 때 등 더 있다 없다 한다 된다 이다 아니다 않는다 위해 대한 대해 경우 모든 각 매",
    "zh": "的 了 是 在 和 与 或 也 都 就 不 没有 有 被 把 为 对 从 到 由 以 及 其 这 那 之",
    "ja": "の は が を に で と も から まで より へ や など この その あの これ それ ある いる する なる れる られる こと もの ため よう",
    "ar": "في من على إلى عن مع هذا هذه ذلك التي الذي و أو لا لم لن ما كان يكون أن إن كل",
    "hi": "का की के को में से पर और या है हैं था थे थी नहीं यह वह इस उस कि जो तो भी एक",
}


@cache
def stopwords(lang: str) -> frozenset[str]:
    """The list of ``lang``, with the English one, since identifiers and names bring English words into every text."""
    return frozenset(_EN.split()) | frozenset(_OTHERS.get(lang, "").split())
