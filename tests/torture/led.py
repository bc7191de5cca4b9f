"""A search guided by coverage: a program that reaches a new block is kept, made small, and varied.

The kept programs are lines of CORPUS.  Each boot does a thousand programs, and a plugin of QEMU's
(tools/audit/reach.c) says which blocks each has reached.

    python -m tests.torture.led build/torture/corpus-*.txt

takes the fewest programs of these files and CORPUS that reach the same blocks.
"""

import heapq
import re
import struct
import sys
import tempfile
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from tollgate.machines import cpio
from tollgate.machines.boot import BUILD, DISK, INITRD, Boot, BootResult
from tollgate.machines.emulator import run_boot
from tollgate.machines.qemu_plugin import reach_plugin
from tollgate.self import reach

from ..elf import elf
from . import program as programs
from .guests import HOUR, MODES, verdict
from .program import MOST, Program
from .shrink import shrink

RINGS = ("user32", "user64", "compat")
"""The modes: a program of ring 0 may do anything."""
CORPUS = Path(__file__).with_name("corpus.txt")
OF_A_BOOT = 1000
"""Programs of one boot."""
BEGIN = 0xFFFFFFFF
REPEATS = 150
"""A suspect runs so often, because a loss of less than 32 frames in total is not noticed."""
SUSPECTS = 5
LEAST_LOST = 20
TRIES = 4
"""Boots in which the kept programs are made smaller."""


@cache
def plugin() -> tuple[tempfile.TemporaryDirectory[str], list[reach.Block]]:
    """The folder of the plugin, for the life of this process, and the blocks."""
    folder = tempfile.TemporaryDirectory(prefix="tollgate-reach-")
    return folder, reach.prepare(Path(folder.name))


def kept(*files: Path) -> list[Program]:
    """The programs of these files, each once."""
    there = (file for file in files or (CORPUS,) if file.is_file())
    lines = dict.fromkeys(line for file in there for line in file.read_text().splitlines())
    return [*programs.ALWAYS, *(programs.read(line) for line in lines)]


CALL = {32: b"\xcd\x80", 64: b"\x0f\x05"}
NUMBERS = {32: programs.numbers(False), 64: programs.numbers(True)}


def sites(bits: int) -> bytes:
    """A program with the maximum number of call sites: getpid(), and at last exit(0)."""
    call = (b"\xb8" + struct.pack("<I", NUMBERS[bits]["getpid"]) + CALL[bits]) * 511
    return elf(bits, code=call + leave(bits))


def leave(bits: int) -> bytes:
    """exit(0), in either width."""
    number = struct.pack("<I", NUMBERS[bits]["exit"])
    return b"\x31\xff\x31\xdb\xb8" + number + CALL[bits]


def vectors(bits: int) -> bytes:
    """A program that raises all vectors which no device of the PIC has."""
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
    """The result of a boot: the blocks that each program reached, and those before them."""

    result: BootResult
    before: frozenset[int]
    reached: list[frozenset[int]]
    wrong: str


LOST = re.compile(r"deeds \d+ to (\d+): (-?\d+) frames and (-?\d+) objects are lost")
ONLY_LOST = "ends, and memory has been lost"


def run(mode: str, some: Sequence[Program], watched: bool = True) -> Ran:
    """Boot with these programs, and once more if memory is lost. A leak loses it each time; a new
    name in a directory only once. Without `watched` nobody asks which blocks are reached."""
    ran = boot(mode, some, watched)
    if not ran.wrong.endswith(ONLY_LOST):
        return ran
    suspects = sorted({int(lost[1]) for lost in LOST.finditer(ran.result.text)})
    again = boot(
        mode, [some[index] for index in suspects[-SUSPECTS:] for _ in range(REPEATS)], watched
    )
    lost = [
        (int(each[2]), int(each[3]))
        for each in LOST.finditer(again.result.text)
        if int(each[1]) % REPEATS
    ]
    leaks = max(sum(frames for frames, _ in lost), sum(objects for _, objects in lost))
    if (not again.wrong or again.wrong.endswith(ONLY_LOST)) and leaks < LEAST_LOST:
        ran.wrong = ""
    return ran


def boot(mode: str, some: Sequence[Program], watched: bool = True) -> Ran:
    """Boot once with these programs."""
    arch, _ = MODES[mode]
    with tempfile.TemporaryDirectory(prefix="tollgate-torture-") as name:
        here = Path(name)
        files = tree(mode, some)
        (here / "module").write_bytes(cpio.build(files))
        mark = programs.symbols(BUILD / (arch if mode == "user64" else "i386") / "bin" / "torture")
        more = {"mark": hex(mark["program_begins"]), "inputs": str(here / "inputs")}
        asked = Boot(
            arch,
            words=("suite=torture", f"only=program/{len(some)}/1"),
            module=here / "module",
            disk=DISK,
            extra=tuple(reach_plugin(Path(plugin()[0].name), **more)) if watched else (),
            limit=HOUR / 6,
            deadline=HOUR,
        )
        result = run_boot(asked, here)
        said = array("I", (here / "inputs").read_bytes() if watched else b"")
    parts: list[list[int]] = [[]]
    for number in said:
        if number == BEGIN:
            parts.append([])
        else:
            parts[-1].append(number)
    before, *each = map(frozenset, parts)
    return Ran(result, before, each, verdict(result))


