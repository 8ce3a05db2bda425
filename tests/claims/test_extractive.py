import pytest

from aipk_core.claims.engine import Draft
from aipk_core.claims.extractive import ExtractionSettings, ExtractiveEngine, extract, units
from aipk_core.documents.builder import DocumentBuilder
from aipk_core.documents.loaders.registry import RawDocument, load

SETTINGS = ExtractionSettings()


def claims(markdown):
    document = load(RawDocument("page.md", markdown.encode(), "text/markdown"))
    found = []
    for unit in units(document):
        for draft in extract(unit, SETTINGS):
            (span,) = draft.spans
            assert span.shifted(unit.start).of(document.text) == draft.text
            found.append(draft)
    return found


def texts(markdown):
    return [draft.text for draft in claims(markdown)]


def test_sentences_of_paragraphs_become_claims():
    assert texts("# Gauge\n\nThe gauge weighs 4.6 kg. The battery lasts 21 days.") == [
        "The gauge weighs 4.6 kg.",
        "The battery lasts 21 days.",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "What does the gauge weigh?",
        "See the product sheet for details.",
        "For more information, see the manual.",
        "To learn more about gauges, read the handbook.",
        "The gauge has these parts:",
        "Run the following command.",
        "Gauge overview",
        "```\nthe gauge weighs 4.6 kg.\n```",
        "`kubectl get pods`",
        "This page shows how to mount a gauge.",
        "# Only a heading",
    ],
)
def test_what_states_nothing_becomes_no_claim(text):
    assert texts(text) == []


def test_a_list_item_keeps_its_headings_and_introduction():
    (draft,) = claims("# Incidents\n\n## Level C\n\nWhat is demanded:\n\n- Response: ticket within 24 h")
    assert draft.text == "Response: ticket within 24 h"
    assert draft.context[:2] == ("Incidents", "Level C")
    assert draft.kind == "item"


def test_the_same_item_under_two_headings_is_two_claims():
    found = claims(
        "# A\n\n## Level B\n\n- Response: ticket within 24 h\n\n## Level C\n\n- Response: ticket within 24 h"
    )
    assert len({draft.id for draft in found}) == 2


def test_a_whole_sentence_is_one_claim_wherever_it_stands():
    found = claims("# A\n\n## B\n\nThe gauge weighs 4.6 kg.\n\n## C\n\nThe gauge weighs 4.6 kg.")
    assert len({draft.id for draft in found}) == 1


def test_a_table_cell_keeps_the_names_of_its_row_and_column():
    found = claims(
        "# Gauge\n\n| Property | G2 | G2 Alpine |\n|---|---|---|\n| Mass | 4.6 kg | 5.9 kg |\n| Colour | - | |\n"
    )
    assert [(draft.context, draft.text) for draft in found] == [
        (("Gauge", "Mass", "G2"), "4.6 kg"),
        (("Gauge", "Mass", "G2 Alpine"), "5.9 kg"),
    ]


def test_a_sentence_that_points_back_carries_the_sentence_before_it():
    _, second = claims("# Gauge\n\nThe gauge hangs from a mast. It is fastened with four bolts.")
    assert second.context[-1] == "The gauge hangs from a mast."
    assert all(check.passed for check in second.checks)


def test_a_sentence_that_points_to_nothing_is_kept_but_fails_its_check():
    (draft,) = claims("# Gauge\n\nIt is fastened with four bolts.")
    assert [check.name for check in draft.checks if not check.passed] == ["self-contained"]


def test_chinese_and_japanese_sentences_are_claims():
    assert texts("# 手册\n\n保修期为四年。电池可以使用二十一天。") == ["保修期为四年。", "电池可以使用二十一天。"]


def test_a_unit_depends_on_its_block_and_on_nothing_else():
    engine = ExtractiveEngine()

    def keys(text):
        document = load(RawDocument("page.md", text.encode(), "text/markdown"))
        return [engine.key(unit) for unit in engine.work(document)]

    before = keys("# A\n\nOne fact stands here.\n\nAnother fact stands here.\n\nA third fact stands here.")
    after = keys("# A\n\nOne fact stands here.\n\nAnother fact stood here.\n\nA third fact stands here.")
    moved = keys("# A\n\nA new fact stands in front.\n\nOne fact stands here.\n\nAnother fact stands here.")
    assert before[0] == after[0]
    assert before[1] != after[1]
    assert before[1] == moved[2]


def test_boilerplate_is_left_out():
    builder = DocumentBuilder("a")
    builder.add("p", "This site uses cookies for good reasons.", boilerplate=True)
    assert list(units(builder.build())) == []


def test_a_draft_survives_its_cache():
    for draft in claims("# A\n\n- Response: ticket within 24 h\n- It is so."):
        assert Draft.from_json(draft.to_json()) == draft
