"""Abbreviations that end in a full stop, by language and by what may follow them.

Written for this project from general knowledge of each language; forms are lower case and without their last stop.

* ``TITLE``: something always follows (a name, a thing): the stop never ends a sentence.
* ``NUMBER``: the stop ends no sentence when a digit follows ("No. 5", "Fig. 3"), and is an ordinary one otherwise.
* ``INNER``: the stop ends a sentence only when the next word is one that typically starts sentences ("Inc. It grew").
* ``FINAL``: usually stands at the end of a list; an upper-case letter after it starts a new sentence ("etc. The").
"""

from __future__ import annotations

from typing import Final


def words(text: str) -> frozenset[str]:
    """The words of a list that is written as one string."""
    return frozenset(text.split())


TITLE: Final[dict[str, frozenset[str]]] = {
    "en": words(
        "mr mrs ms mx dr drs prof rev hon pres gov gen col maj capt cmdr lt sgt cpl pvt adm sen rep messrs mmes msgr "
        "fr br supt insp det amb treas asst mt e.g i.e eg ie cf viz vs v.s resp approx incl "
        "excl esp aka a.k.a w.r.t c.f n.b nb p.s ps ex gen lt.col lt.gen brig"
    ),
    "de": words(
        "hr fr dr prof dipl ing mag st hl z.b z.bsp bzw d.h u.a u.u i.d.r i.a z.t z.zt s.a s.o s.u v.a vgl evtl ggf "
        "ca sog bspw insb insbes einschl inkl exkl zzgl abzgl max min o.g u.g geb gest verh hrsg zit bes allg engl "
        "frz lat dt ev gem lt mind näml urspr veröff bd nr art abs abb tab kap anm ziff rd ugs vs e.v gegr d.i m.e med kath evang ev z.z u.ä bspw frl wg jur phil rer nat habil"
    ),
    "fr": words(
        "m mm mme mmes mlle mlles dr drs me mes mgr pr st ste p.ex ex cf c.-à-d c.à.d env vs éd coll dir trad suiv "
        "av apr av.j.-c j.-c réf cie-gén gal col cap lt boul bd art fig chap n° no"
    ),
    "es": words(
        "sr sra srta sres dr dra drs prof profa d da dña lic ing arq gral cnel cap tte sto sta p.ej ej p.e cf vs aprox "
        "núm nro av avda fdo pág párr párrf cra art fig cap vol ee admón dpto ud uds vd vds"
    ),
    "it": words("sig sigg sig.ra dott dott.ssa prof prof.ssa avv ing arch on cav mons p.es es cf vs ca pag"),
    "pt": words("sr sra srs dr dra prof profa eng d v exmo exma p.ex ex cf vs aprox núm av pág art fig"),
    "nl": words("dhr mevr mw dr drs ir ing mr prof ds st bijv b.v bv d.w.z o.a m.b.t m.n nl vgl resp incl excl ca"),
    "pl": words("p np tj tzn m.in dr mgr inż prof hab ks gen płk ul al św im por wg ok zob tzw pt ds"),
    "ru": words(
        "т т.е т.к т.н т.о ул пр просп пер им проф акад доц см ср рис табл гл стр с п пп ст ч напр напр-р англ нем фр "
        "лат греч итал исп рус укр яп кит св обл р-н пос дер д корп кв тел акц ген полк кап лейт гр г-н г-жа г-ну д-р пгт мн о ок"
    ),
    "ar": words("د أ م ص"),
    "hi": words("डॉ श्री प्रो मि कु सु पं स्व"),
}

NUMBER: Final[dict[str, frozenset[str]]] = {
    "en": words(
        "no nos p pp pg pgs fig figs eq eqs vol vols ch chap sec secs sect art arts tab ex app ver v vv nr par para "
        "jan feb mar apr jun jul aug sep sept oct nov dec ca c circa approx est ext op cit ed eds bk pt ser ref refs "
        "n° n.º pub l rm ste apt tel ph sq div rte"
    ),
    "de": words("s nr nrn art abs abb tab kap bd bde hg anm ziff jan feb mär apr jun jul aug sep sept okt nov dez"),
    "fr": words("p pp art fig chap t vol no n° nos janv févr avr juil sept oct nov déc"),
    "es": words("p pp pág págs art fig cap vol t núm n.º no ene feb mar abr jun jul ago sept oct nov dic"),
    "ru": words("с стр рис табл гл п пп ст ч т № д кв корп"),
}

