"""The HTTP application: chat completions, models, retrieval, source pages and a chat page."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

import anyio
import anyio.to_thread
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from aipk_core.answer.model import Answer, Enforcement, Mode
from aipk_core.errors import AipkError
from aipk_core.serve.desks import Desk, Desks
from aipk_core.serve.guard import Access, Guard
from aipk_core.serve.pages import chat_page, source_page, static_file
from aipk_core.serve.protocol import ChatRequest, RequestError, read_chat, read_object, read_retrieve
from aipk_core.serve.responses import completion, completion_chunks, error_response, failure, source_path

Result = TypeVar("Result")

_LOG = logging.getLogger("aipk.serve")
_MODES = tuple(Mode)
_ENFORCEMENTS = (Enforcement.OBSERVE, Enforcement.WARN, Enforcement.REPAIR, Enforcement.BLOCK)


@dataclass(frozen=True, slots=True)
class ServeSettings:
    """How the server behaves.

    Attributes:
        mode, enforcement: what every answer gets; a request may ask for stricter ones, never for laxer ones.
        workers: answers that are worked on at the same time; more wait.
        waiting: requests that may wait for a worker; further ones are told to come back (503).
        answer_seconds: after this time a request is given up (504), whatever its model is doing.
        keep_alive_seconds: pause between the comments that hold a waiting stream open.
    """

    mode: Mode = Mode.STRICT_RENDER
    enforcement: Enforcement = Enforcement.BLOCK
    access: Access = field(default_factory=Access)
    workers: int = 8
    waiting: int = 32
    answer_seconds: float = 300.0
    keep_alive_seconds: float = 5.0


def build_app(desks: Desks, settings: ServeSettings | None = None) -> Starlette:
    """The application over packages that are already open; it owns none of them."""
    service = _Service(desks, settings or ServeSettings())
    access = service.settings.access
    middleware = [Middleware(Guard, access=access)]
    if access.origins:
        cors = Middleware(
            CORSMiddleware,
            allow_origins=sorted(access.origins),
            allow_methods=["GET", "POST"],
            allow_headers=["authorization", "content-type"],
        )
        middleware.insert(0, cors)
    return Starlette(
        routes=[
            Route("/", service.chat_page),
            Route("/static/{name}", service.static),
            Route("/health", service.health),
            Route("/v1/models", service.models),
            Route("/v1/models/{name:path}", service.model),
            Route("/v1/chat/completions", service.chat, methods=["POST"]),
            Route("/v1/retrieve", service.retrieve, methods=["POST"]),
            Route("/source/{package}/{document:path}", service.source),
        ],
        middleware=middleware,
        exception_handlers={HTTPException: _http_error, RequestError: _failed, AipkError: _failed, Exception: _failed},
    )


class _Service:
    """The endpoints. Everything that may take time runs in threads; nothing is locked across a model's call."""

    def __init__(self, desks: Desks, settings: ServeSettings) -> None:
        self.desks = desks
        self.settings = settings
        self._limiter: anyio.CapacityLimiter | None = None
        self._inside = 0

    async def health(self, _: Request) -> Response:
        return JSONResponse({"status": "ok", "models": len(self.desks.all)})

    async def models(self, _: Request) -> Response:
        return JSONResponse({"object": "list", "data": [_model(desk) for desk in self.desks.all]})

    async def model(self, request: Request) -> Response:
        return JSONResponse(_model(self.desks.named(request.path_params["name"])))

    async def chat(self, request: Request) -> Response:
        asked = read_chat(read_object(await request.body()))
        desk = self.desks.named(asked.model)
        work = partial(self._answer, desk, asked)
        if not asked.stream:
            return JSONResponse(completion(await self._work(work), desk.name))
        return await self._stream(work, desk.name, include_usage=asked.include_usage)

    async def retrieve(self, request: Request) -> Response:
        asked = read_retrieve(read_object(await request.body()))
        desk = self.desks.named(asked.model)
        results = await self._work(partial(_search, desk, asked.query, asked.limit, asked.kind))
        return JSONResponse({"object": "list", "query": asked.query, "kind": asked.kind, "data": results})

    async def chat_page(self, _: Request) -> Response:
        return HTMLResponse(chat_page())

    async def static(self, request: Request) -> Response:
        found = static_file(request.path_params["name"])
        if found is None:
            raise HTTPException(404)
        content, media_type = found
        return Response(content, media_type=media_type, headers={"cache-control": "no-cache"})

    async def source(self, request: Request) -> Response:
        library = self.desks.libraries.get(request.path_params["package"])
        if library is None:
            raise HTTPException(404)
        document = await self._work(partial(library.document, request.path_params["document"]))
        if document is None:
            raise HTTPException(404)
        start, end = (_offset(request.query_params.get(name), len(document.text)) for name in ("start", "end"))
        return HTMLResponse(source_page(document, start, end))

    def _answer(self, desk: Desk, asked: ChatRequest) -> Answer:
        settings = self.settings
        return desk.answerer.answer(
            asked.messages,
            mode=max(asked.mode or settings.mode, settings.mode, key=_MODES.index),
            enforcement=max(asked.enforcement or settings.enforcement, settings.enforcement, key=_ENFORCEMENTS.index),
            sampling=asked.sampling,
        )

    async def _work(self, work: Callable[[], Result]) -> Result:
        """Run blocking work in a thread, within the bounds of the settings."""
        if self._inside >= self.settings.workers + self.settings.waiting:
            raise RequestError("The server is busy; try again in a moment.", code="server_busy", status=503)
        if self._limiter is None:
            self._limiter = anyio.CapacityLimiter(self.settings.workers)
        self._inside += 1
        try:
            with anyio.fail_after(self.settings.answer_seconds):
                return await anyio.to_thread.run_sync(work, abandon_on_cancel=True, limiter=self._limiter)
        except TimeoutError as error:
            raise RequestError("The answer took too long.", code="answer_timeout", status=504) from error
        finally:
            self._inside -= 1

    async def _stream(self, work: Callable[[], Answer], model: str, *, include_usage: bool) -> Response:
        """Server-sent events. A failure within the first moments still gets its own HTTP status."""
        pending = _Pending(partial(self._work, work))
        await pending.start()
        await pending.wait(self.settings.keep_alive_seconds)
        if pending.error is not None:
            await pending.close()
            return _failed_response(pending.error)

        async def events() -> AsyncIterator[str]:
            try:
                while not pending.done:
                    yield ": the answer is being checked\n\n"
                    await pending.wait(self.settings.keep_alive_seconds)
                if pending.error is not None:
                    _, body = failure(pending.error)
                    yield f"data: {json.dumps(body, ensure_ascii=False)}\n\n"
                    return
                assert pending.answer is not None
                for data in completion_chunks(pending.answer, model, include_usage=include_usage):
                    yield f"data: {data}\n\n"
            finally:
                await pending.close()

        return StreamingResponse(events(), media_type="text/event-stream", headers={"x-accel-buffering": "no"})


