"""Interrupts are off for 50,000 instructions at most, whatever a program asks for."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import pytest

from tollgate.audit import symbols
from tollgate.boot import BUILD, ROOT
from tollgate.platforms import QEMU, find, require
from tollgate.plugin import build_plugin

MOST = 50_000
WORKERS = (
    "execve",
    "fork",
    "munmap",
    "mprotect",
    "mremap",
    "open",
    "getdents64",
    "exit_group",
    "read",
    "end",
    "fault",
    "interrupt",
)


PLACES = [
    ("amd64", "user"),
    ("amd64", "compat"),
    ("amd64", "trusted"),
    ("i386", "user"),
    ("i386", "trusted"),
]
FOLDER = {"user": "bin", "compat": "compat", "trusted": "trusted"}
SECOND = ROOT / "tools" / "audit" / "stretch.c"
APART = 150
"""What an entry and a way out take, which the kernel's meter does not see (toll/latency.c)."""
PROGRAMS = ("attack", "descriptors", "threads", "signals", "torture")
"""Three of the suite's deeds, and programs; torture's last part is chaos."""


def longest(result: Any, origin: str) -> dict[str, int]:
    """By call, or what else there is a row for; a quiet program is so for as long as it likes."""
    assert result.outcome.value == "pass", result.reason
    quiet = f"{origin}/quiet/off"
    rows = {r["id"]: r["max"] for r in result.results if r["id"].startswith(f"{origin}/")}
    return {name: length for name, length in rows.items() if name != quiet}


@pytest.mark.parametrize(
    ("arch", "origin"), [PLACES[0], *(pytest.param(*p, marks=pytest.mark.long) for p in PLACES[1:])]
)
def test_interrupts_are_never_off_for_long(boot: Any, suites: Any, arch: str, origin: str) -> None:
    module = suites(arch, "latency", folders=(FOLDER[origin],))
    result = boot(arch, cmdline="suite=latency only=deeds", module=module, memory=256)
    found = longest(result, origin)
    assert {f"{origin}/{name}/off" for name in WORKERS} <= found.keys()
    assert max(found.values()) <= MOST
    assert all(c["ok"] for c in result.checks if c["name"] == "every end seen")


@pytest.mark.long
@pytest.mark.parametrize(("arch", "origin"), PLACES)
def test_attacks_and_chaos_keep_them_off_no_longer(
    boot: Any, suites: Any, arch: str, origin: str
) -> None:
    module = suites(arch, "latency", "attack", "torture", folders=(FOLDER[origin],))
    result = boot(arch, cmdline="suite=latency", module=module, memory=256)
    found = longest(result, origin)
    if origin != "trusted":
        assert {"attack", "torture"} <= {c["name"] for c in result.checks}
        assert f"{origin}/rt_sigreturn/off" in found
    assert max(found.values()) <= MOST


@pytest.mark.parametrize(
    ("arch", "program"),
    [("amd64", "areas")]
    + [pytest.param("amd64", program, marks=pytest.mark.long) for program in PROGRAMS]
    + [pytest.param("i386", program, marks=pytest.mark.long) for program in (*PROGRAMS, "areas")],
)
def test_a_second_count_of_the_stretches_agrees(
    boot: Any, suites: Any, tmp_path: Path, arch: str, program: str
) -> None:
    """A plugin that reads RFLAGS.IF finds no longer stretch, and each that the kernel found."""
    platform, _ = find("")
    plugin = build_plugin(require(platform, QEMU["amd64"]), SECOND, tmp_path)
    start = {name: at for at, name in symbols(BUILD / arch / "kernel.elf")}["sys_toll_latency"]
    log = tmp_path / "stretches"
    words = f"{plugin},from={start:#x},least=100,log={log}"
    result = boot(
        arch,
        cmdline=f"suite=latency only={program}",
        module=suites(arch, "latency", "attack", "torture", folders=("bin",)),
        memory=256,
        extra=("-plugin", words),
    )
    ours = longest(result, "user")
    seen = [length for length, _ in struct.iter_unpack("<QQ", log.read_bytes())]
    asked = [i for i, length in enumerate(seen) if not length]
    others = seen[asked[0] + 2 : asked[-1]]  # the first call switches the kernel's meter on
    assert 0 <= max(others) - max(ours.values()) <= APART
    for name, length in ours.items():
        assert any(0 <= other - length <= APART for other in others), (name, length)
