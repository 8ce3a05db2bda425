"""The figures for claims, as one report.

    python bench/claims.py [--shared FOLDER] [--only SECTION] [--labels-out FILE]

Sections: larkfield (recall against gold claims, claims that their evidence does not entail), kubernetes (exact spans,
fragments and boilerplate in a labelled sample, speed), conflicts (pairs among the claims of the same pages), scripted
(a server that misbehaves in every way), model (SmolLM2-135M on loopback: no bad claim may pass the birth checks). Data
comes from ``$AIPK_SHARED`` or the folder ``shared`` beside the repository; a section without its data says so.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tarfile
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aipk_core.claims.conflicts import find_conflicts
from aipk_core.claims.engine import ClaimEngine, Draft
from aipk_core.claims.extractive import ExtractiveEngine, Unit
from aipk_core.claims.llm import LLMEngine, LLMSettings
from aipk_core.claims.llm_model import LiteLLMModel, ModelSettings
from aipk_core.claims.model import Claim
from aipk_core.claims.pairs import PairKind
from aipk_core.documents.ingest import ingest
from aipk_core.documents.model import Document
from aipk_core.documents.sources import FilesSource
from aipk_core.documents.sources.files import open_folder
from aipk_core.documents.worker_pool import useful_workers
from aipk_core.embedding import open_embedder
from aipk_core.embedding.settings import EmbeddingSettings

BENCH = Path(__file__).resolve().parent
LARKFIELD = BENCH.parent / "corpora" / "larkfield"
SAMPLE = BENCH / "claims_sample.jsonl"
MODEL_LABELS = BENCH / "claims_model_labels.jsonl"
SNAPSHOT = "k8s-docs-2026-04-22-02ab95c970.tar.gz"
CONCEPTS = "/content/en/docs/concepts/"


@dataclass(frozen=True, slots=True)
class Setting:
    """Where the data lies, and where to write unlabelled output of the model, if anywhere."""

    shared: Path
    labels_out: Path | None


@dataclass(frozen=True, slots=True)
class Found:
    """A draft with its document and the place of its piece of work."""

    draft: Draft
    document: Document
    start: int

    @property
    def quotes(self) -> list[str]:
        return [self.document.quote(span.shifted(self.start)) for span in self.draft.spans]

    @property
    def passes(self) -> bool:
        return all(check.passed for check in self.draft.checks)

    @property
    def full_text(self) -> str:
        return " > ".join((*self.draft.context, self.draft.text))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = Path(os.environ.get("AIPK_SHARED") or BENCH.parent.parent / "shared")
    parser.add_argument("--shared", type=Path, default=default)
    parser.add_argument("--only", choices=sorted(SECTIONS), action="append")
    parser.add_argument("--labels-out", type=Path, help="write the model's claims here, to be labelled by reading")
    arguments = parser.parse_args()
    setting = Setting(arguments.shared / "data", arguments.labels_out)
    for name, section in SECTIONS.items():
        if not arguments.only or name in arguments.only:
            print(f"== {name}", flush=True)
            section(setting)
            print(flush=True)


def report_larkfield(setting: Setting) -> None:
    """Recall against the gold claims; and each claim that passes its checks must be one that the gold file knows."""
    gold = [json.loads(line) for line in (LARKFIELD / "claims.gold.jsonl").read_text(encoding="utf-8").splitlines()]
    found = list(extracted(ExtractiveEngine(), larkfield()))
    for name, some in (("extracted", found), ("of them with all birth checks passed", [f for f in found if f.passes])):
        recalled = [entry for entry in gold if any(states(claim, entry) for claim in some)]
        print(f"{name}: {len(some)} claims, recall {len(recalled) / len(gold):.1%} of {len(gold)} gold claims")
        for entry in gold:
            if entry not in recalled:
                print(f"  not found: {entry['claim']}")
    strange = [f for f in found if f.passes and not any(states(f, entry) for entry in gold)]
    wrong = [f for f in found if f.passes and not entailed(f)]
    print(
        f"claims that their evidence does not entail: {len(wrong)}; claims that the gold file does not know: {len(strange)}"
    )
    for claim in [*wrong, *strange]:
        print(f"  {claim.full_text}")


def states(claim: Found, entry: dict[str, Any]) -> bool:
    """Whether a claim quotes the gold claim's source words and carries what they need to be understood."""
    if claim.document.id != entry["document"] or not any(
        entry["quote"] in " ".join(quote.split()) for quote in claim.quotes
    ):
        return False
    return all(need in claim.full_text for need in entry["needs"])


