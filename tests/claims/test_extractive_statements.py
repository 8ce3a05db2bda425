from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aipk_core.claims.extractive import ExtractionSettings, extract, units
from aipk_core.claims.references import covers_references, points_at_its_page, points_back
from aipk_core.claims.statements import Candidate, label_of, leans_on_heading, why_left_out, word_count
from aipk_core.documents.builder import DocumentBuilder
from aipk_core.documents.loaders.registry import RawDocument, load


def claims(markdown):
    document = load(RawDocument("page.md", markdown.encode(), "text/markdown"))
    return [draft for unit in units(document) for draft in extract(unit, ExtractionSettings())]


def reason(text, form="prose", **more):
    return why_left_out(Candidate(text, form, "en", **more), min_words=3, max_characters=600)


@pytest.mark.parametrize(
    "text",
    [
        "For level B incidents they are frozen for 120 days.",
        "In Kubernetes 1.35, this is allowed.",
        "(This helps a little.)",
        "However, it is fast.",
        "When this happens, the gauge stops.",
        "To do so, open the lid.",
        "If absent, it will be set.",
        "Two people can install it in 90 minutes.",
        "The gauge is made for these uses.",
        "Importantly, this is not based on feedback.",
        "The two serve one purpose.",
        "One of them is closed.",
        "Es ist wasserdicht.",
        "Bei diesen Geräten fehlt der Deckel.",
        "Эта функция включена.",
        "它很重。",
        "これは重い。",
        "이는 중요하다.",
    ],
)
def test_words_that_mean_something_said_before_are_seen(text):
    lang = {"E": "de", "B": "de", "Э": "ru", "它": "zh", "こ": "ja", "이": "ko"}.get(text[0], "en")
    lang = "en" if text.isascii() and not text.startswith("Es ") else lang
    assert points_back(text, lang)


@pytest.mark.parametrize(
    "text",
    [
        "When in doubt, the higher level applies.",
        "If nobody acknowledges it, the page goes to the head of field service.",
        "If the radio link is lost, the gauge keeps its measurements and sends them later.",
        "On 1 February 2026 the company had 138 employees, 41 of them in Maribor.",
        "Both the kubelet and the API server log it.",
        "It is possible to use two gauges.",
        "There is no limit.",
        "A key stays valid as long as this key is used.",
        "Make sure that it is dry.",
        "Der Zähler ist trocken.",
        "电池很重。",
    ],
)
def test_words_whose_meaning_stands_in_their_sentence_are_left_alone(text):
    lang = "zh" if not text.isascii() and "ä" not in text else "de" if text.startswith("Der") else "en"
    assert not points_back(text, lang)


def test_a_language_without_a_list_is_not_taken_for_clear():
    assert covers_references("ko-KR")
    assert not covers_references("th")


@pytest.mark.parametrize(
    "text",
    ["In this example, the gauge stops.", "The output shows 5 gauges.", "Set it as shown above.", "The first example has one.",
     "In diesem Beispiel fehlt er.", "この例では止まる。"],
)  # fmt: skip
def test_words_that_mean_something_on_the_page_are_seen(text):
    assert points_at_its_page(text, "ja" if "例" in text else "de" if "diesem" in text else "en")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("For syntax, flags and examples, see the reference.", "navigation"),
        ("Read the manual to learn about masts.", "navigation"),
        ("Other pages explain masts.", "navigation"),
        ("Figure 1. A gauge and its mast.", "navigation"),
        ("For example, here's a gauge.", "navigation"),
        ("These options are explained in more detail below.", "navigation"),
        ("Masts are described in the installation guide.", "navigation"),
        ("An object that manages external access to the services in a cluster.", "fragment"),
        ("(and your cluster must have it enabled).", "fragment"),
        ("stored by the server.", "fragment"),
        ("Gauge and mast.", "fragment"),
        ("Using the extended name and the class of the gauge.", "fragment"),
        ("Charging the battery takes nine hours.", ""),
        ("A node that is not ready gets no work.", ""),
        ("A reading that differs is repeated three times.", ""),
        ("Larkfield deletes radio logs after 60 days.", ""),
        ("Owner: Ilse Brandvold.", ""),
        ("May is warm.", ""),
    ],
)
def test_pointers_and_fragments_are_told_from_statements(text, expected):
    assert reason(text) == expected


def test_items_under_a_heading_that_leads_elsewhere_say_nothing():
    text = "# A\n\n## What's next\n\n- The mast has a manual.\n- Taints and Tolerations"
    assert claims(text) == []
    assert claims("# A\n\nLearn more about these parts:\n\n- Masts and their bolts") == []


def test_an_item_without_a_verb_needs_an_introduction_or_a_label():
    assert claims("# A\n\n- Taints and Tolerations for nodes") == []
    assert len(claims("# A\n\nThe gauge has:\n\n- a mast of steel")) == 1
    assert len(claims("# A\n\n- Memory: 400 days")) == 1


def test_a_notice_heading_is_no_context():
    builder = DocumentBuilder("a")
    builder.add("h1", "Gauge")
    builder.add("p", "The gauge weighs 4.6 kg.")
    (unit,) = units(builder.build())
    assert unit.context == ("Gauge",)
    (draft,) = claims("# Note:\n\nThe gauge weighs 4.6 kg.")
    assert draft.context == ()


def test_a_chain_of_sentences_that_point_back_is_followed_to_its_start():
    *_, last = claims("# A\n\nThe gauge hangs from a mast. It is heavy. It is also red.")
    assert last.context[-2:] == ("The gauge hangs from a mast.", "It is heavy.")
    assert last.needed == last.context[-2:]
    assert all(check.passed for check in last.checks)


