"""Fetching one web address safely: checked machines only, bounded in bytes, time and redirects.

Names are looked up once for each request, every address found is checked, and the connection goes to the checked address
with the name in ``Host`` and in TLS; a name that answers differently the second time (DNS rebinding) is never asked twice.
Proxies are not used, because behind one nothing could be checked.
"""

from __future__ import annotations

import http.client
import ipaddress
import queue
import socket
import ssl
import threading
import time
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from aipk_core.documents.sources.addresses import normal_address, refusal

_BLOCK = 64 << 10
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
Resolver = Callable[[str, int], list[str]]
"""Host and port in, textual IP addresses out; raises ``OSError``."""


class FetchError(Exception):
    """An address could not be fetched.

    Attributes:
        code: stable kind, such as ``address-refused``, ``too-large``, ``timeout``, ``unreachable``.
        transient: whether trying again later may help.
    """

    def __init__(self, code: str, message: str, *, transient: bool = False) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.transient = transient


@dataclass(frozen=True, slots=True)
class Response:
    """What came back, after redirects; header names are in lower case, ``data`` is decompressed."""

    address: str
    status: int
    headers: Mapping[str, str]
    data: bytes

    @property
    def media_type(self) -> str:
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    @property
    def encoding(self) -> str:
        """The ``charset`` parameter of the content type, ``""`` if there is none."""
        for parameter in self.headers.get("content-type", "").split(";")[1:]:
            name, _, value = parameter.partition("=")
            if name.strip().lower() == "charset":
                return value.strip().strip("\"'")[:40]
        return ""


class Client:
    """Fetches addresses under one set of rules.

    Args:
        user_agent: name that servers see.
        timeout: seconds for one fetch, redirects included.
        max_redirects: hops that one fetch may take.
        allow_private: see ``addresses.refusal``.
        resolver: how names become addresses; the system's own way by default.
    """

    def __init__(
        self,
        user_agent: str,
        timeout: float,
        max_redirects: int,
        allow_private: bool = False,
        resolver: Resolver | None = None,
    ) -> None:
        self.user_agent = user_agent
        self.timeout = timeout
        self.max_redirects = max_redirects
        self.allow_private = allow_private
        self._resolve = resolver or _system_addresses
        self._tls = ssl.create_default_context()

    def fetch(
        self,
        address: str,
        *,
        max_bytes: int,
        headers: Mapping[str, str] | None = None,
        check: Callable[[str], None] | None = None,
    ) -> Response:
        """``GET`` an address in its normal spelling and follow its redirects.

        Args:
            max_bytes: size of the body, as sent and as decompressed.
            check: called with the address of each hop before it is asked; raises ``FetchError`` to refuse it.

        Raises:
            FetchError: see its ``code``. HTTP statuses other than redirects are no errors here.
        """
        deadline = time.monotonic() + self.timeout
        seen = {address}
        while True:
            if check:
                check(address)
            response = self._get(address, headers or {}, max_bytes, deadline)
            if response.status not in _REDIRECTS:
                return response
            target = normal_address(response.headers.get("location", ""), address)
            if target is None:
                raise FetchError("redirect-refused", "the redirect leads to something that is no web address")
            if urlsplit(address).scheme == "https" and urlsplit(target).scheme == "http":
                raise FetchError("redirect-refused", f"the redirect to {target} leaves the encrypted connection")
            if target in seen or len(seen) > self.max_redirects:
                raise FetchError("redirect-loop", f"more than {self.max_redirects} redirects, or a loop of them")
            seen.add(target)
            address = target

    def _get(self, address: str, headers: Mapping[str, str], max_bytes: int, deadline: float) -> Response:
        parts = urlsplit(address)
        host = (parts.hostname or "").strip("[]")
        port = parts.port or (443 if parts.scheme == "https" else 80)
        sockets = [self._connected(host, port, deadline)]
        # A timeout of the socket covers one read only; a server that sends a byte now and then would never run into it.
        watchdog = threading.Timer(max(deadline - time.monotonic(), 0), _cut, [sockets])
        watchdog.daemon = True
        watchdog.start()
        try:
            if parts.scheme == "https":
                encrypted = self._tls.wrap_socket(sockets[0], server_hostname=host, do_handshake_on_connect=False)
                sockets[0] = encrypted
                encrypted.do_handshake()
            connection = http.client.HTTPConnection(host, port)
            connection.sock = sockets[0]
            target = parts.path + (f"?{parts.query}" if parts.query else "")
            connection.putrequest("GET", target, skip_host=True, skip_accept_encoding=True)
            for name, value in self._request_headers(parts.netloc, headers).items():
                connection.putheader(name, value)
            connection.endheaders()
            with connection.getresponse() as answer:
                fields = {name.lower(): value for name, value in answer.getheaders()}
                # What a redirect or an error page says beyond its headers is of no use.
                data = _body(answer, fields, max_bytes) if answer.status == 200 else b""
            if time.monotonic() >= deadline:  # the watchdog may have cut the connection, which looks like its end
                raise _timed_out()
            return Response(address, answer.status, fields, data)
        except FetchError as error:
            if error.code == "truncated" and time.monotonic() >= deadline:
                raise _timed_out() from error
            raise
        except (OSError, http.client.HTTPException, ValueError) as error:
            if time.monotonic() >= deadline:
                raise _timed_out() from error
            if isinstance(error, ssl.SSLCertVerificationError):
                raise FetchError(
                    "certificate-invalid", f"the certificate is not valid: {error.verify_message}"
                ) from error
            said = str(error) or type(error).__name__
            raise FetchError("unreachable", f"the connection failed: {said[:200]}", transient=True) from error
        finally:
            watchdog.cancel()
            sockets[0].close()

    def _request_headers(self, netloc: str, headers: Mapping[str, str]) -> dict[str, str]:
        return {
            "Host": netloc,
            "User-Agent": self.user_agent,
            "Accept": "*/*",
            "Accept-Encoding": "gzip",
            "Connection": "close",
            **{name: value for name, value in headers.items() if value.isprintable() and value.isascii()},
        }

    def _connected(self, host: str, port: int, deadline: float) -> socket.socket:
        failure: OSError | None = None
        for address in self._checked(host, port, deadline):
            left = deadline - time.monotonic()
            if left <= 0:
                raise _timed_out()
            try:
                return socket.create_connection((address, port), timeout=left)
            except OSError as error:
                failure = error
        if time.monotonic() >= deadline:
            raise _timed_out() from failure
        said = failure.strerror or str(failure) if failure else "no address"
        raise FetchError("unreachable", f"cannot connect to {host}: {said}", transient=True) from failure

    def _checked(self, host: str, port: int, deadline: float) -> list[str]:
        """The addresses of ``host``, all of which may be asked."""
        try:
            found = _within(deadline, lambda: self._resolve(host, port))
        except OSError as error:
            raise FetchError("unreachable", f"the name {host} cannot be looked up", transient=True) from error
        for text in found:
            reason = refusal(ipaddress.ip_address(text.partition("%")[0]), self.allow_private)
            if reason:
                raise FetchError("address-refused", f"{host} is {text}, which is not asked: {reason}")
        return found


