"""Guests that end abnormally: each gets the right name, and never status 0.

The guests are the files in tests/guests: real machine code, booted like a kernel.  The verdicts are
those of `tollgate` as run by a person, with a shorter limit.
"""

import math
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tollgate import bench
from tollgate.cli import main
from tollgate.errors import Exit
from tollgate.machines import boot as boots
from tollgate.machines import platforms
from tollgate.machines.slowness import slowness
from tollgate.records.format import encode

GUESTS = Path(__file__).parents[1] / "guests"
LIMITS = {"qemu-icount": 0.5, "bochs": 5.0}
"""Seconds without output, on a host at full speed: including Bochs' firmware and GRUB."""

RUN: dict[str, Any] = {
    "v": 1,
    "type": "run",
    "arch": "i386",
    "platform": "qemu-icount",
    "cpu_model": "EPYC",
    "unit": "instructions",
    "deterministic": True,
    "firmware": "multiboot1",
    "cpu": {"vendor": "", "brand": "", "family": 6, "model": 1, "stepping": 0},
    "hypervisor": "",
    "cmdline": "",
    "fence": "none",
    "version": "0",
    "tools": {"emulator": "", "compiler": "", "nasm": ""},
    "tsc_hz": 0,
    "readable": True,
}
CHECK = encode({"v": 1, "type": "check", "name": "heap", "ok": True, "detail": ""})


SAID = encode(RUN) + CHECK + encode({"v": 1, "type": "end", "records": 2, "failed": 0})
"""The serial output of a boot that passed."""


@pytest.fixture(scope="session")
def limits() -> dict[str, float]:
    """LIMITS, adjusted to this processor."""
    slow = slowness(processor=True)
    return {platform: math.ceil(10 * limit * slow) / 10 for platform, limit in LIMITS.items()}


@pytest.fixture
def verdict(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    limits: dict[str, float],
) -> Callable[..., tuple[int, str]]:
    """A callable that builds a guest, runs `tollgate` on it and returns (status, text)."""

    def run(
        guest: str, content: bytes = b"", platform: str = "qemu-icount", verb: str = "bench"
    ) -> Any:
        (tmp_path / "said").write_bytes(content)
        binary = tmp_path / "guest"
        source = GUESTS / f"{guest}.asm"
        command = ["nasm", f"-I{GUESTS}/", f"-I{tmp_path}/", str(source), "-o", str(binary)]
        subprocess.run(command, check=True)
        for table in (boots.KERNEL, boots.SYMBOLS):
            monkeypatch.setitem(table, "i386", str(binary))
        quick = replace(platforms.PLATFORMS[platform], limit=limits[platform])
        monkeypatch.setitem(platforms.PLATFORMS, platform, quick)
        monkeypatch.setattr(bench, "write_html", lambda *_: None)  # slow, and not tested here
        out = ["--out", str(tmp_path / "out")] if verb == "bench" else []
        status = main([verb, "--platform", platform, "--arch", "i386", *out])
        captured = capfd.readouterr()
        text = captured.out + captured.err
        return status, text.replace(f" for {limits[platform]:g} s", " for its limit")

    return run


RESET = (Exit.RESET, "reset: the guest reset by a triple fault")
LEFT = (Exit.RESET, "reset: the guest reset or powered off instead of giving its verdict")
NO_END = (Exit.FAIL, "fail: the kernel left without its end record")

QEMU = {
    "triple_fault": RESET,
    "triple_fault_silent": RESET,
    "spin": (Exit.HANG, "hang: no progress for its limit"),
    "halt": (Exit.HANG, "hang: no progress for its limit"),
    "silent": (
        Exit.SILENT,
        "silent: nothing arrived on the serial line; no progress for its limit",
    ),
    "silent_pass": (Exit.SILENT, "silent: the guest left without a word on the serial line"),
    "panic": (Exit.PANIC, "panic: the kernel panicked or refused to boot"),
    "no_end": NO_END,
    "reset": LEFT,
}


@pytest.mark.parametrize("guest", QEMU)
def test_qemu(verdict: Any, guest: str) -> None:
    status, text = verdict(guest)
    assert (status, f"(qemu-icount): {QEMU[guest][1]}" in text) == (QEMU[guest][0], True), text


BOCHS = {
    "triple_fault": RESET,
    "spin": (Exit.HANG, "hang: no progress for its limit"),
    "reset": LEFT,
    "panic": (Exit.PANIC, "panic: the kernel shut down without its end record"),
}


@pytest.mark.long
@pytest.mark.parametrize("guest", BOCHS)
def test_bochs(verdict: Any, guest: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It also works without a terminal, such as in a container."""
    monkeypatch.delenv("TERM", raising=False)
    status, text = verdict(guest, platform="bochs")
    assert (status, f"(bochs): {BOCHS[guest][1]}" in text) == (BOCHS[guest][0], True), text


@pytest.mark.parametrize("guest", ["power_off", "triple_fault_late"])
def test_good_records_excuse_no_crash(verdict: Any, guest: str) -> None:
    """Every check passed and the end record is there: still the machine went down."""
    status, text = verdict(guest, SAID)
    wanted = LEFT if guest == "power_off" else RESET
    assert (status, wanted[1] in text) == (wanted[0], True), text


def test_run_gives_the_same_verdict(verdict: Any) -> None:
    """`tollgate run`: the console is on the terminal, followed by the verdict."""
    status, text = verdict("triple_fault", verb="run")
    assert "a small guest was here" in text
    assert (status, f"tollgate: {RESET[1]}" in text) == (RESET[0], True), text
