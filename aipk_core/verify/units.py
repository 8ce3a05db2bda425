"""Cuts an answer into the units that are judged: sentences, list items, table rows, and what is not judged at all.

Every unit is a span of the answer. What the checks read is its *statement*: the unit without citations and markup, with
the lead-in of its list or the column names of its table in front, and a map from there back to the answer.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field

from aipk_core.text.languages import UNDETERMINED, detect_language
from aipk_core.text.sentences import split_sentences
from aipk_core.text.spans import Span, stripped
from aipk_core.verify.citations import Citation, CitationReader
from aipk_core.verify.model import UnitKind
from aipk_core.verify.phrases import is_aside, is_greeting, is_question, is_refusal

MAX_ANSWER = 400_000
"""Characters; a longer answer is an error of the caller."""


@dataclass(frozen=True, slots=True)
class Statement:
    """Text to judge, and where its pieces stand in the answer: ``(start in text, start in answer, length)``."""

    text: str
    pieces: tuple[tuple[int, int, int], ...] = ()

    def span_in_answer(self, start: int, end: int) -> tuple[int, int]:
        """The answer's span for ``text[start:end]``; from the first to the last piece touched."""
        first, last = self._place(start), self._place(max(start, end - 1))
        return first, max(first, last + 1) if end > start else first

    def _place(self, offset: int) -> int:
        if not self.pieces:
            return offset
        index = max(0, bisect_right(self.pieces, (offset, 1 << 60, 0)) - 1)
        start, answer_start, length = self.pieces[index]
        return answer_start + min(max(0, offset - start), max(0, length - 1))


@dataclass(frozen=True, slots=True)
class AnswerUnit:
    """One unit: ``answer[start:end]``. ``own_start`` is where the unit's own words begin in the statement."""

    start: int
    end: int
    kind: UnitKind
    statement: Statement
    citations: tuple[str, ...] = ()
    unknown_citations: tuple[str, ...] = ()
    cut_off: bool = False
    own_start: int = 0


@dataclass(frozen=True, slots=True)
class AnswerUnits:
    units: tuple[AnswerUnit, ...]
    lang: str
    cut_off: bool


FACTUAL_KINDS = (UnitKind.SENTENCE, UnitKind.LIST_ITEM, UnitKind.TABLE_ROW)


def read_units(answer: str, reader: CitationReader, lang: str | None = None) -> AnswerUnits:
    """The units of ``answer`` in order.

    Args:
        lang: BCP 47 tag of the answer; guessed when not given.
    """
    code = [Span(m.start(), m.end()) for m in _FENCE.finditer(answer)]
    reasoning = _reasoning_spans(answer, code)
    inline = [Span(m.start(), m.end()) for m in _INLINE_CODE.finditer(answer) if not _within(m.start(), code)]
    quoted_ids = [span for span in inline if not _is_only_ids(answer[span.start + 1 : span.end - 1], reader)]
    citations, definitions = reader.read(answer, [*code, *quoted_ids])
    masked = _masked(answer, [Span(c.start, c.end) for c in citations] + [Span(*d) for d in definitions])
    language = lang or detect_language(masked)
    language = "en" if language == UNDETERMINED else language
    raw = [_Raw(span.start, span.end, UnitKind.CODE) for span in code if not _within(span.start, reasoning)]
    raw += [_Raw(span.start, span.end, UnitKind.REASONING) for span in reasoning]
    raw += [_Raw(start, end, UnitKind.CITATION) for start, end in definitions if not _within(start, reasoning)]
    raw += _prose(answer, masked, [*code, *reasoning], language)
    raw.sort(key=lambda unit: unit.start)
    _attach(answer, masked, raw, [c for c in citations if not _within(c.start, reasoning)])
    cut = _cut_off(answer, raw, code, reasoning)
    units = [
        AnswerUnit(
            unit.start, unit.end, unit.kind, unit.statement or Statement(answer[unit.start : unit.end], ((0, unit.start, unit.end - unit.start),)),
            tuple(dict.fromkeys(unit.ids)), tuple(dict.fromkeys(unit.unknown)), cut and unit is raw[-1], unit.own_start,
        )
        for unit in raw
    ]  # fmt: skip
    return AnswerUnits(tuple(units), language, cut)