def gunzipped(data: bytes, max_bytes: int) -> bytes:
    """``data`` decompressed, all members of it.

    Raises:
        FetchError: ``too-large`` or ``damaged``.
    """
    inflater = _Inflater(max_bytes)
    return inflater.feed(data) + inflater.finish()


def _body(answer: http.client.HTTPResponse, fields: Mapping[str, str], max_bytes: int) -> bytes:
    coding = fields.get("content-encoding", "identity").strip().lower() or "identity"
    if coding not in {"identity", "gzip", "x-gzip"}:
        raise FetchError("unsupported", f"the server uses the compression {coding!r}, which was not asked for")
    if answer.length is not None and answer.length > max_bytes:
        raise _too_large(max_bytes)
    inflater = None if coding == "identity" else _Inflater(max_bytes)
    parts: list[bytes] = []
    received = kept = 0
    while block := answer.read1(_BLOCK):
        received += len(block)
        piece = inflater.feed(block) if inflater else block
        kept += len(piece)
        if max(received, kept) > max_bytes:
            raise _too_large(max_bytes)
        parts.append(piece)
    if answer.length:
        raise FetchError("truncated", f"the connection ended {answer.length} bytes too early", transient=True)
    if not received and "content-length" not in fields and not answer.chunked:
        raise FetchError("truncated", "the connection ended before the content", transient=True)
    if inflater:
        parts.append(inflater.finish())
    return b"".join(parts)


class _Inflater:
    """Decompresses gzip piece by piece and stops a bomb before it goes off."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._size = 0
        self._stream = zlib.decompressobj(31)

    def feed(self, data: bytes) -> bytes:
        parts: list[bytes] = []
        while data:
            if self._stream.eof:
                if not data.strip(b"\0"):
                    break
                self._stream = zlib.decompressobj(31)
            try:
                parts.append(self._stream.decompress(data, self._max_bytes - self._size + 1))
            except zlib.error as error:
                raise FetchError("damaged", f"the compressed data is damaged: {error}") from error
            self._size += len(parts[-1])
            if self._size > self._max_bytes:
                raise _too_large(self._max_bytes)
            data = self._stream.unused_data if self._stream.eof else self._stream.unconsumed_tail
        return b"".join(parts)

    def finish(self) -> bytes:
        if not self._stream.eof:
            raise FetchError("truncated", "the compressed data ends too early", transient=True)
        return b""


def _system_addresses(host: str, port: int) -> list[str]:
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def _within(deadline: float, work: Callable[[], list[str]]) -> list[str]:
    """The result of ``work``, which cannot be interrupted, unless it takes too long."""
    results: queue.SimpleQueue[list[str] | OSError] = queue.SimpleQueue()

    def run() -> None:
        try:
            results.put(work())
        except UnicodeError as error:
            results.put(OSError(str(error)))
        except OSError as error:
            results.put(error)

    threading.Thread(target=run, daemon=True).start()
    try:
        result = results.get(timeout=max(deadline - time.monotonic(), 0.001))
    except queue.Empty as error:
        raise _timed_out() from error
    if isinstance(result, OSError):
        raise result
    return result


def _cut(sockets: list[socket.socket]) -> None:
    try:
        sockets[0].shutdown(socket.SHUT_RDWR)
    except OSError:
        return  # already closed: the work was done in time


def _timed_out() -> FetchError:
    return FetchError("timeout", "the server took too long", transient=True)


def _too_large(limit: int) -> FetchError:
    return FetchError("too-large", f"there are more than {limit} bytes")
