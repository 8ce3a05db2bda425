"""Feeds damaged files to every document loader: no crash, no more than 5 seconds, no more than 1 GB of memory.

Usage::

    python bench/fuzz_documents.py --count 10000            # the full run
    python bench/fuzz_documents.py --count 300 --seed 7     # a short one
    python bench/fuzz_documents.py --only 4711              # one mutation again, with its traceback

Real files are changed in ways that happen (bytes flipped, cut off, spliced, repeated, members of containers damaged) and
loaded in a child process. A result is ``ok`` or a named error (``AipkError``); everything else is a defect. Mutation
``n`` of a seed is always the same. Seconds are those of the processor, so that a busy machine does not count as a hang; a
child that is silent for much longer is killed and counted as one.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import random
import resource
import select
import subprocess
import sys
import time
import traceback
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

SECONDS = 5.0
SILENCE = 40.0
MEGABYTES = 1024
REPOSITORY = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class Result:
    """What became of one mutation: ``kind`` is ok, error, crash, hang or memory; megabytes are those of the child."""

    index: int
    file: str
    kind: str
    detail: str
    seconds: float
    megabytes: float


def default_folder() -> Path:
    shared = Path(os.environ.get("AIPK_SHARED") or REPOSITORY.parent / "shared")
    return shared / "data" / "documents"


def documents(folder: Path) -> list[Path]:
    """The files that have a loader, in a fixed order."""
    from aipk_core.documents.loaders.registry import UNKNOWN, media_type_of

    files = sorted(path for path in folder.rglob("*") if path.is_file() and not path.name.startswith("MANIFEST"))
    return [path for path in files if media_type_of(path.name, path.read_bytes()) != UNKNOWN]


# --- mutations -------------------------------------------------------------------------------------------------------


def mutated(files: list[Path], seed: int, index: int) -> tuple[Path, bytes]:
    """Mutation ``index``: a file and its damaged bytes."""
    rng = random.Random(f"{seed}/{index}")
    path = files[index % len(files)]
    data = path.read_bytes()
    if zipfile.is_zipfile(path) and rng.random() < 0.7:
        return path, _with_damaged_member(data, rng)
    if data.startswith(b"%PDF") and rng.random() < 0.5:
        data = _with_damaged_stream(data, rng)
        if rng.random() < 0.5:
            return path, data
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        data = rng.choice(_MUTATIONS)(data, rng)
    if rng.random() < 0.1:
        other = rng.choice(files).read_bytes()
        data = _spliced(data, other, rng)
    return path, data


def _flipped(data: bytes, rng: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.choice((1, 3, 10, 60))):
        if changed:
            changed[rng.randrange(len(changed))] = rng.randrange(256)
    return bytes(changed)


def _bit_flipped(data: bytes, rng: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.choice((1, 2, 8))):
        if changed:
            changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def _truncated(data: bytes, rng: random.Random) -> bytes:
    return data[: rng.randrange(len(data) + 1)]


def _beheaded(data: bytes, rng: random.Random) -> bytes:
    return data[: rng.randrange(64)] + data[rng.randrange(len(data) + 1) :]


def _cut(data: bytes, rng: random.Random) -> bytes:
    start = rng.randrange(len(data) + 1)
    return data[:start] + data[start + rng.choice((1, 10, 100, 5000)) :]


def _repeated(data: bytes, rng: random.Random) -> bytes:
    """A short piece many times over: deep nesting, endless lines."""
    start = rng.randrange(len(data) + 1)
    piece = data[start : start + rng.choice((1, 2, 3, 8, 40))]
    return data[:start] + piece * rng.choice((10, 500, 5000)) + data[start:]


def _duplicated(data: bytes, rng: random.Random) -> bytes:
    start = rng.randrange(len(data) + 1)
    piece = data[start : start + rng.choice((100, 2000, 20000))]
    place = rng.randrange(len(data) + 1)
    return data[:place] + piece + data[place:]


def _token_inserted(data: bytes, rng: random.Random) -> bytes:
    token = rng.choice(_TOKENS) * rng.choice((1, 1, 3, 200, 3000))
    place = rng.randrange(len(data) + 1)
    return data[:place] + token + data[place:]


def _number_changed(data: bytes, rng: random.Random) -> bytes:
    """One digit run replaced by a number at a limit."""
    digits = (
        [index for index in (rng.randrange(len(data)) for _ in range(200)) if 48 <= data[index] <= 57] if data else []
    )
    if not digits:
        return data
    start = end = digits[0]
    while end < len(data) and 48 <= data[end] <= 57:
        end += 1
    return data[:start] + rng.choice((b"0", b"-1", b"99999", b"4294967296", b"999999999999999999999")) + data[end:]


def _spliced(data: bytes, other: bytes, rng: random.Random) -> bytes:
    start = rng.randrange(len(other) + 1)
    place = rng.randrange(len(data) + 1)
    return data[:place] + other[start : start + rng.choice((50, 1000, 30000))] + data[place:]


_MUTATIONS: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    _flipped,
    _bit_flipped,
    _truncated,
    _beheaded,
    _cut,
    _repeated,
    _duplicated,
    _token_inserted,
    _number_changed,
)

_TOKENS = (
    b"<table><tr><td>", b"<div>", b"<ul><li>", b"<!--", b"]]>", b"<![CDATA[", b"&lt;", b"&#0;", b"&#x110000;", b"> ",
    b"* ", b"- ", b"    ", b"\t", b"[[", b"](", b"![", b"`", b"```\n", b"***", b"__", b"|", b"\n|---|", b"{{< ", b"{{% ",
    b"----\n", b"====\n", b"|===\n", b"ifdef::a[]\n", b"include::a[]\n", b":a: {a}{a}\n", b".. note::\n   ", b"|a| ",
    b":role:`x` ", b"+---+\n|   |\n", b"{\\rtf", b"{", b"}", b"\\u-3", b"\\'e9", b"\\bin9999 ", b"\\trowd\\cell\\row ", b'"',
    b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\xf0\x9f", b"\xd8\x00", b"\r", b"\r\n", b"\n\n", b"[", b'{"a":', b"1e999,", b"\\",
    b"<<</A ", b"[[[", b"obj\n", b"BT (", b" Tj ", b"/Kids [1 0 R]", b"stream\n",
)  # fmt: skip


def _with_damaged_member(data: bytes, rng: random.Random) -> bytes:
    """A container with one to three members changed, dropped or swapped."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = [(info, archive.read(info)) for info in archive.infolist()]
    except (zipfile.BadZipFile, zlib.error, OSError, ValueError, NotImplementedError):
        return _flipped(data, rng)
    # XML is where the interest lies, not pictures.
    texts = [index for index, (info, _) in enumerate(members) if not info.filename.endswith((".png", ".jpg", ".jpeg"))]
    for _ in range(rng.choice((1, 1, 2, 3))):
        index = rng.choice(texts)
        info, content = members[index]
        members[index] = (info, rng.choice(_MUTATIONS)(content, rng))
    if rng.random() < 0.1:
        members.pop(rng.choice(texts))
    output = io.BytesIO()
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as archive:
        for info, content in members:
            archive.writestr(info.filename, content)
    return output.getvalue()


