"""Strangers stay outside: other sites' pages, rebinding names, large bodies, missing keys."""

from __future__ import annotations

import base64
from collections.abc import Callable

import httpx

from aipk_core.serve.app import ServeSettings
from aipk_core.serve.guard import LOOPBACK, Access, host_name
from aipk_core.serve.protocol import MAX_BODY_BYTES

Start = Callable[..., str]
BODY = {"messages": [{"role": "user", "content": "Hello"}]}


def test_only_this_servers_own_names_are_answered(start: Start) -> None:
    address = start()
    assert httpx.get(f"{address}/health").status_code == 200
    for host in ("evil.example", "evil.example:8080", "127.0.0.1.evil.example", ""):
        response = httpx.get(f"{address}/health", headers={"host": host})
        assert response.status_code in (400, 421)
    assert httpx.get(f"{address}/health", headers={"host": "LOCALHOST:99"}).status_code == 200


def test_host_names_are_read_without_port_and_brackets() -> None:
    assert host_name("localhost:8080") == "localhost"
    assert host_name("[::1]:8080") == "::1"
    assert host_name("[::1]") == "::1"
    assert host_name("Example.org") == "example.org"


def test_pages_of_other_sites_may_not_ask(start: Start) -> None:
    address = start()
    url = f"{address}/v1/chat/completions"
    for headers in (
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
    ):
        response = httpx.post(url, json=BODY, headers=headers, timeout=60)
        assert response.status_code == 403
        assert "access-control-allow-origin" not in response.headers
    own = {"origin": address, "sec-fetch-site": "same-origin"}
    assert httpx.post(url, json=BODY, headers=own, timeout=60).status_code == 200


def test_an_allowed_origin_gets_cors_headers(start: Start) -> None:
    access = Access(origins=frozenset({"https://chat.example"}))
    address = start(ServeSettings(access=access))
    response = httpx.post(
        f"{address}/v1/chat/completions", json=BODY, headers={"origin": "https://chat.example"}, timeout=60
    )
    assert response.status_code == 200
    assert response.headers["access-control-allow-origin"] == "https://chat.example"


def test_with_a_key_everything_but_health_needs_it(start: Start) -> None:
    address = start(ServeSettings(access=Access("correct-horse", LOOPBACK)))
    assert httpx.get(f"{address}/health").status_code == 200
    for path in ("/", "/v1/models", "/source/saltmarsh/crew-handbook.md", "/static/chat.js", "/nowhere"):
        response = httpx.get(address + path)
        assert response.status_code == 401
        assert response.json()["error"]["code"] == "invalid_api_key"
    bad = {"authorization": "Bearer correct-hors"}
    assert httpx.get(f"{address}/v1/models", headers=bad).status_code == 401
    good = {"authorization": "Bearer correct-horse"}
    assert httpx.get(f"{address}/v1/models", headers=good).status_code == 200


def test_a_browser_is_asked_for_the_key_and_may_send_it_as_a_password(start: Start) -> None:
    address = start(ServeSettings(access=Access("schlüssel", LOOPBACK)))
    assert httpx.get(f"{address}/").headers["www-authenticate"].startswith("Basic")
    sent = base64.b64encode("me:schlüssel".encode()).decode()
    assert httpx.get(f"{address}/", headers={"authorization": f"Basic {sent}"}).status_code == 200
    assert httpx.get(f"{address}/", headers={"authorization": "Basic %%%"}).status_code == 401


def test_a_body_that_is_too_large_is_refused_however_it_is_sent(start: Start) -> None:
    url = f"{start()}/v1/chat/completions"
    large = b" " * (MAX_BODY_BYTES + 1)
    assert httpx.post(url, content=large, timeout=60).status_code == 413

    def pieces():  # type: ignore[no-untyped-def]  # sent with chunked encoding, without a length
        for _ in range(20):
            yield b" " * (MAX_BODY_BYTES // 10)

    assert httpx.post(url, content=pieces(), timeout=60).status_code == 413


def test_every_response_forbids_what_a_page_does_not_need(start: Start) -> None:
    address = start()
    for path in ("/", "/health", "/source/saltmarsh/crew-handbook.md", "/nowhere"):
        headers = httpx.get(address + path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe-inline" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert "server" not in headers
