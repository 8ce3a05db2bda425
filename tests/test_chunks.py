"""Chunks by example, with a tokenizer that counts words, and what holds for any document."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aipk_core.chunks import Chunk, ChunkSettings, chunk_document
from aipk_core.documents.builder import DocumentBuilder
from aipk_core.documents.model import Document
from aipk_core.documents.sentences import document_sentences
from aipk_core.errors import UsageError


def words(text: str) -> int:
    return len(text.split())


def cut(document: Document, target: int = 16, **more: int) -> list[Chunk]:
    chunks = chunk_document(document, ChunkSettings(target_tokens=target, **more), words)
    for chunk in chunks:
        assert chunk.text == document.text[chunk.start : chunk.end]
        assert chunk.text.strip()
        assert chunk.text == chunk.text.rstrip()
        assert chunk.tokens == words(chunk.full_text)
    return chunks


def sentence(count: int, name: str = "word") -> str:
    return " ".join([name.capitalize(), *[name] * (count - 2), name + "."])


def page(*blocks: tuple[str, str]) -> Document:
    builder = DocumentBuilder("page.md")
    for kind, text in blocks:
        builder.add(kind, text)
    return builder.build(title="Page")


def table(rows: list[list[str]], columns: list[str], introduction: str = "") -> Document:
    builder = DocumentBuilder("table.md")
    builder.add("h1", "Limits")
    lead_in = builder.add("p", introduction) if introduction else None
    container = builder.new_number()
    group = builder.new_number()
    for name in columns:
        builder.add("th", name, group=group, container=container, lead_in=lead_in)
    for row in rows:
        group = builder.new_number()
        for name, cell in zip(columns, row, strict=True):
            builder.add("td", cell, group=group, container=container, lead_in=lead_in, columns=[name])
    return builder.build()


def bullets(items: list[str], introduction: str) -> DocumentBuilder:
    builder = DocumentBuilder("list.md")
    builder.add("h1", "Rules")
    lead_in = builder.add("p", introduction)
    container = builder.new_number()
    for item in items:
        builder.add("li", item, group=builder.new_number(), container=container, lead_in=lead_in)
    return builder


def test_whole_sentences_up_to_the_target_with_the_heading_counted() -> None:
    document = page(("h1", "Ferry times"), ("p", f"{sentence(6)} {sentence(6)} {sentence(6)}"))
    first, second = cut(document)
    assert first.text == f"{sentence(6)} {sentence(6)}"
    assert first.context == first.heading_path == ("Ferry times",)
    assert first.tokens == 14
    assert second.text == sentence(6)


def test_the_title_stands_in_for_a_missing_heading() -> None:
    (chunk,) = cut(page(("p", "One sentence.")))
    assert (chunk.heading_path, chunk.context) == ((), ("Page",))


def test_a_chunk_never_crosses_a_heading_and_headings_alone_make_none() -> None:
    document = page(("h1", "A"), ("h2", "Empty"), ("h2", "B"), ("p", "Short."), ("h2", "C"), ("p", "Brief."))
    assert [(chunk.text, chunk.heading_path) for chunk in cut(document)] == [
        ("Short.", ("A", "B")),
        ("Brief.", ("A", "C")),
    ]


def test_overlap_repeats_the_last_sentences_of_the_section() -> None:
    text = " ".join(sentence(5, name) for name in ("aa", "bb", "cc", "dd"))
    chunks = cut(page(("h1", "H"), ("p", text)), overlap_sentences=1)
    assert [[part.split()[0] for part in chunk.text.split(". ")] for chunk in chunks] == [
        ["Aa", "Bb", "Cc"],
        ["Cc", "Dd"],
    ]


def test_a_short_list_stays_with_its_introduction() -> None:
    document = bullets(["red apples", "green pears"], "We sell:").build()
    (chunk,) = cut(document)
    assert chunk.text == "We sell:\n\nred apples\n\ngreen pears"
    assert chunk.context == ("Rules",)


def test_a_list_that_fits_a_chunk_of_its_own_is_not_split() -> None:
    builder = DocumentBuilder("list.md")
    builder.add("h1", "H")
    builder.add("p", sentence(8))
    lead_in = builder.add("p", "We sell:")
    container = builder.new_number()
    for item in ("red apples today", "green pears today", "blue plums today"):
        builder.add("li", item, group=builder.new_number(), container=container, lead_in=lead_in)
    first, second = cut(builder.build())
    assert first.text == sentence(8)
    assert second.text.startswith("We sell:")
    assert second.text.endswith("blue plums today")


def test_the_rest_of_a_long_list_carries_its_introduction_as_context() -> None:
    chunks = cut(bullets([sentence(5, name) for name in ("aa", "bb", "cc", "dd", "ee")], "We sell:").build())
    assert chunks[0].text.startswith("We sell:")
    assert all(chunk.context == ("Rules", "We sell:") for chunk in chunks[1:])


def test_a_long_item_is_cut_at_its_sentences() -> None:
    chunks = cut(bullets([f"{sentence(9)} {sentence(9)} {sentence(9)}"], "Note:").build())
    assert [chunk.text.count(".") for chunk in chunks] == [1, 1, 1]


def test_a_row_stays_whole_and_never_lacks_its_columns() -> None:
    rows = [[f"node{number}", f"{number} pods"] for number in range(9)]
    chunks = cut(table(rows, ["Name", "Most pods"], "The limits are:"))
    assert len(chunks) > 1
    assert all("Name | Most pods" in chunk.context for chunk in chunks)
    for number, _ in enumerate(rows):
        row = f"node{number}\n\n{number} pods"
        assert sum(row in chunk.text for chunk in chunks) == 1


def test_long_column_names_do_not_crowd_out_the_row() -> None:
    chunks = cut(table([["a", "b"]], ["x" * 500, "y " * 200]), target=40)
    assert "a\n\nb" in chunks[-1].text
    assert chunks[-1].tokens <= 60


def test_code_stays_with_the_sentence_before_it_where_both_fit() -> None:
    document = page(("h1", "H"), ("p", f"{sentence(8)} Run this command:"), ("code", "make all now please\nmake test"))
    first, second = cut(document)
    assert first.text == sentence(8)
    assert second.text == "Run this command:\n\nmake all now please\nmake test"


def test_long_code_is_cut_between_lines() -> None:
    code = "\n".join(f"{' ' * number}step {number} of the long script" for number in range(12))
    chunks = cut(page(("h1", "H"), ("code", code)))
    assert "\n".join(chunk.text for chunk in chunks) == code


def test_boilerplate_is_left_out_on_request_and_never_bridged() -> None:
    builder = DocumentBuilder("page.md")
    builder.add("p", "One.")
    builder.add("p", "The same on every page.", boilerplate=True)
    builder.add("p", "Two.")
    document = builder.build()
    assert [chunk.text for chunk in cut(document)] == ["One.", "Two."]
    (whole,) = chunk_document(document, ChunkSettings(skip_boilerplate=False), words)
    assert whole.text == document.text


def test_a_few_last_words_join_the_chunk_before_them_within_the_limit() -> None:
    document = page(("h1", "H"), ("p", f"{sentence(14)} Yes it is."))
    assert len(cut(document)) == 2
    (chunk,) = cut(document, limit_tokens=20)
    assert chunk.tokens == 18


def test_text_without_spaces_is_cut_by_tokens_and_between_characters() -> None:
    chinese = "".join(chr(0x4E00 + number % 500) for number in range(300))
    document = page(("p", chinese))
    chunks = chunk_document(document, ChunkSettings(target_tokens=50), len)
    assert "".join(chunk.text for chunk in chunks) == chinese
    assert all(len(chunk.text) <= 50 for chunk in chunks)
    accented = page(("p", "q\u0323" * 300))
    for chunk in chunk_document(accented, ChunkSettings(target_tokens=51), len):
        assert chunk.text.startswith("q")


@pytest.mark.parametrize("count", [len, words])
def test_ten_megabytes_without_a_space_break_nothing(count: object) -> None:
    document = page(("p", "x" * 10_000_000))
    assert callable(count)
    start = time.process_time()
    chunks = chunk_document(document, ChunkSettings(), count)
    assert time.process_time() - start < 60
    assert sum(len(chunk.text) for chunk in chunks) == 10_000_000
    assert max(len(chunk.text) for chunk in chunks) <= 200 * 16


def test_an_edit_leaves_the_chunks_of_other_sections_as_they_are() -> None:
    def with_first_section(text: str) -> set[str]:
        document = page(("h1", "A"), ("p", text), ("h1", "B"), ("p", f"{sentence(9)} {sentence(12)}"))
        return {chunk.id for chunk in cut(document) if chunk.heading_path == ("B",)}

    assert with_first_section("Short.") == with_first_section(f"{sentence(30)} Longer. {sentence(7)}")


def test_repeated_text_gets_different_ids_and_the_same_input_the_same() -> None:
    document = page(("h1", "A"), ("p", "Same."), ("h1", "B"), ("p", "Same."))
    first, second = cut(document)
    assert first.id != second.id
    assert [chunk.id for chunk in cut(document)] == [first.id, second.id]


def test_each_text_is_counted_once() -> None:
    asked: list[str] = []

    def counting(text: str) -> int:
        asked.append(text)
        return words(text)

    text = " ".join(sentence(5, name) for name in ("aa", "bb", "cc", "dd"))
    chunks = chunk_document(page(("h1", "H"), ("p", text)), ChunkSettings(target_tokens=16), counting)
    assert len(asked) == 1 + 4 + len(chunks)  # the heading, the sentences, and each chunk in the end


def test_settings_that_make_no_sense_are_refused_and_all_of_them_count() -> None:
    for wrong in ({"target_tokens": 3}, {"overlap_sentences": -1}, {"limit_tokens": 100}):
        with pytest.raises(UsageError):
            ChunkSettings(**wrong)
    changed = [ChunkSettings(201), ChunkSettings(200, 250), ChunkSettings(overlap_sentences=1)]
    changed.append(ChunkSettings(skip_boilerplate=False))
    assert len({one.fingerprint() for one in [ChunkSettings(), *changed]}) == 5


BLOCKS = st.lists(
    st.tuples(
        st.sampled_from(["p", "p", "li", "td", "th", "code", "h1", "h2"]),
        st.text(alphabet=st.sampled_from("ab. \n。é中X?!:`|"), min_size=1, max_size=120),
        st.sampled_from([None, 1, 2, 3]),
        st.sampled_from([None, 7, 8]),
        st.booleans(),
    ),
    max_size=25,
)


@given(BLOCKS, st.integers(16, 40), st.integers(0, 2))
@settings(max_examples=200, deadline=None)
def test_any_document_is_covered_in_order_and_within_its_sections(
    blocks: list[tuple[str, str, int | None, int | None, bool]], target: int, overlap: int
) -> None:
    builder = DocumentBuilder("any.md")
    for kind, text, group, container, boilerplate in blocks:
        builder.add(
            kind, text, group=group, container=container, boilerplate=boilerplate, columns=["Name"] * (kind == "td")
        )
    document = builder.build()
    chunks = cut(document, target, overlap_sentences=overlap)
    for chunk in chunks:
        inside = [block for block in document.blocks if block.start < chunk.end and chunk.start < block.end]
        assert {block.heading_path for block in inside} == {chunk.heading_path}
        assert not any(block.is_heading or block.boilerplate for block in inside)
        if any(block.columns for block in inside):
            assert "Name" in chunk.context
    for one in document_sentences(document):
        block = document.blocks[one.block]
        if not block.is_heading and not block.boilerplate:
            covered = [chunk for chunk in chunks if chunk.start < one.span.end and one.span.start < chunk.end]
            assert covered
            fits = words(document.quote(one.span)) <= target // 4
            assert not fits or any(c.start <= one.span.start and one.span.end <= c.end for c in covered)
