"""Interrupts are off for at most 50,000 instructions, whatever a program requests."""

import re
from pathlib import Path
from typing import Any

import pytest

from tollgate.machines import audit

MOST = 50_000
WORKERS = (
    "execve fork munmap mprotect mremap open getdents64 exit_group read end fault interrupt"
).split()


PLACES = [
    ("amd64", "user"),
    ("amd64", "compat"),
    ("amd64", "trusted"),
    ("i386", "user"),
    ("i386", "trusted"),
]
DEEDS = """pages 12 0, areas 72 0, mapped 43 0, content 15 0, names 139 1, links 88 2, deep 261 0,
programs 16 0, descriptors 497 1, line 9 0, console 7 0, threads 668 16, signals 265 0"""
"""The calls of each deed in its first size, and how many fail, where no time decides."""
FOLDER = {"user": "bin", "compat": "compat", "trusted": "trusted"}
CALLS = ("descriptors", "threads", "signals")
"""Some of the suite's calls."""


def longest(result: Any, origin: str) -> dict[str, int]:
    """The maximum of each row. A quiet program's is left out, because it has no limit."""
    assert result.outcome.value == "pass", result.reason
    quiet = f"{origin}/quiet/off"
    rows = {r["id"]: r["max"] for r in result.results if r["id"].startswith(f"{origin}/")}
    return {name: length for name, length in rows.items() if name != quiet}


@pytest.mark.figures
@pytest.mark.parametrize(
    ("arch", "origin"), [PLACES[0], *(pytest.param(*p, marks=pytest.mark.long) for p in PLACES[1:])]
)
def test_interrupts_are_never_off_for_long(boot: Any, suites: Any, arch: str, origin: str) -> None:
    module = suites(arch, "latency", folders=(FOLDER[origin],))
    result = boot(arch, "EPYC", "suite=latency only=deeds", module=module, memory=256)
    found = longest(result, origin)
    counted = re.findall(r" (\w+) +(\d+) calls, (\d+) fail", result.text)
    assert set(re.split(r",\s", DEEDS)) <= {" ".join(deed) for deed in counted}
    workers = (*WORKERS, "switch") if origin == "trusted" else WORKERS
    assert {f"{origin}/{name}/off" for name in workers} <= found.keys()
    assert max(found.values()) <= MOST
    assert all(c["ok"] for c in result.checks if c["name"] == "every end seen")


@pytest.mark.long
@pytest.mark.parametrize(("arch", "origin"), PLACES)
def test_attacks_and_torture_keep_them_off_no_longer(
    boot: Any, suites: Any, arch: str, origin: str
) -> None:
    module = suites(arch, "latency", "attack", "torture", folders=(FOLDER[origin],))
    result = boot(arch, cmdline="suite=latency", module=module, memory=256)
    found = longest(result, origin)
    if origin != "trusted":
        assert {"attack", "torture"} <= {c["name"] for c in result.checks}
        assert f"{origin}/rt_sigreturn/off" in found
    assert max(found.values()) <= MOST


@pytest.mark.figures
@pytest.mark.parametrize(
    ("arch", "program"),
    [("amd64", "areas")]
    + [pytest.param("amd64", program, marks=pytest.mark.long) for program in CALLS]
    + [pytest.param("i386", "signals", marks=pytest.mark.long)],
)
def test_a_second_count_of_the_stretches_agrees(tmp_path: Path, arch: str, program: str) -> None:
    """A plugin that reads RFLAGS.IF finds each stretch that the kernel found, and none longer; a
    figure one above what an entry and an exit explain is noticed. (Not with attack and torture:
    if a call returns to unmapped code, no instruction separates two stretches.)"""
    rows, seen = audit.stretches(arch, "EPYC", program, tmp_path)
    assert {name: one.wrong for name, one in audit.judge_stretches(rows, seen) if one.wrong} == {}
    for other in (max(seen) + 1, max(seen) - audit.APART - 1):
        ((_, one),) = audit.judge_stretches({"user/fork/off": other}, seen)
        assert (
            one.wrong == f"max is {other}, and no stretch of {other} to {other + 150} was counted"
        )
