"""Cron lines: five fields that say when something is repeated, checked here so that a typing error is told at once."""

from __future__ import annotations

import re

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_FIELDS: tuple[tuple[str, int, int, tuple[str, ...]], ...] = (
    ("minute", 0, 59, ()),
    ("hour", 0, 23, ()),
    ("day of the month", 1, 31, ()),
    ("month", 1, 12, ("", *_MONTHS)),
    ("day of the week", 0, 7, _DAYS),
)
_PART = re.compile(r"(?:\*|([0-9a-z]{1,3})(?:-([0-9a-z]{1,3}))?)(?:/([0-9]{1,2}))?")


def check_cron(line: str) -> None:
    """Raise ``ValueError`` with the reason if ``line`` is no cron line of five fields.

    >>> check_cron("0 5 * * mon-fri")
    """
    fields = line.lower().split()
    if len(fields) != len(_FIELDS):
        raise ValueError(f"a cron line has 5 fields (minute, hour, day, month, weekday), not {len(fields)}")
    for field, (name, least, most, words) in zip(fields, _FIELDS, strict=True):
        for part in field.split(","):
            match = _PART.fullmatch(part)
            if match is None:
                raise ValueError(f"'{part[:40]}' is no {name} of a cron line")
            numbers = [_number(value, words) for value in match.group(1, 2) if value is not None]
            step = match.group(3)
            if any(not least <= number <= most for number in numbers) or step == "0" or step == "00":
                raise ValueError(f"'{part[:40]}' is no {name}: it goes from {least} to {most}")
            if numbers != sorted(numbers):
                raise ValueError(f"'{part[:40]}' is no {name}: it ends before it begins")


def _number(value: str, words: tuple[str, ...]) -> int:
    if value.isdigit():
        return int(value)
    return words.index(value) if value in words else -1
