"""The source as a whole: formatted, typed, and built by clang as well as by gcc."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tollgate.boot import ROOT


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


def test_lint() -> None:
    make("lint")


@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_clang_builds_it_and_it_runs(boot: object, tmp_path: Path, arch: str) -> None:
    twin = "kernel32.elf" if arch == "amd64" else "kernel.elf"
    make(
        "CC=clang", f"BUILD={tmp_path}", f"{tmp_path}/{arch}/{twin}", f"{tmp_path}/{arch}/tree.cpio"
    )
    result = boot(  # type: ignore[operator]
        arch,
        "EPYC",
        "suite=toll,contract samples=20",
        kernel=tmp_path / arch / twin,
        module=tmp_path / arch / "tree.cpio",
    )
    assert result.outcome.value == "pass"
    assert result.run["tools"]["compiler"].startswith("clang")


def test_i386_runs_on_a_pentium() -> None:
    """No CMOV and no multi-byte NOP (0F 1F) in 32-bit code."""
    for name in ("kernel.elf", "bin/toll", "bin/contract"):
        listing = subprocess.run(
            ["objdump", "-d", "--no-show-raw-insn", ROOT / "build" / "i386" / name],
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        ).stdout
        found = [line for line in listing.splitlines() if "\tcmov" in line or "\tnop" in line[:40]]
        assert not [line for line in found if "cmov" in line or "nopw" in line or "nopl" in line]