class _Pending:
    """An answer that is being made while its stream is already open."""

    def __init__(self, work: Callable[[], Awaitable[Answer]]) -> None:
        self._work = work
        self._task: asyncio.Task[None] | None = None
        self.answer: Answer | None = None
        self.error: Exception | None = None

    @property
    def done(self) -> bool:
        return self.answer is not None or self.error is not None

    async def start(self) -> None:
        self._task = asyncio.create_task(self._run())

    async def wait(self, seconds: float) -> None:
        """Until the answer is there, but no longer than ``seconds``."""
        assert self._task is not None
        await asyncio.wait({self._task}, timeout=seconds)

    async def close(self) -> None:
        """Give up an answer that nobody waits for any more."""
        if self._task is not None and not self._task.done():
            self._task.cancel()

    async def _run(self) -> None:
        try:
            self.answer = await self._work()
        except Exception as error:  # reported to the client by whoever waits
            self.error = error


def _search(desk: Desk, query: str, limit: int, kind: str) -> list[dict[str, Any]]:
    if kind == "chunks":
        return [
            {
                "id": hit.chunk.id,
                "package": hit.package,
                "document": hit.chunk.document,
                "start": hit.chunk.start,
                "end": hit.chunk.end,
                "text": hit.chunk.text,
                "context": list(hit.chunk.context),
                "page": hit.chunk.page,
                "similarity": round(hit.similarity, 4),
                "score": round(hit.score, 4),
                "source": source_path(hit.package, hit.chunk.document, hit.chunk.start, hit.chunk.end),
            }
            for hit in desk.retriever.chunks(query, limit=limit)[:limit]
        ]
    found = []
    for claim_hit in desk.retriever.claims(query, limit=limit)[:limit]:
        claim, evidence = claim_hit.claim, claim_hit.claim.evidence[0]
        found.append(
            {
                "id": claim.id,
                "package": claim_hit.package,
                "document": evidence.document,
                "start": evidence.start,
                "end": evidence.end,
                "quote": evidence.quote,
                "text": claim.text,
                "context": list(claim.context),
                "url": evidence.url,
                "page": evidence.page,
                "similarity": round(claim_hit.similarity, 4),
                "score": round(claim_hit.score, 4),
                "source": source_path(claim_hit.package, evidence.document, evidence.start, evidence.end),
            }
        )
    return found


def _model(desk: Desk) -> dict[str, Any]:
    return {
        "id": desk.name,
        "object": "model",
        "created": desk.created,
        "owned_by": "aipk",
        "description": desk.description,
    }


def _offset(value: str | None, most: int) -> int:
    if value is None:
        return 0
    if not (value.isascii() and value.isdigit() and len(value) <= 12):
        raise HTTPException(400)
    return min(int(value), most)


async def _http_error(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    messages = {404: "There is nothing at this address.", 405: "This address does not take that method."}
    message = messages.get(error.status_code, "The request cannot be served.")
    headers = dict(error.headers) if error.headers else None
    return error_response(
        message, error.status_code, code="not_found" if error.status_code == 404 else None, headers=headers
    )


async def _failed(_: Request, error: Exception) -> Response:
    return _failed_response(error)


def _failed_response(error: Exception) -> Response:
    status, body = failure(error)
    if status >= 500:
        _LOG.warning("request failed: %s", error if status != 500 else repr(error))
    headers = {"retry-after": "2"} if status in (429, 503) else None
    return JSONResponse(body, status, headers)
