"""What must hold of a new package before it takes the place of the last one. One that fails is thrown away."""

from __future__ import annotations

import contextlib
import json
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from aipk_core.claims.model import Claim, Status
from aipk_core.embedding.model import Vectors
from aipk_core.errors import PackageError
from aipk_core.package.container import Container, writing
from aipk_core.package.reader import Package
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
) -> list[PackageCheck]:
    """Check the package at ``path``, which holds ``contents`` and is not published yet.

    Args:
        waiting: claims that wait for a person.
        before: what the last package covered; ``None`` for the first one, or when a drop is meant.
    """
    return [
        *_opened(path, contents),
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


def _opened(path: Path, contents: PackageContents) -> list[PackageCheck]:
    claims, vectors = contents.claims, contents.claim_vectors
    canonical = [number for number, claim in enumerate(claims) if claim.status is Status.CANONICAL]
    step = max(len(canonical) // _ASKED, 1)
    asked = canonical[::step][:_ASKED]
    # Every span of the contents was compared with its document before they were written; that the file holds these
    # contents is seen from its digests and from the claims asked for. Whoever opens it first compares everything again.
    spans = PackageCheck(SPANS, True, f"{len(claims)} claims and {len(contents.chunks)} chunks")
    try:
        with _unpacked(path) as package:
            lost = [claims[number].id for number in asked if not _finds(package, claims[number], vectors[number])]
            if package.claim_ids() != {claim.id for claim in claims}:
                return [spans, PackageCheck(OPENS, False, "it holds other claims than were put into it")]
    except PackageError as error:
        return [spans, PackageCheck(OPENS, False, error.message)]
    said = (
        f"does not find its own claims {', '.join(lost)}" if lost else f"{len(asked)} of its claims asked for and found"
    )
    return [spans, PackageCheck(OPENS, not lost, said)]


@contextlib.contextmanager
def _unpacked(path: Path) -> Iterator[Package]:
    """The package, unpacked for a moment beside it, with every member compared with its digest."""
    folder = Path(tempfile.mkdtemp(dir=path.parent, prefix=f"{path.name}.", suffix=".opened"))
    try:
        with Container(path) as container:
            with writing(path.parent):
                container.extract(folder)
            with Package(path, folder, container.manifest, "") as package:
                yield package
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _finds(package: Package, claim: Claim, vector: Vectors) -> bool:
    """Whether a search for a claim's own words and vector gives it back as it was put in."""
    hits = package.search_claims(claim.full_text, vector, limit=20)
    return any(hit.item.id == claim.id and hit.item.evidence == claim.evidence for hit in hits)


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
