"""Web pages become the blocks of their main part."""

from __future__ import annotations

from pathlib import Path

import pytest

from aipk_core.documents.loaders.registry import LoadContext, RawDocument, load
from aipk_core.documents.model import Document
from aipk_core.errors import DocumentError

PROSE = "Water boils at one hundred degrees at sea level, and at less on a mountain, where the air is thin. " * 3


def page(body: str, head: str = "", **options: object) -> Document:
    source = f"<!DOCTYPE html><html lang='en'><head><meta charset='utf-8'>{head}</head><body>{body}</body></html>"
    return load(RawDocument("page.html", source.encode()), LoadContext(options=options))


def shown(document: Document) -> list[tuple[str, str]]:
    return [(block.kind, document.quote(block)) for block in document.blocks]


def test_blocks_have_the_kinds_of_their_elements() -> None:
    document = page(
        "<h1>Tea</h1><p>Hot &amp; <b>strong</b>.</p><ul><li>Green<li><p>Black</p><p>with milk</p></ul>"
        "<dl><dt>Cup</dt><dd>holds tea</dd></dl><blockquote><p>Drink!</p></blockquote>"
        "<details><summary>More</summary>Less</details><button>Order</button><pre>a\n  b</pre>"
        "<figure><img alt='A pot' src=x><figcaption>The pot</figcaption></figure>"
    )
    assert shown(document) == [
        ("h1", "Tea"),
        ("p", "Hot & strong."),
        ("li", "Green"),
        ("li", "Black"),
        ("li", "with milk"),
        ("dt", "Cup"),
        ("dd", "holds tea"),
        ("p", "Drink!"),
        ("summary", "More"),
        ("p", "Less"),
        ("button", "Order"),
        ("code", "a\n  b"),
        ("alt", "A pot"),
        ("figcaption", "The pot"),
    ]


def test_paragraphs_of_an_item_and_cells_of_a_row_belong_together() -> None:
    document = page(
        "<p>Kinds:</p><ul><li><p>a</p><p>b</p></li><li>c</li></ul>"
        "<table><tr><th>Name</th><th>Size</th></tr><tr><th>Cup</th><td>small</td></tr></table>"
    )
    lead, first, second, third, name, _, cup, small = document.blocks
    assert first.group == second.group != third.group
    assert first.container == third.container != small.container
    assert first.lead_in == 0
    assert lead.lead_in is None
    assert cup.group == small.group != name.group
    assert small.columns == ("Size", "Cup")


def test_cells_find_their_column_through_spans() -> None:
    document = page(
        "<table><thead><tr><th>A</th><th colspan=2>B</th><th>C</th></tr></thead>"
        "<tr><td rowspan=2>1</td><td>2</td><td>3</td><td>4</td></tr><tr><td>5</td><td>6</td><td>7</td></tr></table>"
    )
    cells = {document.quote(block): block.columns for block in document.blocks if block.kind == "td"}
    assert cells == {
        "1": ("A",),
        "2": ("B",),
        "3": ("B",),
        "4": ("C",),
        "5": ("B", "1"),
        "6": ("B", "1"),
        "7": ("C", "1"),  # the first cell stands beside this row as well
    }


def test_a_name_over_its_description_is_one_row() -> None:
    document = page(
        "<table><tr><td colspan=2>--all</td></tr><tr><td></td><td>Selects all.</td></tr>"
        "<tr><td colspan=2>--one&nbsp;&nbsp;&nbsp;x</td></tr><tr><td>&nbsp;</td><td>Selects one.</td></tr></table>"
    )
    one, two, three, four = document.blocks
    assert one.group == two.group != three.group == four.group
    assert [block.columns for block in document.blocks] == [(), ("--all",), (), ("--one x",)]


def test_inline_code_is_an_atom() -> None:
    document = page("<p>Run <code>make. it</code> now.</p>")
    (block,) = document.blocks
    assert [document.quote(atom) for atom in block.atoms] == ["make. it"]  # type: ignore[arg-type]


