"""Sentence ends that come from the form of e-mail, forum and web text rather than from punctuation.

Raw messages are often stored without their line breaks: headers, closings, attachments and signatures run into the
prose. Their forms are conventional enough to be found where they stand.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_STAMP: Final = re.compile(r"(?<!\S)\d{1,2}/\d{1,2}/\d{2,4} \d{1,2}:\d\d(?::\d\d)?(?: ?[AaPp][Mm])?(?=\s|\Z)")
_FAREWELL: Final = (
    r"(?:(?:(?:With )?(?:[Bb]est|[Kk]ind|[Kk]indest|[Ww]arm|[Ww]armest|[Mm]any) )?"
    r"(?:[Rr]egards|[Tt]hanks|[Ww]ishes)|Sincerely|Yours|Yours (?:sincerely|truly|faithfully)|Cheers|Respectfully)"
)
_CLOSING: Final = re.compile(
    rf"(?:(?<=[.!?)] )|(?<=\n)|\A)(?P<farewell>{_FAREWELL}),(?= (?P<name>[A-Z][a-z]+)(?![\w,])(?: (?P<next>[A-Z][a-z]+)(?![\w,]))?)"
)
_GREETING: Final = re.compile(
    r"(?:(?<=[.!?)] )|(?<=\n)|\A)(?:Hi|Hello|Hey|Dear)(?: [A-Z][a-z]+){0,3},(?= (?P<word>[A-Z][a-z]+)[ '])"
)
_LINK: Final = re.compile(r"\[https?://[^\]\s]{1,500}\](?= [A-Z(])")
_FIELD: Final = re.compile(r"^(?:E-?mail|From|To|Cc|Reply-To): [^\n@]{0,60}@[^\s,;]{3,80}(?=[ ][^\s,;&])", re.MULTILINE)
_ADDRESS: Final = re.compile(
    r"(?:https?://[^\s<>]{3,}|(?<!\S)[^\s@]{1,60}@[^\s@,;]{3,80})(?<![.,;:!?])(?=[ ](?P<word>https?:|[A-Z]\S{0,15}))"
)
_FILE: Final = re.compile(
    r"<< ?File: [^<>\n]{1,100}>>(?=\s)|(?<!\S)[^\s]{1,80}\.[a-z]{3,4}\)?(?= - \S{1,80}\.[a-z]{3,4}(?:\s|\Z))"
)
_SIGNATURE: Final = re.compile(r"(?:(?<=[.!?\")] )|(?<=\n)|\A)--(?=\s+[A-Z])")


def message_ends(text: str, starters: frozenset[str]) -> Iterator[int]:
    """Offsets, in no order, at which the form of a message ends a sentence."""
    if "/" in text and ":" in text:
        yield from _around_stamps(text)
    if ", " in text:
        for found in _CLOSING.finditer(text):
            if found["name"].lower() not in starters:
                yield found.start()
                yield found.end()
                if found["next"] and found["next"].lower() in starters:
                    yield found.end("name")
        for found in _GREETING.finditer(text):
            if found["word"].lower() in starters:
                yield found.end()
    if "@" in text or "://" in text:
        yield from (found.end() for found in _FIELD.finditer(text))
        for found in _ADDRESS.finditer(text):
            word = found["word"]
            if word.endswith(":") or word.lower().split("'")[0].rstrip(",") in starters:
                yield found.end()
    if "://" in text:
        yield from (found.end() for found in _LINK.finditer(text))
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
        heads = (
            bool(previous) and (previous[-1][:1].isupper() or "@" in previous[-1]) and previous[-1][-1:] not in ",:;"
        )
        if heads:
            yield begin
        following = text[end : end + 2].strip()
        if following and (heads or following[0].isupper()):
            yield end
