"""The learned judge: a small cross-encoder that reads evidence and a statement together.

It sees what rules cannot: whether other words say the same thing, and whether a clause has any ground in the evidence. It is
weak where structure decides (exchanged values, versions, signs), which is why rules run first and outvote it. What it was
trained on and how far it can be trusted is in ``data/MODEL_CARD.md``.

    judge = LearnedJudge.bundled()
    judge.judge([Pair("The pump was replaced in May.", "A new pump was put in in May.")])[0].supported
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnxruntime
from tokenizers import Tokenizer

from aipk_core.errors import ModelError
from aipk_core.verify.focus import focus, rough_sentences
from aipk_core.verify.judges import Pair, Probabilities
from aipk_core.verify.meaning import encodable
from aipk_core.verify.once import once

MODEL_NAME = "grounding-v2"
MAX_TOKENS = 128
"""Tokens of evidence and statement together, as in training."""
LEAST_EVIDENCE = 32
"""Tokens always left for the evidence; a longer statement is cut rather than judged against nothing."""
MAX_STATEMENT_PARTS = 12
MAX_SINGLE_CLAIMS = 4
BATCH_TOKENS = 4096
"""Padded tokens a batch: bounds memory, and keeps one core's cache warm."""
MAX_CHARACTERS = 200_000
MAX_READ_CHARACTERS = 1500
"""Characters of evidence or statement that reach the tokenizer as a pair: more than 128 tokens hold, and a bound on its work,
which grows with the product of both lengths when it has to truncate."""

Array = npt.NDArray[np.float32]


