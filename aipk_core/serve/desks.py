"""What the server answers from: one desk for each package, and one over all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from aipk_core.answer.answerer import Answerer
from aipk_core.documents.model import Document
from aipk_core.retrieval.model import Retriever
from aipk_core.serve.protocol import RequestError


class Library(Protocol):
    """Where source pages come from."""

    def document(self, document_id: str) -> Document | None:
        """The document, or ``None`` when the package holds none of that id."""
        ...


@dataclass(frozen=True, slots=True)
class Desk:
    """One model name that clients may choose.

    Attributes:
        name: as listed by ``/v1/models``.
        created: seconds since 1970, shown to clients.
        description: one line for the chat page.
    """

    name: str
    answerer: Answerer
    retriever: Retriever
    created: int = 0
    description: str = ""


@dataclass(frozen=True, slots=True)
class Desks:
    """Every desk, the default one first, and the libraries behind them by package name."""

    all: tuple[Desk, ...]
    libraries: Mapping[str, Library]

    def named(self, name: str) -> Desk:
        """The desk that a client asked for; the default one when it named none.

        Raises:
            RequestError: there is no such desk.
        """
        if not name:
            return self.all[0]
        for desk in self.all:
            if desk.name == name:
                return desk
        known = ", ".join(desk.name for desk in self.all[:20])
        raise RequestError(
            f"The model {name[:100]!r} does not exist here. Available: {known}.",
            param="model",
            code="model_not_found",
            status=404,
        )
