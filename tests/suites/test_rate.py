"""A rate is certain and right, or in doubt; a counter that stands still measures nothing."""

import contextlib
import os
import re
import signal
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from elftools.elf.elffile import ELFFile

from tollgate.machines.boot import BUILD, INITRD, KERNEL, SYMBOLS, Boot, BootResult
from tollgate.machines.emulator import run_boot
from tollgate.machines.outcome import Outcome
from tollgate.show.report.model import read_machine

from ..boot.test_iso import Machine
from ..console.test_pages import records, see
from ..elf import exits, symbols

RUNS = 0.015
"""Seconds that the machine runs between two stops."""
STOPS = (0.020, 0.060, 0.120, 0.300)


def emulator_in(directory: Path) -> int | None:
    """The process with this boot's directory on its command line."""
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            words = (entry / "cmdline").read_bytes() if entry.name.isdigit() else b""
            if b"qemu-system" in words and str(directory).encode() in words:
                return int(entry.name)
    return None


def stopped(directory: Path, stops: float, over: threading.Event) -> None:
    """Take the processor away from the machine repeatedly, until `over`."""
    pid = None
    while not over.is_set() and not pid:
        pid = emulator_in(directory)
        time.sleep(0.01)
    with contextlib.suppress(ProcessLookupError):
        while pid and not over.is_set():
            os.kill(pid, signal.SIGSTOP)
            time.sleep(stops)
            os.kill(pid, signal.SIGCONT)
            time.sleep(RUNS)


def booted(directory: Path, stops: float) -> BootResult:
    words = ("suite=true",)
    over = threading.Event()
    boot = Boot("amd64", platform="qemu-tcg", cpu="EPYC", words=words)
    thread = threading.Thread(target=stopped, args=(directory, stops, over))
    if stops:
        thread.start()
    try:
        return run_boot(boot, directory)
    finally:
        over.set()
        if stops:
            thread.join()


@pytest.mark.clocked
@pytest.mark.long
@pytest.mark.parametrize("count", [12, pytest.param(50, marks=pytest.mark.weekly)])
def test_a_rate_that_is_certain_is_right(tmp_path: Path, count: int) -> None:
    """The TSC's rate is the host's: that of an undisturbed boot."""
    (tmp_path / "usual").mkdir()
    usual = booted(tmp_path / "usual", 0).run["tsc_hz"]
    assert usual
    wrong, certain = [], 0
    for number in range(count):
        for stops in STOPS:
            directory = tmp_path / f"{stops}-{number}"
            directory.mkdir()
            result = booted(directory, stops)
            hertz = result.run["tsc_hz"]
            doubted = "noisy: the rate: " in result.text
            certain += not doubted
            assert bool(hertz) != doubted
            if hertz and abs(hertz - usual) * 100 > usual:
                wrong.append((stops, hertz, result.run["clock"]))
    assert not wrong, usual
    assert certain, "some windows lie between two stops"


STANDS_STILL = bytes.fromhex("31c0 31d2 c3")
"""xor eax, eax; xor edx, edx; ret: a loop takes no time."""
ALWAYS_ANOTHER = bytes.fromhex("0f31 31d2 25ffffff7f c3")
"""rdtsc; xor edx, edx; and eax, 7fffffffh; ret: a count that increases at every read."""


def with_function(arch: str, name: str, code: bytes, folder: Path) -> Path:
    """A kernel in which one function does only this."""
    with (BUILD / SYMBOLS[arch]).open("rb") as file:
        address, size = symbols(BUILD / SYMBOLS[arch])[name]
        (offset,) = ELFFile(file).address_offsets(address, size)
        file.seek(offset)
        was = file.read(size)
    booted_one = (BUILD / KERNEL[arch]).read_bytes()
    assert len(was) >= len(code) and booted_one.count(was) == 1
    path = folder / "kernel.elf"
    path.write_bytes(booted_one.replace(was, code + was[len(code) :]))
    return path


@pytest.mark.parametrize("arch", [pytest.param("i386", marks=pytest.mark.long), "amd64"])
def test_with_a_counter_that_does_not_go_on_no_suite_starts_and_a_shell_does(
    boot: Any, tree: Any, arch: str, tmp_path: Path
) -> None:
    kernel = with_function(arch, "dear", STANDS_STILL, tmp_path)
    bits = 32 if arch == "i386" else 64
    names = {"init": 5, "sh": 6, "toll": 7, "contract": 8}
    module = tree({f"bin/{name}": exits(bits, status) for name, status in names.items()})
    words = "suite=init,toll,sh,contract"
    result = boot(arch, "EPYC", words, kernel=kernel, module=module)
    assert result.outcome is Outcome.FAIL
    assert not result.run["readable"] and result.run["tsc_hz"] == 0
    assert result.text.count("nothing can be measured by it, and no suite starts\n") == 1
    assert re.findall(r"(?m)^/bin/(\w+): failed", result.text) == ["init", "sh"]
    assert result.machine_run.end["failed"] == 3, "two shells, and the suites for one reason"


@pytest.mark.patient
def test_a_rate_in_doubt_is_nowhere(tmp_path: Path) -> None:
    """During each window of the PIT a firmware interrupt comes: no ns on the line, in the records,
    on the screen or in a report, and no MHz."""
    kernel = with_function("amd64", "cycle_smis", ALWAYS_ANOTHER, tmp_path)
    words = "suite=toll only=user/int/ samples=5 clock=tsc then=menu"
    guest = Machine(
        tmp_path,
        *("-kernel", str(kernel), "-initrd", str(BUILD / INITRD["amd64"]), "-append", words),
        *("-cpu", "Skylake-Client,-hypervisor"),
    )
    try:
        screen = see(guest, "Verdict: ")
        (run,) = records(guest)
    finally:
        guest.close()
    assert "noisy: the rate: no three windows of the PIT agree" in guest.text()
    said = r"The rate of the TSC is not certain: no three windows|The clock counts ticks \(nobody"
    assert re.search(said, guest.text()), guest.text()
    assert "MHz" not in guest.text() + screen
    assert "Minimum and median in cycles; no rate is certain, so none in ns" in screen
    assert re.findall(r"(?m)^ +(?:min +med *){4}$", screen), "no column of ns"
    assert run.run["unit"] == "cycles" and run.run["tsc_hz"] == 0
    assert run.run["clock"]["pit_hz"] == []
    assert any((said["suite"], said["id"]) == ("clock", "rate") for said in run.noisy)
    assert not read_machine(1, run).hertz
