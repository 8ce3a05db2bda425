"""Fits the few weights of ``aipk_core/verify/scoring_weights.py`` on labelled pairs and writes the file.

    python bench/fit_scoring.py [--shared FOLDER] [--human 70] [--dry-run]

Typed lies (the sets of this repository and, where it is, ``typed-lies-dev`` of the shared data) count for eight ninths, and a sample
of the human-labelled sets for the rest: only rows whose evidence the learned judge was not trained on. Rows that a rule
contradicts take no part: for them the score decides nothing.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
from pathlib import Path
from typing import Any

import numpy as np

from aipk_core.errors import AipkError
from aipk_core.verify.alignment import align
from aipk_core.verify.analysis import analyse
from aipk_core.verify.claim_index import ClaimIndex
from aipk_core.verify.decision import _complementary, _read
from aipk_core.verify.judges import Judge, Pair
from aipk_core.verify.meaning import bundled_word_vectors
from aipk_core.verify.model import VerifiableClaim
from aipk_core.verify.passages import passages_of
from aipk_core.verify.scoring import judge_features

HERE = Path(__file__).resolve().parent
TARGET = HERE.parent / "aipk_core" / "verify" / "scoring_weights.py"
HUMAN = (
    "fever_symmetric",
    "scifact",
    "breaking_nli",
    "negation_nli",
    "citation_integrity",
    "begin",
    "q_squared",
    "summedits",
)
PASSAGES = 5
RIDGE = 0.02
SIGNS = (1, 1, 1, 1, -1, 1, 1, -1, -1, 1, -1, -1, 1, -1)
"""The way each feature must pull: a weight that the data would turn round is left out, which keeps it from fitting noise."""
CAUTION = 0.8
"""Weight of the unsupported rows: below 1 the threshold moves towards accepting."""
Row = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", default=os.environ.get("AIPK_SHARED") or str(HERE.parent.parent / "shared"))
    parser.add_argument("--human", type=int, default=70, help="rows of each human-labelled set")
    parser.add_argument("--dry-run", action="store_true", help="print only")
    options = parser.parse_args()
    shared = Path(options.shared)
    typed = [row for path in sorted((HERE / "verify_sets").glob("*.jsonl")) for row in _rows(path)]
    if (dev := shared / "data" / "verify" / "typed-lies-dev.jsonl").is_file():
        typed += _rows(dev)
    human = _human(shared, options.human)
    judge = _judge()
    plain, judged, labels, weights = [], [], [], []
    for rows, share in ((typed, 8.0), (human, 1.0)):
        for row in rows:
            example = _example(row, judge)
            if example is not None:
                plain.append(example[0])
                judged.append(example[1])
                labels.append(row["label"] == "supported")
                weights.append(share / len(rows))
    target, weight = np.asarray(labels, dtype=float), np.asarray(weights) * len(weights)
    without = fit(np.asarray(plain), target, weight)
    with_judge = fit(np.asarray(judged), target, weight) if judge is not None else None
    print("without judge", [round(value, 2) for value in without])
    print("with judge", with_judge and [round(value, 2) for value in with_judge])
    if not options.dry_run:
        write(without, with_judge)


def _example(row: Row, judge: Judge | None) -> tuple[tuple[float, ...], tuple[float, ...]] | None:
    """Features of the reading that decides, without and with the judge's; ``None`` when a rule decides."""
    lang = row.get("lang", "en")
    evidence = [row["evidence"]] if isinstance(row["evidence"], str) else row["evidence"]
    own = "en" if row["kind"] == "cross-lingual" else lang
    passages = passages_of([VerifiableClaim(f"e{i}", text, lang=own) for i, text in enumerate(evidence)])
    index = ClaimIndex([passage.piece for passage in passages])
    statement = analyse(row["sentence"], lang)
    numbers = list(range(len(passages)))
    if len(numbers) > PASSAGES:
        numbers = sorted(number for number, _ in index.find(statement, PASSAGES)) or [0]
    claims = [(number, index.analysis(number)) for number in numbers]
    chosen = tuple(sorted(_complementary([align(statement, [analysis]) for _, analysis in claims])))
    reading = _read(statement, claims, chosen, None, bundled_word_vectors(), parse=True)
    if reading.judgement.contradicted or reading.lacks_a_value:
        return None
    vector = reading.features.vector()
    if judge is None:
        return vector, vector
    pair = Pair("\n".join(index.claims[number].text for number in numbers), row["sentence"])
    return vector, (*vector, *judge_features(judge.judge([pair])[0]))


def fit(rows: np.ndarray, target: np.ndarray, weight: np.ndarray) -> list[float]:
    """Logistic regression by gradient descent on standardised columns, given back for the raw ones; bias last."""
    mean, scale = rows.mean(axis=0), rows.std(axis=0) + 1e-6
    columns = np.c_[(rows - mean) / scale, np.ones(len(rows))]
    beta = np.zeros(columns.shape[1])
    positive = float((weight * target).sum() / weight.sum())
    balance = weight * np.where(target == 1, 0.5 / positive, CAUTION * 0.5 / (1 - positive))
    signs = np.asarray(SIGNS[: rows.shape[1]])
    for _ in range(4000):
        error = balance * (1 / (1 + np.exp(-columns @ beta)) - target)
        beta -= 0.5 * (columns.T @ error / weight.sum() + RIDGE * np.r_[beta[:-1], 0.0])
        beta[:-1] = np.where(beta[:-1] * signs < 0, 0.0, beta[:-1])
    raw = beta[:-1] / scale
    return [float(value) for value in (*raw, beta[-1] - raw @ mean)]


def write(without: list[float], with_judge: list[float] | None) -> None:
    def line(name: str, values: list[float]) -> str:
        return f"{name} = (" + ", ".join(f"{value:.4f}" for value in values) + ")\n"

    text = TARGET.read_text("utf-8")
    old = text[text.index("WITH_JUDGE = ") :]
    TARGET.write_text(
        text[: text.index("WITHOUT_JUDGE")]
        + line("WITHOUT_JUDGE", without)
        + (line("WITH_JUDGE", with_judge) if with_judge else old),
        "utf-8",
    )


def _human(shared: Path, count: int) -> list[Row]:
    pairs = shared / "training" / "pairs.jsonl.gz"
    if not pairs.is_file() or not count:
        return []
    with gzip.open(pairs, "rt", encoding="utf-8") as lines:
        clean = {row["evidence"] for line in lines if (row := json.loads(line))["split"] == "test"}
    chosen: list[Row] = []
    for name in HUMAN:
        rows = _rows(shared / "data" / "verify" / f"{name}.jsonl")
        rows = [row for row in rows if row["evidence"] in clean or " ".join(row["evidence"].split()[:400]) in clean]
        random.Random(3).shuffle(rows)
        chosen += rows[:count]
    return chosen


def _judge() -> Judge | None:
    try:
        from aipk_core.verify.learned import bundled_judge

        return bundled_judge()
    except AipkError as error:
        print(f"without the learned judge: {error}")
        return None


def _rows(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


if __name__ == "__main__":
    main()
