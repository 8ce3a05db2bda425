"""Sentence ends that come from the form of e-mail, forum and web text rather than from punctuation.

Raw messages are often stored without their line breaks: headers, closings, attachments and signatures run into the
prose. Their forms are conventional enough to be found where they stand.

Each pattern begins with a set of characters and then looks back at what it needs before them: the search skips quickly
over everything else. Nothing that repeats is tried again from within, so that time stays linear.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_AT_START: Final = (
    r"(?:(?<=[.!?)] .)|(?<=\n.)|(?<![\s\S]{2}))"  # the character before this stands first in its sentence
)

_STAMP: Final = re.compile(r"\d(?<!\S\d)\d?/\d{1,2}/\d{2,4} \d{1,2}:\d\d(?::\d\d)?(?: ?[AaPp][Mm])?(?=\s|\Z)")
_CLOSING: Final = re.compile(
    rf"[WBKMRTSYC]{_AT_START}"
    r"(?:(?:(?<=W)ith )?(?:(?<=B)est |(?<=K)ind |(?<=K)indest |(?<=W)arm |(?<=W)armest |(?<=M)any |[bk](?:est|ind) )?"
    r"(?:[Rr]?egards|[Tt]?hanks|[Ww]?ishes)|(?<=S)incerely|(?<=Y)ours(?: sincerely| truly| faithfully)?|(?<=C)heers"
    r"|(?<=R)espectfully)"
    r",(?= (?P<name>[A-Z][a-z]+)(?![\w,])(?: (?P<next>[A-Z][a-z]+)(?![\w,]))?)"
)
_GREETING: Final = re.compile(
    rf"[HD]{_AT_START}(?:(?<=H)(?:i|ello|ey)|(?<=D)ear)(?: [A-Z][a-z]+){{0,3}},(?= (?P<word>[A-Z][a-z]+)[ '])"
)
_FIELD: Final = re.compile(
    r"[EFTCR](?:(?<=\n.)|(?<![\s\S]{2}))(?:-?mail|rom|o|c|eply-To): [^\n@]{0,60}@[^\s,;]{3,80}(?=[ ][^\s,;&])"
)
# Only the end of an address or a file name matters, so the search starts at its first telling character.
_ADDRESS: Final = re.compile(
    r"[:@](?:(?<=\S@)|(?<=http:)//|(?<=https:)//)[^\s<>]*+>?(?:(?<![.,;:!?])(?=[ ](?P<word>https?:|[A-Z]\S{0,15})))?"
)
_LINK: Final = re.compile(r"\[https?://[^\]\s]{1,500}\](?= [A-Z(])")
_FILE: Final = re.compile(
    r"[<.](?:(?<=<)< ?File: [^<>\n]{1,100}>>(?=\s)|(?<=\w\.)[a-z]{3,4}\)?(?= - \S{1,80}\.[a-z]{3,4}(?:\s|\Z)))"
)
_SIGNATURE: Final = re.compile(r"-(?:(?<=[.!?\"] -)|(?<=\n-)|(?<![\s\S]{2}))-(?=\s+[A-Z])")


def message_ends(text: str, starters: frozenset[str]) -> Iterator[int]:
    """Offsets, in no order, at which the form of a message ends a sentence.

    Args:
        starters: lower-case words that typically start a sentence.
    """
    if "/" in text and ":" in text:
        yield from _around_stamps(text)
    if ", " in text or ",\n" in text:
        yield from _around_closings(text, starters)
        for found in _GREETING.finditer(text):
            if found["word"].lower() in starters:
                yield found.end()
    if "@" in text or "://" in text:
        yield from (found.end() for found in _FIELD.finditer(text))
        yield from (found.end() for found in _LINK.finditer(text))
        for found in _ADDRESS.finditer(text):
            word = found["word"] or ""
            if word.endswith(":") or word.lower().split("'")[0].rstrip(",") in starters:
                yield found.end()
    if "<<" in text or " - " in text:
        yield from (found.end() for found in _FILE.finditer(text))
    if "--" in text:
        for found in _SIGNATURE.finditer(text):
            yield found.start()
            yield found.end()


def _around_stamps(text: str) -> Iterator[int]:
    """A date with a time after a name or address is a header: it stands by itself."""
    for found in _STAMP.finditer(text):
        begin, end = found.span()
        previous = text[max(0, begin - 40) : begin].rstrip().rsplit(None, 1)
        name = previous[-1] if previous else ""
        heads = (name[:1].isupper() or "@" in name) and name[-1] not in ",:;"
        if heads:
            yield begin
        following = text[end : end + 2].strip()
        if following and (heads or following[0].isupper()):
            yield end


def _around_closings(text: str, starters: frozenset[str]) -> Iterator[int]:
    """ "Kind regards," before a name is a line of its own, and so is the name when a new sentence follows it."""
    for found in _CLOSING.finditer(text):
        if found["name"].lower() in starters:
            continue
        yield found.start()
        yield found.end()
        if found["next"] and found["next"].lower() in starters:
            yield found.end("name")
