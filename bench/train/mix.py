"""Mix the sources into one training file that one pass of a bounded run can get through.

    python -m bench.train.mix --human human.jsonl --made made.jsonl --out mix.jsonl

Small contrastive sets count several times, long rows are kept few: the cost of a row grows with its length.
"""

from __future__ import annotations

import argparse
import collections
import json
import random
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Plan:
    """How often a set counts, how many of its rows at most, how many edits; everything of the frames is taken."""

    times: dict[str, int]
    at_most: dict[str, int]
    edits: int


PLANS = {
    "first": Plan(
        {"fever_symmetric": 3, "q_squared": 3, "scifact": 2, "fool_me_twice": 2, "dialfact_small": 2},
        {"summedits": 1200, "factcheck_gpt": 500, "med": 1200, "faithdial_audit": 150},
        8000,
    ),
    # what the first part learned quickly (one-word swaps, dialogue) gives way to what it did not
    "second": Plan(
        {"fever_symmetric": 2, "q_squared": 2, "scifact": 2, "negation_nli": 2},
        {
            "summedits": 900,
            "factcheck_gpt": 400,
            "med": 600,
            "faithdial_audit": 0,
            "breaking_nli": 1200,
            "begin": 1600,
            "citation_integrity": 1800,
        },
        5000,
    ),
    # many more frames came; what is weak on texts of other authors counts double
    "third": Plan(
        {"fever_symmetric": 3, "fool_me_twice": 2, "q_squared": 3, "scifact": 2, "negation_nli": 2},
        {
            "summedits": 2000,
            "factcheck_gpt": 500,
            "med": 800,
            "faithdial_audit": 0,
            "breaking_nli": 1200,
            "begin": 1800,
        },
        7000,
    ),
    "fourth": Plan(
        {"fever_symmetric": 3, "fool_me_twice": 2, "q_squared": 3, "scifact": 2, "negation_nli": 2},
        {
            "summedits": 1500,
            "factcheck_gpt": 500,
            "med": 800,
            "faithdial_audit": 0,
            "breaking_nli": 1000,
            "begin": 1500,
        },
        4000,
    ),
}
LONGEST_EDIT = 60
"""Words of evidence and statement of a machine-made row."""


def mixed(
    human: list[dict[str, object]], made: list[dict[str, object]], plan: Plan, rng: random.Random
) -> list[dict[str, object]]:
    taken: collections.Counter[str] = collections.Counter()
    out: list[dict[str, object]] = []
    for row in human:
        name = str(row["set"])
        taken[name] += 1
        if taken[name] <= plan.at_most.get(name, len(human)):
            out += [row] * plan.times.get(name, 1)
    edits = [
        row
        for row in made
        if row["set"] != "frames" and len(f"{row['evidence']} {row['sentence']}".split()) <= LONGEST_EDIT
    ]
    rng.shuffle(edits)
    out += edits[: plan.edits] + [row for row in made if row["set"] == "frames"]
    rng.shuffle(out)
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--human", type=Path, required=True)
    parser.add_argument("--made", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--plan", choices=sorted(PLANS), default="first")
    parser.add_argument("--seed", type=int, default=23)
    arguments = parser.parse_args()
    human, made = (
        [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        for path in (arguments.human, arguments.made)
    )
    rows = mixed(human, made, PLANS[arguments.plan], random.Random(arguments.seed))
    arguments.out.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    print(len(rows), collections.Counter((row["set"], row["label"]) for row in rows))


if __name__ == "__main__":
    main()
