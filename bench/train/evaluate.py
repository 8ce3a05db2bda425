"""Measure the learned judge alone: typed lies by kind, human-labelled sets on held-out texts, speed on one core.

    python -m bench.train.evaluate --model aipk_core/verify/data --shared ../shared [--also grounding-v0=DIR]

The human-labelled sets are measured only on the rows whose evidence is in the test split, which was never trained on; most of
the other rows of those files were trained on and would prove nothing. Word overlap is the share of the
statement's content words that the evidence has.
"""

from __future__ import annotations

import argparse
import collections
import gzip
import json
import re
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from aipk_core.verify.judges import Pair
from aipk_core.verify.learned import LearnedJudge

SETS = (
    "fever_symmetric",
    "scifact",
    "breaking_nli",
    "negation_nli",
    "citation_integrity",
    "begin",
    "q_squared",
    "summedits",
    "med",
)
BARS = {"fever_symmetric": 80, "scifact": 70, "breaking_nli": 85, "negation_nli": 75, "citation_integrity": 62}
BARS |= {"begin": 84, "q_squared": 75, "summedits": 58}
STOP = frozenset(
    [
        "a",
        "an",
        "the",
        "of",
        "in",
        "on",
        "at",
        "to",
        "for",
        "and",
        "or",
        "is",
        "are",
        "was",
        "were",
        "be",
        "been",
        "it",
        "its",
        "this",
        "that",
        "by",
        "with",
        "as",
        "from",
        "has",
        "have",
        "had",
        "not",
    ]
)

Score = Callable[[Sequence[Pair]], np.ndarray]


def overlap(pairs: Sequence[Pair]) -> np.ndarray:
    def words(text: str) -> set[str]:
        return set(re.findall(r"\w+", text.lower())) - STOP

    return np.array([len(words(p.statement) & words(p.evidence)) / max(len(words(p.statement)), 1) for p in pairs])


def two_way(folder: Path) -> Score:
    """A model with two outputs (supported, unsupported) in the same folder form, read the same way."""
    import onnxruntime
    from tokenizers import Tokenizer

    session = onnxruntime.InferenceSession(str(folder / "model.onnx"), providers=["CPUExecutionProvider"])
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(160, strategy="only_first")

    def score(pairs: Sequence[Pair]) -> np.ndarray:
        out = []
        for pair in pairs:
            encoded = tokenizer.encode(pair.evidence, pair.statement)
            values = {
                "input_ids": encoded.ids,
                "attention_mask": [1] * len(encoded.ids),
                "token_type_ids": encoded.type_ids,
            }
            feed = {entry.name: np.array([values[entry.name]], dtype=np.int64) for entry in session.get_inputs()}
            logits = session.run(None, feed)[0][0]
            out.append(1 / (1 + np.exp(logits[1] - logits[0])))
        return np.array(out)

    return score


def auc(scores: np.ndarray, labels: np.ndarray) -> float:
    """Probability that a supported row scores above another one; ties count half."""
    order = np.argsort(scores, kind="stable")
    ranks = np.empty(len(scores))
    _, starts, counts = np.unique(scores[order], return_index=True, return_counts=True)
    ranks[order] = np.repeat(starts + (counts + 1) / 2, counts)
    positive = int(labels.sum())
    return float((ranks[labels].sum() - positive * (positive + 1) / 2) / max(positive * (len(labels) - positive), 1))


def balanced(scores: np.ndarray, labels: np.ndarray, threshold: float) -> float:
    said = scores >= threshold
    return 50 * float(said[labels].mean() + (~said)[~labels].mean())


def test_texts(shared: Path) -> set[str]:
    with gzip.open(shared / "training" / "pairs.jsonl.gz", "rt", encoding="utf-8") as lines:
        return {row["evidence"] for line in lines if (row := json.loads(line))["split"] == "test"}


