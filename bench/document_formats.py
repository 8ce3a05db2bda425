"""How well and how fast the loaders of files other than web pages read real documents.

Usage::

    python bench/document_formats.py [--json]

Prints, for the generated two-column PDF files, the share of the sentences of their source that stand verbatim in the
text (and the same without white space, which tells layout from Korean word spacing), and for each format the megabytes
read in a second of processor time.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import time
from collections import defaultdict
from pathlib import Path

from lxml import html

from aipk_core.documents.loaders.registry import RawDocument, load
from aipk_core.errors import DocumentError

REPOSITORY = Path(__file__).resolve().parent.parent
_SENTENCE_END = re.compile(r"(?<=[.!?؟])\s+|(?<=[。！？])")
_WEB = frozenset({".md", ".html"})


def documents_folder() -> Path:
    shared = Path(os.environ.get("AIPK_SHARED") or REPOSITORY.parent / "shared")
    return shared / "data" / "documents"


def truth_sentences(path: Path) -> list[str]:
    """Sentences of the page that a PDF was made from: JSON blocks ``[kind, text]`` or HTML."""
    if path.suffix == ".json":
        blocks = [text for kind, text in json.loads(path.read_text("utf-8")) if kind not in ("code", "mermaid")]
    else:
        body = html.fromstring(path.read_text("utf-8")).find(".//body")
        elements = body.iter("h1", "h2", "h3", "p", "li") if body is not None else ()
        blocks = [" ".join(item.text_content().split()) for item in elements if not item.findall(".//p")]
    return [sentence for block in blocks for sentence in _SENTENCE_END.split(block) if sentence.strip()]


def fidelity(folder: Path) -> dict[str, dict[str, float]]:
    """For each generated PDF: sentences, share verbatim, share ignoring white space."""
    figures: dict[str, dict[str, float]] = {}
    for path in sorted((folder / "pdf-generated").glob("*.pdf")):
        truth = next(path.parent.glob(f"{path.stem}.truth.*"))
        text = load(RawDocument(path.name, path.read_bytes())).text
        solid = re.sub(r"\s", "", text)
        sentences = truth_sentences(truth)
        figures[path.stem] = {
            "sentences": len(sentences),
            "verbatim": sum(sentence in text for sentence in sentences) / len(sentences),
            "ignoring_spaces": sum(re.sub(r"\s", "", sentence) in solid for sentence in sentences) / len(sentences),
        }
    return figures


def speed(folder: Path, rounds: int = 3) -> dict[str, dict[str, float]]:
    """For each format: bytes, seconds of processor time (best of ``rounds``), MB/s, and pages/s of PDF files."""
    totals: defaultdict[str, list[float]] = defaultdict(lambda: [0.0, 0.0, 0.0])
    for path in sorted(folder.rglob("*")):
        if not path.is_file() or path.suffix in _WEB or ".truth." in path.name or path.name.startswith("MANIFEST"):
            continue
        data, best, pages = path.read_bytes(), float("inf"), 0
        try:
            for _ in range(rounds):
                start = time.process_time()
                document = load(RawDocument(path.name, data))
                best = min(best, time.process_time() - start)
            pages = int(document.metadata.get("pages", 0))
        except DocumentError:
            continue  # files that are refused say nothing about speed
        total = totals[path.suffix.lstrip(".")]
        total[0] += len(data)
        total[1] += best
        total[2] += pages
    return {
        name: {"bytes": size, "seconds": seconds, "megabytes_per_second": size / 1e6 / seconds}
        | ({"pages_per_second": pages / seconds} if pages else {})
        for name, (size, seconds, pages) in sorted(totals.items())
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--folder", type=Path, default=documents_folder())
    arguments = parser.parse_args()
    if not arguments.folder.is_dir():
        raise SystemExit(f"no folder {arguments.folder}; set AIPK_SHARED")
    figures = {"fidelity": fidelity(arguments.folder), "speed": speed(arguments.folder)}
    if arguments.json:
        print(json.dumps(figures, indent=2))
        return 0
    for name, row in figures["fidelity"].items():
        print(
            f"{name:32} {row['sentences']:5.0f} sentences  {row['verbatim']:.4f} verbatim  {row['ignoring_spaces']:.4f} ignoring spaces"
        )
    for name, row in figures["speed"].items():
        pages = f"  {row['pages_per_second']:.1f} pages/s" if "pages_per_second" in row else ""
        print(f"{name:6} {row['megabytes_per_second']:7.2f} MB/s{pages}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