@dataclass(slots=True)
class _Raw:
    start: int
    end: int
    kind: UnitKind
    statement: Statement | None = None
    ids: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    own_start: int = 0


_FENCE = re.compile(
    r"^[ \t]*(```+|~~~+)[^\n]*\n(?:.*?\n)??[ \t]*\1[`~]*[ \t]*$|^[ \t]*(?:```+|~~~+)[^\n]*(?:\n.*)?\Z",
    re.MULTILINE | re.DOTALL,
)
_INLINE_CODE = re.compile(r"(?P<ticks>`{1,2})(?!`)[^`\n]{1,300}(?P=ticks)(?!`)")
_THINK = re.compile(
    r"<(?P<tag>think|thinking|reasoning|analysis|scratchpad)>.*?(?:</(?P=tag)>|\Z)", re.DOTALL | re.IGNORECASE
)
_ORPHAN_THINK = re.compile(r"\A.*?</(?:think|thinking|reasoning|analysis|scratchpad)>", re.DOTALL | re.IGNORECASE)
_HEADING = re.compile(r"[ \t]{0,3}#{1,6}\s|[ \t]*(?:\*\*|__)[^*_\n]{1,80}(?:\*\*|__)\s*[:：]?\s*$")
_ITEM = re.compile(
    r"(?P<indent>[ \t]*)(?P<mark>[-*+•‣▪◦–—]|\(?\d{1,3}[.)、]|\(?[a-zA-Z][.)]|[①-⑳])(?:[ \t]+|(?<=、)|(?<=[①-⑳]))(?:\[[ xX]\][ \t]+)?(?=\S)"
)
_TABLE_LINE = re.compile(r"[ \t]*\|?(?:[^|\n]*\|)+[^|\n]*$")
_TABLE_RULE = re.compile(r"[ \t]*\|?[ \t]*:?-{2,}:?[ \t]*(?:\|[ \t]*:?-{2,}:?[ \t]*)*\|?[ \t]*$")
_RULE = re.compile(r"[ \t]*(?:[-*_=][ \t]*){3,}$")
_QUOTE = re.compile(r"[ \t]*>[ \t]?")
_JSON_LIKE = re.compile(r"\s*[\[{].*[\]}]\s*\Z", re.DOTALL)
_MARKUP = re.compile(r"\*{1,3}|(?<!\w)_{1,2}(?=\S)|(?<=\S)_{1,2}(?!\w)|~~")
_WIDE_SPACE = re.compile(r"(?<=[ \t\n])[ \t\n]+|[ \t\n]+(?=[.,;:!?。，；！？](?:\s|\Z))")
_LINK = re.compile(r"!?\[([^\[\]\n]{0,300})\]\(([^()\s]{0,500})(?:\s+\"[^\"\n]*\")?\)")


def _reasoning_spans(answer: str, code: list[Span]) -> list[Span]:
    spans = [Span(m.start(), m.end()) for m in _THINK.finditer(answer) if not _within(m.start(), code)]
    if not spans and (orphan := _ORPHAN_THINK.match(answer)):
        spans.append(Span(orphan.start(), orphan.end()))
    return spans


def _is_only_ids(text: str, reader: CitationReader) -> bool:
    return any(citation.ids for citation in reader.read(f"[{text.strip('[] ')}]")[0])


def _masked(answer: str, spans: list[Span]) -> str:
    """The answer with the spans as spaces, so that all offsets stay."""
    if not spans:
        return answer
    chars = list(answer)
    for start, end in spans:
        for i in range(start, end):
            if chars[i] != "\n":
                chars[i] = " "
    return "".join(chars)