def human_sets(shared: Path, models: dict[str, Score], limit: int) -> None:
    clean_texts = test_texts(shared)
    header = "".join(f" {name:>26}" for name in models)
    print(
        f"\nhuman-labelled sets, rows of held-out texts (AUC, balanced accuracy at 0.5; overlap at 0.6)\n{'':<20}{'rows':>6}{'bar':>5}{header}"
    )
    for name in SETS:
        path = shared / "data" / "verify" / f"{name}.jsonl"
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        held = [
            row
            for row in rows
            if " ".join(row["evidence"].split()[:400]) in clean_texts or row["evidence"] in clean_texts
        ]
        held = held[:limit]
        labels = np.array([row["label"] == "supported" for row in held])
        pairs = [Pair(row["evidence"], row["sentence"]) for row in held]
        cells = ""
        for model, score in models.items():
            values = score(pairs)
            threshold = 0.6 if model == "overlap" else 0.5
            cells += f" {auc(values, labels):>18.3f} {balanced(values, labels, threshold):>7.1f}"
        print(f"{name:<20}{len(held):>6}{BARS.get(name, 0) or '':>5}{cells}", flush=True)


def typed_lies(shared: Path, models: dict[str, Score]) -> None:
    path = shared / "data" / "verify" / "typed-lies-dev.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    rows = [row for row in rows if row["lang"] == "en"]
    pairs = [Pair("\n".join(row["evidence"]), row["sentence"]) for row in rows]
    labels = np.array([row["label"] == "supported" for row in rows])
    scores = {name: score(pairs) for name, score in models.items()}
    print("\ntyped lies (English), share accepted by kind" + "".join(f" {name:>14}" for name in models))
    kinds = collections.Counter((row["label"], row["kind"]) for row in rows)
    for key in sorted(kinds, key=lambda k: (["supported", "contradicted", "not_found"].index(k[0]), k[1])):
        chosen = np.array([(row["label"], row["kind"]) == key for row in rows])
        cells = "".join(f" {(scores[n][chosen] >= (0.6 if n == 'overlap' else 0.5)).mean():>14.2f}" for n in models)
        print(f"{key[0]:<14}{key[1]:<26}{kinds[key]:>4}{cells}")
    for name in models:
        threshold = 0.6 if name == "overlap" else 0.5
        print(
            f"{name}: AUC {auc(scores[name], labels):.3f}, balanced accuracy {balanced(scores[name], labels, threshold):.1f}"
        )


def speed(judge: LearnedJudge, shared: Path) -> None:
    path = shared / "data" / "verify" / "fever_symmetric.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()][:400]
    pairs = [Pair(row["evidence"], row["sentence"]) for row in rows]
    judge.judge(pairs[:20])
    wall, cpu = time.perf_counter(), time.process_time()
    judge.judge(pairs)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    print(
        f"\nspeed, one thread: {len(pairs) / wall:.0f} pairs/s by the clock, {len(pairs) / cpu:.0f} a second of processor time"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--shared", type=Path, required=True)
    parser.add_argument("--also", action="append", default=[], help="NAME=DIR of a two-way model to set beside it")
    parser.add_argument("--limit", type=int, default=1_000_000, help="rows of a set")
    parser.add_argument("--only", choices=("typed", "human", "speed"), default=None)
    arguments = parser.parse_args()
    judge = LearnedJudge(arguments.model)
    models: dict[str, Score] = {"model": lambda pairs: np.array([p.supported for p in judge.judge(pairs)])}
    for item in arguments.also:
        name, _, folder = item.partition("=")
        models[name] = two_way(Path(folder))
    models["overlap"] = overlap
    if arguments.only in (None, "typed"):
        typed_lies(arguments.shared, models)
    if arguments.only in (None, "human"):
        human_sets(arguments.shared, models, arguments.limit)
    if arguments.only in (None, "speed"):
        speed(judge, arguments.shared)


if __name__ == "__main__":
    main()
