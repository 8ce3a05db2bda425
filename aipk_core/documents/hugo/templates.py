"""The small templates with which a corpus describes its own shortcodes in TOML.

    [shortcodes.version-note]
    template = '<div class="note"><p>[[text note]] [[argument 0]]</p>[[inner]]</div>'

| in a template | stands for |
|---|---|
| ``[[argument NAME]]`` | the argument with this name or position, escaped; ``[[argument NAME or TEXT]]`` gives a default |
| ``[[raw NAME]]`` | the argument as HTML |
| ``[[markdown NAME]]`` | the argument as inline Markdown |
| ``[[inner]]`` | what stands between the tags, as Markdown |
| ``[[verbatim]]`` | what stands between the tags, as it is |
| ``[[text KEY]]`` | a translation; ``{NAME}`` in the key is replaced by that argument |
| ``[[markup KEY]]`` | a translation that is HTML |
| ``[[translated KEY]]`` | a translation that is Markdown |
| ``[[parameter NAME]]`` | a parameter of the page or the site |
| ``[[if A B]]…[[end]]``, ``[[if not A B]]…[[end]]`` | only with all of (with none of) these arguments; no nesting |
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable

from aipk_core.documents.hugo.calls import Call
from aipk_core.documents.model import Origin
from aipk_core.documents.traced import Traced
from aipk_core.errors import CorpusError

_PART = re.compile(r"\[\[(\w+)(?: +([^\[\]]*))?\]\]")
_CONDITION = re.compile(r"\[\[if (not )?([\w -]+)\]\](.*?)\[\[end\]\]", re.DOTALL)
_NAME = re.compile(r"\{([\w-]+)\}")


def check_template(template: str, where: str) -> None:
    """Raise ``CorpusError`` for a template with a part that does not exist."""
    for found in _PART.finditer(_CONDITION.sub(lambda condition: condition[3], template)):
        if found[1] not in _PARTS:
            raise CorpusError(
                f"a shortcode template has no part named {found[1]!r}",
                where=where,
                remedy=f"Use one of: {', '.join(sorted(_PARTS))}, if … end",
            )


def fill_template(template: str, call: Call) -> Traced:
    """The HTML that ``template`` gives for a call."""
    chosen = _CONDITION.sub(lambda condition: condition[3] if _holds(call, condition) else "", template)
    result = Traced()
    position = 0
    for found in _PART.finditer(chosen):
        result.append(chosen[position : found.start()], call.place())
        result.extend(_PARTS[found[1]](call, (found[2] or "").strip()).pieces)
        position = found.end()
    result.append(chosen[position:], call.place())
    return result


def _holds(call: Call, condition: re.Match[str]) -> bool:
    given = [call.argument(name) not in ("", "false") for name in condition[2].split()]
    return not any(given) if condition[1] else all(given)


def _argument(call: Call, name: str) -> Traced:
    name, _, default = name.partition(" or ")
    return call.shown(call.argument(name.strip()) or default.strip())


def _text(call: Call, key: str) -> Traced:
    return call.translation(_NAME.sub(lambda name: call.argument(name[1]), key))


def _translated(call: Call, key: str) -> Traced:
    return call.markdown(call.translation(key, raw=True))


def _parameter(call: Call, name: str) -> Traced:
    return Traced.of(html.escape(call.parameter(name), quote=False), call.place(Origin.COMPUTED))


_PARTS: dict[str, Callable[[Call, str], Traced]] = {
    "argument": _argument,
    "raw": lambda call, name: Traced.of(call.argument(name), call.place()),
    "markdown": lambda call, name: call.markdown(Traced.of(call.argument(name), call.place())),
    "inner": lambda call, name: call.markdown(call.inner),
    "verbatim": lambda call, name: call.inner,
    "text": _text,
    "markup": lambda call, key: call.translation(key, raw=True),
    "translated": _translated,
    "parameter": _parameter,
}
