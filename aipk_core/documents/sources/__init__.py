"""Where documents come from: local files, git repositories, web sites."""

from __future__ import annotations

from pathlib import Path

from aipk_core.documents.sources.files import open_folder
from aipk_core.documents.sources.model import FilesSource, GitSource, Source, SourceSettings, WebSource
from aipk_core.documents.sources.snapshot import Progress, SourceFile, SourceSnapshot

__all__ = [
    "FilesSource",
    "GitSource",
    "Progress",
    "Source",
    "SourceFile",
    "SourceSettings",
    "SourceSnapshot",
    "WebSource",
    "open_source",
]


def open_source(
    settings: FilesSource | GitSource | WebSource, corpus_dir: Path, cache_dir: Path, progress: Progress | None = None
) -> SourceSnapshot:
    """Bring a source up to date and take a snapshot of it.

    Args:
        corpus_dir: the folder that relative paths in ``settings`` start from.
        cache_dir: where clones and web pages are kept between builds; may be shared by several corpora.

    Raises:
        SourceError: the source cannot be read as a whole; nothing that was kept from earlier builds has changed.
    """
    if isinstance(settings, FilesSource):
        return open_folder(settings, corpus_dir / settings.path, progress=progress)
    if isinstance(settings, GitSource):
        from aipk_core.documents.sources.git import open_git

        return open_git(settings, corpus_dir, cache_dir, progress)
    from aipk_core.documents.sources.web import open_web

    return open_web(settings, cache_dir, progress)
