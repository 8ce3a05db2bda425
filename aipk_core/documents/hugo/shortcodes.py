"""What shortcodes do: the behaviours that a table gives names to."""

from __future__ import annotations

import html
import posixpath
import re
from collections.abc import Callable

from aipk_core.documents.hugo.calls import Call
from aipk_core.documents.model import Origin
from aipk_core.documents.traced import Place, SourceText, Traced

Behaviour = Callable[[Call], Traced]

_SUFFIX = re.compile(r"\.(?:md|markdown|html|htm)$")
_EMPTY_LINE = re.compile(r"^[ \t]*$", re.MULTILINE)
_NUMBER_HERE = re.compile(r"\{\{\s*\.\s*\}\}")
_TABLE = re.compile(r"<table[^>]*>")
_LABEL = ("<li>", "</li>\n")
_MAX_PATH = 1000
_MAX_NAME = 240
_REMOTE = re.compile(r"^(?:[a-z][a-z0-9+.-]*:)?//", re.IGNORECASE)


def inner(call: Call) -> Traced:
    """What stands between the tags, and nothing else."""
    return call.inner if call.node.markup == "%" else call.markdown(call.inner)


def nothing(call: Call) -> Traced:
    """Nothing: comments, remote data, pictures."""
    return Traced()


def notice(call: Call) -> Traced:
    """A box with a heading.

    Settings: ``heading`` (key of a translation), ``heading_argument`` (argument with the heading's text),
    ``class``, ``before`` and ``after`` (line feeds around the box, which decide whether a list goes on around it).
    """
    heading = Traced()
    key = call.setting("heading")
    argument = call.setting("heading_argument")
    if argument and call.argument(argument):
        heading = call.html(call.argument(argument))
    elif key:
        heading = call.translation(key, raw=True)
    return call.join(
        call.setting("before"),
        f'<div class="{html.escape(call.setting("class", "alert"))}" role="alert">',
        *(('<h4 class="alert-heading">', heading, "</h4>") if heading.pieces else ()),
        call.markdown(call.inner),
        "</div>",
        call.setting("after"),
    )


def tab(call: Call) -> Traced:
    """One tab: leaves its name and body for ``tabs``."""
    name = call.argument("name", "header", 0).strip(" ")
    if not name and call.parent is not None:
        pattern = call.build.translation("tab_default") or "Tab {{ . }}"
        name = _NUMBER_HERE.sub(str(len(call.parent.parts) + 1), pattern)
    language = call.argument("codelang", "lang")
    body: Traced | None = None
    if call.inner.text:
        body = code_block(call, call.inner, language) if language else call.inner
    if call.parent is not None:
        call.parent.parts.append((name, body, call.argument("include").strip(" "), language, call))
        return Traced()
    return call.join("<div>", call.shown(name), "</div>", body or Traced())


def tabs(call: Call) -> Traced:
    """A set of tabs: all names as a list, then all bodies; names are labels, no statements."""
    if not call.parts:
        return call.markdown(call.inner)
    # Sites that have a word for a tab without a name have the newer template, whose names are buttons.
    opening, closing = ("<li><button>", "</button></li>\n") if call.build.translation("tab_default") else _LABEL
    names = [call.join(opening, part[4].shown(part[0]), closing) for part in call.parts]
    bodies: list[Traced] = []
    for _, body, include_name, language, inner_call in call.parts:
        if body is None and include_name:
            body = _tab_include(inner_call, include_name, language)
        bodies.append(call.join('<div class="tab-body">\n', body or Traced(), "\n</div>\n"))
    return call.join('\n\n<div>\n<ul class="boilerplate">\n', *names, "</ul>\n", *bodies, "</div>\n")


def _tab_include(call: Call, name: str, language: str) -> Traced:
    """A file for a tab: one of the page bundle whose path contains ``name``, else a page beside this one."""
    path = find_in_bundle(call, name) or find_page(call, name)
    if path is None:
        call.problem("include-missing", f"there is no file {name!r} for a tab")
        return Traced()
    if _SUFFIX.search(path):
        return call.expansion.include(path, "include") or Traced()
    source = call.build.text(path, "include")
    if source is None:
        return Traced()
    return code_block(call, included(source), language or path.rpartition(".")[2])


