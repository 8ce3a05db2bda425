"""How fast the verifier is, each figure with its bar beside it.

    python bench/verify_speed.py [--only NAME …] [--answers N] [--shared FOLDER]

Claims are sentences of the Kubernetes documentation (as readers see it, with their headings as context); without the shared
data, those of ``claims_sample.jsonl`` with other numbers. Answers have five sentences, made from claims by machine: reworded,
with clauses moved, dropped or joined, with a changed number, name or "not", or invented. None is a verbatim copy, which takes
a short cut; the "mixed" rows have 30 % verbatim sentences, as an answer made of claims has. No answer is judged twice.

Rates and bars are by processor time, which is the clock of one idle core; what else the machine does changes it little, and
the clock much, so times of whole answers are given both ways. "Cold" rows start a process for each answer.
"""

from __future__ import annotations

import argparse
import gc
import gzip
import json
import os
import random
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from aipk_core.answer.judging import judge_over
from aipk_core.answer.knowledge import Knowledge
from aipk_core.answer.package_embedder import embedder_for
from aipk_core.chunks import Chunk
from aipk_core.claims.model import Claim, Evidence, Status
from aipk_core.documents.builder import DocumentBuilder
from aipk_core.embedding import EmbeddingSettings, open_embedder
from aipk_core.package import PackageContents, open_package, write_package
from aipk_core.retrieval import PackageRetriever
from aipk_core.text.sentences import split_sentences
from aipk_core.verify import Pair, VerifiableClaim, Verifier

HERE = Path(__file__).resolve().parent
SNAPSHOTS = ("rendered-blocks-02ab95c970.jsonl.gz", "rendered-blocks-8b8f5d5669.jsonl.gz")
SENTENCES = 5
FEW, MANY = 1_500, 100_000
console = Console()
Row = tuple[str, str, str, bool | None]


def main() -> None:
    options = _options()
    sections: dict[str, Callable[[list[VerifiableClaim], int], Iterator[Row]]] = {
        "rules": rules, "parse": parse, "model": model, "many": many, "cold": cold, "server": server,
    }  # fmt: skip
    shared = Path(options.shared or os.environ.get("AIPK_SHARED") or HERE.parent.parent / "shared")
    claims = claims_of(shared, MANY if not options.only or "many" in options.only else FEW)
    table = Table(title=f"speed of the verifier, one core, {len(claims):,} claims at hand")
    for column in ("what", "bar", "measured", ""):
        table.add_column(column, justify="left" if column == "what" else "right")
    for name, section in sections.items():
        if not options.only or name in options.only:
            for what, bar, measured, passed in section(claims, options.answers):
                mark = "" if passed is None else "[green]yes[/]" if passed else "[red]no[/]"
                table.add_row(what, bar, measured, mark)
                console.print(f"  {what}: {measured}", highlight=False)
    console.print(table)


