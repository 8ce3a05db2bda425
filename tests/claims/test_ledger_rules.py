"""What counts of a ledger: undone decisions, merged branches, forged lines."""

import io
import json
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aipk_core.claims.deciding import decide, undo
from aipk_core.claims.ledger import TRANSITIONS, Decision, Ledger, Seen, add_lines, read_ledger
from aipk_core.claims.ledger_file import LedgerFile
from aipk_core.claims.model import Claim, Evidence, Status
from aipk_core.errors import ReviewError

REPOSITORY = Path(__file__).resolve().parents[2]


def claim(name="c-a", status=Status.EXTRACTED, text="The heron is 98 cm tall."):
    return Claim(name, text, ("Birds",), (Evidence("a.md", 0, len(text), text, ("Birds", "Heron")),), status)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "reviews.jsonl"


def test_an_entry_keeps_what_the_reviewer_saw(path):
    decide(path, claim(), "promote", reviewer="ana")
    seen = read_ledger(path).latest("c-a").seen
    assert seen == Seen(
        "The heron is 98 cm tall.", ("The heron is 98 cm tall.",), ("Birds",), "a.md", ("Birds", "Heron")
    )


def test_what_was_seen_is_bounded(path):
    places = tuple(Evidence(f"{n}.md", 0, 5000, f"{n}" * 5000) for n in range(40))
    long = replace(claim(text="word " * 2000), evidence=places, context=("heading " * 100,) * 30)
    decide(path, long, "promote", reviewer="ana")
    assert path.stat().st_size < 16_000
    assert read_ledger(path).latest("c-a").reviewed  # covers all of it all the same


def test_undo_is_a_new_entry_and_the_decision_before_counts_again(path):
    first = decide(path, claim(), "review", reviewer="ana")
    second = decide(path, claim(status=Status.REVIEWED), "promote", reviewer="ana")
    undo(LedgerFile(path), [second.digest], reviewer="ana")
    ledger = read_ledger(path)
    assert [d.action for d in ledger.history("c-a")] == ["review", "promote", "undo"]
    assert ledger.latest("c-a") == first
    undo(LedgerFile(path), [first.digest], reviewer="ana")
    assert read_ledger(path).latest("c-a") is None
    assert len(read_ledger(path).decisions) == 4


def test_only_the_last_word_can_be_undone_and_only_by_who_said_it(path):
    first = decide(path, claim(), "review", reviewer="ana")
    with pytest.raises(ReviewError) as caught:
        undo(LedgerFile(path), [first.digest], reviewer="ben")
    assert caught.value.code == "not-yours"
    decide(path, claim(status=Status.REVIEWED), "promote", reviewer="ben")
    with pytest.raises(ReviewError) as caught:
        undo(LedgerFile(path), [first.digest], reviewer="ana")
    assert caught.value.code == "review-clash"
    with pytest.raises(ReviewError) as caught:
        undo(LedgerFile(path), ["0" * 64], reviewer="ana")
    assert caught.value.code == "entry-unknown"
    assert len(read_ledger(path).decisions) == 2


def test_a_transition_that_is_forbidden_is_found_even_when_its_digest_is_right(path):
    decide(path, claim(), "reject", reviewer="ana", reason="wrong")
    last = read_ledger(path).decisions[-1]
    forged = replace(
        last, action="promote", before=Status.DEPRECATED, after=Status.CANONICAL, parents=(last.digest,)
    ).sealed()
    path.write_bytes(path.read_bytes() + forged.line())
    with pytest.raises(ReviewError, match="cannot lead from deprecated to canonical"):
        read_ledger(path)


def test_an_undo_of_nothing_is_found(path):
    decide(path, claim(), "promote", reviewer="ana")
    last = read_ledger(path).decisions[-1]
    forged = replace(last, action="undo", undoes="0" * 64, parents=(last.digest,)).sealed()
    path.write_bytes(path.read_bytes() + forged.line())
    with pytest.raises(ReviewError, match="undoes something"):
        read_ledger(path)


def test_what_a_crash_left_of_an_entry_is_passed_over_and_written_over(path):
    decide(path, claim("c-a"), "promote", reviewer="ana")
    whole = path.read_bytes()
    decide(path, claim("c-b"), "promote", reviewer="ana")
    path.write_bytes(path.read_bytes()[:-40])
    assert [d.claim for d in read_ledger(path).decisions] == ["c-a"]
    decide(path, claim("c-c"), "promote", reviewer="ana")
    assert [d.claim for d in read_ledger(path).decisions] == ["c-a", "c-c"]
    assert path.read_bytes().startswith(whole)


def test_two_ledgers_that_began_apart_can_be_joined(tmp_path):
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    decide(ours, claim("c-a"), "promote", reviewer="ana")
    decide(theirs, claim("c-b"), "promote", reviewer="ben")
    ours.write_bytes(ours.read_bytes() + theirs.read_bytes())
    assert len(read_ledger(ours).heads) == 2
    decide(ours, claim("c-c"), "promote", reviewer="ana")
    assert len(read_ledger(ours).decisions[-1].parents) == 2


def test_a_line_that_both_branches_have_is_one_decision(path):
    decide(path, claim("c-a"), "promote", reviewer="ana")
    path.write_bytes(path.read_bytes() * 2)
    assert len(read_ledger(path).decisions) == 1


