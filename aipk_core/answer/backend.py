"""Any language model that LiteLLM can reach.

LiteLLM is imported on first use only, with its start-up download of a price map switched off, so that nothing leaves
the machine but the request that the user configured.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aipk_core.answer.model import Completion, Message, Sampling, Usage
from aipk_core.errors import ModelError, UsageError
from aipk_core.language_model import import_litellm

DEFAULT_MAX_TOKENS = 1024
MAX_REPLY_CHARACTERS = 200_000
"""A reply beyond this length is an error: a server that never stops must not fill the memory."""

_LOCAL_KEY = "none"


@dataclass(frozen=True, slots=True)
class BackendSettings:
    """Which model answers, and within which limits.

    Attributes:
        model: a LiteLLM name, ``provider/model``; any OpenAI-compatible server is ``openai/<name>`` with ``api_base``.
        api_key: read from the environment or a file, never from the command line; ``""`` sends a placeholder to
            ``api_base``, and without ``api_base`` leaves the search for a key to LiteLLM.
        timeout: seconds for one request, all its bytes included.
        retries: further attempts after an error that may pass (rate limit, overload, broken connection).
        max_tokens: limit of the reply when a caller sets none, and the most that a caller may ask for.
    """

    model: str
    api_base: str = ""
    api_key: str = ""
    timeout: float = 120.0
    retries: int = 2
    max_tokens: int = DEFAULT_MAX_TOKENS


class LiteLLMBackend:
    """A language model reached through LiteLLM; safe to call from several threads at once."""

    def __init__(self, settings: BackendSettings) -> None:
        if not settings.model.strip():
            raise UsageError("the model has no name", remedy="Give a LiteLLM name such as ollama/llama3.2")
        self.settings = settings

    @property
    def name(self) -> str:
        return self.settings.model

    def complete(self, messages: Sequence[Message], sampling: Sampling) -> Completion:
        """The model's reply to ``messages``.

        Raises:
            ModelError: codes ``model-unavailable``, ``model-timeout``, ``model-rate-limited``, ``model-rejected``
                (the request or the key), ``model-nonsense`` (the reply is not a completion, or far too long).
        """
        litellm = import_litellm()
        deadline = time.monotonic() + self.settings.timeout
        attempt = 0
        while True:
            try:
                reply = litellm.completion(**self._request(messages, sampling, deadline - time.monotonic()))
            except Exception as error:  # LiteLLM lets every provider's own errors through besides its own
                failure = self._failure(error)
                pause = min(8.0, 0.5 * 2**attempt) * (0.75 + random.random() / 2)  # noqa: S311 - spreads retries, no secret
                passing = failure.code in ("model-unavailable", "model-rate-limited")
                if not passing or attempt >= self.settings.retries or time.monotonic() + pause >= deadline:
                    raise failure from error
                attempt += 1
                time.sleep(pause)
            else:
                return self._completion(reply)

    def _request(self, messages: Sequence[Message], sampling: Sampling, timeout: float) -> dict[str, Any]:
        most = self.settings.max_tokens
        request: dict[str, Any] = {
            "model": self.settings.model,
            "messages": [{"role": message.role, "content": message.content} for message in messages],
            "max_tokens": min(sampling.max_tokens or most, most),
            "timeout": max(1.0, timeout),
            "num_retries": 0,
            "max_retries": 0,
            "drop_params": True,
        }
        optional = {
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "seed": sampling.seed,
            "stop": list(sampling.stop) or None,
            "api_base": self.settings.api_base or None,
            "api_key": self.settings.api_key or (_LOCAL_KEY if self.settings.api_base else None),
        }
        request.update({name: value for name, value in optional.items() if value is not None})
        return request

    def _completion(self, reply: Any) -> Completion:
        try:
            choice = reply.choices[0]
            text = choice.message.content
            finish = str(choice.finish_reason or "stop")
        except (AttributeError, IndexError, TypeError, KeyError) as error:
            raise self._nonsense("the reply holds no message") from error
        if text is None:
            text = ""
        if not isinstance(text, str):
            raise self._nonsense("the reply's message is not text")
        if len(text) > MAX_REPLY_CHARACTERS:
            raise self._nonsense(f"the reply has {len(text)} characters")
        usage = getattr(reply, "usage", None)
        return Completion(
            text.encode("utf-8", "replace").decode("utf-8"),
            Usage(_count(getattr(usage, "prompt_tokens", 0)), _count(getattr(usage, "completion_tokens", 0))),
            finish,
        )

    def _nonsense(self, what: str) -> ModelError:
        return ModelError(
            what,
            code="model-nonsense",
            where=self.settings.model,
            remedy="Check that the address belongs to a chat model",
        )

    def _failure(self, error: Exception) -> ModelError:
        if isinstance(error, ModelError):
            return error
        kind = type(error).__name__
        status = getattr(error, "status_code", None)
        where = self.settings.model + (f" at {self.settings.api_base}" if self.settings.api_base else "")
        if "Timeout" in kind:
            return ModelError(
                f"the model gave no answer within {self.settings.timeout:g} s",
                code="model-timeout",
                where=where,
                remedy="Raise --model-timeout or use a faster model",
            )
        if "RateLimit" in kind or status == 429:
            return ModelError("the model's server limits the rate", code="model-rate-limited", where=where)
        if status in (400, 401, 403, 404, 422):
            # Provider messages may quote the request or the key; the kind of the error is enough to act on.
            return ModelError(
                f"the model's server rejects the request ({kind}, HTTP {status})",
                code="model-rejected",
                where=where,
                remedy="Check the model's name, its address and the key",
            )
        return ModelError(
            f"the model cannot be reached ({kind})",
            code="model-unavailable",
            where=where,
            remedy="Start its server, or check --model and --api-base",
        )


def read_key(*, file: Path | None = None, variable: str = "") -> str:
    """A secret from a file or an environment variable; ``""`` when neither is named.

    Raises:
        UsageError: the file cannot be read, or what was named is empty.
    """
    if file is not None:
        try:
            key = file.read_text("utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"the key file cannot be read: {error}", where=str(file)) from error
        if not key or len(key.split()) != 1:
            raise UsageError("the key file must hold one key and nothing else", where=str(file))
        return key
    if variable:
        key = os.environ.get(variable, "").strip()
        if not key:
            raise UsageError("the environment variable for the key is not set", where=variable)
        return key
    return ""


def _count(value: object) -> int:
    return value if isinstance(value, int) and value >= 0 else 0
