"""``aipk review``: the review page."""

from __future__ import annotations

import gc
import getpass
import signal
import sys
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from aipk_core.cli.console import out, reporting_errors


@reporting_errors
def review(
    corpus: Annotated[Path, typer.Argument(help="A corpus folder that was built before.")],
    port: Annotated[int, typer.Option(help="Port on 127.0.0.1; 0 takes a free one.", min=0, max=65535)] = 0,
    reviewer: Annotated[str, typer.Option(help="The name that decisions carry; your login name by default.")] = "",
    open_browser: Annotated[bool, typer.Option("--open/--no-open", help="Open the page in the browser.")] = True,
) -> None:
    """Review claims beside their sources, on a page in the browser. Stops with Ctrl-C."""
    from aipk_core.review.app import ReviewSecrets, build_review_app
    from aipk_core.review.desk import ReviewDesk
    from aipk_core.review.server import HOST, bound_socket, review_server

    desk = ReviewDesk(corpus)
    desk.warm_up()
    # What was loaded stays; without this the collector would walk over all of it again and again.
    gc.freeze()
    passes = ReviewSecrets()
    app = build_review_app(desk, reviewer or getpass.getuser(), passes)
    listener = bound_socket(port)
    address = f"http://{HOST}:{listener.getsockname()[1]}/?key={passes.key}"
    out.print(
        f"{desk.corpus.title}: {len(desk.queue):,} claims, {desk.queue.waiting:,} wait for a person", markup=False
    )
    out.print(address, soft_wrap=True, markup=False)
    sys.stdout.flush()
    if open_browser and sys.stdout.isatty():
        webbrowser.open(address)
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(0))
    signal.signal(signal.SIGINT, lambda number, frame: sys.exit(0))
    review_server(app).run(sockets=[listener])
