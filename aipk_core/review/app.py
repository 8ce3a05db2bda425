"""The HTTP application of the review page.

It binds this machine only. Who may use it holds the secret of the address that the command printed; it becomes a cookie
that no other site can send along. Every change also needs a token that only the page itself knows, and a JSON body.
"""

from __future__ import annotations

import hmac
import json
import secrets
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from html import escape
from importlib.resources import files
from typing import Any, TypeVar

import anyio.to_thread
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from aipk_core.claims.history import decision_record, pace_of
from aipk_core.claims.ledger import Decision
from aipk_core.claims.model import Status
from aipk_core.claims.queue import Order, filter_with_defaults
from aipk_core.errors import AipkError, ReviewError
from aipk_core.review.bulk import BulkDesk, bulk_record
from aipk_core.review.desk import ReviewDesk
from aipk_core.review.records import claim_record, row_record, source_record
from aipk_core.serve.guard import Access, Guard
from aipk_core.serve.pages import source_page

Result = TypeVar("Result")

PAGE_HEADER = "x-aipk-review"
_PAGE_ROWS = 200
_STATIC = {"review.js": "text/javascript", "review.css": "text/css"}
_STATUS = {
    "review-clash": 409,
    "claim-unknown": 404,
    "document-unknown": 404,
    "document-changed": 409,
    "entry-unknown": 404,
    "ticket-unknown": 409,
    "ledger-unwritable": 507,
    "ledger-broken": 500,
    "ledger-locked": 503,
}


class ReviewSecrets:
    """What proves that a request comes from the page: made anew at every start.

    Attributes:
        key: stands in the address that the command prints, and then in a cookie.
        token: stands in the page, and is sent as a header with every change.
    """

    def __init__(self) -> None:
        self.key = secrets.token_urlsafe(24)
        self.token = secrets.token_urlsafe(24)


def build_review_app(desk: ReviewDesk, reviewer: str, passes: ReviewSecrets | None = None) -> Starlette:
    """The application over a corpus under review.

    Args:
        reviewer: the name that the page suggests for whoever decides.
    """
    service = _Service(desk, reviewer, passes or ReviewSecrets())
    reads, changes = service.reading, service.changing
    return Starlette(
        routes=[
            Route("/", service.page),
            Route("/static/{name}", service.static),
            Route("/source/{document:path}", reads(service.source)),
            Route("/api/queue", reads(service.queue)),
            Route("/api/progress", reads(service.progress)),
            Route("/api/claims/{claim}", reads(service.claim)),
            Route("/api/claims/{claim}/source", reads(service.excerpt)),
            Route("/api/decide", changes(service.decide), methods=["POST"]),
            Route("/api/undo", changes(service.undo), methods=["POST"]),
            Route("/api/bulk/preview", changes(service.bulk_preview), methods=["POST"]),
            Route("/api/bulk", changes(service.bulk), methods=["POST"]),
        ],
        middleware=[Middleware(Guard, access=Access())],
    )


Endpoint = Callable[[Request], Awaitable[Response]]