def test_segments_lead_back_to_the_bytes() -> None:
    source = "<p>Grüße aus <em>Köln</em>,\n   bald</p>".encode()
    document = load(RawDocument("a.html", source))
    assert document.text == "Grüße aus Köln, bald"
    found = [(document.text[s.start : s.end], source[s.byte_start : s.byte_end].decode()) for s in document.segments]
    assert found == [("Grüße aus ", "Grüße aus "), ("Köln", "Köln"), (", bald", ",\n   bald")]


def test_navigation_around_the_text_is_left_out() -> None:
    document = page(
        "<div class='site-header'><ul class='nav-menu'><li><a href='/'>Home</a></li></ul></div>"
        f"<div id='content'><h1>Boiling</h1><p>{PROSE}</p><p>{PROSE}</p><div class='share-bar'>Share this</div>"
        "<h2 id='why'>Why <a class='headerlink' href='#why'>¶</a></h2><p>Because.</p></div>"
        "<footer><p>© A company</p></footer>"
    )
    assert [text for kind, text in shown(document) if kind != "p"] == ["Boiling", "Why"]
    assert document.blocks[-1].anchor == "why"
    assert not any(word in document.text for word in ("Home", "Share", "©"))


def test_the_part_that_the_page_marks_is_taken() -> None:
    document = page(f"<p>Advert: {PROSE[:90]}</p><main><h1>Boiling</h1><p>{PROSE}</p></main><p>Imprint</p>")
    assert [kind for kind, _ in shown(document)] == ["h1", "p"]
    assert "Imprint" in page("<main><p>a</p></main><p>Imprint</p>", whole_page=True).text


def test_a_header_with_text_is_no_banner() -> None:
    document = page(f"<header><h2>Preamble</h2><p>{PROSE}</p></header><section><h2>One</h2><p>{PROSE}</p></section>")
    assert ("h2", "Preamble") in shown(document)


def test_hidden_parts_are_not_read() -> None:
    document = page(
        "<p>a<span style='display: none'>b</span></p><p hidden>c</p><template>d</template><script>e</script>"
    )
    assert shown(document) == [("p", "a")]


def test_no_break_spaces_are_spaces_that_stay() -> None:
    document = page("<table><tr><td>--all&nbsp;&nbsp;Default: no</td><td>&nbsp;</td></tr></table>")
    assert shown(document) == [("td", "--all  Default: no")]


@pytest.mark.parametrize("encoding", ["iso-8859-1", "euc-kr", "windows-1251"])
def test_declared_encodings_are_used(encoding: str) -> None:
    text = {"iso-8859-1": "Grüße", "euc-kr": "안녕하세요", "windows-1251": "Привет"}[encoding]
    source = f"<html><head><meta charset={encoding}></head><body><p>{text}, {text}.</p></body></html>"
    document = load(RawDocument("a.html", source.encode(encoding)))
    assert document.text == f"{text}, {text}."
    assert document.problems == ()


def test_a_page_without_text_is_an_error() -> None:
    with pytest.raises(DocumentError) as caught:
        page("<script>render()</script><div id='app'></div>")
    assert caught.value.code == "empty"


def test_the_number_of_blocks_is_bounded() -> None:
    from aipk_core.documents.loaders.registry import Limits

    with pytest.raises(DocumentError) as caught:
        load(RawDocument("a.html", b"<p>a" * 200), LoadContext(Limits(max_blocks=100)))
    assert caught.value.code == "too-large"


@pytest.mark.data
def test_real_pages(shared_data: Path) -> None:
    folder = shared_data / "documents" / "html"
    german = load(RawDocument("a.html", (folder / "httpd-bind.de.iso-8859-1.html").read_bytes()))
    assert german.lang == "de"
    assert german.title.startswith("An Adressen und Ports binden")
    assert "Verfügbare Sprachen" not in german.text
    assert "Überblick" in [german.quote(block) for block in german.blocks]
    arabic = load(RawDocument("a.html", (folder / "tika-misleading-charset-arabic.html").read_bytes()))
    assert [problem.code for problem in arabic.problems] == ["misleading-charset"]
    assert len(load(RawDocument("a.html", (folder / "udhr-rus.html").read_bytes())).blocks) > 60


def test_soft_hyphens_are_not_seen() -> None:
    assert shown(page("<p>Sil&shy;ben&shy;trennung ist n&uuml;tzlich.</p>")) == [("p", "Silbentrennung ist nützlich.")]
