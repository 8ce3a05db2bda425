"""Web addresses: one spelling for each, and which machines they may lead to."""

from __future__ import annotations

import ipaddress
import re
from urllib.parse import quote, urljoin, urlsplit, urlunsplit

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address

MAX_LENGTH = 4096
_DEFAULT_PORTS = {"http": 80, "https": 443}
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_TRANSLATED = ipaddress.IPv6Network("64:ff9b::/96")  # NAT64 (RFC 6052): an IPv4 address in its last 32 bits
_SITE_LOCAL = ipaddress.IPv6Network("fec0::/10")


def normal_address(address: str, base: str = "") -> str | None:
    """The one spelling of an http(s) address, without fragment; ``None`` for everything else.

    Lower-case scheme and host, IDNA host, no default port, no dot segments, needless escapes undone and needed ones done.
    """
    text = address.strip()
    if not text or len(text) > MAX_LENGTH or any(ord(character) < 32 or ord(character) == 127 for character in text):
        return None
    try:
        parts = urlsplit(urljoin(base, text) if base else text)
        scheme, host, port = parts.scheme.lower(), parts.hostname, parts.port
    except ValueError:
        return None
    if scheme not in _DEFAULT_PORTS or not host or parts.username is not None or parts.password is not None:
        return None
    name = _host_name(host)
    if name is None:
        return None
    netloc = name if port in {None, _DEFAULT_PORTS[scheme]} else f"{name}:{port}"
    path = _escaped(_without_dots(parts.path) or "/", "/!$&'()*+,;=:@")
    return urlunsplit((scheme, netloc, path, _escaped(parts.query, "/?!$&'()*+,;=:@"), ""))


def site_of(address: str) -> str:
    """The host (and port, where unusual) of a normal address; ``www.`` in front of it makes no other site."""
    return urlsplit(address).netloc.removeprefix("www.")


def origin_of(address: str) -> str:
    """Scheme, host and port of a normal address: what one ``robots.txt`` speaks for."""
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}"


def refusal(address: IPAddress, allow_private: bool) -> str:
    """Why this machine must not be asked (``"it is private"``), or ``""`` when it may be.

    ``allow_private`` opens this machine and private networks, but never link-local addresses: the secrets of cloud
    machines lie there.
    """
    for inner in (address, *_embedded(address)):
        if inner.is_unspecified or inner.is_multicast:
            return "it is no address of a single machine"
        if inner.is_link_local or (inner.version == 6 and inner in _SITE_LOCAL):
            return "it is link-local"
        if not allow_private:
            if inner.is_loopback:
                return "it is this machine"
            if inner.is_private or not inner.is_global:
                return "it is private or reserved"
    return ""


def _embedded(address: IPAddress) -> list[IPAddress]:
    """IPv4 addresses that an IPv6 address is another way to write or leads to."""
    if not isinstance(address, ipaddress.IPv6Address):
        return []
    found: list[IPAddress | None] = [address.ipv4_mapped, address.sixtofour]
    found += address.teredo or ()
    if address in _TRANSLATED:
        found.append(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
    return [inner for inner in found if inner is not None]


def _host_name(host: str) -> str | None:
    if ":" in host:
        try:
            return f"[{ipaddress.IPv6Address(host.partition('%')[0]).compressed}]"
        except ValueError:
            return None
    try:
        name = host.encode("idna").decode("ascii").lower().rstrip(".")
    except UnicodeError:
        return None
    return name if re.fullmatch(r"[a-z0-9_]([a-z0-9_.-]{0,252}[a-z0-9_])?", name) else None


def _without_dots(path: str) -> str:
    parts: list[str] = []
    pieces = path.split("/")
    for number, piece in enumerate(pieces):
        plain = piece.replace("%2e", ".").replace("%2E", ".")
        if plain == "..":
            if len(parts) > 1:
                parts.pop()
        elif plain != ".":
            parts.append(piece)
            continue
        if number == len(pieces) - 1:
            parts.append("")
    return "/".join(parts)


def _escaped(text: str, safe: str) -> str:
    """One spelling of escapes: upper case, none for characters that need none, and one for all that do."""

    def plain(match: re.Match[str]) -> str:
        character = chr(int(match[1], 16))
        return character if character in _UNRESERVED else match[0].upper()

    return quote(_ESCAPE.sub(plain, text), safe=safe + "~%", errors="replace")
