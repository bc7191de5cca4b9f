"""Programs for tests: ELF files with freely chosen fields, code in nasm's language.

The word suite= holds 63 characters, so the files of one boot are named a, b, c and so on.
"""

import struct
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tollgate.machines.boot import ROOT
from tollgate.machines.row_path import binutils

MACHINES = [("i386", "EPYC"), ("i386", "pentium"), ("amd64", "Skylake-Client"), ("amd64", "EPYC")]
IDS = [f"{arch}-{cpu}" for arch, cpu in MACHINES]

PAGE = 4096
TEXT = 0x08048000
DATA = 0x10000000
TOP = {"i386": 0xBFFFF000, "compat": 0xBFFFF000, "amd64": 0x7FFFFFFFE000}
KERNEL = {32: 0xC0000000, 64: 0xFFFFFFFF80000000}
GATE_PAGE = {"i386": 0xFFFFE000, "compat": 0xFFFFE000, "amd64": 0xFFFFFFFFFF602000}
EXECUTE, WRITE, READ = 1, 2, 4
EM = {32: 3, 64: 62}
ENOEXEC, EBADF, EFAULT, EINVAL = 8, 9, 14, 22


@cache
def symbols(path: Path) -> dict[str, tuple[int, int]]:
    """Address and size of each symbol; 0 for no size."""
    lines = [line.split() for line in binutils("nm", "-S", "--defined-only", path)]
    return {w[-1]: (int(w[0], 16), int(w[1], 16) if len(w) == 4 else 0) for w in lines}


@dataclass(frozen=True)
class Segment:
    """A program header; `size`, `offset` and `filed` override values derived from `data`."""

    address: int
    data: bytes = b""
    flags: int = READ | WRITE
    size: int | None = None
    offset: int | None = None
    filed: int | None = None
    kind: int = 1


def elf(bits: int, *more: Segment, code: bytes = b"\xcc", text: int = TEXT, **header: int) -> bytes:
    """An executable whose first segment contains the headers and `code`, its entry point.

    `header` replaces fields of the ELF header, named without e_ (and class_).
    """
    head, entry_size = (52, 32) if bits == 32 else (64, 56)
    start = head + entry_size * (1 + len(more))
    first = Segment(text, flags=READ | EXECUTE, offset=0, filed=start + len(code))
    table, content = b"", b""
    for segment in (first, *more):
        offset = start + len(code) + len(content) if segment.offset is None else segment.offset
        filed = len(segment.data) if segment.filed is None else segment.filed
        size = filed if segment.size is None else segment.size
        content += segment.data
        at, flags = segment.address, segment.flags
        if bits == 32:
            fields = (segment.kind, offset, at, at, filed, size, flags, PAGE)
            table += struct.pack("<8I", *fields)
        else:
            fields = (segment.kind, flags, offset, at, at, filed, size, PAGE)
            table += struct.pack("<2I6Q", *fields)
    fields_of_header = {
        "class_": bits // 32,
        "data": 1,
        "type": 2,
        "machine": EM[bits],
        "entry": text + start,
        "phoff": head,
        "phentsize": entry_size,
        "phnum": 1 + len(more),
    }
    assert header.keys() <= fields_of_header.keys()
    e = fields_of_header | header
    word = "I" if bits == 32 else "Q"
    ident = struct.pack("<4s12B", b"\x7fELF", e["class_"], e["data"], 1, *[0] * 9)
    rest = (e["type"], e["machine"], 1, e["entry"], e["phoff"], 0, 0)
    sizes = (head, e["phentsize"], e["phnum"], 0, 0, 0)
    return ident + struct.pack(f"<2HI3{word}I6H", *rest, *sizes) + table + code + content


MACROS = """
%if __BITS__ == 64
 %define WRITE 1
 %define EXIT 60
 %define FIRST rdi
 %define SECOND rsi
 %define THIRD rdx
%else
 %define WRITE 4
 %define EXIT 1
 %define FIRST ebx
 %define SECOND ecx
 %define THIRD edx
%endif
%include "native.inc"
%define LINE (DATA + 0x4000)
%macro CALL 4
        mov     THIRD, %4
        mov     SECOND, %3
        mov     FIRST, %2
        mov     eax, %1
        int     0x80
%endmacro
%macro SHOW 2                           ; %2 bytes at %1, as a line of "=" and hexadecimal digits
        mov     xsi, %1
        mov     xcx, %2
        call    show
%endmacro
        jmp     main
show:   mov     xdi, LINE
        mov     al, '='
        stosb
.next:  mov     al, [xsi]
        shr     al, 4
        call    .digit
        lodsb
        and     al, 15
        call    .digit
        dec     xcx
        jnz     .next
        mov     al, 10
        stosb
        sub     xdi, LINE
        CALL    WRITE, 1, LINE, xdi
        ret
.digit: add     al, '0'
        cmp     al, '9'
        jbe     .store
        add     al, 'a' - '9' - 1
.store: stosb
        ret
"""


def program(bits: int, source: str, *more: Segment) -> bytes:
    """An executable in nasm's language: MACROS, then `source` with the label main."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "program.asm"
        # The code's address depends on the number of headers before it.
        start = len(elf(bits, *more, code=b"")) - sum(len(s.data) for s in more)
        lines = [
            f"bits {bits}",
            f"org {TEXT + start:#x}",
            f"%define DATA {DATA:#x}",
            MACROS,
            source,
        ]
        path.write_text("\n".join(lines) + "\n")
        binary = path.with_suffix("")
        lib = ROOT / "user" / "lib"
        places = [f"-I{lib}/{'amd64' if bits == 64 else 'i386'}/", f"-I{lib}/"]
        subprocess.run(["nasm", "-f", "bin", *places, path, "-o", binary], check=True)
        return elf(bits, *more, code=binary.read_bytes())


ROOM = Segment(DATA, size=0x8000, filed=0)
"""Zeroed memory for a program's own use."""

EXITS = "main:   CALL    EXIT, {status}, 0, 0"


def exits(bits: int, status: int = 0, *more: Segment) -> bytes:
    """The smallest program: exits with `status`."""
    return program(bits, EXITS.format(status=status), *more)


def pack(tree: Any, arch: str, files: Callable[[int], Mapping[str, bytes]]) -> bytes:
    """An initrd with `files(bits)` for every width that the kernel runs."""
    folders = {"bin": 32} if arch == "i386" else {"bin": 64, "compat": 32}
    content = {
        f"{f}/{name}": data for f, bits in folders.items() for name, data in files(bits).items()
    }
    return bytes(tree(content))


def folders(arch: str) -> list[str]:
    return ["/bin"] if arch == "i386" else ["/bin", "/compat"]


def said_of(text: str, path: str) -> list[str]:
    """The kernel's messages about one program, without its name."""
    return [line[len(path) + 2 :] for line in text.splitlines() if line.startswith(path + ": ")]


def shown(text: str) -> list[bytes]:
    """The bytes that programs printed by SHOW, in order."""
    return [bytes.fromhex(line[1:]) for line in text.splitlines() if line.startswith("=")]
