"""An embedder that is opened only when a text must be embedded or counted.

Most builds change little or nothing, and need to know only which embedder it is. Its identity is kept beside the store,
found by what it is computed from (the model's bytes, or a server's settings), so that a build without new text loads no
model and asks no server.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from aipk_core.embedding import open_embedder
from aipk_core.embedding.model import Embedder, EmbedderIdentity, Vectors
from aipk_core.embedding.onnx import OnnxModel, bundled_minilm, identity_digest
from aipk_core.embedding.settings import EmbeddingSettings
from aipk_core.errors import StoreError
from aipk_core.hashing import digest
from aipk_core.store.manifest import write_atomically


class DeferredEmbedder:
    """The embedder that ``settings`` describe, opened at its first use.

    Args:
        memory: a JSON file that keeps identities between processes; damaged or missing, it costs opening the model.

    Attributes:
        texts: how many texts it was given to embed.
    """

    def __init__(self, settings: EmbeddingSettings, memory: Path) -> None:
        self._settings = settings
        self._memory = memory
        self._opened: Embedder | None = None
        self._identity: EmbedderIdentity | None = None
        self.texts = 0

    @property
    def identity(self) -> EmbedderIdentity:
        if self._identity is None:
            key = _key(self._settings)
            self._identity = _recalled(self._memory, key) if key else None
            if self._identity is None:
                self._identity = self._open().identity
                if key:
                    _remember(self._memory, key, self._identity)
        return self._identity

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """``[len(texts), dimensions]`` float32, every row of length 1."""
        self.texts += len(texts)
        return self._open().embed_passages(texts)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Like ``embed_passages``, for the asking side."""
        self.texts += len(texts)
        return self._open().embed_queries(texts)

    def count_tokens(self, text: str) -> int:
        """Tokens of ``text`` without the model's own start and end tokens."""
        return self._open().count_tokens(text)

    def _open(self) -> Embedder:
        if self._opened is None:
            self._opened = open_embedder(self._settings)
        return self._opened


def _key(settings: EmbeddingSettings) -> str:
    """What an identity is computed from; empty where only opening the model can tell."""
    if settings.provider == "litellm":
        values = settings.model_dump(mode="json", include={"model", "api_base", "dimensions", "max_tokens"})
        return digest("embedder", values, settings.query_prefix, settings.passage_prefix)
    if settings.provider == "minilm":
        return digest("embedder", identity_digest(bundled_minilm()))
    if settings.provider == "onnx" and settings.directory is not None:
        model = OnnxModel.in_folder(
            settings.directory,
            pooling=settings.pooling,
            max_tokens=settings.max_tokens,
            query_prefix=settings.query_prefix,
            passage_prefix=settings.passage_prefix,
        )
        return digest("embedder", identity_digest(model), model.name)
    return ""


def _recalled(memory: Path, key: str) -> EmbedderIdentity | None:
    try:
        values = json.loads(memory.read_bytes())[key]
        name, revision, model = str(values["name"]), str(values["revision"]), str(values["digest"])
        return EmbedderIdentity(name, revision, model, int(values["dimensions"]), int(values["max_tokens"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _remember(memory: Path, key: str, identity: EmbedderIdentity) -> None:
    known: dict[str, object] = {}
    with contextlib.suppress(OSError, ValueError):
        values = json.loads(memory.read_bytes())
        known = values if isinstance(values, dict) else {}
    known[key] = asdict(identity)
    with contextlib.suppress(StoreError):  # it is asked again next time
        write_atomically(memory, json.dumps(known, sort_keys=True).encode())
