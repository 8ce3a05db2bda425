"""How well pages of a Hugo site are read: blocks compared with what a reader of the rendered site sees.

    python bench/documents_hugo.py SNAPSHOT RENDERED [--differences 20] [--json]

SNAPSHOT is a folder or .tar.gz with the site's sources, RENDERED a (gzipped) file with one page a line:
``{"src": path, "blocks": [[kind, text], ...]}``. Text is compared with white space folded.
"""

from __future__ import annotations

import argparse
import gzip
import json
import resource
import sys
import tarfile
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from aipk_core.documents.hugo.pages import hugo_pages
from aipk_core.documents.hugo.site import HugoSite
from aipk_core.documents.loaders.registry import LoadContext, RawDocument, load
from aipk_core.documents.model import Document
from aipk_core.errors import DocumentError

PROSE = frozenset({"p", "li", "td", "dd"})
# A page made from this many feature gate files is a table of all of them; it is counted apart.
GATE_TABLE = 100


class FolderSite:
    """The files under a folder."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.paths = sorted(p.relative_to(root).as_posix() for p in root.rglob("*") if p.is_file())

    def read(self, path: str) -> bytes | None:
        file = self.root / path
        return file.read_bytes() if file.is_file() else None

    def list(self, folder: str = "") -> Iterable[str]:
        return [path for path in self.paths if not folder or path.startswith(f"{folder}/")]


class ArchiveSite:
    """The files of a .tar.gz, in memory."""

    def __init__(self, archive: Path) -> None:
        self.files: dict[str, bytes] = {}
        with tarfile.open(archive) as tar:
            for member in tar:
                stream = tar.extractfile(member) if member.isfile() else None
                if stream is not None:
                    self.files[PurePosixPath(member.name).as_posix()] = stream.read()

    def read(self, path: str) -> bytes | None:
        return self.files.get(path)

    def list(self, folder: str = "") -> Iterable[str]:
        return sorted(path for path in self.files if not folder or path.startswith(f"{folder}/"))


@dataclass
class Score:
    """Counts of blocks: seen by readers, found by us, written by us, and of those seen by readers; and of pages."""

    seen: int = 0
    found: int = 0
    written: int = 0
    right: int = 0
    pages: int = 0
    pages_right: int = 0
    pages_exact: int = 0
    differences: list[tuple[str, str, str]] = field(default_factory=list)

    @property
    def recall(self) -> float:
        return self.found / self.seen if self.seen else 1.0

    @property
    def precision(self) -> float:
        return self.right / self.written if self.written else 1.0


def folded(text: str) -> str:
    return " ".join(text.split())


def compare(document: Document, truth: list[tuple[str, str]], score: Score) -> None:
    """Add one page: prose blocks for recall, all blocks for precision, order and kinds for exactness."""
    ours = [(block.kind, folded(document.quote(block))) for block in document.blocks]
    theirs = [(kind, folded(text)) for kind, text in truth]
    written, seen = Counter(text for _, text in ours), Counter(text for _, text in theirs)
    wanted = Counter(text for kind, text in theirs if kind in PROSE)
    missing, extra = wanted - written, written - seen
    score.seen += wanted.total()
    score.found += wanted.total() - missing.total()
    score.written += len(ours)
    score.right += len(ours) - extra.total()
    score.pages += 1
    score.pages_right += not missing and not extra
    score.pages_exact += ours == theirs
    where = document.id
    score.differences += [(where, "missing", text) for text in missing] + [(where, "extra", text) for text in extra]
    if not missing and not extra and ours != theirs:
        first = next((o, t) for o, t in zip(ours, theirs, strict=False) if o != t) if len(ours) == len(theirs) else None
        score.differences.append((where, "order", repr(first)))


def measure(site: HugoSite, rendered: Iterable[dict[str, Any]], prefix: str) -> dict[str, Score]:
    """Scores by section of the site; ``all`` and ``feature gate tables`` as well."""
    scores: dict[str, Score] = {"all": Score(), "feature gate tables": Score()}
    context = LoadContext(options=site.options, site=site)
    for page in rendered:
        path = page["src"] if page["src"].startswith(prefix) else prefix + page["src"]
        data = site.read(path)
        truth = [(kind, text) for kind, text in page["blocks"]]
        section = "/".join(PurePosixPath(path.removeprefix(prefix)).parts[1:2]) or "(top)"
        try:
            if data is None:
                raise DocumentError("there is no such page", where=path)
            document = load(RawDocument(path, data, "text/x-hugo"), context)
        except DocumentError as error:
            print(error, file=sys.stderr)
            document = Document(path, "", ())
        gates = sum(dependency.kind == "feature-gate" for dependency in document.dependencies)
        for name in ("feature gate tables",) if gates >= GATE_TABLE else ("all", section):
            compare(document, truth, scores.setdefault(name, Score()))
    return scores


def speed(site: HugoSite) -> dict[str, float]:
    """Load all pages of the documentation once, without comparing: pages and megabytes a second."""
    context = LoadContext(options=site.options, site=site)
    begin, begin_cpu = time.perf_counter(), time.process_time()
    pages = [page for page in hugo_pages(site) if "/docs/" in page.path]
    size = blocks = segments = 0
    for page in pages:
        data = site.read(page.path) or b""
        document = load(RawDocument(page.path, data, "text/x-hugo"), context)
        size += len(data)
        blocks += len(document.blocks)
        segments += len(document.segments)
    seconds = time.perf_counter() - begin
    return {
        "pages": len(pages),
        "megabytes": size / 1e6,
        "blocks": blocks,
        "segments": segments,
        "seconds": seconds,
        "cpu_seconds": time.process_time() - begin_cpu,
        "pages_per_second": len(pages) / seconds,
        "megabytes_per_second": size / 1e6 / seconds,
        "peak_megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("snapshot", type=Path)
    parser.add_argument("rendered", type=Path)
    parser.add_argument("--prefix", default="content/en/", help="put before src where it is not there")
    parser.add_argument("--differences", type=int, default=0, help="how many differences to show")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    files = FolderSite(arguments.snapshot) if arguments.snapshot.is_dir() else ArchiveSite(arguments.snapshot)
    opened = gzip.open if arguments.rendered.suffix == ".gz" else open
    with opened(arguments.rendered, "rt", encoding="utf-8") as lines:
        rendered = [json.loads(line) for line in lines]
    options = {"languages": ["en"]}
    figures = speed(HugoSite(files, options))
    scores = measure(HugoSite(files, options), rendered, arguments.prefix)
    if arguments.json:
        shown = {
            name: {**asdict(score), "recall": score.recall, "precision": score.precision, "differences": None}
            for name, score in scores.items()
        }
        print(json.dumps({"speed": figures, "scores": shown}))
        return
    print(f"{'section':22} {'pages':>6} {'right':>8} {'exact':>8} {'seen':>8} {'recall':>9} {'precision':>10}")
    for name, score in sorted(scores.items(), key=lambda item: -item[1].seen):
        print(
            f"{name:22} {score.pages:6} {score.pages_right / max(score.pages, 1):8.2%} "
            f"{score.pages_exact / max(score.pages, 1):8.2%} {score.seen:8} {score.recall:9.3%} {score.precision:10.3%}"
        )
    print(" · ".join(f"{name.replace('_', ' ')} {value:,.1f}" for name, value in figures.items()))
    for name in ("all", "feature gate tables"):
        for where, kind, text in scores[name].differences[: arguments.differences]:
            print(f"{where.removeprefix(arguments.prefix)}: {kind}: {text[:200]}")


if __name__ == "__main__":
    main()