def entailed(claim: Found) -> bool:
    """Whether text and context are words of the document, the context in front of the text or in its table row."""
    text = " ".join(claim.document.text.split())
    parts = [part.removesuffix(" …") for part in claim.draft.context]
    return claim.draft.text in claim.quotes and all(part in text or part == claim.document.title for part in parts)


def report_kubernetes(setting: Setting) -> None:
    """Exact spans, the labelled sample, and speed, on the concepts pages."""
    documents = concepts(setting)
    if not documents:
        return
    engine = ExtractiveEngine()
    begin = time.perf_counter()
    found = list(extracted(engine, documents))
    seconds = time.perf_counter() - begin
    exact = sum(claim.draft.text in claim.quotes for claim in found)
    distinct = {claim.draft.id: claim for claim in found}
    kinds = Counter(claim.draft.kind for claim in distinct.values())
    print(
        f"{len(documents)} pages, {len(found):,} claims ({len(distinct):,} different: "
        f"{', '.join(f'{count:,} {kind}s' for kind, count in sorted(kinds.items()))}), {len(found) / seconds:,.0f} claims/s"
    )
    print(f"exact spans: {exact / len(found):.2%}")
    failed = Counter(c.name for claim in distinct.values() for c in claim.draft.checks if not c.passed)
    print(f"failed birth checks: {dict(failed)}; left out: {engine.figures()}")
    about, *labelled = [json.loads(line) for line in SAMPLE.read_text(encoding="utf-8").splitlines()]
    assert "CC BY 4.0" in about["about"]
    total = len(labelled)
    bad = [entry for entry in labelled if entry["fragment"] or entry["boilerplate"]]
    still = [entry for entry in labelled if entry["id"] in distinct]
    still_bad = [entry for entry in still if entry["fragment"] or entry["boilerplate"]]
    promoted = [entry for entry in still if distinct[entry["id"]].passes]
    print(
        f"labelled sample as drawn: {len(bad)} of {total} fragments or boilerplate ({len(bad) / total:.1%}); "
        f"{sum(e['atomic'] for e in labelled) / total:.0%} atomic, {sum(e['stands_alone'] for e in labelled) / total:.0%} "
        "understood without the page"
    )
    print(
        f"of them still extracted: {len(still)}, with {len(still_bad)} fragments or boilerplate; {len(promoted)} pass all "
        f"birth checks, {sum(e['stands_alone'] for e in promoted) / max(1, len(promoted)):.0%} of those understood alone"
    )


def report_conflicts(setting: Setting) -> None:
    """Pairs among the claims of the concepts pages, and how long it takes to find them."""
    documents = concepts(setting)
    if not documents:
        return
    distinct = {claim.draft.id: claim for claim in extracted(ExtractiveEngine(), documents)}
    claims = [
        Claim(name, f.draft.text, f.draft.context, (), kind=f.draft.kind, lang=f.draft.lang, checks=f.draft.checks)
        for name, f in sorted(distinct.items())
    ]
    begin = time.perf_counter()
    vectors = open_embedder(EmbeddingSettings()).embed_passages([claim.full_text for claim in claims])
    embedded = time.perf_counter()
    pairs = find_conflicts(claims, vectors)
    seconds = time.perf_counter() - embedded
    counts = Counter(pair.kind for pair in pairs)
    print(
        f"{len(claims):,} claims, vectors in {embedded - begin:.0f} s, pairs in {seconds:.0f} s: "
        f"{counts[PairKind.CONFLICT]} conflicts, {counts[PairKind.DUPLICATE]} duplicates"
    )
    texts = {claim.id: claim.text for claim in claims}
    for pair in pairs[:10]:
        print(f"  {pair.kind} {pair.similarity:.2f}: {texts[pair.a][:100]} | {texts[pair.b][:100]} ({pair.reasons[0]})")


def report_scripted(setting: Setting) -> None:
    """Each way in which a server can misbehave: what came of it, and what was counted."""
    sys.path.insert(0, str(BENCH.parent / "tests" / "claims"))
    from model_server import BEHAVIOURS, MODEL, Script, serving

    documents = larkfield()
    for behaviour in BEHAVIOURS:
        with serving(Script(behaviour, seconds=8.0)) as address:
            model = LiteLLMModel(ModelSettings(MODEL, address, timeout=2.0))
            engine = LLMEngine(model, LLMSettings(first_pause=0.05, retries=1))
            begin = time.perf_counter()
            found = list(extracted(engine, documents))
            seconds = time.perf_counter() - begin
        passing = [claim for claim in found if claim.passes]
        bad = sum(claim.draft.text not in claim.quotes for claim in passing)
        print(
            f"{behaviour}: {len(found)} claims, {len(passing)} pass all birth checks, {bad} of them not the words of their "
            f"source, {seconds:.1f} s; {engine.figures()}"
        )


