import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aipk_core.claims.deciding import decide
from aipk_core.claims.ledger import TRANSITIONS, read_ledger
from aipk_core.claims.model import Claim, Evidence, Status
from aipk_core.errors import ReviewError


def claim(name="c-a", status=Status.EXTRACTED):
    return Claim(name, "Text.", (), (Evidence("a.md", 0, 5, "Text."),), status)


def test_decisions_are_read_back_in_order(tmp_path):
    path = tmp_path / "reviews.jsonl"
    assert read_ledger(path).decisions == []
    decide(path, claim(), "promote", reviewer="ana", now="2026-01-01T00:00:00+00:00")
    decide(path, claim("c-b"), "reject", reviewer="ben", reason="out of date")
    ledger = read_ledger(path)
    assert [(d.claim, d.after, d.reviewer) for d in ledger.decisions] == [
        ("c-a", Status.CANONICAL, "ana"),
        ("c-b", Status.DEPRECATED, "ben"),
    ]
    assert ledger.latest("c-b").reason == "out of date"
    assert ledger.decisions[1].parents == (ledger.decisions[0].digest,)


@pytest.mark.parametrize(
    ("status", "action"),
    [(status, action) for status in Status for action in TRANSITIONS if status not in TRANSITIONS[action]],
)
def test_what_the_table_does_not_list_is_forbidden(tmp_path, status, action):
    with pytest.raises(ReviewError) as caught:
        decide(tmp_path / "r", claim(status=status), action, reviewer="ana", reason="because")
    assert caught.value.code == "transition-forbidden"
    assert not (tmp_path / "r").exists()


@pytest.mark.parametrize("action", ["reject", "demote", "reopen"])
def test_some_actions_need_a_reason(tmp_path, action):
    status = next(iter(TRANSITIONS[action]))
    with pytest.raises(ReviewError, match="needs a reason"):
        decide(tmp_path / "r", claim(status=status), action, reviewer="ana", reason=" ")


def test_a_decision_needs_a_reviewer(tmp_path):
    with pytest.raises(ReviewError, match="reviewer"):
        decide(tmp_path / "r", claim(), "promote", reviewer="")


def three(path):
    for name in ("c-a", "c-b", "c-c"):
        decide(path, claim(name), "promote", reviewer="ana")
    return path.read_text().splitlines()


@pytest.mark.parametrize("number", [0, 1])
def test_a_line_that_was_taken_out_is_missed(tmp_path, number):
    path = tmp_path / "r"
    lines = three(path)
    del lines[number]
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(ReviewError) as caught:
        read_ledger(path)
    assert caught.value.code == "ledger-broken"


@pytest.mark.parametrize("name", ["claim", "after", "reviewer", "reason", "at", "reviewed", "action"])
def test_a_field_that_was_changed_is_found(tmp_path, name):
    path = tmp_path / "r"
    lines = three(path)
    entry = json.loads(lines[1])
    entry[name] = "deprecated" if name == "after" else "other"
    lines[1] = json.dumps(entry)
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(ReviewError, match="changed after it was written"):
        read_ledger(path)


@given(st.text(max_size=200))
def test_lines_that_are_no_entries_are_refused(text):
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "r"
        path.write_text(text + "\n", encoding="utf-8", errors="replace")
        if path.read_bytes().strip():
            with pytest.raises(ReviewError):
                read_ledger(path)


def test_two_branches_merge_and_the_next_entry_names_both_ends(tmp_path):
    path = tmp_path / "r"
    decide(path, claim("c-a"), "promote", reviewer="ana")
    base = path.read_text()
    decide(path, claim("c-b"), "promote", reviewer="ana")
    ours = path.read_text()[len(base) :]
    path.write_text(base)
    decide(path, claim("c-c"), "promote", reviewer="ben")
    theirs = path.read_text()[len(base) :]
    path.write_text(base + ours + theirs)
    assert len(read_ledger(path).heads) == 2
    decide(path, claim("c-d"), "promote", reviewer="ana")
    ledger = read_ledger(path)
    assert len(ledger.heads) == 1
    assert len(ledger.decisions[-1].parents) == 2


def test_a_file_without_a_final_newline_is_continued_on_a_new_line(tmp_path):
    path = tmp_path / "r"
    decide(path, claim("c-a"), "promote", reviewer="ana")
    path.write_text(path.read_text().rstrip("\n"))
    decide(path, claim("c-b"), "promote", reviewer="ana")
    assert len(read_ledger(path).decisions) == 2
