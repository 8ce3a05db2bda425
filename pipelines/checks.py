"""Dagster's asset checks: they show what the stages themselves have checked.

A package that fails a check is thrown away by the stage before it is published, whoever runs the stage. What Dagster shows
is the same fact, read from the same file, so no selection of assets can go around it.
"""

from collections.abc import Iterator

import dagster as dg

from aipk_core.corpus import Corpus
from aipk_core.stages import StageResult
from aipk_core.stages.package_checks import PACKAGE_CHECKS, PackageCheck, read_checks
from aipk_core.store.workspace import Workspace

NO_FAILURES = "documents_read"


def check_specs(corpus: Corpus, stage: str) -> list[dg.AssetCheckSpec]:
    """The checks that the asset of ``stage`` reports."""
    key = dg.AssetKey([corpus.name, stage])
    if stage == "package":
        return [
            dg.AssetCheckSpec(name, asset=key, description=said, blocking=False)
            for name, said in PACKAGE_CHECKS.items()
        ]
    if stage == "documents":
        return [dg.AssetCheckSpec(NO_FAILURES, asset=key, description="Every file of the sources could be read.")]
    return []


def check_results(corpus: Corpus, workspace: Workspace, result: StageResult) -> Iterator[dg.AssetCheckResult]:
    """What to report after ``result``."""
    key = dg.AssetKey([corpus.name, result.stage])
    if result.stage == "documents":
        failed = int(result.facts.get("failures", 0))
        yield _result(key, PackageCheck(NO_FAILURES, not failed, f"{failed} files could not be read", blocking=False))
    if result.stage == "package":
        yield from package_check_results(corpus, workspace, result.waiting)


def package_check_results(corpus: Corpus, workspace: Workspace, waiting: str = "") -> Iterator[dg.AssetCheckResult]:
    """One result for each check of the package; what was not checked has not passed."""
    key = dg.AssetKey([corpus.name, "package"])
    known = {check.name: check for check in read_checks(workspace, corpus.name)} if not waiting else {}
    for name in PACKAGE_CHECKS:
        unknown = PackageCheck(name, False, waiting or "not checked", blocking=False)
        yield _result(key, known.get(name, unknown))


def _result(key: dg.AssetKey, check: PackageCheck) -> dg.AssetCheckResult:
    severity = dg.AssetCheckSeverity.ERROR if check.blocking else dg.AssetCheckSeverity.WARN
    return dg.AssetCheckResult(
        asset_key=key, check_name=check.name, passed=check.passed, severity=severity, description=check.detail[:2000]
    )
