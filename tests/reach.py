"""`make test PART=reach`: the basic blocks of each folder of the kernel, and who reaches them.

    python -m tests.reach [pytest's words]

Boots what the tests boot, and what the fuzzers have kept, with a plugin in QEMU that notes each
block (tollgate.self.reach).  The table is printed.  A line of the source of which neither reaches a
block, on either kernel, is a failure, unless it stands in unreached.toml, with the reason.

What was reached is kept as long as the kernels are the same: all tests need not run at once.
"""

import os
import sys
import tomllib
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from tollgate.machines.boot import ARCHES, BUILD
from tollgate.machines.qemu_plugin import REACH
from tollgate.self import reach
from tollgate.self.reach import Block

from .torture import led

FOLDER = BUILD / "reach"
REASONS = Path(__file__).with_name("unreached.toml")
WATCHED = ("kernel/core", "kernel/unix")
GOAL = 95
"""Percent of the blocks of each of them whose lines must be reached, in each kernel."""


def reasons() -> dict[str, str]:
    """Patterns of places that are excused, and the reasons."""
    of_reasons: dict[str, list[str]] = tomllib.loads(REASONS.read_text())
    return {place: reason for reason, places in of_reasons.items() for place in places}


def fits(place: str, pattern: str) -> bool:
    """Whether a place, FILE:FUNCTION: LINE, matches a pattern, which may omit the line."""
    return fnmatchcase(place, pattern) or fnmatchcase(place.partition(": ")[0], pattern)


def places(every: Sequence[Block], reached: Collection[int]) -> Iterator[tuple[str, list[Block]]]:
    """Unreached places: no block of their line is reached, in any function of either kernel."""
    lines = {(every[index].file, every[index].line) for index in reached}
    left: dict[str, list[Block]] = {}
    for block in every:
        if block.folder.startswith(WATCHED) and (block.file, block.line) not in lines:
            left.setdefault(block.place, []).append(block)
    return iter(sorted(left.items()))


def table(every: Sequence[Block], tests: Collection[int], fuzzers: Collection[int]) -> str:
    """The blocks of each folder: counted as reached by tests, by fuzzers, by both or neither."""
    counts: dict[tuple[str, str], Counter[str]] = {}
    for index, block in enumerate(every):
        both = (index in tests, index in fuzzers)
        who = {(True, True): "both", (True, False): "tests", (False, True): "fuzzers"}
        for folder in (block.folder, *(each for each in WATCHED if block.folder.startswith(each))):
            counts.setdefault((folder, block.arch), Counter())[who.get(both, "neither")] += 1
    lines = [f"{'':24}{'':8}{'blocks':>8}{'both':>8}{'tests':>8}{'fuzzers':>8}{'neither':>8}"]
    for (folder, arch), count in sorted(counts.items()):
        whole = count.total()
        parts = "".join(f"{count[who]:8}" for who in ("both", "tests", "fuzzers", "neither"))
        share = 100 * (1 - count["neither"] / whole)
        lines.append(f"{folder:24}{arch:8}{whole:8}{parts}  {share:5.1f} %")
    return "\n".join(lines)


def share(every: Sequence[Block], reached: Collection[int], arch: str, folder: str) -> float:
    """Percent of a folder's blocks whose line is reached, in any function of either kernel."""
    lines = {(every[index].file, every[index].line) for index in reached}
    those = [(b.file, b.line) for b in every if b.arch == arch and b.folder.startswith(folder)]
    return 100 * sum(line in lines for line in those) / len(those)


def too_few(every: Sequence[Block], reached: Collection[int]) -> list[str]:
    """Prints the shares of the watched folders; returns those below the goal."""
    short = []
    for folder in WATCHED:
        for arch in ARCHES:
            part = share(every, reached, arch, folder)
            print(f"blocks of reached lines in {folder}, {arch}: {part:.1f} %")
            if part < GOAL:
                short.append(f"{folder}, {arch}: {part:.1f} %, and the goal is {GOAL} %")
    return short


def excused(every: Sequence[Block], reached: Collection[int]) -> str:
    """The number of unreached blocks for each reason."""
    counts: Counter[str] = Counter()
    known = reasons()
    for place, blocks in places(every, reached):
        why = [reason for pattern, reason in known.items() if fits(place, pattern)]
        counts[(why or ["for no reason that is known"])[0]] += len(blocks)
    return "\n".join(f"{count:8}  {reason}" for reason, count in counts.most_common())


def unnamed(every: Sequence[Block], reached: Collection[int]) -> Iterator[str]:
    """The places that nothing has reached, and for which unreached.toml has no reason."""
    known = reasons()
    for place, blocks in places(every, reached):
        if not any(fits(place, pattern) for pattern in known):
            where = dict.fromkeys(f"{block.arch}:{block.line}" for block in blocks)
            yield f"{place}  [{' '.join(where)}]"


def by_fuzzers() -> set[int]:
    """The blocks reached by the kept programs."""
    found = led.Search()
    found.begin()
    return found.reached


def ones(folder: Path) -> set[int]:
    """The blocks that have been reached."""
    return {index for index, byte in enumerate((folder / "reached").read_bytes()) if byte}


def main(words: Sequence[str]) -> int:
    """0 if all reachable blocks are reached."""
    every = reach.prepare(FOLDER)
    fuzzers = by_fuzzers()  # first, because pytest removes the folder for temporary files
    os.environ[REACH] = str(FOLDER)
    status = pytest.main(["-q", *words])
    del os.environ[REACH]
    if status not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        return int(status)  # no tests were run
    tests = ones(FOLDER)
    print(table(every, tests, fuzzers))
    short = too_few(every, tests | fuzzers)
    print(f"blocks of other lines, and why nobody reaches them:\n{excused(every, tests | fuzzers)}")
    wrong = [*short, *unnamed(every, tests | fuzzers)]
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
