from pathlib import Path

import pytest

from aipk_core.corpus import find_corpora, load_corpus
from aipk_core.errors import CorpusError

MINIMAL = """
[[sources]]
type = "files"
path = "."
"""


def write(folder, text, name="corpus.toml"):
    folder.mkdir(exist_ok=True, parents=True)
    (folder / name).write_text(text, encoding="utf-8")
    return folder


def test_a_corpus_needs_nothing_but_a_source(tmp_path):
    corpus = load_corpus(write(tmp_path / "birds", MINIMAL))
    assert corpus.name == "birds"
    assert corpus.settings.review.policy == "manual"
    assert corpus.settings.embedding.provider == "minilm"


def test_the_file_itself_may_be_named(tmp_path):
    folder = write(tmp_path / "birds", MINIMAL)
    assert load_corpus(folder / "corpus.toml").folder == folder


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("titel = 'Birds'\n" + MINIMAL, "unknown key 'titel'"),
        ("strict = 'yes'\n" + MINIMAL, "'strict' must be true or false"),
        ("title = 5\n" + MINIMAL, "'title'"),
        ("title = 'no source'", "the key 'sources' is missing"),
        ("sources = []", "'sources'"),
        (MINIMAL + "[chunks]\ntarget_tokens = 3\n", "'chunks.target_tokens'"),
        (MINIMAL + "[chunks]\ntoken = 3\n", "unknown key 'chunks.token'"),
        (MINIMAL + "[review]\npolicy = 'auto'\n", "needs the list of checks"),
        (MINIMAL + "[review]\npolicy = 'auto'\nchecks = ['vibes']\n", "there is no check 'vibes'"),
        (MINIMAL + "[review]\nchecks = ['numbers']\n", "uses no checks"),
        ("name = 'Großes Korpus'\n" + MINIMAL, "'name'"),
        (MINIMAL + MINIMAL, "two sources are called 'documents'"),
        ("[[sources]]\ntype = 'ftp'\n", "'sources[0].type' is 'ftp', but must be one of"),
        ("title = \n", "this is not TOML"),
        ("x = " + "[" * 3000 + "]" * 3000, "nested too deeply"),
        ("[sources]\ntype = 'files'\n", "'sources' must be a list"),
        ("sources = ['pages']", "'sources[0]' must be a table"),
        ("[[sources]]\npath = 'pages'\n", "the key 'sources[0].type' is missing; it is one of 'files', 'git', 'web'"),
        ("[[sources]]\ntype = 'files'\ninclude = '*.md'\n", "'sources[0].include' must be a list"),
        ("[[sources]]\ntype = 'files'\ninclude = ['*.md', 3]\n", "'sources[0].include[1]' must be a text"),
        ("[[sources]]\ntype = 'files'\nincludes = []\n", "unknown key 'sources[0].includes'"),
        ("[[sources]]\ntype = 'files'\npath = \"a\\u0000\"\n", "'sources[0].path'"),
        ('persona = "a\\u0000"\n' + MINIMAL, "'persona'"),
        ("skills = ['../*.md']\n" + MINIMAL, "inside the corpus folder"),
        ("skills = ['/etc/*.md']\n" + MINIMAL, "inside the corpus folder"),
        ("skills = ['']\n" + MINIMAL, "inside the corpus folder"),
        (MINIMAL + "[refresh]\ncron = 'every day'\n", "a cron line has 5 fields"),
        (MINIMAL + "[refresh]\ncron = '0 25 * * *'\n", "is no hour: it goes from 0 to 23"),
    ],
)
def test_mistakes_are_named_with_their_key(tmp_path, text, message):
    folder = write(tmp_path / "birds", text)
    with pytest.raises(CorpusError) as caught:
        load_corpus(folder)
    assert message in str(caught.value)
    assert str(folder / "corpus.toml") in str(caught.value)


def test_one_mistake_is_told_once(tmp_path):
    with pytest.raises(CorpusError) as caught:
        load_corpus(write(tmp_path / "birds", "[[sources]]\ntype = 'files'\npath = 3\n"))
    assert caught.value.message == "'sources[0].path' must be a text in quotes"


def test_a_byte_order_mark_is_no_mistake(tmp_path):
    assert load_corpus(write(tmp_path / "birds", "\ufeff" + MINIMAL)).name == "birds"


