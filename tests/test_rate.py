"""The TSC's rate on a host that stops the machine: certain and right, or said to be in doubt."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from pathlib import Path

import pytest

from tollgate.boot import Boot, BootResult
from tollgate.machine import run_boot

RUNS = 0.015
"""Seconds that the machine runs between two stops."""
STOPS = (0.020, 0.060, 0.120, 0.300)


def emulator_in(directory: Path) -> int | None:
    """The process that has this boot's directory on its command line."""
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            words = (entry / "cmdline").read_bytes() if entry.name.isdigit() else b""
            if words.startswith(b"qemu-system") and str(directory).encode() in words:
                return int(entry.name)
    return None


def stopped(directory: Path, stops: float, over: threading.Event) -> None:
    """Takes the processor away from the machine, again and again, until `over`."""
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


@pytest.mark.long
def test_a_rate_that_is_certain_is_right(tmp_path: Path) -> None:
    """What the TSC's rate is there is the host's: that of a boot that nobody stops."""
    (tmp_path / "usual").mkdir()
    usual = booted(tmp_path / "usual", 0).run["tsc_hz"]
    assert usual
    wrong, certain = [], 0
    for number in range(50):
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
