"""Fits the few weights of ``aipk_core/verify/scoring_weights.py`` on labelled pairs and writes the file.

    python bench/fit_scoring.py FILE.jsonl …      # rows {evidence: [text], sentence, label}; more than one file is pooled

Only rows that no rule contradicts take part: for the others the score decides nothing.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

from aipk_core.errors import AipkError
from aipk_core.verify.analysis import analyse
from aipk_core.verify.features import Features, features_of
from aipk_core.verify.judges import Pair
from aipk_core.verify.meaning import bundled_word_vectors
from aipk_core.verify.rules import judge_by_rules
from aipk_core.verify.scoring import judge_features

TARGET = Path(__file__).resolve().parent.parent / "aipk_core" / "verify" / "scoring_weights.py"
RIDGE = 0.02
SIGNS = (1, 1, 1, 1, -1, 1, 1, -1, -1, 1, -1, -1, 1, -1)
"""The way each feature must pull: a weight that the data would turn round is left out, which keeps it from fitting noise."""


def main(paths: list[str]) -> None:
    words = bundled_word_vectors()
    judge = bundled_or_none()
    plain, judged, labels, weights = [], [], [], []
    for path in paths:
        rows = [json.loads(line) for line in Path(path).read_text("utf-8").splitlines()]
        for row in rows:
            lang = row.get("lang", "en")
            statement = analyse(row["sentence"], lang)
            claims = [analyse(text, "en" if row["kind"] == "cross-lingual" else lang) for text in row["evidence"]]
            judgement = judge_by_rules(statement, claims)
            if judgement.contradicted:
                continue
            features: Features = features_of(judgement.alignment, judgement.findings, words)
            plain.append(features.vector())
            if judge is not None:
                opinion = judge.judge([Pair("\n".join(row["evidence"]), row["sentence"])])[0]
                judged.append((*features.vector(), *judge_features(opinion)))
            labels.append(row["label"] == "supported")
            weights.append(1.0)
    target = np.asarray(labels, dtype=float)
    without = fit(np.asarray(plain), target)
    with_judge = fit(np.asarray(judged), target) if judged else None
    write(without, with_judge)


def bundled_or_none():
    try:
        from aipk_core.verify.learned import LearnedJudge

        return LearnedJudge.bundled()
    except (AipkError, ImportError) as error:
        print(f"without the learned judge: {error}")
        return None


def fit(rows: np.ndarray, target: np.ndarray) -> list[float]:
    """Logistic regression by gradient descent on standardised columns, given back for the raw ones; bias last."""
    mean, scale = rows.mean(axis=0), rows.std(axis=0) + 1e-6
    columns = np.c_[(rows - mean) / scale, np.ones(len(rows))]
    beta = np.zeros(columns.shape[1])
    signs = np.asarray(SIGNS[: rows.shape[1]])
    balance = np.where(target == 1, 0.5 / target.mean(), 0.5 / (1 - target.mean()))
    for _ in range(4000):
        error = balance * (1 / (1 + np.exp(-columns @ beta)) - target)
        beta -= 0.5 * (columns.T @ error / len(target) + RIDGE * np.r_[beta[:-1], 0.0])
        beta[:-1] = np.where(beta[:-1] * signs < 0, 0.0, beta[:-1])
    raw = beta[:-1] / scale
    return [*raw, float(beta[-1] - raw @ mean)]


def write(without: list[float], with_judge: list[float] | None) -> None:
    def line(name: str, values: list[float]) -> str:
        return f"{name} = (" + ", ".join(f"{value:.4f}" for value in values) + ")\n"

    text = TARGET.read_text("utf-8")
    head = text[: text.index("WITHOUT_JUDGE")]
    old = text[text.index("WITH_JUDGE = ") :] if "WITH_JUDGE = " in text else ""
    TARGET.write_text(
        head + line("WITHOUT_JUDGE", without) + (line("WITH_JUDGE", with_judge) if with_judge else old), "utf-8"
    )


if __name__ == "__main__":
    main(sys.argv[1:])