class _Service:
    def __init__(self, desk: ReviewDesk, reviewer: str, passes: ReviewSecrets) -> None:
        self.desk = desk
        self.reviewer = reviewer
        self.passes = passes
        self.bulks = BulkDesk()
        # Cookies do not know ports; two review pages on one machine must not overwrite each other's.
        self.cookie = f"aipk_review_{secrets.token_hex(4)}"

    async def page(self, request: Request) -> Response:
        given = request.query_params.get("key", "")
        if given and hmac.compare_digest(given.encode(), self.passes.key.encode()):
            answer: Response = RedirectResponse("/", 303)
            answer.set_cookie(self.cookie, self.passes.key, httponly=True, samesite="strict", path="/")
            return answer
        if not self._is_known(request):
            return HTMLResponse(_read("closed.html"), 403)
        corpus = self.desk.corpus
        values = {"token": self.passes.token, "title": corpus.title, "name": corpus.name, "reviewer": self.reviewer}
        page = _read("review.html")
        for name, value in values.items():
            page = page.replace(f"@{name}@", escape(value, quote=True))
        return HTMLResponse(page)

    async def static(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name not in _STATIC and name != "page.css":
            return _problem(404, "not-found", "There is nothing at this address")
        text = _read(name) if name in _STATIC else files("aipk_core.serve").joinpath("page", name).read_text("utf-8")
        return Response(text, media_type=_STATIC.get(name, "text/css"), headers={"cache-control": "no-cache"})

    def reading(self, work: Callable[[Request], Response]) -> Endpoint:
        """An endpoint that only reads, run in a thread for those who came through the page's address."""

        async def endpoint(request: Request) -> Response:
            if not self._is_known(request):
                return _problem(403, "not-allowed", "Open the page by the address that the command printed")
            return await _answered(partial(work, request))

        return endpoint

    def changing(self, work: Callable[[Mapping[str, Any]], Response]) -> Endpoint:
        """An endpoint that changes something: it also needs the page's token, and a JSON object as its body."""

        async def endpoint(request: Request) -> Response:
            sent = request.headers.get(PAGE_HEADER, "")
            if not self._is_known(request) or not hmac.compare_digest(sent.encode(), self.passes.token.encode()):
                return _problem(403, "not-allowed", "The page is out of date; load it again")
            if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
                return _problem(415, "not-json", "Only JSON is taken")
            try:
                body = json.loads(await request.body())
                json.dumps(body, ensure_ascii=False).encode("utf-8")
            except (ValueError, RecursionError):
                body = None
            if not isinstance(body, dict):
                return _problem(400, "not-json", "The body is not a JSON object")
            return await _answered(partial(work, body))

        return endpoint

    def queue(self, request: Request) -> Response:
        values = dict(request.query_params)
        offset, limit = (
            _number(values.pop(name, ""), most) for name, most in (("offset", 10**7), ("limit", _PAGE_ROWS))
        )
        queue = self.desk.queue
        queue.refresh()
        found = queue.select(filter_with_defaults(values))
        rows = [row_record(queue, name) for name in found[offset : offset + (limit or _PAGE_ROWS)]]
        return JSONResponse({"total": len(found), "offset": offset, "rows": rows})

    def claim(self, request: Request) -> Response:
        self.desk.queue.refresh()
        return JSONResponse(claim_record(self.desk, request.path_params["claim"]))

    def excerpt(self, request: Request) -> Response:
        claim = self.desk.queue.entry(request.path_params["claim"]).claim
        number = _number(request.query_params.get("place", ""), 10**6)
        if number >= len(claim.evidence):
            raise ReviewError("the claim does not stand there", code="document-unknown", where=claim.id)
        place = claim.evidence[number]
        document = self.desk.document(place.document)
        if document.text[place.start : place.end] != place.quote:
            raise ReviewError(
                "the document has changed and its claims have not been found anew",
                code="document-changed",
                where=place.document,
                remedy="Build the corpus, then load the page again",
            )
        return JSONResponse(source_record(document, place))

    def source(self, request: Request) -> Response:
        document = self.desk.document(request.path_params["document"])
        start, end = (_number(request.query_params.get(name, ""), len(document.text)) for name in ("start", "end"))
        return HTMLResponse(source_page(document, start, end))

    def progress(self, request: Request) -> Response:
        return JSONResponse(self._progress(request.query_params.get("reviewer", "")))

    def decide(self, body: Mapping[str, Any]) -> Response:
        status = _text(body, "status")
        order = Order(
            _text(body, "claim"),
            _text(body, "action"),
            _text(body, "reason"),
            _text(body, "text"),
            Status(status) if status in tuple(Status) else None,
            _text(body, "last_entry") if "last_entry" in body else None,
            _text(body, "valid_from"),
            _text(body, "valid_until"),
        )
        reviewer = _text(body, "reviewer")
        return self._decided(self.desk.queue.decide([order], reviewer), reviewer)

    def undo(self, body: Mapping[str, Any]) -> Response:
        entries = body.get("entries")
        if not isinstance(entries, list) or not all(isinstance(entry, str) for entry in entries):
            raise ReviewError("it is not said what to undo", remedy="Load the page again")
        reviewer = _text(body, "reviewer")
        return self._decided(self.desk.queue.undo(entries, reviewer, reason=_text(body, "reason")), reviewer)

    def bulk_preview(self, body: Mapping[str, Any]) -> Response:
        wanted = body.get("filter")
        if not isinstance(wanted, dict):
            raise ReviewError("it is not said which claims are meant", remedy="Load the page again")
        queue = self.desk.queue
        found = self.bulks.preview(queue, filter_with_defaults(wanted), _text(body, "action"), _text(body, "reviewer"))
        return JSONResponse(
            {
                "ticket": found.ticket,
                "count": found.count,
                "passed_over": found.passed_over,
                "more": found.more,
                "sample": [row_record(queue, name) for name in found.sample],
            }
        )

    def bulk(self, body: Mapping[str, Any]) -> Response:
        reviewer = _text(body, "reviewer")
        outcome = self.bulks.decide(self.desk.queue, _text(body, "ticket"), reviewer, _text(body, "reason"))
        return JSONResponse({**bulk_record(outcome), "progress": self._progress(reviewer)})

    def _decided(self, decisions: list[Decision], reviewer: str) -> Response:
        queue = self.desk.queue
        changed = [row_record(queue, d.claim) for d in decisions if d.claim in queue]
        return JSONResponse(
            {
                "decisions": [decision_record(decision) for decision in decisions],
                "rows": changed,
                "progress": self._progress(reviewer),
            }
        )

    def _progress(self, reviewer: str) -> dict[str, Any]:
        queue = self.desk.queue
        pace = pace_of(queue.file.ledger, reviewer.strip())
        counts = {str(status): queue.counts.get(str(status), 0) for status in Status}
        left = round(queue.waiting / pace.per_minute) if pace.per_minute else None
        record: dict[str, Any] = {
            "claims": len(queue),
            "waiting": queue.waiting,
            "by_status": counts,
            "today": pace.today,
            "per_minute": pace.per_minute,
            "minutes_left": left,
            "policy": queue.policy.name,
            "people_needed": queue.policy.rules.people_needed,
            "sample": None,
        }
        if queue.gate.sample is not None:
            sample = queue.gate.sample
            record["sample"] = {
                "size": sample.size,
                "read": sample.read,
                "wrong": sample.wrong,
                "rest": sample.rest,
                "upper_bound_percent": round(sample.upper_bound * 100, 2),
                "limit_percent": queue.policy.sample.max_error_percent,
                "accepted": sample.accepted,
            }
        return record

    def _is_known(self, request: Request) -> bool:
        sent = request.cookies.get(self.cookie, "")
        return hmac.compare_digest(sent.encode(), self.passes.key.encode())


async def _answered(work: Callable[[], Response]) -> Response:
    try:
        return await anyio.to_thread.run_sync(work)
    except AipkError as error:
        status = _STATUS.get(error.code, 422 if isinstance(error, ReviewError) else 500)
        return JSONResponse({"error": error.to_dict()}, status)


def _problem(status: int, code: str, message: str) -> Response:
    return JSONResponse({"error": {"code": code, "message": message, "where": "", "remedy": ""}}, status)


def _text(body: Mapping[str, Any], name: str) -> str:
    value = body.get(name, "")
    if not isinstance(value, str):
        raise ReviewError(f"'{name}' is not a text", remedy="Load the page again")
    return value


def _number(text: str, most: int) -> int:
    return min(int(text), most) if text.isascii() and text.isdecimal() and len(text) <= 9 else 0


def _read(name: str) -> str:
    return files("aipk_core.review").joinpath("page", name).read_text("utf-8")
