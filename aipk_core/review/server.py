"""Running the review page on this machine."""

from __future__ import annotations

import socket

import uvicorn
from starlette.applications import Starlette

from aipk_core.errors import UsageError

HOST = "127.0.0.1"
_KEEP_ALIVE_SECONDS = 30
_SHUTDOWN_SECONDS = 5


def bound_socket(port: int) -> socket.socket:
    """A listening socket on 127.0.0.1; port 0 takes a free one.

    Raises:
        UsageError: the port is taken.
    """
    listener = socket.socket(socket.AF_INET)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
    except OSError as error:
        listener.close()
        raise UsageError(
            f"the address cannot be bound ({error.strerror})", where=f"{HOST}:{port}", remedy="Choose another --port"
        ) from error
    return listener


def review_server(app: Starlette) -> uvicorn.Server:
    """A server for ``app``; run it with a socket from ``bound_socket``."""
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_keep_alive=_KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
        limit_concurrency=200,
        h11_max_incomplete_event_size=32 << 10,
    )
    return uvicorn.Server(config)
