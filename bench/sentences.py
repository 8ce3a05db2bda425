"""How well and how fast the splitter works: ``python -m bench.sentences [--data DIR] [FILE.jsonl ...]``.

Measured on the sentence data of the shared folder (``$AIPK_SHARED`` or the folder ``shared`` beside the repository) and on
any further JSON Lines files of rows ``{text, spans}``.

F1 is span-level exact match, micro-averaged over all documents: a sentence counts as found only if both its start and its
end are right; precision = exact matches / our sentences, recall = exact matches / true sentences. Beside it stands the F1
of sentence ends alone, the laxer figure that is often published.

Speed is processor time of one process for the same texts, best of three rounds; pysbd (not a dependency:
``pip install pysbd``) is run on the same texts for the ratio. Exit code 1 when a bar is missed.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from aipk_core.text.sentences import split_sentences

EWT_BAR, GOLDEN_BAR, SPEED_BAR = 0.925, 45, 20.0

Spans = list[tuple[int, int]]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=_shared_folder() / "data", help="folder with sentences/ in it")
    parser.add_argument("files", nargs="*", type=Path, help="further JSON Lines files of {text, spans}")
    arguments = parser.parse_args()
    folder = arguments.data / "sentences"
    if not folder.is_dir():
        print(f"skipped: no sentence data in {arguments.data} (set AIPK_SHARED or --data)")
        return 0

    ewt = _rows(folder / "ud-english-ewt-dev.jsonl")
    score = _report("UD English EWT dev", ewt)
    golden = _rows(folder / "golden-rules.jsonl")
    right = sum([span.of(row["text"]) for span in split_sentences(row["text"])] == row["sentences"] for row in golden)
    print(f"golden rules: {right} of {len(golden)} (bar {GOLDEN_BAR})")
    for path in arguments.files:
        _report(path.name, _rows(path))

    texts = [row["text"] for row in ewt]
    ours = _seconds(lambda: [split_sentences(text) for text in texts])
    megabytes = sum(len(text.encode()) for text in texts) / 1e6
    print(f"speed on EWT dev: {megabytes / ours:.1f} MB/s")
    ratio = _against_pysbd(texts, ewt, ours)
    _kubernetes(arguments.data / "kubernetes")
    missed = score < EWT_BAR or right < GOLDEN_BAR or (ratio is not None and ratio < SPEED_BAR)
    print("a bar is missed" if missed else "all bars are met")
    return int(missed)


def scores(rows: Iterable[tuple[Spans, Spans]]) -> tuple[float, float, float, float]:
    """Precision, recall and F1 of exact spans, and F1 of ends, over pairs of (ours, truth)."""
    hits = found = gold = end_hits = 0
    for ours, truth in rows:
        hits += len(set(ours) & set(truth))
        end_hits += len({end for _, end in ours} & {end for _, end in truth})
        found += len(ours)
        gold += len(truth)
    return hits / found, hits / gold, 2 * hits / (found + gold), 2 * end_hits / (found + gold)


def _report(name: str, rows: list[dict]) -> float:
    pairs = [([tuple(s) for s in split_sentences(r["text"])], [tuple(s) for s in r["spans"]]) for r in rows]
    precision, recall, f1, ends = scores(pairs)
    sentences = sum(len(truth) for _, truth in pairs)
    print(f"{name}: {len(rows)} documents, {sentences} sentences")
    print(
        f"  exact spans F1 {f1:.4f} (precision {precision:.4f}, recall {recall:.4f}; bar {EWT_BAR}); ends F1 {ends:.4f}"
    )
    return f1


def _against_pysbd(texts: list[str], rows: list[dict], ours: float) -> float | None:
    try:
        import pysbd
    except ImportError:
        print("pysbd: not installed, no ratio (pip install pysbd)")
        return None
    segmenter = pysbd.Segmenter(language="en", clean=False)
    theirs = _seconds(lambda: [segmenter.segment(text) for text in texts])
    pairs = [(_located(r["text"], segmenter.segment(r["text"])), [tuple(s) for s in r["spans"]]) for r in rows]
    _, _, f1, ends = scores(pairs)
    print(
        f"pysbd on the same texts: exact spans F1 {f1:.4f}, ends F1 {ends:.4f}; we are {theirs / ours:.0f} times as fast"
    )
    return theirs / ours


def _located(text: str, pieces: list[str]) -> Spans:
    spans: Spans = []
    position = 0
    for piece in pieces:
        start = text.find(piece.strip(), position)
        if piece.strip() and start >= 0:
            position = start + len(piece.strip())
            spans.append((start, position))
    return spans


def _kubernetes(folder: Path) -> None:
    for path in sorted(folder.glob("rendered-blocks-*.jsonl.gz"))[:1]:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            blocks = [
                text for line in lines for kind, text in json.loads(line)["blocks"] if kind in ("p", "li", "td", "dd")
            ]
        seconds = _seconds(lambda blocks=blocks: [split_sentences(text) for text in blocks], rounds=1)
        megabytes = sum(len(text.encode()) for text in blocks) / 1e6
        print(f"speed on {len(blocks)} blocks of Kubernetes prose ({megabytes:.1f} MB): {megabytes / seconds:.1f} MB/s")


def _seconds(work: Callable[[], object], rounds: int = 3) -> float:
    times = []
    for _ in range(rounds):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def _rows(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def _shared_folder() -> Path:
    return Path(os.environ.get("AIPK_SHARED") or Path(__file__).resolve().parent.parent.parent / "shared")


if __name__ == "__main__":
    sys.exit(main())