@pytest.mark.parametrize("order", ["rejection first", "approval first"])
def test_a_rejection_on_one_branch_holds_against_an_approval_on_another(tmp_path, order):
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    decide(ours, claim(), "reject", reviewer="ana", reason="out of date")
    decide(theirs, claim(), "promote", reviewer="ben")
    parts = [ours.read_bytes(), theirs.read_bytes()]
    merged = tmp_path / "merged"
    merged.write_bytes(b"".join(parts if order == "rejection first" else parts[::-1]))
    assert read_ledger(merged).latest("c-a").after is Status.DEPRECATED
    # Who knows of the rejection can lift it.
    decide(merged, claim(status=Status.DEPRECATED), "reopen", reviewer="ben", reason="checked again")
    decide(merged, claim(), "promote", reviewer="ben")
    assert read_ledger(merged).latest("c-a").after is Status.CANONICAL


def test_two_reviewers_on_two_branches_are_merged_by_git_without_a_conflict(tmp_path):
    def git(*arguments):
        command = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", "-C", str(tmp_path), *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout

    path = tmp_path / "corpora" / "birds" / "reviews.jsonl"
    git("init", "-q", "-b", "main")
    (tmp_path / ".gitattributes").write_bytes((REPOSITORY / ".gitattributes").read_bytes())
    decide(path, claim("c-0"), "promote", reviewer="ana")
    git("add", ".gitattributes", "corpora")
    git("commit", "-qm", "base")
    for branch, names in (("ana", ["c-1", "c-2"]), ("ben", ["c-3", "c-4", "c-5"])):
        git("checkout", "-q", "-b", branch, "main")
        for name in names:
            decide(path, claim(name), "promote", reviewer=branch)
            git("commit", "-qam", name)
    git("checkout", "-q", "main")
    git("merge", "-q", "--no-edit", "ana")
    git("merge", "-q", "--no-edit", "ben")
    ledger = read_ledger(path)
    assert sorted(d.claim for d in ledger.decisions) == [f"c-{n}" for n in range(6)]
    assert len(ledger.heads) == 2
    decide(path, claim("c-6"), "promote", reviewer="ana")
    assert len(read_ledger(path).heads) == 1


actions = st.lists(st.tuples(st.sampled_from(["c-a", "c-b"]), st.sampled_from(sorted(TRANSITIONS))), max_size=8)


@settings(max_examples=60, deadline=None)
@given(base=actions, ours=actions, theirs=actions)
def test_any_two_branches_merge_and_no_merge_brings_a_rejected_claim_back(base, ours, theirs):
    common = taken(Ledger(), base)
    one, other = taken(common, ours), taken(common, theirs)
    start = len(common.decisions)
    merged = Ledger()
    lines = [d.line() for d in (*common.decisions, *one.decisions[start:], *other.decisions[start:])]
    add_lines(merged, lines, Path("merged"))
    for name in ("c-a", "c-b"):
        last = [branch.latest(name) for branch in (one, other)]
        changed = [branch for branch in (one, other) if len(branch.history(name)) > len(common.history(name))]
        rejected = any(branch.latest(name).after is Status.DEPRECATED for branch in changed)
        reopened = any(d.action == "reopen" for branch in changed for d in branch.history(name))
        if rejected and not reopened:
            assert merged.latest(name).after is Status.DEPRECATED
        if last == [None, None]:
            assert merged.latest(name) is None


def taken(ledger, wanted):
    """``ledger`` and those of the wanted actions that the table allows, each as its own entry."""
    copy = Ledger(ledger.decisions)
    for number, (name, action) in enumerate(wanted):
        latest = copy.latest(name)
        before = latest.after if latest else Status.EXTRACTED
        after = TRANSITIONS[action].get(before)
        if after is None or action == "edit":
            continue
        draft = Decision(name, action, before, after, "ana", f"r{number}", "x", "2026-01-01T00:00:00+00:00", copy.heads)
        copy.add(draft.sealed())
    return copy


@pytest.fixture(scope="module")
def three_entries(tmp_path_factory):
    path = tmp_path_factory.mktemp("ledger") / "reviews.jsonl"
    for name in ("c-a", "c-b", "c-c"):
        decide(path, claim(name), "promote", reviewer="ana", reason="naïve")
    return path.read_bytes()


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_a_byte_that_is_changed_anywhere_is_found_or_means_nothing(three_entries, data):
    place = data.draw(st.integers(0, len(three_entries) - 1))
    byte = data.draw(st.integers(0, 255))
    changed = three_entries[:place] + bytes([byte]) + three_entries[place + 1 :]
    before, after = Ledger(), Ledger()
    # Lines are those of a file: they end at line feeds, and at nothing else that splits a string.
    add_lines(before, io.BytesIO(three_entries), Path("r"))
    try:
        add_lines(after, io.BytesIO(changed), Path("r"))
    except ReviewError as error:
        assert error.code == "ledger-broken"  # noqa: PT017 - either outcome is right
        return
    same = [decision.record() for decision in before.decisions]
    # White space between fields means nothing; a last line without its end was never confirmed.
    assert [decision.record() for decision in after.decisions] in (same, same[:-1])


def test_lines_are_plain_json_with_sorted_keys_and_without_empty_fields(path):
    decide(path, claim(), "promote", reviewer="ana", now="2026-01-01T00:00:00+00:00")
    line = path.read_text()
    values = json.loads(line)
    assert list(values) == sorted(values)
    assert "undoes" not in values
    assert "edit" not in values