def include(call: Call) -> Traced:
    """Another file of the site, rendered: from the folder for includes, from the page's bundle, or beside the page.

    Settings: ``folder`` (below the content folder).
    """
    name = call.argument("file", 0)
    if not name:
        call.problem("include-missing", "an include names no file")
        return Traced()
    folder = call.setting("folder")
    candidates = [f"{content}/{folder}/{name}" for content in call.content_folders()] if folder else []
    for candidate in candidates:
        path = posixpath.normpath(candidate)
        if inside(call, path) and call.build.text(path, "include") is not None:
            return call.expansion.include(path, "include") or Traced()
    found = find_page(call, name)
    if found is None:
        call.problem("include-missing", f"there is no file {name!r} to include")
        return Traced()
    return call.expansion.include(found, "include") or Traced()


def code_file(call: Call) -> Traced:
    """A file shown as code under its name.

    Settings: ``folder`` (below the content folder; ``examples``).
    """
    name = call.argument("file", 0)
    language = call.argument("language", "lang", default=name.rpartition(".")[2] if "." in name else "")
    source = _code_source(call, name)
    if source is None:
        call.problem("include-missing", f"there is no example {name!r}")
    return call.join(
        '<div class="highlight code-sample">\n<div class="copy-code-icon boilerplate">\n<a><code>',
        call.shown(name),
        "</code></a>\n</div>\n<div>",
        code_block(call, included(source), language) if source else Traced(),
        "</div>\n</div>\n",
    )


def file_link(call: Call) -> Traced:
    """A link to a file: what stands between the tags, else the name of the file."""
    return call.join(
        "<a>", call.markdown(call.inner) if call.inner.pieces else call.shown(call.argument("file", 0)), "</a>"
    )


def _code_source(call: Call, name: str) -> SourceText | None:
    candidates = [f"{call.folder}/{name}"] if call.page.rpartition("/")[2].startswith("index.") else []
    folder = call.setting("folder", "examples")
    candidates += [f"{content}/{folder}/{name}" for content in call.content_folders()]
    for candidate in candidates:
        path = posixpath.normpath(candidate)
        source = call.build.text(path, "example") if inside(call, path) else None
        if source is not None:
            return source
    return None


def highlight(call: Call) -> Traced:
    """Code without a fence; in the middle of a text with the option ``hl_inline``."""
    if "hl_inline=true" in call.argument(1, "options").replace(" ", ""):
        return call.join("<code>", escaped(call.inner), "</code>")
    return code_block(call, call.inner, call.argument(0, "lang"))


def diagram(call: Call) -> Traced:
    """A diagram in a text language: shown as a picture, so never prose."""
    note = call.build.translation("javascript_required")
    # Pages carry this line for readers without JavaScript; it says nothing about the subject.
    notice = call.markdown(call.translation("javascript_required", raw=True)) if note else Traced()
    return call.join(
        '<figure>\n<div class="mermaid">\n',
        call.inner,
        "\n</div>\n</figure>\n",
        *(('<div class="alert boilerplate">\n<em>', notice, "</em>\n</div>\n") if note else ()),
    )


def figure(call: Call) -> Traced:
    """A picture with title and caption."""
    caption = call.markdown(Traced.of(call.argument("caption"), call.place()))
    attribution = call.markdown(Traced.of(call.argument("attr"), call.place()))
    alt = call.argument("alt") or " ".join(re.sub(r"<[^>]*>", "", caption.text).split())
    parts: list[str | Traced] = ["<figure>"]
    if alt:
        parts.append(f'<img alt="{html.escape(html.unescape(alt))}">')
    title = call.argument("title")
    if title or caption.pieces or attribution.pieces:
        parts.append("\n<figcaption>\n")
        if title:
            parts += ["<h4>", call.shown(title), "</h4>"]
        if caption.pieces or attribution.pieces:
            parts += ["<p>", caption, *([attribution] if attribution.pieces else []), "</p>\n"]
        parts.append("</figcaption>")
    return call.join(*parts, "\n</figure>\n")


def table(call: Call) -> Traced:
    """A table with a caption for screen readers."""
    result = call.markdown(call.inner)
    caption = call.argument("caption")
    first = _TABLE.search(result.text)
    if not caption or first is None:
        return result
    return call.join(
        result.cut(0, first.end()),
        '<caption style="display: none;">',
        call.html(caption),
        "</caption>\n",
        result.cut(first.end(), len(result.text)),
    )