INNER: Final[dict[str, frozenset[str]]] = {
    "en": words(
        "inc co corp ltd llc bros dept univ assn assoc ave blvd rd hwy jr sr esq ph.d phd m.d b.a m.a b.s m.s d.d.s "
        "a.m p.m am pm u.s u.k u.n e.u u.s.a d.c a.d b.c b.c.e c.e mass calif ariz ark colo conn del fla ill ind kan "
        "ky md mich minn miss mo mont neb nev okla ore pa penn tenn tex va vt wash wis wyo ont que mfg intl natl govt "
        "bldg max min avg std st ste ft oz lb lbs hr hrs mins secs km cm mm yd yds et.al al jan feb mar apr jun jul aug sep "
        "sept oct nov dec mon tue tues wed thu thur thurs fri est pl cir ct ln sq var spp sp subsp tbsp tsp temp lit pop fl orig misc pron illus anon elev hist econ psych mgmt mgr abbr assoc attn biol chem geog "
        "geol geom masc fem neut obs occas ling physiol psychol publ repr transl cont sth tech mag ref"
    ),
    "de": words("co inc gmbh ag str jh jhd v.chr n.chr uhr mio mrd tsd std sek min"),
    "fr": words("cie inc sté jr"),
    "es": words("cía inc jr s.a ee.uu uu a.c d.c"),
    "it": words("s.p.a spa s.r.l a.c d.c"),
    "pt": words("cia ltda s.a a.c d.c"),
    "nl": words("n.v v.chr n.chr"),
    "pl": words("r w wiek tys mln mld zł godz"),
    "ru": words("г гг в вв н.э э до.н.э руб коп тыс млн млрд кг км см мм мин сек час долл дол экз чел кв.м куб.м у.е"),
}

FINAL: Final[dict[str, frozenset[str]]] = {
    "en": words("etc et.c seq ff ibid"),
    "de": words("usw etc u.v.m uvm u.ä o.ä ff f u.a.m"),
    "fr": words("etc sqq"),
    "es": words("etc"),
    "it": words("ecc etc"),
    "pt": words("etc"),
    "nl": words("enz etc e.d"),
    "pl": words("itd itp"),
    "ru": words("т.д т.п др пр"),
}

STARTERS: Final[dict[str, frozenset[str]]] = {
    "en": words(
        "a an the this that these those there here it he she we they you i my our your his her its their one some any "
        "all each every no both many most much several few another other such what who when where why how which if "
        "in on at by for from with to of as after before since while during although though because but and or so "
        "yet however also then now once until unless under over not never nothing nobody is are was were do does did "
        "has have had can could will would should may might must let please yes well only even still perhaps maybe "
        "thus therefore hence moreover furthermore finally first second next instead neither either nor whether today yesterday tomorrow "
        "meanwhile according i'm i've it's that's there's he's she's they're we're you're don't didn't let's"
    ),
    "de": words(
        "der die das ein eine einer eines einem einen dieser diese dieses es er sie wir ihr ich man sein seine ihre "
        "in im am an auf aus bei mit nach von vom zu zum zur für über unter durch gegen ohne seit während wegen wenn "
        "als weil da dann aber und oder doch denn auch nur noch so hier dort jetzt heute gestern morgen damit dabei "
        "dazu daher deshalb trotzdem jedoch außerdem ferner nun alle viele einige kein keine was wer wo wie warum ob danach davor deren dessen zwar jede jeder jedes beide mehr man bis dort weiter zunächst schließlich"
    ),
    "fr": words(
        "le la les l un une des ce cet cette ces il elle ils elles on nous vous je tu mon ma mes son sa ses leur "
        "leurs notre votre en dans sur sous par pour avec sans à au aux de du depuis pendant après avant si quand "
        "lorsque comme mais et ou donc or ni car puis ensuite enfin ainsi aussi cependant toutefois qui que quoi où"
    ),
    "es": words(
        "el la los las un una unos unas este esta estos estas ese esa esto eso él ella ellos ellas yo tú usted "
        "nosotros su sus mi mis en con por para de del desde sin sobre tras si cuando como aunque pero y o también "
        "además luego entonces ahora hoy ayer no sí qué quién dónde cómo según"
    ),
    "it": words(
        "il lo la i gli le un una questo questa egli ella essi io tu noi voi in con per da di su se quando ma e o"
    ),
    "pt": words("o a os as um uma este esta isso ele ela eles elas eu nós em com por para de do da se quando mas e ou"),
    "nl": words(
        "de het een dit dat deze die hij zij ze wij we ik u jij in op met voor van bij als maar en of toen ook"
    ),
    "pl": words("to ten ta te on ona oni my ja w we na z ze do od po przy dla ale i a oraz gdy jeśli kiedy nie"),
    "ru": words(
        "он она оно они мы вы я ты это этот эта эти тот та те в во на по с со к ко из от до за при для о об без под "
        "над после перед через если когда пока хотя но и а или да же так там тут здесь теперь затем потом однако "
        "также кроме все всё его её их как что кто где почему не ни было был была были есть"
    ),
}
