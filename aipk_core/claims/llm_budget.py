"""What a run may spend on a language model, what it will probably spend, and what it has spent."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from aipk_core.claims.llm_model import ExtractionModel, Reply
from aipk_core.errors import ModelError

_CHARACTERS_PER_TOKEN = 3.5
_OUT_PER_IN = 0.9
"""Tokens of a reply for each token of source text: the facts again, in JSON."""


class Budget:
    """Counts requests, tokens and money; safe to use from several threads."""

    def __init__(self, model: ExtractionModel, max_requests: int | None, max_cost: float | None) -> None:
        self.model = model
        self.max_requests = max_requests
        self.max_cost = max_cost
        self.requests = 0
        self.tokens_in = 0
        self.tokens_out = 0
        self._lock = threading.Lock()

    def estimate(self, prompts: Sequence[int], sources: Sequence[int]) -> str:
        """The coming run in words: requests, tokens and money, from the characters of its prompts and source texts.

        Raises:
            ModelError: money is limited and no price is known (code ``price-unknown``).
        """
        tokens_in = int(sum(prompts) / _CHARACTERS_PER_TOKEN)
        tokens_out = int(sum(sources) / _CHARACTERS_PER_TOKEN * _OUT_PER_IN)
        cost = self.model.cost(tokens_in, tokens_out)
        if cost is None and self.max_cost is not None:
            raise ModelError(
                "max_cost is set, and no price of the model is known",
                code="price-unknown",
                where=self.model.name,
                remedy="Set price_in and price_out in [claims], or limit max_requests instead",
            )
        money = "price unknown" if cost is None else f"about {cost:.2f} in money"
        limits = []
        if self.max_requests is not None and len(prompts) > self.max_requests:
            limits.append(f"stops after {self.max_requests} requests")
        if self.max_cost is not None and cost is not None and cost > self.max_cost:
            limits.append(f"stops at a cost of {self.max_cost:g}")
        ending = f"; {' and '.join(limits)}" if limits else ""
        return (
            f"{len(prompts):,} requests to {self.model.name}, about {tokens_in:,} tokens in and {tokens_out:,} out, "
            f"{money}{ending}"
        )

    def take(self, prompt: int) -> None:
        """Note that a request with so many characters is about to be made.

        Raises:
            ModelError: it would go beyond the budget (code ``budget-used-up``).
        """
        with self._lock:
            spent = self.model.cost(self.tokens_in + int(prompt / _CHARACTERS_PER_TOKEN), self.tokens_out)
            over_cost = self.max_cost is not None and (spent is None or spent > self.max_cost)
            if over_cost or (self.max_requests is not None and self.requests >= self.max_requests):
                raise ModelError("the budget of this run is used up", code="budget-used-up", where=self.model.name)
            self.requests += 1

    def spent(self, reply: Reply, prompt: int) -> None:
        """Note what a reply cost; by its length where the server does not count."""
        with self._lock:
            self.tokens_in += reply.tokens_in or int(prompt / _CHARACTERS_PER_TOKEN)
            self.tokens_out += reply.tokens_out or int(len(reply.text) / _CHARACTERS_PER_TOKEN)

    def tokens(self) -> dict[str, int]:
        with self._lock:
            return {"tokens in": self.tokens_in, "tokens out": self.tokens_out}
