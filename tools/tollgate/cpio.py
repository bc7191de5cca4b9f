"""Writes and reads initrds: cpio archives of the `newc` kind with checksums (magic 070702).

Source: cpio(5), "New ASCII Format" and "New CRC Format"; the checksum is the sum of the file's
bytes, modulo 2**32.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath

MAGIC = b"070702"
TRAILER = "TRAILER!!!"
FILE_MODE = 0o100755
DIRECTORY_MODE = 0o040755


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)


def member(name: str, data: bytes, mode: int, inode: int, checksum: int | None = None) -> bytes:
    """One member of an archive; `checksum` replaces the right one, for archives that lie."""
    encoded = name.encode("utf-8") + b"\0"
    links = 2 if mode == DIRECTORY_MODE else 1
    total = sum(data) & 0xFFFFFFFF if checksum is None else checksum
    numbers = (inode, mode, 0, 0, links, 0, len(data), 0, 0, 0, 0, len(encoded), total)
    header = MAGIC + b"".join(b"%08X" % number for number in numbers)
    return _padded(header + encoded) + _padded(data)


def build(tree: Mapping[str, bytes]) -> bytes:
    """Return an archive of `tree`, a map from paths such as "bin/toll" to contents.

    The directories on the way are made, every file is executable, and equal trees give equal
    archives.
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


def read(archive: bytes) -> dict[str, bytes]:
    """The regular files of an archive that `build` or cpio wrote, in their order."""
    files: dict[str, bytes] = {}
    place = 0
    while True:
        fields = [int(archive[place + at : place + at + 8], 16) for at in range(6, 110, 8)]
        mode, size, length = fields[1], fields[6], fields[11]
        data = place + -(-(110 + length) // 4) * 4
        name = archive[place + 110 : place + 110 + length - 1].decode("utf-8")
        if name == TRAILER:
            return files
        if mode >> 12 == FILE_MODE >> 12:
            files[name] = archive[data : data + size]
        place = data + -(-size // 4) * 4
