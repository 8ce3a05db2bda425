"""The container of a package: a plain ZIP file that is read with suspicion.

ZIP gives two readers many ways to see different things in one file: bytes before, between and after the members, names
that stand twice, local headers that disagree with the directory. All of those are refused: every byte of the file
belongs to exactly one member or to the directory, and the manifest names every member with its size and digest.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import IO, Final, Self

from aipk_core.errors import PackageError, StoreError
from aipk_core.package.manifest import (
    MANIFEST_NAME,
    MAX_MANIFEST_BYTES,
    MAX_MEMBER_BYTES,
    MAX_MEMBERS,
    MAX_TOTAL_BYTES,
    Manifest,
    Member,
    is_member_name,
    parse_manifest,
)

_BLOCK = 1 << 20
_EPOCH = (1980, 1, 1, 0, 0, 0)
_MODE = stat.S_IFREG | 0o644
_WORTH_DEFLATING = 0.9  # of a member's first MiB; vectors barely shrink and would only cost time
_MAX_RATIO: Final = 250
_RATIO_FREE_BYTES: Final = 1 << 20

_MAGIC_1: Final = b"AIPK\x01\x00\x00\x00"
_END = struct.Struct("<4s4H2LH")
_END64_LOCATOR = struct.Struct("<4sLQL")
_END64 = struct.Struct("<4sQ2H2L4Q")
_LOCAL = struct.Struct("<4s5H3L2H")
_MAX_DIRECTORY_BYTES = 64 << 20
_UTF8_FLAG = 0x800
_ZIP64_EXTRA = 1


def write_container(path: Path, members: Mapping[str, Path | bytes]) -> None:
    """Write ``members`` to a new file, in the order of their names, with nothing in it that depends on time or place.

    Raises:
        OSError: the file cannot be written.
    """
    with path.open("xb") as stream:
        with zipfile.ZipFile(stream, "w") as archive:
            for name in sorted(members):
                source = members[name]
                info = zipfile.ZipInfo(name, _EPOCH)
                info.create_system = 3  # Unix, also when written elsewhere
                info.external_attr = _MODE << 16
                info.file_size = len(source) if isinstance(source, bytes) else source.stat().st_size
                info.compress_type = _compression(source)
                with archive.open(info, "w") as target:
                    for block in _blocks(source):
                        target.write(block)
        stream.flush()
        os.fsync(stream.fileno())


class Container:
    """A package file whose structure has been checked; its members' bytes are checked when they are read.

    Attributes:
        size: bytes of the file; ``manifest`` and ``raw_manifest``: what it says, parsed and as it stands.

    Raises:
        PackageError: the file is missing (``package-missing``), no package at all (``not-a-package``), cut short or
            altered (``package-damaged``), built to harm its reader (``package-unsafe``), of another version
            (``version-unsupported``), or its manifest is invalid (``manifest-invalid``).
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._stream: IO[bytes] = _opened(path)
        try:
            with self._reading():
                self.size = os.fstat(self._stream.fileno()).st_size
                directory = self._directory_start()
                self._archive = zipfile.ZipFile(self._stream)
                self._members = self._checked_members(directory)
                self.manifest = self._read_manifest()
                self._compare_with_manifest()
        except BaseException:
            self._stream.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._archive.close()
        self._stream.close()

    def digest(self) -> str:
        """SHA-256 (hex) of the whole file."""
        hasher = hashlib.sha256()
        with self._reading():
            self._stream.seek(0)
            while block := self._stream.read(_BLOCK):
                hasher.update(block)
        return hasher.hexdigest()

    def read(self, name: str) -> bytes:
        """One listed member, checked against its digest; meant for small ones, they are held in memory.

        Raises:
            PackageError: there is no such member, or its bytes are not those of the manifest.
        """
        member = self.manifest.member(name)
        if member is None:
            raise PackageError(f"there is no member '{name}'", code="member-missing", where=str(self.path))
        return b"".join(self._checked_blocks(member))

    def verify(self) -> None:
        """Read every member and compare it with its digest.

        Raises:
            PackageError: code ``package-damaged``.
        """
        for member in self.manifest.members:
            for _ in self._checked_blocks(member):
                pass

    def extract(self, folder: Path) -> None:
        """Unpack the manifest and every member below ``folder``, read-only, each checked while it is written.

        Raises:
            PackageError: a member is damaged; ``folder`` is then half filled.
            StoreError: the disk is full (``disk-full``) or cannot be written.
        """
        with writing(folder):
            for member in self.manifest.members:
                target = folder / member.path
                target.parent.mkdir(parents=True, exist_ok=True)
                with target.open("xb") as stream:
                    for block in self._checked_blocks(member):
                        stream.write(block)
                target.chmod(0o444)
            target = folder / MANIFEST_NAME
            target.write_bytes(self.raw_manifest)
            target.chmod(0o444)

    def _directory_start(self) -> int:
        """Offset of the central directory, after checking that it ends the file and is of a sane size."""
        size = self.size
        if size > MAX_TOTAL_BYTES:
            raise self._unsafe(f"it is larger than {MAX_TOTAL_BYTES >> 30} GiB")
        if self._bytes_at(0, len(_MAGIC_1)) == _MAGIC_1:
            raise PackageError(
                "this package has format version 1, another project's binary format with the same file ending",
                code="version-unsupported",
                where=str(self.path),
                remedy="Build the package anew from its sources with 'aipk build'",
            )
        if self._bytes_at(0, 4) != b"PK\x03\x04" or size < _END.size:
            raise PackageError(
                "this is not an .aipk package",
                code="not-a-package",
                where=str(self.path),
                remedy="Name a file that 'aipk build' wrote",
            )
        end = size - _END.size
        fields = _END.unpack(self._bytes_at(end, _END.size))
        if fields[0] != b"PK\x05\x06" or fields[7] != 0:
            raise self._damaged("it is cut short, or bytes were added at its end")
        entries, length, start = fields[4], fields[5], fields[6]
        if entries == 0xFFFF or length == 0xFFFFFFFF or start == 0xFFFFFFFF:
            locator = end - _END64_LOCATOR.size
            if locator < _END64.size:
                raise self._damaged("its directory cannot be found")
            signature, _, end, _ = _END64_LOCATOR.unpack(self._bytes_at(locator, _END64_LOCATOR.size))
            if signature != b"PK\x06\x07" or end != locator - _END64.size:
                raise self._damaged("its directory cannot be found")
            large = _END64.unpack(self._bytes_at(end, _END64.size))
            if large[0] != b"PK\x06\x06":
                raise self._damaged("its directory cannot be found")
            entries, length, start = large[7], large[8], large[9]
        if entries > MAX_MEMBERS + 1 or length > _MAX_DIRECTORY_BYTES:
            raise self._unsafe(f"it has {entries} members; {MAX_MEMBERS} are allowed")
        if start + length != end:
            raise self._damaged("there are bytes in it that belong to no member")
        return int(start)

    def _checked_members(self, directory: int) -> dict[str, zipfile.ZipInfo]:
        members: dict[str, zipfile.ZipInfo] = {}
        for info in self._archive.infolist():
            name = info.orig_filename
            if not is_member_name(name):
                raise self._unsafe(f"the member name {name[:200]!r} is not a plain relative path")
            if name in members:
                raise self._unsafe(f"the member '{name}' is in it twice")
            mode = info.external_attr >> 16
            if info.external_attr & 0x10 or stat.S_IFMT(mode) not in (0, stat.S_IFREG):
                raise self._unsafe(f"the member '{name}' is a link, a folder or a device, not a file")
            if info.flag_bits & ~_UTF8_FLAG or info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise self._unsafe(f"the member '{name}' is packed in a way that packages do not use")
            if info.comment or not _only_zip64(info.extra):
                raise self._unsafe(f"the member '{name}' carries hidden data")
            if info.file_size > MAX_MEMBER_BYTES or (
                info.file_size > _RATIO_FREE_BYTES and info.file_size > _MAX_RATIO * info.compress_size
            ):
                raise self._unsafe(f"the member '{name}' unpacks to {info.file_size} bytes, which is out of proportion")
            members[name] = info
        self._check_tiling(members, directory)
        return members

    def _check_tiling(self, members: Mapping[str, zipfile.ZipInfo], directory: int) -> None:
        """Members follow one another without gap or overlap, and their local headers say what the directory says."""
        position = 0
        for name, info in sorted(members.items(), key=lambda item: item[1].header_offset):
            if info.header_offset != position:
                raise self._damaged(f"there are bytes before the member '{name}' that belong to no member")
            header = self._bytes_at(position, _LOCAL.size)
            if len(header) != _LOCAL.size:
                raise self._damaged(f"the member '{name}' is cut short")
            signature, _, flags, method, _, _, crc, packed, unpacked, name_size, extra_size = _LOCAL.unpack(header)
            rest = self._bytes_at(position + _LOCAL.size, name_size + extra_size)
            agrees = (
                signature == b"PK\x03\x04"
                and flags == info.flag_bits
                and method == info.compress_type
                and crc == info.CRC
                and packed in (info.compress_size, 0xFFFFFFFF)
                and unpacked in (info.file_size, 0xFFFFFFFF)
                and rest[:name_size] == name.encode("ascii")
                and _only_zip64(rest[name_size:])
            )
            if not agrees:
                raise self._damaged(f"the two headers of the member '{name}' contradict each other")
            position += _LOCAL.size + name_size + extra_size + info.compress_size
        if position != directory:
            raise self._damaged("there are bytes after its members that belong to no member")

    def _read_manifest(self) -> Manifest:
        info = self._members.get(MANIFEST_NAME)
        if info is None:
            raise PackageError(
                "this ZIP file is not an .aipk package: it has no manifest",
                code="not-a-package",
                where=str(self.path),
                remedy="Name a file that 'aipk build' wrote",
            )
        if info.file_size > MAX_MANIFEST_BYTES:
            raise self._unsafe(f"its manifest is larger than {MAX_MANIFEST_BYTES >> 20} MiB")
        self.raw_manifest = b"".join(self._blocks(info))
        return parse_manifest(self.raw_manifest, where=str(self.path))

    def _compare_with_manifest(self) -> None:
        listed = {member.path: member for member in self.manifest.members}
        present = self._members.keys() - {MANIFEST_NAME}
        for name in sorted(present - listed.keys()):
            raise self._unsafe(f"it holds '{name}', which its manifest does not list")
        for name, member in listed.items():
            if name not in present:
                raise self._damaged(f"its manifest lists '{name}', which is missing")
            if self._members[name].file_size != member.size:
                raise self._damaged(f"the member '{name}' does not have the size that the manifest says")

    def _checked_blocks(self, member: Member) -> Iterator[bytes]:
        hasher = hashlib.sha256()
        for block in self._blocks(self._members[member.path]):
            hasher.update(block)
            yield block
        if hasher.hexdigest() != member.sha256:
            raise self._damaged(f"the bytes of '{member.path}' are not those that the manifest says")

    def _blocks(self, info: zipfile.ZipInfo) -> Iterator[bytes]:
        left = info.file_size
        with self._reading(), self._archive.open(info) as stream:
            while block := stream.read(_BLOCK):
                left -= len(block)
                if left < 0:
                    raise self._unsafe(f"the member '{info.filename}' unpacks to more than it says")
                yield block
        if left:
            raise self._damaged(f"the member '{info.filename}' unpacks to less than it says")

    def _bytes_at(self, offset: int, count: int) -> bytes:
        self._stream.seek(offset)
        return self._stream.read(count)

    @contextmanager
    def _reading(self) -> Iterator[None]:
        try:
            yield
        except (zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, EOFError, struct.error) as error:
            raise self._damaged(f"it cannot be unpacked ({error})") from error
        except (NotImplementedError, ValueError, RuntimeError, UnicodeError, OverflowError) as error:
            raise self._damaged(f"its structure makes no sense ({error})") from error

    def _damaged(self, reason: str) -> PackageError:
        return PackageError(
            f"the package is damaged: {reason}",
            code="package-damaged",
            where=str(self.path),
            remedy="Get the package again from where it came from, or build it anew",
        )

    def _unsafe(self, reason: str) -> PackageError:
        return PackageError(
            f"the package is refused: {reason}",
            code="package-unsafe",
            where=str(self.path),
            remedy="Do not trust the place that this file came from",
        )


