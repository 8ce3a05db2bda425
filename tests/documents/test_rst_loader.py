"""reStructuredText: what the rendered page shows, and nothing from other files."""

from __future__ import annotations

from pathlib import Path

import pytest

from aipk_core.documents.loaders.registry import Limits, LoadContext, RawDocument, load, media_type_of
from aipk_core.documents.model import Document
from aipk_core.errors import DocumentError


def loaded(text: str) -> Document:
    return load(RawDocument("docs/a.rst", text.encode()))


def blocks(document: Document) -> list[tuple[str, str]]:
    return [(block.kind, document.quote(block)) for block in document.blocks]


def test_sections_nest_and_carry_their_ids() -> None:
    document = loaded("Pumps\n=====\n\nAll.\n\nParts\n-----\n\nText.\n\nCare\n-----\n\nMore.\n")
    assert blocks(document) == [
        ("h1", "Pumps"),
        ("p", "All."),
        ("h2", "Parts"),
        ("p", "Text."),
        ("h2", "Care"),
        ("p", "More."),
    ]
    assert document.blocks[3].heading_path == ("Pumps", "Parts")
    assert document.blocks[5].anchor == "care"


def test_roles_show_their_text() -> None:
    document = loaded(
        "See :ref:`the guide <guide>`, :func:`~os.path.join`, :pep:`8`, ``x = 1``, *it*, `link <http://a.b>`_, |v|.\n\n"
        ".. |v| replace:: version 2\n"
    )
    assert document.text == "See the guide, join(), PEP 8, x = 1, it, link, version 2."
    atoms = [document.quote(atom) for atom in document.blocks[0].atoms]
    assert "x = 1" in atoms
    assert "join()" in atoms


def test_directives_show_what_a_reader_sees() -> None:
    document = loaded(
        ".. note:: Mind the valve.\n\n.. code-block:: python\n   :linenos:\n\n   x = 1\n\n"
        ".. versionadded:: 2.1 The timer.\n\n.. toctree::\n\n   a\n   b\n\n.. index:: pump\n\n.. _target:\n\n"
        ".. comment only\n\n.. image:: a.png\n   :alt: The pump\n"
    )
    assert blocks(document) == [
        ("p", "Mind the valve."),
        ("code", "x = 1"),
        ("p", "New in version 2.1: The timer."),
        ("alt", "The pump"),
    ]
    assert document.blocks[1].language == "python"


def test_lists_fields_options_and_footnotes() -> None:
    document = loaded(
        "Do this [1]_:\n\n- open\n\n  slowly\n- close\n\nterm\n    what it is\n\n-f FILE, --file=FILE  the file\n\n"
        ".. [1] Below 60 °C.\n"
    )
    assert blocks(document) == [
        ("p", "Do this:"),
        ("li", "open"),
        ("li", "slowly"),
        ("li", "close"),
        ("dt", "term"),
        ("dd", "what it is"),
        ("dt", "-f FILE, --file=FILE"),
        ("dd", "the file"),
        ("footnote", "Below 60 °C."),
    ]
    first, second, third = document.blocks[1:4]
    assert first.group == second.group != third.group
    assert first.lead_in == 0


def test_grid_tables_know_their_columns() -> None:
    document = loaded("+------+------+\n| Part | Mass |\n+======+======+\n| Pump | 5 kg |\n+------+------+\n")
    assert blocks(document) == [("th", "Part"), ("th", "Mass"), ("td", "Pump"), ("td", "5 kg")]
    assert document.blocks[3].columns == ("Mass",)


def test_a_header_of_fields_above_the_text() -> None:
    document = loaded("PEP: 8\nTitle: Style of pumps\nStatus: Active\n\nText.\n")
    assert document.title == "Style of pumps"
    assert document.metadata["status"] == "Active"
    assert document.text.endswith("Text.")


@pytest.mark.parametrize(
    "directive",
    [
        ".. include:: {0}",
        ".. literalinclude:: {0}",
        ".. raw:: html\n   :file: {0}",
        ".. csv-table::\n   :file: {0}",
        ".. code-block:: text\n   :include: {0}",
    ],
)
def test_no_other_file_is_read(directive: str, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("top secret")
    document = loaded("Text.\n\n" + directive.format(secret) + "\n")
    assert "top secret" not in document.text
    assert document.text.startswith("Text.")


def test_errors_in_the_markup_are_problems() -> None:
    document = loaded("Text.\n\n.. image::\n\nMore |unknown|.\n")
    assert document.blocks[0].kind == "p"
    assert {problem.code for problem in document.problems} == {"markup-error"}


def test_markup_that_nests_without_end_is_refused() -> None:
    nested = "".join(" " * depth + "a\n\n" for depth in range(300))
    with pytest.raises(DocumentError) as caught:
        load(RawDocument("a.rst", nested.encode()), LoadContext(Limits(max_depth=50)))
    assert caught.value.code == "invalid"


def test_names_that_sphinx_adds_do_not_stay_in_docutils() -> None:
    from docutils.parsers.rst import directives

    before = dict(vars(directives)["_directives"])
    loaded(".. seealso:: x\n")
    assert vars(directives)["_directives"] == before


def test_markup_opened_over_and_over_costs_little_and_is_shown() -> None:
    document = loaded("`a " * 20_000 + "end\n\nNext.\n")
    assert document.text.startswith("`a `a")
    assert document.text.endswith("end\n\nNext.")


def test_a_documented_function_is_a_term_and_its_definition() -> None:
    document = loaded(".. py:function:: start(pump, speed=1)\n\n   Starts the pump.\n")
    assert blocks(document) == [("dt", "start(pump, speed=1)"), ("dd", "Starts the pump.")]


def test_sources_that_sphinx_publishes_are_told_by_the_name_before_txt() -> None:
    assert media_type_of("_sources/index.rst.txt", b"Title") == "text/x-rst"
    assert media_type_of("notes.v2.txt", b"Title") == "text/plain"
