"""The LiteLLM backend against a server on loopback that misbehaves in every way that real ones do."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from aipk_core.answer.backend import BackendSettings, LiteLLMBackend, read_key
from aipk_core.answer.model import Message, Sampling
from aipk_core.errors import ModelError, UsageError

ASKED = [Message("user", "Hello")]
pytestmark = pytest.mark.filterwarnings("ignore")  # LiteLLM's own warnings are not ours to mend


class Misbehaving(ThreadingHTTPServer):
    """Answers ``POST /<way>/chat/completions`` in that way; keeps what it was sent."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str] = []

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that gave up is part of the play."""

    def address(self, way: str) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/{way}"


class _Handler(BaseHTTPRequestHandler):
    server: Misbehaving

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.requests.append(body)
        self.server.keys.append(self.headers.get("authorization", ""))
        way = self.path.split("/")[1]
        if way == "flaky" and len(self.server.requests) > 1:
            way = "good"
        if way == "slow":
            time.sleep(5)
        status = {"flaky": 503, "dead": 500, "limited": 429, "forbidden": 401, "absent": 404}.get(way, 200)
        text = {"empty": "", "null": None, "long": "x" * 300_000}.get(way, "Hello back.")
        reply: Any = {
            "id": "x",
            "object": "chat.completion",
            "created": 1,
            "model": "m",
            "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5},
        }
        if status != 200:
            reply = {"error": {"message": f"no, {self.headers.get('authorization')}", "type": "x"}}
        content = json.dumps(reply).encode() if way != "garbage" else b"<html>It works!</html>"
        self.send_response(status)
        self.send_header("content-type", "application/json" if way != "garbage" else "text/html")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the parent's name
        """Says nothing."""


@pytest.fixture
def server() -> Iterator[Misbehaving]:
    running = Misbehaving()
    thread = threading.Thread(target=running.serve_forever, daemon=True)
    thread.start()
    yield running
    running.shutdown()
    running.server_close()


def backend(server: Misbehaving, way: str, **options: Any) -> LiteLLMBackend:
    return LiteLLMBackend(
        BackendSettings("openai/m", server.address(way), **{"timeout": 20.0, "retries": 0, **options})
    )


def test_a_reply_comes_back_with_its_usage(server: Misbehaving) -> None:
    completion = backend(server, "good", max_tokens=50).complete(ASKED, Sampling(temperature=0.0, max_tokens=500))
    assert completion.text == "Hello back."
    assert (completion.usage.prompt_tokens, completion.usage.completion_tokens) == (3, 2)
    sent = server.requests[0]
    assert sent["temperature"] == 0
    assert sent["max_tokens"] == 50
    assert sent["messages"] == [{"role": "user", "content": "Hello"}]


def test_an_empty_reply_is_no_error_here(server: Misbehaving) -> None:
    for way in ("empty", "null"):
        assert backend(server, way).complete(ASKED, Sampling()).text == ""


@pytest.mark.parametrize(
    ("way", "code"),
    [
        ("dead", "model-unavailable"),
        ("limited", "model-rate-limited"),
        ("forbidden", "model-rejected"),
        ("absent", "model-rejected"),
        ("long", "model-nonsense"),
    ],
)
def test_failures_are_model_errors_without_the_key(server: Misbehaving, way: str, code: str) -> None:
    with pytest.raises(ModelError) as caught:
        backend(server, way, api_key="secret-key").complete(ASKED, Sampling())
    assert caught.value.code == code
    assert "secret-key" not in str(caught.value)


def test_what_is_no_completion_is_a_model_error(server: Misbehaving) -> None:
    with pytest.raises(ModelError):
        backend(server, "garbage").complete(ASKED, Sampling())


def test_a_server_that_is_not_there_is_a_model_error() -> None:
    settings = BackendSettings("openai/m", "http://127.0.0.1:9/v1", timeout=10, retries=0)
    with pytest.raises(ModelError) as caught:
        LiteLLMBackend(settings).complete(ASKED, Sampling())
    assert caught.value.code == "model-unavailable"


def test_a_slow_server_is_given_up_in_time(server: Misbehaving) -> None:
    started = time.monotonic()
    with pytest.raises(ModelError) as caught:
        backend(server, "slow", timeout=1.0, retries=3).complete(ASKED, Sampling())
    assert caught.value.code == "model-timeout"
    assert time.monotonic() - started < 4


def test_what_passes_is_tried_again_and_no_more_often_than_told(server: Misbehaving) -> None:
    assert backend(server, "flaky", retries=2).complete(ASKED, Sampling()).text == "Hello back."
    assert len(server.requests) == 2
    server.requests.clear()
    with pytest.raises(ModelError):
        backend(server, "dead", retries=1).complete(ASKED, Sampling())
    assert len(server.requests) == 2
    server.requests.clear()
    with pytest.raises(ModelError):
        backend(server, "forbidden", retries=3).complete(ASKED, Sampling())
    assert len(server.requests) == 1


def test_without_a_key_a_placeholder_goes_to_the_named_address(server: Misbehaving, monkeypatch: Any) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "key-of-somebody-else")
    backend(server, "good").complete(ASKED, Sampling())
    assert server.keys == ["Bearer none"]


def test_keys_come_from_a_file_or_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "key"
    file.write_text("abc\n")
    assert read_key(file=file) == "abc"
    monkeypatch.setenv("SOME_KEY", "def")
    assert read_key(variable="SOME_KEY") == "def"
    assert read_key() == ""
    with pytest.raises(UsageError):
        read_key(file=tmp_path / "none")
    with pytest.raises(UsageError):
        read_key(variable="NO_SUCH_KEY")
    file.write_text("two words")
    with pytest.raises(UsageError):
        read_key(file=file)