class LearnedJudge:
    """A cross-encoder in a folder with ``model.onnx`` and ``tokenizer.json``.

    The model maps (input_ids, attention_mask, token_type_ids) to three logits: supported, contradicted, not found.
    """

    def __init__(
        self, folder: Path, *, name: str = MODEL_NAME, threads: int = 1, languages: frozenset[str] | None = None
    ) -> None:
        """Load the model.

        Args:
            languages: the only languages that it is asked about; ``None`` for all.
            threads: cores one call may use.

        Raises:
            ModelError: a file is missing, or is no model of this form.
        """
        self._name = name
        self._languages = languages
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        try:
            self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
            self._session = onnxruntime.InferenceSession(
                str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # both libraries raise bare Exception subclasses of their own
            raise ModelError(
                f"the learned judge cannot be loaded: {error}",
                code="verify-model-unreadable",
                where=str(folder),
                remedy="Give a folder with model.onnx and tokenizer.json, or verify with rules only",
            ) from error
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(MAX_TOKENS, strategy="longest_first")
        wanted = {"input_ids", "attention_mask", "token_type_ids"}
        inputs = {entry.name for entry in self._session.get_inputs()}
        outputs = self._session.get_outputs()
        if not inputs <= wanted or "input_ids" not in inputs or outputs[0].shape[-1] not in (3, "labels"):
            raise ModelError(
                f"not a three-way cross-encoder: inputs {sorted(inputs)}, output {outputs[0].shape}",
                code="verify-model-form",
                where=str(folder / "model.onnx"),
                remedy="The model takes a tokenised pair and gives logits for supported, contradicted, not found",
            )
        self._inputs = inputs

    @property
    def languages(self) -> frozenset[str] | None:
        """The languages it may be asked about: English for the bundled model."""
        return self._languages

    @classmethod
    def bundled(cls, *, threads: int = 1) -> LearnedJudge:
        """The judge that ships with the package."""
        with as_file(files("aipk_core.verify") / "data") as folder:
            return cls(folder, threads=threads, languages=frozenset({"en"}))

    @property
    def name(self) -> str:
        return f"model:{self._name}"

    def judge(self, pairs: Sequence[Pair]) -> list[Probabilities]:
        """One answer per pair, in order.

        Evidence that is too long is cut to the sentences that matter for the statement. The evidence is read as a whole and
        claim by claim (one a line), and the most supporting reading counts: a union helps a statement that needs two claims,
        a single claim is easier to read. A statement of several sentences is as good as its worst sentence.

        Raises:
            ModelError: the model failed.
        """
        texts: list[tuple[str, str]] = []
        plan: list[list[list[int]]] = []
        for pair in pairs:
            parts = [part[:MAX_READ_CHARACTERS] for part in rough_sentences(encodable(pair.statement[:MAX_CHARACTERS]))]
            parts = parts[:MAX_STATEMENT_PARTS] or [""]
            plan.append([])
            for part in parts:
                readings = self._readings(encodable(pair.evidence[:MAX_CHARACTERS]), part)
                plan[-1].append(list(range(len(texts), len(texts) + len(readings))))
                texts.extend((reading[:MAX_READ_CHARACTERS], part) for reading in readings)
        rows = self._probabilities(texts)
        return [_answer([rows[indices] for indices in parts]) for parts in plan]

    def _readings(self, evidence: str, statement: str) -> list[str]:
        room = MAX_TOKENS - 3 - len(self._tokenizer.encode(statement, add_special_tokens=False).ids)
        room = max(room, LEAST_EVIDENCE)
        whole = focus(evidence, statement, room, self._costs)
        claims = [line for line in whole.split("\n") if line.strip()]
        if len(claims) < 2 or len(claims) > MAX_SINGLE_CLAIMS:
            return [whole]
        return [whole, *claims]

    def _costs(self, texts: Sequence[str]) -> list[int]:
        return [len(encoded.ids) for encoded in self._tokenizer.encode_batch(list(texts), add_special_tokens=False)]

    def _probabilities(self, texts: Sequence[tuple[str, str]]) -> Array:
        """Softmax of the three logits, one row per (evidence, statement)."""
        encoded = self._tokenizer.encode_batch(list(texts))
        order = sorted(range(len(texts)), key=lambda index: len(encoded[index].ids))
        result = np.zeros((len(texts), 3), dtype=np.float32)
        batch: list[int] = []
        for index in order:
            length = len(encoded[index].ids)
            if batch and (len(batch) + 1) * length > BATCH_TOKENS:
                result[batch] = self._run([encoded[i] for i in batch])
                batch = []
            batch.append(index)
        if batch:
            result[batch] = self._run([encoded[i] for i in batch])
        return result

    def _run(self, encoded: Sequence[Any]) -> Array:
        length = max(len(entry.ids) for entry in encoded)
        shape = (len(encoded), length)
        arrays = {name: np.zeros(shape, dtype=np.int64) for name in ("input_ids", "attention_mask", "token_type_ids")}
        for row, entry in enumerate(encoded):
            size = len(entry.ids)
            arrays["input_ids"][row, :size] = entry.ids
            arrays["attention_mask"][row, :size] = 1
            arrays["token_type_ids"][row, :size] = entry.type_ids
        try:
            logits = self._session.run(None, {name: arrays[name] for name in self._inputs})[0]
        except Exception as error:  # onnxruntime raises bare Exception subclasses
            raise ModelError(
                f"the learned judge failed: {error}",
                code="verify-model-failed",
                where=self.name,
                remedy="Verify with rules only, or give another model",
            ) from error
        shifted = np.exp(logits - logits.max(axis=-1, keepdims=True))
        return np.asarray(shifted / shifted.sum(axis=-1, keepdims=True), dtype=np.float32)


@once
def bundled_judge(threads: int = 1) -> LearnedJudge:
    """The bundled judge, loaded once per process; loading takes a few tenths of a second."""
    return LearnedJudge.bundled(threads=threads)


def _answer(parts: Sequence[Array]) -> Probabilities:
    """The reading that supports a sentence most, then the sentence that is supported least."""
    best = [rows[int(rows[:, 0].argmax())] for rows in parts]
    supported, contradicted, not_found = min(best, key=lambda row: float(row[0]))
    return Probabilities(float(supported), float(contradicted), float(not_found))
