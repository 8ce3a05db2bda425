"""EPUB books: the documents of the spine in reading order, as one document."""

from __future__ import annotations

import re

from lxml import etree

from aipk_core.documents.builder import DocumentBuilder, clean
from aipk_core.documents.loaders.archives import Archive, children, local_name
from aipk_core.documents.loaders.encodings import decode
from aipk_core.documents.loaders.html_blocks import write_blocks
from aipk_core.documents.loaders.html_tree import parse_html
from aipk_core.documents.loaders.limits import Watch
from aipk_core.documents.loaders.registry import LoadContext, RawDocument
from aipk_core.documents.loaders.scripts import dominant_language
from aipk_core.documents.model import Document
from aipk_core.documents.traced import Traced
from aipk_core.errors import DocumentError

MEDIA_TYPE = "application/epub+zip"


def load_epub(raw: RawDocument, context: LoadContext) -> Document:
    """Read a book. Navigation documents are left out; a chapter that is missing or damaged is reported.

    Raises:
        DocumentError: ``invalid``, ``encrypted`` (digital rights management), ``archive-bomb``, ``empty``,
            ``too-large``, ``timeout``.
    """
    watch = Watch(raw.id, context.limits)
    archive = Archive(raw, context)
    encrypted = _encrypted_members(archive)
    package_path = _package_path(archive)
    package = archive.xml(package_path)
    if package is None:
        raise archive.invalid("the package document of the book is missing")
    items, facts = _manifest(package), _facts(package)
    builder = DocumentBuilder(raw.id, len(raw.data))
    for identity in _spine(package):
        watch.check(builder)
        item = items.get(identity)
        if item is None or "nav" in item.get("properties", "").split():
            continue
        if "html" not in item.get("media-type", "html"):
            continue
        name = archive.resolve(package_path, item.get("href", ""))
        if name in encrypted:
            raise DocumentError(
                "the chapters are encrypted", code="encrypted", where=raw.id, remedy="Get a copy without protection"
            )
        data = archive.read(name)
        if data is None:
            builder.problem("missing-part", f"the chapter {name[:200]} is missing", raw.id)
            continue
        _chapter(data, f"{raw.id}#{name[:200]}", builder, watch, context)
    watch.finish(builder)
    text = " ".join(builder.block_text(index) for index in range(min(len(builder.blocks), 200)))
    title = facts.pop("title", "")
    return builder.build(
        title=title,
        url=raw.url,
        lang=dominant_language(text, raw.lang or facts.pop("language", "") or "en"),
        media_type=MEDIA_TYPE,
        metadata=dict(facts),
    )


_DECLARED = re.compile(rb"""<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{1,40})""")


def _chapter(data: bytes, where: str, builder: DocumentBuilder, watch: Watch, context: LoadContext) -> None:
    declared = _DECLARED.search(data[:400])
    decoded = decode(data, declared.group(1).decode("ascii", "ignore") if declared else "", where=where)
    builder.problems.extend(decoded.problems)
    source = Traced.of(decoded.text)
    write_blocks(parse_html(source.text), source, builder, max_blocks=context.limits.max_blocks, tick=watch.check)


def _package_path(archive: Archive) -> str:
    container = archive.xml("META-INF/container.xml")
    if container is not None:
        for element in container.iter():
            path = element.get("full-path") if local_name(element) == "rootfile" else None
            if path:
                return archive.resolve("", path)
    found = next((name for name in archive.names() if name.endswith(".opf")), None)
    if found is None:
        raise archive.invalid("the container does not say where the book is")
    return found


def _manifest(package: etree._Element) -> dict[str, dict[str, str]]:
    items: dict[str, dict[str, str]] = {}
    for element in package.iter():
        if local_name(element) == "item" and element.get("id"):
            items[str(element.get("id"))] = {str(key): str(value) for key, value in element.attrib.items()}
    return items


def _spine(package: etree._Element) -> list[str]:
    """The chapters in reading order, and after them what readers reach by links only, such as notes."""
    items = [element for element in package.iter() if local_name(element) == "itemref" and element.get("idref")]
    items.sort(key=lambda element: element.get("linear") == "no")
    return [str(element.get("idref")) for element in items]


def _facts(package: etree._Element) -> dict[str, str]:
    names = {"title": "title", "creator": "author", "language": "language", "date": "date", "publisher": "publisher"}
    facts: dict[str, str] = {}
    for element in package.iter():
        if local_name(element) == "metadata":
            for entry in children(element):
                name, value = names.get(local_name(entry)), clean(entry.text or "")
                if name and value and name not in facts:
                    facts[name] = value[:500]
    return facts


_FONT_OBFUSCATION = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")


def _encrypted_members(archive: Archive) -> frozenset[str]:
    """Members that the book says are encrypted, but for fonts, which are merely scrambled."""
    root = archive.xml("META-INF/encryption.xml")
    names: set[str] = set()
    for entry in root.iter() if root is not None else ():
        if local_name(entry) != "EncryptedData":
            continue
        method = next(
            (part.get("Algorithm", "") for part in entry.iter() if local_name(part) == "EncryptionMethod"), ""
        )
        if method in _FONT_OBFUSCATION:
            continue
        names |= {
            archive.resolve("", part.get("URI", "")) for part in entry.iter() if local_name(part) == "CipherReference"
        }
    return frozenset(names)
