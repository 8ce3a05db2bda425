"""The bench of rebuilds judges builds; here it is judged itself, on states small enough to see through."""

import gzip
import json
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def bench_scripts(monkeypatch):
    monkeypatch.syspath_prepend(str(REPOSITORY / "bench"))


def page(*sentences, digest=""):
    from rebuild_state import Page

    blocks = tuple(("p", sentence) for sentence in sentences)
    return Page(digest or "|".join(sentences), "A page", blocks, sentences, sentences)


def state(**pages):
    from rebuild_state import ChunkText, State

    chunks = {name: [ChunkText("\n".join(one.sentences), "", one.blocks)] for name, one in pages.items()}
    return State(pages, chunks)


OLD = "The pump of the southern lock runs at 12 bar."
NEW = "The pump of the southern lock runs at 14 bar."
OTHER = "Boats longer than 20 metres wait above the weir."


def test_an_edited_sentence_is_found_by_difflib_alone():
    from rebuild_reviews import Decided, _Edits

    edits = _Edits(state(a=page(OLD, OTHER)), state(a=page(NEW, OTHER)))
    assert edits.of(Decided("c-1", OLD, "a", "canonical")) == NEW
    assert edits.of(Decided("c-2", OTHER, "a", "canonical")) == ""


def test_of_two_vanished_sentences_the_liker_one_takes_the_new_one():
    from rebuild_reviews import Decided, _Edits

    far = "The pump of the southern lock ran at 12 bar until the year 2019."
    edits = _Edits(state(a=page(OLD, far)), state(a=page(NEW)))
    assert edits.of(Decided("c-1", OLD, "a", "canonical")) == NEW
    assert edits.of(Decided("c-2", far, "a", "canonical")) == ""


def test_the_page_of_an_edited_sentence_may_have_moved():
    from rebuild_reviews import Decided, _Edits

    before = state(a=page(OLD, OTHER, "The lock was built in 1894."))
    after = state(b=page(NEW, OTHER, "The lock was built in 1894."), c=page("The café opens at noon."))
    assert _Edits(before, after).of(Decided("c-1", OLD, "a", "canonical")) == NEW


def test_blocks_and_chunks_that_changed_are_told_from_the_texts():
    from rebuild_state import new_blocks, touched_chunks

    before, after = state(a=page(OLD), b=page(OTHER)), state(a=page(NEW), c=page(OTHER))
    assert new_blocks(before, after) == {("p", NEW)}
    assert touched_chunks(before, after) == {NEW}


def rendered(folder, commit, pages):
    with gzip.open(folder / f"rendered-blocks-{commit}.jsonl.gz", "wt") as lines:
        for name, text in pages.items():
            lines.write(json.dumps({"url": f"/{name}", "src": f"docs/{name}.md", "blocks": [["p", text]]}) + "\n")


def test_pages_that_changed_through_others_are_told_from_the_rendered_site(tmp_path):
    from rebuild_pages import expected, found

    old, new = tmp_path / "site-2026-01-01-aaa", tmp_path / "site-2026-02-01-bbb"
    sources = {"shared": ("x", "x"), "unseen": ("x", "x <!-- y -->"), "edited": ("x", "y"), "same": ("x", "x")}
    for site, number in ((old, 0), (new, 1)):
        (site / "content/en/docs").mkdir(parents=True)
        for name, texts in sources.items():
            (site / f"content/en/docs/{name}.md").write_text(texts[number])
    rendered(tmp_path, "aaa", dict.fromkeys(sources, "x"))
    rendered(tmp_path, "bbb", {"shared": "z", "unseen": "x", "edited": "y", "same": "x"})
    wanted = expected(tmp_path, old, new)
    names = {kind: {Path(name).stem for name in getattr(wanted, kind)} for kind in ("through_others", "unseen", "same")}
    assert names == {"through_others": {"shared"}, "unseen": {"unseen"}, "same": {"same"}}

    def built(**texts):
        return state(**{f"content/en/docs/{name}.md": page(text) for name, text in texts.items()})

    before = built(shared="x", unseen="x", edited="x", same="x")
    good = found(tmp_path, old, new, before, built(shared="z", unseen="x", edited="y", same="x"))
    assert (good.caught, good.still, good.beyond, good.not_caught, good.cut_again) == (1, 1, [], {}, {})
    bad = found(tmp_path, old, new, before, built(shared="x", unseen="w", edited="y", same="v"))
    assert (bad.caught, bad.still, len(bad.beyond)) == (0, 0, 1)
    assert list(bad.not_caught.values()) == [["- x", "+ z"]]
    assert list(bad.cut_again.values()) == [True]


def test_every_bar_that_is_missed_is_listed():
    from rebuild_report import Report

    report = Report(["setup"], "week")
    report.say("time", 0.06, "<= 0.05", False)
    report.say("time of a build with given vectors", 0.06, "<= 0.05", False, judged=False)
    report.say_ratio("chunks", 3, 2, 1.5)
    report.say_ratio("nothing of nothing", 0, 0, 1.5)
    report.say_ratio("something of nothing", 1, 0, 1.5)
    assert [figure.what for figure in report.missed] == ["time", "something of nothing"]
    assert "2 of 4 bars kept" in report.table()
    assert report.to_dict()["missed"] == ["week: time", "week: something of nothing"]


def small_site(folder, name, wait):
    docs = folder / "content/en/docs/setup"
    docs.mkdir(parents=True)
    (folder / "hugo.toml").write_text('title = "Locks"\n[params]\nversion = "v1.0"\nlatest = "v1.0"\n')
    for number in range(4):
        lines = [f"The lock number {number} was built in {1890 + number} and is {number + 5} metres wide.", ""]
        lines += [f"At lock {number} boats wait for {wait + number} minutes before the gate opens.", ""]
        (docs / f"lock-{number}.md").write_text("\n".join([f"---\ntitle: Lock {number}\n---", "", *lines]))
    with tarfile.open(folder.parent / name, "w:gz") as archive:
        archive.add(folder, ".")


@pytest.mark.timeout(500)
def test_the_bench_runs_on_a_small_site(tmp_path):
    from rebuild_project import STATES

    data = tmp_path / "shared" / "data" / "kubernetes"
    for number, name in enumerate(STATES[:2]):
        (data / str(number)).mkdir(parents=True)
        small_site(data / str(number), f"k8s-docs-{name}.tar.gz", 10 + number)
    for name in STATES[:2]:
        commit = name.rpartition("-")[2]
        rendered(data, commit, {f"setup/lock-{number}": f"{commit} {number}" for number in range(4)})
    save = tmp_path / "figures.json"
    command = [sys.executable, str(REPOSITORY / "bench/incremental.py"), "--timed", "no", "--states", "2"]
    command += ["--shared", str(tmp_path / "shared"), "--save", str(save)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=490)
    assert done.returncode == 0, done.stderr[-2000:]
    figures = {figure["what"]: figure for figure in json.loads(save.read_text())["figures"]}
    kept = next(figure for what, figure in figures.items() if "keep the decision" in what)
    offered = next(figure for what, figure in figures.items() if "offered with a diff" in what)
    assert (kept["value"], offered["value"]) == (1.0, 1.0)
    assert "(4)" in offered["what"]
    assert "keep the decision" in done.stdout