@contextmanager
def writing(place: Path) -> Iterator[None]:
    """Turn the errors of a full or read-only disk into a ``StoreError`` that says so."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise disk_full(place) from error
        raise StoreError(
            f"the disk cannot be written ({error.strerror or error})",
            code="not-writable",
            where=str(place),
            remedy="Check the folder's permissions, or choose another folder",
        ) from error


def disk_full(place: Path, needed: int = 0) -> StoreError:
    """The error for a disk without room, with how much is needed if that is known."""
    amount = f"; about {-(-needed >> 20)} MiB are needed" if needed else ""
    return StoreError(
        f"the disk is full{amount}",
        code="disk-full",
        where=str(place),
        remedy="Free some space, or choose a folder on another disk",
    )


def _opened(path: Path) -> IO[bytes]:
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise PackageError(
                "this is a folder or a device, not a package file",
                code="not-a-package",
                where=str(path),
                remedy="Name a file that 'aipk build' wrote",
            )
        return path.open("rb")
    except (OSError, ValueError) as error:
        raise PackageError(
            f"the package cannot be read ({getattr(error, 'strerror', None) or error})",
            code="package-missing",
            where=str(path),
            remedy="Check the path, or build the package first with 'aipk build'",
        ) from error


def _only_zip64(extra: bytes) -> bool:
    """Whether an extra field holds nothing but the sizes of a large member."""
    position = 0
    while position + 4 <= len(extra):
        kind, length = struct.unpack_from("<HH", extra, position)
        if kind != _ZIP64_EXTRA or length > 28:
            return False
        position += 4 + length
    return position == len(extra)


def _compression(source: Path | bytes) -> int:
    if isinstance(source, bytes):
        first = source[:_BLOCK]
    else:
        with source.open("rb") as stream:
            first = stream.read(_BLOCK)
    packed = len(zlib.compress(first, 1))
    return zipfile.ZIP_DEFLATED if packed < _WORTH_DEFLATING * len(first) else zipfile.ZIP_STORED


def _blocks(source: Path | bytes) -> Iterator[bytes]:
    if isinstance(source, bytes):
        yield source
        return
    with source.open("rb") as stream:
        while block := stream.read(_BLOCK):
            yield block
