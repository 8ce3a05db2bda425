"""Real files of every format load as their description says, or fail with the error that is due."""

from __future__ import annotations

import functools
import json
import re
from pathlib import Path

import pytest
from lxml import html

from aipk_core.documents.loaders.registry import RawDocument, load
from aipk_core.documents.model import Document
from aipk_core.errors import DocumentError

pytestmark = pytest.mark.data

ERRORS = {
    "pdf/password.pdf": "encrypted",
    "pdf/invalid.pdf": "invalid",
    "pdf/scan-no-text-layer.pdf": "no-text-layer",
    "pdf/glyphs-without-unicode.pdf": "garbage-text",
    "pdf/weasyprint-arabic-habibi.pdf": "garbage-text",
}


@functools.cache
def loaded(path: Path) -> Document:
    return load(RawDocument(path.name, path.read_bytes()))


@pytest.mark.parametrize(("name", "code"), ERRORS.items())
def test_what_cannot_be_read_fails_by_name(shared_data: Path, name: str, code: str) -> None:
    with pytest.raises(DocumentError) as caught:
        loaded(shared_data / "documents" / name)
    assert caught.value.code == code


def test_everything_else_loads_into_blocks_that_add_up(shared_data: Path) -> None:
    folder = shared_data / "documents"
    files = [line.split("\t")[0] for line in (folder / "MANIFEST.tsv").read_text().splitlines()[1:]]
    for name in files:
        if name in ERRORS or ".truth." in name or name.startswith(("html/", "md/")):
            continue
        document = loaded(folder / name)
        assert "\n\n".join(document.quote(block) for block in document.blocks) == document.text, name
        assert document.blocks, name


@pytest.mark.parametrize(
    ("name", "present", "absent"),
    [
        ("pdf/jose-00015-pynamical.pdf", "focusing on one-dimensional maps (such as", "The Journal of Open Source"),
        ("pdf/jose-00015-pynamical.pdf", "modeling, visualization, and exploration of this rich", "explo-"),
        ("pdf/latex-multicolumn.pdf", "consectetuer adipiscing elit", "\ufb01"),
        (
            "pdf/fedramp-extensions.pdf",
            "Identifies a control that must be included in every FedRAMP assessment.",
            "2:53 AM",
        ),
        ("pdf/docling-multi-page.pdf", "workflows:", "\ufffd"),
        ("docx/docx_comments.docx", "This second paragraph also has a reviewer annotation.", "Reviewer"),
        ("docx/tika-testOptionalHyphen.docx", "optionalhyphen", "-"),
        ("docx/tika-footnotes.docx", "snoska", "separator"),
        ("docx/docx_page_header_footer_first_page.docx", "This is body text on page 2.", "footer text"),
        ("txt/tika-windows-1252.txt", "“windows” encoding", "\x93"),
        ("txt/tika-russian.cp866.txt", "Однажды, в студеную зимнюю пору", "\ufffd"),
        ("csv/shift-jis.csv", "佐藤太郎", "\ufffd"),
        ("rst/pep-0008.rst", "This document and PEP 257 (Docstring Conventions) were adapted", ":pep:"),
        ("rst/docutils-demo.rst", "I recommend you try Python, the best language around.", "|biohazard|"),
        ("adoc/asciidoctor-README.adoc", "AsciiDoc® and AsciiDoc Language™ are trademarks", "{url-"),
        ("adoc/mdbasics.adoc", "The syntax page provides complete, detailed documentation", "link:"),
        ("ipynb/nbconvert-notebook2.ipynb", "evs = np.linalg.eigvals(a)", "module://ipykernel"),
        ("ipynb/tf-beginner.ko.ipynb", "MNIST 데이터세트를 로드하고 준비합니다.", "tfo-notebook-buttons"),
        ("other/test.epub", "This is a blockquote for testing.", "Contents"),
        ("other/udhr-odt-demo.odt", "Cells may span columns.", "rststyle"),
        ("other/japanese.rtf", "古書店で処刑記録見つかる", "\ufffd"),
    ],
)
def test_what_a_file_says_is_there_and_what_it_hides_is_not(
    shared_data: Path, name: str, present: str, absent: str
) -> None:
    text = loaded(shared_data / "documents" / name).text
    assert present in text
    assert absent not in text


def truth_blocks(path: Path) -> list[str]:
    """The text of the paragraphs, headings, items and cells that a generated PDF was made from."""
    if path.suffix == ".json":
        return [text for kind, text in json.loads(path.read_text()) if kind not in ("code", "mermaid")]
    body = html.fromstring(path.read_text()).find(".//body")
    assert body is not None
    found = [element for element in body.iter("h1", "h2", "h3", "p", "li") if not element.findall(".//p")]
    return [" ".join(element.text_content().split()) for element in found]


@pytest.mark.parametrize(
    ("name", "least"),
    [("k8s-pod-lifecycle", 0.98), ("udhr-arb", 0.98), ("udhr-cmn_hans", 0.98), ("udhr-kor", 0.94)],
)
def test_generated_two_column_pages_give_back_their_sentences(shared_data: Path, name: str, least: float) -> None:
    folder = shared_data / "documents" / "pdf-generated"
    text = loaded(folder / f"{name}-2col.pdf").text
    truth = next(folder.glob(f"{name}-2col.truth.*"))
    sentences = [
        part for block in truth_blocks(truth) for part in re.split(r"(?<=[.!?؟])\s+|(?<=[。！？])", block) if part
    ]
    assert len(sentences) >= 100
    assert sum(sentence in text for sentence in sentences) >= least * len(sentences)
    # Korean has spaces that a line break hides; without them nothing may be amiss.
    solid = re.sub(r"\s", "", text)
    assert sum(re.sub(r"\s", "", sentence) in solid for sentence in sentences) >= 0.98 * len(sentences)
