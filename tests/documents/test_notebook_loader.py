"""Jupyter notebooks: text and code, outputs on request."""

from __future__ import annotations

import json
from typing import Any

import pytest

from aipk_core.documents.loaders.registry import LoadContext, RawDocument, load
from aipk_core.documents.model import Document
from aipk_core.errors import DocumentError

CELLS: list[dict[str, Any]] = [
    {"cell_type": "markdown", "source": ["# Pumps\n", "\n", "They *start*:\n", "\n", "- fast"]},
    {
        "cell_type": "code",
        "source": "x = 1\nprint(x)",
        "outputs": [
            {"output_type": "stream", "text": ["1\n"]},
            {"output_type": "display_data", "data": {"image/png": "iVBORw0KGgo=", "text/plain": "<Figure>"}},
            {"output_type": "error", "ename": "ValueError", "evalue": "too hot"},
        ],
    },
    {"cell_type": "raw", "source": "raw"},
]


def notebook(cells: list[dict[str, Any]]) -> bytes:
    return json.dumps({"cells": cells, "nbformat": 4, "metadata": {"kernelspec": {"name": "python3"}}}).encode()


def loaded(data: bytes, **options: object) -> Document:
    return load(RawDocument("a.ipynb", data), LoadContext(options=options))


def blocks(document: Document) -> list[tuple[str, str]]:
    return [(block.kind, document.quote(block)) for block in document.blocks]


def test_text_and_code_without_outputs() -> None:
    document = loaded(notebook(CELLS))
    assert blocks(document) == [("h1", "Pumps"), ("p", "They start:"), ("li", "fast"), ("code", "x = 1\nprint(x)")]
    assert document.title == "Pumps"
    assert document.blocks[3].language == "python"


def test_outputs_when_they_are_asked_for() -> None:
    document = loaded(notebook(CELLS), notebook_outputs=True)
    assert [text for kind, text in blocks(document) if kind == "code"][1:] == ["1", "<Figure>", "ValueError: too hot"]


def test_the_old_format_keeps_cells_in_worksheets() -> None:
    cells = [{"cell_type": "heading", "level": 2, "source": "Old"}, {"cell_type": "code", "input": ["y = 2"]}]
    document = loaded(json.dumps({"worksheets": [{"cells": cells}], "nbformat": 3}).encode())
    assert blocks(document) == [("h2", "Old"), ("code", "y = 2")]


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"not json", "invalid"),
        (b"[1, 2]", "invalid"),
        (b'{"cells": 3}', "invalid"),
        (b"[" * 200_000, "invalid"),
        (notebook([]), "empty"),
        (b'{"cells": [null, 1, {"cell_type": 2, "source": {}}]}', "empty"),
    ],
)
def test_what_is_no_notebook_has_a_name(data: bytes, code: str) -> None:
    with pytest.raises(DocumentError) as caught:
        loaded(data)
    assert caught.value.code == code
