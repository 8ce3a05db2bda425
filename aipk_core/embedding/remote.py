"""Any embedding model that LiteLLM can reach: Ollama, vLLM, llama.cpp, a cloud API.

LiteLLM is imported with the first request, with its telemetry and its download of a price list off.
"""

from __future__ import annotations

import os
import random
import threading
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from aipk_core.embedding.model import EmbedderIdentity, Vectors
from aipk_core.embedding.settings import EmbeddingSettings
from aipk_core.embedding.vectors import checked_texts, unit_rows
from aipk_core.errors import EmbedderError, ModelError
from aipk_core.hashing import digest
from aipk_core.language_model import import_litellm

_TEXTS_PER_REQUEST = 64
_LONGEST_PAUSE_SECONDS = 30.0
# Errors that another try cannot mend: a wrong key, an unknown model, a request that the server does not understand.
_FINAL_STATUS = frozenset({400, 401, 403, 404, 405, 413, 422})


class RemoteEmbedder:
    """An embedding model behind a server; the vectors' length is asked of it once unless the settings give it."""

    def __init__(self, settings: EmbeddingSettings) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._known: EmbedderIdentity | None = None

    @property
    def identity(self) -> EmbedderIdentity:
        """Name and settings of the model; a server does not show its weights, so they are not part of the digest.

        Raises:
            ModelError: the server cannot be reached and its vectors' length is not in the settings.
        """
        with self._lock:
            if self._known is None:
                settings = self._settings
                dimensions = settings.dimensions or len(self._request(["dimensions"])[0])
                self._known = EmbedderIdentity(
                    name=settings.model,
                    revision="litellm",
                    digest=digest(
                        "litellm",
                        settings.model,
                        dimensions,
                        settings.max_tokens,
                        settings.query_prefix,
                        settings.passage_prefix,
                    ),
                    dimensions=dimensions,
                    max_tokens=settings.max_tokens,
                )
            return self._known

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """``[len(texts), dimensions]`` float32, every row of length 1.

        Raises:
            ModelError: the server cannot be reached or answers nonsense, after all tries.
        """
        return self._embed(texts, self._settings.passage_prefix)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Like ``embed_passages``, with the prefix for questions."""
        return self._embed(texts, self._settings.query_prefix)

    def count_tokens(self, text: str) -> int:
        """An upper estimate: the tokenizer stays with the server, and few tokens are shorter than three bytes."""
        return max(len(text.split()), -(-len(text.encode("utf-8", "replace")) // 3))

    def _embed(self, texts: Sequence[str], prefix: str) -> Vectors:
        cleaned = [prefix + text for text in checked_texts(texts)]
        dimensions = self.identity.dimensions
        vectors = np.empty((len(cleaned), dimensions), dtype=np.float32)
        for start in range(0, len(cleaned), _TEXTS_PER_REQUEST):
            part = cleaned[start : start + _TEXTS_PER_REQUEST]
            rows = self._request([text if text.strip() else "." for text in part])
            if any(len(row) != dimensions for row in rows):
                raise EmbedderError(
                    f"the server gave vectors of {len(rows[0])} dimensions, not {dimensions}",
                    code="embedder-mismatch",
                    where=self._settings.model,
                    remedy="Correct 'dimensions' in the settings, or name the model that was used before",
                )
            vectors[start : start + len(part)] = rows
        return unit_rows(vectors, where=self._settings.model)

    def _request(self, texts: list[str]) -> list[list[float]]:
        settings = self._settings
        litellm = import_litellm()
        for attempt in range(settings.retries + 1):
            try:
                answer = litellm.embedding(
                    model=settings.model,
                    input=texts,
                    api_base=settings.api_base or None,
                    api_key=self._key(),
                    timeout=settings.timeout_seconds,
                    num_retries=0,
                )
                return self._rows(answer, len(texts))
            except (ModelError, EmbedderError):
                raise
            except Exception as error:  # LiteLLM passes on the errors of a hundred providers
                status = getattr(error, "status_code", None)
                if status in _FINAL_STATUS or attempt == settings.retries:
                    raise ModelError(
                        f"the embedding model gave no answer ({type(error).__name__}: {str(error)[:300]})",
                        where=settings.model,
                        remedy="Check that the server runs and that model, api_base and key are right",
                    ) from error
                time.sleep(_pause(attempt, error))
        raise AssertionError("the loop returns or raises")

    def _key(self) -> str | None:
        name = self._settings.api_key_env
        if not name:
            return None
        key = os.environ.get(name)
        if not key:
            raise ModelError(
                f"the environment variable {name} is not set",
                code="key-missing",
                where=self._settings.model,
                remedy=f"Set {name} to the key of the embedding server",
            )
        return key

    def _rows(self, answer: Any, expected: int) -> list[list[float]]:
        """The vectors in the order of the texts; servers may answer in another one and number them."""
        try:
            items = sorted(
                (item if isinstance(item, dict) else item.model_dump() for item in answer.data),
                key=lambda item: int(item.get("index") or 0),
            )
            rows = [[float(value) for value in item["embedding"]] for item in items]
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise self._nonsense("no list of vectors") from error
        if len(rows) != expected or not all(rows):
            raise self._nonsense(f"{len(rows)} vectors for {expected} texts")
        return rows

    def _nonsense(self, what: str) -> ModelError:
        return ModelError(
            f"the embedding server answered with {what}",
            code="model-nonsense",
            where=self._settings.model,
            remedy="Check that the model is an embedding model",
        )


def _pause(attempt: int, error: Exception) -> float:
    """Seconds before the next try: what the server asks for, else doubling from one second, with jitter."""
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    try:
        wanted = float(headers.get("retry-after", ""))
    except ValueError:
        wanted = 2.0**attempt + random.random()  # noqa: S311 - jitter, not a secret
    return min(max(wanted, 0.0), _LONGEST_PAUSE_SECONDS)
