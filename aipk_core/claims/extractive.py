"""The extractive engine: sentences, list items and table cells that state a fact become claims as they stand.

It works on *units*, one prose block each, with everything around the block that its meaning depends on. A unit's claims
depend on nothing else, so an edit to one block re-extracts the claims of that block and of those that it introduces.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from aipk_core.claims.checks import Statement, points_back, run_checks
from aipk_core.claims.identity import claim_id
from aipk_core.claims.model import Check
from aipk_core.documents.model import Block, Document
from aipk_core.hashing import digest
from aipk_core.text.sentences import split_sentences
from aipk_core.text.spans import Span

STAGE_VERSION = 2

_MAX_CONTEXT_CHARACTERS = 300
_TERMINAL = (".", "!", "。", "！", "．", "।", "۔", ".)", ".”", '."', ".’", "!)", "。」", "。）")
_QUESTION = ("?", "？", "؟", "?)", '?"', "?”", "？」")
_WORD = re.compile(r"\w+")
# Each character of these scripts counts as half a word: they are written without spaces.
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\u0e00-\u0e7f]")
_NAVIGATION = re.compile(
    r"(?:(?:please |also )?(?:see|refer to|read|check out|visit|consult|click|learn|browse|go to|jump to|follow|"
    r"continue to|return to|find out|take a look)\b|"
    r"(?:for|to) (?:more|further|additional|details?|learn|find|see|get|read|know)\b[^.]{0,80}?\b"
    r"(?:see|refer to|read|check|visit|consult|take a look at|click|learn)\b|"
    r"(?:this|the following|the next|the rest of this) (?:page|section|document|guide|tutorial|topic|task|table|"
    r"article|list|chapter)\b|in this (?:page|section|document|guide|tutorial|task)\b|"
    r"you (?:can|may) (?:also )?(?:read|find|learn|see) more\b|"
    r"(?:siehe|weitere informationen|mehr dazu)\b|(?:см\.|подробнее|смотрите)\s)",
    re.IGNORECASE,
)
_INSTRUCTION = re.compile(
    r"(?:now |next,? |then |first,? |finally,? |optionally,? |again,? )?"
    r"(?:run|type|enter|open|press|select|choose|create|install|download|copy|paste|save|edit|apply|delete|verify|"
    r"wait|try|repeat|make sure|ensure|execute|start by|use the following)\b",
    re.IGNORECASE,
)
_EMPTY_VALUES = frozenset({"-", "–", "—", "n/a", "na", "none", "…", "...", "✓", "✗", "?", "tbd"})


@dataclass(frozen=True, slots=True)
class ExtractionSettings:
    """What affects the output of the engine."""

    min_words: int = 3
    max_characters: int = 600

    def fingerprint(self) -> str:
        """Digest of the engine's version and of these settings."""
        return digest("extractive", STAGE_VERSION, self.min_words, self.max_characters)


@dataclass(frozen=True, slots=True)
class Unit:
    """One prose block with all that its claims depend on.

    Attributes:
        start: where the block starts in its document.
        text: the block's text.
        atoms: inline code, as offsets in ``text``.
        context: heading path, lead-in, row header and column names, outermost first.
        form: ``prose``, ``item`` or ``cell``.
        before: the sentence that stands before the block, for words that point back.
    """

    start: int
    text: str
    atoms: tuple[Span, ...]
    context: tuple[str, ...]
    form: str
    lang: str
    before: str

    def key(self, settings: ExtractionSettings) -> str:
        """Digest of everything that the claims of this unit are computed from, but for its place."""
        return digest(
            settings.fingerprint(),
            self.text,
            [list(atom) for atom in self.atoms],
            list(self.context),
            self.form,
            self.lang,
            self.before,
        )


@dataclass(frozen=True, slots=True)
class Draft:
    """A claim that has no evidence yet: offsets are those of its unit's text, ``unit.text[start:end] == text``."""

    id: str
    text: str
    context: tuple[str, ...]
    kind: str
    lang: str
    start: int
    end: int
    checks: tuple[Check, ...]

    def to_json(self) -> dict[str, Any]:
        checks = [[check.name, check.passed, check.reason] for check in self.checks]
        return {
            "id": self.id,
            "text": self.text,
            "context": list(self.context),
            "kind": self.kind,
            "lang": self.lang,
            "start": self.start,
            "end": self.end,
            "checks": checks,
        }

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Draft:
        checks = tuple(Check(*check) for check in value["checks"])
        return cls(**{**value, "context": tuple(value["context"]), "checks": checks})


def units(document: Document) -> Iterator[Unit]:
    """The units of ``document`` in reading order."""
    row_headers, header_cells = _rows(document)
    terms = _terms(document)
    before = ""
    for index, block in enumerate(document.blocks):
        if block.is_heading:
            before = ""
            continue
        if block.kind in _CLAIM_KINDS and not block.boilerplate and index not in header_cells:
            text = document.quote(block)
            yield Unit(
                start=block.start,
                text=text,
                atoms=tuple(atom.shifted(-block.start) for atom in block.atoms),
                context=_context(document, block, row_headers.get(index, ""), terms.get(index, "")),
                form=_form(block),
                lang=document.lang,
                before=before if block.kind == "p" else "",
            )
            if block.kind == "p":
                before = _last_sentence(document, block)


