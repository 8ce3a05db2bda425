"""aipk: answers that are tied, sentence by sentence, to an exact source sentence.

The library behind the ``aipk`` and ``aipk-serve`` commands. It never imports Dagster; heavy libraries (LanceDB, spaCy,
LiteLLM, ONNX Runtime) are imported where they are first needed.
"""

from __future__ import annotations

__version__ = "0.1.0"
