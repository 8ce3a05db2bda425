"""Fetching one address: which machines are asked, and what a misbehaving server can do."""

from __future__ import annotations

import gzip
import ipaddress
import shutil
import ssl
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from web_server import Handler, WebServer, web_server

from aipk_core.documents.sources.addresses import normal_address, refusal
from aipk_core.documents.sources.network import Client, FetchError, gunzipped


@pytest.fixture
def server() -> Iterator[WebServer]:
    with web_server() as running:
        yield running


def client(timeout: float = 5.0, allow_private: bool = True) -> Client:
    return Client("aipk", timeout=timeout, max_redirects=3, allow_private=allow_private)


def failure(address: str, *, timeout: float = 5.0, allow_private: bool = True, max_bytes: int = 10_000) -> str:
    with pytest.raises(FetchError) as caught:
        client(timeout, allow_private).fetch(address, max_bytes=max_bytes)
    return caught.value.code


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "127.9.9.9",
        "10.0.0.1",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "0.0.0.0",
        "224.0.0.1",
        "255.255.255.255",
        "192.0.2.1",
        "198.18.0.1",
        "240.0.0.1",
        "::1",
        "::",
        "fe80::1",
        "fc00::1",
        "fd00::1",
        "ff02::1",
        "fec0::1",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "2002:7f00:1::",
        "2002:a9fe:a9fe::",
        "64:ff9b::7f00:1",
        "64:ff9b::a9fe:a9fe",
        "2001:db8::1",
    ],
)
def test_addresses_that_are_not_on_the_public_internet_are_refused(address: str) -> None:
    assert refusal(ipaddress.ip_address(address), allow_private=False)


@pytest.mark.parametrize("address", ["93.184.216.34", "8.8.8.8", "2606:4700:4700::1111", "64:ff9b::808:808"])
def test_public_addresses_are_asked(address: str) -> None:
    assert refusal(ipaddress.ip_address(address), allow_private=False) == ""


@pytest.mark.parametrize("address", ["169.254.169.254", "::ffff:169.254.169.254", "fe80::1", "224.0.0.1", "0.0.0.0"])
def test_allow_private_opens_no_link_local_address(address: str) -> None:
    assert refusal(ipaddress.ip_address(address), allow_private=True)
    assert refusal(ipaddress.ip_address("127.0.0.1"), allow_private=True) == ""


@pytest.mark.parametrize(
    ("address", "normal"),
    [
        ("HTTP://Example.ORG:80", "http://example.org/"),
        ("https://example.org:443/a/./b/../c?q=1#part", "https://example.org/a/c?q=1"),
        ("https://example.org/%7euser/%2f?x=a b", "https://example.org/~user/%2F?x=a%20b"),
        ("https://bücher.example/ü", "https://xn--bcher-kva.example/%C3%BC"),
        ("https://example.org./a", "https://example.org/a"),
        ("http://[::1]:8080/", "http://[::1]:8080/"),
        ("ftp://example.org/", None),
        ("https://user@example.org/", None),
        ("https://example.org:99999/", None),
        ("https://exa mple.org/", None),
        ("javascript:alert(1)", None),
        ("https://example.org/\r\nHost: other", None),
    ],
)
def test_one_spelling_for_each_address(address: str, normal: str | None) -> None:
    assert normal_address(address) == normal


@given(st.text(max_size=60))
def test_any_text_is_an_address_in_normal_spelling_or_none(text: str) -> None:
    for base in ("", "https://example.org/a/b"):
        normal = normal_address(text, base)
        if normal is not None:
            assert normal_address(normal) == normal
            assert normal.isascii()
            assert " " not in normal


def test_a_page_with_its_type(server: WebServer) -> None:
    server.answers["/a"] = lambda handler: handler.reply(200, b"<p>A", content_type='Text/HTML; charset="UTF-8"')
    response = client().fetch(f"{server.base}/a", max_bytes=100)
    assert (response.data, response.media_type, response.encoding) == (b"<p>A", "text/html", "UTF-8")


