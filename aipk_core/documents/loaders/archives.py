"""The one way in which loaders open ZIP containers and XML: bounded, without entities, DTDs or network."""

from __future__ import annotations

import io
import lzma
import posixpath
import re
import zipfile
import zlib
from collections.abc import Iterator
from urllib.parse import unquote

from lxml import etree

from aipk_core.documents.loaders.registry import LoadContext, RawDocument
from aipk_core.errors import DocumentError

MAX_MEMBERS = 10_000
MAX_RATIO = 200
"""How many times larger than its packed form a member may be; office XML rarely passes 50."""

MAX_XML = 28 << 20
"""Bytes of one XML part; the tree of it takes up to thirty times as much memory."""

_RATIO_FREE_BYTES = 8 << 20  # small members may pack as well as they like


class Archive:
    """A ZIP container whose members are read with limits on their number, size and rate of expansion.

    Raises:
        DocumentError: ``invalid`` for a damaged container, ``encrypted`` for members behind a password,
            ``archive-bomb`` when it has too many members or would unpack to too much.
    """

    def __init__(self, raw: RawDocument, context: LoadContext) -> None:
        self.where = raw.id
        self._left = context.limits.max_expanded_bytes
        self._max_depth = context.limits.max_depth
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(raw.data))
            infos = self._zip.infolist()
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, OverflowError) as error:
            raise self.invalid(f"not an intact ZIP container ({error})") from error
        if len(infos) > MAX_MEMBERS:
            raise self._bomb(f"the container has {len(infos)} members, more than {MAX_MEMBERS}")
        self._members = {_member_name(info.filename): info for info in infos}

    def names(self) -> list[str]:
        """Member names in the order of the container."""
        return list(self._members)

    def read(self, name: str) -> bytes | None:
        """The bytes of a member; ``None`` when there is no such member."""
        info = self._members.get(_member_name(name))
        if info is None or info.is_dir():
            return None
        if info.flag_bits & 0x1:
            raise DocumentError(
                "the container is protected by a password",
                code="encrypted",
                where=self.where,
                remedy="Save a copy without password",
            )
        allowed = min(self._left, max(_RATIO_FREE_BYTES, info.compress_size * MAX_RATIO))
        try:
            with self._zip.open(info) as stream:
                data = stream.read(allowed + 1)
        except _DAMAGE as error:
            raise self.invalid(f"{info.filename[:80]} is damaged ({error})") from error
        if len(data) > allowed:
            raise self._bomb(f"{info.filename[:80]} unpacks to more than {allowed} bytes")
        self._left -= len(data)
        return data

    def xml(self, name: str) -> etree._Element | None:
        """The root element of an XML member; ``None`` when there is no such member."""
        data = self.read(name)
        if data is None:
            return None
        return parse_xml(data, where=f"{self.where}#{name}", max_depth=self._max_depth)

    def resolve(self, base: str, target: str) -> str:
        """The member that ``target`` means when member ``base`` refers to it."""
        path = unquote(target.split("#", 1)[0].split("?", 1)[0])
        return _member_name(posixpath.join(posixpath.dirname(base), path))

    def invalid(self, message: str) -> DocumentError:
        return DocumentError(message, code="invalid", where=self.where, remedy="Open and save the file anew")

    def _bomb(self, message: str) -> DocumentError:
        return DocumentError(message, code="archive-bomb", where=self.where, remedy="Exclude the file")


def parse_xml(data: bytes, *, where: str, max_depth: int = 100) -> etree._Element:
    """The root element of an XML document.

    Entities are not expanded, DTDs not loaded, and no network is used. Elements may nest to twice ``max_depth``
    (office formats wrap each list level in several elements).

    Raises:
        DocumentError: ``invalid`` for XML that is not well-formed or nested too deep, ``too-large`` beyond ``MAX_XML``,
            ``archive-bomb`` for a document that declares entities, which no honest file of our formats does.
    """
    if len(data) > MAX_XML:
        raise DocumentError(
            f"an XML part has {len(data)} bytes, more than {MAX_XML}",
            code="too-large",
            where=where,
            remedy="Split the file",
        )
    if _ENTITY.search(data[: 1 << 16]):
        raise DocumentError(
            "the XML declares entities", code="archive-bomb", where=where, remedy="Remove the document type declaration"
        )
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError, LookupError) as error:
        raise DocumentError(
            f"the XML is not well-formed ({error})", code="invalid", where=where, remedy="Open and save the file anew"
        ) from error
    depth = 0
    for event, _ in etree.iterwalk(root, events=("start", "end")):
        depth += 1 if event == "start" else -1
        if depth > 2 * max_depth:
            raise DocumentError(
                f"elements nest deeper than {2 * max_depth}", code="invalid", where=where, remedy="Exclude the file"
            )
    return root


def local_name(element: etree._Element) -> str:
    """The tag without namespace; ``""`` for comments and processing instructions."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def children(element: etree._Element) -> Iterator[etree._Element]:
    """Child elements without comments, processing instructions and entity references."""
    return (child for child in element if isinstance(child.tag, str))


_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    OSError,
    ValueError,
    NotImplementedError,
    RuntimeError,
)
_ENTITY = re.compile(rb"<!ENTITY|<\0!\0E\0N\0T\0I\0T\0Y|\0<\0!\0E\0N\0T\0I\0T\0Y")


def _member_name(name: str) -> str:
    """Names are compared without leading slashes and dot segments; nothing is ever written to disk under them."""
    return posixpath.normpath(name.replace("\\", "/")).lstrip("/")
