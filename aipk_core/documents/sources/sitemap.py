"""Sitemaps and sitemap indexes (sitemaps.org): XML or plain text, gzipped or not."""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO

from lxml import etree

from aipk_core.documents.sources.network import FetchError, gunzipped

MAX_BYTES = 50 << 20
"""What sitemaps.org allows one sitemap to have, uncompressed."""

MAX_ENTRIES = 50_000
_GZIP = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class Sitemap:
    """Addresses of a sitemap, as they are written there.

    Attributes:
        pages: addresses of pages.
        sitemaps: addresses of further sitemaps (of an index).
    """

    pages: tuple[str, ...] = ()
    sitemaps: tuple[str, ...] = ()


def parse_sitemap(data: bytes) -> Sitemap:
    """Read a sitemap.

    Raises:
        FetchError: ``sitemap-invalid``, ``too-large``, ``damaged`` or ``truncated``.
    """
    if data.startswith(_GZIP):
        data = gunzipped(data, MAX_BYTES)
    head = data.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not head.startswith(b"<"):
        return _from_text(head)
    pages: list[str] = []
    sitemaps: list[str] = []
    kinds = {"url": pages, "sitemap": sitemaps}
    try:
        # Without a DTD, entities or the network, and with libxml2's own limits on depth and size.
        events = etree.iterparse(
            BytesIO(head), events=("end",), load_dtd=False, no_network=True, resolve_entities=False, huge_tree=False
        )
        for _, element in events:
            name = _local(element)
            if name == "loc":
                parent = element.getparent()
                found = kinds.get(_local(parent)) if parent is not None else None
                if found is not None and element.text and element.text.strip():
                    found.append(element.text.strip())
                    if len(found) > MAX_ENTRIES:
                        raise FetchError("too-large", f"the sitemap has more than {MAX_ENTRIES} addresses")
            elif name in kinds:
                _forget(element)
    except etree.XMLSyntaxError as error:
        raise FetchError("sitemap-invalid", f"the sitemap is not well-formed XML: {str(error)[:200]}") from error
    if events.root is None or _local(events.root) not in {"urlset", "sitemapindex"}:
        raise FetchError("sitemap-invalid", "the XML is no sitemap")
    return Sitemap(tuple(pages), tuple(sitemaps))


def _from_text(data: bytes) -> Sitemap:
    lines = [line.strip() for line in data.decode("utf-8", "replace").splitlines() if line.strip()]
    if not lines or not all(line.startswith(("http://", "https://")) for line in lines):
        raise FetchError("sitemap-invalid", "the file is neither an XML sitemap nor a list of addresses")
    if len(lines) > MAX_ENTRIES:
        raise FetchError("too-large", f"the sitemap has more than {MAX_ENTRIES} addresses")
    return Sitemap(tuple(lines))


def _local(element: etree._Element) -> str:
    return etree.QName(element).localname if isinstance(element.tag, str) else ""


def _forget(element: etree._Element) -> None:
    """Free what has been read, so that a large sitemap takes little memory."""
    element.clear()
    parent = element.getparent()
    while parent is not None and element.getprevious() is not None:
        del parent[0]
