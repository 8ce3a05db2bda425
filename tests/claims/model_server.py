"""An OpenAI-compatible server on loopback that answers as a script says, well or badly.

``python tests/claims/model_server.py`` is of no use by itself; tests and ``bench/claims.py`` start it with ``serving``.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MODEL = "openai/scripted"
_SENTENCE = re.compile(r"^\[(\d+)\] (.*)$", re.MULTILINE)

BEHAVIOURS = (
    "good", "malformed", "cut", "empty", "refusing", "refusing in words", "limited once", "limited", "slow", "trickling",
    "dying", "broken once", "broken", "no choices", "unknown sentences", "inventing", "endless", "no schema",
)  # fmt: skip
"""How the server can answer; ``good`` repeats each sentence of the prompt as a claim."""


class Script:
    """What the server does next, and what it has seen.

    Args:
        behaviour: one of ``BEHAVIOURS``, for all requests.
        seconds: how long a slow server waits.
    """

    def __init__(self, behaviour: str = "good", *, seconds: float = 3.0) -> None:
        assert behaviour in BEHAVIOURS
        self.behaviour = behaviour
        self.seconds = seconds
        self.requests: list[dict[str, Any]] = []
        self.seen: Counter[str] = Counter()
        self.at_once = 0
        self.most_at_once = 0
        self.lock = threading.Lock()


@contextmanager
def serving(script: Script) -> Iterator[str]:
    """Runs the server and gives its base address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(script))
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()


def sentences_of(request: dict[str, Any]) -> list[tuple[int, str]]:
    """The numbered sentences of a prompt."""
    return [(int(number), text) for number, text in _SENTENCE.findall(request["messages"][-1]["content"])]


def _handler(script: Script) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *arguments: object) -> None:
            """Nothing is printed."""

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            key = request["messages"][-1]["content"]
            with script.lock:
                script.requests.append(request)
                script.seen[key] += 1
                first = script.seen[key] == 1
                script.at_once += 1
                script.most_at_once = max(script.most_at_once, script.at_once)
            try:
                self._answer(request, first)
            except (BrokenPipeError, ConnectionResetError):
                pass  # the client has hung up, as it should
            finally:
                with script.lock:
                    script.at_once -= 1

        def _answer(self, request: dict[str, Any], first: bool) -> None:
            behaviour = script.behaviour
            if behaviour == "dying":
                self.close_connection = True
                self.connection.close()
            elif behaviour == "limited" or (behaviour == "limited once" and first):
                self._send(429, {"error": {"message": "too many requests", "type": "rate_limit"}})
            elif behaviour == "broken" or (behaviour == "broken once" and first):
                self._send(500, {"error": {"message": "internal error", "type": "server_error"}})
            elif behaviour == "no schema" and "response_format" in request:
                self._send(400, {"error": {"message": "response_format is not supported", "type": "invalid_request"}})
            elif behaviour == "no choices":
                self._send(
                    200, {"id": "x", "object": "chat.completion", "created": 0, "model": "scripted", "choices": []}
                )
            elif behaviour == "slow":
                time.sleep(script.seconds)
                self._complete(_good(request))
            elif behaviour == "trickling":
                self._trickle()
            else:
                text, finish, refusal = _text(behaviour, request)
                self._complete(text, finish, refusal)

        def _complete(self, text: str | None, finish: str = "stop", refusal: str | None = None) -> None:
            message = {"role": "assistant", "content": text, "refusal": refusal}
            self._send(
                200,
                {
                    "id": "x",
                    "object": "chat.completion",
                    "created": 0,
                    "model": "scripted",
                    "choices": [{"index": 0, "message": message, "finish_reason": finish}],
                    "usage": {"prompt_tokens": 100, "completion_tokens": 50, "total_tokens": 150},
                },
            )

        def _send(self, status: int, body: dict[str, Any]) -> None:
            data = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def _trickle(self) -> None:
            """A reply whose bytes come so slowly that no socket times out."""
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", "100000")
            self.end_headers()
            until = time.monotonic() + script.seconds
            while time.monotonic() < until:
                self.wfile.write(b" ")
                self.wfile.flush()
                time.sleep(0.1)
            self.close_connection = True

    return Handler


def _text(behaviour: str, request: dict[str, Any]) -> tuple[str | None, str, str | None]:
    """Text, reason of the end, and refusal of a reply."""
    sentences = sentences_of(request)
    if behaviour == "malformed":
        return "Here are the facts you wanted:\n- one\n- two", "stop", None
    if behaviour == "cut":
        whole = _good(request)
        return (whole, "stop", None) if len(sentences) == 1 else (whole[: len(whole) * 2 // 3], "length", None)
    if behaviour == "empty":
        return "", "stop", None
    if behaviour == "refusing":
        return None, "stop", "I cannot help with that."
    if behaviour == "refusing in words":
        return "I'm sorry, but I can't assist with this request.", "stop", None
    if behaviour == "unknown sentences":
        return (
            json.dumps({"claims": [{"text": text, "sentences": [number + 1000]} for number, text in sentences]}),
            "stop",
            None,
        )
    if behaviour == "inventing":
        return (
            json.dumps({"claims": [{"text": invented(text), "sentences": [number]} for number, text in sentences]}),
            "stop",
            None,
        )
    if behaviour == "endless":
        return "x" * 300_000, "stop", None
    return _good(request), "stop", None


def invented(text: str) -> str:
    """The sentence with something changed that its source does not say."""
    if re.search(r"\d", text):
        return re.sub(r"\d+", lambda match: str(int(match[0]) + 1), text, count=1)
    return (
        re.sub(r"\b(is|are|has|have|can|may|must)\b", r"\1 not", text, count=1)
        if " not " not in text
        else text.replace(" not ", " ")
    )


def _good(request: dict[str, Any]) -> str:
    claims = [
        {"text": re.sub(r"^\([^)]*\) ", "", text), "sentences": [number]} for number, text in sentences_of(request)
    ]
    return json.dumps({"claims": claims}, ensure_ascii=False)