@pytest.mark.parametrize(
    ("folder", "name"),
    [("my-handbook", "my_handbook"), ("My Handbook (2)", "my_handbook_2"), ("Vögel", "vogel"), ("a" * 60, "a" * 48)],
)
def test_a_corpus_is_named_like_its_folder(tmp_path, folder, name):
    assert load_corpus(write(tmp_path / folder, MINIMAL)).name == name


def test_a_folder_that_gives_no_name_asks_for_one(tmp_path):
    with pytest.raises(CorpusError, match="'name': '2024' must be"):
        load_corpus(write(tmp_path / "2024", MINIMAL))


def test_a_file_that_is_not_utf8_is_said(tmp_path):
    folder = write(tmp_path / "birds", "")
    (folder / "corpus.toml").write_bytes(b"title = '\xff'")
    with pytest.raises(CorpusError, match="not TOML"):
        load_corpus(folder)


@pytest.mark.parametrize("name", ["nowhere", "empty"])
def test_a_missing_corpus_is_said(tmp_path, name):
    (tmp_path / "empty").mkdir()
    with pytest.raises(CorpusError) as caught:
        load_corpus(tmp_path / name)
    assert caught.value.code == "corpus-missing"


def test_a_source_can_be_read_from_another_folder(tmp_path):
    text = "[[sources]]\ntype = 'git'\nname = 'site'\nrepository = 'https://example.org/site'\n"
    folder = write(tmp_path / "birds", text)
    assert load_corpus(folder).settings.sources[0].path == ""
    assert load_corpus(folder, paths={"site": "/data/site"}).settings.sources[0].path == "/data/site"
    write(folder, "[paths]\nsite = '/elsewhere'\n", "corpus.local.toml")
    assert load_corpus(folder).settings.sources[0].path == "/elsewhere"
    assert load_corpus(folder, paths={"site": "/data/site"}).settings.sources[0].path == "/data/site"
    with pytest.raises(CorpusError, match="no source 'blog'"):
        load_corpus(folder, paths={"blog": "/data"})


def test_files_outside_of_the_corpus_are_refused(tmp_path):
    (tmp_path / "secret.md").write_text("secret")
    corpus = load_corpus(write(tmp_path / "birds", "persona = '../secret.md'\n" + MINIMAL))
    with pytest.raises(CorpusError, match="outside of the corpus folder"):
        corpus.text_of("persona", corpus.settings.persona)
    (corpus.folder / "link.md").symlink_to(tmp_path / "secret.md")
    with pytest.raises(CorpusError, match="outside of the corpus folder"):
        corpus.text_of("persona", "link.md")


def test_skills_are_found_by_pattern_and_sorted(tmp_path):
    folder = write(tmp_path / "birds", "skills = ['skills/*.md']\n" + MINIMAL)
    with pytest.raises(CorpusError, match="no file matches"):
        load_corpus(folder).skill_files()
    write(folder / "skills", "two", "b.md")
    write(folder / "skills", "one", "a.md")
    assert load_corpus(folder).skill_files() == [("a", "one"), ("b", "two")]


def test_the_corpora_that_ship_are_valid():
    folders = find_corpora(Path(__file__).resolve().parent.parent)
    assert {folder.name for folder in folders} >= {"larkfield", "kubernetes"}
    for folder in folders:
        assert load_corpus(folder).name == folder.name


def test_a_corpus_can_bring_its_own_shortcodes(tmp_path):
    folder = write(tmp_path / "site", '[[sources]]\ntype = "files"\npath = "."\nloader = "hugo"\n')
    write(folder, "[shortcodes.hello]\ntemplate = 'Hello [[inner]]'\n", "shortcodes.toml")
    (source,) = load_corpus(folder).settings.sources
    assert "hello" in source.options["shortcodes"]
    write(folder, "[shortcodes.hello]\ndoes = 'magic'\n", "shortcodes.toml")
    with pytest.raises(CorpusError, match="magic"):
        load_corpus(folder)


def test_a_corpus_folder_can_be_its_own_project(tmp_path):
    folder = write(tmp_path / "birds", MINIMAL)
    assert find_corpora(folder) == [folder]
