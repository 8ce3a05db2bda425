"""Finds the part of a web page that is its text: not the navigation, banners and footers around it.

The page's own marks come first (``<main>``, ``role``); without them the element is taken that holds nearly all running
text. Inside it, parts that call themselves navigation and the like are left out unless they hold much of the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from aipk_core.documents.loaders.html_tree import BLOCKS, Element, Text

_SMALL_PAGE = 400  # characters of running text below which nothing is guessed from proportions
_NEARLY_ALL = 0.85
_MUCH = 0.4
_SHORT_HEADER = 80

_NEVER = frozenset("script style template noscript head select textarea svg iframe".split())  # noqa: SIM905
_ASIDE_ROLES = frozenset({"navigation", "banner", "contentinfo", "search", "menu", "menubar", "dialog", "alertdialog"})
_ASIDE_WORDS = frozenset(
    """nav navbar navigation navigations menu menubar breadcrumb breadcrumbs sidebar toc skip skiplink pager pagination
    share sharing social cookie cookies consent advert advertisement ads promo newsletter subscribe masthead toplang
    bottomlang langs permalink headerlink headeranchor noprint footer pagefooter sitefooter siteheader comments disqus
    navbox vector mw-jump editsection""".split()  # noqa: SIM905
)
# Shown to screen readers only, or tools beside a heading.
_HIDDEN_WORDS = frozenset(
    {"sr-only", "visually-hidden", "screen-reader-text", "skip-link", "mw-editsection", "mw-jump-link"}
)
_WORD = re.compile(r"[a-z]+|[A-Z][a-z]*")
_MARKS = frozenset("¶#§🔗")


@dataclass(slots=True)
class _Amount:
    """Characters of an element: all visible ones, those in links, those in running text outside links."""

    text: int = 0
    links: int = 0

    @property
    def prose(self) -> int:
        return self.text - self.links


@dataclass(frozen=True, slots=True)
class MainPart:
    """The element that holds the text, and the elements inside it (by ``id()``) that are no part of it."""

    root: Element
    left_out: frozenset[int]


def main_part(root: Element, source: str) -> MainPart:
    """Choose the main part of a parsed page."""
    amounts = _amounts(root, source)
    body = root.find("body") or root
    chosen = _marked(body, amounts) or _descend(body, amounts)
    total = amounts[id(chosen)].prose
    left_out = {
        id(element)
        for element in chosen.elements()
        if element is not chosen and _is_aside(element, amounts[id(element)], total, source)
    }
    return MainPart(chosen, frozenset(left_out))


def _marked(body: Element, amounts: dict[int, _Amount]) -> Element | None:
    """The element that the page itself marks as its main part, if that has a good share of the text."""
    total = amounts[id(body)].prose
    for is_mark in (_is_main, _is_article):
        found = [element for element in body.elements() if is_mark(element)]
        if is_mark is _is_article and len(found) != 1:
            continue  # several articles are a list of teasers, or all of the text
        best = max(found, key=lambda element: amounts[id(element)].prose, default=None)
        if best is not None and amounts[id(best)].prose >= max(total * _MUCH, 1):
            return best
    return None


def _is_main(element: Element) -> bool:
    return element.tag == "main" or element.attributes.get("role") == "main"


def _is_article(element: Element) -> bool:
    return element.tag == "article" or element.attributes.get("itemprop") == "articleBody"


def _descend(body: Element, amounts: dict[int, _Amount]) -> Element:
    """The innermost element with nearly all running text, unless a title would be lost outside it."""
    total = amounts[id(body)].prose
    if total < _SMALL_PAGE:
        return body
    chosen = body
    while True:
        children = [child for child in chosen.children if isinstance(child, Element) and child.tag in _CONTAINERS]
        best = max(children, key=lambda child: amounts[id(child)].prose, default=None)
        if best is None or amounts[id(best)].prose < total * _NEARLY_ALL:
            return chosen
        others = (child for child in chosen.children if isinstance(child, Element) and child is not best)
        if not best.find("h1") and any(other.tag == "h1" or other.find("h1") for other in others):
            return chosen
        chosen = best


_CONTAINERS = frozenset({"div", "section", "article", "main", "td", "table", "tbody", "tr", "center", "form", "body"})


def _is_aside(element: Element, amount: _Amount, total: int, source: str) -> bool:
    """Whether an element stands beside the text."""
    if not _HIDDEN_WORDS.isdisjoint(element.classes):
        return True
    if element.tag == "a":
        return _is_mark(element, source)
    if amount.prose > total * _MUCH:
        return False
    if element.tag == "nav" or element.attributes.get("role") in _ASIDE_ROLES:
        return True
    if element.tag in ("header", "footer"):
        return amount.prose < _SHORT_HEADER and not element.find("h1", "h2")
    if element.tag not in BLOCKS or element.tag in ("li", "td", "th", "tr"):
        return False
    return not _ASIDE_WORDS.isdisjoint(_words(element) | _heading_words(element))


def _is_mark(element: Element, source: str) -> bool:
    """A link beside a heading that only points to the heading itself."""
    shown = "".join(source[child.start : child.end] for child in element.children if isinstance(child, Text)).strip()
    return shown in _MARKS or shown == "&para;" or "headerlink" in element.classes


def _heading_words(element: Element) -> set[str]:
    """What a section calls itself in the heading that it begins with."""
    first = next((child for child in element.children if isinstance(child, Element)), None)
    if first is None or element.tag not in ("div", "section") or first.tag not in ("h1", "h2", "h3", "h4"):
        return set()
    names = [part.attributes.get("id", "") for part in first.elements()]
    return _words(first) | {word.lower() for name in names for word in _WORD.findall(name[:100])}


def _words(element: Element) -> set[str]:
    named = f"{element.attributes.get('class', '')} {element.attributes.get('id', '')}"[:500]
    words = {word.lower() for word in _WORD.findall(named)}
    return words | {part.lower() for part in re.split(r"[\s_-]+", named)}


def _amounts(root: Element, source: str) -> dict[int, _Amount]:
    """Amounts of all elements, counted from the leaves up without recursion."""
    amounts: dict[int, _Amount] = {}
    pending: list[tuple[Element, bool]] = [(root, False)]
    while pending:
        element, counted = pending.pop()
        if not counted:
            pending.append((element, True))
            pending.extend((child, False) for child in element.children if isinstance(child, Element))
            continue
        amount = _Amount()
        if element.tag not in _NEVER:
            for child in element.children:
                if isinstance(child, Text):
                    amount.text += len("".join(source[child.start : child.end].split()))
                else:
                    inner = amounts[id(child)]
                    amount.text += inner.text
                    amount.links += inner.links
            if element.tag == "a":
                amount.links = amount.text
        amounts[id(element)] = amount
    return amounts
