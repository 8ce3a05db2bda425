from __future__ import annotations

from aipk_core.documents.builder import DocumentBuilder, Run
from aipk_core.documents.sentences import document_sentences


def test_each_block_is_split_on_its_own_and_code_is_left_out() -> None:
    builder = DocumentBuilder("page.md")
    builder.add("h2", "Set-up. And more.")
    builder.add("p", [Run("Run "), Run("make. All", atom=True), Run(" first. Then wait.")])
    builder.add("code", "x = 1. Y = 2.")
    builder.add("td", "A cell. Two sentences")
    document = builder.build()
    found = document_sentences(document)
    assert [(sentence.block, document.quote(sentence.span)) for sentence in found] == [
        (0, "Set-up. And more."),
        (1, "Run make. All first."),
        (1, "Then wait."),
        (3, "A cell."),
        (3, "Two sentences"),
    ]
    for sentence in found:
        assert document.blocks[sentence.block].span.contains(sentence.span)
