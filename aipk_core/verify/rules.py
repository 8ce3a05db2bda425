"""Judges one statement against a few claims by rules alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from aipk_core.verify.alignment import Alignment, align
from aipk_core.verify.analysis import Analysis
from aipk_core.verify.checks import run_checks
from aipk_core.verify.findings import Finding


@dataclass(frozen=True, slots=True)
class RuleJudgement:
    """What the rules found: ``contradicted`` when one finding alone decides; ``coverage`` of the statement's content."""

    alignment: Alignment
    findings: tuple[Finding, ...]

    @property
    def contradicted(self) -> bool:
        return any(finding.contradicts for finding in self.findings)


def judge_by_rules(statement: Analysis, claims: Sequence[Analysis], *, parse: bool = True) -> RuleJudgement:
    """What the rules say; ``parse`` allows the checks that need a parser."""
    alignment = align(statement, claims)
    return RuleJudgement(alignment, tuple(run_checks(alignment, parse=parse)))
