"""Writes and reads initrds: cpio archives in `newc` format with checksums (magic 070702).

Source: cpio(5), "New ASCII Format" and "New CRC Format"; the checksum is the sum of the file's
bytes, modulo 2**32.
"""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

MAGIC = b"070702"
TRAILER = "TRAILER!!!"
SUM = "sha256"
FILE_MODE = 0o100755
DIRECTORY_MODE = 0o040755


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)


def member(name: str, data: bytes, mode: int, inode: int, checksum: int | None = None) -> bytes:
    """One member of an archive; `checksum` replaces the right one, for wrong archives."""
    encoded = name.encode("utf-8") + b"\0"
    links = 2 if mode == DIRECTORY_MODE else 1
    total = sum(data) & 0xFFFFFFFF if checksum is None else checksum
    numbers = (inode, mode, 0, 0, links, 0, len(data), 0, 0, 0, 0, len(encoded), total)
    header = MAGIC + b"".join(b"%08X" % number for number in numbers)
    return _padded(header + encoded) + _padded(data)


def build(tree: Mapping[str, bytes]) -> bytes:
    """Return an archive of `tree`, a map from paths such as "bin/toll" to contents.

    Parent directories are added, every file is executable, and equal trees give equal archives.
    """
    files = {name.strip("/"): data for name, data in tree.items()}
    directories = {str(parent) for name in files for parent in PurePosixPath(name).parents}
    entries: list[tuple[str, bytes, int]] = [
        *((name, b"", DIRECTORY_MODE) for name in sorted(directories - {"."})),
        *((name, data, FILE_MODE) for name, data in files.items()),
    ]
    archive = b"".join(
        member(name, data, mode, inode) for inode, (name, data, mode) in enumerate(entries, start=1)
    )
    return archive + member(TRAILER, b"", 0, 0, 0)


@dataclass(frozen=True)
class Member:
    """One member: its mode, its start, its data, and the next one's start."""

    name: str
    mode: int
    start: int
    data: int
    size: int
    next: int


def members(archive: bytes) -> Iterator[Member]:
    """The members of an archive from `build` or cpio, without the end marker."""
    start = 0
    while True:
        fields = [int(archive[start + at : start + at + 8], 16) for at in range(6, 110, 8)]
        mode, size, length = fields[1], fields[6], fields[11]
        data = start + -(-(110 + length) // 4) * 4
        name = archive[start + 110 : start + 110 + length - 1].decode("utf-8")
        if name == TRAILER:
            return
        yield Member(name, mode, start, data, size, data + -(-size // 4) * 4)
        start = data + -(-size // 4) * 4


def read(archive: bytes) -> dict[str, bytes]:
    """The regular files of an archive from `build` or cpio, in order."""
    return {
        one.name: archive[one.data : one.data + one.size]
        for one in members(archive)
        if one.mode >> 12 == FILE_MODE >> 12
    }


def add(archive: bytes, files: Mapping[str, bytes]) -> bytes:
    """An archive with `files` added to existing directories.

    Its file `sha256`, if it has one, is updated as by tools/initrd.sh.
    """
    there = {**read(archive), **files}
    parts, count = [], 0
    for count, one in enumerate(members(archive), start=1):
        if one.name == SUM:
            parts.append(member(SUM, sum_of(there), one.mode, count))
        else:
            parts.append(archive[one.start : one.next])
    parts += [
        member(name, data, FILE_MODE, inode)
        for inode, (name, data) in enumerate(files.items(), start=count + 1)
    ]
    return b"".join(parts) + member(TRAILER, b"", 0, 0, 0)


def sum_of(files: Mapping[str, bytes]) -> bytes:
    """The content of a tree's file `sha256` (tools/initrd.sh)."""
    lines = [
        f"{hashlib.sha256(data).hexdigest()}  ./{name}\n"
        for name, data in sorted(files.items(), key=lambda file: file[0].encode())
        if PurePosixPath(name).name != SUM
    ]
    return hashlib.sha256("".join(lines).encode()).hexdigest().encode()
