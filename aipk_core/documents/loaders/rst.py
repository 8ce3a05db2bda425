"""reStructuredText: parsed by docutils, written out as a reader of the rendered page sees it.

Files are never included and raw markup never passed through. Directives and roles of Sphinx, which docutils does not
know, are shown by what they would show: the text of a role, the content of an admonition, the code of a code block.
"""

from __future__ import annotations

import re
import threading
from typing import Any, ClassVar

import docutils.core
import docutils.utils
from docutils import nodes
from docutils.parsers.rst import Directive, directives, roles
from docutils.utils import SystemMessage

from aipk_core.documents.builder import DocumentBuilder
from aipk_core.documents.loaders.encodings import decode
from aipk_core.documents.loaders.limits import Watch
from aipk_core.documents.loaders.plain_text import editor_declaration
from aipk_core.documents.loaders.registry import LoadContext, RawDocument
from aipk_core.documents.loaders.rst_blocks import RstWriter
from aipk_core.documents.loaders.scripts import dominant_language
from aipk_core.documents.model import Document
from aipk_core.errors import DocumentError

MAX_CHARACTERS = 2 << 20
"""docutils needs about a second and 100 MB for each megabyte."""


def load_rst(raw: RawDocument, context: LoadContext) -> Document:
    """Read a reStructuredText file; what docutils reports as an error becomes a ``markup-error`` problem.

    Raises:
        DocumentError: ``invalid``, ``misleading-charset``, ``empty``, ``too-large``, ``timeout``.
    """
    watch = Watch(raw.id, context.limits)
    decoded = decode(raw.data, raw.encoding or editor_declaration(raw.data), where=raw.id)
    if len(decoded.text) > MAX_CHARACTERS:
        raise DocumentError(
            f"the file has more than {MAX_CHARACTERS} characters",
            code="too-large",
            where=raw.id,
            remedy="Split the file",
        )
    builder = DocumentBuilder(raw.id, len(raw.data))
    builder.problems.extend(decoded.problems)
    tree = _parsed(decoded.text, raw.id, context)
    watch.check()
    writer = RstWriter(builder, watch, context.limits.max_depth)
    writer.write(tree)
    watch.finish(builder)
    for message in writer.messages[:20]:
        builder.problem("markup-error", message, raw.id)
    text = " ".join(builder.block_text(index) for index in range(min(len(builder.blocks), 200)))
    return builder.build(
        title=writer.title,
        url=raw.url,
        lang=raw.lang or dominant_language(text),
        media_type="text/x-rst",
        metadata=writer.metadata,
    )


_SETTINGS: dict[str, Any] = {
    "file_insertion_enabled": False,
    "raw_enabled": False,
    "halt_level": 5,
    "report_level": 3,
    "warning_stream": False,
    "input_encoding": "unicode",
    "output_encoding": "unicode",
    "doctitle_xform": True,
    "sectsubtitle_xform": False,
    "docinfo_xform": True,
    "smart_quotes": False,
    "syntax_highlight": "none",
    "_disable_config": True,
    "pep_references": True,
    "rfc_references": True,
    "traceback": True,
    "line_length_limit": MAX_CHARACTERS + 1,
    "embed_stylesheet": False,
}

# "Title: …", "Author: …" above a blank line, as PEPs and mails begin.
_HEADER = re.compile(r"\A(?:\ufeff)?((?:[A-Z][\w-]{1,30}:[ \t][^\n]*\n(?:[ \t]+[^\n]*\n)*){2,})\n", re.ASCII)


def _parsed(text: str, where: str, context: LoadContext) -> nodes.document:
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    settings = dict(_SETTINGS)
    header = _HEADER.match(text)
    if header:  # as a field list, so that it does not read as a paragraph
        fields = re.sub(r"^(?=\S)([\w-]+):", r":\1:", header.group(1), flags=re.MULTILINE)
        text = fields + "\n" + text[header.end() :]
    _refuse_deep(text, where, context.limits.max_depth)
    text = _PARAGRAPH.sub(_tamed, text)
    try:
        with _sphinx_names():
            return docutils.core.publish_doctree(text, source_path=where, settings_overrides=settings)
    except SystemMessage as error:
        raise _invalid(f"docutils gave up ({str(error)[:200]})", where) from error
    except RecursionError as error:
        raise _invalid("the markup nests too deep", where) from error
    except Exception as error:  # docutils fails in many ways on broken markup
        raise _invalid(f"docutils gave up ({type(error).__name__}: {str(error)[:200]})", where) from error


