"""Fits the few weights of ``aipk_core/verify/scoring_weights.py`` on labelled pairs and writes the file.

    python -m bench.fit_scoring [--shared FOLDER] [--leave-out SET …] [--human 120] [--dry-run]

Typed lies (the sets of this repository and, where it is, ``typed-lies-dev`` of the shared data) set the weights for short claims,
with a sample of the human-labelled sets beside them; human-labelled rows alone set those for passages. Of the human-labelled rows
only the calibration part is used: a twentieth of the training split that the learned judge was not trained on. Rows that a rule
contradicts take no part: for them the score decides nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import random
from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from aipk_core.errors import AipkError
from aipk_core.verify.alignment import align
from aipk_core.verify.analysis import analyse
from aipk_core.verify.claim_index import ClaimIndex
from aipk_core.verify.decision import _complementary, _read
from aipk_core.verify.judges import Judge, Pair, reads
from aipk_core.verify.meaning import bundled_word_vectors
from aipk_core.verify.model import VerifiableClaim
from aipk_core.verify.passages import passages_of
from aipk_core.verify.scoring import Evidence, judge_features
from bench.train.human_pairs import held_out, read_rows

HERE = Path(__file__).resolve().parent
TARGET = HERE.parent / "aipk_core" / "verify" / "scoring_weights.py"
HUMAN = (
    "fever_symmetric", "fool_me_twice", "scifact", "breaking_nli", "negation_nli", "citation_integrity", "begin", "q_squared",
    "summedits", "factcheck_gpt", "faithdial_audit",
)  # fmt: skip
PASSAGES = 5
RIDGE = 0.02
SIGNS = (1, 1, 1, 1, -1, 1, 1, -1, -1, 1, -1, -1, 1, -1)
"""The way each feature must pull: a weight that the data would turn round is left out, which keeps it from fitting noise."""
CAUTION = 1.0
"""Weight of the unsupported rows: below 1 the threshold moves towards accepting."""
TYPED_SHARE = 3.0
"""Weight of a set of typed lies; a human-labelled set has 1."""
OTHER_LANGUAGE_WEIGHT = 12.0
"""Weight of all rows in other languages together, beside the sets of English ones."""
Row = dict[str, Any]


@dataclass(frozen=True)
class Example:
    """A row whose verdict the score decides."""

    evidence: Evidence
    plain: tuple[float, ...]
    judged: tuple[float, ...]
    supported: bool
    set: str


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", default=os.environ.get("AIPK_SHARED") or str(HERE.parent.parent / "shared"))
    parser.add_argument("--human", type=int, default=120, help="rows of each human-labelled set")
    parser.add_argument("--leave-out", nargs="*", default=[], help="sets of typed lies that are kept for a test")
    parser.add_argument("--caution", type=float, default=CAUTION)
    parser.add_argument("--typed-share", type=float, default=TYPED_SHARE)
    parser.add_argument("--dry-run", action="store_true", help="print only")
    options = parser.parse_args()
    shared = Path(options.shared)
    paths = [*sorted((HERE / "verify_sets").glob("*.jsonl")), shared / "data" / "verify" / "typed-lies-dev.jsonl"]
    typed = {path.stem: _rows(path) for path in paths if path.is_file() and path.stem not in options.leave_out}
    judge = _judge()
    examples = [example for name, rows in typed.items() for row in rows if (example := _example(name, row, judge))]
    examples += [example for row in _human(shared, options.human) if (example := _example(row["set"], row, judge))]
    weights: dict[tuple[str, bool], list[float]] = {}
    for evidence in Evidence:
        chosen = [example for example in examples if example.evidence is evidence]
        if evidence is Evidence.OTHER_LANGUAGE:
            # a few dozen rows alone would fit noise: English ones say what the features mean, these how much
            chosen += [example for example in examples if example.evidence is Evidence.CLAIMS and example.set in typed]
        share = [_weight(example, chosen, typed, options) for example in chosen]
        target = np.asarray([example.supported for example in chosen], dtype=float)
        for judged in (False, True):
            ask = judged and evidence is not Evidence.OTHER_LANGUAGE
            rows = np.asarray(
                [example.judged if ask else (*example.plain, *(0.0, 0.0)[: 2 * judged]) for example in chosen]
            )
            weights[evidence.value, judged] = fit(rows, target, np.asarray(share))
            values = [round(value, 2) for value in weights[evidence.value, judged]]
            print(f"{evidence.value}, {'with' if judged else 'without'} judge, {len(chosen)} rows: {values}")
    if not options.dry_run:
        write(weights)


def _weight(example: Example, group: Sequence[Example], typed: Container[str], options: argparse.Namespace) -> float:
    """Every set counts alike, and in a set the supported and the other rows; sets of typed lies count more."""
    if example.evidence is Evidence.OTHER_LANGUAGE:
        return OTHER_LANGUAGE_WEIGHT / sum(
            other.evidence is example.evidence and other.supported == example.supported for other in group
        )
    same = sum(other.set == example.set and other.supported == example.supported for other in group)
    share = options.typed_share if example.set in typed else 1.0
    rows = sum(other.set == example.set for other in group)
    # a set with a handful of rows of one kind of evidence must not shout
    share *= min(1.0, rows / 40)
    return float(share * (1.0 if example.supported else options.caution) / same)


def _example(name: str, row: Row, judge: Judge | None) -> Example | None:
    """Features of the reading that decides, without and with the judge's; ``None`` when a rule decides."""
    lang = row.get("lang", "en")
    if row["kind"] == "cross-lingual":
        return None
    texts = [row["evidence"]] if isinstance(row["evidence"], str) else row["evidence"]
    passages = passages_of([VerifiableClaim(f"e{i}", text, lang=lang) for i, text in enumerate(texts)])
    kind = Evidence.PASSAGES if len(passages) > len(texts) else Evidence.CLAIMS
    if lang != "en":
        kind = Evidence.OTHER_LANGUAGE
    index = ClaimIndex([passage.piece for passage in passages])
    statement = analyse(row["sentence"], lang)
    numbers = list(range(len(passages)))
    if len(numbers) > PASSAGES:
        numbers = sorted(number for number, _ in index.find(statement, PASSAGES)) or [0]
    claims = [(number, index.analysis(number)) for number in numbers]
    chosen = tuple(sorted(_complementary([align(statement, [analysis]) for _, analysis in claims])))
    reading = _read(statement, claims, chosen, None, bundled_word_vectors(), kind, parse=True)
    if reading.judgement.contradicted or reading.lacks_a_value:
        return None
    vector = reading.features.vector()
    judged = (*vector, 0.0, 0.0)
    if judge is not None and reads(judge, statement.lang):
        read = texts if kind is Evidence.PASSAGES else [index.claims[number].text for number in numbers]
        pair = Pair("\n".join(read), row["sentence"])
        judged = (*vector, *judge_features(judge.judge([pair])[0]))
    return Example(kind, vector, judged, row["label"] == "supported", name)


