"""Which files of a Hugo site are pages, what they depend on, and how well real pages are read."""

from __future__ import annotations

import json
import tarfile
from collections import Counter
from collections.abc import Iterable
from gzip import open as open_gzip
from pathlib import Path

import pytest
from hugo_site import CONFIG, FILES, GATES, STRINGS, Files, build, shown, site

from aipk_core.documents.hugo.pages import hugo_pages
from aipk_core.documents.hugo.site import HugoSite
from aipk_core.documents.loaders.registry import LoadContext, RawDocument, load
from aipk_core.documents.model import Document, Origin
from aipk_core.errors import SourceError


def test_pages_and_their_addresses() -> None:
    files = site(
        **{
            "content/en/docs/Tea Time.md": "---\ntitle: Tea\n---\n",
            "content/en/docs/slugged.md": "---\nslug: other\n---\n",
            "content/en/docs/moved.md": "---\nurl: /elsewhere/\n---\n",
            "content/en/docs/bundle/index.md": "---\ntitle: Bundle\n---\n",
            "content/en/docs/bundle/part.md": "a part of the bundle\n",
            "content/en/docs/bundle/deep/part.md": "another\n",
            "content/en/docs/draft.md": "---\ndraft: true\n---\n",
            "content/en/docs/never.md": "---\n_build:\n  render: never\n---\n",
            "content/en/docs/unseen/_index.md": "---\ncascade:\n  build:\n    render: never\n---\n",
            "content/en/docs/unseen/a.md": "a\n",
            "content/en/docs/drawer/a.md": "ignored by the configuration\n",
            "content/en/docs/OWNERS": "x\n",
            "content/en/blog/_posts/2024-05-01-tea.md": "---\ntitle: On Tea!\nslug: on-tea\n---\n",
            "content/ko/docs/tea.md": "---\ntitle: 차\n---\n",
        }
    )
    assert {page.path.removeprefix("content/"): page.url for page in hugo_pages(files)} == {
        "en/blog/_posts/2024-05-01-tea.md": "/blog/2024/05/01/on-tea/",
        "en/docs/_index.md": "/docs/",
        "en/docs/Tea Time.md": "/docs/tea-time/",
        "en/docs/bundle/index.md": "/docs/bundle/",
        "en/docs/moved.md": "/elsewhere/",
        "en/docs/reference/command-line-tools-reference/feature-gates/index.md": (
            "/docs/reference/command-line-tools-reference/feature-gates/"
        ),
        "en/docs/reference/glossary/index.md": "/docs/reference/glossary/",
        "en/docs/slugged.md": "/docs/other/",
        "ko/docs/tea.md": "/ko/docs/tea/",
    }
    assert [page.path for page in hugo_pages(files, {"sections": ["blog"]})] == [
        "content/en/blog/_posts/2024-05-01-tea.md"
    ]
    assert [page.lang for page in hugo_pages(files, {"languages": ["ko"]})] == ["ko"]


def test_a_page_has_its_title_address_and_language() -> None:
    document = build('---\ntitle: "Tea & more"\ndescription: not shown\n---\na\n')
    assert shown(document) == [("h1", "Tea & more"), ("p", "a")]
    assert (document.title, document.url, document.lang) == ("Tea & more", "https://tea.example/docs/tea/", "en")
    assert document.metadata["front_matter"]["description"] == "not shown"
    assert build("a\n", base_url="http://mirror.example/").url == "http://mirror.example/docs/tea/"


def test_layouts_made_of_other_pages_show_their_title_only() -> None:
    assert shown(build("---\ntitle: Glossary\nlayout: glossary\n---\nb\n")) == [("h1", "Glossary")]


def test_a_site_may_lie_in_a_folder_of_its_source() -> None:
    files = site(**{f"web/{path}": text for path, text in FILES.items()})
    document = build('{{< include "warm.md" >}}', path="web/content/en/docs/a.md", files=files, root="web")
    assert document.text == "Warm the pot first."
    assert document.dependencies[0].name == "web/content/en/includes/warm.md"


def test_a_plain_site_with_its_configuration_in_a_folder() -> None:
    files = Files(
        {
            "config/_default/hugo.toml": 'baseURL = "https://plain.example/"\n',
            "config/_default/params.yaml": "tea: green\n",
            "content/_index.md": "+++\ntitle = 'Home'\n+++\n",
            "content/posts/first.md": "",
        }
    )
    assert [page.url for page in hugo_pages(files)] == ["/", "/posts/first/"]
    document = build(
        "+++\ntitle = 'First'\n+++\n{{< param tea >}} & more\n", path="content/posts/first.md", files=files
    )
    assert shown(document) == [("h1", "First"), ("p", "green & more")]
    assert document.url == "https://plain.example/posts/first/"


