"""Shortcodes: their syntax, what they show, and the table that a corpus extends."""

from __future__ import annotations

from pathlib import Path

import pytest
from hugo_site import GATES, build, shown, site
from hypothesis import given
from hypothesis import strategies as st

from aipk_core.documents.hugo.shortcode_syntax import Node, Shortcode, parse_shortcodes
from aipk_core.documents.hugo.table import build_table, read_table
from aipk_core.documents.loaders.registry import Limits
from aipk_core.errors import CorpusError, DocumentError


def calls(text: str) -> list[tuple[str, str, list[str], dict[str, str], bool]]:
    return [
        (node.name, node.markup, node.positional, node.named, node.inner is not None)
        for node in parse_shortcodes(text)
        if isinstance(node, Shortcode)
    ]


def test_arguments_of_all_kinds() -> None:
    assert calls('{{< a b "c d" `e\n"f"` x="1" y=2 z=`3` />}}') == [
        ("a", "<", ["b", "c d", 'e\n"f"'], {"x": "1", "y": "2", "z": "3"}, False)
    ]
    assert calls('{{%heading "next"%}}{{< skew add -1 "-" >}}{{< t/m caption = "a" >}}') == [
        ("heading", "%", ["next"], {}, False),
        ("skew", "<", ["add", "-1", "-"], {}, False),
        ("t/m", "<", [], {"caption": "a"}, False),
    ]
    assert calls('{{< a b="say \\"hi\\"" >}}') == [("a", "<", [], {"b": 'say "hi"'}, False)]


def test_only_what_closes_has_inner_text() -> None:
    outer, rest = (
        node for node in parse_shortcodes("{{< a >}}x{{< b >}}y{{< /a >}}{{< b >}}") if isinstance(node, Shortcode)
    )
    assert outer.inner is not None
    assert [type(node).__name__ for node in outer.inner] == ["Literal", "Shortcode", "Literal"]
    assert rest.inner is None


@pytest.mark.parametrize("text", ["{{ .Values.x }}", "{{range .x}}", "{{< >}}", "{{< open", "{{< a b", "{{<note\nx"])
def test_what_is_no_shortcode_stays(text: str) -> None:
    assert calls(text) == []


def test_tags_may_be_split_over_lines() -> None:
    document = build('a {{< glossary_tooltip\n  term_id="pot" >}} b {{<\nnote >}}c{{<\n/note >}}')
    assert "Teapot" in document.text


@given(st.text(alphabet=st.sampled_from('{}<%>/*" abn=`\n'), max_size=120))
def test_nodes_cover_the_text(text: str) -> None:
    """Literals and calls together are the text, each character once."""
    position = 0
    for node in parse_shortcodes(text):
        assert node.start == position
        position = node.end
        if isinstance(node, Shortcode) and node.inner is not None:
            _inside(node.inner, node.tag_end, node.end)
    assert position == len(text)


def _inside(nodes: list[Node], start: int, end: int) -> None:
    for node in nodes:
        assert start <= node.start <= node.end <= end
        start = node.end


def test_escaped_shortcodes_are_shown() -> None:
    assert shown(build("`{{</* note */>}}` and {{%/* a */%}}\n")) == [("p", "{{< note >}} and {{% a %}}")]


def test_notices_have_a_heading_and_keep_their_list_item() -> None:
    assert shown(build("1. Boil\n\n   {{< note >}}\n   Hot!\n\n   Very.\n   {{< /note >}}\n\n1. Pour\n")) == [
        ("li", "Boil"),
        ("h4", "Note:"),
        ("li", "Hot!"),
        ("li", "Very."),
        ("li", "Pour"),
    ]
    assert shown(build('{{< alert title="Careful" >}}Hot!{{< /alert >}}')) == [("h4", "Careful"), ("p", "Hot!")]


def test_the_heading_of_a_notice_ends_with_it() -> None:
    document = build("# A\n\n{{< note >}}b{{< /note >}}\n\nc\n")
    paths = {document.quote(block): block.heading_path for block in document.blocks}
    assert paths["b"] == ("A", "Note:")
    assert paths["c"] == ("A",)


def test_terms_show_their_title_or_the_given_text() -> None:
    document = build('A {{< glossary_tooltip term_id="pot" >}}, {{< glossary_tooltip text="pots" term_id="pot" >}}\'s.')
    assert document.text == "A Teapot, pots's."
    assert [d.name.rpartition("/")[2] for d in document.dependencies if d.kind == "glossary"] == ["pot.md"]


