"""Embedding models behind a server: a small server on loopback plays the part."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest

from aipk_core.embedding import EmbeddingSettings, open_embedder
from aipk_core.errors import EmbedderError, ModelError

pytestmark = pytest.mark.filterwarnings("ignore")  # LiteLLM's own


class EmbeddingServer(ThreadingHTTPServer):
    """Answers like an OpenAI-compatible embedding server: the vector of a text is its length and its vowels."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.failures: list[int] = []
        self.requests: list[dict[str, Any]] = []
        self.dimensions = 4

    @property
    def settings(self) -> EmbeddingSettings:
        return EmbeddingSettings(
            provider="litellm",
            model="openai/toy",
            api_base=f"http://127.0.0.1:{self.server_port}/v1",
            api_key_env="TOY_KEY",
            timeout_seconds=10,
            retries=1,
        )


class _Handler(BaseHTTPRequestHandler):
    server: EmbeddingServer

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.requests.append(body)
        status = self.server.failures.pop(0) if self.server.failures else 200
        rows = [
            {
                "object": "embedding",
                "index": index,
                "embedding": [float(len(text)), 1.0, 2.0, 3.0, 4.0][: self.server.dimensions],
            }
            for index, text in enumerate(body["input"])
        ]
        answer = {
            "object": "list",
            "data": rows[::-1],
            "model": "toy",
            "usage": {"prompt_tokens": 1, "total_tokens": 1},
        }
        if status != 200:
            answer = {"error": {"message": "busy", "type": "server_error", "code": status}}
        payload = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(payload)))
        self.send_header("retry-after", "0")
        self.end_headers()
        self.wfile.write(payload)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[EmbeddingServer]:
    monkeypatch.setenv("TOY_KEY", "secret")
    with EmbeddingServer() as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_vectors_come_back_in_the_order_of_the_texts(server: EmbeddingServer) -> None:
    embedder = open_embedder(server.settings)
    vectors = embedder.embed_passages(["a" * 9, "", "b"])

    assert embedder.identity.dimensions == 4
    assert embedder.identity.name == "openai/toy"
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0)
    assert vectors[0, 0] > vectors[2, 0]


def test_a_busy_server_is_asked_again(server: EmbeddingServer) -> None:
    embedder = open_embedder(server.settings)
    server.failures = [503]

    assert embedder.identity.dimensions == 4
    assert len(server.requests) == 2


def test_a_refusal_is_final_and_never_shows_the_key(server: EmbeddingServer) -> None:
    embedder = open_embedder(server.settings)
    server.failures = [401, 401]

    with pytest.raises(ModelError) as caught:
        embedder.embed_queries(["x"])
    assert caught.value.code == "model-unavailable"
    assert "secret" not in str(caught.value)
    assert len(server.requests) == 1


def test_vectors_that_change_their_length_are_refused(server: EmbeddingServer) -> None:
    embedder = open_embedder(server.settings)
    assert embedder.identity.dimensions == 4
    server.dimensions = 5

    with pytest.raises(EmbedderError) as caught:
        embedder.embed_passages(["x"])
    assert caught.value.code == "embedder-mismatch"


def test_a_missing_key_names_its_variable(server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TOY_KEY")
    with pytest.raises(ModelError, match="TOY_KEY") as caught:
        open_embedder(server.settings).embed_passages(["x"])
    assert caught.value.code == "key-missing"


def test_token_counts_are_an_upper_estimate(server: EmbeddingServer) -> None:
    embedder = open_embedder(server.settings)
    assert embedder.count_tokens("one two three") >= 3
    assert embedder.count_tokens("日本語") >= 3
