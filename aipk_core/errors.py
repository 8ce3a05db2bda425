"""Every error a user can meet, as one tree.

AipkError
 ├─ CorpusError      corpus.toml is missing, malformed, or asks for something impossible
 ├─ SourceError      a place that documents come from cannot be read
 ├─ DocumentError    one document cannot be read well; the rest of the corpus goes on
 ├─ StoreError       the stage store is locked, damaged, or the disk is full
 ├─ EmbedderError    an embedder is missing, broken, or not the one a package was built with
 ├─ ModelError       a language model cannot be reached or answers nonsense
 ├─ ReviewError      a review decision or the ledger breaks a rule
 ├─ PackageError     a file is not an intact .aipk package
 └─ UsageError       a command or call was given arguments that make no sense

Each error carries a stable ``code`` for scripts, says what happened and where, and what to do about it.
"""

from __future__ import annotations


class AipkError(Exception):
    """Base of all errors that are meant for the user rather than for a traceback.

    Args:
        message: what happened, without a final full stop.
        code: stable machine-readable kind, lower case with hyphens; defaults to the class's own.
        where: the file, URL, table or setting concerned.
        remedy: what the user can do, as an imperative sentence without a final full stop.
    """

    default_code = "error"

    def __init__(self, message: str, *, code: str = "", where: str = "", remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.code = code or self.default_code
        self.where = where
        self.remedy = remedy

    def __str__(self) -> str:
        """One line: ``where: message [code]. Remedy.`` Line breaks from untrusted text are folded."""
        place = f"{self.where}: " if self.where else ""
        advice = f" {self.remedy}." if self.remedy else ""
        return " ".join(f"{place}{self.message} [{self.code}].{advice}".split())

    def to_dict(self) -> dict[str, str]:
        """The error as JSON-ready fields, for ``--json`` output and HTTP bodies."""
        return {"code": self.code, "message": self.message, "where": self.where, "remedy": self.remedy}


class CorpusError(AipkError):
    default_code = "corpus-invalid"


class SourceError(AipkError):
    default_code = "source-unreadable"


class DocumentError(AipkError):
    """One document cannot be read well.

    Codes in use: ``encrypted``, ``no-text-layer``, ``garbage-text``, ``invalid``, ``misleading-charset``,
    ``too-large``, ``archive-bomb``, ``unsupported``, ``empty``, ``timeout``.
    """

    default_code = "invalid"


class StoreError(AipkError):
    default_code = "store-damaged"


class EmbedderError(AipkError):
    default_code = "embedder-unavailable"


class ModelError(AipkError):
    default_code = "model-unavailable"


class ReviewError(AipkError):
    default_code = "review-invalid"


class PackageError(AipkError):
    default_code = "package-invalid"


class UsageError(AipkError):
    default_code = "usage"