def _prose(answer: str, masked: str, holes: list[Span], lang: str) -> list[_Raw]:
    """Units of everything outside code and reasoning: block by block, sentence by sentence."""
    if not holes and _JSON_LIKE.match(masked) and _is_json(masked):
        span = stripped(masked, Span(0, len(masked)))
        return [_Raw(span.start, span.end, UnitKind.CODE)]
    out: list[_Raw] = []
    lead: Span | None = None
    lead_open = False
    header: list[tuple[Span, str]] = []
    paragraph: list[Span] = []
    table = False

    def flush() -> None:
        nonlocal lead, lead_open
        if paragraph:
            block = Span(paragraph[0].start, paragraph[-1].end)
            units = _sentences(answer, masked, block, lang)
            out.extend(units)
            last = masked[block.start : block.end].rstrip(" *_")
            lead, lead_open = None, False
            if units and last.endswith((":", "：")):
                lead, lead_open = Span(units[-1].start, units[-1].end), True
                units[-1].kind = UnitKind.HEADING
            paragraph.clear()

    lines = _lines(masked, holes)
    for number, line in enumerate(lines):
        text = masked[line.start : line.end]
        quote = _QUOTE.match(text)
        if quote:
            line = Span(line.start + quote.end(), line.end)
            text = masked[line.start : line.end]
        if not text.strip():
            flush()
            table = False
            header = []
            continue
        is_rule = bool(_TABLE_RULE.match(text)) and "|" in text
        if is_rule:
            table = True
            continue
        following = masked[lines[number + 1].start : lines[number + 1].end] if number + 1 < len(lines) else ""
        begins_table = "|" in text and "|" in following and bool(_TABLE_RULE.match(following))
        if begins_table:
            flush()
            header = [(cell, masked[cell.start : cell.end]) for cell in _cells(masked, line)]
            span = stripped(masked, line)
            out.append(_Raw(span.start, span.end, UnitKind.HEADING))
            continue
        if (table or (text.lstrip().startswith("|") and text.count("|") >= 2)) and _TABLE_LINE.match(text):
            flush()
            out.append(_row(masked, line, header))
            continue
        table = False
        if _RULE.match(text):
            flush()
            continue
        if _HEADING.match(text):
            flush()
            span = stripped(masked, line)
            out.append(_Raw(span.start, span.end, UnitKind.HEADING))
            lead_open = False
            continue
        if item := _ITEM.match(text):
            flush_lead = lead if lead_open or not paragraph else None
            if paragraph:
                flush()
                flush_lead = lead if lead_open else None
            body = Span(line.start + item.end(), line.end)
            out.extend(_items(answer, masked, line, body, flush_lead, lang))
            continue
        if out and out[-1].kind is UnitKind.LIST_ITEM and text[:1] in " \t" and not paragraph:
            # a wrapped line of the item above
            last = out[-1]
            end = stripped(masked, line).end
            if "\n" not in masked[last.end : line.start].strip(" \t").strip("\n"):
                last.end = end
                last.statement = _statement(answer, masked, [Span(last.start, end)])
                continue
        paragraph.append(line)
    flush()
    return out


def _lines(masked: str, holes: list[Span]) -> list[Span]:
    """Lines outside the holes; a hole ends a line."""
    spans: list[Span] = []
    at = 0
    for hole in (*sorted(holes), Span(len(masked), len(masked))):
        while at < hole.start:
            newline = masked.find("\n", at, hole.start)
            end = newline if newline >= 0 else hole.start
            spans.append(Span(at, end))
            at = end + 1
        if hole.start < hole.end:
            spans.append(Span(hole.start, hole.start))
        at = max(at, hole.end)
    return spans


def _sentences(answer: str, masked: str, block: Span, lang: str) -> list[_Raw]:
    text = masked[block.start : block.end]
    links = [Span(m.start(), m.end()) for m in _LINK.finditer(text)]
    units = []
    for piece in split_sentences(text, lang, links):
        span = piece.shifted(block.start)
        if not any(char.isalnum() for char in masked[span.start : span.end]):
            continue
        statement = _statement(answer, masked, [span])
        units.append(_Raw(span.start, span.end, _kind_of(statement.text), statement))
    return units