@dataclass
class Search:
    """The findings so far."""

    corpus: list[Program] = field(default_factory=list)
    reached: set[int] = field(default_factory=set)
    doubtful: set[int] = field(default_factory=set)
    """Blocks that were reached once, and not again."""

    def begin(self, *more: Path) -> None:
        """Run the programs that were kept before, in each mode."""
        self.corpus = kept(CORPUS, *more)
        for mode in RINGS if self.corpus else ():
            ran = run(mode, self.corpus)
            self.reached |= ran.before.union(*ran.reached)

    def batch(self, mode: str, number: int) -> list[Program]:
        """The programs of a boot: a fifth are new, the others are variants of kept ones."""
        maker = programs.Maker(f"{mode}/{number}")
        if not self.corpus:
            return [maker.program() for _ in range(OF_A_BOOT)]
        return [
            maker.program()
            if maker.random.random() < 0.2
            else maker.variant(maker.random.choice(self.corpus), self.corpus)
            for _ in range(OF_A_BOOT)
        ]

    def step(self, mode: str, number: int) -> tuple[list[Program], Ran]:
        """Boot once; return the programs and the result."""
        some = self.batch(mode, number)
        ran = run(mode, some)
        if not ran.wrong:
            self.keep(mode, some, ran)
        return some, ran

    def keep(self, mode: str, some: list[Program], ran: Ran) -> None:
        """Keep programs that reached a new block, without the deeds that this does not need."""
        new: list[tuple[Program, frozenset[int]]] = []
        seen = self.reached | self.doubtful
        for one, blocks in zip(some, ran.reached, strict=True):
            if fresh := blocks - seen:
                seen |= fresh
                new.append((one, fresh))
        if not new:
            return
        again = run(mode, [one for one, _ in new])
        left = []
        for (one, fresh), blocks in zip(new, again.reached, strict=False):
            self.doubtful |= fresh - blocks
            if fresh & blocks:
                left.append((one, fresh & blocks))
        for _ in range(TRIES):
            left = self.smaller(mode, left)
        for one, fresh in left:
            if not fresh <= self.reached:
                self.corpus.append(one)
                self.reached |= fresh

    @staticmethod
    def smaller(
        mode: str, kept: list[tuple[Program, frozenset[int]]]
    ) -> list[tuple[Program, frozenset[int]]]:
        """Each without half of its deeds, a quarter, or one, as long as it reaches the same."""
        tried: list[tuple[int, Program]] = []
        for part in (2, 4, MOST):
            for index, (one, _) in enumerate(kept):
                size = max(len(one) // part, 1)
                for at in range(0, len(one) if len(one) > 1 else 0, size):
                    less = one
                    for _ in range(min(size, len(one) - at)):
                        less = programs.remove(less, at)
                    tried.append((index, less))
        del tried[OF_A_BOOT:]
        if not tried:
            return kept
        best = list(kept)
        ran = run(mode, [less for _, less in tried])
        for (index, less), blocks in zip(tried, ran.reached, strict=False):
            if kept[index][1] <= blocks and 0 < len(less) < len(best[index][0]):
                best[index] = (less, kept[index][1])
        return best


def culprit(mode: str, some: Sequence[Program], ran: Ran) -> str:
    """The programs that fail alone, with as few deeds as possible; and the guest's output."""
    last = max(len(ran.reached), 1)
    told = LOST.finditer(ran.result.text) if ran.wrong.endswith(ONLY_LOST) else ()
    places = [int(lost[1]) for lost in told] or [last - 1]

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


def distilled(some: Sequence[Program]) -> list[Program]:
    """The fewest programs that reach the same blocks as all, the short ones first."""
    ran = [run(mode, some).reached for mode in RINGS]
    reached = [frozenset().union(*each) for each in zip(*ran, strict=True)]
    costs = [50 + len(programs.write(one)) for one in some]
    left = set().union(*reached)
    queue = [
        (-len(blocks) / cost, i)
        for i, (blocks, cost) in enumerate(zip(reached, costs, strict=True))
    ]
    heapq.heapify(queue)
    chosen = []
    while left and queue:
        worth, index = heapq.heappop(queue)
        now = -len(reached[index] & left) / costs[index]
        if now > worth:
            heapq.heappush(queue, (now, index))
        else:
            chosen.append(some[index])
            left -= reached[index]
    return chosen


if __name__ == "__main__":
    best = distilled(kept(CORPUS, *map(Path, sys.argv[1:])))
    CORPUS.write_text(
        "".join(f"{programs.write(one)}\n" for one in best if one not in programs.ALWAYS)
    )
    print(f"{len(best)} programs, {CORPUS.stat().st_size} bytes")