def details(call: Call) -> Traced:
    """A part that opens on demand."""
    summary = call.argument("summary", 0)
    return call.join(
        "<details>\n",
        *(("<summary>", call.markdown(Traced.of(summary, call.place())), "</summary>\n") if summary else ()),
        '<div class="details-inner">\n',
        call.markdown(call.inner),
        "\n</div>\n</details>\n",
    )


def parameter(call: Call) -> Traced:
    """A parameter of the page or site."""
    return call.shown(call.parameter(call.argument("name", 0)), Origin.COMPUTED)


def reference(call: Call) -> Traced:
    """The URL of another page; readers see only the link around it."""
    return call.html(html.escape(call.argument("path", 0)))


# --- shared by behaviours ------------------------------------------------------------------------------------------


def code_block(call: Call, code: Traced, language: str) -> Traced:
    """``code`` as a code block in a language.

    Empty lines get an empty element, because an empty line would end the block where the result is Markdown again.
    """
    shown = f' class="language-{html.escape(language)}"' if language else ""
    written = escaped(code)
    if _EMPTY_LINE.search(written.text):
        written = _filled(written)
    return call.join(f'<div class="highlight"><pre tabindex="0"><code{shown}>', written, "</code></pre></div>")


def _filled(code: Traced) -> Traced:
    result = Traced()
    line_is_empty = True
    for text, place in code.pieces:
        offset = 0
        for line in text.splitlines(keepends=True):
            if line_is_empty and not line.strip() and line.endswith("\n"):
                result.append("<span></span>", None)
            result.append(line, place.part(offset, offset + len(line)) if place else None)
            offset += len(line)
            line_is_empty = line.endswith("\n") or (line_is_empty and not line.strip())
    return result


def escaped(text: Traced) -> Traced:
    """Plain text as HTML."""
    result = Traced()
    for piece, place in text.pieces:
        written = html.escape(piece, quote=False)
        if written != piece and place is not None and place.literal:
            place = Place(place.source, place.start, place.end, place.origin, False, place.boilerplate)
        result.append(written, place)
    return result


def included(source: SourceText) -> Traced:
    """All of another file."""
    return Traced.of_source(source, 0, Origin.INCLUDE)


def inside(call: Call, path: str) -> bool:
    """Whether a path that a page names stays inside the source and can be a file of it."""
    if path.startswith(("/", "..")) or _REMOTE.match(path) or len(path) > _MAX_PATH or not path.isprintable():
        return False
    return all(len(part.encode("utf-8", "replace")) <= _MAX_NAME for part in path.split("/"))


def find_in_bundle(call: Call, name: str) -> str | None:
    """The file of the page's own bundle whose path holds ``name``."""
    if not call.page.rpartition("/")[2].startswith("index."):
        return None
    wanted = name.lower()
    for path in call.build.files(call.folder):
        below = path[len(call.folder) + 1 :].lower()
        if path != call.page and (below == wanted or f"/{below}".rpartition("/")[2].startswith(wanted)):
            return path
    return None


def find_page(call: Call, name: str) -> str | None:
    """A page by a path beside this one or below the content folder, with or without its suffix."""
    bases = [call.folder, *call.content_folders()] if not name.startswith("/") else list(call.content_folders())
    for base in bases:
        path = posixpath.normpath(f"{base}/{name.lstrip('/')}")
        if not inside(call, path):
            continue
        for candidate in (path, f"{path}.md", f"{path}/_index.md", f"{path}/index.md", f"{path}.html"):
            if _SUFFIX.search(candidate) and call.build.text(candidate, "include") is not None:
                return candidate
    return None


BEHAVIOURS: dict[str, Behaviour] = {
    "code-file": code_file,
    "details": details,
    "diagram": diagram,
    "figure": figure,
    "file-link": file_link,
    "highlight": highlight,
    "include": include,
    "inner": inner,
    "nothing": nothing,
    "notice": notice,
    "parameter": parameter,
    "reference": reference,
    "tab": tab,
    "table": table,
    "tabs": tabs,
}
