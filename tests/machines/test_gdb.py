"""A user's own gdb at every gate: the first backtrace, and a machine that waits for any gdb."""

import re
import sys
from pathlib import Path

import pytest

from tollgate.machines.boot import ARCHES, BUILD, ROOT, SYMBOLS, Boot, module_for
from tollgate.machines.child import Child, run
from tollgate.machines.clock import Clock
from tollgate.machines.debug import session
from tollgate.suites import NAMES

pytestmark = pytest.mark.patient
LIMIT = 60.0
"""Seconds that gdb and QEMU may use."""


def machine(arch: str, suite: str) -> Boot:
    words = (f"suite={suite}", "samples=1")
    return Boot(arch, cpu="Skylake-Client", words=words, module=module_for(arch, words))


@pytest.mark.parametrize(
    ("arch", "suite"),
    [
        pytest.param(arch, name, marks=[pytest.mark.long] * (name not in ("web", "wisconsin")))
        for arch in ARCHES
        for name in NAMES
    ],
)
def test_the_first_backtrace_is_that_of_the_program_that_runs(arch: str, suite: str) -> None:
    """It works without a command, from the kernel's first instruction to the program's own main."""
    boot = machine(arch, suite)
    if boot.module and not boot.module.is_file():
        pytest.skip(f"{boot.module.name} has not been built")
    with session(boot) as started:
        command = started.gdb(None, headless=False)
        at = "tbreak *&clean_user_int_standard_entry"
        for word in ("set width 0", at, "continue", "bt", "info symbol main"):
            command += ["-ex", word]
        done = started.run([*command, "-ex", "kill"], LIMIT, "quit\n")
    frames = re.findall(r"^#\d+ +(?:0x\w+ in )?([^(\n]*) \(", done.stdout, re.M)
    assert frames[0] == "user_int_standard_entry", done.stdout
    assert frames[1].startswith("clean_user_int_standard_entry"), done.stdout
    assert frames[2] == "toll_call"
    assert frames[-1] == "main"
    assert all(frames), done.stdout
    assert re.search(rf"main.* of .*/{suite}$", done.stdout, re.M), done.stdout


@pytest.mark.long
def test_a_stop_in_a_program_is_told_by_its_own_symbols() -> None:
    """gdb reports a stop before the symbols can be loaded: then the line is repeated."""
    file = BUILD / "amd64" / "bin" / "walk"
    listed = run(["nm", str(file)], LIMIT).stdout
    (main,) = re.findall(r"^(\w+) T main$", listed, re.M)
    with session(machine("amd64", "walk")) as started:
        command = started.gdb(None, headless=False)
        for word in ("set width 0", f"tbreak *0x{main}", "continue", "kill"):
            command += ["-ex", word]
        said = started.run(command, LIMIT, "quit\n").stdout
    said = said.partition("(By the symbols of /bin/walk,")[2]
    assert re.match(r".*\n#0 +main \(.*\) at user/checks/walk\.c:\d+", said), said


@pytest.mark.figures
def test_a_machine_waits_for_anybodys_gdb(tmp_path: Path) -> None:
    """`make gdb WAIT=1` names the socket, which ends with the machine."""
    command = [sys.executable, "-m", "tollgate", "gdb", "--wait", "--arch=i386", "--cpu=EPYC"]
    command += ["--cmdline=suite=walk align=17"]
    with (tmp_path / "said").open("wb") as said:
        waiting = Child(command, cwd=tmp_path, stdout=said, stderr=said)
    try:
        clock = Clock(waiting.pid, family=True)
        while "the machine waits for gdb" not in (tmp_path / "said").read_text():
            assert clock.read() < LIMIT and not waiting.ended(0.1)
        (line,) = re.findall(r"target remote .*", (tmp_path / "said").read_text())
        assert "align=17: each entry begins" in (tmp_path / "said").read_text()
        file = str(BUILD / SYMBOLS["i386"])
        words = ("-ex", line, "-ex", "tbreak kernel_main", "-ex", "continue", "-ex", "kill")
        done = run(["gdb", "-nx", "-q", "-batch", *words, file], LIMIT, cwd=ROOT, merge=True)
        assert re.search(r"kernel_main \(.*\) at kernel/main\.c:\d+", done.stdout), done.stdout
        while not waiting.ended(0.1):
            assert clock.read() < LIMIT
    finally:
        status = waiting.close()
    assert status == 0
    assert not (BUILD / "i386" / "gdb.sock").is_symlink()
