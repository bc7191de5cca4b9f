"""The source as a whole: formatted, typed, and built by clang as well as by gcc."""

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tollgate.machines.boot import BUILD, ROOT
from tollgate.machines.child import run
from tollgate.records.check import found

from .. import kinds


def make(*arguments: str) -> str:
    """Run make; return its output, or fail the test."""
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


PROGRAMS = ("toll", "faults", "contract")


@pytest.mark.parametrize(
    ("arch", "kernel", "everything"),
    [
        pytest.param("i386", "kernel.elf", False, marks=pytest.mark.long),
        pytest.param("amd64", "kernel32.elf", False, marks=pytest.mark.long),
        pytest.param("i386", "kernel.elf", True, marks=pytest.mark.weekly),
    ],
)
def test_clang_builds_it_and_it_runs(
    boot: Any, tmp_path: Path, tree: Any, arch: str, kernel: str, everything: bool
) -> None:
    """`check` accepts its record."""
    build = tmp_path / arch
    programs = [build / "bin" / name for name in PROGRAMS]
    whole = [build / "initrd.cpio"] if everything else programs
    make("CC=clang", f"BUILD={tmp_path}", f"{build / kernel}", *map(str, whole))
    module = tree({f"bin/{program.name}": program.read_bytes() for program in programs})
    words = f"suite={','.join(PROGRAMS)} samples=20"
    result = boot(arch, "EPYC", words, kernel=build / kernel, module=module)
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


@pytest.mark.parametrize("name", ["gdb", "qemu-system-i386"])
def test_what_a_test_may_not_run_without_a_mark_is_refused(name: str) -> None:
    done = run([name, "-S"], 60, merge=True)
    refused = Path(os.environ[kinds.REFUSED])
    assert (done.returncode, done.stdout) == (1, refused.read_text())
    assert "is not marked" in done.stdout
    refused.unlink()


@pytest.mark.parametrize("body", ["(int)__builtin_ia32_rdtsc()", "(int)time((void *)0)"])
def test_a_unit_that_reads_the_hosts_clock_is_not_linked(tmp_path: Path, body: str) -> None:
    (tmp_path / "late.c").write_text(f"long time(long *);\nint main(void) {{ return {body}; }}\n")
    words = [f"OUT={tmp_path}", f"VPATH={tmp_path}", "UNITS=late", f"{tmp_path}/late"]
    done = run(["make", "-s", "-C", ROOT / "tests" / "unit", *words], 60, merge=True)
    assert (done.returncode, "late: it reads the clock of the host" in done.stdout) == (2, True)
