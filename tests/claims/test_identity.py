from hypothesis import given
from hypothesis import strategies as st

from aipk_core.claims.identity import claim_id, reviewed_digest
from aipk_core.claims.model import Claim, Evidence


def test_an_id_is_short_and_can_be_cited():
    name = claim_id("The gauge weighs 4.6 kg.", (), "en")
    assert name.startswith("c-")
    assert len(name) == 14
    assert name.isascii()
    assert not set(name) & set(" []()<>{}")


@given(st.text(min_size=1), st.lists(st.text(), max_size=3))
def test_the_same_statement_has_the_same_id_however_it_is_spaced(text, context):
    spaced = "  " + text.replace(" ", "  ") + "\n"
    assert claim_id(text, context, "en") == claim_id(spaced, context, "en")


def test_what_a_statement_needs_is_part_of_its_id():
    text = "Response: a ticket is opened within 24 hours."
    assert claim_id(text, ("Level B",), "en") != claim_id(text, ("Level C",), "en")


def test_what_was_reviewed_does_not_depend_on_where_it_stands():
    here = Evidence("a.md", 0, 4, "Text")
    there = Evidence("moved/b.md", 100, 104, "Text")
    one = Claim("c-1", "Text", ("Old heading",), (here,))
    other = Claim("c-1", "Text", ("New heading",), (there, here))
    assert reviewed_digest(one) == reviewed_digest(other)
    assert reviewed_digest(one) != reviewed_digest(Claim("c-1", "Text", (), (Evidence("a.md", 0, 5, "Text."),)))
