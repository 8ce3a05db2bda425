"""The figures for documents and sentences, as one report.

    python bench/documents.py [--shared FOLDER] [--only SECTION] [--mutations N]

Sections: files (every real file loads or fails with its named error), pdf (sentences of generated two-column PDF files
found verbatim), throughput (a whole documentation site through ``ingest``), hugo (blocks against the rendered site),
sentences (accuracy and speed of the splitter), formats (fidelity and speed by format), chunks, fuzz (mutated files). Data comes from ``$AIPK_SHARED`` or the folder
``shared`` beside the repository; a section without its data says so.
"""

from __future__ import annotations

import argparse
import csv
import html.parser
import json
import os
import resource
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from aipk_core.documents.ingest import DocumentFailure, ingest
from aipk_core.documents.model import Document
from aipk_core.documents.sentences import document_sentences
from aipk_core.documents.sources import FilesSource
from aipk_core.documents.sources.files import open_folder
from aipk_core.documents.worker_pool import useful_workers
from aipk_core.text.sentences import split_sentences

BENCH = Path(__file__).resolve().parent
EXPECTED_FAILURES = {
    "pdf/password.pdf": "encrypted",
    "pdf/scan-no-text-layer.pdf": "no-text-layer",
    "pdf/glyphs-without-unicode.pdf": "garbage-text",
    "pdf/weasyprint-arabic-habibi.pdf": "garbage-text",
    "pdf/invalid.pdf": "invalid",
}
EXPECTED_PROBLEMS = {"html/tika-misleading-charset-arabic.html": "misleading-charset"}
PROSE = frozenset({"p", "li", "td", "dd"})


