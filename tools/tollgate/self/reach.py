"""tests/reach.py: which basic blocks of the kernels were reached, by which boots.

The disassembler finds the blocks in a kernel's file.  A TCG plugin (tools/audit/reach.c) records
those that a machine begins.  `prepare` creates a folder for it; while TOLLGATE_REACH names that
folder, each QEMU machine that boots one of the kernels there adds the blocks that it reaches, even
if another program started it.
"""

import linecache
import re
import struct
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tollgate.machines.boot import ARCHES, BUILD, KERNEL, KERNELS, ROOT, SYMBOLS
from tollgate.machines.qemu_plugin import build_plugin, digest

PLUGIN = ROOT / "tools" / "audit" / "reach.c"
ISO = BUILD / "tollgate.iso"
LOWEST = 0xC0000000
"""Start of either kernel: code below is boot's, or a program's."""
GATES = range(0xFFFFE000, 1 << 32)
"""The halves that 32-bit programs execute, in both kernels."""

_LINE = re.compile(
    r"^ *([0-9a-f]+):\t(?:(?:bnd|notrack|lock|repz?|repnz|data16|cs|ds) )*(\S+)(.*)$"
)
_LEADS = re.compile(r"^(j\w+|loop\w*)$")
_ENDS = re.compile(r"^(l?jmp|l?ret|iret|sysret|sysexit|ud2)[lqw]?$")
_DATA = re.compile(r"^(\.\w+: *)?d[bwdq] ")
_FILLS = re.compile(r"^(nop[lw]?|int3|xchg +%ax,%ax|lea +0x0\(%esi(,%eiz,1)?\),%esi)")


@dataclass(frozen=True)
class Block:
    """A basic block, by its first instruction."""

    arch: str
    address: int
    function: str
    unit: str
    """The function's file, from the root of the tree."""
    file: str
    line: int
    """Line of its first instruction, which may be in an inlined function."""

    @property
    def name(self) -> str:
        """The name used in reasons: unix/file/pipe.c:release."""
        return f"{self.unit.removeprefix('kernel/')}:{self.function}"

    @property
    def place(self) -> str:
        """The name used in reasons for its line: unix/file/pipe.c:release: heap_free(pipe);."""
        return f"{self.name}: {self.text}"

    @property
    def text(self) -> str:
        """Its line in the source."""
        path = re.sub(r".*/(?=(kernel|boot|build)/)", "", self.file)
        return linecache.getline(str(ROOT / path), self.line).strip()

    @property
    def folder(self) -> str:
        """The folder for counting: kernel/unix/file."""
        return "/".join(Path(self.unit).parent.parts[:3])


def leaders(kernel: Path) -> Iterator[int]:
    """The addresses of a kernel's blocks: symbols, targets of branches, and instructions after
    branches."""
    command = ["objdump", "-d", "--no-show-raw-insn", str(kernel)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    real, found, behind = set(), set(), False
    for text in done.stdout.splitlines():
        if text.endswith(">:"):
            behind = True
        if not (parts := _LINE.match(text)):
            continue
        at, name, rest = int(parts[1], 16), parts[2], parts[3]
        real.add(at)
        if behind and not _FILLS.match(name + rest):
            found.add(at)
            behind = False
        to = re.match(r" +([0-9a-f]+) <", rest)
        if to and (_LEADS.match(name) or name == "call"):
            found.add(int(to[1], 16))
        if _ENDS.match(name) or _LEADS.match(name):
            behind = True
    return iter(sorted(at for at in found & real if at >= LOWEST and at not in GATES))


def blocks(arch: str) -> list[Block]:
    """All blocks of a built kernel, by address; numbers between the code are none."""
    kernel = KERNELS / SYMBOLS[arch]
    at = [*leaders(kernel)]
    said = subprocess.run(
        ["addr2line", "-a", "-f", "-i", "-e", kernel],
        input="".join(f"{address:#x}\n" for address in at),
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    found = []
    for address, text in zip(at, re.split(r"^0x.*\n", said, flags=re.MULTILINE)[1:], strict=True):
        lines = text.splitlines()
        file, _, number = lines[1].rpartition(":")
        unit = re.sub(r".*/(?=(kernel|boot|build)/)", "", lines[-1].rpartition(":")[0])
        line = int(re.sub(r"\D.*", "", number) or 0)
        found.append(Block(arch, address, lines[-2], unit, file, line))
    return [block for block in found if not _DATA.match(block.text)]


def prepare(folder: Path, program: str = "qemu-system-x86_64") -> list[Block]:
    """Create the folder for the built kernels, with nothing reached if they have changed; return
    their blocks."""
    folder.mkdir(parents=True, exist_ok=True)
    every = [block for arch in ARCHES for block in blocks(arch)]
    build_plugin(program, PLUGIN, folder)
    (folder / "points").write_bytes(struct.pack(f"<{len(every)}Q", *(b.address for b in every)))
    files = [*(KERNELS / KERNEL[arch] for arch in ARCHES), *([ISO] if ISO.is_file() else [])]
    begin(folder, "\n".join(digest(file) for file in files), len(every))
    return every


def begin(folder: Path, files: str, count: int) -> None:
    """Mark everything as unreached, unless the files are the same as before."""
    known = folder / "files"
    if not known.is_file() or known.read_text() != files:
        (folder / "reached").write_bytes(bytes(count))
    known.write_text(files)