def fit(rows: np.ndarray, target: np.ndarray, weight: np.ndarray) -> list[float]:
    """Logistic regression by gradient descent on standardised columns, given back for the raw ones; bias last."""
    mean, scale = rows.mean(axis=0), rows.std(axis=0) + 1e-6
    columns = np.c_[(rows - mean) / scale, np.ones(len(rows))]
    beta = np.zeros(columns.shape[1])
    balance = weight / weight.sum()
    signs = np.asarray(SIGNS[: rows.shape[1]])
    for _ in range(4000):
        error = balance * (1 / (1 + np.exp(-columns @ beta)) - target)
        beta -= 0.5 * (columns.T @ error + RIDGE * np.r_[beta[:-1], 0.0])
        beta[:-1] = np.where(beta[:-1] * signs < 0, 0.0, beta[:-1])
    raw = beta[:-1] / scale
    return [float(value) for value in (*raw, beta[-1] - raw @ mean)]


def write(weights: dict[tuple[str, bool], list[float]]) -> None:
    text = TARGET.read_text("utf-8")
    lines = [
        f'    ("{kind}", {judged}): ({", ".join(f"{v:.4f}" for v in values)}),'
        for (kind, judged), values in weights.items()
    ]
    head = text[: text.index("{\n") + 2]
    TARGET.write_text(head + "\n".join(lines) + "\n}\n", "utf-8")


def _human(shared: Path, count: int) -> list[Row]:
    """Rows of the training split that the learned judge was calibrated with, but not trained on."""
    pairs = shared / "training" / "pairs.jsonl.gz"
    if not pairs.is_file() or not count:
        return []
    rows = [row for row in read_rows(pairs, "train") if row["set"] in HUMAN and held_out(row["evidence"])]
    random.Random(3).shuffle(rows)
    taken: Counter[str] = Counter()
    chosen: list[Row] = []
    for row in rows:
        taken[row["set"]] += 1
        if taken[row["set"]] <= count:
            chosen.append(dict(row))
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
