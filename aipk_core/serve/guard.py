"""What stands in front of every request: who may ask, from where, and how much may be sent.

A server on 127.0.0.1 is reachable by every web page that its user opens. Three things keep such pages out: the Host
header must name this server (DNS rebinding), an Origin header must be this server's own or one that was allowed (cross
-site requests), and no CORS headers are sent unless the operator asks for them.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import hmac
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from aipk_core.serve.protocol import MAX_BODY_BYTES
from aipk_core.serve.responses import error_response

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})

_OPEN_PATHS = frozenset({"/health"})
_PAGE_PATHS = ("/source/", "/static/")
_HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "x-frame-options": "DENY",
    "cache-control": "no-store",
}


@dataclass(frozen=True, slots=True)
class Access:
    """Who may ask.

    Attributes:
        key: what clients must send as ``Authorization: Bearer`` (browsers: as the password of any user); ``""`` for none.
        hosts: names that the Host header may carry, without port; empty accepts every name (only sensible with a key).
        origins: web origins besides this server's own whose pages may ask.
    """

    key: str = ""
    hosts: frozenset[str] = LOOPBACK
    origins: frozenset[str] = frozenset()


class Guard:
    """ASGI middleware that turns unwelcome requests away before anything else sees them."""

    def __init__(self, app: ASGIApp, access: Access, *, body_seconds: float = 30.0) -> None:
        self._app = app
        self._access = access
        self._body_seconds = body_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        outgoing = _with_headers(send)
        refusal = self._refusal(scope, headers)
        if refusal is not None:
            status, message, code, extra = refusal
            kind = "authentication_error" if status == 401 else "invalid_request_error"
            await error_response(message, status, kind=kind, code=code, headers=extra)(scope, receive, outgoing)
            return
        try:
            body = await asyncio.wait_for(_body(headers, receive), self._body_seconds)
        except _TooLargeError:
            message = f"The request body is larger than {MAX_BODY_BYTES} bytes."
            await error_response(message, 413, code="request_too_large")(scope, receive, outgoing)
            return
        except TimeoutError:
            message = "The request body did not arrive in time."
            await error_response(message, 408, code="request_timeout")(scope, receive, outgoing)
            return
        if body is None:
            return
        await self._app(scope, _replay(body, receive), outgoing)

    def _refusal(self, scope: Scope, headers: Headers) -> tuple[int, str, str, dict[str, str] | None] | None:
        access = self._access
        host = host_name(headers.get("host", ""))
        if access.hosts and host not in access.hosts:
            return 421, "This server does not answer to that host name.", "host_not_allowed", None
        origin = headers.get("origin")
        if origin is not None and not self._origin_allowed(origin, headers.get("host", "")):
            return 403, "Pages of other sites may not use this server.", "origin_not_allowed", None
        if origin is None and headers.get("sec-fetch-site") in ("cross-site", "same-site") and scope["method"] != "GET":
            return 403, "Pages of other sites may not use this server.", "origin_not_allowed", None
        open_path = scope["path"] in _OPEN_PATHS or scope["method"] == "OPTIONS"
        if access.key and not open_path and not hmac.compare_digest(_sent_key(headers).encode(), access.key.encode()):
            page = scope["path"] == "/" or scope["path"].startswith(_PAGE_PATHS)
            extra = {"www-authenticate": 'Basic realm="aipk", charset="UTF-8"' if page else "Bearer"}
            return 401, "A valid key is needed to use this server.", "invalid_api_key", extra
        return None

    def _origin_allowed(self, origin: str, host: str) -> bool:
        if origin in self._access.origins:
            return True
        return urlsplit(origin).netloc.lower() == host.lower()


def host_name(host: str) -> str:
    """The name in a Host header, without port and brackets, lower case."""
    host = host.strip().lower()
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.rpartition(":")[0] if host.count(":") == 1 else host


def is_loopback(hosts: Iterable[str]) -> bool:
    return all(host in LOOPBACK for host in hosts)


class _TooLargeError(Exception):
    pass


async def _body(headers: Headers, receive: Receive) -> bytes | None:
    """The whole body; ``None`` when the client went away."""
    declared = headers.get("content-length", "0")
    if not declared.isdigit() or int(declared) > MAX_BODY_BYTES:
        raise _TooLargeError
    pieces: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        piece = message.get("body", b"")
        size += len(piece)
        if size > MAX_BODY_BYTES:
            raise _TooLargeError
        pieces.append(piece)
        if not message.get("more_body", False):
            return b"".join(pieces)


def _replay(body: bytes, receive: Receive) -> Receive:
    sent = False

    async def replayed() -> Message:
        nonlocal sent
        if not sent:
            sent = True
            return {"type": "http.request", "body": body, "more_body": False}
        return await receive()

    return replayed


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            present = {name for name, _ in message.setdefault("headers", [])}
            message["headers"] = [
                *message["headers"],
                *((name.encode(), value.encode()) for name, value in _HEADERS.items() if name.encode() not in present),
            ]
        await send(message)

    return sending


def _sent_key(headers: Headers) -> str:
    scheme, _, value = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return value.strip()
    if scheme.lower() == "basic":
        try:
            return base64.b64decode(value.strip(), validate=True).decode("utf-8").partition(":")[2]
        except (binascii.Error, UnicodeDecodeError):
            return ""
    return ""
