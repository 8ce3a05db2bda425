"""Documents as JSON-ready records and back, for caches and packages."""

from __future__ import annotations

from functools import lru_cache
from sys import intern
from typing import Any

from aipk_core.documents.model import Block, Dependency, Document, Origin, Problem, Segment
from aipk_core.text.spans import Span

_BLOCK_FIELDS = (
    "kind",
    "start",
    "end",
    "heading_path",
    "anchor",
    "page",
    "group",
    "container",
    "lead_in",
    "columns",
    "language",
    "atoms",
    "boilerplate",
)
_BLOCK_DEFAULTS = {name: Block.__dataclass_fields__[name].default for name in _BLOCK_FIELDS[3:]}


def document_record(document: Document) -> dict[str, Any]:
    """``document`` as JSON values; block fields that have their default are left out."""
    return {
        "id": document.id,
        "text": document.text,
        "blocks": [block_record(block) for block in document.blocks],
        "segments": [
            [segment.start, segment.end, segment.file, segment.byte_start, segment.byte_end, str(segment.origin)]
            for segment in document.segments
        ],
        "title": document.title,
        "url": document.url,
        "lang": document.lang,
        "media_type": document.media_type,
        "source": document.source,
        "licence": document.licence,
        "attribution": document.attribution,
        "dependencies": [[item.kind, item.name, item.digest] for item in document.dependencies],
        "problems": [[item.code, item.message, item.where] for item in document.problems],
        "metadata": document.metadata,
    }


def document_from_record(record: dict[str, Any]) -> Document:
    """The document that ``document_record`` wrote.

    Raises:
        KeyError, TypeError, ValueError: the record is not one.
    """
    return Document(
        id=record["id"],
        text=record["text"],
        blocks=tuple(block_from_record(block) for block in record["blocks"]),
        segments=tuple(_segment(*segment) for segment in record["segments"]),
        title=record["title"],
        url=record["url"],
        lang=record["lang"],
        media_type=record["media_type"],
        source=record["source"],
        licence=record["licence"],
        attribution=record["attribution"],
        dependencies=tuple(Dependency(*item) for item in record["dependencies"]),
        problems=tuple(Problem(*item) for item in record["problems"]),
        metadata=record["metadata"],
    )


def block_record(block: Block) -> dict[str, Any]:
    """One block as JSON values, without the fields that have their default."""
    record: dict[str, Any] = {"kind": block.kind, "start": block.start, "end": block.end}
    for name, default in _BLOCK_DEFAULTS.items():
        value = getattr(block, name)
        if value != default:
            record[name] = (
                [list(item) if isinstance(item, tuple) else item for item in value]
                if isinstance(value, tuple)
                else value
            )
    return record


def block_from_record(record: dict[str, Any]) -> Block:
    """The block that ``block_record`` wrote."""
    values = dict(record)
    for name in ("heading_path", "columns"):
        if name in values:
            values[name] = _shared(tuple(values[name]))
    if "atoms" in values:
        values["atoms"] = tuple(Span(*atom) for atom in values["atoms"])
    return Block(**values)


def _segment(start: int, end: int, file: str, byte_start: int, byte_end: int, origin: str) -> Segment:
    return Segment(start, end, intern(file), byte_start, byte_end, _ORIGINS[origin])


_ORIGINS = {str(origin): origin for origin in Origin}


@lru_cache(maxsize=4096)
def _shared(path: tuple[str, ...]) -> tuple[str, ...]:
    """One object for equal paths: the blocks of a section have the same, and a build holds very many blocks."""
    return path
