"""Small stand-ins with the same contracts as the real parts, so that each rule of answering can be shown by itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from aipk_core.answer.model import Completion, Message, Sampling, Usage
from aipk_core.answer.question import stems_of
from aipk_core.chunks import Chunk
from aipk_core.claims.model import Claim
from aipk_core.errors import EmbedderError
from aipk_core.retrieval.model import ChunkHit, ClaimHit
from aipk_core.verify.model import ClaimMatch, Outcome, Report, UnitKind, UnitReport, Verdict, VerifiableClaim

_CITED = re.compile(r"\s*\[([^\]\s]+)\]")


class WordRetriever:
    """Finds claims by shared words; ``fail`` makes it behave like a package whose embedder is gone."""

    def __init__(self, claims: Sequence[Claim], *, fail: bool = False) -> None:
        self._claims = claims
        self._fail = fail

    def claims(self, query: str, *, limit: int = 8) -> list[ClaimHit]:
        if self._fail:
            raise EmbedderError("the embedder does not answer")
        asked = stems_of(query)
        hits = []
        for claim in self._claims:
            stems = stems_of(" ".join((*claim.context, claim.text)))
            share = len(asked & stems) / max(1, len(asked))
            hits.append(ClaimHit("ferry", claim, share, share))
        return sorted(hits, key=lambda hit: -hit.score)[:limit]

    def chunks(self, query: str, *, limit: int = 8) -> list[ChunkHit]:
        return [
            ChunkHit(
                hit.package,
                Chunk(f"c-{hit.claim.id}", hit.claim.evidence[0].document, 0, len(hit.claim.text), hit.claim.text),
                hit.similarity,
                hit.score,
            )
            for hit in self.claims(query, limit=limit)
        ]


class ExactJudge:
    """Supports a line only when it is, word for word, the text of a claim (of a cited one if citations are required)."""

    def __init__(self, claims: Sequence[Claim]) -> None:
        self._by_text = {" ".join(claim.text.split()).rstrip("."): claim for claim in claims}
        self._ids = {claim.id for claim in claims}

    def verify(self, answer: str, *, require_citations: bool = False) -> Report:
        units = [
            self._unit(match.group(), match.start(), require_citations) for match in re.finditer(r"[^\n]+", answer)
        ]
        factual = [unit for unit in units if unit.factual]
        supported = sum(unit.verdict is Verdict.SUPPORTED for unit in factual)
        counts: dict[str, int] = {}
        for unit in units:
            counts[unit.verdict.value] = counts.get(unit.verdict.value, 0) + 1
        outcome = Outcome.JUDGED if factual else Outcome.NOTHING_TO_CHECK
        if not answer.strip():
            outcome = Outcome.EMPTY
        elif units and all(unit.verdict is Verdict.REFUSAL for unit in units):
            outcome = Outcome.REFUSAL
        coverage = supported / len(factual) if factual else None
        return Report(answer, outcome, tuple(units), coverage, counts, "exact")

    def _unit(self, line: str, start: int, require_citations: bool) -> UnitReport:
        ids = _CITED.findall(line)
        bare = _CITED.sub("", line).strip()
        text = bare.removeprefix("- ").strip().rstrip(".")
        end = start + len(line)
        known = tuple(name for name in ids if name in self._ids)
        unknown = tuple(name for name in ids if name not in self._ids)
        if text.lower().startswith("i don't know"):
            return UnitReport(start, end, line, UnitKind.REFUSAL, Verdict.REFUSAL)
        if text.endswith("?") or text.lower() in ("hello", "here is what i found:"):
            return UnitReport(start, end, line, UnitKind.GREETING, Verdict.NOT_FACTUAL)
        claim = self._by_text.get(text) or self._by_text.get(text.partition(" — ")[2])
        good = claim is not None and (claim.id in known if require_citations else True) and not unknown
        matches = ()
        if claim is not None:
            matches = (ClaimMatch(VerifiableClaim(claim.id, claim.text), 1.0, claim.id in known),)
        verdict = Verdict.SUPPORTED if good else Verdict.NOT_FOUND
        return UnitReport(
            start,
            end,
            line,
            UnitKind.SENTENCE,
            verdict,
            citations=known,
            unknown_citations=unknown,
            claims=matches,
            score=1.0,
        )


class ScriptedBackend:
    """A language model that says what it is told, one reply after the other, and remembers what it was asked."""

    name = "scripted"

    def __init__(self, *replies: str | Exception | Callable[[Sequence[Message]], str], finish: str = "stop") -> None:
        self._replies = list(replies)
        self._finish = finish
        self.prompts: list[list[Message]] = []
        self.samplings: list[Sampling] = []

    def complete(self, messages: Sequence[Message], sampling: Sampling) -> Completion:
        self.prompts.append(list(messages))
        self.samplings.append(sampling)
        reply = self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]
        if isinstance(reply, Exception):
            raise reply
        text = reply if isinstance(reply, str) else reply(messages)
        return Completion(text, Usage(100, 10), self._finish)
