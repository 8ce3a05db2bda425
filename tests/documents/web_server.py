"""A web server on this machine that behaves as tests tell it to, well or badly."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = Callable[["Handler"], None]


class Handler(BaseHTTPRequestHandler):
    """Looks its answer up by path; unknown paths are 404."""

    protocol_version = "HTTP/1.1"
    server: WebServer

    def do_GET(self) -> None:
        with self.server.lock:
            self.server.requests.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
        answer = self.server.answers.get(self.path)
        try:
            if answer is None:
                self.reply(404, b"not here")
            elif isinstance(answer, bytes):
                self.reply(200, answer)
            else:
                answer(self)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def reply(self, status: int, body: bytes = b"", **headers: str) -> None:
        named = {name.replace("_", "-").title(): value for name, value in headers.items()}
        self.send_response(status)
        for name, value in {"Content-Type": "text/html", "Content-Length": str(len(body)), **named}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = True

    def log_message(self, *_: Any) -> None:
        """Tests are quiet."""


class WebServer(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers: dict[str, bytes | Answer] = {}
        self.requests: list[tuple[str, dict[str, str]]] = []
        self.lock = threading.Lock()

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def asked(self) -> list[str]:
        """Paths that were asked for, without robots.txt."""
        return [path for path, _ in self.requests if path != "/robots.txt"]

    def handle_error(self, *_: Any) -> None:
        """Clients that hang up are what these tests are about."""


@contextmanager
def web_server() -> Iterator[WebServer]:
    server = WebServer()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
