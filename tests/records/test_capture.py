"""`tollgate capture` on a terminal line, at whose other end a kernel's output is replayed."""

import os
import pty
import random
import re
import signal
import termios
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tollgate.cli import main
from tollgate.records.capture import Line
from tollgate.records.format import load
from tollgate.records.rules import faults

from ..console.test_pages import COUNTED, press, seated

__all__ = ["seated"]
"""A fixture of theirs."""

LOCAL = 3
"""Index in tcgetattr's list: the flags that are cleared on a raw line."""
SHORT = "suite=toll samples=20"


@dataclass
class Cable:
    """A line with two ends: capture reads `device`, which receives the sent data."""

    far: int
    near: int
    device: str

    def send(self, data: bytes, then: Callable[[], None] = lambda: None) -> None:
        """Send everything as soon as somebody listens, then call `then`."""

        def work() -> None:
            while termios.tcgetattr(self.near)[LOCAL] & termios.ICANON:
                time.sleep(0.01)
            for at in range(0, len(data), 700):
                os.write(self.far, data[at : at + 700])
            then()

        threading.Thread(target=work, daemon=True).start()


@pytest.fixture
def cable() -> Iterator[Cable]:
    far, near = pty.openpty()
    yield Cable(far, near, os.ttyname(near))
    os.close(near)
    with suppress(OSError):  # a test has disconnected it
        os.close(far)


@pytest.fixture
def said(boot: Any) -> bytes:
    """A kernel's whole output on its serial line."""
    result = boot("amd64", cmdline=SHORT)
    return bytes(result.text, "utf-8").replace(b"\n", b"\r\n")


def test_what_came_is_what_was_sent(
    cable: Cable, said: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = termios.tcgetattr(cable.near)
    cable.send(said + b"text after the last line is another's\r\n")
    assert main(["capture", cable.device, f"--out={tmp_path}"]) == 0
    assert (tmp_path / "serial.log").read_bytes().startswith(said)
    (run,) = load(tmp_path).runs
    assert not faults(run)
    assert len([r for r in run.results if r["suite"] == "toll"]) > 30
    assert (tmp_path / "report.html").exists()
    out = capsys.readouterr().out
    assert "a boot has begun: amd64 " in out
    assert "user/syscall" in out
    assert termios.tcgetattr(cable.near) == before


def test_noise_costs_what_it_hits_and_a_reset_is_another_boot(
    cable: Cable, said: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    noise = random.Random(1)
    lines = said.split(b"\n")
    hit = next(n for n, line in enumerate(lines) if b'"id":"user/int/nowork"' in line)
    lines[hit] = lines[hit].replace(b'"median":', b'"me\x00ian":')
    rubbish = [noise.randbytes(40).replace(b"\n", b"") for _ in lines]
    noisy = b"\n".join(b for pair in zip(rubbish, lines, strict=True) for b in pair)
    cable.send(said[: len(said) // 2] + b"\x00\xff\r\n" + noisy + b"\n" + said[:5000])
    assert main(["capture", cable.device, f"--out={tmp_path}"]) == 3
    cut, hurt = load(tmp_path).runs
    assert "end" in {fault.rule for fault in faults(cut)}
    assert {fault.rule for fault in faults(hurt)} == {"records"}
    assert len(hurt.results) == said.count(b'"type":"result"') - 1
    out = capsys.readouterr().out
    assert out.count("a boot has begun: ") == 2
    assert "damaged on the way: " in out


@pytest.mark.parametrize("arch", ["i386", pytest.param("amd64", marks=pytest.mark.long)])
def test_x_at_the_machine_sends_the_records_again(seated: Any, arch: str) -> None:
    """If the first transmission was damaged, the second replaces it."""
    guest = seated(arch, "suite=toll samples=10", *COUNTED)
    guest.wait(lambda: "x send records again" in guest.text())
    press(guest, "x")
    guest.wait(lambda: len(re.findall(r"(?m)^tollgate: passed", guest.text())) == 2)
    first, second = re.split(rb"(?<=\ntollgate: passed\r\n)", guest.serial.read_bytes())[:2]
    sent = [line for line in first.splitlines() if line.startswith(b"@{")]
    again = second[second.index(b"@{") :].splitlines()
    assert again == [*sent, b"tollgate: passed"]
    line = Line()
    line.feed(first.replace(b'"id":"user/int/bare"', b'"id":"user/ixt/bare"'))
    assert line.asked
    line.feed(second)
    assert line.over
    (run,) = line.runs
    assert not faults(run)


def test_then_reset_waits_for_the_next_boot(cable: Cable, boot: Any, tmp_path: Path) -> None:
    first = bytes(boot("i386", cmdline=f"{SHORT} then=reset").text, "utf-8")
    second = bytes(boot("amd64", cmdline=SHORT).text, "utf-8")
    cable.send(first + second)
    assert main(["capture", cable.device, f"--out={tmp_path}"]) == 0
    assert [run.run["arch"] for run in load(tmp_path).runs] == ["i386", "amd64"]


@pytest.mark.parametrize("end", ["stopped", "the device has gone"])
def test_what_came_until_then_is_kept(
    cable: Cable, said: bytes, tmp_path: Path, end: str, capsys: pytest.CaptureFixture[str]
) -> None:
    ends = {
        "stopped": lambda: os.kill(os.getpid(), signal.SIGTERM),
        "the device has gone": lambda: os.close(cable.far),
    }
    half = said[: len(said) // 2]

    def stop() -> None:
        log = tmp_path / "serial.log"
        while not log.exists() or log.stat().st_size < len(half):
            time.sleep(0.01)
        ends[end]()

    cable.send(half, stop)
    assert main(["capture", cable.device, f"--out={tmp_path}"]) == 3
    (run,) = load(tmp_path).runs
    assert "end" in {fault.rule for fault in faults(run)}
    assert len(run.results) > 5
    assert end in capsys.readouterr().out


def test_silence_is_said(cable: Cable, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cable.send(b"GRUB\r\n", lambda: os.close(cable.far))
    assert main(["capture", cable.device, f"--out={tmp_path}"]) == 4
    told = f"tollgate: No boot came over {cable.device}; what came is in {tmp_path}/serial.log.\n"
    assert capsys.readouterr().err == told


def test_a_device_that_goes_while_it_is_set_is_silent(
    cable: Cable, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: Any
) -> None:
    def unplug(_line: int) -> None:
        os.close(cable.far)

    monkeypatch.setattr("tollgate.records.capture.tty.setraw", unplug)
    assert main(["capture", cable.device, f"--out={tmp_path}"]) == 4
    assert capsys.readouterr().err.startswith(f"tollgate: No boot came over {cable.device};")


@pytest.mark.parametrize(
    ("device", "told"),
    [
        ("/dev/null", "/dev/null is no serial line; `tollgate report` reads a log"),
        ("/nowhere", "/nowhere cannot be opened: No such file or directory; a USB adapter is"),
    ],
)
def test_what_is_no_serial_line(
    device: str, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert main(["capture", device, f"--out={out}"]) == 4
    assert told in capsys.readouterr().err
    assert not out.exists()
