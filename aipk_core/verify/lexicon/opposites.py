"""Opposites that WordNet does not list as such; each line: words of one side, a bar, words of the other."""

from __future__ import annotations

OPPOSITES = """
stop halt brake | accelerate speed
fixed constant unchanged unaltered | change vary alter fluctuate
allow permit authorise authorize let enable tolerate | forbid prohibit ban bar disallow outlaw prevent block deny refuse
mandatory compulsory obligatory required | optional voluntary elective discretionary
continuous unbroken steady constant | intermittent broken interrupted sporadic
before prior earlier preceding until | after later following since
above over beyond exceed | below under beneath
more greater higher larger bigger longer heavier | less fewer lower smaller shorter lighter
maximum most highest largest longest | minimum least lowest smallest shortest
max | min
start begin commence open launch | stop end cease finish halt close terminate
slow decelerate brake | accelerate speed
include contain cover comprise | exclude omit lack exempt
accept approve grant adopt uphold sustain confirm affirm | reject decline refuse dismiss deny overturn quash annul
appoint hire elect | dismiss fire sack
voluntary | forced
refundable | non-refundable
stiff firm hard | soft runny
begin | finish
sharp | mild
joint jointly | separate separately
transferable | non-transferable
ripe | unripe green
keep retain preserve hold store | discard delete remove destroy erase
add insert append | remove delete drop omit
enable activate | disable deactivate
increase raise rise grow gain | decrease reduce lower fall drop shrink cut
lock | unlock
encrypted | plaintext cleartext plain
public | private confidential
manual manually hand | automatic automatically
hot warm | cold cool chilled
dry | wet moist damp
raw | cooked
sweet | sour bitter salty savoury savory
fresh | frozen stale dried tinned canned
covered | uncovered open
boil simmer | freeze chill
thick coarse | thin fine
buyer purchaser | seller vendor
lessor landlord | lessee tenant
employer | employee
lender creditor | borrower debtor
plaintiff claimant | defendant respondent
licensor | licensee
sender | receiver recipient
import | export
upload | download
read-only | writable
readable | unreadable
valid | invalid void
breaks lapse lapses expires | continues persists remains
succeed pass | fail
succeeded passed | failed
sync synchronous | async asynchronous
ascending | descending
horizontal horizontally | vertical vertically
left | right
inside indoors | outside outdoors
near close | far distant
early | late
first | last
always | never
everyone everybody all every | nobody none no
everything | nothing
both | neither
agree | disagree
safe harmless | dangerous harmful hazardous
free | paid
full | empty
win won | lose lost
present | absent
temporary | permanent
internal | external
upper top | lower bottom
upstairs | downstairs
enter arrive entry entrance | leave exit depart departure
old older oldest earliest ancient | new newer newest recent latest modern
free | pay payable
ignore skip disregard | process handle heed
front | rear back
clockwise | anticlockwise counterclockwise
flood | ebb
day daytime | night nighttime
summer | winter
morning | evening
stable | unstable experimental
deprecated obsolete unsupported | supported
serial sequential sequentially singly | parallel simultaneously together
"""
