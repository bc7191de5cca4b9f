"""Exact figures of copy, latency and share, by gcc 12: tests/exact.toml, read and written anew.

    .venv/bin/python -m tests.exact     measures them and writes the file (`make budgets` does it)

A figure is the same in boots that differ in memory, file tree and command line.  Where it is not,
because what runs meanwhile decides, the file has the least and the most of two such boots.
"""

from __future__ import annotations

import re
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tollgate import budgets, cpio
from tollgate.boot import BUILD, INITRD, ROOT, Boot, BootResult
from tollgate.compilers import OURS
from tollgate.errors import TollgateError
from tollgate.machine import run_boot
from tollgate.outcome import Outcome

FILE = ROOT / "tests" / "exact.toml"
SIZES = (1, 4, 16, 64, 256, 1024, 4096, 16384, 65536)
COPIES = {"movsb": 0, "movs": 1, "loop": 6, "fs": 6}
"""Instructions for each word; 0: one for each byte."""
FOLDER = {"user": "bin", "compat": "compat", "trusted": "trusted"}
PLACES = (*(("amd64", origin) for origin in FOLDER), ("i386", "user"), ("i386", "trusted"))
Programs = tuple[str, tuple[str, ...], int]
"""A boot's words, its programs (none named: all), and its MiB of memory."""
COPY: tuple[Programs, Programs] = (
    ("suite=copy samples=5", (), 32),
    ("suite=toll,copy samples=7", (), 64),
)
LATENCY: tuple[Programs, Programs] = (
    ("suite=latency only=deeds", ("latency",), 256),
    ("suite=latency only=deeds samples=33", ("latency", "toll"), 270),
)
SHARE: tuple[Programs, Programs] = (
    ("suite=share samples=1", (), 32),
    ("suite=toll,share samples=1", (), 64),
)
HEAD = """\
# Exact figures in instructions: qemu-icount, EPYC, gcc 12. `make budgets` writes them.

# What a read of 1, 4, 16, 64, 256, 1,024, 4,096, 16,384 and 65,536 bytes takes above an empty one,
# which has a budget (ladder). `words_8`: what a copy alone takes above the instructions for each
# word or byte, in a program whose words have 8 bytes.
"""
STRETCHES = """
# The longest stretches with interrupts off: in which deed of the suite, of which call. Two figures:
# the least and the most, where it depends on where a tick falls.
"""
TURNS = """
# Beside `yes` of either ring: medians. Two figures: of the first boot, with 32 MiB, and of the
# second, with 64 MiB and the toll before it, where they differ.
"""
Deeds = dict[str, dict[str, Any]]
_ROW = re.compile(r"^  \w+/(\w+)/off +(\d+) +\d+ times, (\w+)\r?$", re.M)


def by_ours(result: BootResult) -> bool:
    """Whether the figures of the file hold for this kernel."""
    return budgets.compiler_of(result.run) == OURS


def load() -> dict[str, Any]:
    return tomllib.loads(FILE.read_text())


def medians(result: BootResult, suite: str) -> dict[str, int]:
    return {r["id"]: r["median"] for r in result.results if r["suite"] == suite}


# --- copy -----------------------------------------------------------------------------------------


def copies(arch: str, known: Mapping[str, Any]) -> dict[str, int]:
    """Each row: an empty read, by its budget, and what so many bytes take more."""
    ladder: dict[str, Any] = budgets.load("ladder", arch)
    rows: dict[str, int] = {}
    for row in ladder:
        _, rung, of = row.split("/")
        if of in ("zero", "file") and rung in ("read", "int80", "sys_read", "file_read"):
            more = dict(zip((0, *SIZES), (0, *known[of]), strict=True))
            rows |= {f"{row}-{size}": ladder[row][OURS] + more[size] for size in more}
    for origin in [where for place, where in PLACES if place == arch]:
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


# --- latency --------------------------------------------------------------------------------------


def longest(result: BootResult) -> dict[str, tuple[str, int]]:
    """Of each call, or what else there is a row for: the longest stretch, and in which deed."""
    found = {call: (deed, int(most)) for call, most, deed in _ROW.findall(result.text)}
    rows = {r["id"].split("/")[1]: r["max"] for r in result.results if r["suite"] == "latency"}
    assert {call: most for call, (_, most) in found.items()} == rows
    return found


def other(found: Mapping[str, tuple[str, int]], known: Deeds) -> dict[str, str]:
    """Calls whose longest stretch is another than the file has, or in another deed."""
    said = {call: (deed, most) for deed, calls in known.items() for call, most in calls.items()}
    wrong = {}
    for call in found.keys() | said.keys():
        deed, most = found.get(call, ("none", -1))
        wanted, figure = said.get(call, ("none", -1))
        low, high = figure if isinstance(figure, list) else (figure, figure)
        if not low <= most <= high or (deed != wanted and low == high):
            wrong[call] = f"{most} in {deed}, not {figure} in {wanted}"
    return wrong


def by_deed(one: Mapping[str, tuple[str, int]], two: Mapping[str, tuple[str, int]]) -> Deeds:
    deeds: Deeds = {}
    for call, (deed, most) in one.items():
        both = sorted((most, two[call][1]))
        deeds.setdefault(deed, {})[call] = most if both[0] == both[1] else both
    return deeds


# --- the file -------------------------------------------------------------------------------------


def boot(arch: str, words: str, names: tuple[str, ...], memory: int, folder: str) -> BootResult:
    with tempfile.TemporaryDirectory(prefix="tollgate.") as place:
        module = None
        if names:
            tree = cpio.read((BUILD / INITRD[arch]).read_bytes())
            wanted = {f"{folder}/{name}" for name in names}
            module = Path(place) / "module"
            module.write_bytes(cpio.build({path: tree[path] for path in wanted}))
        made = Boot(arch, cpu="EPYC", words=tuple(words.split()), module=module, memory=memory)
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
    for arch in ("i386", "amd64"):
        one, two = (medians(boot(arch, *each, ""), "copy") for each in COPY)
        if one != two:
            raise TollgateError(f"{arch}: two boots disagree on copy.")
        yield f"[copy.{arch}]\n"
        yield from (f"{key} = {inline(value)}\n" for key, value in more_by_bytes(one).items())
    yield STRETCHES
    for arch, origin in PLACES:
        yield f"[latency.{arch}.{origin}]\n"
        both = [longest(boot(arch, *each, FOLDER[origin])) for each in LATENCY]
        yield from (f"{deed} = {inline(calls)}\n" for deed, calls in by_deed(*both).items())
    yield TURNS
    for arch in ("i386", "amd64"):
        one, two = (medians(boot(arch, *each, ""), "share") for each in SHARE)
        yield f"[share.{arch}]\n"
        for row, figure in one.items():
            yield f'"{row}" = {figure if figure == two[row] else [figure, two[row]]}\n'


if __name__ == "__main__":
    FILE.write_text("".join(text()))
