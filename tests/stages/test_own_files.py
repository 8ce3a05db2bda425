"""Files of the corpus folder that go into the package: what is wrong with them is told before anything is done."""

import json

import pytest

from aipk_core.build import BuildOptions, build
from aipk_core.errors import CorpusError

CORPUS = """
persona = "persona.md"
tools = "tools.json"
[[sources]]
type = "files"
path = "pages"
[review]
policy = "auto"
checks = ["exact-quote"]
[evaluation]
questions = "questions.toml"
"""
QUESTIONS = """
[[questions]]
id = "height"
question = "How tall is the grey heron?"
answer = "It stands 98 cm tall."
gold = [{ document = "heron.md", sentence = "The grey heron stands 98 cm tall." }]
"""


@pytest.fixture
def corpus(tmp_path):
    folder = tmp_path / "birds"
    (folder / "pages").mkdir(parents=True)
    files = {
        "corpus.toml": CORPUS,
        "persona.md": "Be brief.\n",
        "tools.json": "[]",
        "questions.toml": QUESTIONS,
        "pages/heron.md": "# Heron\n\nThe grey heron stands 98 cm tall.\n",
    }
    for name, text in files.items():
        (folder / name).write_text(text)
    return folder


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("persona.md", None, "cannot be read"),
        ("tools.json", "{", "not JSON"),
        ("tools.json", "[" * 100_000, "not JSON"),
        ("tools.json", "{}", "must be a list"),
        ("questions.toml", None, "cannot be read"),
        ("questions.toml", "[[questions", "not TOML"),
        ("questions.toml", QUESTIONS.replace("answer", "anser"), "unknown key 'questions[0].anser'"),
        ("questions.toml", QUESTIONS + QUESTIONS, "two questions have the id 'height'"),
    ],
)
def test_a_mistake_is_told_before_anything_is_done(corpus, name, text, message):
    (corpus / name).unlink() if text is None else (corpus / name).write_text(text)
    done = []
    with pytest.raises(CorpusError) as caught:
        build(corpus, BuildOptions(on_stage=lambda stage, result: done.append(stage)))
    assert message in str(caught.value)
    assert not done


def test_gold_that_no_document_says_is_told(corpus):
    def warnings():
        return json.loads(json.dumps(build(corpus)[-1].to_dict()))["warnings"]

    assert warnings() == []
    (corpus / "questions.toml").write_text(
        QUESTIONS.replace('98 cm tall." }', "89 cm tall.\" }, { document = 'stork.md', sentence = 'It stands.' }")
    )
    expected = [
        "question 'height': 'heron.md' does not say: The grey heron stands 89 cm tall.",
        "question 'height': there is no document 'stork.md'",
    ]
    assert warnings() == expected
    assert warnings() == expected  # of a build that did nothing as well