def _items(answer: str, masked: str, line: Span, body: Span, lead: Span | None, lang: str) -> list[_Raw]:
    """One list item is one unit, unless it has several sentences: then each is."""
    text = masked[body.start : body.end]
    pieces = [piece.shifted(body.start) for piece in split_sentences(text, lang)] if text.strip() else []
    pieces = [piece for piece in pieces if any(char.isalnum() for char in masked[piece.start : piece.end])]
    units = []
    for number, piece in enumerate(pieces):
        own = _statement(answer, masked, [piece])
        kind = _kind_of(own.text)
        kind = UnitKind.LIST_ITEM if kind is UnitKind.SENTENCE else kind
        joined = own
        own_start = 0
        if lead is not None and kind is UnitKind.LIST_ITEM and not is_aside(masked[lead.start : lead.end]):
            joined = _statement(answer, masked, [lead, piece])
            own_start = len(joined.text) - len(own.text)
        units.append(
            _Raw(piece.start if number else max(line.start, piece.start), piece.end, kind, joined, own_start=own_start)
        )
    return units


def _row(masked: str, line: Span, header: list[tuple[Span, str]]) -> _Raw:
    """A table row reads ``row name: column: value; column: value``."""
    span = stripped(masked, line)
    parts: list[tuple[str, int | None]] = []
    cells = _cells(masked, line)
    for number, cell in enumerate(cells):
        value = masked[cell.start : cell.end]
        if not value:
            continue
        name = header[number][1] if number < len(header) else ""
        if parts:
            parts.append((" · " if number == 1 else "; ", None))
        if name and number:
            parts.append((f"{name}: ", None))
        parts.append((value, cell.start))
    text, pieces = "", []
    for piece, start in parts:
        pieces.append((len(text), span.start if start is None else start, len(piece) if start is not None else 1))
        text += piece
    return _Raw(span.start, span.end, UnitKind.TABLE_ROW, Statement(text, tuple(pieces)))


def _cells(masked: str, line: Span) -> list[Span]:
    text = masked[line.start : line.end]
    inner = stripped(masked, line)
    start = inner.start + (1 if masked[inner.start : inner.start + 1] == "|" else 0)
    end = inner.end - (1 if text.rstrip().endswith("|") and inner.end > start else 0)
    cells, at = [], start
    for place in [i for i in range(start, end) if masked[i] == "|" and masked[i - 1] != "\\"] + [end]:
        cells.append(stripped(masked, Span(at, place)))
        at = place + 1
    return cells


def _statement(answer: str, masked: str, spans: list[Span]) -> Statement:
    """The words of the spans without markup, each piece mapped back."""
    text = ""
    pieces: list[tuple[int, int, int]] = []

    def add(start: int, end: int) -> None:
        nonlocal text
        if start < end:
            pieces.append((len(text), start, end - start))
            text += masked[start:end]

    for number, span in enumerate(spans):
        if number:
            text += " "
        at = span.start
        cuts: list[tuple[int, int]] = []
        for match in _LINK.finditer(masked, span.start, span.end):
            cuts += [(match.start(), match.start(1)), (match.end(1), match.end())]
        code = [Span(m.start(), m.end()) for m in _INLINE_CODE.finditer(masked, span.start, span.end)]
        for match in _MARKUP.finditer(masked, span.start, span.end):
            if not _within(match.start(), code) and not any(a <= match.start() < b for a, b in cuts):
                cuts.append(match.span())
        cuts += [
            match.span()
            for match in _WIDE_SPACE.finditer(masked, span.start, span.end)
            if not _within(match.start(), code)
        ]
        for start, end in sorted(cuts):
            add(at, start)
            at = max(at, end)
        add(at, span.end)
    return Statement(text, tuple(pieces))


def _kind_of(text: str) -> UnitKind:
    if is_question(text):
        return UnitKind.QUESTION
    if is_refusal(text):
        return UnitKind.REFUSAL
    if is_greeting(text):
        return UnitKind.GREETING
    if is_aside(text):
        return UnitKind.HEDGE
    if _JSON_LIKE.match(text) and _is_json(text):
        return UnitKind.CODE
    return UnitKind.SENTENCE


