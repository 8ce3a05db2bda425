"""A bound on the time that one document may take."""

from __future__ import annotations

import time
from collections.abc import Callable

from aipk_core.errors import DocumentError


def deadline(seconds: float, where: str) -> Callable[[], None]:
    """A function that raises ``DocumentError`` (``timeout``) once ``seconds`` have passed."""
    end = time.monotonic() + seconds

    def check() -> None:
        if time.monotonic() > end:
            raise DocumentError(
                f"reading took more than {seconds:g} s",
                code="timeout",
                where=where,
                remedy="Exclude the document or raise the timeout",
            )

    return check
