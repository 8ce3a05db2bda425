"""What the styles and numberings of a Word document say about a paragraph or run."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lxml import etree

from aipk_core.documents.loaders.archives import Archive, children, local_name


def attribute(element: etree._Element, name: str) -> str:
    """The value of an attribute by its local name, ``""`` when it is not there."""
    for key, value in element.attrib.items():
        if str(key).rpartition("}")[2] == name:
            return str(value)
    return ""


def first(element: etree._Element | None, name: str) -> etree._Element | None:
    """The first child of that local name."""
    if element is None:
        return None
    return next((child for child in children(element) if local_name(child) == name), None)


@dataclass(frozen=True, slots=True)
class ParagraphStyle:
    """What a paragraph is: ``kind`` of block, list it belongs to (``""`` if none), and two special cases.

    Attributes:
        boilerplate: a line of a table of contents.
        mark_deleted: its end was deleted by a tracked change.
    """

    kind: str
    list_id: str = ""
    boilerplate: bool = False
    mark_deleted: bool = False


@dataclass(frozen=True, slots=True)
class Face:
    hidden: bool = False
    monospace: bool = False


@dataclass(slots=True)
class _Style:
    name: str
    based_on: str
    outline: int | None
    list_id: str
    hidden: bool
    font: str


_CODE_STYLE = re.compile(r"\b(?:source ?code|code|preformatted|verbatim|macro|html pre)", re.IGNORECASE)
_MONOSPACE = re.compile(r"courier|mono|consolas|menlo|typewriter|code|inconsolata|lucida console", re.IGNORECASE)
_HEADING = re.compile(r"^(?:heading|überschrift|titre|título|заголовок|标题|標題|見出し|제목)\s*(\d)$", re.IGNORECASE)
_MAX_INHERITANCE = 20


class Styles:
    """Styles of a document; missing parts mean that nothing is known."""

    def __init__(self, archive: Archive, main: str) -> None:
        self._styles: dict[str, _Style] = {}
        self._default = ""
        self.language = ""
        root = archive.xml(archive.resolve(main, "styles.xml"))
        for element in children(root) if root is not None else ():
            if local_name(element) == "style":
                self._add(element)
            elif local_name(element) == "docDefaults":
                for part in element.iter():
                    if local_name(part) == "lang":
                        self.language = attribute(part, "val")

    def of(self, paragraph: etree._Element) -> ParagraphStyle:
        """What the paragraph is, by its own properties and its style's."""
        properties = first(paragraph, "pPr")
        style_element = first(properties, "pStyle")
        identity = attribute(style_element, "val") if style_element is not None else self._default
        chain = self._chain(identity)
        names = [style.name.casefold() for style in chain]
        own = first(properties, "numPr")
        list_id = _list_id(own) if own is not None else next((style.list_id for style in chain if style.list_id), "")
        outline = _number(first(properties, "outlineLvl"))
        deleted = first(first(properties, "rPr"), "del") is not None
        kind = self._kind(names, chain, outline)
        return ParagraphStyle(
            kind=kind,
            list_id="" if list_id in ("0", "") else list_id,
            boilerplate=any(name.startswith(("toc ", "table of figures")) for name in names),
            mark_deleted=deleted,
        )

    def face_of(self, run: etree._Element) -> Face:
        """Whether the run is hidden or set in a typewriter face."""
        properties = first(run, "rPr")
        if properties is None:
            return Face()
        style_element = first(properties, "rStyle")
        chain = self._chain(attribute(style_element, "val")) if style_element is not None else []
        hidden = _is_on(first(properties, "vanish")) or any(style.hidden for style in chain)
        fonts = first(properties, "rFonts")
        font = (
            attribute(fonts, "ascii") if fonts is not None else next((style.font for style in chain if style.font), "")
        )
        code = any(_CODE_STYLE.search(style.name) for style in chain)
        return Face(hidden=hidden, monospace=code or bool(_MONOSPACE.search(font)))

    def _kind(self, names: list[str], chain: list[_Style], outline: int | None) -> str:
        for name in names:
            match = _HEADING.match(name)
            if match:
                return f"h{max(1, min(6, int(match.group(1))))}"
            if name == "title":
                return "h1"
            if name.startswith("toc "):
                return "p"
            if name == "caption":
                return "caption"
            if name in ("quote", "intense quote", "block text"):
                return "blockquote"
            if _CODE_STYLE.search(name):
                return "code"
        level = (
            outline if outline is not None else next((item.outline for item in chain if item.outline is not None), None)
        )
        return f"h{min(6, level + 1)}" if level is not None and 0 <= level <= 8 else "p"

    def _chain(self, identity: str) -> list[_Style]:
        """A style and those that it is based on."""
        chain: list[_Style] = []
        while identity in self._styles and len(chain) < _MAX_INHERITANCE:
            chain.append(self._styles[identity])
            identity = chain[-1].based_on
        return chain

    def _add(self, element: etree._Element) -> None:
        identity = attribute(element, "styleId")
        name, based_on = first(element, "name"), first(element, "basedOn")
        paragraph, run = first(element, "pPr"), first(element, "rPr")
        fonts, numbering = first(run, "rFonts"), first(paragraph, "numPr")
        self._styles[identity] = _Style(
            name=attribute(name, "val") if name is not None else identity,
            based_on=attribute(based_on, "val") if based_on is not None else "",
            outline=_number(first(paragraph, "outlineLvl")),
            list_id=_list_id(numbering) if numbering is not None else "",
            hidden=_is_on(first(run, "vanish")),
            font=attribute(fonts, "ascii") if fonts is not None else "",
        )
        if attribute(element, "type") == "paragraph" and attribute(element, "default") in ("1", "true", "on"):
            self._default = identity


def _list_id(numbering: etree._Element) -> str:
    identity = first(numbering, "numId")
    return attribute(identity, "val") if identity is not None else "style"


def _number(element: etree._Element | None) -> int | None:
    value = attribute(element, "val") if element is not None else ""
    return int(value) if value.isdecimal() and len(value) < 3 else None


def _is_on(element: etree._Element | None) -> bool:
    return element is not None and attribute(element, "val") not in ("0", "false", "off")
