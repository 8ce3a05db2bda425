"""Citations in every form that language models write, and what only looks like one.

Known ids decide: ``[x]`` is a citation when a claim is called ``x``, whatever it looks like. An id that no claim has is
reported when it has the shape of the known ones. Check boxes, links, array subscripts and footnote texts are left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

MAX_GROUP = 400
"""Longest text between two brackets that is read as a list of ids."""


@dataclass(frozen=True, slots=True)
class Citation:
    """``answer[start:end]`` cites ``ids``; ``unknown`` are ids that no claim has."""

    start: int
    end: int
    ids: tuple[str, ...]
    unknown: tuple[str, ...] = ()


class CitationReader:
    """Finds citations of a given set of claims.

    Args:
        known: ids of the claims; any strings.
        foreign: ids of claims that exist elsewhere (another package): cited, they are unknown here.
    """

    def __init__(self, known: Iterable[str], foreign: Iterable[str] = ()) -> None:
        self._known = {" ".join(id_.split()): id_ for id_ in known}
        self._folded = {key.casefold(): id_ for key, id_ in self._known.items()}
        self._foreign = frozenset(foreign) - set(self._known.values())
        self._shapes = {_shape(key) for key in (*self._known, *self._foreign)}
        self._distinct = {key: id_ for key, id_ in self._known.items() if _stands_out(key)}

    def read(self, answer: str, code: Iterable[tuple[int, int]] = ()) -> tuple[list[Citation], list[tuple[int, int]]]:
        """Citations of ``answer`` in order, and the spans of footnote definitions and source lists, which state nothing.

        Args:
            code: spans in which nothing is a citation.
        """
        spans = list(code)
        notes, definitions = self._footnotes(answer, spans)
        found: list[Citation] = []
        for match in _GROUP.finditer(answer):
            if _inside(match.start(), (*spans, *definitions)):
                continue
            inner = next(group for group in match.groups() if group is not None)
            if (citation := self._citation(answer, match.start(), match.end(), inner, notes)) is not None:
                found.append(citation)
        for match in _SUPERSCRIPTS.finditer(answer):
            if _inside(match.start(), (*spans, *definitions)) or not notes:
                continue
            label = match[0].translate(_FROM_SUPERSCRIPT)
            if label in notes:
                found.append(Citation(match.start(), match.end(), *notes[label]))
        found += self._bare(answer, [*spans, *definitions, *((c.start, c.end) for c in found)])
        found.sort(key=lambda citation: citation.start)
        return found, definitions

    def _citation(
        self, answer: str, start: int, end: int, inner: str, notes: dict[str, tuple[tuple[str, ...], tuple[str, ...]]]
    ) -> Citation | None:
        opening = answer[start]
        before = answer[start - 1] if start else " "
        label = inner.strip().lstrip("^").strip()
        if opening == "[" and (
            inner in ("", " ", "x", "X") and _is_check_box(answer, start) and label not in self._known
        ):
            return None
        linked = opening == "[" and answer[end : end + 1] == "("
        if label in notes and not linked and opening != "(":
            return Citation(start, end, *notes[label])
        ids, unknown, other = self._split(inner)
        if opening in "(（":
            return (
                Citation(start, end, ids, unknown)
                if ids and not other and all(_stands_out(id_) for id_ in ids)
                else None
            )
        if linked:
            close = answer.find(")", end)
            if not ids or other or close < 0:
                return None
            return Citation(start, close + 1, ids, unknown)
        if ids and not (other and opening != "【"):
            return Citation(start, end, ids, unknown)
        if (
            unknown
            and not other
            and not (opening == "[" and (before.isalnum() or before in "_)]") and _is_subscript(inner))
        ):
            return Citation(start, end, (), unknown)
        if opening == "【" and "†" in inner:
            return Citation(start, end, (), (inner.strip(),))
        return None

    def _split(self, inner: str) -> tuple[tuple[str, ...], tuple[str, ...], bool]:
        """Known ids, unknown ids, and whether anything else stands in the group."""
        whole = " ".join(inner.split())
        if (id_ := self._find(whole)) is not None:
            return (id_,), (), False
        ids: list[str] = []
        unknown: list[str] = []
        other = False
        for part in _SEPARATOR.split(whole):
            part = _LEAD.sub("", part).strip(" \t[]【】`'\"^*")
            if not part:
                continue
            if (id_ := self._find(part)) is not None:
                ids.append(id_)
                continue
            pieces = part.split()
            if len(pieces) > 1 and all(self._find(piece) is not None or self._looks_like_id(piece) for piece in pieces):
                for piece in pieces:
                    id_ = self._find(piece)
                    (ids if id_ is not None else unknown).append(id_ or piece)
            elif self._looks_like_id(part):
                unknown.append(part)
            else:
                other = True
        return tuple(dict.fromkeys(ids)), tuple(dict.fromkeys(unknown)), other

    def _find(self, text: str) -> str | None:
        return self._known.get(text) or self._folded.get(text.casefold())

    def _looks_like_id(self, text: str) -> bool:
        return text in self._foreign or (len(text) <= 80 and _shape(text) in self._shapes and not text.isalpha())

    def _footnotes(
        self, answer: str, code: list[tuple[int, int]]
    ) -> tuple[dict[str, tuple[tuple[str, ...], tuple[str, ...]]], list[tuple[int, int]]]:
        """Footnote labels with the ids that their definitions name, and where the definitions stand."""
        notes: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {}
        spans: list[tuple[int, int]] = []
        in_list = False
        for match in _LINE.finditer(answer):
            line = match[0]
            if not line.strip() or _inside(match.start(), code):
                continue
            if _SOURCES_HEADING.fullmatch(line):
                in_list = True
                spans.append(match.span())
                continue
            if _SOURCES_LINE.match(line):
                body = line.split(":", 1)[-1] if ":" in line else line.split("：", 1)[-1]
                if any(
                    self._find(part.strip(" []`.*")) or self._looks_like_id(part.strip(" []`.*"))
                    for part in _SEPARATOR.split(body)
                ):
                    spans.append(match.span())
                    continue
            definition = _DEFINITION.match(line) or (in_list and _LISTED.match(line)) or None
            if definition is None:
                in_list = False
                continue
            label = definition["label"].translate(_FROM_SUPERSCRIPT)
            words = re.split(r"[\s,;()\[\]【】`\"“”]+", definition["text"])
            ids = [id_ for word in words if (id_ := self._find(word.strip(".:*"))) is not None]
            if not ids and (id_ := self._find(" ".join(definition["text"].split()).strip(" .[]`"))) is not None:
                ids = [id_]
            unknown = () if ids else tuple(w.strip(".:*") for w in words if self._looks_like_id(w.strip(".:*")))
            if not (ids or unknown) and not (in_list or "^" in line[:4]):
                continue
            if label not in self._known:
                notes[label] = (tuple(dict.fromkeys(ids)), unknown)
            spans.append(match.span())
        return notes, spans

    def _bare(self, answer: str, taken: list[tuple[int, int]]) -> list[Citation]:
        """Ids without brackets, such as ``Source: c-1a2b``; only ids that no ordinary word looks like."""
        if not self._distinct:
            return []
        found = []
        for match in _BARE.finditer(answer):
            id_ = self._distinct.get(match["id"].rstrip(".,;:"))
            if id_ is not None and not _inside(match.start("id"), taken):
                end = match.start("id") + len(match["id"].rstrip(".,;:"))
                found.append(Citation(match.start(), end, (id_,)))
        return found


_GROUP = re.compile(
    rf"\[\[([^\[\]\n]{{1,{MAX_GROUP}}})\]\]|\[([^\[\]\n]{{0,{MAX_GROUP}}})\]|【([^【】\n]{{1,{MAX_GROUP}}})】|［([^［］\n]{{1,{MAX_GROUP}}})］"
    rf"|[(（]([^()（）\n]{{1,{MAX_GROUP}}})[)）]|(?<!\w)\^([^\s^]{{1,80}})\^|<sup>([^<>\n]{{1,{MAX_GROUP}}})</sup>|⟦([^⟦⟧\n]{{1,{MAX_GROUP}}})⟧"
)
_SEPARATOR = re.compile(r"\s*(?:[,;、，；|]|\band\b|\s&\s|\]\s*\[)\s*")
_LEAD = re.compile(
    r"^\s*(?:sources?|refs?|references?|see|cf\.?|claims?|ids?|cite|citation|quelle[n]?|источник(?:и)?|출처|来源|出典)\s*[:：]?\s*(?=\S)",
    re.IGNORECASE,
)
_SUPERSCRIPTS = re.compile(r"(?<=\S)[¹²³⁰⁴-⁹]+")
_FROM_SUPERSCRIPT = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_LINE = re.compile(r"[^\n]+")
_DEFINITION = re.compile(
    r"\s*(?:\[\^?|(?=[¹²³⁰⁴-⁹]))(?P<label>[^\[\]\s:：]{1,40}?)(?:\]\s*[:：]|(?<=[¹²³⁰⁴-⁹])(?![¹²³⁰⁴-⁹])[:：]?)\s*(?P<text>\S.*)"
)
_LISTED = re.compile(
    r"\s*(?:[-*•]\s*)?(?:\[\^?|\()?(?P<label>\d{1,3}|[^\s\[\]()]{1,60})(?:[\]).:]+\s*|\s+[-–—:]\s+|$)(?P<text>.*)"
)
_SOURCES_HEADING = re.compile(
    r"\s*(?:#{1,6}\s*)?(?:\*\*|__)?\s*(?:sources?|references?|citations?|footnotes?|quellen|literatur|fuentes|références|источники|ссылки|출처|참고|来源|参考|出典)\s*[:：]?\s*(?:\*\*|__)?\s*[:：]?\s*",
    re.IGNORECASE,
)
_SOURCES_LINE = re.compile(
    r"\s*[(*_]*(?:sources?|references?|citations?|quellen?|fuentes?|источники?|출처|来源|出典)[*_]*\s*[:：]",
    re.IGNORECASE,
)
_BARE = re.compile(
    r"(?:\b(?:source|ref|see|claim)s?:?\s+)?(?<![\w/.-])(?P<id>[\w][\w.:-]{3,79})(?![\w/])", re.IGNORECASE
)


def _is_check_box(answer: str, start: int) -> bool:
    line = answer[answer.rfind("\n", 0, start) + 1 : start]
    return not line.strip(" \t-*+0123456789.)")


def _is_subscript(inner: str) -> bool:
    return inner.strip().lstrip("-").isdigit() or inner.strip().isidentifier()


def _shape(text: str) -> str:
    """Letters, digits and joints of an id: ``c-9f3a`` and ``c-01bd`` have one shape."""
    head = re.match(r"[^\W\d_]*[-_:.#]|[^\W\d_]*(?=\d)", text)
    prefix = head[0] if head else ""
    rest = text[len(prefix) :]
    classes = re.sub(r"[^\W_]+", "w" if re.search(r"[^\W\d_]", rest) else "9", rest)
    return f"{prefix}|{re.sub(r'w', '9', classes)}" if prefix else f"|{classes}:{len(text)}"


def _stands_out(id_: str) -> bool:
    return (
        len(id_) >= 4
        and bool(re.search(r"\d", id_))
        and bool(re.search(r"[^\W\d_]", id_))
        and bool(re.search(r"[-_:#]", id_))
    )


def _inside(at: int, spans: Iterable[tuple[int, int]]) -> bool:
    return any(start <= at < end for start, end in spans)
