"""What the page and ``aipk claims show`` say has changed since somebody decided."""

from aipk_core.claims.ledger_file import LedgerFile
from aipk_core.claims.model import Claim, Evidence
from aipk_core.claims.policy import Policy
from aipk_core.claims.queue import Order, ReviewQueue
from aipk_core.review.records import difference_record


def claim(name, text, *context):
    return Claim(name, text, context, (Evidence("a.md", 0, len(text), text, context),), kind="row")


def queue_after(path, old, new):
    file = LedgerFile(path)
    ReviewQueue([old], [], file, Policy()).decide([Order(old.id, "promote")], "ana")
    return ReviewQueue([new], [], file, Policy())


def test_of_an_edited_sentence_the_words_that_changed(tmp_path):
    old = claim("c-old", "The pump runs at 12 bar.", "Locks")
    queue = queue_after(tmp_path / "r.jsonl", old, claim("c-new", "The pump runs at 14 bar.", "Locks"))
    difference = difference_record(queue, "c-new")
    assert difference["of"] == "c-old"
    assert [piece for piece in difference["pieces"] if piece[0] != "same"] == [["gone", "12"], ["new", "14"]]


def test_of_a_value_in_another_row_the_row(tmp_path):
    old = claim("c-old", "12 m", "Locks", "South lock", "Width")
    queue = queue_after(tmp_path / "r.jsonl", old, claim("c-new", "12 m", "Locks", "North lock", "Width"))
    difference = difference_record(queue, "c-new")
    assert [piece for piece in difference["pieces"] if piece[0] != "same"] == [["gone", "South"], ["new", "North"]]