def _with_damaged_stream(data: bytes, rng: random.Random) -> bytes:
    """A PDF with the content of one compressed stream changed."""
    starts = [index for index in _occurrences(data, b"stream") if data[index - 3 : index] != b"end"]
    if not starts:
        return data
    start = rng.choice(starts) + 6
    start += 2 if data[start : start + 2] == b"\r\n" else 1
    end = data.find(b"endstream", start)
    try:
        content = zlib.decompress(data[start:end])
    except zlib.error:
        return data
    packed = zlib.compress(rng.choice(_MUTATIONS)(content, rng))
    length = end - start
    # The offsets of later objects stay right when the stream keeps its length.
    return data[:start] + (packed[:length].ljust(length, b"\n")) + data[end:]


def _occurrences(data: bytes, needle: bytes) -> Iterator[int]:
    place = data.find(needle)
    while place >= 0:
        yield place
        place = data.find(needle, place + 1)


# --- the child -------------------------------------------------------------------------------------------------------


def work(folder: Path, seed: int) -> None:
    """Read indices from standard input, load those mutations, write results as JSON lines."""
    import lxml.etree  # noqa: F401
    import pypdfium2  # type: ignore[import-untyped]  # noqa: F401

    files = documents(folder)
    limit = _virtual_megabytes() + MEGABYTES + 256
    resource.setrlimit(resource.RLIMIT_AS, (limit << 20, limit << 20))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for line in sys.stdin:
        index = int(line)
        path, data = mutated(files, seed, index)
        _reset_peak()
        start = time.process_time()
        kind, detail = attempt(path, data)
        seconds = time.process_time() - start
        print(json.dumps([index, str(path), kind, detail, seconds, _peak_megabytes()]), flush=True)


def attempt(path: Path, data: bytes) -> tuple[str, str]:
    """Load ``data`` under the name of ``path``: kind of outcome and its detail."""
    from aipk_core.documents.loaders.registry import RawDocument, load
    from aipk_core.errors import AipkError

    try:
        document = load(RawDocument(path.name, data))
    except AipkError as error:
        return "error", error.code
    except MemoryError:
        return "memory", "MemoryError"
    except RecursionError as error:
        return "crash", f"RecursionError at {_place(error)}"
    except Exception as error:
        return "crash", f"{type(error).__name__}: {str(error)[:120]} at {_place(error)}"
    text = "\n\n".join(document.quote(block) for block in document.blocks)
    if text != document.text:
        return "crash", "blocks do not add up to the text"
    return "ok", ""


