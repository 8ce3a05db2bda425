"""A small corpus under review: two pages about locks, with a conflict between them."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa

from aipk_core.build import BuildOptions, build
from aipk_core.claims.queue import Filter
from aipk_core.review.desk import ReviewDesk
from aipk_core.stages.claims import read_claims
from aipk_core.stages.conflicts import SCHEMA
from aipk_core.store.manifest import Manifest
from aipk_core.store.workspace import Workspace

PAGES = {
    "locks.md": (
        "# Locks of the canal\n\nThe southern lock is 80 m long. The northern lock has two chambers.\n\n"
        "## Opening hours\n\nThe southern lock opens at 6:00 in summer.\n\n"
        "- Boats longer than 40 m need a pilot.\n- Rowing boats pass for free.\n"
    ),
    "fees.md": (
        "# Fees\n\nThe southern lock opens at 7:00 in summer.\n\nA passage costs 12 euros.\n\n"
        "Every ticket carries the mark `<b>paid</b>` in blue.\n"
    ),
}


def write_corpus(root: Path, review: str = 'policy = "manual"', pages: dict[str, str] = PAGES) -> Path:
    (root / "dagster.yaml").touch()
    folder = root / "corpora" / "canal"
    (folder / "pages").mkdir(parents=True, exist_ok=True)
    (folder / "corpus.toml").write_text(
        f'title = "The <canal>"\n\n[[sources]]\ntype = "files"\npath = "pages"\n\n[review]\n{review}\n', "utf-8"
    )
    for name, text in pages.items():
        (folder / "pages" / name).write_text(text, "utf-8")
    return folder


def build_claims(folder: Path) -> None:
    """Run the stages up to the claims, and note the conflict that comparing them would find."""
    build(folder, BuildOptions(until="claims"))
    workspace = Workspace.of(folder)
    opening = [c.id for c in read_claims(workspace.require_manifest("canal", "claims")) if "opens at" in c.text]
    rows = []
    if len(opening) == 2:
        a, b = sorted(opening)
        reasons = json.dumps(["6:00 here, 7:00 there"])
        rows = [{"kind": "conflict", "a": a, "b": b, "reasons": reasons, "similarity": "0.97", "judge": "rules"}]
    workspace.write_manifest("canal", Manifest("conflicts", "x", pa.Table.from_pylist(rows, schema=SCHEMA)))


def named(desk: ReviewDesk, words: str) -> str:
    """Id of the one claim whose text holds ``words``."""
    found = [name for name in desk.queue.select(Filter("all")) if words in desk.queue.entry(name).claim.text]
    assert len(found) == 1, f"{len(found)} claims hold {words!r}"
    return found[0]
