"""Programs of system calls: those of corpus.txt, and random ones, most of them variants of these.

Coverage once chose the lines of CORPUS: each reached a block of the kernel that none before it did.
"""

from __future__ import annotations

import re
import struct
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tollgate.machines import cpio
from tollgate.machines.boot import BUILD, DISK, INITRD, Boot, BootResult
from tollgate.machines.emulator import run_boot

from ..elf import elf
from . import program as programs
from .guests import HOUR, MODES, verdict
from .program import Program
from .shrink import shrink

RINGS = ("user32", "user64", "compat")
"""The modes: a program of ring 0 may do what it likes."""
CORPUS = Path(__file__).with_name("corpus.txt")
OF_A_BOOT = 1000
"""Programs."""
REPEATS = 150
"""Of a program that loses memory: a loss below 32 frames in all is not seen."""
SUSPECTS = 5
LEAST_LOST = 20


@cache
def kept() -> list[Program]:
    """The programs of CORPUS, and those that are always tried."""
    return [*programs.ALWAYS, *(programs.read(line) for line in CORPUS.read_text().splitlines())]


CALL = {32: b"\xcd\x80", 64: b"\x0f\x05"}
NUMBERS = {32: programs.numbers(False), 64: programs.numbers(True)}


def sites(bits: int) -> bytes:
    """A program with as many call sites as one may have: getpid(), and at last exit(0)."""
    call = (b"\xb8" + struct.pack("<I", NUMBERS[bits]["getpid"]) + CALL[bits]) * 511
    return elf(bits, code=call + leave(bits))


def leave(bits: int) -> bytes:
    """exit(0), in either width."""
    number = struct.pack("<I", NUMBERS[bits]["exit"])
    return b"\x31\xff\x31\xdb\xb8" + number + CALL[bits]


def vectors(bits: int) -> bytes:
    """A program that comes to all vectors which no device of the PIC has."""
    number = b"\xb8" + struct.pack("<I", NUMBERS[bits]["getpid"])
    code = b"".join(number + bytes([0xCD, vector]) for vector in range(48, 256))
    return elf(bits, code=code + leave(bits))


def tree(mode: str, some: Sequence[Program]) -> dict[str, bytes]:
    """The files of a boot."""
    arch, where = MODES[mode]
    there = cpio.read((BUILD / INITRD[arch]).read_bytes())
    wide = mode == "user64"
    bits = 64 if wide else 32
    names = programs.symbols(BUILD / (arch if wide else "i386") / "bin" / "torture")
    every = (programs.WARM_UP, *some)
    coded = programs.file_of([programs.coded(each, wide, names) for each in every])
    own = sites(bits)
    files = {f"{where}/torture": there[f"{where}/torture"], "programs": coded, "bin/sites": own}
    if arch == "i386" or wide:
        files |= {"trusted/torture": there["trusted/torture"], "trusted/sites": own}
        files["trusted/vectors"] = vectors(bits)
    return files | {"bin/script": b"#!/bin/sites an argument\n"}


@dataclass
class Ran:
    """The result of a boot, and its fault in words."""

    result: BootResult
    wrong: str


LOST = re.compile(r"deeds \d+ to (\d+): (-?\d+) frames and (-?\d+) objects are lost")
ONLY_LOST = "ends, and memory has been lost"


def run(mode: str, some: Sequence[Program]) -> Ran:
    """Boot once with these programs, and again if memory is lost: a name in a directory that stays
    is lost once, a leak each time."""
    ran = boot(mode, some)
    if not ran.wrong.endswith(ONLY_LOST):
        return ran
    suspects = sorted({int(lost[1]) for lost in LOST.finditer(ran.result.text)})
    again = boot(mode, [some[index] for index in suspects[-SUSPECTS:] for _ in range(REPEATS)])
    lost = [
        (int(each[2]), int(each[3]))
        for each in LOST.finditer(again.result.text)
        if int(each[1]) % REPEATS
    ]
    leaks = max(sum(frames for frames, _ in lost), sum(objects for _, objects in lost))
    if again.wrong.endswith(ONLY_LOST) and leaks < LEAST_LOST:
        ran.wrong = ""
    return ran


def boot(mode: str, some: Sequence[Program]) -> Ran:
    """Boot once with these programs."""
    arch, _ = MODES[mode]
    with tempfile.TemporaryDirectory(prefix="tollgate-torture-") as name:
        here = Path(name)
        (here / "module").write_bytes(cpio.build(tree(mode, some)))
        asked = Boot(
            arch,
            words=("suite=torture", f"only=program/{len(some)}/1"),
            module=here / "module",
            disk=DISK,
            limit=HOUR / 6,
            deadline=HOUR,
        )
        result = run_boot(asked, here)
    return Ran(result, verdict(result))


def batch(mode: str, number: int) -> list[Program]:
    """The programs of a boot: a fifth are new, the others vary what is kept."""
    maker = programs.Maker(f"{mode}/{number}")
    return [
        maker.program()
        if maker.random.random() < 0.2
        else maker.variant(maker.random.choice(kept()), kept())
        for _ in range(OF_A_BOOT)
    ]


def culprit(mode: str, some: Sequence[Program], ran: Ran) -> str:
    """The programs that fail so, alone, with as few deeds as will do; and what the guest says."""
    done = re.findall(r"^torture: program, (\d+) of \d+$", ran.result.text, re.MULTILINE)
    last = int(done[-1] if done else 0) + len(some) // 10 + 1
    told = LOST.finditer(ran.result.text) if ran.wrong.endswith(ONLY_LOST) else ()
    places = [int(lost[1]) for lost in told]

    def fails(part: list[Program]) -> bool:
        return bool(run(mode, part).wrong)

    alone = ([some[place]] for place in places if fails([some[place]]))
    near = next(alone, None) or shrink(some[:last], fails, 30)
    for index, one in enumerate(near):

        def still(deeds: list[int], index: int = index, one: Program = one) -> bool:
            less = one
            for at in reversed(range(len(one))):
                if at not in deeds:
                    less = programs.remove(less, at)
            return fails([*near[:index], less, *near[index + 1 :]])

        if len(one) > 1:
            left = shrink([*range(len(one))], still, 60)
            for at in reversed(range(len(one))):
                if at not in left:
                    one = programs.remove(one, at)
            near[index] = one
    lines = "".join(f"{programs.write(one)}\n" for one in near)
    return f"{ran.wrong}\n\n{lines}\n{run(mode, near).result.text}"
