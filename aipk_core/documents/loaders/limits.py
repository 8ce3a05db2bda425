"""Keeps a loader within its limits: blocks, time, and a document that turns out to hold nothing."""

from __future__ import annotations

import time

from aipk_core.documents.builder import DocumentBuilder
from aipk_core.documents.loaders.registry import Limits
from aipk_core.errors import DocumentError


class Watch:
    """Started when a loader starts; ``check`` is called once for each block or page."""

    def __init__(self, where: str, limits: Limits) -> None:
        self._where = where
        self._limits = limits
        self._deadline = time.monotonic() + limits.timeout

    def check(self, builder: DocumentBuilder | None = None) -> None:
        """Raise ``timeout`` or ``too-large`` when the document costs more than it may."""
        if time.monotonic() > self._deadline:
            raise DocumentError(
                f"reading took longer than {self._limits.timeout:g} seconds",
                code="timeout",
                where=self._where,
                remedy="Split the file or raise the limit",
            )
        if builder is not None and len(builder.blocks) > self._limits.max_blocks:
            raise DocumentError(
                f"the document has more than {self._limits.max_blocks} blocks",
                code="too-large",
                where=self._where,
                remedy="Split the file or raise max_blocks",
            )

    def finish(self, builder: DocumentBuilder) -> None:
        """As ``check``, and ``empty`` when no block was found."""
        self.check(builder)
        if not builder.blocks:
            raise DocumentError(
                "the document holds no text", code="empty", where=self._where, remedy="Exclude the file"
            )
