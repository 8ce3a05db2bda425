"""How quick the review is with many claims: loading, first view, search, decisions, and a second reviewer's decisions.

``python bench/review.py [--claims 100000] [--decided 20000]`` makes a corpus of synthetic claims in a temporary folder,
serves the review page on 127.0.0.1 and times it over HTTP, and in headless Chromium where that is installed.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import statistics
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import httpx
import pyarrow as pa

from aipk_core.claims.deciding import Request, take
from aipk_core.claims.identity import claim_id
from aipk_core.claims.ledger_file import LedgerFile
from aipk_core.claims.model import Check, Claim, Evidence
from aipk_core.documents.model import Block, Document
from aipk_core.documents.records import document_record
from aipk_core.review.app import PAGE_HEADER, ReviewSecrets, build_review_app
from aipk_core.review.desk import ReviewDesk
from aipk_core.review.server import HOST, bound_socket, review_server
from aipk_core.stages.claims import SCHEMA, claim_from_row
from aipk_core.stages.conflicts import SCHEMA as PAIRS
from aipk_core.stages.documents import SCHEMA as DOCUMENTS
from aipk_core.stages.edited_claims import claim_row
from aipk_core.store.manifest import Manifest
from aipk_core.store.workspace import Workspace

PER_DOCUMENT = 100
PARTS = ("pump", "gate", "valve", "gauge", "lamp", "panel", "motor", "filter", "sensor", "bridge")
PLACES = ("north", "south", "upper", "lower", "old", "new", "outer", "inner")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--claims", type=int, default=100_000)
    parser.add_argument("--decided", type=int, default=20_000, help="decisions that are in the ledger already")
    parser.add_argument("--decisions", type=int, default=200, help="decisions that are timed")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="aipk-review-"))
    try:
        figures = measure(folder, options.claims, options.decided, options.decisions)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(json.dumps(figures, indent=2))


def measure(root: Path, claims: int, decided: int, decisions: int) -> dict[str, Any]:
    corpus = make_corpus(root, claims, decided)
    started = time.perf_counter()
    desk = ReviewDesk(corpus)
    desk.warm_up()
    figures: dict[str, Any] = {
        "claims": claims,
        "ledger entries": len(desk.queue.file.ledger.decisions),
        "seconds to load": round(time.perf_counter() - started, 2),
    }
    passes = ReviewSecrets()
    listener = bound_socket(0)
    server = review_server(build_review_app(desk, "ana", passes))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    base = f"http://{HOST}:{listener.getsockname()[1]}"
    with httpx.Client(base_url=base, timeout=60, trust_env=False) as client:
        wait_for(client)
        client.get("/", params={"key": passes.key}, follow_redirects=True)
        figures |= over_http(client, passes, decisions)
        figures |= second_reviewer(client, corpus, passes)
    figures["first view in Chromium, ms"] = in_chromium(f"{base}/?key={passes.key}")
    server.should_exit = True
    thread.join(10)
    return figures


def over_http(client: httpx.Client, passes: ReviewSecrets, decisions: int) -> dict[str, Any]:
    views, searches = [], []
    for _ in range(5):
        started = time.perf_counter()
        rows = client.get("/api/queue", params={"view": "waiting", "limit": 100}).json()["rows"]
        client.get("/api/progress", params={"reviewer": "ana"})
        client.get(f"/api/claims/{rows[0]['id']}")
        client.get(f"/api/claims/{rows[0]['id']}/source")
        views.append(time.perf_counter() - started)
        started = time.perf_counter()
        client.get("/api/queue", params={"containing": f"pump {random.randrange(1000)}", "limit": 100})
        searches.append(time.perf_counter() - started)
    rows = client.get("/api/queue", params={"view": "waiting", "limit": 200}).json()["rows"]
    times = []
    for row in rows[:decisions]:
        started = time.perf_counter()
        decide(client, passes, row["id"], "ana")
        times.append(time.perf_counter() - started)
    return {
        "first view, ms": spread(views),
        "search, ms": spread(searches),
        "decision (on disk), ms": spread(times),
    }


def second_reviewer(client: httpx.Client, corpus: Path, passes: ReviewSecrets) -> dict[str, Any]:
    """Decisions while another program writes to the same ledger, so that the page must look at the file each time."""
    file = LedgerFile(corpus / "reviews.jsonl")
    other = [claim for claim in synthetic_claims(400)[0] if file.ledger.latest(claim.id) is None][:20]
    rows = client.get("/api/queue", params={"view": "waiting", "limit": 200}).json()["rows"]
    times = []
    for row, claim in zip(reversed(rows), other, strict=False):
        take(file, [Request(claim, "promote", "ben")])
        started = time.perf_counter()
        decide(client, passes, row["id"], "ana")
        times.append(time.perf_counter() - started)
    return {"decision after another program's, ms": spread(times)}


def decide(client: httpx.Client, passes: ReviewSecrets, claim: str, reviewer: str) -> None:
    body = {"claim": claim, "action": "approve", "reviewer": reviewer}
    response = client.post("/api/decide", json=body, headers={PAGE_HEADER: passes.token})
    response.raise_for_status()


def in_chromium(url: str) -> str:
    """From opening the address to the first claim on the page, twice; the second time the browser is warm."""
    binary, driver = shutil.which("chromium"), shutil.which("chromedriver")
    try:
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service
    except ImportError:
        return "selenium is not installed"
    if not binary or not driver:
        return "Chromium is not installed"
    options = webdriver.ChromeOptions()
    options.binary_location = binary
    profile = tempfile.mkdtemp(prefix="aipk-chromium-")
    for flag in CHROMIUM_FLAGS:
        options.add_argument(flag)
    options.add_argument(f"--user-data-dir={profile}")
    browser = webdriver.Chrome(options=options, service=Service(driver))
    try:
        times = []
        for _ in range(3):
            browser.get("about:blank")
            started = time.perf_counter()
            browser.get(url)
            while not browser.execute_script("return document.getElementById('claim-text').textContent"):
                time.sleep(0.005)
            times.append(time.perf_counter() - started)
        return spread(times)
    finally:
        browser.quit()
        shutil.rmtree(profile, ignore_errors=True)


CHROMIUM_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--no-proxy-server",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1400,900",
)


def make_corpus(root: Path, claims: int, decided: int) -> Path:
    """A corpus folder whose stages have run, as far as a review needs them."""
    (root / "dagster.yaml").touch()
    corpus = root / "corpora" / "bench"
    corpus.mkdir(parents=True)
    (corpus / "corpus.toml").write_text('title = "Bench"\n[[sources]]\ntype = "files"\npath = "."\n', "utf-8")
    workspace = Workspace(root)
    made, documents = synthetic_claims(claims)
    rows = [claim_row(claim) for claim in sorted(made, key=lambda claim: claim.id)]
    assert claim_from_row(rows[0]).id == rows[0]["id"]
    workspace.write_manifest("bench", Manifest("claims", "x", pa.Table.from_pylist(rows, schema=SCHEMA)))
    pairs = [
        {
            "kind": kind,
            "a": one.id,
            "b": other.id,
            "reasons": '["the numbers differ"]',
            "similarity": "0.9",
            "judge": "rules",
        }
        for number, (one, other) in enumerate(zip(made[::50], made[1::50], strict=False))
        for kind in (["conflict"] if number % 4 == 0 else ["duplicate"])
    ]
    workspace.write_manifest("bench", Manifest("conflicts", "x", pa.Table.from_pylist(pairs, schema=PAIRS)))
    keys = {document.id: f"key-{number}" for number, document in enumerate(documents)}
    cache = workspace.cache("documents")
    for first in range(0, len(documents), 500):
        cache.put({keys[d.id]: {"document": document_record(d)} for d in documents[first : first + 500]})
    listed = [dict.fromkeys(DOCUMENTS.names, "") | {"id": name, "key": key} for name, key in keys.items()]
    for row in listed:
        row |= {"characters": 0, "blocks": 0, "problems": 0}
    workspace.write_manifest("bench", Manifest("documents", "x", pa.Table.from_pylist(listed, schema=DOCUMENTS)))
    file = LedgerFile(corpus / "reviews.jsonl")
    for first in range(0, decided, 1000):
        some = made[-decided:][first : first + 1000]
        take(file, [Request(claim, "promote", "cleo") for claim in some])
    return corpus


def synthetic_claims(count: int) -> tuple[list[Claim], list[Document]]:
    """``count`` distinct claims, and the documents that they stand in."""
    claims, documents = [], []
    for first in range(0, count, PER_DOCUMENT):
        name = f"docs/part-{first // PER_DOCUMENT:05d}.md"
        text, blocks = "", []
        for number in range(first, min(first + PER_DOCUMENT, count)):
            sentence = (
                f"The {PLACES[number % 8]} {PARTS[number % 10]} {number} of station {number // 97} runs at "
                f"{number % 400} bar and is checked every {number % 30 + 1} days by the crew on duty."
            )
            start = len(text)
            text += sentence + "\n\n"
            blocks.append(Block("p", start, start + len(sentence), ("Stations", f"Part {number // 20}")))
            checks = (
                Check("exact-quote", True),
                Check("numbers", number % 11 != 0, "" if number % 11 else "the source does not have the number"),
                Check("self-contained", number % 17 != 0, "" if number % 17 else "it points back"),
            )
            evidence = (Evidence(name, start, start + len(sentence), sentence, ("Stations", f"Part {number // 20}")),)
            identity = claim_id(sentence, (), "en")
            claims.append(Claim(identity, sentence, ("Stations",), evidence, checks=checks))
        documents.append(Document(name, text.rstrip("\n"), tuple(blocks), title=f"Part {first // PER_DOCUMENT}"))
    return claims, documents


def wait_for(client: httpx.Client) -> None:
    for _ in range(200):
        try:
            client.get("/static/review.css")
            return
        except httpx.TransportError:
            time.sleep(0.05)


def spread(seconds: list[float]) -> str:
    ordered = sorted(value * 1000 for value in seconds)
    late = ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]
    return f"median {statistics.median(ordered):.0f}, 95 % {late:.0f}, worst {ordered[-1]:.0f}"


if __name__ == "__main__":
    main()