@dataclass(frozen=True, slots=True)
class Setting:
    """Where the data lies and how much work to do."""

    shared: Path
    mutations: int


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = Path(os.environ.get("AIPK_SHARED") or BENCH.parent.parent / "shared")
    parser.add_argument("--shared", type=Path, default=default)
    parser.add_argument("--only", choices=sorted(SECTIONS), action="append")
    parser.add_argument("--mutations", type=int, default=2000, help="how many mutated files to try (10,000 takes long)")
    parser.add_argument("--ingest-site", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--workers", type=int, default=0, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.ingest_site:
        ingest_site(arguments.ingest_site, arguments.workers)
        return
    setting = Setting(arguments.shared / "data", arguments.mutations)
    for name, section in SECTIONS.items():
        if not arguments.only or name in arguments.only:
            print(f"== {name}", flush=True)
            section(setting)
            print(flush=True)


def report_files(setting: Setting) -> None:
    """Every file of the manifest: documents, failures as expected, and surprises."""
    folder = setting.shared / "documents"
    if not folder.is_dir():
        print(f"no data at {folder}")
        return
    with (folder / "MANIFEST.tsv").open(encoding="utf-8", newline="") as stream:
        named = {row["path"] for row in csv.DictReader(stream, delimiter="\t")}
    begin = time.perf_counter()
    results = {item.id: item for item in ingest(open_folder(FilesSource(), folder)) if item.id in named}
    seconds = time.perf_counter() - begin
    truths = {name for name in named if ".truth." in name}
    right = 0
    for name in sorted(named - truths):
        result = results.get(name)
        outcome = result.code if isinstance(result, DocumentFailure) else "" if result else "not listed"
        right += outcome == EXPECTED_FAILURES.get(name, "")
        if name in EXPECTED_PROBLEMS and isinstance(result, Document):
            codes = {problem.code for problem in result.problems}
            print(f"  {name}: loads, with {', '.join(sorted(codes)) or 'nothing'} reported")
        if outcome != EXPECTED_FAILURES.get(name, ""):
            print(f"  {name}: {outcome or 'loads'}, expected {EXPECTED_FAILURES.get(name, 'to load')}")
    failures = sum(isinstance(result, DocumentFailure) for name, result in results.items() if name not in truths)
    print(f"{right} of {len(named - truths)} files as described ({failures} fail with a named error), {seconds:.1f} s")


def report_pdf(setting: Setting) -> None:
    """Sentences of the truth files found verbatim in the generated PDF files."""
    folder = setting.shared / "documents" / "pdf-generated"
    if not folder.is_dir():
        print(f"no data at {folder}")
        return
    settings = FilesSource(include=("*.pdf",))
    for result in ingest(open_folder(settings, folder)):
        if isinstance(result, DocumentFailure):
            print(f"{result.id}: {result.code}: {result.message}")
            continue
        truth = next(folder.glob(result.id.removesuffix(".pdf") + ".truth.*"))
        sentences = [sentence for text in truth_blocks(truth) for sentence in sentences_of(text, result.lang)]
        ours = "\n".join(folded(result.quote(block)) for block in result.blocks)
        own = {folded(result.quote(sentence.span)) for sentence in document_sentences(result)}
        found = sum(sentence in ours for sentence in sentences)
        exact = sum(sentence in own for sentence in sentences)
        print(
            f"{result.id}: {found / len(sentences):.2%} of {len(sentences)} truth sentences verbatim in one block, "
            f"{exact / len(sentences):.2%} as a sentence of their own"
        )


def report_throughput(setting: Setting) -> None:
    """The newest snapshot of the documentation through ``ingest``, in this many processes and in one."""
    archives = sorted((setting.shared / "kubernetes").glob("k8s-docs-*.tar.gz"))
    if not archives:
        print(f"no data at {setting.shared / 'kubernetes'}")
        return
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(archives[-1]) as tar:
            tar.extractall(folder, filter="data")
        for workers in dict.fromkeys((1, useful_workers())):
            run("documents.py", "--ingest-site", folder, "--workers", str(workers))


def ingest_site(folder: Path, workers: int) -> None:
    """Load all pages of a site and print the figures; a process of its own, so that its peak memory is known."""
    begin = time.perf_counter()
    settings = FilesSource(loader="hugo", workers=workers)
    with open_folder(settings, folder) as snapshot:
        opened = time.perf_counter() - begin
        sizes = {file.path: file.size for file in snapshot.all_files()}
        pages = size = sentences = failures = 0
        splitting = 0.0
        for result in ingest(snapshot):
            if isinstance(result, Document):
                pages, size = pages + 1, size + sizes[result.id]
                start = time.perf_counter()
                sentences += len(document_sentences(result))
                splitting += time.perf_counter() - start
            else:
                failures += 1
    seconds = time.perf_counter() - begin
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    child = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    memory = f"{own:,.0f} MB" + (f" + {child:,.0f} MB in each of {workers} processes" if workers > 1 else "")
    print(
        f"{workers} process{'es' if workers > 1 else ''}: {pages} pages, {size / 1e6:.1f} MB, {sentences:,} sentences, "
        f"{failures} failures in {seconds:.1f} s (listing {opened:.1f}, sentences {splitting:.1f}): "
        f"{pages / seconds:.0f} pages/s, {size / 1e6 / seconds:.2f} MB/s, peak memory {memory}"
    )


def report_hugo(setting: Setting) -> None:
    """Both rendered snapshots; see documents_hugo.py."""
    folder = setting.shared / "kubernetes"
    for rendered in sorted(folder.glob("rendered-blocks-*.jsonl.gz")):
        commit = rendered.name.removeprefix("rendered-blocks-").removesuffix(".jsonl.gz")
        for archive in folder.glob(f"k8s-docs-*-{commit}.tar.gz"):
            print(archive.name, flush=True)
            run("documents_hugo.py", str(archive), str(rendered))


def report_sentences(setting: Setting) -> None:
    """See sentences.py."""
    run("sentences.py", "--data", str(setting.shared))


def report_formats(setting: Setting) -> None:
    """See document_formats.py."""
    run("document_formats.py")


def report_chunks(setting: Setting) -> None:
    """Every page of one snapshot cut into chunks for the bundled embedder: sizes, and text per second."""
    from aipk_core.chunks import ChunkSettings, chunk_document
    from aipk_core.embedding import open_embedder

    archive = next(iter(sorted((setting.shared / "kubernetes").glob("k8s-docs-*.tar.gz"))), None)
    if archive is None:
        print("skipped: there is no snapshot of the Kubernetes documentation here")
        return
    embedder = open_embedder()
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(archive) as file:
            file.extractall(folder, filter="data")
        settings = FilesSource(path=folder, loader="hugo", include=("/content/en/docs/concepts/",))
        with open_folder(settings, Path(folder)) as snapshot:
            documents = [result for result in ingest(snapshot) if isinstance(result, Document)]
    limit = embedder.identity.max_tokens - 2
    started = time.process_time()
    chunks = [
        chunk
        for document in documents
        for chunk in chunk_document(document, ChunkSettings(limit_tokens=min(250, limit)), embedder.count_tokens)
    ]
    seconds = time.process_time() - started
    texts = {document.id: document.text for document in documents}
    exact = sum(texts[chunk.document][chunk.start : chunk.end] == chunk.text for chunk in chunks)
    tokens = [chunk.tokens for chunk in chunks]
    size = sum(len(text.encode()) for text in texts.values())
    print(
        f"{archive.name}, concepts: {len(documents)} pages, {len(chunks):,} chunks, {exact:,} of them exact slices; tokens "
        f"{sum(tokens) / len(tokens):.0f} on average, {max(tokens)} at most (the embedder reads {limit}); "
        f"{size / 1e6 / seconds:.2f} MB per second of processor time"
    )


def report_fuzz(setting: Setting) -> None:
    """See fuzz_documents.py."""
    run("fuzz_documents.py", "--count", str(setting.mutations), "--folder", str(setting.shared / "documents"))


def run(script: str, *arguments: str) -> None:
    """Another benchmark of this folder, in a process of its own, its output as it comes."""
    done = subprocess.run([sys.executable, str(BENCH / script), *arguments], check=False)
    if done.returncode:
        print(f"{script} ended with {done.returncode}")


def truth_blocks(file: Path) -> Iterator[str]:
    """The prose blocks of a truth file: ``[[kind, text], ...]`` or simple HTML."""
    if file.suffix == ".json":
        yield from (text for kind, text in json.loads(file.read_text(encoding="utf-8")) if kind in PROSE)
        return
    collector = _Paragraphs()
    collector.feed(file.read_text(encoding="utf-8"))
    yield from collector.texts


class _Paragraphs(html.parser.HTMLParser):
    """The text of paragraphs and list items."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._open = False

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag in {"p", "li"}:
            self.texts.append("")
        self._open = tag in {"p", "li"} or (self._open and tag not in {"h1", "h2", "h3"})

    def handle_endtag(self, tag: str) -> None:
        self._open = self._open and tag not in {"p", "li"}

    def handle_data(self, data: str) -> None:
        if self._open and self.texts:
            self.texts[-1] += data


def sentences_of(text: str, lang: str) -> list[str]:
    plain = folded(text)
    return [plain[start:end] for start, end in split_sentences(plain, lang)]


def folded(text: str) -> str:
    return " ".join(text.split())


SECTIONS: dict[str, Callable[[Setting], None]] = {
    "files": report_files,
    "pdf": report_pdf,
    "throughput": report_throughput,
    "hugo": report_hugo,
    "sentences": report_sentences,
    "formats": report_formats,
    "chunks": report_chunks,
    "fuzz": report_fuzz,
}

if __name__ == "__main__":
    main()
