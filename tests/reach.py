"""`make reach`: the basic blocks of each folder of the kernel, and who reaches them.

    python -m tests.reach [pytest's words]

Boots what the tests boot, and what the fuzzers have kept, with a plugin in QEMU that notes each
block (tollgate.self.reach).  The table is printed; what neither reaches is a failure, unless the
function stands in unreached.toml, with the reason.
"""

from __future__ import annotations

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
LEAST = 95.0
"""Percent of the blocks of these, on each kernel."""


def reasons() -> list[str]:
    """Patterns of the names of functions for which there is a reason."""
    of_reasons: dict[str, list[str]] = tomllib.loads(REASONS.read_text())
    return [name for names in of_reasons.values() for name in names]


def table(every: Sequence[Block], tests: Collection[int], fuzzers: Collection[int]) -> str:
    """How many blocks of each folder are reached by whom."""
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
    """Percent of a folder's blocks."""
    those = [i for i, b in enumerate(every) if b.arch == arch and b.folder.startswith(folder)]
    return 100 * sum(index in reached for index in those) / len(those)


def unnamed(every: Sequence[Block], reached: Collection[int]) -> Iterator[str]:
    """Functions with blocks that nobody reaches, and for no reason that is known."""
    known = reasons()
    left: dict[tuple[str, str], list[str]] = {}
    for index, block in enumerate(every):
        watched = block.folder.startswith(WATCHED)
        excused = any(fnmatchcase(block.name, reason) for reason in known)
        if watched and index not in reached and not excused:
            left.setdefault((block.unit, block.function), []).append(f"{block.arch}:{block.line}")
    for (unit, function), places in sorted(left.items()):
        yield f"{unit}: {function}: {' '.join(places)}"


def by_fuzzers() -> set[int]:
    """What the programs that were kept reach."""
    found = led.Search()
    found.begin()
    return found.reached


def ones(folder: Path) -> set[int]:
    """Which blocks have been reached."""
    return {index for index, byte in enumerate((folder / "reached").read_bytes()) if byte}


def main(words: Sequence[str]) -> int:
    """0 if all blocks that can be reached are."""
    every = reach.prepare(FOLDER)
    os.environ[REACH] = str(FOLDER)
    pytest.main(["-q", "--progress", *words] if words else ["-q", "--progress", "-m", "not loaded"])
    del os.environ[REACH]
    tests = ones(FOLDER)
    fuzzers = by_fuzzers()
    print(table(every, tests, fuzzers))
    wrong = [*unnamed(every, tests | fuzzers)]
    for arch in ARCHES:
        for folder in WATCHED:
            if (is_so := share(every, tests | fuzzers, arch, folder)) < LEAST:
                wrong.append(f"{folder}, {arch}: {is_so:.1f} %, and {LEAST} are asked for")
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
