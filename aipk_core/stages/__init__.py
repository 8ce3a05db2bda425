"""The stages of a build. Each is a plain function that reads the output of the stages before it from the store, does
what has not been done yet, and commits its own output in one step."""

from __future__ import annotations

from aipk_core.stages.model import Progress, StageContext, StageResult, no_progress, run_timed
from aipk_core.stages.registry import STAGES, Stage

__all__ = ["STAGES", "Progress", "Stage", "StageContext", "StageResult", "no_progress", "run_timed"]
