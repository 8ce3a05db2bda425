"""The command ``aipk``. Every command is a thin call into the library."""

from __future__ import annotations

import io
import os
import sys

import typer

from aipk_core import __version__


def main() -> None:
    """Entry point of the console script ``aipk``."""
    # LiteLLM and other libraries would fetch lists or send statistics at import time; nothing leaves the machine unasked.
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    os.environ.setdefault("DO_NOT_TRACK", "1")
    for stream in (sys.stdout, sys.stderr):
        # A terminal or pipe that cannot show a character must not end the command.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    application()()


def application() -> typer.Typer:
    """All commands. Made on demand, so that importing the library does not import them."""
    from aipk_core.cli import ask, build, claims, documents, evaluate, inspect, review, store, ui, verify

    app = typer.Typer(
        name="aipk",
        help="Build, ask and verify .aipk packages: answers tied, sentence by sentence, to an exact source sentence.",
        no_args_is_help=True,
        pretty_exceptions_show_locals=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback(invoke_without_command=True)(_options)
    app.command()(build.build)
    app.command()(ask.ask)
    app.command()(verify.verify)
    app.command()(inspect.inspect)
    app.command("eval")(evaluate.evaluate)
    app.command()(documents.documents)
    app.command()(documents.sentences)
    app.add_typer(claims.app, name="claims")
    app.command()(review.review)
    app.command()(store.status)
    app.add_typer(store.app, name="store")
    app.command()(ui.ui)
    return app


def _options(
    version: bool = typer.Option(False, "--version", help="Print the version and stop.", is_eager=True),
) -> None:
    if version:
        print(f"aipk {__version__}")
        raise typer.Exit