def _is_json(text: str) -> bool:
    import json

    if len(text) > 100_000:
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _attach(answer: str, masked: str, units: list[_Raw], citations: list[Citation]) -> None:
    """Gives each citation to the unit it belongs to: the one around it, else the one before it on its line, else the next."""
    judged = [unit for unit in units if unit.kind not in (UnitKind.CODE, UnitKind.REASONING, UnitKind.CITATION)]
    if not judged:
        return
    starts = [unit.start for unit in judged]
    leading = _leading_lines(masked, citations, judged)
    for citation in citations:
        index = bisect_right(starts, citation.start) - 1
        before = judged[index] if index >= 0 else None
        after = judged[index + 1] if index + 1 < len(judged) else None
        line_start = answer.rfind("\n", 0, citation.start) + 1
        if before is not None and citation.start < before.end:
            owner: _Raw | None = before
        elif line_start in leading and after is not None and answer.find("\n", citation.end, after.start) < 0:
            owner = after
        elif before is not None and (
            before.end > line_start or after is None or answer.find("\n", citation.end, after.start) >= 0
        ):
            owner = before
        else:
            owner = after or before
        assert owner is not None
        owner.ids += citation.ids
        owner.unknown += citation.unknown


def _leading_lines(masked: str, citations: list[Citation], units: list[_Raw]) -> set[int]:
    """Starts of lines whose citations stand before their sentences: first on the line, and none after its last word."""
    leading = set()
    for citation in citations:
        line_start = masked.rfind("\n", 0, citation.start) + 1
        line_end = masked.find("\n", citation.end)
        line_end = len(masked) if line_end < 0 else line_end
        before = masked[line_start : citation.start]
        opens = not before.strip(" \t-*+•>#0123456789.)(")
        last_word = max((i for i in range(line_start, line_end) if masked[i].isalnum()), default=-1)
        closes = any(other.start > last_word >= 0 and other.start < line_end for other in citations)
        if opens and last_word > citation.end and not closes:
            leading.add(line_start)
    return leading


_ENDS = ".!?…。！？؟।\"'”’)]】」』*_`:：;"
_OPEN_END = re.compile(
    r"(?:[,\-–—(/&]|\b(?:and|or|the|a|an|of|to|in|on|at|by|for|with|from|that|which|is|are|was|were|und|oder|der|die|das|et|ou|le|la|de|y|o|el|и|или|в|на|с))\s*\Z",
    re.IGNORECASE,
)


def _cut_off(answer: str, units: list[_Raw], code: list[Span], reasoning: list[Span]) -> bool:
    """Whether the answer stops in the middle: an open code block or reasoning, or a sentence without an end."""
    if not units:
        return False
    last = units[-1]
    tail = answer.rstrip()
    if last.kind is UnitKind.REASONING:
        return not re.search(r"</\w+>\s*\Z", tail)
    if last.kind is UnitKind.CODE and code and last.start == code[-1].start:
        fence = re.match(r"\s*(```+|~~~+)", answer[last.start :])
        return bool(fence) and not tail.endswith(fence[1]) if fence else False
    if last.kind not in (UnitKind.SENTENCE, UnitKind.LIST_ITEM, UnitKind.TABLE_ROW) or last.end < len(tail) - 1:
        return False
    text = answer[last.start : last.end].rstrip()
    if (_OPEN_END.search(text) and not text.endswith(("-", "–"))) or text.endswith(","):
        return True
    if last.kind is not UnitKind.SENTENCE or text[-1:] in _ENDS:
        return False
    earlier = [unit for unit in units[:-1] if unit.kind is UnitKind.SENTENCE]
    return any(answer[unit.start : unit.end].rstrip()[-1:] in ".!?。！？।" for unit in earlier)


def _within(at: int, spans: list[Span]) -> bool:
    return any(span.start <= at < span.end for span in spans)