def report_model(setting: Setting) -> None:
    """SmolLM2 over the fictional company; its claims that pass the birth checks, against labels by reading."""
    sys.path.insert(0, str(BENCH.parent / "tests" / "serve"))
    from local_model import MODEL, local_model, missing

    if missing():
        print(missing())
        return
    # Half of the cores: threads of the model that wait for a core busy with something else hold up all the others.
    with local_model(threads=max(1, (os.cpu_count() or 2) // 2)) as address:
        model = LiteLLMModel(ModelSettings(MODEL, address, timeout=120.0, max_tokens=400))
        engine = LLMEngine(model, LLMSettings(concurrency=1), show)
        begin = time.perf_counter()
        found = list(extracted(engine, larkfield()))
        seconds = time.perf_counter() - begin
    labels = read_labels()
    relevant = [c for c in found if all(check.passed for check in c.draft.checks if check.name != "exact-quote")]
    reworded = [claim for claim in relevant if claim.draft.text not in claim.quotes]
    # What is a quote is entailed; the rest was labelled by reading.
    judged = [(claim, True if claim.draft.text in claim.quotes else labels.get(label_key(claim))) for claim in found]
    bad = [claim for claim, good in judged if good is False]
    passing_bad = [claim for claim in bad if claim in relevant]
    print(f"{len(found)} claims in {seconds:.0f} s; {engine.figures()}")
    failed = Counter(check.name for claim in found for check in claim.draft.checks if not check.passed)
    print(
        f"pass all birth checks but exact-quote: {len(relevant)} ({len(reworded)} in other words); failed: {dict(failed)}"
    )
    print(
        f"with a label: {sum(good is not None for _, good in judged)} of {len(found)}, {len(bad)} of them bad; "
        f"bad claims that pass: {len(passing_bad)}; passing claims without a label: "
        f"{sum(good is None and claim in relevant for claim, good in judged)}"
    )
    for claim in passing_bad:
        print(f"  {claim.full_text}")
    if setting.labels_out:
        with setting.labels_out.open("w", encoding="utf-8") as stream:
            for claim, good in judged:
                reasons = [f"{c.name}: {c.reason}" for c in claim.draft.checks if not c.passed]
                record = {**label_key_record(claim), "good": good, "failed": reasons}
                stream.write(json.dumps(record, ensure_ascii=False) + "\n")


def show(what: str, done: int, total: int | None) -> None:
    print(f"  {done} of {total}: {what}", file=sys.stderr, flush=True)


def label_key_record(claim: Found) -> dict[str, Any]:
    return {"document": claim.document.id, "text": claim.draft.text, "quotes": claim.quotes}


def label_key(claim: Found) -> str:
    return json.dumps(label_key_record(claim), ensure_ascii=False)


def read_labels() -> dict[str, bool]:
    """What was labelled: document, text and quotes -> whether the quotes entail the text."""
    if not MODEL_LABELS.is_file():
        return {}
    records = [json.loads(line) for line in MODEL_LABELS.read_text(encoding="utf-8").splitlines()]
    return {
        json.dumps({name: record[name] for name in ("document", "text", "quotes")}, ensure_ascii=False): record["good"]
        for record in records
        if "text" in record
    }


def extracted(engine: ClaimEngine[Any], documents: list[Document]) -> Iterator[Found]:
    """The drafts of all documents; the pieces of all documents are handed to the engine at once."""
    work: list[tuple[Document, Unit | Any]] = [(one, piece) for one in documents for piece in engine.work(one)]
    for number, drafts in engine.extract([piece for _, piece in work]):
        document, piece = work[number]
        yield from (Found(draft, document, piece.start) for draft in drafts)


def larkfield() -> list[Document]:
    return loaded(LARKFIELD / "documents", FilesSource(include=("*.md",)))


def concepts(setting: Setting) -> list[Document]:
    """The concepts pages of one snapshot, read from its archive; empty, with a line that says so, without the data."""
    archive = setting.shared / "kubernetes" / SNAPSHOT
    if not archive.is_file():
        print(f"no data at {archive}")
        return []
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(archive) as tar:
            tar.extractall(folder, filter="data")
        return loaded(Path(folder), FilesSource(loader="hugo", include=(CONCEPTS,), workers=useful_workers()))


def loaded(folder: Path, source: FilesSource) -> list[Document]:
    with open_folder(source, folder) as snapshot:
        return [result for result in ingest(snapshot) if isinstance(result, Document)]


SECTIONS: dict[str, Callable[[Setting], None]] = {
    "larkfield": report_larkfield,
    "kubernetes": report_kubernetes,
    "conflicts": report_conflicts,
    "scripted": report_scripted,
    "model": report_model,
}

if __name__ == "__main__":
    main()
