"""Call frame information: gdb unwinds from every instruction of every entry into the program."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tollgate.boot import ROOT, Boot
from tollgate.debug import session

SCRIPT = Path(__file__).parent / "unwind.py"
VARIANTS = ("standard", "nowork", "service", "bare")


@pytest.mark.parametrize(
    ("arch", "cpu", "mechanisms"),
    [
        ("i386", "pentium3", ("int", "callgate", "sysenter")),
        ("amd64", "Skylake-Client", ("int", "callgate", "sysenter", "syscall")),
    ],
)
def test_gdb_unwinds_at_each_instruction(arch: str, cpu: str, mechanisms: tuple[str, ...]) -> None:
    rows = [f"user/{m}/{v}" for m in mechanisms for v in VARIANTS]
    with session(Boot(arch, cpu=cpu, words=("suite=toll", "samples=1"))) as started:
        command = started.gdb(None, headless=True)
        program = ROOT / "build" / arch / "bin" / "toll"
        command += ["-ex", f"add-symbol-file {program}", "-ex", f'set $rows = "{" ".join(rows)}"']
        done = subprocess.run(
            [*command, "-x", str(SCRIPT)],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=60,
            check=False,
        )
    lines = [line for line in done.stdout.splitlines() if line.startswith("user/")]
    assert [line.split(":")[0] for line in lines] == rows, done.stdout[-2000:]
    wrong = [line for line in lines if "instructions" not in line]
    assert not wrong, wrong
