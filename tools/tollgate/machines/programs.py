"""A user's own programs in the machine: `make run ADD=FILE|FOLDER` puts them into /bin.

Programs that cannot run there are reported before the boot: a named file ends the command, a file
in a folder is left out.
"""

import contextlib
import re
import struct
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from tollgate.errors import UsageError
from tollgate.machines import cpio
from tollgate.machines.boot import Boot
from tollgate.machines.cleanup import folder
from tollgate.printable import printable
from tollgate.records import input_file

MOST = 128 << 20
"""Maximum bytes of all added files."""

FREE = 8 << 20
"""Bytes that fit without more memory for the machine."""

SHARE = 4
"""Extra memory per byte beyond FREE: a file in /bin may be copied and run."""

NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+@%-]{0,99}")
"""Names that need no quotes in a shell or on the command line."""

MACHINES = {3: "i386", 62: "amd64"}
OTHERS = {
    8: "MIPS",
    20: "PowerPC",
    21: "PowerPC",
    22: "S/390",
    40: "ARM",
    183: "ARM",
    243: "RISC-V",
}
RUNS = {"i386": ("i386",), "amd64": ("amd64", "i386")}
"""The architectures that each kernel runs."""

FOREIGN = {b"MZ": "Windows", b"\xcf\xfa\xed\xfe": "macOS", b"\xca\xfe\xba\xbe": "macOS"}

EXECUTABLE, SHARED = 2, 3
LOAD, DYNAMIC, INTERPRETER = 1, 2, 3
NEEDED = 1


def _segments(data: bytes, wide: bool) -> Iterator[tuple[int, int, int, int]]:
    """Type, offset, and sizes in the file and in memory, for each program header.

    Source: System V ABI, "Program Header".
    """
    at, size, count = (
        (*struct.unpack_from("<Q", data, 32), *struct.unpack_from("<HH", data, 54))
        if wide
        else (*struct.unpack_from("<I", data, 28), *struct.unpack_from("<HH", data, 42))
    )
    for place in range(at, at + size * count, size or 1):
        if wide:
            kind, _, offset, _, _, filed, memory = struct.unpack_from("<IIQQQQQ", data, place)
        else:
            kind, offset, _, _, filed, memory = struct.unpack_from("<IIIIII", data, place)
        yield kind, offset, filed, memory


def _needs_libraries(data: bytes, wide: bool, offset: int, size: int) -> bool:
    entry = struct.Struct("<QQ" if wide else "<II")
    table = data[offset : offset + size // entry.size * entry.size]
    whole = len(table) % entry.size == 0
    return whole and any(tag == NEEDED for tag, _ in entry.iter_unpack(table))


def _wrong_elf(data: bytes, arch: str, memory: int) -> str:
    wide = data[4] == 2
    kind, machine = struct.unpack_from("<HH", data, 16)
    if data[5] != 1 or machine not in MACHINES:
        return f"is a program for another machine ({OTHERS.get(machine, f'number {machine}')})"
    if wide != (MACHINES[machine] == "amd64"):
        return "is a program of the x32 ABI, which nothing here runs"
    if MACHINES[machine] not in RUNS[arch]:
        return f"is a 64-bit program, which the {arch} kernel does not run; use ARCH=amd64"
    if kind not in (EXECUTABLE, SHARED):
        return "is not linked: it is an object file or a core dump"
    needed = 0
    for what, offset, filed, size in _segments(data, wide):
        if what == INTERPRETER or (what == DYNAMIC and _needs_libraries(data, wide, offset, filed)):
            return "is dynamically linked; link it with -static, for there are no libraries"
        if what == LOAD:
            needed += size
            if offset + filed > len(data):
                return "is cut off: a segment ends behind the file's end"
    if not needed:
        return "is an ELF file with nothing to load"
    if needed > memory:
        return f"wants {needed >> 20} MiB of memory; the machine has {memory >> 20}"
    return ""


def wrong(data: bytes, arch: str, memory: int) -> str:
    """Why the `arch` kernel cannot run these bytes with `memory` bytes; "" if it can.

    Scripts and data are accepted.
    """
    if not data:
        return "is empty"
    for start, system in FOREIGN.items():
        if data.startswith(start):
            return f"is a program for {system}"
    if not data.startswith(b"\x7fELF"):
        return ""
    try:
        return _wrong_elf(data, arch, memory)
    except (struct.error, IndexError):
        return "is a damaged ELF file: its headers are cut off"


def program(path: Path, arch: str, memory: int, most: int = MOST) -> bytes:
    """The bytes of a file suitable for a machine of the `arch` kernel; otherwise a UsageError."""
    if not NAME.fullmatch(path.name):
        raise UsageError(
            f"{path.name!r} is no name for a program here: a name has 100 characters at most, of "
            "letters, digits and _ . + @ % -."
        )
    data = input_file.read(path, most)
    if why := wrong(data, arch, memory):
        raise UsageError(f"{path} {why}.")
    return data


def gather(add: Path, boot: Boot) -> tuple[dict[str, bytes], list[str]]:
    """The files that `add` puts into a machine, by name, and a sentence for each one left out."""
    memory = boot.memory << 20
    if not add.is_dir():
        return {add.name: program(add, boot.arch, memory)}, []
    files: dict[str, bytes] = {}
    left: list[str] = []
    try:
        paths = sorted(add.iterdir())
    except OSError as error:
        raise UsageError(f"{add} cannot be read: {error.strerror}.") from None
    for path in paths:
        try:
            most = MOST - sum(map(len, files.values()))
            files[path.name] = program(path, boot.arch, memory, most)
        except UsageError as error:
            left.append(f"{error} It is left out.")
    if not files:
        raise UsageError(
            f"{add} holds nothing that can be brought. {left[0] if left else ''}".strip()
        )
    return files, left


def aboard(boot: Boot, files: dict[str, bytes], to: Path) -> Boot:
    """`boot` with `files` in /bin of its initrd, which is written to `to`."""
    archive = boot.module_file().read_bytes()
    ours = [name for name in files if f"bin/{name}" in cpio.read(archive)]
    if ours:
        raise UsageError(f"/bin has a program {ours[0]!r} already; give yours another name.")
    to.write_bytes(cpio.add(archive, {f"bin/{name}": data for name, data in files.items()}))
    more = max(0, sum(map(len, files.values())) - FREE)
    return replace(boot, module=to, memory=boot.memory + (SHARE * more >> 20))


@contextlib.contextmanager
def added(boots: Sequence[Boot], add: str) -> Iterator[list[Boot]]:
    """The boots with the files of `add` in /bin of each; unchanged if `add` is empty."""
    if not add:
        yield list(boots)
        return
    with folder() as place:
        with_files = []
        for number, boot in enumerate(boots):
            files, left = gather(Path(add), boot)
            with_files.append(aboard(boot, files, place / f"initrd{number}.cpio"))
            for line in left:
                print(f"tollgate: {printable(line)}", file=sys.stderr)
        yield with_files