def _place(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if "aipk_core" in frame.filename] or frames
    return f"{Path(own[-1].filename).name}:{own[-1].lineno}"


def _reset_peak() -> None:
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return  # not Linux: the peak is that of the whole run


def _peak_megabytes() -> float:
    return _status("VmHWM") or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _virtual_megabytes() -> int:
    return int(_status("VmSize"))


def _status(name: str) -> float:
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith(name + ":")), 0.0)


# --- the parent ------------------------------------------------------------------------------------------------------


def run(
    folder: Path, seed: int, indices: list[int], report: Callable[[Result], None] = lambda result: None
) -> list[Result]:
    """Load the mutations ``indices`` in child processes that are replaced when they die or hang."""
    files = documents(folder)
    if not files:
        raise SystemExit(f"no documents in {folder}")
    results: list[Result] = []
    child: subprocess.Popen[str] | None = None
    try:
        for index in indices:
            if child is None:
                child = _start(folder, seed)
            result = _ask(child, index, files[index % len(files)])
            if result.kind in ("hang", "crash") and not result.detail.startswith(("Recursion", "blocks")):
                _stop(child)
                child = None
            results.append(result)
            report(result)
    finally:
        if child is not None:
            _stop(child)
    return results


def _start(folder: Path, seed: int) -> subprocess.Popen[str]:
    command = [sys.executable, str(Path(__file__).resolve()), "--work", "--folder", str(folder), "--seed", str(seed)]
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, bufsize=1
    )


def _stop(child: subprocess.Popen[str]) -> None:
    child.kill()
    child.wait()
    for pipe in (child.stdin, child.stdout):
        with contextlib.suppress(BrokenPipeError):
            _pipe(pipe).close()


def _ask(child: subprocess.Popen[str], index: int, path: Path) -> Result:
    stdin, stdout = _pipe(child.stdin), _pipe(child.stdout)
    start = time.monotonic()
    try:
        stdin.write(f"{index}\n")
        stdin.flush()
    except BrokenPipeError:
        return Result(index, str(path), "crash", "the child died before", 0.0, 0.0)
    ready, _, _ = select.select([stdout], [], [], SILENCE)
    line = stdout.readline() if ready else ""
    if not ready:
        return Result(index, str(path), "hang", f"over {SILENCE:g} s", time.monotonic() - start, 0.0)
    if not line:
        return Result(index, str(path), "crash", f"signal {-child.wait()}", time.monotonic() - start, 0.0)
    number, file, kind, detail, seconds, megabytes = json.loads(line)
    if kind in ("ok", "error") and seconds > SECONDS:
        kind, detail = "hang", f"{seconds:.1f} s"
    elif kind in ("ok", "error") and megabytes > MEGABYTES:
        kind, detail = "memory", f"{megabytes:.0f} MB"
    return Result(number, file, kind, detail, seconds, megabytes)


def _pipe(pipe: IO[str] | None) -> IO[str]:
    assert pipe is not None
    return pipe


def summary(results: list[Result]) -> dict[str, object]:
    """Counts by kind, error codes, and the slowest and largest mutation."""
    kinds = Counter(result.kind for result in results)
    return {
        "mutations": len(results),
        **{kind: kinds[kind] for kind in ("ok", "error", "crash", "hang", "memory")},
        "errors": dict(sorted(Counter(result.detail for result in results if result.kind == "error").items())),
        "slowest_seconds": round(max((result.seconds for result in results), default=0.0), 2),
        "largest_megabytes": round(max((result.megabytes for result in results), default=0.0)),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--start", type=int, default=0, help="number of the first mutation")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, default=default_folder())
    parser.add_argument("--only", type=int, help="load one mutation in this process and show what happens")
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.work:
        work(arguments.folder, arguments.seed)
        return 0
    if arguments.only is not None:
        return _once(arguments.folder, arguments.seed, arguments.only)
    began = time.monotonic()

    def report(result: Result) -> None:
        if result.kind not in ("ok", "error"):
            print(f"{result.index} {Path(result.file).name}: {result.kind} {result.detail}", flush=True)

    indices = list(range(arguments.start, arguments.start + arguments.count))
    results = run(arguments.folder, arguments.seed, indices, report)
    print(json.dumps(summary(results) | {"seconds": round(time.monotonic() - began)}, indent=2))
    return 0 if all(result.kind in ("ok", "error") for result in results) else 1


def _once(folder: Path, seed: int, index: int) -> int:
    from aipk_core.documents.loaders.registry import RawDocument, load

    path, data = mutated(documents(folder), seed, index)
    print(path, len(data), "bytes")
    document = load(RawDocument(path.name, data))
    print(len(document.blocks), "blocks", document.problems)
    return 0


if __name__ == "__main__":
    sys.exit(main())
