"""Writes small containers (ZIP with XML) and PDF files for the tests of their loaders."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Mapping, Sequence

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"

_STYLES = f"""<w:styles xmlns:w="{WORD}">
<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style>
<w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/></w:style>
<w:style w:type="paragraph" w:styleId="Mine"><w:name w:val="My head"/><w:basedOn w:val="Heading1"/></w:style>
<w:style w:type="paragraph" w:styleId="Code"><w:name w:val="Source Code"/></w:style>
<w:style w:type="paragraph" w:styleId="TOC1"><w:name w:val="toc 1"/></w:style>
</w:styles>"""


def container(members: Mapping[str, str | bytes]) -> bytes:
    """A ZIP file of ``members``."""
    output = io.BytesIO()
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return output.getvalue()


def docx(body: str, **parts: str) -> bytes:
    """A Word document with ``body`` inside ``w:body``; ``parts`` are further members of ``word/``."""
    document = f'<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>'
    members = {"word/document.xml": document, "word/styles.xml": _STYLES}
    members |= {f"word/{name}.xml": content for name, content in parts.items()}
    return container(members)


def paragraph(text: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"


def pdf(pages: Sequence[Sequence[tuple[float, float, float, str]]], *, bold: str = "", extra: str = "") -> bytes:
    """A PDF with Helvetica; each page is a list of ``(x, y, size, text)``, one piece of text each, in drawing order.

    Args:
        bold: pieces whose text starts with this are set in Helvetica-Bold.
        extra: further content for each page, such as an image.
    """
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>",
        "<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8 /Length 1 >>"
        "\nstream\nx\nendstream",
    ]
    kids = []
    for page in pages:
        content = extra
        for x, y, size, text in page:
            font = "/F2" if bold and text.startswith(bold) else "/F1"
            escaped = text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
            content += f"BT {font} {size} Tf {x} {y} Td ({escaped}) Tj ET\n"
        packed = zlib.compress(content.encode("cp1252")).decode("latin-1")
        objects.append(f"<< /Length {len(packed)} /Filter /FlateDecode >>\nstream\n{packed}\nendstream")
        objects.append(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R /F2 4 0 R >>"
            f" /XObject << /I 5 0 R >> >> /Contents {len(objects)} 0 R >>"
        )
        kids.append(f"{len(objects)} 0 R")
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>"
    output = "%PDF-1.4\n"
    places = []
    for number, content in enumerate(objects, 1):
        places.append(len(output))
        output += f"{number} 0 obj\n{content}\nendobj\n"
    table = len(output)
    output += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n"
    output += "".join(f"{place:010} 00000 n \n" for place in places)
    output += f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n"
    return output.encode("latin-1")
