"""Opens the engine that a corpus asks for."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from aipk_core.claims.engine import ClaimEngine
from aipk_core.claims.extractive import ExtractionSettings, ExtractiveEngine
from aipk_core.claims.llm_model import LiteLLMModel, ModelSettings

if TYPE_CHECKING:
    from aipk_core.corpus import ClaimTable

Progress = Callable[[str, int, int | None], None]


def open_engine(table: ClaimTable, progress: Progress) -> ClaimEngine[Any]:
    """The engine named in ``[claims]``; a model is first asked when there is work for it."""
    if table.engine == "extractive":
        return ExtractiveEngine(ExtractionSettings(table.min_words, table.max_characters))
    from aipk_core.claims.llm import LLMEngine, LLMSettings

    settings = LLMSettings(
        max_characters=table.max_characters,
        concurrency=table.concurrency,
        retries=table.retries,
        max_requests=table.max_requests,
        max_cost=table.max_cost,
    )
    return LLMEngine(open_model(table), settings, progress)


def open_model(table: ClaimTable) -> LiteLLMModel:
    """The language model named in ``[claims]``; nothing is sent before it is asked."""
    return LiteLLMModel(
        ModelSettings(
            model=table.model,
            api_base=table.api_base,
            api_key_env=table.api_key_env,
            timeout=float(table.timeout_seconds),
            max_tokens=table.max_tokens,
            price_in=table.price_in,
            price_out=table.price_out,
        )
    )