def rules(claims: list[VerifiableClaim], answers: int) -> Iterator[Row]:
    """Rules without a parse, with the dictionary alone and with word vectors."""
    few = claims[:FEW]
    verifier = Verifier(few, judges=[], parse=False, meaning="none")
    yield _rate("rules without a parse", verifier, reworded(few, answers), 2000)
    yield _rate("rules without a parse, mixed answers", verifier, reworded(few, answers, 0.3, 2), 2000)
    verifier = Verifier(few, judges=[], parse=False)
    yield _rate("rules without a parse, word vectors", verifier, reworded(few, answers // 4, seed=3), None)


def parse(claims: list[VerifiableClaim], answers: int) -> Iterator[Row]:
    few = claims[:FEW]
    verifier = Verifier(few, judges=[], meaning="none")
    yield _rate("rules, parse", verifier, reworded(few, answers // 2, seed=4), 300)
    verifier = Verifier(few, judges=[])
    yield _rate("rules, parse, word vectors", verifier, reworded(few, answers // 4, seed=5), 300)
    yield _rate("rules, parse, word vectors, mixed answers", verifier, reworded(few, answers // 4, 0.3, 6), 300)


def model(claims: list[VerifiableClaim], answers: int) -> Iterator[Row]:
    """The learned judge alone, by pairs, and within everything, by units."""
    from aipk_core.verify.learned import bundled_judge

    few = claims[:FEW]
    judge = bundled_judge()
    pairs = [Pair(claim.text, other.text) for claim, other in zip(few[:300], few[300:600], strict=False)]
    judge.judge(pairs[:20])
    start = time.process_time()
    for at in range(20, len(pairs), SENTENCES):
        judge.judge(pairs[at : at + SENTENCES])
    yield _row(
        "the learned model alone, five pairs a time", (len(pairs) - 20) / (time.process_time() - start), 60, "pairs/s"
    )
    verifier = Verifier(few)
    yield _rate("everything", verifier, reworded(few, answers // 8, seed=7), None)
    yield _rate("everything, mixed answers", verifier, reworded(few, answers // 8, 0.3, 8), None)


def many(claims: list[VerifiableClaim], answers: int) -> Iterator[Row]:
    """100,000 claims: how long the index takes to build, what it holds, and how fast units are judged with it."""
    gc.collect()
    before, start = _memory(), time.process_time()
    verifier = Verifier(claims, judges=[], meaning="none", parse=False)
    yield f"index of {len(claims):,} claims built", "", f"{time.process_time() - start:.1f} s", None
    yield _rate(f"rules without a parse, {len(claims):,} claims", verifier, reworded(claims, answers // 2, seed=9), 100)
    yield "memory for it", "", f"{_memory() - before:,.0f} MB", None
    yield _rate(
        f"rules, parse, word vectors, {len(claims):,} claims",
        Verifier(claims[: len(claims)], judges=[]), reworded(claims, answers // 8, seed=10), 100,
    )  # fmt: skip


def cold(claims: list[VerifiableClaim], answers: int) -> Iterator[Row]:
    """``aipk verify``, process start included, over a package that is read whole and one that is searched."""
    for size in (900, FEW):
        with _package(claims[:size]) as path:
            times = []
            for text in reworded(claims[:size], 4, seed=11):
                start, used = time.perf_counter(), _children()
                command = [sys.executable, "-m", "aipk_core.cli", "verify", str(path), text, "--json"]
                command += ["--cache-dir", str(path.parent / "cache")]
                done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
                times.append((_children() - used, time.perf_counter() - start))
                if done.returncode > 1:
                    raise SystemExit(done.stderr)
            used, clock = (statistics.median(values) for values in zip(*times[1:], strict=True))
            shown = f"{used:.1f} s (clock {clock:.1f} s, unpacking {times[0][0]:.1f} s)"
            yield f"cold start, {SENTENCES} sentences, {size:,} claims", "≤ 4 s", shown, used <= 4


def server(claims: list[VerifiableClaim], answers: int) -> Iterator[Row]:
    """The judge that the server keeps, for answers that it has not seen."""
    for size in (900, FEW):
        with _package(claims[:size]) as path, open_package(path, path.parent / "cache") as package:
            embedder = embedder_for([package])
            retriever = PackageRetriever([package], embedder)
            judge = judge_over(Knowledge.behind(retriever), retriever, embedder)
            start = time.process_time()
            judge.verify(reworded(claims[:size], 1, seed=12)[0])
            yield f"server, first answer, {size:,} claims", "", f"{1000 * (time.process_time() - start):.0f} ms", None
            for name, verbatim in (("", 0.0), (", mixed", 0.3), (", made of claims", 1.0)):
                times = []
                for number, text in enumerate(reworded(claims[:size], answers // 8 + 5, verbatim, 13)):
                    start, clock = time.process_time(), time.perf_counter()
                    judge.verify(text)
                    if number >= 5:  # the first ones warm what is made once
                        times.append((1000 * (time.process_time() - start), 1000 * (time.perf_counter() - clock)))
                used, shown = (statistics.median(values) for values in zip(*times, strict=True))
                what = f"server, {SENTENCES} sentences{name}, {size:,} claims"
                yield what, "≤ 50 ms", f"{used:.0f} ms (clock {shown:.0f} ms)", used <= 50


def _rate(what: str, verifier: Verifier, answers: Sequence[str], bar: int | None) -> Row:
    """Units a second, after a few answers have warmed what is made once."""
    warm = max(1, len(answers) // 5)
    for answer in answers[:warm]:
        verifier.verify(answer)
    units, start = 0, time.process_time()
    for answer in answers[warm:]:
        units += len(verifier.verify(answer).factual_units)
    return _row(what, units / (time.process_time() - start), bar, "units/s")


def _row(what: str, value: float, bar: int | None, unit: str) -> Row:
    return what, f"≥ {bar:,} {unit}" if bar else "", f"{value:,.0f} {unit}", None if bar is None else value >= bar


# ---- claims and answers


def claims_of(shared: Path, count: int) -> list[VerifiableClaim]:
    """So many different claims in an order that is always the same."""
    found: dict[str, tuple[str, ...]] = {}
    for name in SNAPSHOTS:
        path = shared / "data" / "kubernetes" / name
        if path.is_file() and len(found) < count:
            found |= dict(_sentences(path))
    if not found:
        console.print("[yellow]the Kubernetes documentation is not here (set AIPK_SHARED): claims of the sample[/]")
        rows = [json.loads(line) for line in (HERE / "claims_sample.jsonl").read_text("utf-8").splitlines()]
        found = {row["text"]: tuple(row["context"]) for row in rows if "text" in row}
    texts = sorted(found)
    chance = random.Random(1)
    chance.shuffle(texts)
    claims = [VerifiableClaim(f"c-{n:06}", text, found[text]) for n, text in enumerate(texts[:count])]
    while len(claims) < count:  # more of the like: the same sentences with other numbers and of other things
        text = _other(texts[len(claims) % len(texts)], chance)
        context = found[texts[len(claims) % len(texts)]]
        claims.append(VerifiableClaim(f"c-{len(claims):06}", text, context))
    return claims


def _sentences(path: Path) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Sentences of paragraphs, list items and cells with the headings above them."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            headings: list[str] = []
            for kind, text in json.loads(line)["blocks"]:
                if kind[0] == "h" and kind[1:].isdigit():
                    headings = [*headings[: int(kind[1]) - 1], text]
                elif kind in ("p", "li", "td", "dd"):
                    for span in split_sentences(text):
                        sentence = text[span.start : span.end]
                        if 5 <= len(sentence.split()) <= 60:
                            yield sentence, tuple(headings)


_SYNONYMS = {
    "use": "employ", "uses": "employs", "used": "employed", "create": "make", "creates": "makes", "created": "made",
    "must": "has to", "need": "require", "needs": "requires", "start": "begin", "starts": "begins", "run": "operate",
    "runs": "operates", "show": "display", "shows": "displays", "delete": "remove", "deletes": "removes",
    "get": "obtain", "choose": "select", "ensure": "make sure", "allows": "lets", "allow": "let", "specify": "state",
    "specifies": "states", "example": "instance", "multiple": "several", "different": "distinct", "because": "since",
    "when": "whenever", "request": "demand", "requests": "demands", "value": "setting", "values": "settings",
    "provides": "gives", "provide": "give", "contains": "holds", "contain": "hold", "default": "usual",
}  # fmt: skip
_INVENTED = (
    "The harbour office keeps a paper copy of every {} for nine years.",
    "A {} is painted green before it leaves the workshop.",
    "Every second Tuesday the {} is checked by two people from the night shift.",
    "Visitors may not photograph the {} without written consent.",
)
_NAMES = ("Pod", "node", "cluster", "Service", "container", "volume", "Secret", "kubelet", "scheduler", "namespace")


def reworded(claims: Sequence[VerifiableClaim], answers: int, verbatim: float = 0.0, seed: int = 1) -> list[str]:
    """So many answers of five sentences; every second sentence cites the claim that it was made from."""
    chance = random.Random(seed)
    made = []
    for _ in range(answers):
        sentences = []
        for place in range(SENTENCES):
            claim = chance.choice(claims)
            text = claim.text if chance.random() < verbatim else _edited(claim, claims, chance)
            text = " ".join(text.split())
            text = text if text.endswith((".", "!", "?")) else text + "."
            sentences.append(f"{text} [{claim.id}]" if place % 2 == 0 else text)
        made.append("\n".join(sentences))
    return made


def _edited(claim: VerifiableClaim, claims: Sequence[VerifiableClaim], chance: random.Random) -> str:
    text = claim.text
    kind = chance.randrange(10)
    if kind == 0:
        return chance.choice(_INVENTED).format(chance.choice(_NAMES))
    if kind == 1:
        second = chance.choice(claims).text
        return f"{text.rstrip('.')} and {second[:1].lower()}{second[1:]}"
    if kind == 2:
        return _other(text, chance)
    if kind == 3:
        verb = re.search(r"\b(?:is|are|can|must|should|will|may|does|has)\b", text)
        if verb:
            return f"{text[: verb.end()]} not{text[verb.end() :]}"
    if kind == 4 and "," in text:
        return text[: text.rindex(",")] + "."
    if kind == 5 and ", " in text:
        first, rest = text.split(", ", 1)
        return f"{rest[:1].upper()}{rest[1:].rstrip('.')}, {first[:1].lower()}{first[1:]}."
    if kind == 6:
        return f"{text.rstrip('.')}, which the operators confirm every spring."
    words = [_synonym(word) for word in text.split()]
    changed = " ".join(words)
    return changed if changed != text else f"It is known that {text[:1].lower()}{text[1:]}"


def _synonym(word: str) -> str:
    core = word.strip(".,;:()")
    other = _SYNONYMS.get(core.lower())
    return word.replace(core, other if core.islower() else other.capitalize()) if other and core else word


def _other(text: str, chance: random.Random) -> str:
    """The same sentence with another number and another name."""
    changed = re.sub(r"(?<![\w.-])\d{1,4}(?![\w.-])", lambda match: str(int(match[0]) + chance.randint(1, 40)), text)
    for name in _NAMES:
        if re.search(rf"\b{name}s?\b", changed):
            return re.sub(rf"\b{name}(?=s?\b)", chance.choice([n for n in _NAMES if n != name]), changed, count=2)
    return f"{changed.rstrip('.')} in release 1.{chance.randint(2, 40)}."


@contextmanager
def _package(claims: Sequence[VerifiableClaim]) -> Iterator[Path]:
    """A package of these claims in a temporary folder; the vectors are random, which costs a search the same."""
    embedder = open_embedder(EmbeddingSettings())
    builder = DocumentBuilder("page.txt")
    indices = [builder.add("p", claim.text) for claim in claims]
    document = builder.build(title="Page")
    kept, chunks = [], []
    for claim, index in zip(claims, indices, strict=True):
        if index is not None:
            block = document.blocks[index]
            quote = document.quote(block)
            evidence = (Evidence(document.id, block.start, block.end, quote),)
            kept.append(Claim(claim.id, quote, claim.context, evidence, Status.CANONICAL))
            chunks.append(Chunk(f"k{claim.id}", document.id, block.start, block.end, quote, (), (document.title,)))
    vectors = np.random.default_rng(1).normal(size=(len(kept), embedder.identity.dimensions)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    contents = PackageContents(
        name="speed", version="1", embedder=embedder.identity, documents=[document], chunks=chunks,
        chunk_vectors=vectors, claims=kept, claim_vectors=vectors,
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        yield write_package(Path(folder) / "speed.aipk", contents).path


def _children() -> float:
    """Processor seconds of the processes that were started and ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _memory() -> float:
    """Megabytes that this process has held at most."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", default=[], help="sections: rules, parse, model, many, cold, server")
    parser.add_argument("--answers", type=int, default=400, help="answers for the fastest rows; the others take fewer")
    parser.add_argument("--shared", default="", help="folder of the shared data")
    return parser.parse_args()


if __name__ == "__main__":
    main()