_PARAGRAPH = re.compile(r"(?:^[^\n]*\S[^\n]*(?:\n|\Z)){1,}", re.MULTILINE)
_LONG_PARAGRAPH = 10_000
_MANY_MARKS = 500


def _tamed(paragraph: re.Match[str]) -> str:
    """A paragraph that opens markup over and over costs docutils quadratic time: its signs become plain text."""
    text = paragraph.group(0)
    if len(text) < _LONG_PARAGRAPH or text.lstrip().startswith(("+-", "==", "..")):
        return text
    if sum(text.count(sign) for sign in "`*|_") < _MANY_MARKS:
        return text
    return re.sub(r"(?<!\\)([`*|_])", r"\\\1", text)


def _invalid(message: str, where: str) -> DocumentError:
    return DocumentError(message, code="invalid", where=where, remedy="Correct the markup")


def _refuse_deep(text: str, where: str, max_depth: int) -> None:
    """Indents that keep growing line after line make docutils recurse without end."""
    stack: list[int] = []
    for line in text.split("\n"):
        if not line.strip():
            continue
        indent = len(line) - len(line.lstrip())
        while stack and stack[-1] >= indent:
            stack.pop()
        stack.append(indent)
        if len(stack) > max_depth:
            raise _invalid(f"the markup nests deeper than {max_depth} levels", where)


# --- what Sphinx adds ------------------------------------------------------------------------------------------------

_TITLED_TARGET = re.compile(r"^(.*?)\s*(?<!\\)<([^<>]*)>$", re.DOTALL)
_CODE_ROLES = frozenset(
    [
        "func",
        "meth",
        "class",
        "mod",
        "attr",
        "data",
        "const",
        "exc",
        "obj",
        "command",
        "option",
        "program",
        "file",
        "kbd",
        "samp",
        "envvar",
        "regexp",
        "token",
        "keyword",
        "makevar",
        "mimetype",
        "guilabel",
        "menuselection",
        "dfn",
        "abbr",
        "py:func",
        "py:class",
        "py:meth",
        "py:mod",
        "py:data",
        "py:exc",
        "c:func",
    ]
)


def _role(
    name: str, rawtext: str, text: str, lineno: int, inliner: Any, options: Any = None, content: Any = None
) -> tuple[list[nodes.Node], list[nodes.system_message]]:
    """The visible text of any role: its title if it has one, else its target."""
    shown = docutils.utils.unescape(text)
    match = _TITLED_TARGET.match(shown)
    if match and match.group(1):
        shown = match.group(1)
    shown = shown.lstrip("!")
    if shown.startswith("~"):
        shown = shown[1:].rsplit(".", 1)[-1]
    short = name.rsplit(":", 1)[-1].lower()
    if short in ("pep", "rfc") and not (match and match.group(1)):
        return [nodes.inline(rawtext, f"{short.upper()} {shown.partition('#')[0]}")], []
    if short in ("func", "meth") and not shown.endswith(")"):
        shown += "()"
    if short == "menuselection":
        shown = shown.replace("-->", "‣")
    if short in _CODE_ROLES - {"guilabel", "menuselection", "dfn", "abbr"}:
        return [nodes.literal(rawtext, shown)], []
    return [nodes.inline(rawtext, shown)], []


class _Shown(Directive):
    """A directive whose content is ordinary text."""

    has_content = True
    optional_arguments = 100
    final_argument_whitespace = True
    option_spec: ClassVar[Any] = None

    def run(self) -> list[nodes.Node]:
        if self.name.rsplit(":", 1)[-1] in _OBJECTS and self.arguments:
            return [self._described()]
        container = nodes.container()
        if self.name.endswith(("versionadded", "versionchanged", "deprecated", "versionremoved")):
            words = {"versionadded": "New in version", "versionchanged": "Changed in version"}
            label = words.get(self.name, "Deprecated since version")
            version, _, rest = " ".join(self.arguments).partition(" ")
            parsed, messages = self.state.inline_text(rest, self.lineno)
            container += nodes.paragraph(
                "", "", nodes.Text(f"{label} {version}: " if rest else f"{label} {version}"), *parsed
            )
            container += messages
        elif self.arguments and self.name in _TITLED:
            parsed, messages = self.state.inline_text(" ".join(self.arguments), self.lineno)
            container += nodes.paragraph("", "", *parsed)
            container += messages
        self.state.nested_parse(self.content, self.content_offset, container)
        return [container]

    def _described(self) -> nodes.Node:
        """A function, class or option: its signature as a term, what is said about it as the definition."""
        definition = nodes.definition()
        self.state.nested_parse(self.content, self.content_offset, definition)
        signature = " ".join(self.arguments)
        item = nodes.definition_list_item("", nodes.term("", "", nodes.literal(signature, signature)), definition)
        return nodes.definition_list("", item)


