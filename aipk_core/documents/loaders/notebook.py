"""Jupyter notebooks: Markdown cells as pages of text, code cells as code; outputs only when they are asked for."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from aipk_core.documents.builder import DocumentBuilder
from aipk_core.documents.loaders.encodings import decode
from aipk_core.documents.loaders.html_blocks import write_blocks
from aipk_core.documents.loaders.html_tree import parse_html
from aipk_core.documents.loaders.limits import Watch
from aipk_core.documents.loaders.markdown_html import HeadingIds, markdown_to_html
from aipk_core.documents.loaders.registry import LoadContext, RawDocument
from aipk_core.documents.loaders.scripts import dominant_language
from aipk_core.documents.model import Document
from aipk_core.documents.traced import Traced
from aipk_core.errors import DocumentError


def load_notebook(raw: RawDocument, context: LoadContext) -> Document:
    """Read a notebook of format 3 or 4. Option ``notebook_outputs = true`` keeps textual outputs of code cells.

    Raises:
        DocumentError: ``invalid``, ``empty``, ``too-large``, ``timeout``.
    """
    watch = Watch(raw.id, context.limits)
    decoded = decode(raw.data, raw.encoding, where=raw.id)
    notebook = _parsed(decoded.text, raw.id)
    builder = DocumentBuilder(raw.id, len(raw.data))
    builder.problems.extend(decoded.problems)
    language = _code_language(notebook)
    ids = HeadingIds()
    for number, cell in enumerate(_cells(notebook)):
        watch.check(builder)
        kind, source = cell.get("cell_type"), _joined(cell.get("source", cell.get("input", "")))
        if kind == "markdown":
            html = markdown_to_html(Traced.of(source), ids=ids, prefix=f"cell{number}-")
            write_blocks(
                parse_html(html.text, fragment=True),
                html,
                builder,
                max_blocks=context.limits.max_blocks,
                tick=watch.check,
            )
        elif kind == "heading":  # format 3
            level = cell.get("level")
            builder.add(f"h{level if isinstance(level, int) and 1 <= level <= 6 else 1}", source)
        elif kind == "code":
            builder.add("code", source, language=language)
            if context.options.get("notebook_outputs"):
                for text in _outputs(cell):
                    builder.add("code", text)
    watch.finish(builder)
    title = next((builder.block_text(index) for index, block in enumerate(builder.blocks) if block.kind == "h1"), "")
    text = " ".join(builder.block_text(index) for index, block in enumerate(builder.blocks) if block.kind != "code")
    return builder.build(
        title=title,
        url=raw.url,
        lang=raw.lang or dominant_language(text),
        media_type="application/x-ipynb+json",
        metadata={"code_language": language} if language else {},
    )


def _parsed(text: str, where: str) -> dict[str, Any]:
    try:
        notebook = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DocumentError(
            f"this is not JSON ({type(error).__name__})",
            code="invalid",
            where=where,
            remedy="Open and save the notebook anew",
        ) from error
    if not isinstance(notebook, dict) or not isinstance(notebook.get("cells", notebook.get("worksheets")), list):
        raise DocumentError(
            "the JSON is no notebook: it has no cells",
            code="invalid",
            where=where,
            remedy="Open and save the notebook anew",
        )
    return notebook


def _cells(notebook: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The cells of a notebook; format 3 keeps them in worksheets."""
    sheets = [notebook] if "cells" in notebook else notebook["worksheets"]
    for sheet in sheets:
        cells = sheet.get("cells") if isinstance(sheet, dict) else None
        for cell in cells if isinstance(cells, list) else ():
            if isinstance(cell, dict):
                yield cell


def _joined(source: Any) -> str:
    """Cell text, which is stored as a string or as a list of lines."""
    if isinstance(source, list):
        return "".join(line for line in source if isinstance(line, str))
    return source if isinstance(source, str) else ""


def _code_language(notebook: dict[str, Any]) -> str | None:
    metadata = notebook.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    for key, name in (("kernelspec", "language"), ("language_info", "name"), ("kernelspec", "name")):
        place = metadata.get(key)
        value = place.get(name) if isinstance(place, dict) else None
        if isinstance(value, str) and re.fullmatch(r"[\w+#.-]{1,40}", value):
            return re.sub(r"^python\d$", "python", value.lower())
    return None


_TERMINAL_COLOUR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


def _outputs(cell: dict[str, Any]) -> Iterator[str]:
    """Text that a code cell printed or returned; pictures and HTML have none."""
    outputs = cell.get("outputs")
    for output in outputs if isinstance(outputs, list) else ():
        if not isinstance(output, dict):
            continue
        data = output.get("data")
        text = _joined(output.get("text", data.get("text/plain", "") if isinstance(data, dict) else ""))
        if not text and output.get("output_type") in ("error", "pyerr"):
            text = f"{output.get('ename', '')}: {output.get('evalue', '')}"
        if text:
            yield _TERMINAL_COLOUR.sub("", text)
