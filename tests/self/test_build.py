"""The source as a whole: formatted, typed, and built by clang as well as by gcc."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from tollgate.machines.boot import BUILD, ROOT
from tollgate.records.check import found


def make(*arguments: str) -> str:
    """Run make; its output, and a failed test if it fails."""
    done = subprocess.run(
        ["make", "-s", *arguments],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        pytest.fail(done.stdout[-3000:], pytrace=False)
    return done.stdout


@pytest.mark.long
def test_lint() -> None:
    """.ci/run makes it before all tests."""
    make("lint")


@pytest.mark.long
def test_clang_builds_it_and_it_runs_on_i386(boot: Any, tmp_path: Path) -> None:
    """Everything: on amd64 most of it is the same source."""
    build = tmp_path / "i386"
    make("CC=clang", f"BUILD={tmp_path}", f"{build}/kernel.elf", f"{build}/initrd.cpio")
    runs_built_by_clang(boot, "i386", build / "kernel.elf", build / "initrd.cpio")


@pytest.mark.long
def test_clang_builds_it_and_it_runs_on_amd64(boot: Any, tmp_path: Path, tree: Any) -> None:
    build = tmp_path / "amd64"
    programs = [build / "bin" / name for name in ("toll", "faults", "contract")]
    make("CC=clang", f"BUILD={tmp_path}", f"{build}/kernel32.elf", *map(str, programs))
    module = tree({f"bin/{program.name}": program.read_bytes() for program in programs})
    runs_built_by_clang(boot, "amd64", build / "kernel32.elf", module)


def runs_built_by_clang(boot: Any, arch: str, kernel: Path, module: Any) -> None:
    """Its record is honest to `check`."""
    words = "suite=toll,faults,contract samples=20"
    result = boot(arch, "EPYC", words, kernel=kernel, module=module)
    assert result.outcome.value == "pass"
    assert result.run["tools"]["compiler"].startswith("clang")
    faults = found(result.machine_run)
    assert [fault for fault in faults if fault.rule != "whole"] == [], "but programs left out"


def test_i386_runs_on_a_pentium() -> None:
    """No CMOV and no multi-byte NOP (0F 1F) in 32-bit code."""
    for name in ("kernel.elf", "bin/toll", "bin/contract"):
        listing = subprocess.run(
            ["objdump", "-d", "--no-show-raw-insn", BUILD / "i386" / name],
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        ).stdout
        found = [line for line in listing.splitlines() if "\tcmov" in line or "\tnop" in line[:40]]
        assert not [line for line in found if "cmov" in line or "nopw" in line or "nopl" in line]
