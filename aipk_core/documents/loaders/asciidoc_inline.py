"""Inline markup of AsciiDoc: what a reader sees of a line, as runs."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from dataclasses import dataclass, field

from aipk_core.documents.builder import Run

MAX_PARAGRAPH = 100_000
"""Longer paragraphs are shown with their markup."""

_MAX_DEPTH = 12


@dataclass(slots=True)
class Inline:
    """Renders inline markup.

    Attributes:
        titles: text of cross references by the id that they point to.
        footnotes: texts met so far, in order; emptied by the caller.
    """

    titles: dict[str, str] = field(default_factory=dict)
    footnotes: list[str] = field(default_factory=list)

    def runs(self, text: str) -> list[Run]:
        """Runs of ``text``; monospaced pieces are atoms."""
        if len(text) > MAX_PARAGRAPH:
            return [Run(text)]
        runs: list[Run] = []
        self._render(text, runs, atom=False, depth=0)
        return runs

    def plain(self, text: str) -> str:
        return "".join(run.text for run in self.runs(text))

    def _render(self, text: str, runs: list[Run], *, atom: bool, depth: int) -> None:
        position = 0
        for match in _MARKUP.finditer(text) if depth < _MAX_DEPTH else ():
            if match.start() < position:
                continue
            name = match.lastgroup or ""
            if match.start() > position:
                runs.append(Run(_replaced(text[position : match.start()], atom), atom=atom))
            if match.group(0).startswith("\\"):
                runs.append(Run(match.group(0)[1:], atom=atom))
            else:
                self._piece(name, match, runs, atom=atom, depth=depth)
            position = match.end()
        if position < len(text):
            runs.append(Run(_replaced(text[position:], atom), atom=atom))

    def _piece(self, name: str, match: re.Match[str], runs: list[Run], *, atom: bool, depth: int) -> None:
        whole = match.group(0)
        if name in ("triple", "literal", "plus"):
            inner = whole.strip("`")
            inner = inner[3:-3] if name == "triple" else inner[1:-1] if inner[:1] == "+" else inner
            runs.append(Run(inner, atom=atom or name == "literal"))
        elif name in ("mono", "monos"):
            self._render(whole.strip("`") if name == "mono" else whole[2:-2], runs, atom=True, depth=depth + 1)
        elif name == "curly":
            opening, closing = ("“", "”") if whole[0] == '"' else ("‘", "’")
            runs.append(Run(opening))
            self._render(whole[2:-2], runs, atom=atom, depth=depth + 1)
            runs.append(Run(closing))
        elif name in _ENCLOSED:
            inner = re.sub(r"^\[[^\]]*\](?=[#*_`])", "", whole)
            width = 2 if inner[:2] in ("**", "__", "##") and len(inner) > 4 else 1
            self._render(inner[width:-width], runs, atom=atom, depth=depth + 1)
        elif name == "url":
            self._link(match.group("target"), match.group("label"), runs, atom=atom, depth=depth)
        elif name == "macro":
            self._macro(match.group("macro_name"), match.group("macro_target"), match.group("macro_text"), runs, depth)
        elif name == "xref":
            target, _, label = whole[2:-2].partition(",")
            self._reference(target.strip(), label.strip(), runs, depth)
        elif name == "term":
            inner = whole.strip("()")
            if not whole.startswith("((("):
                self._render(inner, runs, atom=atom, depth=depth + 1)

    def _link(self, target: str, label: str | None, runs: list[Run], *, atom: bool, depth: int) -> None:
        label = _label(label or "")
        if label:
            self._render(label, runs, atom=atom, depth=depth + 1)
        else:
            runs.append(Run(target.removeprefix("link:").removeprefix("mailto:"), atom=True))

    def _macro(self, name: str, target: str, text: str, runs: list[Run], depth: int) -> None:
        text = text.removeprefix("[").removesuffix("]").replace("\\]", "]")
        if name in ("footnote", "footnoteref"):
            note = text.partition(",")[2] if name == "footnoteref" else text
            if runs:  # the space before the mark goes with it
                runs[-1] = Run(runs[-1].text.rstrip(), atom=runs[-1].atom)
            if note.strip() and len(self.footnotes) < 10_000:
                self.footnotes.append(note.strip())
        elif name in ("image", "icon", "indexterm", "anchor", "video", "audio"):
            return
        elif name == "xref":
            self._reference(target, _label(text), runs, depth)
        elif name in ("link", "mailto"):
            self._link(target, text, runs, atom=False, depth=depth)
        elif name == "menu":
            parts = [target, *(part.strip() for part in text.split(">") if part.strip())]
            runs.append(Run(" › ".join(parts), atom=True))
        elif name == "pass":
            runs.append(Run(html.unescape(re.sub(r"<[^<>]{0,500}>", "", text))))
        elif name in ("stem", "latexmath", "asciimath"):
            runs.append(Run(text, atom=True))
        else:  # kbd, btn, indexterm2 and macros of extensions
            self._render(text or target, runs, atom=name in ("kbd", "btn"), depth=depth + 1)

    def _reference(self, target: str, label: str, runs: list[Run], depth: int) -> None:
        anchor = target.rpartition("#")[2] if "#" in target else target
        if label:
            self._render(label, runs, atom=False, depth=depth + 1)
        elif anchor in self.titles:
            self._render(self.titles[anchor], runs, atom=False, depth=depth + 1)
        else:
            runs.append(Run(f"[{anchor}]" if "." not in target else target))


_INNER = r"(?:\S|\S[^\n]{0,500}?\S|\S(?:(?!\n\n).){0,500}?\S)"
_LABEL = r"\[(?:[^\]\\]|\\.){0,2000}\]"
_MARKUP = re.compile(
    "|".join(
        (
            r"(?P<triple>\\?\+\+\+(?:(?!\+\+\+).){1,500}\+\+\+)",
            r"(?P<literal>\\?(?<!\w)`\+(?:(?!\+`).){1,500}\+`)",
            rf"(?P<curly>(?<![\w`])(?:\"`{_INNER}`\"|'`{_INNER}`'))",
            rf"(?P<macro>\\?(?<![\w/])(?P<macro_name>(?!https?:|ftp:|irc:)[a-z][a-z0-9_]{{1,20}}):(?!:)(?P<macro_target>[^\s\[\]`*]{{0,500}})(?P<macro_text>{_LABEL}))",
            rf"(?P<url>\\?(?<![\w/`\"])(?P<target>(?:https?|ftp|irc)://[^\s\[\]<>`]{{1,1000}}?|[\w.+-]{{1,64}}@[\w-]{{1,63}}(?:\.[\w-]{{1,63}}){{1,5}})"
            rf"(?:(?P<label>{_LABEL})|(?=[.,;:!?)]*(?:\s|$|[\]<>`\"']))))",
            r"(?P<xref>\\?<<[^<>\n]{1,500}>>)",
            r"(?P<anchor>\[\[[^\[\]\n]{1,200}\]\])",
            r"(?P<term>\(\(\([^()\n]{1,300}\)\)\)|(?<!\()\(\([^()\n]{1,300}\)\))",
            rf"(?P<monos>\\?``{_INNER}``)",
            rf"(?P<mono>\\?(?<![\w`]){'`'}{_INNER}{'`'}(?![\w`]))",
            rf"(?P<strongs>\\?\*\*{_INNER}\*\*)",
            rf"(?P<strong>\\?(?<![\w*]){chr(92)}*{_INNER}\*(?![\w*]))",
            rf"(?P<emphases>\\?__{_INNER}__)",
            rf"(?P<emphasis>\\?(?<![\w_/])_{_INNER}_(?![\w_]))",
            rf"(?P<marks>\\?(?:\[[^\[\]\n]{{1,100}}\])?##{_INNER}##)",
            rf"(?P<mark>\\?(?:\[[^\[\]\n]{{1,100}}\])?(?<![\w#&])#{_INNER}#(?![\w#]))",
            r"(?P<raised>\\?\^[^\s^]{1,100}\^)",
            r"(?P<lowered>\\?~[^\s~]{1,100}~)",
            r"(?P<plus>(?<![\w+])\+(?:\S|\S[^\n+]{0,300}\S)\+(?![\w+]))",
        )
    ),
    re.DOTALL,
)
_ENCLOSED = frozenset({"strong", "strongs", "emphasis", "emphases", "mark", "marks", "raised", "lowered"})


def _label(bracketed: str) -> str:
    """The visible part of a link's brackets: without attributes such as ``window=_blank`` and the ``^`` mark."""
    text = bracketed.removeprefix("[").removesuffix("]").replace("\\]", "]").strip()
    if text.startswith('"'):
        return text[1:].partition('"')[0]
    text = re.sub(r",\s*(?:window|role|opts|title|id|rel|link|align|width|height)=.*$", "", text, flags=re.DOTALL)
    return text.removesuffix("^").strip() if "=" not in text.split(",")[0] or " " in text else ""


_REPLACEMENTS: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    (re.compile(r"\(C\)"), "©"),
    (re.compile(r"\(R\)"), "®"),
    (re.compile(r"\(TM\)"), "™"),
    (re.compile(r"(?<=\w)--(?=\w)"), "—"),
    (re.compile(r"(?:(?<=\s)|^)--(?=\s|$)"), "—"),
    (re.compile(r"\.\.\."), "…"),
    (re.compile(r"(?<!\\)(?<=\w)'(?=\w)"), "’"),
    (re.compile(r"\\'"), "'"),
    (re.compile(r"(?<![-<])->"), "→"),
    (re.compile(r"<-(?![->])"), "←"),
    (re.compile(r"=>"), "⇒"),
)


def _replaced(text: str, atom: bool) -> str:
    """Typographic replacements; none inside code."""
    text = html.unescape(text) if "&" in text else text
    if atom:
        return text
    for pattern, sign in _REPLACEMENTS:
        text = pattern.sub(sign, text)
    return text
