"""What clients send: the parts of OpenAI's chat protocol that mean something here, read leniently and bounded.

``null`` is the same as absent everywhere, content may be a string or an array of parts, and fields that are not known
are ignored. What cannot be honoured (several choices, forced tool calls, JSON output) is refused and not ignored.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from aipk_core.answer.model import Enforcement, Message, Mode, Sampling

MAX_BODY_BYTES = 1 << 20
MAX_MESSAGES = 256
MAX_CHARACTERS = 400_000
MAX_QUERY_CHARACTERS = 4_000
MAX_RESULTS = 50

_ROLES = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "function": "tool",
}


Kind = TypeVar("Kind", Mode, Enforcement)


class RequestError(Exception):
    """A request that cannot be served; becomes an OpenAI error object with this HTTP status."""

    def __init__(
        self, message: str, *, param: str | None = None, code: str = "invalid_value", status: int = 400
    ) -> None:
        super().__init__(message)
        self.message = message
        self.param = param
        self.code = code
        self.status = status


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """A chat request as far as this server obeys it; ``mode`` and ``enforcement`` only where the client asks for more."""

    model: str
    messages: tuple[Message, ...]
    sampling: Sampling
    stream: bool
    include_usage: bool
    mode: Mode | None
    enforcement: Enforcement | None


@dataclass(frozen=True, slots=True)
class RetrieveRequest:
    model: str
    query: str
    limit: int
    kind: str


def read_object(body: bytes) -> dict[str, Any]:
    """The JSON object in ``body``.

    Raises:
        RequestError: not UTF-8, not JSON, nested too deeply, or not an object.
    """
    try:
        value = json.loads(body.decode("utf-8"), parse_constant=_no_constant)
    except (UnicodeDecodeError, ValueError, RecursionError) as error:
        raise RequestError("The request body is not valid JSON.", code="invalid_json") from error
    if not isinstance(value, dict):
        raise RequestError("The request body must be a JSON object.", code="invalid_json")
    return value


def read_chat(body: Mapping[str, Any]) -> ChatRequest:
    """A chat request out of its JSON object.

    Raises:
        RequestError: a field has the wrong type, a bound is exceeded, or something is asked for that is not offered.
    """
    _refuse_unsupported(body)
    most = _integer(body, "max_completion_tokens", 1, 1_000_000) or _integer(body, "max_tokens", 1, 1_000_000)
    temperature = _number(body, "temperature", 0.0, 2.0)
    own = body.get("aipk")
    if own is not None and not isinstance(own, dict):
        raise RequestError("'aipk' must be an object.", param="aipk")
    options = body.get("stream_options")
    return ChatRequest(
        model=_text(body, "model", 256),
        messages=_messages(body.get("messages")),
        sampling=Sampling(
            temperature=0.0 if temperature is None else temperature,
            top_p=_number(body, "top_p", 0.0, 1.0),
            max_tokens=most,
            stop=_stops(body.get("stop")),
            seed=_integer(body, "seed", -(2**63), 2**63 - 1),
        ),
        stream=_flag(body, "stream"),
        include_usage=isinstance(options, dict) and options.get("include_usage") is True,
        mode=_choice(own or {}, "mode", Mode),
        enforcement=_choice(own or {}, "enforcement", Enforcement),
    )


def read_retrieve(body: Mapping[str, Any]) -> RetrieveRequest:
    """A search request out of its JSON object: ``query``, ``limit`` (1 to 50), ``kind`` (``claims`` or ``chunks``)."""
    query = _clean(_text(body, "query", MAX_QUERY_CHARACTERS)).strip()
    if not query:
        raise RequestError("'query' must hold text.", param="query")
    kind = _text(body, "kind", 20) or "claims"
    if kind not in ("claims", "chunks"):
        raise RequestError("'kind' must be 'claims' or 'chunks'.", param="kind")
    return RetrieveRequest(_text(body, "model", 256), query, _integer(body, "limit", 1, MAX_RESULTS) or 8, kind)


def _refuse_unsupported(body: Mapping[str, Any]) -> None:
    if (_integer(body, "n", 1, 128) or 1) > 1:
        raise RequestError("Only one choice per request is supported.", param="n", code="unsupported_value")
    choice = body.get("tool_choice")
    if choice not in (None, "none", "auto") or body.get("function_call") not in (None, "none", "auto"):
        # Offered tools may stay unused, so they are simply not called; a call that is demanded cannot be left out.
        raise RequestError("Tool calls are not supported.", param="tool_choice", code="unsupported_value")
    form = body.get("response_format")
    if form is not None and (not isinstance(form, dict) or form.get("type", "text") != "text"):
        raise RequestError("Only text output is supported.", param="response_format", code="unsupported_value")
    modalities = body.get("modalities")
    if modalities is not None and modalities != ["text"]:
        raise RequestError("Only text output is supported.", param="modalities", code="unsupported_value")


def _messages(value: Any) -> tuple[Message, ...]:
    if not isinstance(value, list) or not value:
        raise RequestError("'messages' must be a list with at least one message.", param="messages")
    if len(value) > MAX_MESSAGES:
        raise RequestError(f"At most {MAX_MESSAGES} messages are accepted.", param="messages", code="too_many_messages")
    messages: list[Message] = []
    total = 0
    for index, item in enumerate(value):
        where = f"messages[{index}]"
        if not isinstance(item, dict):
            raise RequestError(f"'{where}' must be an object.", param=where)
        role = item.get("role")
        if not isinstance(role, str) or role not in _ROLES:
            raise RequestError(f"'{where}.role' is not a known role.", param=f"{where}.role")
        content = _content(item.get("content"), where)
        total += len(content)
        if total > MAX_CHARACTERS:
            raise RequestError(
                f"The messages hold more than {MAX_CHARACTERS} characters.",
                param="messages",
                code="context_length_exceeded",
            )
        messages.append(Message(_ROLES[role], content))
    return tuple(messages)


def _content(value: Any, where: str) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return _clean(value)
    if not isinstance(value, list):
        raise RequestError(f"'{where}.content' must be text or a list of parts.", param=f"{where}.content")
    pieces: list[str] = []
    for part in value:
        if isinstance(part, str):
            pieces.append(part)
        elif isinstance(part, dict) and part.get("type") in ("text", "input_text", "output_text"):
            text = part.get("text")
            if not isinstance(text, str):
                raise RequestError(f"A text part of '{where}' holds no text.", param=f"{where}.content")
            pieces.append(text)
        elif isinstance(part, dict) and part.get("type") == "refusal":
            pieces.append(str(part.get("refusal") or ""))
        else:
            raise RequestError(
                f"'{where}.content' holds a part that is not text.", param=f"{where}.content", code="unsupported_value"
            )
    return _clean("\n".join(pieces))


def _stops(value: Any) -> tuple[str, ...]:
    if value is None:
        return ()
    stops = [value] if isinstance(value, str) else value
    if not isinstance(stops, list) or len(stops) > 4 or any(not isinstance(s, str) or len(s) > 200 for s in stops):
        raise RequestError("'stop' must be text or a list of at most 4 texts.", param="stop")
    return tuple(stop for stop in stops if stop)


def _text(body: Mapping[str, Any], name: str, most: int) -> str:
    value = body.get(name)
    if value is None:
        return ""
    if not isinstance(value, str) or len(value) > most:
        raise RequestError(f"'{name}' must be text of at most {most} characters.", param=name)
    return value


def _flag(body: Mapping[str, Any], name: str) -> bool:
    value = body.get(name)
    if value is None:
        return False
    if not isinstance(value, bool):
        raise RequestError(f"'{name}' must be true or false.", param=name)
    return value


def _number(body: Mapping[str, Any], name: str, least: float, most: float) -> float | None:
    value = body.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not least <= value <= most:
        raise RequestError(f"'{name}' must be a number from {least:g} to {most:g}.", param=name)
    return float(value)


def _integer(body: Mapping[str, Any], name: str, least: int, most: int) -> int | None:
    value = body.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise RequestError(f"'{name}' must be a whole number from {least} to {most}.", param=name)
    return value


def _choice(body: Mapping[str, Any], name: str, kinds: type[Kind]) -> Kind | None:
    value = body.get(name)
    if value is None:
        return None
    names: Sequence[str] = [kind.value for kind in kinds]
    if value not in names:
        raise RequestError(f"'aipk.{name}' must be one of {', '.join(names)}.", param=f"aipk.{name}")
    return kinds(value)


def _clean(text: str) -> str:
    """``text`` without lone surrogates, which JSON can spell and UTF-8 cannot."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")
