from __future__ import annotations

import subprocess
import sys

import spacy

from aipk_core.text.component import COMPONENT
from aipk_core.text.sentences import split_sentences

TEXT = "Dr. Jones runs v1.36. kubectl lists it.\n\nNew paragraph? Yes!"


def test_the_component_finds_the_sentences_of_the_plain_function() -> None:
    pipeline = spacy.blank("en")
    pipeline.add_pipe(COMPONENT)
    document = pipeline(TEXT)
    assert [sentence.text.strip() for sentence in document.sents] == [span.of(TEXT) for span in split_sentences(TEXT)]


def test_the_language_of_the_pipeline_decides_unless_another_is_given() -> None:
    text = "Am 3. Oktober kam er. Gut."
    german = spacy.blank("de")
    german.add_pipe(COMPONENT)
    other = spacy.blank("xx")
    other.add_pipe(COMPONENT, config={"lang": "de"})
    assert (
        [s.text for s in german(text).sents] == [s.text for s in other(text).sents] == ["Am 3. Oktober kam er.", "Gut."]
    )


def test_an_empty_document_is_fine() -> None:
    pipeline = spacy.blank("en")
    pipeline.add_pipe(COMPONENT)
    assert list(pipeline("").sents) == []


def test_the_plain_function_does_not_import_spacy() -> None:
    code = "import sys, aipk_core.text.sentences, aipk_core.documents.sentences; sys.exit('spacy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode == 0
