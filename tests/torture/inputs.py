"""Untrusted boot inputs, damaged: a table of kinds, and one way to damage.

Each kind has a base, the places where damage is most effective, and a boot. A mutant is a list of
edits, so that it can be shrunk. It must end with its verdict or an error message.
"""

import functools
import os
import re
import struct
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from tollgate.machines import cpio
from tollgate.machines.boot import BUILD, INITRD, KERNEL, KERNELS, Boot, BootResult
from tollgate.machines.emulator import run_boot
from tollgate.machines.outcome import Outcome
from tollgate.machines.qemu import DRIVE

QUICK = ("suite=usystime", "samples=2", "then=stop")
GUESTS = Path(__file__).resolve().parent.parent / "guests"
LIMIT = 60.0
EDGES = (0, 1, 2, 3, 4, 7, 8, 0x20, 0x7F, 0x80, 0xFF, 0x3FF, 0x400, 0xFFF, 0x1000, 0x7FFF, 0x8000,
         0xFFFF, 0x10000, 0xFFFFF, 0x100000, 0x7FFFFFFF, 0x80000000, 0xFFFFF000, 0xFFFFFFFF,
         1 << 32, 1 << 47, (1 << 63) - 1, 1 << 63, (1 << 64) - 1)  # fmt: skip
BLOB = 0x6000000
"""The address where hand.asm puts its information."""
MIB = 1 << 20


@dataclass(frozen=True)
class Edit:
    """Replaces `cut` bytes at `at` by `put`."""

    at: int
    cut: int
    data: bytes


Span = tuple[int, int]
"""An offset and a size."""


def apply(base: bytes, edits: list[Edit]) -> bytes:
    """The base with all edits, the last place first."""
    for edit in sorted(edits, key=lambda edit: -edit.at):
        base = base[: edit.at] + edit.data + base[edit.at + edit.cut :]
    return base


def numbers(random: Random, base: bytes, places: list[Span]) -> list[Edit]:
    """Up to eight words of 1 to 8 bytes: an edge value, a flipped bit, plus or minus one."""
    edits = []
    for _ in range(random.randint(1, 8)):
        start, size = random.choice(places)
        width = random.choice((1, 2, 4, 4, 8))
        at = start + random.randrange(max(size - width + 1, 1))
        at -= at % width if random.random() < 0.8 and at - at % width >= start else 0
        was = int.from_bytes(base[at : at + width], "little")
        other = random.choice(places)[0]
        value = random.choice(
            (
                random.choice(EDGES),
                random.choice(EDGES),
                was ^ 1 << random.randrange(8 * width),
                was + random.choice((-1, 1)),
                int.from_bytes(base[other : other + width], "little"),
                random.getrandbits(64),
            )
        )
        edits.append(Edit(at, width, (value % (1 << 8 * width)).to_bytes(width, "little")))
    return edits


@functools.cache
def image(which: int) -> bytes:
    """An ext2 file system of the files of the bench's disk, in one of five layouts."""
    from tests.unix.test_disks import SIZES, make

    layouts = [*SIZES.values()]
    path = make(BUILD / f"torture-{os.getpid()}.img", *layouts[which % len(layouts)])
    data = path.read_bytes()
    path.unlink()
    return data


