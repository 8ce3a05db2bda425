"""What a review works on: the claims, pairs, documents and ledger of one corpus, reloaded when it is built again."""

from __future__ import annotations

import threading
from collections import OrderedDict
from pathlib import Path

from aipk_core.claims.ledger_file import LedgerFile
from aipk_core.claims.pairs import ClaimPair, PairKind
from aipk_core.claims.queue import ReviewQueue
from aipk_core.corpus import CORPUS_FILE, Corpus, load_corpus
from aipk_core.documents.model import Document
from aipk_core.documents.records import document_from_record
from aipk_core.errors import ReviewError
from aipk_core.stages.claims import read_claims
from aipk_core.stages.conflicts import read_pairs
from aipk_core.stages.review import policy_of
from aipk_core.store.workspace import Workspace

_DOCUMENTS_KEPT = 32


class ReviewDesk:
    """A corpus under review.

    Args:
        folder: the corpus folder.

    Raises:
        StoreError: the corpus has not been built as far as its claims (code ``stage-missing``).
        ReviewError: the ledger is broken.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.corpus: Corpus = load_corpus(folder)
        self.workspace = Workspace.of(self.corpus.folder)
        self._lock = threading.Lock()
        self._documents: OrderedDict[str, Document] = OrderedDict()
        self._file = LedgerFile(self.corpus.ledger)
        self._load()

    @property
    def queue(self) -> ReviewQueue:
        """The claims as the last build found them; made anew when there was a build since the last call."""
        if self._built() != self._loaded:
            with self._lock:
                if self._built() != self._loaded:
                    self._load()
        return self._queue

    @property
    def pairs(self) -> list[ClaimPair]:
        """Conflicts and duplicates, as the last build found them."""
        return self._pairs

    def partners(self, claim: str, kind: PairKind) -> list[ClaimPair]:
        """The pairs of ``kind`` that a claim is in."""
        return self.queue.pairs[kind].get(claim, [])

    def document(self, name: str) -> Document:
        """A document of the last build.

        Raises:
            ReviewError: there is none with this id (code ``document-unknown``).
        """
        with self._lock:
            if name in self._documents:
                self._documents.move_to_end(name)
                return self._documents[name]
            key = self._keys.get(name)
            record = self.workspace.cache("documents").get([key]).get(key) if key else None
            if record is None:
                raise ReviewError(
                    "there is no such document",
                    code="document-unknown",
                    where=name[:200],
                    remedy="Build the corpus again",
                )
            document = document_from_record(record["document"])
            self._documents[name] = document
            if len(self._documents) > _DOCUMENTS_KEPT:
                self._documents.popitem(last=False)
            return document

    def warm_up(self) -> None:
        """Open the store of documents, which takes a second or two the first time; better now than at the first claim."""
        self.workspace.cache("documents").known()

    def _load(self) -> None:
        self._loaded = self._built()
        self.corpus = load_corpus(self._folder)
        name = self.corpus.name
        claims = read_claims(self.workspace.require_manifest(name, "claims"))
        conflicts = self.workspace.read_manifest(name, "conflicts")
        documents = self.workspace.require_manifest(name, "documents")
        self._pairs = read_pairs(conflicts) if conflicts is not None else []
        self._keys = dict(zip(documents.column("id"), documents.column("key"), strict=True))
        self._documents.clear()
        self._file.refresh()
        self._queue = ReviewQueue(claims, self._pairs, self._file, policy_of(self.corpus))

    def _built(self) -> tuple[int, ...]:
        paths = [
            self.workspace.manifest_path(self.corpus.name, stage) for stage in ("documents", "claims", "conflicts")
        ]
        paths.append(self.corpus.folder / CORPUS_FILE)
        return tuple(path.stat().st_mtime_ns if path.exists() else 0 for path in paths)