def test_this_machine_is_refused_by_default_whatever_its_name(server: WebServer) -> None:
    port = server.server_address[1]
    for host in ("127.0.0.1", "localhost", "[::1]", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]"):
        assert failure(f"http://{host}:{port}/", allow_private=False) in {"address-refused", "unreachable"}
    assert server.requests == []


def test_a_name_is_looked_up_once_and_the_checked_address_is_asked(server: WebServer) -> None:
    answers = iter([["127.0.0.1"], ["169.254.169.254"]])
    asked = []

    def resolver(host: str, port: int) -> list[str]:
        asked.append(host)
        return next(answers)

    server.answers["/"] = b"page"
    rebinding = Client("aipk", 5, 3, allow_private=True, resolver=resolver)
    address = f"http://docs.example.org:{server.server_address[1]}/"
    assert rebinding.fetch(address, max_bytes=100).data == b"page"
    assert asked == ["docs.example.org"]
    assert server.requests[0][1]["host"] == f"docs.example.org:{server.server_address[1]}"
    with pytest.raises(FetchError, match="link-local"):
        rebinding.fetch(address, max_bytes=100)


def test_one_forbidden_address_among_several_is_enough() -> None:
    mixed = Client("aipk", 5, 3, resolver=lambda host, port: ["93.184.216.34", "10.0.0.1"])
    with pytest.raises(FetchError, match=r"10\.0\.0\.1"):
        mixed.fetch("http://docs.example.org/", max_bytes=100)


@pytest.mark.parametrize("target", ["http://169.254.169.254/latest/meta-data", "file:///etc/passwd", "gopher://x/"])
def test_a_redirect_leads_nowhere_dangerous(server: WebServer, target: str) -> None:
    server.answers["/"] = lambda handler: handler.reply(302, location=target)
    assert failure(f"{server.base}/") in {"address-refused", "redirect-refused"}


def test_redirects_end(server: WebServer) -> None:
    server.answers["/loop"] = lambda handler: handler.reply(302, location="/loop")
    for number in range(9):
        server.answers[f"/{number}"] = lambda handler, to=number + 1: handler.reply(301, location=f"/{to}")
    server.answers["/9"] = b"end"
    assert failure(f"{server.base}/loop") == "redirect-loop"
    assert failure(f"{server.base}/0") == "redirect-loop"
    assert client().fetch(f"{server.base}/7", max_bytes=100).address == f"{server.base}/9"


