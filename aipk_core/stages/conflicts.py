"""Stage ``conflicts``: pairs of claims that cannot both be true, and pairs that say the same."""

from __future__ import annotations

import json
from collections import Counter

import pyarrow as pa

from aipk_core.claims.conflicts import STAGE_VERSION, PairSettings, find_conflicts
from aipk_core.claims.llm_conflicts import ModelPairJudge
from aipk_core.claims.pairs import ClaimPair, PairKind
from aipk_core.hashing import digest
from aipk_core.stages.claims import read_claims
from aipk_core.stages.embeddings import read_vectors
from aipk_core.stages.model import StageContext, StageResult, inputs_digest, is_current
from aipk_core.store.manifest import Manifest

SCHEMA = pa.schema([(name, pa.string()) for name in ("kind", "a", "b", "reasons", "similarity", "judge")])


def conflicts_stage(context: StageContext) -> StageResult:
    """Compare each claim with its nearest neighbours and keep the pairs that a person should see."""
    claims = context.manifest("claims")
    embeddings = context.manifest("embeddings")
    table = context.corpus.settings.claims
    settings = PairSettings(neighbours=table.neighbours, min_similarity=table.min_similarity_percent / 100)
    fingerprint = digest(
        "conflicts", STAGE_VERSION, settings.neighbours, table.min_similarity_percent, table.conflicts, table.model
    )
    inputs = inputs_digest(fingerprint, claims.version, embeddings.version)
    current = is_current(context, "conflicts", inputs)
    if current is not None:
        return _result(context, current, unchanged=True)

    pairs: list[ClaimPair] = []
    judge = _model_judge(context) if table.engine == "llm" else None
    if table.conflicts != "off":
        all_claims = read_claims(claims)
        vectors = read_vectors(context, embeddings, "claim", [claim.id for claim in all_claims])
        pairs = find_conflicts(
            all_claims,
            vectors,
            settings,
            judge=judge,
            verdicts=context.workspace.cache("pair_verdicts"),
            progress=lambda done, total: context.progress("comparing claims", done, total),
        )
    rows = pa.Table.from_pylist([_row(pair) for pair in pairs], schema=SCHEMA)
    manifest = Manifest("conflicts", fingerprint, rows, {"inputs": inputs})
    context.workspace.write_manifest(context.corpus.name, manifest)
    return _result(context, manifest, unchanged=False)


def read_pairs(manifest: Manifest) -> list[ClaimPair]:
    """The pairs that the stage found, conflicts first."""
    return [
        ClaimPair(
            PairKind(row["kind"]),
            row["a"],
            row["b"],
            tuple(json.loads(row["reasons"])),
            float(row["similarity"]),
            row["judge"],
        )
        for row in manifest.rows.to_pylist()
    ]


def _model_judge(context: StageContext) -> ModelPairJudge:
    """Asks the model of ``[claims]`` about each conflict, and keeps its opinions in the store."""
    from aipk_core.claims.engines import open_model

    cache = context.workspace.cache("pair_opinions")
    table = context.corpus.settings.claims
    return ModelPairJudge(
        open_model(table),
        recall=lambda key: cache.get([key]).get(key),
        remember=lambda key, opinion: cache.put({key: opinion}),
        max_requests=table.max_requests,
    )


def _row(pair: ClaimPair) -> dict[str, str]:
    return {
        "kind": str(pair.kind),
        "a": pair.a,
        "b": pair.b,
        "reasons": json.dumps(pair.reasons, ensure_ascii=False),
        "similarity": f"{pair.similarity:.4f}",
        "judge": pair.judge,
    }


def _result(context: StageContext, manifest: Manifest, *, unchanged: bool) -> StageResult:
    kinds = Counter(manifest.column("kind"))
    rows = manifest.count
    return StageResult(
        "conflicts",
        rows,
        rows if unchanged else 0,
        0 if unchanged else rows,
        manifest.version,
        context.workspace.manifest_path(context.corpus.name, "conflicts"),
        unchanged=unchanged,
        facts={"conflicts": kinds[PairKind.CONFLICT], "duplicates": kinds[PairKind.DUPLICATE]},
        sample=tuple(manifest.head(10)),
    )
