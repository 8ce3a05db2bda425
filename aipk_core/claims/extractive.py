"""The extractive engine: sentences, list items and table cells that state a fact become claims as they stand.

It works on *units*, one prose block each, with everything around the block that its meaning depends on. A unit's claims
depend on nothing else, so an edit to one block re-extracts the claims of that block and of those that it introduces.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from aipk_core.claims.checks import Statement, run_checks
from aipk_core.claims.engine import Draft
from aipk_core.claims.references import points_back
from aipk_core.claims.statements import (
    TERMINAL,
    Candidate,
    joined_context,
    label_of,
    leans_on_heading,
    why_left_out,
    word_count,
)
from aipk_core.documents.model import Block, Document
from aipk_core.hashing import digest
from aipk_core.text.sentences import split_sentences
from aipk_core.text.spans import Span

STAGE_VERSION = 6

_MAX_CONTEXT_CHARACTERS = 300
_LONGEST_LABEL = 3
_THIS_THING = re.compile(r"this (?P<thing>[\w-]{4,})\b", re.IGNORECASE)
_LONGEST_CHAIN = 3
"""How many sentences that point back may follow each other before the first of them counts as out of sight."""


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
        context: heading path, lead-in, term, row header and column names, outermost first.
        form: ``prose``, ``item`` or ``cell``.
        before: the sentences that stand before the block, for words that point back; the nearest last.
        lead: the sentence that introduces the block's list, or the term that the block defines.
        term: whether ``lead`` is a term.
    """

    start: int
    text: str
    atoms: tuple[Span, ...]
    context: tuple[str, ...]
    form: str
    lang: str
    before: tuple[str, ...] = ()
    lead: str = ""
    term: bool = False


class ExtractiveEngine:
    """The engine that needs no model."""

    name = "extractive"
    commit_every = 50_000

    def __init__(self, settings: ExtractionSettings | None = None) -> None:
        self.settings = settings or ExtractionSettings()
        self._left_out: Counter[str] = Counter()

    def fingerprint(self) -> str:
        return self.settings.fingerprint()

    def work(self, document: Document) -> Iterator[Unit]:
        return units(document)

    def key(self, work: Unit) -> str:
        return digest(
            self.fingerprint(),
            work.text,
            [list(atom) for atom in work.atoms],
            list(work.context),
            work.form,
            work.lang,
            list(work.before),
            work.lead,
            work.term,
        )

    def extract(self, work: Sequence[Unit]) -> Iterator[tuple[int, list[Draft]]]:
        for number, unit in enumerate(work):
            yield number, extract(unit, self.settings, self._left_out)

    def figures(self) -> dict[str, int]:
        """Sentences left out in this run, by reason."""
        return {f"left out: {reason}": count for reason, count in sorted(self._left_out.items())}


def units(document: Document) -> Iterator[Unit]:
    """The units of ``document`` in reading order."""
    row_headers, header_cells = _rows(document)
    cell_labels, labels = _cell_labels(document)
    header_cells |= labels
    terms = _terms(document)
    before: tuple[str, ...] = ()
    last: Block | None = None
    for index, block in enumerate(document.blocks):
        if block.kind not in _CLAIM_KINDS or block.boilerplate or index in header_cells:
            before, last = (), None
            continue
        if not _continues(last, block):
            before = ()
        sentences = _sentences(document, block)
        term = terms.get(index, "")
        lead = term or _lead_in(document, block) or cell_labels.get(index, "")
        yield Unit(
            start=block.start,
            text=document.quote(block),
            atoms=tuple(atom.shifted(-block.start) for atom in block.atoms),
            context=_context(document, block, row_headers.get(index, ""), lead),
            form=_form(block),
            lang=document.lang,
            before=before if sentences and points_back(sentences[0], document.lang) else (),
            lead=lead,
            term=bool(term),
        )
        before = _chain((*before, *sentences), block.heading_path, document.lang)
        last = block


def extract(unit: Unit, settings: ExtractionSettings, left_out: Counter[str] | None = None) -> list[Draft]:
    """The claims of one unit, in reading order; ``left_out`` counts why other sentences are none."""
    drafts: list[Draft] = []
    said = list(unit.before)
    label = ""
    for span in split_sentences(unit.text, unit.lang, unit.atoms):
        text = span.of(unit.text)
        code = any(unit.text[atom.start : atom.end] == text.rstrip(".") for atom in unit.atoms)
        candidate = Candidate(text, unit.form, unit.lang, unit.context, unit.lead, code)
        reason = why_left_out(candidate, min_words=settings.min_words, max_characters=settings.max_characters)
        if reason:
            if left_out is not None:
                left_out[reason] += 1
        else:
            drafts.append(_draft(unit, span, text, said, label, settings))
        label = label or (label_of(text) if unit.form == "item" else "")
        said.append(text)
    return drafts


