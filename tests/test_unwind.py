"""Call frame information: gdb unwinds from every instruction of every entry into the program."""

from __future__ import annotations

from pathlib import Path

import pytest

from tollgate.boot import ROOT, Boot
from tollgate.child import run
from tollgate.debug import session

SCRIPT = Path(__file__).parent / "unwind.py"
VARIANTS = ("standard", "nowork", "service", "bare")


def unwind(arch: str, cpu: str, program: str, rows: list[str], words: str = "") -> list[str]:
    """The lines that unwind.py prints for these rows while the program runs."""
    with session(Boot(arch, cpu=cpu, words=(f"suite={program}", "samples=1", *words.split()))) as s:
        command = s.gdb(None, headless=True)
        symbols = ROOT / "build" / arch / "bin" / program
        command += ["-ex", f"add-symbol-file {symbols}", "-ex", f'set $rows = "{" ".join(rows)}"']
        done = run([*command, "-x", str(SCRIPT)], 60, cwd=ROOT, merge=True)
    lines = [
        line
        for line in done.stdout.splitlines()
        if line.startswith(("user/", "trusted/", "vector/"))
    ]
    assert [line.split(":")[0] for line in lines] == rows, done.stdout[-2000:]
    return lines


@pytest.mark.parametrize(
    ("arch", "cpu", "mechanisms"),
    [
        ("i386", "pentium3", ("int", "callgate", "sysenter")),
        ("amd64", "Skylake-Client", ("int", "callgate", "sysenter", "syscall")),
    ],
)
def test_gdb_unwinds_at_each_instruction(arch: str, cpu: str, mechanisms: tuple[str, ...]) -> None:
    rows = [f"user/{m}/{v}" for m in mechanisms for v in VARIANTS]
    rows += [f"trusted/{m}/{v}" for m in mechanisms if m != "sysenter" for v in VARIANTS]
    rows += [f"trusted/call/{v}" for v in VARIANTS]
    rows += [f"trusted/samestack/{v}" for v in VARIANTS[:2]]
    wrong = [line for line in unwind(arch, cpu, "toll", rows) if "instructions" not in line]
    assert not wrong, wrong


@pytest.mark.parametrize(
    ("arch", "row"),
    [
        ("i386", "user/ud/plain"),
        ("i386", "user/pf/task"),
        ("amd64", "user/gp/plain"),
        ("amd64", "user/pf/move"),
    ],
)
def test_gdb_unwinds_out_of_a_measured_exception(arch: str, row: str) -> None:
    lines = unwind(arch, "EPYC", "exceptions", [row], f"only={row}")
    assert "instructions" in lines[0], lines


@pytest.mark.parametrize(("arch", "cpu"), [("i386", "pentium3"), ("amd64", "Skylake-Client")])
def test_gdb_unwinds_through_an_exception(arch: str, cpu: str) -> None:
    lines = unwind(arch, cpu, "deaths", ["vector/14"], "only=SIGSEGV-write-null")
    assert "instructions" in lines[0], lines
