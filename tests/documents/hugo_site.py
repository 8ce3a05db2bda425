"""A small Hugo site in memory, for tests."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from aipk_core.documents.hugo.site import HugoSite
from aipk_core.documents.loaders.registry import Limits, LoadContext, RawDocument, load
from aipk_core.documents.model import Document

CONFIG = """
baseURL = "https://tea.example"
contentDir = "content/en"
defaultContentLanguage = "en"
ignoreFiles = ["(?:^|/)OWNERS$", "content/en/docs/drawer"]
[markup.goldmark.parser]
autoHeadingIDType = "blackfriday"
[permalinks]
blog = "/:section/:year/:month/:day/:slug/"
[params]
version = "v1.36"
latest = "v1.36"
[[params.versions]]
version = "v1.36"
githubbranch = "v1.36.2"
[[params.versions]]
version = "v1.35"
[languages.en]
[languages.ko]
contentDir = "content/ko"
"""

STRINGS = """
[note]
other = "Note:"
[whatsnext_heading]
other = "What's next"
[feature_state]
other = "FEATURE STATE:"
[feature_state_kubernetes_label]
other = "Kubernetes"
[feature_gate_enabled]
other = "(enabled by default)"
[feature_gate_disabled]
other = "(disabled by default)"
[feature_gate_stage_alpha]
other = "Alpha"
[feature_gate_stage_beta]
other = "Beta"
[feature_gate_table_header_feature]
other = "Feature"
[feature_gate_table_header_default]
other = "Default"
[feature_gate_table_header_stage]
other = "Stage"
[feature_gate_table_header_since]
other = "Since"
[feature_gate_table_header_until]
other = "Until"
"""

GATES = "content/en/docs/reference/command-line-tools-reference/feature-gates"
GLOSSARY = "content/en/docs/reference/glossary"

FILES = {
    "hugo.toml": CONFIG,
    "i18n/en/en.toml": STRINGS,
    "content/en/docs/_index.md": "---\ntitle: Documentation\n---\n",
    f"{GLOSSARY}/index.md": "---\ntitle: Glossary\nlayout: glossary\n---\nhidden\n",
    f"{GLOSSARY}/pot.md": (
        "---\ntitle: Teapot\nid: pot\n---\n A vessel for {{< glossary_tooltip term_id='leaf' text='leaves' >}}.\n\n"
        "<!--more-->\n\nPots are round.\n"
    ).replace("'", '"'),
    f"{GLOSSARY}/leaf.md": "---\ntitle: Leaf\nid: leaf\n---\nA part of a plant.\n",
    f"{GATES}/index.md": "---\ntitle: Feature Gates\n---\n",
    f"{GATES}/HotWater.md": (
        "---\ntitle: HotWater\nstages:\n  - stage: alpha\n    defaultValue: false\n    fromVersion: '1.30'\n"
        "    toVersion: '1.33'\n  - stage: beta\n    defaultValue: true\n    fromVersion: '1.34'\n---\nHeats the water.\n"
    ),
    "content/en/includes/index.md": "---\nheadless: true\n---\n",
    "content/en/includes/warm.md": "---\n---\nWarm the *pot* first.\n",
    "content/en/examples/brew.yaml": "kind: Tea\n\nspec: {}\n",
}


class Files:
    """Files by path."""

    def __init__(self, files: dict[str, str]) -> None:
        self.files = {path: text.encode() for path, text in files.items()}
        self.reads: list[str] = []

    def read(self, path: str) -> bytes | None:
        self.reads.append(path)
        return self.files.get(path)

    def list(self, folder: str = "") -> Iterable[str]:
        return sorted(path for path in self.files if not folder or path.startswith(f"{folder}/"))


def site(**files: str) -> Files:
    """The small site with further files (``__`` in a name stands for a slash; pass others with ``**{path: text}``)."""
    return Files({**FILES, **files})


def build(
    body: str,
    *,
    path: str = "content/en/docs/tea.md",
    files: Files | None = None,
    limits: Limits | None = None,
    **options: Any,
) -> Document:
    """One page of the small site."""
    around = files or site()
    around.files[path] = body.encode()
    hugo = HugoSite(around, {"extends": "kubernetes", **options})
    return load(
        RawDocument(path, around.files[path], "text/x-hugo"), LoadContext(limits or Limits(), hugo.options, hugo)
    )


def shown(document: Document) -> list[tuple[str, str]]:
    return [(block.kind, document.quote(block)) for block in document.blocks]