def test_definitions_join_what_is_put_in_front() -> None:
    short = build('{{< glossary_definition term_id="pot" length="short" prepend="A pot is" >}}')
    assert shown(short) == [("p", "A pot is a vessel for leaves.")]
    assert shown(build('{{< glossary_definition term_id="pot" length="all" >}}')) == [
        ("p", "A vessel for leaves."),
        ("p", "Pots are round."),
    ]


def test_tabs_show_all_names_then_all_bodies() -> None:
    body = (
        '{{< tabs name="t" >}}\n{{% tab name="Green" %}}\n*Mild.*\n{{% /tab %}}\n'
        '{{< tab name="Code" codelang="yaml" >}}\n---\n# not a heading\n{{< /tab >}}\n{{< /tabs >}}\n'
    )
    assert shown(build(body)) == [
        ("li", "Green"),
        ("li", "Code"),
        ("p", "Mild."),
        ("code", "---\n# not a heading"),
    ]


def test_tabs_without_a_name_are_numbered() -> None:
    body = (
        '{{< tabs >}}{{< tab name="A" codelang="go" >}}a{{< /tab >}}{{< tab codelang="go" >}}b{{< /tab >}}{{< /tabs >}}'
    )
    assert [text for kind, text in shown(build(body)) if kind == "li"] == ["A", "Tab 2"]
    newer = site()
    newer.files["i18n/en/en.toml"] += b'\n[tab_default]\nother = "Sheet {{ . }}"\n'
    assert [text for kind, text in shown(build(body, files=newer)) if kind == "button"] == ["A", "Sheet 2"]


def test_included_files_and_examples() -> None:
    document = build('{{< include "warm.md" >}}\n\n1. See\n\n   {{% code_sample file="brew.yaml" %}}\n')
    assert shown(document) == [
        ("p", "Warm the pot first."),
        ("li", "See"),
        ("li", "brew.yaml"),
        ("code", "kind: Tea\n\nspec: {}"),
    ]
    assert document.blocks[3].language == "yaml"


def test_feature_states_come_from_the_gate() -> None:
    document = build(
        '{{< feature-state feature_gate_name="HotWater" >}}\n{{< feature-state state="stable" for_k8s_version="v1.9" >}}'
    )
    assert shown(document) == [
        ("p", "FEATURE STATE: Kubernetes v1.34 [beta](enabled by default)"),
        ("p", "FEATURE STATE: Kubernetes v1.9 [stable]"),
    ]
    assert ("feature-gate", f"{GATES}/HotWater.md") in {(d.kind, d.name) for d in document.dependencies}


def test_tables_and_lists_of_feature_gates() -> None:
    document = build('{{< feature-gate-table include="alpha,beta" >}}\n{{< feature-gate-list include="beta" >}}')
    assert [text for kind, text in shown(document) if kind in ("td", "dt", "dd")] == [
        *("HotWater", "false", "Alpha", "1.30", "1.33"),
        *("HotWater", "true", "Beta", "1.34", "–"),
        *("HotWater", "Heats the water."),
    ]
    assert document.blocks[5].columns == ("Feature",)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        ("skew currentVersion", "1.36"),
        ("skew currentVersionAddMinor -1", "1.35"),
        ('skew currentVersionAddMinor -1 "-"', "1-35"),
        ("skew nextMinorVersion", "1.37"),
        ("skew currentPatchVersion", "1.36.2"),
        ('param "version"', "v1.36"),
        ("latest-semver", "1.36"),
        ("release-branch", "release-1.36"),
    ],
)
def test_versions_are_worked_out(call: str, text: str) -> None:
    document = build(f"[v{{{{< {call} >}}}}](/v{{{{< {call} >}}}}/)\n\n```\nv{{{{< {call} >}}}}\n```\n")
    assert shown(document) == [("p", f"v{text}"), ("code", f"v{text}")]


def test_comments_and_diagrams() -> None:
    document = build("a\n{{< comment >}}b{{< /comment >}}\n\n{{< mermaid >}}\ngraph TD;\n  A-->B;\n{{< /mermaid >}}\n")
    assert shown(document) == [("p", "a"), ("mermaid", "graph TD;\n  A-->B;")]
    assert [document.quote(block) for block in document.prose_blocks()] == ["a"]


def test_headings_with_shortcodes_get_the_anchor_of_their_text() -> None:
    document = build('## {{% heading "whatsnext" %}}\n\n## {{< glossary_tooltip term_id="pot" >}}s\n\na\n')
    assert [(block.anchor, document.quote(block)) for block in document.blocks] == [
        ("what-s-next", "What's next"),
        ("teapots", "Teapots"),
        ("teapots", "a"),
    ]