def slow_headers(handler: Handler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
    for number in range(100):
        handler.wfile.write(b"X-%d: y\r\n" % number)
        time.sleep(0.1)


def slow_body(handler: Handler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
    for _ in range(100):
        handler.wfile.write(b"x")
        time.sleep(0.1)


def endless_body(handler: Handler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
    while True:
        handler.wfile.write(b"x" * 10_000)


def silent(handler: Handler) -> None:
    time.sleep(3)


@pytest.mark.parametrize("answer", [slow_headers, slow_body, silent])
def test_slow_servers_are_given_up(server: WebServer, answer: object) -> None:
    server.answers["/"] = answer  # type: ignore[assignment]
    begin = time.monotonic()
    assert failure(f"{server.base}/", timeout=0.6) == "timeout"
    assert time.monotonic() - begin < 2.5


def test_endless_and_large_bodies_are_cut(server: WebServer) -> None:
    server.answers["/endless"] = endless_body
    server.answers["/large"] = b"x" * 20_000
    assert failure(f"{server.base}/endless") == "too-large"
    assert failure(f"{server.base}/large") == "too-large"


def test_wrong_lengths_and_nonsense_are_errors(server: WebServer) -> None:
    def raw(data: bytes) -> object:
        def answer(handler: Handler) -> None:
            handler.wfile.write(data)
            handler.close_connection = True

        return answer

    bad = {
        "/short": b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort",
        "/chunk": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nshort",
        "/chunks": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "/status": b"SSH-2.0-OpenSSH\r\n",
        "/nothing": b"",
        "/header": b"HTTP/1.1 200 OK\r\nX: " + b"y" * 70_000 + b"\r\n\r\n",
        "/negative": b"HTTP/1.1 abc OK\r\n\r\n",
    }
    for path, data in bad.items():
        server.answers[path] = raw(data)  # type: ignore[assignment]
        assert failure(f"{server.base}{path}") in {"truncated", "unreachable"}, path


def test_gzip_is_read_and_bombs_do_not_go_off(server: WebServer) -> None:
    bomb = gzip.compress(b"\0" * 5_000_000)
    server.answers["/page"] = lambda handler: handler.reply(200, gzip.compress(b"page"), content_encoding="gzip")
    server.answers["/bomb"] = lambda handler: handler.reply(200, bomb, content_encoding="gzip")
    server.answers["/cut"] = lambda handler: handler.reply(200, gzip.compress(b"page")[:-4], content_encoding="gzip")
    server.answers["/other"] = lambda handler: handler.reply(200, b"page", content_encoding="br")
    assert client().fetch(f"{server.base}/page", max_bytes=100).data == b"page"
    assert failure(f"{server.base}/bomb") == "too-large"
    assert failure(f"{server.base}/cut") == "truncated"
    assert failure(f"{server.base}/other") == "unsupported"


def test_gunzip_reads_all_members() -> None:
    assert gunzipped(gzip.compress(b"one") + gzip.compress(b"two") + b"\0\0", 10) == b"onetwo"
    with pytest.raises(FetchError, match="more than 5 bytes"):
        gunzipped(gzip.compress(b"one") + gzip.compress(b"two"), 5)
    with pytest.raises(FetchError, match="damaged"):
        gunzipped(b"\x1f\x8b nothing of the kind", 10)


def test_an_encrypted_connection_needs_a_server_that_can(server: WebServer) -> None:
    assert failure(server.base.replace("http:", "https:") + "/", timeout=2) == "unreachable"


@pytest.fixture
def encrypted(server: WebServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> WebServer:
    """The server behind TLS, with a certificate for docs.example.org that this process trusts."""
    if shutil.which("openssl") is None:
        pytest.skip("the program openssl is not here to make a certificate")
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=test"]
    names = ["-addext", "subjectAltName=DNS:docs.example.org", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run([*command, *names], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    return server


def trusting() -> Client:
    return Client("aipk", 5, 3, allow_private=True, resolver=lambda host, port: ["127.0.0.1"])


def test_the_certificate_is_checked_against_the_name_not_the_address(encrypted: WebServer) -> None:
    encrypted.answers["/"] = b"page"
    port = encrypted.server_address[1]
    assert trusting().fetch(f"https://docs.example.org:{port}/", max_bytes=100).data == b"page"
    with pytest.raises(FetchError) as caught:
        trusting().fetch(f"https://other.example.org:{port}/", max_bytes=100)
    assert caught.value.code == "certificate-invalid"


def test_an_encrypted_connection_stays_encrypted_and_in_time(encrypted: WebServer) -> None:
    encrypted.answers["/"] = lambda handler: handler.reply(302, location="http://docs.example.org/")
    encrypted.answers["/slow"] = slow_body
    base = f"https://docs.example.org:{encrypted.server_address[1]}"
    with pytest.raises(FetchError, match="leaves the encrypted connection"):
        trusting().fetch(f"{base}/", max_bytes=100)
    hasty = Client("aipk", 0.6, 3, allow_private=True, resolver=lambda host, port: ["127.0.0.1"])
    begin = time.monotonic()
    with pytest.raises(FetchError) as caught:
        hasty.fetch(f"{base}/slow", max_bytes=5000)
    assert caught.value.code == "timeout"
    assert time.monotonic() - begin < 2.5
