"""AsciiDoc: what Asciidoctor's page shows."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from aipk_core.documents.loaders.registry import LoadContext, RawDocument, load
from aipk_core.documents.model import Document
from aipk_core.errors import DocumentError


class Files:
    """A source of a few files."""

    def __init__(self, **files: str) -> None:
        self.files = {name.replace("__", "/"): text for name, text in files.items()}

    def read(self, path: str) -> bytes | None:
        text = self.files.get(path.removesuffix(".adoc"))
        return text.encode() if text is not None else None

    def list(self, folder: str = "") -> Iterable[str]:
        return sorted(self.files)


def loaded(text: str, site: Files | None = None) -> Document:
    return load(RawDocument("docs/a.adoc", text.encode()), LoadContext(site=site))


def blocks(document: Document) -> list[tuple[str, str]]:
    return [(block.kind, document.quote(block)) for block in document.blocks]


def test_header_sections_and_paragraphs() -> None:
    document = loaded(
        "= Pumps\nA. Author <a@b.org>\nv1.0\n:toc:\n\nAll.\n\n== Parts\n\nText over\ntwo lines.\n\n=== Care\n\nM.\n"
    )
    assert blocks(document) == [
        ("h1", "Pumps"),
        ("p", "All."),
        ("h2", "Parts"),
        ("p", "Text over two lines."),
        ("h3", "Care"),
        ("p", "M."),
    ]
    assert document.blocks[5].heading_path == ("Pumps", "Parts", "Care")
    assert document.blocks[3].anchor == "_parts"


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        (
            "*bold*, _italic_, **b**old, `code`, ^2^, ~i~, #marked#, [.red]#red#",
            "bold, italic, bold, code, 2, i, marked, red",
        ),
        ("2 * 3 * 4 and snake_case_name stay", "2 * 3 * 4 and snake_case_name stay"),
        (
            "https://a.org[A site], https://b.org, link:c.html[C], mailto:a@b.org[Mail]",
            "A site, https://b.org, C, Mail",
        ),
        ("press kbd:[Ctrl+C], click btn:[OK], menu:File[Save > As]", "press Ctrl+C, click OK, File › Save › As"),
        ("it's -- well... (C) 'x'", "it’s — well… © 'x'"),
        ("`+{name}+` and +++<u>raw</u>+++ and \\*not bold*", "{name} and <u>raw</u> and *not bold*"),
        ("a((term))b (((hidden, index)))c [[here]]d", "atermb c d"),
        ("<<parts,the parts>> and <<Parts>>", "the parts and [Parts]"),
        ("\"`quoted`\" and '`single`'", "“quoted” and ‘single’"),
    ],
)
def test_inline_markup(source: str, shown: str) -> None:
    assert loaded(source).text == shown


def test_code_in_a_sentence_is_an_atom() -> None:
    document = loaded("Run `pump --on` now.")
    assert [document.quote(atom) for atom in document.blocks[0].atoms] == ["pump --on"]


def test_attributes_conditionals_and_comments() -> None:
    document = loaded(
        ":name: Pump\n:long: a \\\nb\n// comment\n////\nblock\n////\nThe {name} {long} {unknown} \\{name}.\n\n"
        "ifdef::name[]\nShown.\nendif::[]\nifndef::name[]\nHidden.\nendif::[]\nifdef::name[One line.]\n"
        'ifeval::["{name}" == "Pump"]\nEqual.\nendif::[]\n'
    )
    assert document.text == "The Pump a b {unknown} {name}.\n\nShown. One line. Equal."


def test_admonitions_quotes_and_verbatim_blocks() -> None:
    document = loaded(
        "NOTE: Mind the valve.\n\n[WARNING]\n====\nHot.\n====\n\n____\nQuoted.\n____\n\n[source,ruby]\n----\nputs 1 # <1>\n*x*\n----\n"
        "<1> Prints.\n\n literal\n  text\n\n++++\n<b>raw</b>\n++++\n"
    )
    assert blocks(document) == [
        ("p", "Mind the valve."),
        ("p", "Hot."),
        ("blockquote", "Quoted."),
        ("code", "puts 1\n*x*"),
        ("li", "Prints."),
        ("code", "literal\n text"),
    ]
    assert document.blocks[3].language == "ruby"


def test_lists_of_every_kind() -> None:
    document = loaded(
        "Steps:\n\n. Open\n+\n----\nx\n----\n** [x] nested\n. Close\n\nValve:: A part.\nPump::\n  Another.\n"
    )
    assert blocks(document) == [
        ("p", "Steps:"),
        ("li", "Open"),
        ("code", "x"),
        ("li", "nested"),
        ("li", "Close"),
        ("dt", "Valve"),
        ("dd", "A part."),
        ("dt", "Pump"),
        ("dd", "Another."),
    ]
    assert document.blocks[1].group == document.blocks[2].group
    assert document.blocks[1].container == document.blocks[4].container
    assert document.blocks[1].lead_in == 0


def test_tables() -> None:
    document = loaded(".Masses\n|===\n|Part |Mass\n\n|Pump\n|5 kg\n\n2+|spanning\n|===\n")
    assert blocks(document) == [
        ("caption", "Masses"),
        ("th", "Part"),
        ("th", "Mass"),
        ("td", "Pump"),
        ("td", "5 kg"),
        ("td", "spanning"),
    ]
    assert document.blocks[4].columns == ("Mass",)
    data = loaded('[%header,format=csv]\n|===\nPart,Mass\n"Pump, big",9\n|===\n')
    assert [data.quote(block) for block in data.blocks] == ["Part", "Mass", "Pump, big", "9"]


def test_footnotes_come_last() -> None:
    document = loaded("Safe footnote:[Below *60* °C.] always.\n\nNext.\n")
    assert blocks(document) == [("p", "Safe always."), ("p", "Next."), ("footnote", "Below 60 °C.")]


def test_files_are_included_only_from_the_source() -> None:
    text = "include::part.adoc[tag=a]\n\ninclude::../../../etc/passwd[]\n\ninclude::https://a.org/x.adoc[]\n"
    document = loaded(text, Files(docs__part="no\n// tag::a[]\nIncluded.\n// end::a[]\nno\n"))
    assert document.text == "Included."
    assert [(entry.kind, entry.name) for entry in document.dependencies] == [("include", "docs/part.adoc")]
    assert [problem.code for problem in document.problems] == ["include-left-out"] * 2
    assert document.segments[0].file == "docs/part.adoc"


def test_an_include_of_itself_ends() -> None:
    document = loaded("Top.\n\ninclude::loop.adoc[]\n", Files(docs__loop="Loop.\n\ninclude::loop.adoc[]\n"))
    assert document.text.count("Loop.") == 8


def test_attributes_that_double_themselves_are_stopped() -> None:
    bomb = ":a0: xxxxxxxxxx\n" + "".join(f":a{n}: {{a{n - 1}}}{{a{n - 1}}}\n" for n in range(1, 40)) + "{a39}\n" * 4000
    with pytest.raises(DocumentError) as caught:
        loaded(bomb)
    assert caught.value.code == "too-large"


def test_paragraphs_and_blocks_attached_one_after_the_other() -> None:
    text = """pump::
  It moves water.
+
For example:
+
----
pump --start
----
+
It stops by itself.
* Oil it.
"""
    assert blocks(loaded(text)) == [
        ("dt", "pump"),
        ("dd", "It moves water."),
        ("dd", "For example:"),
        ("code", "pump --start"),
        ("dd", "It stops by itself."),
        ("li", "Oil it."),
    ]


def test_a_title_with_a_line_under_it_opens_no_verbatim_block() -> None:
    text = "OPTIONS\n-------\n:limit: 5\nThe limit is {limit}, written {caret} or \\{limit}.\n// unseen\n\n----\n{caret}\n----\n"
    assert blocks(loaded(text)) == [
        ("h2", "OPTIONS"),
        ("p", "The limit is 5, written ^ or {limit}."),
        ("code", "{caret}"),
    ]
