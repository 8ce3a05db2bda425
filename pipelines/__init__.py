"""Dagster's part: lineage, schedules, runs and their history. The work of every stage is in ``aipk_core.stages``."""
