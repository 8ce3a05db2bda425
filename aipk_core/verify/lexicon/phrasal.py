"""Verbs of two words, each with one word that says the same: ``pick up`` is ``collect``, ``put back`` is ``return``.

Read as one word, they meet the plain verb of another writer; read apart, their first word is empty and their second misleads.
"""

from __future__ import annotations

import re

_FORMS = {
    "come": "come|comes|came|coming", "go": "go|goes|went|gone|going", "get": "get|gets|got|gotten|getting",
    "take": "take|takes|took|taken|taking", "put": "put|puts|putting", "give": "give|gives|gave|given|giving",
    "bring": "bring|brings|brought|bringing", "send": "send|sends|sent|sending", "hand": "hand|hands|handed|handing",
    "pick": "pick|picks|picked|picking", "turn": "turn|turns|turned|turning", "switch": "switch|switches|switched|switching",
    "throw": "throw|throws|threw|thrown|throwing", "fill": "fill|fills|filled|filling", "call": "call|calls|called|calling",
    "carry": "carry|carries|carried|carrying", "pull": "pull|pulls|pulled|pulling", "set": "set|sets|setting",
    "shut": "shut|shuts|shutting", "drop": "drop|drops|dropped|dropping", "walk": "walk|walks|walked|walking",
    "top": "top|tops|topped|topping", "show": "show|shows|showed|shown|showing", "find": "find|finds|found|finding",
    "point": "point|points|pointed|pointing", "break": "break|breaks|broke|broken|breaking", "give-up": "give|gives|gave|given",
    "wake": "wake|wakes|woke|woken|waking", "rule": "rule|rules|ruled|ruling", "leave": "leave|leaves|left|leaving",
    "look": "look|looks|looked|looking", "have": "have|has|had|having", "work": "work|works|worked|working", "speed": "speed|speeds|sped|speeding", "slow": "slow|slows|slowed|slowing",
}  # fmt: skip
_ENDS = r"(?=\s*(?:[.,;:!?)]|$)|\s(?:by|through|via|at|after|before|until|on|and|or|from|without|only|free|with)\b)"
_MEANINGS = {
    "enter": r"(?:come|go|get|walk) (?:into|inside)|(?:have a )?look (?:inside|round|around)|(?:come|go|get|walk) in"
    + _ENDS,
    "leave": r"(?:go|get|come|walk) out(?: of\b|" + _ENDS + ")",
    "collect": r"pick up",
    "return": r"(?:put|take|bring|give|hand|send|go|come|get) back",
    "remove": r"take (?:out|off|away)|get rid of",
    "wear": r"(?:put|pull) on",
    "submit": r"(?:hand|send|turn) in",
    "distribute": r"(?:hand|give) out",
    "discard": r"throw (?:away|out)",
    "activate": r"(?:switch|turn) on",
    "deactivate": r"(?:switch|turn|shut) off|shut down",
    "complete": r"fill (?:in|out)",
    "perform": r"carry out",
    "cancel": r"call off",
    "postpone": r"put off",
    "rise": r"go up",
    "fall": r"go down",
    "reject": r"turn down",
    "appear": r"(?:turn|show) up",
    "participate": r"take part",
    "occur": r"take place",
    "discover": r"find out",
    "indicate": r"point out",
    "fail": r"break down",
    "abandon": r"give up",
    "deliver": r"drop off",
    "replenish": r"top up",
    "install": r"set up",
    "exclude": r"rule out",
    "omit": r"leave out",
    "accelerate": r"speed up",
    "decelerate": r"slow down",
}
_OBJECT = r"(?:\s(?:it|them|him|her|us|me|you|this|that))?\s"


def _pattern() -> re.Pattern[str]:
    branches = []
    for meaning, written in _MEANINGS.items():
        spelt = re.sub(
            r"\b[a-z]+\b", lambda match: f"(?:{_FORMS[match[0]]})" if match[0] in _FORMS else match[0], written
        )
        # the lookaheads keep their plain spaces: an object stands only between verb and particle
        head, *rest = re.split(r"(\(\?=)", spelt, maxsplit=1)
        branches.append(f"(?P<{meaning}>{head.replace(' ', _OBJECT)}{''.join(rest)})")
    return re.compile(rf"\b(?:{'|'.join(branches)})(?!\w)", re.IGNORECASE)


PHRASAL = _pattern()
"""One group for each meaning, named by the one verb that says it."""
FIRST_WORDS = frozenset(form for forms in _FORMS.values() for form in forms.split("|"))
"""One of these begins every verb of two words."""
