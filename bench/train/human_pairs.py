"""Human-labelled pairs as training rows: three labels where the source tells which, ``unsupported`` where it does not.

    python -m bench.train.human_pairs --pairs PAIRS.jsonl.gz --out human.jsonl --held-out calibration.jsonl

Only rows whose split is ``train`` are read; the split is by evidence, so that nothing of a test text is seen. One text in
twenty of the training split is held out for calibration.
"""

from __future__ import annotations

import argparse
import collections
import gzip
import hashlib
import json
import random
from collections.abc import Iterator
from pathlib import Path

from aipk_core.verify.focus import rough_sentences

CONTRADICTED = {"refutes", "refute", "contradict", "mnli_contradiction", "snli_contradiction"}
NOT_FOUND = {
    "nei",
    "nei_abstract",
    "not_enough_info",
    "irrelevant",
    "mnli_neutral",
    "snli_neutral",
    "hallucination",
    "upward_monotone",
    "non_monotone",
}
SHARE = {"breaking_nli": 0.6, "med": 0.45, "factcheck_gpt": 0.5, "negation_nli": 1.0}
"""Part of a set that is kept where it is large and narrow."""


def read_rows(path: Path, split: str) -> list[dict[str, str]]:
    """Rows of one split; each {set, split, evidence, sentence, label, kind}."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [row for line in lines if (row := json.loads(line))["split"] == split]


def label_of(row: dict[str, str]) -> str:
    """supported, contradicted, not_found, or unsupported where the source does not tell which of the two."""
    if row["label"] == "supported":
        return "supported"
    if row["set"] == "citation_integrity" and row["kind"] == "refute":
        return "unsupported"  # the source calls every inaccuracy so
    if row["kind"] in CONTRADICTED:
        return "contradicted"
    return "not_found" if row["kind"] in NOT_FOUND else "unsupported"


def summary_sentences(rows: list[dict[str, str]]) -> Iterator[dict[str, str]]:
    """One row a sentence instead of one a summary.

    A wrong summary differs from a right one of the same text in one edited place. Its sentences that also stand in a right
    summary are right; the ones that stand in none are where the edit is.
    """
    by_text: dict[str, list[dict[str, str]]] = collections.defaultdict(list)
    for row in rows:
        by_text[row["evidence"]].append(row)
    for evidence, group in by_text.items():
        right = {s for row in group if row["label"] == "supported" for s in rough_sentences(row["sentence"])}
        wrong: set[str] = set()
        for row in group:
            if row["label"] != "supported" and right:
                changed = [s for s in rough_sentences(row["sentence"]) if s not in right]
                wrong.update(changed if len(changed) == 1 else [])
        for sentences, label in ((sorted(right), "supported"), (sorted(wrong), "unsupported")):
            for sentence in sentences:
                yield {
                    "set": "summedits",
                    "evidence": evidence,
                    "sentence": sentence,
                    "label": label,
                    "kind": "sentence",
                }


def training_rows(path: Path, seed: int = 11) -> list[dict[str, object]]:
    """All training rows with weights that balance supported and other rows inside every set."""
    rng = random.Random(seed)
    rows = read_rows(path, "train")
    kept = [row for row in rows if row["set"] != "summedits" and rng.random() < SHARE.get(row["set"], 1.0)]
    kept += list(summary_sentences([row for row in rows if row["set"] == "summedits"]))
    counts = collections.Counter((row["set"], row["label"] == "supported") for row in kept)
    out: list[dict[str, object]] = []
    for row in kept:
        positive = row["label"] == "supported"
        total = counts[row["set"], True] + counts[row["set"], False]
        weight = min(2.5, max(0.6, 0.5 * total / counts[row["set"], positive]))
        label = label_of(row)
        out.append(
            {
                "set": row["set"],
                "kind": row["kind"],
                "evidence": row["evidence"],
                "sentence": row["sentence"],
                "label": label,
                "weight": round(weight, 3),
            }
        )
    rng.shuffle(out)
    return out


def held_out(evidence: str) -> bool:
    """Whether a text is kept for calibration: decided by the text alone."""
    return hashlib.sha256(evidence.encode()).digest()[0] < 13


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--held-out", type=Path, required=True)
    arguments = parser.parse_args()
    rows = training_rows(arguments.pairs)
    for path, held in ((arguments.out, False), (arguments.held_out, True)):
        with path.open("w", encoding="utf-8") as out:
            out.writelines(
                json.dumps(r, ensure_ascii=False) + "\n" for r in rows if held_out(str(r["evidence"])) == held
            )
    print(collections.Counter((row["set"], row["label"]) for row in rows))


if __name__ == "__main__":
    main()
