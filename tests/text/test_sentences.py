"""The splitter by example, one language or phenomenon a test."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from aipk_core.text.sentences import split_sentences
from aipk_core.text.spans import Span


def sentences(text: str, lang: str = "en") -> list[str]:
    return [span.of(text) for span in split_sentences(text, lang)]


def check(marked: str, lang: str = "en") -> None:
    """``marked`` is a text with ``¦`` where sentences must be separated; the mark stands for one space."""
    expected = marked.split("¦")
    assert sentences(" ".join(expected), lang) == expected


@pytest.mark.parametrize(
    "marked",
    [
        "It is cold.¦It is dark!¦Is it late?¦Yes.",
        "The car uses 8.4 kWh.¦The old one used 17.5 kWh.",
        "Since v1.36.¦The field is gone.",
        "Upgrade to v1.36.2 first.¦Then wait.",
        "Edit config.yaml.¦Then apply it.",
        "Read https://example.org/a.html?b=c.d carefully.",
        "Read https://example.org/docs/.¦Then start.",
        "Write to jo.doe@example.org.¦She answers.",
        "J. R. R. Tolkien wrote it.¦E. M. Forster did not.",
        "Dr. Jones met Mr. Smith at St. Mary's.",
        "Use a tool, e.g. a hammer, i.e. a heavy one.",
        "See No. 5 and Fig. 3 on p. 12, vol. 2.",
        "The answer is no.¦It is not there.",
        "We sell apples, pears, etc.¦They are fresh.",
        "It was made by Acme Inc. in 1999.¦It was good.",
        "It was made by Acme Inc.¦It was good.",
        "She moved to the U.S. in May.¦He stayed in the U.K.¦They met again.",
        "The U.S. Army came at 5 p.m. on Monday.",
        "Smith et al. (2010) found nothing.",
        "Our sales rep. said so.¦We asked the rep.¦She knew.",
        "Choose plan B.¦The rest is easy.",
        "Wait... what?¦I was... surprised.",
        "I was surprised...¦Then it stopped.",
        "He left (he had said so.) and came back.",
        "He left.¦(He had said so.)¦Then he came back.",
        "The tool (see below. It is short.) is old.",
        "“Stop!” he said.¦“Why?” she asked.",
        "“It is late.”¦She left.",
        "Run the node.¦kubectl lists it.¦etcd holds it.",
        "There are rules.¦3 of them are new.",
        "It was shown before.[12]¦Others agree.[3][4]",
        "Great!!!¦Is that so?!¦Yes.",
        "She works at Yahoo! in the north.",
        "Do not use ! in names.",
        "The limit is 110. [1]¦It was lower. [2] [3]",
        "Figure 3. The ferry at night.¦Step 2. Wait for it.",
        "See Fig. S1 and App. B for more.¦There are 2.¦They differ.",
        "They met at noon and parted at 5 p.m.¦Robert left.¦At 9 a.m. EST he came back.",
        "And then, oh! she fell.",
        "I love it :)¦You should go.",
        "1. Install it.¦2. Start it.¦3. Enjoy.",
        "We sell: 1) apples, 2) pears, and 3) plums.",
        "Bake it for 20 min. or until it is brown.¦Then let it cool.",
        "HARTFORD, D.C. — The council met.¦It left.",
        "Use a 2 in. pipe.¦Take Rte. 66 to get there.",
        "Call us, tel. +1 555 1234.¦We are there.",
    ],
)
def test_english(marked: str) -> None:
    check(marked)


@pytest.mark.parametrize(
    ("lang", "marked"),
    [
        ("de", "Am 3. Oktober 1990 kam z. B. Dr. Müller an.¦Es war kalt."),
        ("de", "Die 2. Auflage, d. h. die neue, kostet ca. 5,30 Euro.¦Ludwig XIV. war König."),
        ("de", "Das war 1999.¦Danach kamen Hr. Maier, Fr. Huber usw.¦Alle blieben bis 18.30 Uhr."),
        ("fr", "M. Dupont dit : « Bonjour ! »¦Puis il part.¦Est-ce vrai ?¦Oui."),
        ("fr", "L'art. 5 s'applique, p. ex. en 1999.¦C'est tout."),
        ("es", "El Sr. García vive en EE. UU. desde 1990.¦¿Cómo está?¦¡Bien!¦La pág. 5 es útil."),
        ("ru", "А. С. Пушкин родился в 1799 г. в Москве.¦Он писал стихи, прозу и т. д.¦Это известно."),
        ("ru", "Склад площадью 320 кв. м. сдан в аренду.¦В 1990-х гг. Ольга работала здесь."),
        ("es", "El barco sale a las 7:15 hs. del puerto.¦Caben 40 coches.¦7 + 5 son 12."),
        (
            "de",
            "Die Praxis von Dr. med. Albers liegt in der Hafenstr. 12.¦Das Haus ist alt.¦„Kommen Sie morgen.“¦Mehr dazu auf S. 8.",
        ),
        ("ru", "«Привет!» — сказал он.¦Цена 5 тыс. руб. за штуку, т. е. мало."),
        ("ko", "저는 학생입니다.¦버전 1.36을 씁니다.¦정말요?¦네!"),
        ("ar", "هذا كتاب.¦هل هو جيد؟¦نعم!¦الإصدار 1.36 متاح."),
        ("hi", "यह एक किताब है।¦क्या यह अच्छी है?¦डॉ. शर्मा यहाँ हैं।"),
        ("ko", "모두 그렇다.¦kubectl로 봅니다."),
        ("ru", "Это наш дом.¦kubectl показывает его."),
        ("ru", "Об этом писал А. С. Грибов.¦Потом он уехал."),
        ("ko", '그는 "갑시다."라고 말했다.¦모두 웃었다.'),
        ("de", "Der Pod läuft auf dem Knoten.¦kubelet startet ihn."),
        ("it", "Il sig. Rossi arriva.¦È tardi."),
        ("pl", "To jest np. kot.¦To jest pies."),
    ],
)
def test_languages_with_spaces(lang: str, marked: str) -> None:
    check(marked, lang)


@pytest.mark.parametrize(
    ("lang", "marked"),
    [
        ("zh", "今天天气很好。¦我们去公园吧！¦好吗？¦见第3.5节。"),
        ("zh", "他说：“很好。”¦她走了。"),
        ("zh", "“很好。”他说。¦我们去看《你好！朋友》吧。"),
        ("ja", "これは本です。¦「はい。そうです。」と彼は言った。¦終わり！"),
        ("ja", "東京（人口が多い。大きい。）は首都です。¦次。"),
    ],
)
def test_languages_without_spaces(lang: str, marked: str) -> None:
    expected = marked.split("¦")
    assert sentences("".join(expected), lang) == expected


def test_thai_sentences_end_at_spaces_after_particles_and_long_pieces() -> None:
    check("สวัสดีครับ¦ผมชื่อสมชาย", "th")
    long_piece = "วันนี้อากาศดีมากและเราจะไปเที่ยวที่สวนสาธารณะขนาดใหญ่ใกล้บ้านของเรา"
    check(f"{long_piece}¦พรุ่งนี้ฝนจะตก", "th")
    check(f"{long_piece} และกลับบ้าน", "th")  # "and" continues


def test_a_blank_line_ends_a_sentence_and_a_wrapped_line_does_not() -> None:
    text = (
        "This paragraph was wrapped by an editor that fills each line as far as it can, so\n"
        "that none is longer than about eighty characters. It mentions the well-known Dr.\n"
        "Smith, who lives in the north of the country with his wife and their three small\n"
        "children.\n\nA new paragraph without a stop\n\nAnother"
    )
    assert [" ".join(sentence.split()) for sentence in sentences(text)][1:] == [
        "It mentions the well-known Dr. Smith, who lives in the north of the country with his wife and their three "
        "small children.",
        "A new paragraph without a stop",
        "Another",
    ]


def test_lines_of_an_answer_end_sentences() -> None:
    text = "The limits are:\n- 110 pods per node\n- 5000 nodes\n\n# Notes\n1. Set `a.b. c` first\n2. Restart\nDone"
    assert sentences(text) == [
        "The limits are:",
        "- 110 pods per node",
        "- 5000 nodes",
        "# Notes",
        "1. Set `a.b. c` first",
        "2. Restart",
        "Done",
    ]


def test_forms_of_messages_without_line_breaks() -> None:
    text = "Kay Mann 04/26/2001 07:17 AM Will you come? I hope so. Best regards, Ann Lee"
    assert sentences(text) == [
        "Kay Mann",
        "04/26/2001 07:17 AM",
        "Will you come?",
        "I hope so.",
        "Best regards,",
        "Ann Lee",
    ]


def test_atoms_are_never_cut_and_their_stops_end_nothing() -> None:
    text = "Call run. Next step now. Set it to no. 5 remain."
    assert [s.of(text) for s in split_sentences(text)] == ["Call run.", "Next step now.", "Set it to no. 5 remain."]
    command = Span(text.index("run."), text.index("step") + 4)
    value = Span(text.index("no."), text.index("no.") + 2)
    assert [s.of(text) for s in split_sentences(text, atoms=[value, command])] == [
        "Call run. Next step now.",
        "Set it to no.",
        "5 remain.",
    ]


def test_nothing_in_nothing_out() -> None:
    assert split_sentences("") == []
    assert split_sentences(" \n\t ") == []


@pytest.mark.parametrize(
    "piece",
    [
        "x",
        ".",
        ". ",
        "a.",
        "a. ",
        '."',
        ". (",
        "a(b. ",
        "a@",
        "`a",
        "\n",
        "a\n",
        "a 1) ",
        "• a ",
        "* ",
        ":) ",
        "中。",
        "「あ。",
        "He a ",
    ],
)
def test_time_is_linear_in_the_length_of_any_text(piece: str) -> None:
    small, large = (_seconds(piece * (count // len(piece))) for count in (20_000, 200_000))
    assert large < max(20 * small, 2.0)


def test_ten_million_characters_without_a_space() -> None:
    text = "x" * 10_000_000
    start = time.process_time()
    assert split_sentences(text) == [Span(0, len(text))]
    assert time.process_time() - start < 20


@pytest.mark.data
def test_scores_on_real_data(shared_data: Path) -> None:
    """The bars that bench/sentences.py measures; here so that a change which loses them is noticed."""
    folder = shared_data / "sentences"
    rows = [json.loads(line) for line in (folder / "ud-english-ewt-dev.jsonl").read_text("utf-8").splitlines()]
    hits = found = gold = 0
    for row in rows:
        truth = {tuple(span) for span in row["spans"]}
        ours = split_sentences(row["text"])
        hits, found, gold = hits + len(truth & set(ours)), found + len(ours), gold + len(truth)
    assert 2 * hits / (found + gold) >= 0.925
    rules = [json.loads(line) for line in (folder / "golden-rules.jsonl").read_text("utf-8").splitlines()]
    assert sum(sentences(rule["text"]) == rule["sentences"] for rule in rules) >= 45


def _seconds(text: str) -> float:
    start = time.process_time()
    split_sentences(text)
    return time.process_time() - start