BODY = (
    '## {{% heading "whatsnext" %}}\n\n{{< glossary_tooltip term_id="pot" >}} {{< skew currentVersion >}}\n\n'
    '{{< include "warm.md" >}}\n\n{{< feature-state feature_gate_name="HotWater" >}}\n\n'
    '{{% code_sample file="brew.yaml" %}}\n'
)


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("content/en/docs/reference/glossary/pot.md", "Teapot", "Kettle"),
        ("content/en/includes/warm.md", "Warm", "Heat"),
        ("content/en/examples/brew.yaml", "Tea", "Coffee"),
        (f"{GATES}/HotWater.md", "1.34", "1.35"),
        ("hugo.toml", 'version = "v1.36"', 'version = "v1.37"'),
        ("i18n/en/en.toml", "What's next", "Next"),
    ],
)
def test_a_change_of_what_a_page_uses_is_seen(path: str, old: str, new: str) -> None:
    changed = site()
    changed.files[path] = changed.files[path].replace(old.encode(), new.encode())
    before, after = build(BODY), build(BODY, files=changed)
    assert before.digest != after.digest
    assert before.dependencies != after.dependencies


def test_other_parameters_and_translations_do_not_matter() -> None:
    other = site(
        **{
            "hugo.toml": CONFIG.replace("[params]", '[params]\ncolour = "green"'),
            "i18n/en/en.toml": STRINGS + '\n[other]\nother = "x"\n',
        }
    )
    assert build(BODY).dependencies == build(BODY, files=other).dependencies


def test_what_is_absent_is_a_dependency_too() -> None:
    document = build('{{< include "soon.md" >}}')
    assert ("content/en/includes/soon.md", "") in {(d.name, d.digest) for d in document.dependencies}
    later = build('{{< include "soon.md" >}}', files=site(**{"content/en/includes/soon.md": "now"}))
    assert later.text == "now"


def test_segments_say_where_each_piece_comes_from() -> None:
    files = site()
    document = build('Use a {{< glossary_tooltip text="pot" term_id="pot" >}}.\n\n' + BODY, files=files)
    pieces = []
    for segment in document.segments:
        data = files.files[segment.file][segment.byte_start : segment.byte_end].decode()
        pieces.append(
            (document.text[segment.start : segment.end], segment.origin, segment.file.rpartition("/")[2], data)
        )
    assert ("Use a ", Origin.LITERAL, "tea.md", "Use a ") in pieces
    assert ("pot", Origin.SHORTCODE, "tea.md", '{{< glossary_tooltip text="pot" term_id="pot" >}}') in pieces
    assert ("Teapot", Origin.INCLUDE, "pot.md", "Teapot") in pieces
    assert ("pot", Origin.INCLUDE, "warm.md", "pot") in pieces
    assert ("1.36", Origin.COMPUTED, "tea.md", "{{< skew currentVersion >}}") in pieces
    covered = sum(segment.end - segment.start for segment in document.segments)
    assert covered == len(document.text) - 2 * (len(document.blocks) - 1)


def test_pages_of_other_languages_fall_back_to_the_default() -> None:
    document = build('{{< include "warm.md" >}}{{< note >}}a{{< /note >}}', path="content/ko/docs/a.md")
    assert "Note:" in document.text
    assert document.url == "https://tea.example/ko/docs/a/"


def test_a_broken_configuration_is_an_error() -> None:
    with pytest.raises(SourceError):
        build("a", files=site(**{"hugo.toml": "= x"}))


# --- the real site -------------------------------------------------------------------------------------------------


class Archive:
    """The files of a snapshot."""

    def __init__(self, path: Path) -> None:
        self.files: dict[str, bytes] = {}
        with tarfile.open(path) as tar:
            for member in tar:
                stream = tar.extractfile(member) if member.isfile() else None
                if stream is not None:
                    self.files[member.name.removeprefix("./")] = stream.read()

    def read(self, path: str) -> bytes | None:
        return self.files.get(path)

    def list(self, folder: str = "") -> Iterable[str]:
        return sorted(path for path in self.files if not folder or path.startswith(f"{folder}/"))


def _texts(document: Document) -> Counter[str]:
    return Counter(" ".join(document.quote(block).split()) for block in document.blocks)


@pytest.mark.data
def test_a_sample_of_the_kubernetes_documentation(shared_data: Path) -> None:
    """Every twentieth page: nearly all visible prose is found, and next to nothing else."""
    folder = shared_data / "kubernetes"
    site = HugoSite(Archive(next(folder.glob("k8s-docs-*-02ab95c970.tar.gz"))))
    context = LoadContext(site=site)
    seen = found = written = right = pages = pages_right = 0
    with open_gzip(folder / "rendered-blocks-02ab95c970.jsonl.gz", "rt", encoding="utf-8") as lines:
        sample = [json.loads(line) for line in lines][::20]
    urls = {page.path: page.url for page in hugo_pages(site)}
    for page in sample:
        path = f"content/en/{page['src']}"
        assert urls[path] == page["url"]
        document = load(RawDocument(path, site.read(path) or b"", "text/x-hugo"), context)
        prose = Counter(" ".join(text.split()) for kind, text in page["blocks"] if kind in ("p", "li", "td", "dd"))
        shown = Counter(" ".join(text.split()) for _, text in page["blocks"])
        ours = _texts(document)
        seen += prose.total()
        found += (prose & ours).total()
        written += ours.total()
        right += (ours & shown).total()
        pages += 1
        pages_right += not prose - ours and not ours - shown
    assert pages > 40
    assert found / seen > 0.998
    assert right / written > 0.995
    assert pages_right / pages > 0.95
