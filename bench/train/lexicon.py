"""Word pairs for edits, chosen so that they hold in most sentences; written for this project."""

from __future__ import annotations

OPPOSITES = """
increase/decrease increases/decreases increased/decreased increasing/decreasing rise/fall rises/falls rose/fell raise/lower raises/lowers raised/lowered
allow/forbid allows/forbids allowed/forbidden enable/disable enables/disables enabled/disabled enabling/disabling start/stop starts/stops started/stopped
begin/end begins/ends began/ended open/close opens/closes opened/closed create/delete creates/deletes created/deleted creating/deleting add/remove adds/removes
added/removed adding/removing accept/reject accepts/rejects accepted/rejected include/exclude includes/excludes included/excluded including/excluding
before/after above/below inside/outside within/beyond more/less most/least higher/lower larger/smaller longer/shorter faster/slower older/newer earlier/later
first/last minimum/maximum always/never often/rarely usually/seldom everyone/nobody everything/nothing internal/external public/private optional/mandatory
required/optional static/dynamic manual/automatic manually/automatically explicitly/implicitly directly/indirectly temporary/permanent temporarily/permanently
strong/weak hot/cold warm/cool high/low large/small big/little long/short old/new early/late rich/poor young/old heavy/light hard/soft deep/shallow wide/narrow
success/failure successful/unsuccessful succeed/fail succeeds/fails succeeded/failed possible/impossible valid/invalid visible/hidden available/unavailable
safe/dangerous secure/insecure stable/unstable known/unknown common/rare same/different equal/unequal similar/different full/empty left/right north/south
east/west northern/southern eastern/western upper/lower top/bottom male/female man/woman men/women mother/father son/daughter brother/sister husband/wife
king/queen won/lost win/lose winner/loser buy/sell bought/sold attack/defend attacked/defended love/hate loved/hated support/oppose supports/opposes
supported/opposed agree/disagree agreed/disagreed continue/stop continued/stopped improve/worsen improves/worsens improved/worsened reduce/increase
reduces/increases reduced/increased reduction/increase expand/shrink expanded/shrank encourage/discourage positive/negative active/inactive healthy/sick
major/minor majority/minority famous/unknown popular/unpopular permanent/temporary single/multiple all/none alive/dead up/down forward/backward
synchronous/asynchronous read/write reads/writes incoming/outgoing source/destination client/server parent/child ascending/descending encrypted/unencrypted
present/absent inner/outer upgrade/downgrade upgrades/downgrades connect/disconnect connected/disconnected lock/unlock mount/unmount promote/inhibit promotes/inhibits
activates/inhibits activated/inhibited activation/inhibition stimulates/suppresses enhances/impairs enhanced/impaired induces/prevents induced/prevented causes/prevents
"""

SAME = """
use/utilize uses/utilizes used/utilized big/large small/little begin/start begins/starts began/started end/finish ends/finishes ended/finished buy/purchase bought/purchased
help/assist helps/assists show/demonstrate shows/demonstrates showed/demonstrated create/generate creates/generates created/generated ensure/guarantee
ensures/guarantees get/obtain gets/obtains need/require needs/requires needed/required allow/permit allows/permits allowed/permitted provide/supply provides/supplies provided/supplied
delete/remove deletes/removes deleted/removed change/alter changes/alters changed/altered choose/select chooses/selects chosen/selected
about/approximately roughly/approximately usually/typically often/frequently quickly/rapidly also/additionally many/numerous several/multiple
must/has-to currently/presently almost/nearly only/solely entire/whole various/different famous/well-known film/movie physician/doctor
located/situated constructed/built build/construct built/constructed founded/established established/founded received/got released/published wrote/authored
stop/halt stops/halts stopped/halted fix/repair fixes/repairs fixed/repaired keep/retain keeps/retains kept/retained send/transmit sends/transmits sent/transmitted
automatically/by-itself manually/by-hand immediately/at-once each/every previous/earlier subsequent/later additional/further multiple/several
specify/state specifies/states contain/include contains/includes attempt/try attempts/tries attempted/tried reduce/decrease reduces/decreases reduced/decreased
increase/raise whether/if children/kids children/youngsters error/mistake illness/disease car/automobile well-known/famous enough/sufficient
"""

IRREGULAR = """
be:been begin:begun break:broken bring:brought build:built buy:bought catch:caught choose:chosen come:come cut:cut do:done draw:drawn drive:driven eat:eaten
feed:fed feel:felt fight:fought find:found forbid:forbidden forget:forgotten get:got give:given grow:grown have:had hear:heard hide:hidden hit:hit hold:held
keep:kept know:known lead:led leave:left lend:lent let:let lose:lost make:made mean:meant meet:met overwrite:overwritten pay:paid put:put read:read reset:reset
run:run say:said see:seen sell:sold send:sent set:set shake:shaken show:shown shut:shut sing:sung speak:spoken spend:spent split:split spread:spread steal:stolen
take:taken teach:taught tell:told think:thought throw:thrown understand:understood wear:worn win:won write:written rebuild:rebuilt override:overridden
"""


def _pairs(text: str) -> list[tuple[str, str]]:
    out = []
    for item in text.split():
        first, _, second = item.partition("/")
        out.append((first.replace("-to", " to") if first.endswith("-to") else first, second))
    return out


def _both_ways(pairs: list[tuple[str, str]]) -> dict[str, list[str]]:
    table: dict[str, list[str]] = {}
    for first, second in pairs:
        table.setdefault(first, []).append(second)
        table.setdefault(second, []).append(first)
    return table


_PHRASES = {
    "has-to": "has to",
    "close-to": "close to",
    "by-itself": "by itself",
    "by-hand": "by hand",
    "at-once": "at once",
    "for-each": "for each",
}

OPPOSITE_OF = _both_ways(_pairs(OPPOSITES))
SAME_AS: dict[str, list[str]] = {}
for _first, _second in _pairs(SAME):
    SAME_AS.setdefault(_first, []).append(_PHRASES.get(_second, _second))
PARTICIPLE_OF = dict(item.split(":") for item in IRREGULAR.split())
