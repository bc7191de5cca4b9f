"""Exact figures of copy, by gcc 12: tests/exact.toml, read and written anew.

    .venv/bin/python -m tests.exact     measures them and writes the file (`make budgets` does it)

A figure is the same in boots that differ in memory and command line.
"""

from __future__ import annotations

import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tollgate.errors import TollgateError
from tollgate.machines.boot import ROOT, Boot, BootResult
from tollgate.machines.emulator import run_boot
from tollgate.machines.outcome import Outcome
from tollgate.records import budgets
from tollgate.records.compilers import OURS

FILE = ROOT / "tests" / "exact.toml"
SIZES = (1, 4, 16, 64, 256, 1024, 4096, 16384, 65536)
COPIES = {"movsb": 0, "movs": 1, "loop": 6, "fs": 6}
"""Instructions for each word; 0: one for each byte."""
ORIGINS = {"i386": ("user", "trusted"), "amd64": ("user", "compat", "trusted")}
COPY = (("suite=copy samples=5", 32), ("suite=toll,copy samples=7", 64))
"""Boots: the words, and MiB of memory."""
HEAD = """\
# Exact figures in instructions: qemu-icount, EPYC, gcc 12. `make budgets` writes them.

# What a read of 1, 4, 16, 64, 256, 1,024, 4,096, 16,384 and 65,536 bytes takes above an empty one,
# which has a budget (ladder). `words_8`: what a copy alone takes above the instructions for each
# word or byte, in a program whose words have 8 bytes.
"""


def by_ours(result: BootResult) -> bool:
    """Whether the figures of the file hold for this kernel."""
    return budgets.compiler_of(result.run) == OURS


def load() -> dict[str, Any]:
    return tomllib.loads(FILE.read_text())


def medians(result: BootResult) -> dict[str, int]:
    return {r["id"]: r["median"] for r in result.results if r["suite"] == "copy"}


def copies(arch: str, known: Mapping[str, Any]) -> dict[str, int]:
    """Each row: an empty read, by its budget, and what so many bytes take more."""
    ladder: dict[str, Any] = budgets.load("ladder", arch)
    rows: dict[str, int] = {}
    for row in ladder:
        _, rung, of = row.split("/")
        if of in ("zero", "file") and rung in ("read", "int80", "sys_read", "file_read"):
            more = dict(zip((0, *SIZES), (0, *known[of]), strict=True))
            rows |= {f"{row}-{size}": ladder[row][OURS] + more[size] for size in more}
    for origin in ORIGINS[arch]:
        word = 8 if arch == "amd64" and origin != "compat" else 4
        for name, start in known[f"words_{word}"].items():
            for size in (0, *SIZES):
                least = word if COPIES[name] == 6 else 0
                if size >= least and (name == "movsb" or size % word == 0):
                    each = size // word * COPIES[name] if COPIES[name] else size
                    rows[f"{origin}/copy/{name}-{size}"] = start + each
    return rows


def more_by_bytes(found: Mapping[str, int]) -> dict[str, Any]:
    """What the file says of a kernel's copies: the rows that all others follow from."""
    row = "kernel/file_read"
    lists: dict[str, Any] = {
        of: [found[f"{row}/{of}-{size}"] - found[f"{row}/{of}-0"] for size in SIZES]
        for of in ("zero", "file")
    }
    for origin, word in (
        (("compat", 4), ("trusted", 8)) if "compat/copy/fs-4" in found else (("user", 4),)
    ):
        starts = {}
        for name, each in COPIES.items():
            if (first := found.get(f"{origin}/copy/{name}-64")) is not None:
                starts[name] = first - (64 // word * each if each else 64)
        lists[f"words_{word}"] = starts
    return lists


def boot(arch: str, words: str, memory: int) -> BootResult:
    with tempfile.TemporaryDirectory(prefix="tollgate.") as place:
        made = Boot(arch, cpu="EPYC", words=tuple(words.split()), memory=memory)
        result = run_boot(made, Path(place))
    if not by_ours(result):
        print(f"{FILE}: stays as it is, with the figures of {OURS}.")
        raise SystemExit(0)
    if result.outcome is not Outcome.PASS:
        raise TollgateError(f"{arch} {words}: {result.reason}; no figure is changed.")
    return result


def inline(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {inline(each)}" for key, each in value.items()) + " }"
    return str(value)


def text() -> Iterator[str]:
    yield HEAD
    for arch in ORIGINS:
        one, two = (medians(boot(arch, *each)) for each in COPY)
        if one != two:
            raise TollgateError(f"{arch}: two boots disagree on copy.")
        yield f"[copy.{arch}]\n"
        yield from (f"{key} = {inline(value)}\n" for key, value in more_by_bytes(one).items())


if __name__ == "__main__":
    FILE.write_text("".join(text()))
