"""A sentence that was edited in the source is offered with what was decided on the old one."""

import pytest

from aipk_core.claims.deciding import decide
from aipk_core.claims.ledger import read_ledger
from aipk_core.claims.model import Claim, Evidence, Status
from aipk_core.claims.successors import find_successions

OLD = "The pump of the southern lock runs at 12 bar."
NEW = "The pump of the southern lock runs at 14 bar."


def claim(name, text, document="a.md", heading=("Locks", "South"), status=Status.EXTRACTED):
    return Claim(name, text, heading, (Evidence(document, 0, len(text), text, heading),), status)


@pytest.fixture
def ledger(tmp_path):
    path = tmp_path / "r"
    decide(path, claim("c-old", OLD), "promote", reviewer="ana")
    return read_ledger(path)


def test_the_new_version_of_a_sentence_continues_the_old_one(ledger):
    found = find_successions([claim("c-new", NEW), claim("c-x", "The café opens at noon.")], ledger)
    assert {name: match.predecessor for name, match in found.items()} == {"c-new": "c-old"}
    assert found["c-new"].decision.seen.text == OLD


def test_it_is_found_in_a_renamed_file_under_its_heading(ledger):
    assert "c-new" in find_successions([claim("c-new", NEW, "b.md")], ledger)


def test_it_is_found_in_a_moved_file_under_new_headings(ledger):
    assert "c-new" in find_successions([claim("c-new", NEW, "moved/a.md", ("Waterways", "South"))], ledger)


def test_a_like_sentence_elsewhere_is_no_successor(ledger):
    assert find_successions([claim("c-new", NEW, "b.md", ("Locks", "North"))], ledger) == {}


def test_while_the_old_sentence_stands_nothing_continues_it(ledger):
    assert find_successions([claim("c-old", OLD), claim("c-new", NEW)], ledger) == {}


def test_other_sentences_of_the_page_are_no_successors(ledger):
    assert find_successions([claim("c-new", "The lock keeper runs the southern café at noon.")], ledger) == {}


def test_of_several_the_likest_continues_it(ledger):
    near = claim("c-near", NEW)
    far = claim("c-far", "The pump of the southern lock can now run at up to 14 bar.")
    assert list(find_successions([far, near], ledger)) == ["c-near"]


def test_what_was_decided_on_is_offered_no_more(tmp_path):
    path = tmp_path / "r"
    decide(path, claim("c-old", OLD), "promote", reviewer="ana")
    decide(path, claim("c-new", NEW), "promote", reviewer="ana")
    assert find_successions([claim("c-new", NEW)], read_ledger(path)) == {}
