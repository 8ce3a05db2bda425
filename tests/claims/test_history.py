from aipk_core.claims.deciding import decide, undo
from aipk_core.claims.history import pace_of, whole_history
from aipk_core.claims.ledger import read_ledger
from aipk_core.claims.ledger_file import LedgerFile
from aipk_core.claims.model import Claim, Evidence


def claim(name):
    return Claim(name, "It is 5 m.", (), (Evidence("a.md", 0, 10, "It is 5 m."),))


def at(clock):
    return f"2026-03-02T{clock}+00:00"


def test_the_pace_leaves_out_pauses_other_people_and_bulk(tmp_path):
    path = tmp_path / "r"
    for number, clock in enumerate(["09:00:00", "09:00:20", "09:00:40", "10:30:00", "10:30:20", "10:30:20"]):
        decide(path, claim(f"c-{number}"), "promote", reviewer="ana", now=at(clock))
    decide(path, claim("c-x"), "promote", reviewer="ben", now=at("10:30:21"))
    pace = pace_of(read_ledger(path), "ana", now=at("10:31:00"))
    assert (pace.today, pace.per_minute) == (6, 3.0)
    assert pace_of(read_ledger(path), "ana", now="2026-03-05T10:00:00+00:00").per_minute == 0.0


def test_undone_decisions_are_not_progress(tmp_path):
    file = LedgerFile(tmp_path / "r")
    first = decide(file.path, claim("c-a"), "promote", reviewer="ana", now=at("09:00:00"))
    undo(file, [first.digest], reviewer="ana", now=at("09:00:05"))
    assert pace_of(file.ledger, "ana", now=at("09:01:00")).today == 0


def test_the_history_of_a_claim_includes_what_it_replaces(tmp_path):
    path = tmp_path / "r"
    decide(path, claim("c-a"), "review", reviewer="ana")
    reviewed = read_ledger(path)
    edit = decide(path, claim("c-a"), "edit", reviewer="ana", text="That is 5 m.")
    history = whole_history(read_ledger(path), edit.edit.id)
    assert len(reviewed.decisions) == 1
    assert [d.action for d in history][:2] == ["review", "edit"]
