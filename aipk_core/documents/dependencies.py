"""What a document was computed from besides its own file, looked at again: has any of it changed?"""

from __future__ import annotations

from collections.abc import Iterable

from aipk_core.documents.hugo.site import HugoSite
from aipk_core.documents.loaders.registry import Site
from aipk_core.hashing import digest, digest_bytes


class CurrentState:
    """The digests that the dependencies of documents have now; each is worked out once.

    The digests are those that loaders record in ``Document.dependencies``: of a file its bytes, of a folder (a name that
    ends with a slash) the paths in it, of a site parameter or a translation its value; ``""`` for what is absent.
    """

    def __init__(self, site: Site) -> None:
        self._site = site
        self._digests: dict[tuple[str, str, str], str] = {}

    def digests(self, needs: Iterable[tuple[str, str]], lang: str) -> list[str]:
        """The digest of each ``(kind, name)``, for a page in the language ``lang``."""
        return [self._digest(kind, name, lang) for kind, name in needs]

    def _digest(self, kind: str, name: str, lang: str) -> str:
        what = "value" if kind in {"parameter", "translation"} else "file"
        key = (kind if what == "value" else what, name, lang if kind == "translation" else "")
        if key not in self._digests:
            self._digests[key] = self._looked_up(kind, name, lang)
        return self._digests[key]

    def _looked_up(self, kind: str, name: str, lang: str) -> str:
        if kind in {"parameter", "translation"}:
            if not isinstance(self._site, HugoSite):
                return ""
            value = self._site.parameter(name) if kind == "parameter" else self._site.translation(name, lang)
            return "" if value is None else digest(value)
        if name.endswith("/"):
            paths = list(self._site.list(name.rstrip("/")))
            return digest(paths) if paths else ""
        data = self._site.read(name)
        return "" if data is None else digest_bytes(data)
