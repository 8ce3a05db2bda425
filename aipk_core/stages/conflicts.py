"""Stage ``conflicts``: pairs of claims that cannot both be true, and pairs that say the same."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, overload

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from aipk_core.claims.conflicts import STAGE_VERSION, Comparison, PairSettings, compare, pairs_found
from aipk_core.claims.llm_conflicts import ModelPairJudge
from aipk_core.claims.model import Claim
from aipk_core.claims.pairs import ClaimPair, PairKind
from aipk_core.hashing import digest
from aipk_core.stages.comparisons import comparison_key, read_comparison, write_comparison
from aipk_core.stages.embeddings import read_vectors, vector_keys
from aipk_core.stages.model import StageContext, StageResult, inputs_digest, is_current
from aipk_core.store.manifest import Manifest

SCHEMA = pa.schema([(name, pa.string()) for name in ("kind", "a", "b", "reasons", "similarity", "judge")])
_CLAIMS_AT_HAND = 4096


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
    facts: dict[str, Any] = {"inputs": inputs, "comparison": ""}
    judge = _model_judge(context) if table.engine == "llm" else None
    if table.conflicts != "off":
        listed = _Listed(claims)
        compared, facts["comparison"] = _compared(context, embeddings, listed, settings)
        pairs = pairs_found(compared, listed, judge)
    rows = pa.Table.from_pylist([_row(pair) for pair in pairs], schema=SCHEMA)
    manifest = Manifest("conflicts", fingerprint, rows, facts)
    context.workspace.write_manifest(context.corpus.name, manifest)
    return _result(context, manifest, unchanged=False, calls=judge.requests if judge is not None else 0)


class _Listed(Sequence[Claim]):
    """The claims of a manifest without their places, made when somebody asks for one: few are looked at."""

    def __init__(self, manifest: Manifest) -> None:
        table = manifest.columns("id", "text", "context", "kind", "lang")
        self.ids, self._texts, self._contexts, self._kinds, self._langs = (
            column.to_pylist() for column in table.columns
        )
        self._recent = lru_cache(maxsize=_CLAIMS_AT_HAND)(self._made)

    def __len__(self) -> int:
        return len(self.ids)

    @overload
    def __getitem__(self, number: int) -> Claim: ...
    @overload
    def __getitem__(self, number: slice) -> Sequence[Claim]: ...
    def __getitem__(self, number: int | slice) -> Claim | Sequence[Claim]:
        if isinstance(number, slice):
            return [self._made(one) for one in range(*number.indices(len(self.ids)))]
        return self._recent(int(number))

    def marks(self, keys: Sequence[str]) -> npt.NDArray[np.int64]:
        """A number for each claim that stands for its vector, found by ``keys``, and for all that the rules look at."""
        rows = zip(keys, self._contexts, self._kinds, self._langs, strict=True)  # the key stands for the text as well
        hashed = (hashlib.blake2b("\0".join(row).encode("utf-8", "surrogatepass"), digest_size=8) for row in rows)
        return np.frombuffer(b"".join(one.digest() for one in hashed), dtype="<i8").astype(np.int64)

    def _made(self, number: int) -> Claim:
        context = tuple(json.loads(self._contexts[number]))
        name, text = self.ids[number], self._texts[number]
        return Claim(name, text, context, (), kind=self._kinds[number], lang=self._langs[number])


def _compared(
    context: StageContext, embeddings: Manifest, claims: _Listed, settings: PairSettings
) -> tuple[Comparison, str]:
    """The claims compared with their neighbours, and where the store has the outcome; it starts from the last one."""
    marks = claims.marks(vector_keys(embeddings, "claim", claims.ids))
    key = comparison_key(settings, claims.ids, marks)
    compared = read_comparison(context, key) if not context.force else None
    if compared is None:
        previous = context.workspace.read_manifest(context.corpus.name, "conflicts")
        last = str(previous.facts.get("comparison", "")) if previous is not None and not context.force else ""
        compared = compare(
            claims,
            claims.ids,
            marks,
            read_vectors(context, embeddings, "claim", claims.ids),
            settings,
            before=read_comparison(context, last),
            progress=lambda done, total: context.progress("comparing claims", done, total),
        )
        write_comparison(context, key, compared)
    return compared, key


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


def _result(context: StageContext, manifest: Manifest, *, unchanged: bool, calls: int = 0) -> StageResult:
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
        model_calls=calls,
        facts={"conflicts": kinds[PairKind.CONFLICT], "duplicates": kinds[PairKind.DUPLICATE]},
        sample=tuple(manifest.head(10)),
    )
