"""LiteLLM, imported in one way by every part that asks a model: quiet, and offline but for the requests themselves."""

from __future__ import annotations

import os
import threading
from typing import Any

from aipk_core.errors import ModelError

_lock = threading.Lock()


def import_litellm() -> Any:
    """The module ``litellm``; imported on demand, since that takes seconds.

    Its settings must stand in the environment before the import: no price list is fetched, no statistics are sent, and
    no ``.env`` file of the current folder is read.

    Raises:
        ModelError: LiteLLM is not installed (code ``model-rejected``: trying again does not help).
    """
    with _lock:
        os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
        os.environ.setdefault("LITELLM_MODE", "PRODUCTION")
        os.environ.setdefault("LITELLM_LOG", "ERROR")
        try:
            import litellm
        except ImportError as error:
            raise ModelError(
                "LiteLLM is not installed", code="model-rejected", remedy="Install it: pip install litellm"
            ) from error
        litellm.telemetry = False
        litellm.suppress_debug_info = True
        return litellm