_CLAIM_KINDS = frozenset({"p", "li", "dd", "td", "blockquote", "summary", "figcaption", "caption", "footnote"})


def _draft(unit: Unit, span: Span, text: str, said: Sequence[str], label: str, settings: ExtractionSettings) -> Draft:
    complete = text.endswith(TERMINAL) and word_count(text) >= settings.min_words
    if unit.form == "cell":
        complete = complete and word_count(text) > settings.min_words
    points = bool(points_back(text, unit.lang))
    heading = _naming_heading(text, unit.context)
    antecedents = _chain(said, unit.context, unit.lang) if points and not heading else ()
    own_label = label_of(text) if unit.form == "item" else ""
    inherited = (label,) if label and not own_label and label not in antecedents else ()
    context = joined_context((*unit.context, *inherited, *map(_short, antecedents)))
    defined = heading or (unit.lead if unit.term else label)
    leans = not complete or bool(own_label or inherited) or unit.term or leans_on_heading(text, unit.lang)
    if leans or heading or unit.form == "cell":
        needed = context
    elif points:
        needed = tuple(map(_short, antecedents)) or context
    else:
        needed = ()
    statement = Statement(
        text, (text,), context, complete, " ".join(antecedents) or (defined if points else ""), unit.lang
    )
    kind = {"prose": "sentence", "item": "item", "cell": "row"}[unit.form]
    return Draft(text, context, kind, unit.lang, (span,), run_checks(statement), needed)


def _chain(said: Sequence[str], headings: Sequence[str], lang: str) -> tuple[str, ...]:
    """The last sentence that can be read alone and those after it; empty when it is not among the last few, or when
    something that is no statement stands between (a question, a label, "The limits are:")."""
    found: list[str] = []
    for sentence in reversed(said[-_LONGEST_CHAIN:]):
        if not sentence.endswith(TERMINAL):
            return ()
        found.insert(0, sentence)
        if not points_back(sentence, lang) or _naming_heading(sentence, headings):
            return tuple(found)
    return ()


def _naming_heading(text: str, headings: Sequence[str]) -> str:
    """The heading that says what a sentence begins with: "This handbook …" under "Staff handbook"; ``""`` if none does."""
    match = _THIS_THING.match(text)
    if match is None:
        return ""
    thing = match["thing"].casefold()
    return next((heading for heading in reversed(headings) if thing in heading.casefold().split()), "")


def _continues(last: Block | None, block: Block) -> bool:
    """Whether ``block`` is read on from ``last``: paragraphs of one section, or of one list item."""
    if last is None or last.heading_path != block.heading_path or block.kind == "td":
        return False
    if last.group is not None or block.group is not None:
        return last.group == block.group
    return last.kind == block.kind == "p"


def _form(block: Block) -> str:
    if block.kind == "td":
        return "cell"
    return "item" if block.kind in {"li", "dd"} else "prose"


def _context(document: Document, block: Block, row_header: str, lead: str) -> tuple[str, ...]:
    parts = list(block.heading_path)
    if not parts and document.title:
        parts = [document.title]
    if lead:
        parts.append(_short(lead).rstrip(":："))
    if row_header:
        parts.append(_short(row_header))
    parts.extend(_short(column) for column in block.columns[:1])
    return joined_context(parts)


def _lead_in(document: Document, block: Block) -> str:
    if block.lead_in is None or block.kind == "td":
        return ""
    sentences = _sentences(document, document.blocks[block.lead_in])
    return sentences[-1] if sentences else ""


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
        if len(cells) > 1 and not first.endswith(TERMINAL):
            names.add(cells[0])
    return headers, names


def _cell_labels(document: Document) -> tuple[dict[int, str], set[int]]:
    """Index of a block inside of a table cell -> the label above it in the cell ("Allowed values"); and the labels."""
    found: dict[int, str] = {}
    labels: set[int] = set()
    label = ""
    for index, (block, following) in enumerate(pairwise(document.blocks)):
        same_cell = bool(block.columns) and (block.group, block.columns) == (following.group, following.columns)
        text = document.quote(block)
        if not same_cell:
            label = ""
        elif block.kind == "td" and not text.endswith(TERMINAL) and word_count(text) <= _LONGEST_LABEL:
            label = text
            labels.add(index)
        if label:
            found[index + 1] = label
    return found, labels


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


def _sentences(document: Document, block: Block) -> list[str]:
    text = document.quote(block)
    if block.is_verbatim:
        return [text]
    atoms: Sequence[Span] = [atom.shifted(-block.start) for atom in block.atoms]
    return [span.of(text) for span in split_sentences(text, document.lang, atoms)]


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _MAX_CONTEXT_CHARACTERS else text[:_MAX_CONTEXT_CHARACTERS].rsplit(" ", 1)[0] + " …"