def extract(unit: Unit, settings: ExtractionSettings) -> list[Draft]:
    """The claims of one unit, in reading order."""
    drafts: list[Draft] = []
    before = unit.before
    for span in split_sentences(unit.text, unit.lang, unit.atoms):
        text = span.of(unit.text)
        draft = _draft(unit, span, text, before, settings)
        if draft is not None:
            drafts.append(draft)
        before = text
    return drafts


_CLAIM_KINDS = frozenset({"p", "li", "dd", "td", "blockquote", "summary", "figcaption", "caption", "footnote"})


def _draft(unit: Unit, span: Span, text: str, before: str, settings: ExtractionSettings) -> Draft | None:
    if not _states_something(text, unit, settings):
        return None
    complete = text.endswith(_TERMINAL) and _words(text) >= settings.min_words and unit.form != "cell"
    if unit.form == "cell":
        complete = text.endswith(_TERMINAL) and _words(text) > settings.min_words
    if unit.form == "prose" and not complete:
        return None  # a paragraph without a full stop is a label, a caption or a cut sentence
    back = points_back(text)
    antecedent = before if back and before and not points_back(before) and not before.endswith((":", "?")) else ""
    context = unit.context
    if antecedent:
        context = (*context, _short(antecedent))
    needed = () if complete and not back and not _is_labelled(text, unit) else context
    statement = Statement(text, (text,), context, complete, antecedent)
    return Draft(
        id=claim_id(text, needed, unit.lang),
        text=text,
        context=context,
        kind={"prose": "sentence", "item": "item", "cell": "row"}[unit.form],
        lang=unit.lang,
        start=span.start,
        end=span.end,
        checks=run_checks(statement),
    )


def _states_something(text: str, unit: Unit, settings: ExtractionSettings) -> bool:
    if len(text) > settings.max_characters or text.endswith(_QUESTION) or text.endswith((":", "：")):
        return False
    if not any(character.isalnum() for character in text):
        return False
    if unit.form == "cell":
        if text.casefold() in _EMPTY_VALUES:
            return False
        return bool(unit.context)
    if _words(text) < settings.min_words:
        return False
    if _is_code_only(text, unit):
        return False
    return _NAVIGATION.match(text) is None and _INSTRUCTION.match(text) is None


def _is_code_only(text: str, unit: Unit) -> bool:
    return any(unit.text[atom.start : atom.end] == text.rstrip(".") for atom in unit.atoms)


def _is_labelled(text: str, unit: Unit) -> bool:
    """Whether an item starts with a label ("Response: …"), so that its meaning hangs on the headings above it."""
    head, colon, _ = text.partition(": ")
    return unit.form == "item" and bool(colon) and _words(head) <= 4


def _words(text: str) -> int:
    unspaced = len(_UNSPACED.findall(text))
    return len(_WORD.findall(_UNSPACED.sub(" ", text))) + unspaced // 2


def _form(block: Block) -> str:
    if block.kind == "td":
        return "cell"
    return "item" if block.kind in {"li", "dd"} else "prose"


def _context(document: Document, block: Block, row_header: str, term: str) -> tuple[str, ...]:
    parts = list(block.heading_path)
    if not parts and document.title:
        parts = [document.title]
    if block.lead_in is not None and block.kind != "td":
        parts.append(_short(_last_sentence(document, document.blocks[block.lead_in])).rstrip(":："))
    if term:
        parts.append(_short(term))
    if row_header:
        parts.append(_short(row_header))
    parts.extend(_short(column) for column in block.columns[:1])
    return tuple(part for part in parts if part)


def _rows(document: Document) -> tuple[dict[int, str], set[int]]:
    """Index of a table cell -> text of the first cell of its row; and the first cells that only name their row.

    A first cell that is a sentence, or the only one of its row, says something itself.
    """
    rows: dict[int, list[int]] = defaultdict(list)
    for index, block in enumerate(document.blocks):
        if block.kind in {"td", "th"} and block.group is not None:
            rows[block.group].append(index)
    headers: dict[int, str] = {}
    names: set[int] = set()
    for cells in rows.values():
        first = document.quote(document.blocks[cells[0]])
        for index in cells[1:]:
            headers[index] = first
        if len(cells) > 1 and not first.endswith(_TERMINAL):
            names.add(cells[0])
    return headers, names


def _terms(document: Document) -> dict[int, str]:
    """Index of a ``dd`` -> text of the ``dt`` above it."""
    found: dict[int, str] = {}
    term = ""
    for index, block in enumerate(document.blocks):
        if block.kind == "dt":
            term = document.quote(block)
        elif block.kind == "dd":
            found[index] = term
        elif block.is_heading:
            term = ""
    return found


def _last_sentence(document: Document, block: Block) -> str:
    text = document.quote(block)
    atoms: Sequence[Span] = [atom.shifted(-block.start) for atom in block.atoms]
    spans = split_sentences(text, document.lang, atoms)
    return spans[-1].of(text) if spans else text


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _MAX_CONTEXT_CHARACTERS else text[:_MAX_CONTEXT_CHARACTERS].rsplit(" ", 1)[0] + " …"
