"""robots.txt, as RFC 9309 defines it, with ``Crawl-delay``."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from aipk_core.documents.sources.addresses import normal_address

MAX_BYTES = 500 << 10
"""What RFC 9309 asks to be read at least; the rest of a longer file is ignored."""

MAX_DELAY = 60.0
_MAX_RULES = 20_000
_TOKEN = re.compile(r"[A-Za-z_-]+")


@dataclass
class _Group:
    agents: list[str] = field(default_factory=list)
    rules: list[tuple[bool, str]] = field(default_factory=list)
    delay: float = 0.0


class Robots:
    """What one ``robots.txt`` allows one robot.

    Args:
        text: the file; ``""`` allows everything.
        user_agent: only its leading token counts (``aipk`` of ``aipk/1.0 (+https://…)``).
    """

    def __init__(self, text: str, user_agent: str) -> None:
        token = (_TOKEN.match(user_agent) or [""])[0].lower()
        groups = _groups(text)
        own = [group for group in groups if token and token in group.agents]
        chosen = own or [group for group in groups if "*" in group.agents]
        self._rules = [rule for group in chosen for rule in group.rules]
        self.delay = min(max((group.delay for group in chosen), default=0.0), MAX_DELAY)

    def allows(self, address: str) -> bool:
        """Whether an address may be read: the longest rule that matches decides, ``Allow`` when two are as long."""
        parts = urlsplit(address)
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        if path == "/robots.txt":
            return True
        best_length, allowed = -1, True
        for allow, rule in self._rules:
            if len(rule) >= best_length and _matches(rule, path):
                allowed = allow or (allowed and len(rule) == best_length)
                best_length = len(rule)
        return allowed


class Forbidden(Robots):
    """Allows nothing: what must be assumed while a site cannot say what it allows."""

    def __init__(self) -> None:
        super().__init__("User-agent: *\nDisallow: /", "*")


def _groups(text: str) -> list[_Group]:
    groups: list[_Group] = []
    naming = False
    rules = 0
    for line in text.removeprefix("\ufeff").splitlines():
        name, colon, value = line.partition("#")[0].partition(":")
        if not colon:
            continue
        name, value = name.strip().lower(), value.strip()
        if name == "user-agent":
            if not naming:
                groups.append(_Group())
            token = value if value == "*" else (_TOKEN.match(value) or [""])[0]
            groups[-1].agents.append(token.lower())
            naming = True
        elif groups and name in {"allow", "disallow"}:
            naming = False
            rules += 1
            if value and rules <= _MAX_RULES:
                groups[-1].rules.append((name == "allow", _normal_rule(value)))
        elif groups and name == "crawl-delay":
            naming = False
            if re.fullmatch(r"\d{1,6}(\.\d+)?", value):
                groups[-1].delay = float(value)
    return groups


def _normal_rule(value: str) -> str:
    """A rule with its escapes in the same spelling as those of addresses."""
    end = "$" if value.endswith("$") else ""
    path = value.removesuffix("$") if end else value
    pieces = []
    for piece in path.split("*"):
        # A slash in front makes a piece a path; it is taken away again when it was not there.
        slash = "" if piece.startswith("/") else "/"
        escaped = normal_address(f"http://robots{slash}{piece.replace('#', '%23')}") if piece else None
        pieces.append(escaped.removeprefix(f"http://robots{slash}") if escaped else piece)
    return "*".join(pieces) + end


def _matches(rule: str, path: str) -> bool:
    """Whether ``path`` starts with ``rule``, where ``*`` stands for anything and a final ``$`` for the end.

    Each piece between stars is taken at its first place, so the time grows with the lengths, not with their product's power.
    """
    anchored = rule.endswith("$")
    pieces = (rule[:-1] if anchored else rule).split("*")
    if not path.startswith(pieces[0]):
        return False
    position = len(pieces[0])
    if len(pieces) == 1:
        return not anchored or position == len(path)
    for piece in pieces[1:-1]:
        found = path.find(piece, position)
        if found < 0:
            return False
        position = found + len(piece)
    last = pieces[-1]
    if anchored:
        return len(path) - position >= len(last) and path.endswith(last)
    return path.find(last, position) >= 0
