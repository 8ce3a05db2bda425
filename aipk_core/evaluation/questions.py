"""The questions of a corpus: some with a gold answer and its source sentences, some that must be refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from aipk_core.corpus import Corpus
from aipk_core.errors import CorpusError
from aipk_core.settings_errors import explained, parse_toml


class GoldSentence(BaseModel):
    """An exact sentence of a document that a right answer rests on."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    document: str
    sentence: str = Field(min_length=1)


class Question(BaseModel):
    """One question; without gold sentences the documents do not answer it, and the right reply is a refusal."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    id: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")
    question: str = Field(min_length=1, max_length=2000)
    answer: str = Field(default="", max_length=10_000)
    gold: Annotated[tuple[GoldSentence, ...], Field(strict=False)] = ()

    @property
    def answerable(self) -> bool:
        return bool(self.gold)

    def record(self) -> dict[str, Any]:
        """The question as JSON values."""
        return self.model_dump(mode="json")


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    questions: list[Question]


def load_questions(corpus: Corpus) -> list[Question]:
    """The questions that ``[evaluation]`` of the corpus names.

    Raises:
        CorpusError: the file is missing or malformed, or two questions have one id.
    """
    name = corpus.settings.evaluation.questions
    where = str(corpus.folder / name)
    text = corpus.text_of("evaluation.questions", name)
    try:
        questions = _File.model_validate(parse_toml(text.encode())).questions
    except ValidationError as error:
        raise CorpusError(explained(error), where=where, remedy="Correct the file") from error
    except ValueError as error:
        raise CorpusError(str(error), where=where, remedy="Correct the file") from error
    ids = [question.id for question in questions]
    for name in ids:
        if ids.count(name) > 1:
            raise CorpusError(f"two questions have the id '{name}'", where=where, remedy="Give each its own id")
    return questions


def missing_gold(questions: list[Question], text_of: Callable[[str], str | None]) -> tuple[str, ...]:
    """A line for each gold sentence that its document does not hold: no answer can cite it, so the figures would be wrong.

    Args:
        text_of: the canonical text of a document, or ``None`` if there is no such document.
    """
    texts: dict[str, str | None] = {}
    lines = []
    for question in questions:
        for gold in question.gold:
            if gold.document not in texts:
                texts[gold.document] = text_of(gold.document)
            text = texts[gold.document]
            if text is None:
                lines.append(f"question '{question.id}': there is no document '{gold.document}'")
            elif gold.sentence not in text:
                lines.append(f"question '{question.id}': '{gold.document}' does not say: {gold.sentence}")
    return tuple(lines)
