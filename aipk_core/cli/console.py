"""What all commands share: where output goes, progress bars, and how errors end a command."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import ParamSpec, TypeVar

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn

from aipk_core.errors import AipkError

EXIT_OK = 0
EXIT_BELOW = 1
"""The command did its work and the answer is no: a refusal, a coverage below the bar, claims that wait."""
EXIT_ERROR = 2
"""The command could not do its work; one line on standard error says why."""
EXIT_INTERRUPTED = 128 + signal.SIGINT
EXIT_TERMINATED = 128 + signal.SIGTERM


class Terminated(KeyboardInterrupt):
    """SIGTERM came. It ends a command as Ctrl-C does, with another exit code."""


class _PipedConsole(Console):
    def on_broken_pipe(self) -> None:
        """Leave it to ``reporting_errors``; Rich would end the process with 1, which means a refusal here."""
        raise BrokenPipeError


out = _PipedConsole(highlight=False)
err = Console(stderr=True, highlight=False)

P = ParamSpec("P")
T = TypeVar("T")


def reporting_errors(command: Callable[P, T]) -> Callable[P, T]:
    """Make a command print an ``AipkError`` as one line and exit with 2; anything else is a bug and keeps its traceback."""

    @wraps(command)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            result = command(*args, **kwargs)
            sys.stdout.flush()  # a reader that has gone is noticed here, and not while Python ends
            return result
        except AipkError as error:
            err.print(f"[bold red]error:[/] {escaped(str(error))}", soft_wrap=True)
            raise typer.Exit(EXIT_ERROR) from None
        except KeyboardInterrupt as stop:
            err.print("stopped; what was committed stays")
            raise typer.Exit(EXIT_TERMINATED if isinstance(stop, Terminated) else EXIT_INTERRUPTED) from None
        except BrokenPipeError:
            # The reader (``head``, a pager) has seen enough.
            _drop_output()
            raise typer.Exit(EXIT_OK) from None
        except typer.Exit:
            try:
                sys.stdout.flush()
            except BrokenPipeError:
                _drop_output()
            raise

    return wrapped


def _drop_output() -> None:
    """Let what is still to be printed go nowhere, so that Python's own last flush does not complain."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


@contextmanager
def ending_on_sigterm() -> Iterator[None]:
    """SIGTERM within the block raises ``Terminated``, so that worker processes and half-written files are cleared away."""
    if threading.current_thread() is not threading.main_thread():  # only that one may say what a signal does
        yield
        return

    def end(number: int, frame: object) -> None:
        raise Terminated

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def escaped(text: str) -> str:
    """Text from documents and users, safe to print: no Rich markup, no control characters."""
    printable = "".join(character if character.isprintable() or character in "\n\t" else "\ufffd" for character in text)
    return escape(printable)


@contextmanager
def progress_bar(quiet: bool = False) -> Iterator[Callable[[str, int, int | None], None]]:
    """A progress bar on standard error while work goes on; calls are ``(what, done, total)``."""
    if quiet or not err.is_terminal:
        yield lambda what, done, total: None
        return
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=err, transient=True) as bar:
        tasks: dict[str, int] = {}

        def report(what: str, done: int, total: int | None) -> None:
            if what not in tasks:
                for task in tasks.values():
                    bar.update(bar.task_ids[task], visible=False)
                bar.add_task(escaped(what), total=total)
                tasks[what] = len(tasks)
            bar.update(bar.task_ids[tasks[what]], completed=done, total=total)

        yield report
