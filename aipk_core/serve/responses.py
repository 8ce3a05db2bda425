"""What goes back to clients: OpenAI's shapes, with the ``_aipk`` object beside them."""

from __future__ import annotations

import json
import re
import secrets
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from starlette.responses import JSONResponse

from aipk_core.answer.model import Answer
from aipk_core.answer.record import answer_record
from aipk_core.errors import AipkError, EmbedderError, ModelError, PackageError
from aipk_core.serve.protocol import RequestError

_PIECE = re.compile(r"\S+\s*|\s+")
_WORDS_PER_PIECE = 6

# What an OpenAI client retries (5xx, 429) and what it reports at once.
_STATUS = {
    "model-timeout": 504,
    "model-rate-limited": 429,
    "model-rejected": 502,
    "model-nonsense": 502,
    "model-unavailable": 502,
}


def error_object(
    message: str, *, kind: str = "invalid_request_error", param: str | None = None, code: str | None = None
) -> dict[str, Any]:
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}


def error_response(
    message: str,
    status: int,
    *,
    kind: str = "invalid_request_error",
    param: str | None = None,
    code: str | None = None,
    headers: dict[str, str] | None = None,
) -> JSONResponse:
    return JSONResponse(error_object(message, kind=kind, param=param, code=code), status, headers)


def failure(error: Exception) -> tuple[int, dict[str, Any]]:
    """HTTP status and error object for whatever went wrong; nothing of an unexpected error's text goes out."""
    if isinstance(error, RequestError):
        kind = "invalid_request_error" if error.status < 500 else "server_error"
        return error.status, error_object(error.message, kind=kind, param=error.param, code=error.code)
    if isinstance(error, AipkError):
        status = _STATUS.get(error.code, 502) if isinstance(error, ModelError) else 500
        status = 503 if isinstance(error, (EmbedderError, PackageError)) else status
        body = error_object(f"No answer was given: {error.message}.", kind="server_error", code=error.code)
        body["_aipk"] = {"refusal": {"code": error.code, "message": error.message}}
        return status, body
    return 500, error_object("The server met an unexpected error.", kind="server_error", code="internal_error")


def completion(answer: Answer, model: str) -> dict[str, Any]:
    """A whole chat completion."""
    return {
        **_frame(_new_id(), int(time.time()), model, "chat.completion"),
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": answer.text, "refusal": None},
                "logprobs": None,
                "finish_reason": "stop",
            }
        ],
        "usage": _usage(answer),
        "_aipk": aipk_object(answer),
    }


def completion_chunks(answer: Answer, model: str, *, include_usage: bool) -> Iterator[str]:
    """The same completion as the data of server-sent events; the report comes before the chunk that says "stop"."""
    frame = _frame(_new_id(), int(time.time()), model, "chat.completion.chunk")
    if include_usage:
        frame["usage"] = None

    def chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        return {**frame, "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}]}

    yield _dump(chunk({"role": "assistant", "content": ""}))
    for piece in pieces(answer.text):
        yield _dump(chunk({"content": piece}))
    yield _dump({**chunk({}), "_aipk": aipk_object(answer)})
    yield _dump(chunk({}, "stop"))
    if include_usage:
        yield _dump({**frame, "choices": [], "usage": _usage(answer)})
    yield "[DONE]"


def aipk_object(answer: Answer) -> dict[str, Any]:
    """The answer's record, with the address of each cited sentence on this server."""
    record = answer_record(answer)
    for citation in record["citations"]:
        citation["source"] = source_path(citation["package"], citation["document"], citation["start"], citation["end"])
    return record


def source_path(package: str, document: str, start: int, end: int) -> str:
    """Where this server shows a document with one sentence highlighted."""
    return f"/source/{quote(package, safe='')}/{quote(document, safe='/')}?start={start}&end={end}#cited"


def pieces(text: str) -> Iterator[str]:
    """``text`` in runs of a few words; joined they give it back."""
    words = _PIECE.findall(text)
    for start in range(0, len(words), _WORDS_PER_PIECE):
        yield "".join(words[start : start + _WORDS_PER_PIECE])


def _usage(answer: Answer) -> dict[str, int]:
    usage = answer.usage
    return {
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "total_tokens": usage.prompt_tokens + usage.completion_tokens,
    }


def _frame(name: str, created: int, model: str, kind: str) -> dict[str, Any]:
    return {"id": name, "object": kind, "created": created, "model": model, "system_fingerprint": None}


def _new_id() -> str:
    return f"chatcmpl-{secrets.token_hex(12)}"


def _dump(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
