"""One request to a language model for JSON of a given shape, through LiteLLM.

LiteLLM is imported with the first request, with its telemetry and its download of a price list off.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Protocol

from aipk_core.errors import ModelError
from aipk_core.language_model import import_litellm

MAX_REPLY_CHARACTERS = 200_000
_NO_KEY = "none"
_FINAL_STATUS = frozenset({401, 403, 404, 405})


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """Which model is asked.

    Attributes:
        api_key_env: name of the environment variable that holds the key; ``""`` for servers without one.
        timeout: seconds without a byte from the server after which a request is given up.
        price_in, price_out: money for a million tokens, when LiteLLM's own price list does not know the model.
    """

    model: str
    api_base: str = ""
    api_key_env: str = ""
    timeout: float = 120.0
    max_tokens: int = 2048
    price_in: float | None = None
    price_out: float | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model wrote; ``cut`` when it was stopped by the limit of tokens; tokens are 0 when nobody counted."""

    text: str
    cut: bool = False
    refused: bool = False
    tokens_in: int = 0
    tokens_out: int = 0


class ExtractionModel(Protocol):
    """A model that claims are asked of; called from several threads at once.

    Raises:
        ModelError: codes ``model-unavailable``, ``model-timeout``, ``model-rate-limited`` (these may pass),
            ``model-rejected`` and ``model-nonsense`` (these will not).
    """

    @property
    def name(self) -> str: ...

    @property
    def timeout(self) -> float: ...

    def ask(self, system: str, user: str, schema: dict[str, Any]) -> Reply: ...

    def cost(self, tokens_in: int, tokens_out: int) -> float | None:
        """Money for so many tokens; ``None`` when no price is known."""
        ...


class LiteLLMModel:
    """Any model that LiteLLM reaches."""

    def __init__(self, settings: ModelSettings) -> None:
        self.settings = settings
        self._schemas = True  # until the server says that it does not take them

    @property
    def name(self) -> str:
        return self.settings.model

    @property
    def timeout(self) -> float:
        return self.settings.timeout

    def ask(self, system: str, user: str, schema: dict[str, Any]) -> Reply:
        settings = self.settings
        request: dict[str, Any] = {
            "model": settings.model,
            "messages": [{"role": "system", "content": system}, {"role": "user", "content": user}],
            "temperature": 0,
            "max_tokens": settings.max_tokens,
            "timeout": settings.timeout,
            "num_retries": 0,
            "max_retries": 0,
            "drop_params": True,
            "api_key": self._key(),
        }
        if settings.api_base:
            request["api_base"] = settings.api_base
        if self._schemas:
            shape = {"name": "claims", "strict": True, "schema": schema}
            request["response_format"] = {"type": "json_schema", "json_schema": shape}
        try:
            reply = import_litellm().completion(**request)
        except Exception as error:  # LiteLLM passes on the errors of a hundred providers
            if "response_format" in request and getattr(error, "status_code", None) in (400, 422):
                self._schemas = False  # the prompt describes the shape too
                return self.ask(system, user, schema)
            raise self._failure(error) from error
        return self._reply(reply)

    def cost(self, tokens_in: int, tokens_out: int) -> float | None:
        settings = self.settings
        if settings.price_in is not None and settings.price_out is not None:
            return (tokens_in * settings.price_in + tokens_out * settings.price_out) / 1_000_000
        try:
            costs = import_litellm().cost_per_token(
                model=settings.model, prompt_tokens=tokens_in, completion_tokens=tokens_out
            )
            total = float(sum(costs))
        except Exception:
            return None
        return total if total > 0 or not (tokens_in or tokens_out) else None

    def _key(self) -> str | None:
        name = self.settings.api_key_env
        if not name:
            return _NO_KEY if self.settings.api_base else None
        key = os.environ.get(name, "").strip()
        if not key:
            raise ModelError(
                f"the environment variable {name} is not set",
                code="model-rejected",
                where=self.settings.model,
                remedy=f"Set {name} to the key of the model's server",
            )
        return key

    def _reply(self, reply: Any) -> Reply:
        try:
            choice = reply.choices[0]
            text = choice.message.content
            finish = str(choice.finish_reason or "stop")
            refused = bool(getattr(choice.message, "refusal", None)) or finish == "content_filter"
        except (AttributeError, IndexError, TypeError, KeyError) as error:
            raise self._error("the reply holds no message", "model-nonsense") from error
        text = text if isinstance(text, str) else ""
        if len(text) > MAX_REPLY_CHARACTERS:
            raise self._error(f"the reply has {len(text)} characters", "model-nonsense")
        usage = getattr(reply, "usage", None)
        return Reply(
            text,
            finish == "length",
            refused,
            _count(getattr(usage, "prompt_tokens", 0)),
            _count(getattr(usage, "completion_tokens", 0)),
        )

    def _failure(self, error: Exception) -> ModelError:
        if isinstance(error, ModelError):
            return error
        kind, status = type(error).__name__, getattr(error, "status_code", None)
        if "Timeout" in kind or status == 408:
            return self._error(f"no answer within {self.settings.timeout:g} s", "model-timeout")
        if "RateLimit" in kind or status == 429:
            return self._error("the server limits the rate", "model-rate-limited")
        if status in _FINAL_STATUS:
            return self._error(f"the server rejects the request (HTTP {status})", "model-rejected")
        if status in (400, 422):
            return self._error(f"the server cannot read the request (HTTP {status})", "model-nonsense")
        return self._error(f"the model cannot be reached ({kind})", "model-unavailable")

    def _error(self, message: str, code: str) -> ModelError:
        return ModelError(
            message,
            code=code,
            where=self.settings.model + (f" at {self.settings.api_base}" if self.settings.api_base else ""),
            remedy="Check that the server runs and that model, api_base and key are right",
        )


def _count(value: object) -> int:
    return value if isinstance(value, int) and value >= 0 else 0
