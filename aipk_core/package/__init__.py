"""The ``.aipk`` file: written whole or not at all, opened with suspicion, read in place."""

from __future__ import annotations

from aipk_core.package.contents import PackageContents, check_contents
from aipk_core.package.manifest import Manifest
from aipk_core.package.reader import DocumentEntry, Package, open_package, read_manifest
from aipk_core.package.search import Scored
from aipk_core.package.writer import PackageInfo, write_package

__all__ = [
    "DocumentEntry",
    "Manifest",
    "Package",
    "PackageContents",
    "PackageInfo",
    "Scored",
    "check_contents",
    "open_package",
    "read_manifest",
    "write_package",
]