def of_image(base: bytes) -> list[Span]:
    """The superblock, the descriptors after it, the first inodes, the directories."""
    size = 1024 << struct.unpack_from("<I", base, 1024 + 24)[0]
    table = struct.unpack_from("<I", base, max(size, 2048) + 8)[0]
    found = [m.start() // size * size for m in re.finditer(rb"\x02[\x00\x02]\.\.\0\0", base)]
    spans = [(1024, 256), (max(size, 2048), 64), (table * size, 64 * 128), (table * size, 16 * 128)]
    return spans + [(start, min(size, 256)) for start in found if start > 4096]


def boot_image(arch: str, data: bytes, folder: Path) -> BootResult:
    """Boot with that disk, and a program that reads all of it."""
    (folder / "disk").write_bytes(data)
    extra = ("-drive", DRIVE.format(index=0, file=folder / "disk"))
    return started(Boot(arch, words=("suite=rummage",), module=tree_of(arch), extra=extra), folder)


@functools.cache
def tree_of(arch: str) -> Path:
    """The initrd, as built."""
    return BUILD / INITRD[arch]


def small_tree(which: int) -> bytes:
    """A program, and files of several sizes and depths, in an archive."""
    arch = ("i386", "amd64")[which % 2]
    program = cpio.read(tree_of(arch).read_bytes())["bin/usystime"]
    return cpio.build({"bin/usystime": program, "a/b/c/d": b"", "a/long" * 20: b"x" * 5000})


def of_tree(base: bytes) -> list[Span]:
    """The headers and names."""
    return [(m.start(), 110 + 20) for m in re.finditer(rb"07070[12][0-9A-F]{8}", base)]


def digits(random: Random, base: bytes, places: list[Span]) -> list[Edit]:
    """Fields of a header are eight hexadecimal digits; other edits change bytes."""
    edits = []
    for _ in range(random.randint(1, 4)):
        start, _ = random.choice(places)
        if random.random() < 0.8:
            field = b"%08X" % (random.choice(EDGES) % (1 << 32))
            edits.append(Edit(start + 6 + 8 * random.randrange(13), 8, field))
        else:
            edits += numbers(random, base, [(start, 130)])[:1]
    return edits


def boot_tree(arch: str, data: bytes, folder: Path) -> BootResult:
    """Boot with that tree."""
    (folder / "module").write_bytes(data)
    return started(Boot(arch, words=QUICK, module=folder / "module"), folder)


WORDS = (b"suite=usystime", b"suite=usystime,usystime", b"suite=", b"suite=,", b"suite=nothing",
         b"samples=1", b"samples=20001", b"samples=0", b"only=x", b"beside=others", b"fence=none",
         b"fence=cpuid", b"calls=say", b"direct=off", b"then=reset", b"screen=none",
         b"clock=ticks", b"unit=cycles", b"platform=hardware", b"model=", b"emulator=%s%n", b"=",
         b"suite")  # fmt: skip


def line(which: int) -> bytes:
    """Some valid words."""
    return b" ".join(Random(which).sample(WORDS[:1] + WORDS[8:20], 5))


def of_line(base: bytes) -> list[Span]:
    """The whole line."""
    return [(0, len(base))]


def text(random: Random, base: bytes, _places: list[Span]) -> list[Edit]:
    """Words, bytes and long values are inserted, cut or doubled. No command line has a NUL."""
    edits = []
    for _ in range(random.randint(1, 6)):
        at = random.randrange(len(base))
        size = random.choice((1, 3, 60, 63, 64, 65, 500, 511, 512, 1010, 1023, 1024, 4000))
        data = random.choice(
            (
                b" " + random.choice(WORDS) + b" ",
                bytes(random.randrange(1, 256) for _ in range(3)),
                random.choice((b"a", b" ", b"=", b",", b".elf ")) * size,
                b"",
            )
        )
        edits.append(Edit(at, random.choice((0, 0, 1, 8)), data))
    return edits


def boot_line(arch: str, data: bytes, folder: Path) -> BootResult:
    """Boot with that line, and words that keep the run short."""
    words = (*(os.fsdecode(word) for word in data.split(b" ")), "samples=2", "then=stop")
    return started(Boot(arch, words=words), folder)


def ranges() -> bytes:
    """A PC's memory, as a BIOS reports it: start, length, type."""
    told = ((0, 0x9FC00, 1), (0x9FC00, 0x400, 2), (0xF0000, 0x10000, 2), (MIB, 1023 * MIB, 1),
            (64 * MIB, 4096, 3), (0xFFFC0000, 0x40000, 2), (1 << 32, 64 * MIB, 1))  # fmt: skip
    return b"".join(struct.pack("<IQQI", 20, *one) for one in told)


def loader(which: int) -> bytes:
    """The loader's information from hand.asm: Multiboot 1 or 2, and the tree after it."""
    arch = ("i386", "amd64")[which // 2 % 2]
    words = " ".join(("kernel.elf", "platform=qemu-icount", *QUICK)).encode() + b"\0"
    tree, room = tree_of(arch).read_bytes(), 8192
    module = (BLOB + room, BLOB + room + len(tree))
    if which % 2:
        memory = ranges()
        tags = [(1, words), (3, struct.pack("<II", *module) + b"\0"),
                (6, struct.pack("<II", 24, 0) + b"".join(memory[i + 4 : i + 24] + bytes(4)
                    for i in range(0, len(memory), 24))), (0, b"")]  # fmt: skip
        body = b"".join(
            struct.pack("<II", kind, 8 + len(data)) + data + bytes(-len(data) % 8)
            for kind, data in tags
        )
        head = struct.pack("<II", 0x36D76289, BLOB + 8) + struct.pack("<II", 8 + len(body), 0)
    else:
        at = BLOB + 8 + 116
        body = ranges() + struct.pack("<IIII", *module, 0, 0) + words
        size = len(ranges())
        head = struct.pack("<II", 0x2BADB002, BLOB + 8)
        head += struct.pack(
            "<7I4I2I", 1 << 2 | 1 << 3 | 1 << 6, 640, 1023 << 10, 0, at + size + 16, 1, at + size,
            *(0,) * 4, size, at)  # fmt: skip
        head = head.ljust(8 + 116, b"\0")
    return (head + body).ljust(room, b"\0") + tree


def of_loader(base: bytes) -> list[Span]:
    """The information and the map. The magic is the loader's own."""
    if base.startswith(struct.pack("<I", 0x36D76289)):
        return [(8, 16), (100, 230), (100, 230)]
    return [(8, 52), (8 + 116, 7 * 24), (8 + 116, 7 * 24), (8 + 116 + 7 * 24, 16)]


@functools.cache
def hand() -> Path:
    """The assembled loader."""
    to, made = BUILD / "torture-hand.bin", BUILD / f"torture-{os.getpid()}.bin"
    subprocess.run(["nasm", "-f", "bin", GUESTS / "hand.asm", "-o", made], check=True)
    return made.replace(to)  # (other shards boot it, too)


def boot_loader(arch: str, data: bytes, folder: Path) -> BootResult:
    """Boot with that information. The machine has as much memory as any map can make a kernel use.
    The module has a path without spaces, because QEMU passes text after a space as its words.
    """
    (folder / "blob").write_bytes(data)
    (folder / "given").symlink_to(KERNELS / KERNEL[arch])
    extra = ("-initrd", "given,blob")
    boot = Boot(arch, kernel=hand(), module=hand(), memory=1200, extra=extra)
    return started(boot, folder)


def started(boot: Boot, folder: Path) -> BootResult:
    """The result of a boot that has a limit."""
    return run_boot(replace(boot, limit=LIMIT, deadline=LIMIT), folder)


def ends(result: BootResult) -> str:
    """The fault of an end; "" if it is a verdict, or a refusal with an error message."""
    said = [one for one in result.text.splitlines() if one and not one.startswith("@")]
    if "panic: " in result.text:
        return next(one for one in said if "panic: " in one)
    if result.outcome is Outcome.HANG and '"platform":"hardware"' in result.text:
        return ""  # the words were damaged: it waits, as it does for a person
    refused = result.outcome is Outcome.PANIC and any(s.startswith("tollgate: ") for s in said)
    if result.outcome in (Outcome.PASS, Outcome.FAIL, Outcome.NOISY) or refused:
        return ""
    return f"{result.outcome.value}: {result.reason}"


def looked(result: BootResult) -> str:
    """The reading program finds no fault, however damaged the disk is."""
    wrong = (f"{check['name']}: {check['detail']}" for check in result.checks if not check["ok"])
    return ends(result) or "; ".join(wrong)


def reset_or_ends(result: BootResult) -> str:
    """The words may contain `then=reset`: no verdict then, and no triple fault."""
    left = result.outcome is Outcome.RESET and result.status == 0 and "triple" not in result.reason
    return "" if left and "then=reset" in " ".join(result.boot.words) else ends(result)


Mutator = Callable[[Random, bytes, list[Span]], list[Edit]]


@dataclass(frozen=True)
class Kind:
    """A kind of input: its bases, their sensitive places, how to damage and boot them."""

    base: Callable[[int], bytes]
    places: Callable[[bytes], list[Span]]
    mutate: Mutator
    boot: Callable[[str, bytes, Path], BootResult]
    wrong: Callable[[BootResult], str] = ends


KINDS = {
    "image": Kind(image, of_image, numbers, boot_image, looked),
    "line": Kind(line, of_line, text, boot_line, reset_or_ends),
    "tree": Kind(small_tree, of_tree, digits, boot_tree),
    "map": Kind(loader, of_loader, numbers, boot_loader),
}


def mutant(kind: str, seed: int) -> tuple[bytes, list[Edit]]:
    """The base and the edits of a seed."""
    random = Random(f"{kind}/{seed}")
    base = KINDS[kind].base(random.randrange(1 << 16))
    return base, KINDS[kind].mutate(random, base, KINDS[kind].places(base))
