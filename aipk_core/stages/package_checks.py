"""What must hold of a new package before it takes the place of the last one. One that fails is thrown away."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aipk_core.claims.model import Status
from aipk_core.errors import AipkError, PackageError
from aipk_core.package import open_package
from aipk_core.store.manifest import write_atomically

if TYPE_CHECKING:
    from aipk_core.package.contents import PackageContents
    from aipk_core.store.workspace import Workspace

SPANS = "spans_exact"
GROUNDED = "claims_grounded"
BACKLOG = "review_backlog"
COVERAGE = "coverage_regression"
OPENS = "package_opens_and_answers"
PACKAGE_CHECKS = {
    SPANS: "Every chunk and every claim is, letter for letter, the slice of a document that it says.",
    GROUNDED: "Every canonical claim stands on at least one source sentence.",
    BACKLOG: "No claim waits for a person; a backlog warns and stops nothing.",
    COVERAGE: "There are not many fewer canonical claims, or documents with one, than in the last package.",
    OPENS: "The package opens, is intact, and finds its own claims.",
}
"""Name -> what it says when it passes. All but the backlog stop the package from being published."""

_ASKED = 5
_FEW_CLAIMS = 20
"""With fewer canonical claims before, a drop is no sign of a fault."""


@dataclass(frozen=True, slots=True)
class PackageCheck:
    """The outcome of one check; ``blocking`` says whether a failure keeps the package from being published."""

    name: str
    passed: bool
    detail: str
    blocking: bool = True


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of the corpus the package can answer from."""

    canonical: int
    covered: int
    documents: int

    @classmethod
    def of(cls, contents: PackageContents) -> Coverage:
        canonical = [claim for claim in contents.claims if claim.status is Status.CANONICAL]
        covered = {place.document for claim in canonical for place in claim.evidence}
        return cls(len(canonical), len(covered), len(contents.documents))


def check_new_package(
    path: Path,
    contents: PackageContents,
    *,
    waiting: int,
    before: Coverage | None,
    max_drop_percent: int,
    cache: Path | None = None,
) -> list[PackageCheck]:
    """Check the package at ``path``, which holds ``contents`` and is not published yet.

    Args:
        waiting: claims that wait for a person.
        before: what the last package covered; ``None`` for the first one, or when a drop is meant.
        cache: where the package is unpacked; by default where those who use it look for it.
    """
    return [
        *_opened(path, contents, cache),
        _grounded(contents),
        PackageCheck(BACKLOG, not waiting, f"{waiting} claims wait for review", blocking=False),
        _coverage(Coverage.of(contents), before, max_drop_percent),
    ]


def refuse_failed(checks: Sequence[PackageCheck], where: str) -> None:
    """Raise for the first blocking check that failed.

    Raises:
        PackageError: code ``check-failed``; nothing has been published.
    """
    failed = [check for check in checks if check.blocking and not check.passed]
    if failed:
        more = f" (and {len(failed) - 1} more checks failed)" if len(failed) > 1 else ""
        remedy = "Build with --allow-shrink if this is meant" if failed[0].name == COVERAGE else "Build again"
        raise PackageError(
            f"the new package was not published: {failed[0].name}: {failed[0].detail}{more}",
            code="check-failed",
            where=where,
            remedy=f"{remedy}; the last package is still in its place",
        )


def failed_check(error: PackageError) -> PackageCheck:
    """The check that an error during writing stands for."""
    return PackageCheck(SPANS if error.code == "span-broken" else OPENS, False, error.message)


def write_checks(workspace: Workspace, corpus: str, checks: Sequence[PackageCheck]) -> None:
    """Keep the outcome for those who show it."""
    data = json.dumps([asdict(check) for check in checks], ensure_ascii=False).encode()
    write_atomically(_path(workspace, corpus), data)


def read_checks(workspace: Workspace, corpus: str) -> list[PackageCheck]:
    """The outcome of the last checks; empty when there were none, or it cannot be read."""
    with contextlib.suppress(OSError, ValueError, TypeError):
        return [PackageCheck(**values) for values in json.loads(_path(workspace, corpus).read_bytes())]
    return []


def _opened(path: Path, contents: PackageContents, cache: Path | None) -> list[PackageCheck]:
    claims = contents.claims
    canonical = [number for number, claim in enumerate(claims) if claim.status is Status.CANONICAL]
    step = max(len(canonical) // _ASKED, 1)
    asked = canonical[::step][:_ASKED]
    try:
        # Opening compares every span with its document, and the content with its digest.
        with open_package(path, cache) as package:
            lost = [
                claims[number].id
                for number in asked
                if claims[number].id not in _found(package, claims[number].full_text, contents.claim_vectors[number])
            ]
    except PackageError as error:
        spans = PackageCheck(SPANS, error.code != "span-broken", error.message)
        return [spans, PackageCheck(OPENS, False, error.message)]
    except AipkError as error:
        return [PackageCheck(OPENS, False, str(error))]
    spans = PackageCheck(SPANS, True, f"{len(claims)} claims and {len(contents.chunks)} chunks")
    said = (
        f"does not find its own claims {', '.join(lost)}" if lost else f"{len(asked)} of its claims asked for and found"
    )
    return [spans, PackageCheck(OPENS, not lost, said)]


def _found(package: Any, text: str, vector: Any) -> set[str]:
    return {hit.item.id for hit in package.search_claims(text, vector, limit=20)}


def _grounded(contents: PackageContents) -> PackageCheck:
    canonical = [claim for claim in contents.claims if claim.status is Status.CANONICAL]
    without = [claim.id for claim in canonical if not any(place.quote.strip() for place in claim.evidence)]
    if without:
        return PackageCheck(GROUNDED, False, f"{len(without)} canonical claims stand nowhere, such as {without[0]}")
    return PackageCheck(GROUNDED, True, f"{len(canonical)} canonical claims")


def _coverage(now: Coverage, before: Coverage | None, max_drop_percent: int) -> PackageCheck:
    said = f"{now.canonical} canonical claims, {now.covered} of {now.documents} documents have one"
    if before is None:
        return PackageCheck(COVERAGE, True, said)
    said += f"; before: {before.canonical}, and {before.covered} of {before.documents}"
    floor = 100 - max_drop_percent
    dropped = now.canonical * 100 < before.canonical * floor or (
        # As a share: documents that are gone take nothing away from those that stay.
        now.covered * before.documents * 100 < before.covered * now.documents * floor
    )
    return PackageCheck(COVERAGE, not (dropped and before.canonical >= _FEW_CLAIMS), said)


def _path(workspace: Workspace, corpus: str) -> Path:
    return workspace.store / "records" / corpus / "package_checks.json"
