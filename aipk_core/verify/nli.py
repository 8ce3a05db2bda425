"""A user's own NLI model as a judge: a folder with ``model.onnx``, ``tokenizer.json`` and ``config.json``.

Any cross-encoder exported from the Hugging Face hub fits: ``config.json`` names its labels (``id2label``), and entailment,
contradiction and neutral are found by name.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from aipk_core.errors import ModelError
from aipk_core.verify.judges import Pair, Probabilities

MAX_TOKENS = 512
_MAX_CONFIG = 1_000_000
_NAMES = {
    "supported": ("entail", "support"),
    "contradicted": ("contradict", "refut"),
    "not_found": ("neutral", "not enough", "nei", "not_found"),
}


class NliJudge:
    """Reads pairs with an ONNX model; the evidence is the premise and the statement the hypothesis.

    Raises:
        ModelError: a file is missing or unreadable, or ``config.json`` names no entailment label.
    """

    def __init__(self, folder: Path, *, threads: int = 1) -> None:
        import onnxruntime
        from tokenizers import Tokenizer

        self._name = folder.resolve().name
        self._columns = _columns(folder / "config.json")
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        try:
            self._tokenizer: Any = Tokenizer.from_file(str(folder / "tokenizer.json"))
            self._session = onnxruntime.InferenceSession(
                str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # both libraries raise bare exceptions
            raise ModelError(
                f"the NLI model cannot be loaded: {error}", code="nli-model-unreadable", where=str(folder),
                remedy="The folder holds model.onnx, tokenizer.json and config.json",
            ) from error  # fmt: skip
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(MAX_TOKENS, strategy="only_first")
        self._inputs = {entry.name for entry in self._session.get_inputs()}

    @property
    def name(self) -> str:
        return f"nli:{self._name}"

    def judge(self, pairs: Sequence[Pair]) -> list[Probabilities]:
        """One answer per pair, in order.

        Raises:
            ModelError: the model failed.
        """
        return [self._one(pair) for pair in pairs]

    def _one(self, pair: Pair) -> Probabilities:
        try:
            row = self._tokenizer.encode(pair.evidence, pair.statement)
            arrays = {"input_ids": row.ids, "attention_mask": row.attention_mask, "token_type_ids": row.type_ids}
            feed = {
                name: np.asarray([values], dtype=np.int64) for name, values in arrays.items() if name in self._inputs
            }
            logits = np.asarray(self._session.run(None, feed)[0][0], dtype=np.float64)
        except Exception as error:  # both libraries raise bare exceptions
            raise ModelError(
                f"the NLI model failed: {error}", code="nli-model-failed", where=self.name, remedy="Try another model"
            ) from error
        shares = np.exp(logits - logits.max())
        shares /= shares.sum()
        supported = float(shares[self._columns["supported"]])
        contradicted = float(shares[self._columns["contradicted"]]) if "contradicted" in self._columns else 0.0
        return Probabilities(supported, contradicted, max(0.0, 1.0 - supported - contradicted))


def _columns(path: Path) -> dict[str, int]:
    """Which output column means what."""
    try:
        if path.stat().st_size > _MAX_CONFIG:
            raise ValueError("too large")
        labels = json.loads(path.read_text("utf-8"))["id2label"]
        names = {int(number): str(label).casefold() for number, label in labels.items()}
    except (OSError, ValueError, KeyError, AttributeError, TypeError) as error:
        raise ModelError(
            f"the labels cannot be read: {error}",
            code="nli-labels",
            where=str(path),
            remedy="config.json needs id2label",
        ) from None
    columns: dict[str, int] = {}
    for meaning, parts in _NAMES.items():
        for number, label in names.items():
            negated = meaning == "supported" and ("not_" in label or "not " in label or "non" in label)
            if any(part in label for part in parts) and not negated:
                columns.setdefault(meaning, number)
    if "supported" not in columns:
        raise ModelError(
            f"none of the labels {sorted(names.values())} means entailment", code="nli-labels", where=str(path),
            remedy="Name the labels entailment, contradiction, neutral",
        )  # fmt: skip
    return columns
