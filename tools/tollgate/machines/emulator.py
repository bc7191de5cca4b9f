"""One boot, from start to verdict: runs the emulator and reads its serial line."""

import contextlib
import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO

from tollgate.machines import bochs, qemu
from tollgate.machines.boot import Boot, BootResult
from tollgate.machines.child import Child, StoppedError
from tollgate.machines.clock import LOOK, Clock
from tollgate.machines.outcome import Evidence, closing, judge
from tollgate.machines.plan import LOG, SERIAL, STDERR, Plan
from tollgate.machines.platforms import Platform, default_cpu, find
from tollgate.records.format import Record, RecordReader, group

TICK = 0.01
"""Seconds between two reads of the serial file; the emulator's exit is noticed at once."""

LOG_TICK = 0.25
"""Seconds between two reads of the emulator's log."""

CHUNK = 1024 * 1024
"""Bytes read at a time: endless output must not delay the limit."""

MAX_SERIAL = 16 * 1024 * 1024
"""Bytes.  A guest that prints more is in a loop."""

PLANS: dict[str, Callable[[Boot, Platform, Path], Plan]] = {
    "qemu": qemu.plan,
    "kvm": qemu.plan,
    "bochs": bochs.plan,
}

Watch = Callable[[str, Path], None]
"""Called with each line of serial text (no newline) and the run's directory, as it arrives."""


@dataclass
class _Line:
    """The serial line up to now."""

    watch: Watch | None
    directory: Path
    reader: RecordReader = field(default_factory=RecordReader)
    records: list[Record] = field(default_factory=list)
    content: bytearray = field(default_factory=bytearray)
    _told: int = 0

    def feed(self, data: bytes) -> None:
        self.content += data
        self.records += self.reader.feed(data)
        end = self.content.rfind(b"\n") + 1
        if self.watch is not None and end > self._told:
            for line in text_of(self.content[self._told : end]).splitlines():
                self.watch(line, self.directory)
        self._told = max(self._told, end)

    def close(self) -> None:
        self.records += self.reader.close()


@dataclass
class _Display:
    """The terminal that the emulator draws on, if any: its data are read and discarded."""

    plan: Plan
    _terminal: int = -1

    def open(self) -> None:
        """Check whether the emulator has named its terminal."""
        if self._terminal < 0 and (name := self.plan.display(_read(self.plan.directory / STDERR))):
            with contextlib.suppress(OSError):  # it may have disappeared already
                self._terminal = os.open(name, os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK)

    def read(self) -> None:
        """Empty it, to make room for more."""
        with contextlib.suppress(OSError):  # no data, or the emulator has closed it
            while self._terminal >= 0 and os.read(self._terminal, CHUNK):
                pass

    def close(self) -> None:
        """Close the terminal."""
        if self._terminal >= 0:
            os.close(self._terminal)


def text_of(content: bytes | bytearray) -> str:
    """Serial bytes as text: undecodable bytes become U+FFFD, lines end with just a newline."""
    return content.decode("utf-8", "replace").replace("\r\n", "\n")


def resolve(boot: Boot) -> tuple[Boot, Platform]:
    """Fill in the platform's defaults in `boot`: the processor and the limit."""
    platform, model = find(boot.platform)
    cpu = boot.cpu or model or default_cpu(platform, boot.arch)
    limit = boot.limit or platform.limit
    return replace(boot, platform=platform.name, cpu=cpu, limit=limit), platform


@dataclass
class _Follower:
    """Follows a guest until it ends or is stuck; limits are in seconds that it could use."""

    boot: Boot
    plan: Plan
    line: _Line
    display: _Display
    stop: threading.Event
    first_byte: float | None = None
    silence: float = 0.0

    def follow(self, child: Child, stream: IO[bytes]) -> str:
        """Return "" when the guest ended or reset, otherwise why it is stuck."""
        clock = Clock(child.pid)
        heard = 0.0
        started = looked = time.monotonic()
        while True:
            ended = child.ended(TICK)
            data = stream.read(CHUNK)
            self.display.read()
            now = time.monotonic()
            could = clock.read()  # as of its last look, which may be before the byte
            self.silence = max(self.silence, could - heard)
            if data:
                self.first_byte = self.first_byte or now - started
                self.line.feed(data)
                heard = clock.read() + LOOK  # after the watcher, because the guest may wait for it
            if ended and not data:
                return ""
            if self.stop.is_set():
                raise StoppedError
            if now - looked > LOG_TICK:
                looked = now
                self.display.open()
                if self.plan.restarted(_read(self.plan.directory / LOG)):
                    return ""
            if could - heard > self.boot.limit:
                return f"no progress for {self.boot.limit:g} s"
            if could > self.boot.deadline:
                return f"still running after {self.boot.deadline:g} s"
            if os.fstat(stream.fileno()).st_size > MAX_SERIAL:
                return f"more than {MAX_SERIAL // 2**20} MiB on the serial line"


def _read(path: Path) -> str:
    return path.read_text("utf-8", "replace") if path.exists() else ""


def run_boot(
    boot: Boot, directory: Path, watch: Watch | None = None, stop: threading.Event | None = None
) -> BootResult:
    """Boot once in `directory`, used by this boot alone, and return the result.

    TollgateError if the emulator cannot start; StoppedError if `stop` was set.
    """
    boot, platform = resolve(boot)
    plan = PLANS[platform.family](boot, platform, directory)
    return run_plan(boot, plan, watch, stop)


def run_plan(
    boot: Boot, plan: Plan, watch: Watch | None = None, stop: threading.Event | None = None
) -> BootResult:
    """Run a planned boot whose processor and limit are known."""
    serial = plan.directory / SERIAL
    serial.write_bytes(b"")
    (plan.directory / LOG).unlink(missing_ok=True)
    line = _Line(watch, plan.directory)
    display = _Display(plan)
    follower = _Follower(boot, plan, line, display, stop or threading.Event())
    started = time.monotonic()
    with (plan.directory / STDERR).open("wb") as errors:
        own = os.environ | {"TERM": "linux"}  # Bochs opens a terminal, and needs TERM
        child = Child(plan.command, cwd=plan.directory, env=own, stdout=errors, stderr=errors)
        try:
            with serial.open("rb") as stream:
                stuck = follower.follow(child, stream)
        finally:
            status = child.close()
            display.close()
    line.close()
    ending = plan.ending(status, _read(plan.directory / LOG), _read(plan.directory / STDERR))
    runs = group(line.records)
    evidence = Evidence(
        serial_bytes=len(line.content),
        run=runs[-1] if runs else None,
        bad_lines=line.reader.counters.bad,
        triple_fault=ending.triple_fault,
        stuck=stuck,
        asked=None if stuck else ending.asked,
        left=ending.left and not stuck,
        complaint="" if stuck else ending.complaint,
    )
    outcome, reason = judge(evidence)
    if runs and (boot.resets or runs[-1].end is None):
        runs[-1].records.append(closing(runs[-1], outcome, reason, boot.resets, ending.chain))
    return BootResult(
        boot=boot,
        outcome=outcome,
        reason=reason,
        text=text_of(line.content),
        runs=runs,
        records=line.records,
        problems=line.reader.problems,
        status=status,
        seconds=time.monotonic() - started,
        first_byte=follower.first_byte,
        silence=follower.silence,
        directory=plan.directory,
        command=plan.command,
        chain=ending.chain,
    )
