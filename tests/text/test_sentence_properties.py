"""What holds for the sentences of any text at all."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from aipk_core.text.sentences import split_sentences
from aipk_core.text.spans import Span

LANGUAGES = st.sampled_from(["en", "de", "fr", "es", "ru", "ko", "zh", "ja", "ar", "hi", "th", "und", "not a tag", ""])

# Text that is dense in what the rules look at, beside arbitrary Unicode.
PIECES = st.sampled_from(
    [*" .?!…:;,-_*#\n\t'\"()[]`“”«»。！？「」（）।؟๏", " ", ". ", "... ", "\n\n", "\r\n", "\u2028", "\u00a0", "a", "I", "He",
     "Dr.", "e.g.", "No.", "5", "1.", "a)", "•", ":)", "v1.36.", "a.b/c.d", "@x.org", "http://a.b", "中", "あ", "ก", "한", "12/24/2001 11:05 PM",
     "Regards,", "--", "====", "🙂", "\u0301"]
)  # fmt: skip
TEXTS = st.one_of(st.text(max_size=200), st.lists(PIECES, max_size=60).map("".join))


@given(TEXTS, LANGUAGES)
@settings(max_examples=400, deadline=None)
def test_spans_are_ordered_disjoint_tight_and_lose_nothing(text: str, lang: str) -> None:
    position = 0
    for span in split_sentences(text, lang):
        assert position <= span.start < span.end <= len(text)
        assert not text[position : span.start].strip()
        assert span.of(text) == span.of(text).strip()
        position = span.end
    assert not text[position:].strip()


@given(TEXTS, st.lists(st.tuples(st.integers(0, 220), st.integers(0, 40)), max_size=6))
@settings(max_examples=300, deadline=None)
def test_no_boundary_cuts_an_atom(text: str, places: list[tuple[int, int]]) -> None:
    atoms = [Span(min(start, len(text)), min(start + length, len(text))) for start, length in places]
    for span in split_sentences(text, atoms=atoms):
        for atom in atoms:
            for boundary in span:
                trimmed = text[atom.start : boundary].strip() and text[boundary : atom.end].strip()
                assert not (atom.start < boundary < atom.end and trimmed)


@given(TEXTS, LANGUAGES)
@settings(max_examples=200, deadline=None)
def test_the_same_text_gives_the_same_sentences(text: str, lang: str) -> None:
    assert split_sentences(text, lang) == split_sentences(text, lang)


@given(st.lists(st.from_regex(r"[A-Z][a-z]{2,8}( [a-z]{3,8}){2,6}[.!?]", fullmatch=True), min_size=1, max_size=8))
@settings(max_examples=200, deadline=None)
def test_plain_sentences_come_back_and_each_alone_is_itself(sentences: list[str]) -> None:
    text = " ".join(sentences)
    found = [span.of(text) for span in split_sentences(text)]
    assert "".join(" ".join(found).split()) == "".join(text.split())
    for sentence in found:
        assert [span.of(sentence) for span in split_sentences(sentence)] == [sentence]


@given(TEXTS, TEXTS)
@settings(max_examples=200, deadline=None)
def test_a_blank_line_always_ends_a_sentence(before: str, after: str) -> None:
    if "`" in before + after:
        return  # a code span is an atom, but never across lines
    text = f"{before}\n\n{after}"
    gap = len(before)
    assert all(span.end <= gap or span.start >= gap for span in split_sentences(text))