def test_nothing_is_certain_across_code_or_a_question():
    for between in ("```\ncode\n```", "Is that so?", "The parts are:"):
        *_, last = claims(f"# A\n\nThe gauge hangs from a mast.\n\n{between}\n\nIt is heavy.")
        assert not all(check.passed for check in last.checks)


def test_this_thing_is_what_a_heading_calls_so():
    first, second = claims("# Staff handbook\n\nThis handbook describes the work. It replaces the old edition.")
    assert all(check.passed for check in (*first.checks, *second.checks))


def test_a_sentence_about_a_default_value_carries_its_headings():
    one, other = claims("# A\n\n## Size\n\nThe default value is 10.\n\n## Weight\n\nThe default value is 10.")
    assert one.id != other.id
    assert leans_on_heading("Defaults to 10.", "en")
    assert leans_on_heading("Specifies the size.", "en")
    assert not leans_on_heading("Only the duty forecaster may lower a level.", "en")


def test_later_sentences_of_a_labelled_item_carry_its_label():
    first, second = claims("# A\n\n- Servers: a list of addresses. At most 3 addresses are allowed.")
    assert second.context[-1] == "Servers"
    assert {first.needed, second.needed} == {("A",), ("A", "Servers")}


def test_a_definition_belongs_to_its_term():
    builder = DocumentBuilder("a")
    builder.add("h1", "Fields")
    builder.add("dt", "timeout")
    builder.add("dd", "It is the number of seconds to wait.")
    (draft,) = [draft for unit in units(builder.build()) for draft in extract(unit, ExtractionSettings())]
    assert draft.context == ("Fields", "timeout")
    assert all(check.passed for check in draft.checks)


def test_labels_and_words():
    assert label_of("Response: ticket") == "Response"
    assert label_of("err - error string") == "err"
    assert label_of("For example: ticket") == ""
    assert word_count("保修期为四年。") == 3


def test_a_label_inside_of_a_table_cell_introduces_what_follows_it():
    builder = DocumentBuilder("a")
    builder.add("td", "Wind", group=1, container=1)
    builder.add("td", "Allowed values", group=1, container=1, columns=("Policy",))
    builder.add("li", "up to 14 m/s", group=1, container=1, columns=("Policy",))
    (draft,) = [draft for unit in units(builder.build()) for draft in extract(unit, ExtractionSettings())]
    assert draft.text == "up to 14 m/s"
    assert draft.context == ("Allowed values", "Policy")


@pytest.mark.parametrize(
    ("lang", "text", "facts", "back"),
    [
        (
            "de",
            "Die Garantie gilt 4 Jahre. Sie umfasst keine Schäden. Weitere Informationen finden Sie im Handbuch. Wie schwer?",
            ["Die Garantie gilt 4 Jahre.", "Sie umfasst keine Schäden."],
            "Die Garantie gilt 4 Jahre.",
        ),
        (
            "ru",
            "Гарантия действует 4 года. Она не покрывает повреждения. Подробнее см. в разделе 3.",
            ["Гарантия действует 4 года.", "Она не покрывает повреждения."],
            "Гарантия действует 4 года.",
        ),
        (
            "zh",
            "保修期为四年。它不包括雷击损坏。有关详细信息，请参阅手册。电池能用多久？",
            ["保修期为四年。", "它不包括雷击损坏。"],
            "保修期为四年。",
        ),
        (
            "ja",
            "保証期間は4年です。これには損傷は含まれません。詳細はマニュアルを参照してください。",
            ["保証期間は4年です。", "これには損傷は含まれません。"],
            "保証期間は4年です。",
        ),
        (
            "ko",
            "보증 기간은 4년이다. 이는 낙뢰 피해를 포함하지 않는다. 자세한 내용은 설명서를 참고하십시오.",
            ["보증 기간은 4년이다.", "이는 낙뢰 피해를 포함하지 않는다."],
            "보증 기간은 4년이다.",
        ),
    ],
)
def test_other_languages_have_their_own_words_for_it(lang, text, facts, back):
    document = replace(load(RawDocument("page.md", text.encode(), "text/markdown")), lang=lang)
    drafts = [draft for unit in units(document) for draft in extract(unit, ExtractionSettings())]
    assert [draft.text for draft in drafts] == facts
    assert drafts[1].context[-1] == back
    assert all(check.passed for draft in drafts for check in draft.checks)


_PIECES = st.sampled_from(
    ["It is so. ", "The gauge weighs 4.6 kg. ", "This", " and ", "`a b`", "\n\n", "\n- ", "# ", "|a|b|\n|-|-|\n|c|d|\n", "Note:\n",
     "为四年。", "(", ")", "? ", ": ", "…", "\u00a0", "é"]
)  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(st.lists(_PIECES, max_size=30))
def test_every_claim_is_an_exact_piece_of_its_document(pieces):
    text = "# Title\n\nA first sentence stands here.\n\n" + "".join(pieces)
    document = load(RawDocument("page.md", text.encode(), "text/markdown"))
    for unit in units(document):
        for draft in extract(unit, ExtractionSettings()):
            (span,) = draft.spans
            assert document.text[unit.start + span.start : unit.start + span.end] == draft.text
            assert draft.text.strip() == draft.text
            assert set(draft.needed) <= set(draft.context)


def test_a_named_thing_that_says_what_it_is_needs_no_full_stop():
    """Reference pages often leave it out; a label or a caption says nothing either way."""
    said = claims("## GaugeSelector\n\nGaugeSelector represents the gauges that a report is made from\n")
    assert [claim.text for claim in said] == ["GaugeSelector represents the gauges that a report is made from"]
    assert claims("## Settings\n\nGaugeSelector settings for the reports of a station\n") == []
    assert claims("## Settings\n\nThe selector represents the gauges that a report is made from\n") == []