def test_included_headings_do_not_number_those_of_the_page() -> None:
    around = site(**{"content/en/includes/a.md": "## Brew\n"})
    document = build('{{< include "a.md" >}}\n\n## Brew\n\n## Brew\n', files=around)
    assert [block.anchor for block in document.blocks] == ["brew", "brew", "brew-1"]


def test_boilerplate_is_marked() -> None:
    strings = site()
    strings.files["i18n/en/en.toml"] += b'\n[thirdparty_message]\nother = "Others made this."\n'
    document = build("{{% thirdparty-content %}}\n\na\n", files=strings)
    assert shown(document) == [("p", "Note: Others made this."), ("p", "a")]
    assert [block.boilerplate for block in document.blocks] == [True, False]


def test_a_corpus_describes_its_own_shortcodes() -> None:
    own = {
        "price": {"template": "[[argument 0 or nothing]] [[if currency]][[argument currency]][[end]]"},
        "box": {"template": "<div><h4>[[text note]]</h4>[[inner]]</div>"},
        "advert": {"does": "nothing"},
        "hint": {"does": "notice", "heading": "note"},
    }
    body = "{{< box >}}*a*{{< /box >}}{{< advert >}}\n\n{{< hint >}}b{{< /hint >}}"
    assert shown(build(body, shortcodes=own)) == [
        ("h4", "Note:"),
        ("p", "a"),
        ("h4", "Note:"),
        ("p", "b"),
    ]
    assert shown(build("{{< price >}}", shortcodes=own)) == [("p", "nothing")]
    assert shown(build('{{< price currency="€" >}}', shortcodes=own)) == [("p", "nothing €")]
    assert shown(build('{{< price "<5" >}}', shortcodes=own)) == [("p", "<5")]


def test_cards_and_blocks_of_docsy() -> None:
    body = '{{< blocks/lead >}}\n*Tea*\n{{< /blocks/lead >}}\n{{< card header="Green" >}}mild{{< /card >}}\n'
    assert shown(build(body, extends="hugo")) == [("p", "Tea"), ("p", "Green"), ("p", "mild")]


@pytest.mark.parametrize(
    "entry",
    [{"does": "dance"}, {"template": "[[dance]]"}, {}, "note"],
)
def test_wrong_tables_are_refused(entry: object) -> None:
    with pytest.raises(CorpusError):
        build_table({"shortcodes": {"x": entry}})


def test_the_table_of_the_kubernetes_corpus(request: pytest.FixtureRequest) -> None:
    table = read_table(Path(request.config.rootpath) / "corpora" / "kubernetes" / "shortcodes.toml")
    shortcodes, _ = build_table(table)
    assert shortcodes.knows("glossary_tooltip")
    assert not build_table({})[0].knows("glossary_tooltip")


def test_unknown_shortcodes_are_reported_and_keep_their_text() -> None:
    document = build("{{< dance >}}*a*{{< /dance >}}")
    assert shown(document) == [("p", "a")]
    assert [problem.code for problem in document.problems] == ["shortcode-unknown"]


def test_missing_files_are_reported() -> None:
    document = build('a {{< glossary_tooltip term_id="cup" >}} {{< include "no.md" >}}')
    assert document.text == "a cup"
    assert sorted(problem.code for problem in document.problems) == ["glossary-missing", "include-missing"]


def test_files_that_include_each_other_end() -> None:
    ring = site(
        **{"content/en/includes/a.md": 'x {{< include "b.md" >}}', "content/en/includes/b.md": '{{< include "a.md" >}}'}
    )
    document = build('{{< include "a.md" >}}', files=ring)
    assert "include-too-deep" in {problem.code for problem in document.problems}


def test_growth_by_includes_is_bounded() -> None:
    parts = {f"content/en/includes/{i}.md": f'{{{{< include "{i + 1}.md" >}}}}' * 20 for i in range(8)}
    with pytest.raises(DocumentError) as caught:
        build('{{< include "0.md" >}}', files=site(**parts), limits=Limits(max_expanded_bytes=100_000))
    assert caught.value.code == "too-large"


def test_paths_do_not_leave_the_source() -> None:
    around = site()
    build('{{< include "../../../../etc/passwd.md" >}}{{< code_sample file="/../../../../x" >}}', files=around)
    build('{{< glossary_tooltip term_id="' + "x" * 300 + '" >}}{{< include "a\nb.md" >}}', files=around)
    assert not [path for path in around.reads if path.startswith(("/", "..")) or len(path) > 250 or "\n" in path]