class _Hidden(Directive):
    """A directive that shows nothing by itself: indexes, settings, tables of contents, includes."""

    has_content = True
    optional_arguments = 100
    final_argument_whitespace = True
    option_spec: ClassVar[Any] = None

    def run(self) -> list[nodes.Node]:
        if self.name in ("include", "literalinclude"):
            file = " ".join(self.arguments)[:200]
            return [self.state_machine.reporter.error(f"the file {file!r} was not included", line=self.lineno)]
        return []


class _Code(Directive):
    has_content = True
    optional_arguments = 1
    option_spec: ClassVar[Any] = None

    def run(self) -> list[nodes.Node]:
        text = "\n".join(self.content)
        node = nodes.literal_block(text, text)
        if self.arguments:
            node["classes"] = ["code", self.arguments[0]]
        return [node]


_OBJECTS = frozenset(
    {"function", "method", "class", "exception", "data", "attribute", "describe", "option", "type", "macro", "member",
     "staticmethod", "classmethod", "property", "decorator", "envvar", "confval", "cmdoption"}
)  # fmt: skip
_TITLED = frozenset({"seealso", "glossary", "topic", "tab", "dropdown", "card"})
_SHOWN = [
    "seealso",
    "glossary",
    "versionadded",
    "versionchanged",
    "deprecated",
    "versionremoved",
    "centered",
    "hlist",
    "only",
    "tabs",
    "tab",
    "tab-set",
    "tab-item",
    "dropdown",
    "grid",
    "card",
    "details",
    "function",
    "method",
    "class",
    "module",
    "exception",
    "data",
    "attribute",
    "describe",
    "option",
    "py:function",
    "py:method",
    "py:class",
    "py:module",
    "py:data",
    "py:exception",
    "py:attribute",
    "c:function",
    "rst-class",
]
_HIDDEN = [
    "index",
    "toctree",
    "include",
    "literalinclude",
    "tabularcolumns",
    "highlight",
    "currentmodule",
    "module",
    "moduleauthor",
    "sectionauthor",
    "autofunction",
    "autoclass",
    "automodule",
    "automethod",
    "raw",
    "contents",
    "canonical",
    "graphviz",
    "plot",
    "ipython",
    "testsetup",
    "testcleanup",
    "csv-table-file",
]
_CODE = ("code-block", "sourcecode", "code", "prompt", "parsed-code", "testcode", "testoutput", "doctest")


class _AnyOption(dict[str, Any]):
    """An option table that takes any option and leaves its value as it is."""

    def __missing__(self, key: str) -> Any:
        return directives.unchanged

    def __contains__(self, key: object) -> bool:
        return True

    def __bool__(self) -> bool:
        return True


class _sphinx_names:  # noqa: N801
    """While open, docutils knows the names that Sphinx adds; docutils keeps such names in module state."""

    _one_at_a_time = threading.Lock()

    def __enter__(self) -> None:
        self._one_at_a_time.acquire()
        self._directives = dict(directives._directives)  # type: ignore[attr-defined]
        self._roles = dict(roles._roles)  # type: ignore[attr-defined]
        self._lookup = directives.directive
        self._role_lookup = roles.role
        for kinds, names in ((_Shown, _SHOWN), (_Hidden, _HIDDEN), (_Code, _CODE)):
            kinds.option_spec = _AnyOption()
            for name in names:
                directives.register_directive(name, kinds)

        def directive(name: str, language: Any, document: Any) -> Any:
            found, messages = self._lookup(name, language, document)
            return (found, messages) if found is not None else (_Shown, [])

        def role(name: str, language: Any, lineno: int, reporter: Any) -> Any:
            if name.lower() in ("pep", "rfc"):  # Sphinx lets them carry a title
                return _role, []
            found, messages = self._role_lookup(name, language, lineno, reporter)
            return (found, messages) if found is not None else (_role, [])

        directives.directive = directive  # type: ignore[assignment]
        roles.role = role  # type: ignore[assignment]

    def __exit__(self, *error: object) -> None:
        directives.directive = self._lookup
        roles.role = self._role_lookup
        directives._directives.clear()  # type: ignore[attr-defined]
        directives._directives.update(self._directives)  # type: ignore[attr-defined]
        roles._roles.clear()  # type: ignore[attr-defined]
        roles._roles.update(self._roles)  # type: ignore[attr-defined]
        self._one_at_a_time.release()
