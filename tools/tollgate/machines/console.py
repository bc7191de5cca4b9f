"""`tollgate run`: one kernel in QEMU, with its serial console on the user's terminal."""

import contextlib
import os
import select
import subprocess
import sys
import termios
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO

from tollgate.errors import Exit, UsageError
from tollgate.machines import qemu
from tollgate.machines.boot import Boot
from tollgate.machines.child import Child
from tollgate.machines.cleanup import folder
from tollgate.machines.emulator import resolve
from tollgate.machines.outcome import Evidence, judge
from tollgate.machines.plan import LOG, SERIAL, STDERR
from tollgate.machines.platforms import emulator, require
from tollgate.printable import printable
from tollgate.records.format import RecordReader, group, parse_line

LEFT = b"QEMU: Terminated"
"""QEMU's last message when the person leaves by Ctrl-A X: its status is 0, as after a reset."""

KEYS = "Ctrl-A X leaves, Ctrl-A C changes between the console and QEMU's monitor."
FROZEN = (
    "\r\ntollgate: triple fault; the machine stands still as it was. Ctrl-A C opens the monitor: "
    "`info registers`, `info tlb`, `x/8i $pc`, `xp /16x ADDRESS`, `quit`.\r\n"
)


@dataclass
class Filter:
    """Passes serial bytes to the terminal, except records, which are for programs."""

    out: BinaryIO
    tail: bytes = b""
    _held: bytearray = field(default_factory=bytearray)
    _at_start: bool = True

    def feed(self, data: bytes) -> None:
        """Take the next bytes; a line that begins with `@` waits until it is complete."""
        self.tail = (self.tail + data)[-2 * len(LEFT) :]
        for piece in data.splitlines(keepends=True):
            if self._held or (self._at_start and piece.startswith(b"@")):
                self._held += piece
                if piece.endswith(b"\n"):
                    self._release()
            else:
                self.out.write(piece)
            self._at_start = piece.endswith(b"\n")
        self.out.flush()

    def close(self) -> None:
        """Output a last line without an end."""
        self._release()
        self.out.flush()

    def _release(self) -> None:
        try:
            record = parse_line(bytes(self._held).rstrip(b"\n"))
        except ValueError:
            record = None
        if record is None:
            self.out.write(self._held)
        self._held.clear()


def _command(boot: Boot, directory: Path, freeze: bool) -> list[str]:
    boot, platform = resolve(boot)
    if platform.family == "bochs":
        raise UsageError("`run` gives you a console in QEMU; Bochs has none. Use a QEMU platform.")
    program = require(platform, emulator(platform, boot.arch, boot.cpu))
    command = [
        program,
        *qemu.machine_arguments(boot, platform, directory),
        *qemu.watch_resets(LOG),
        *("-display", "none"),
        *("-chardev", f"stdio,id=console,mux=on,signal=off,logfile={SERIAL}"),
        *("-serial", "chardev:console", "-mon", "chardev=console,mode=readline"),
    ]
    return [*command, "-action", "shutdown=pause"] if freeze else command


def _converse(process: subprocess.Popen[bytes], directory: Path, freeze: bool) -> bool:
    """Pass QEMU's output to the terminal until it exits; return whether the person ended it."""
    assert process.stdout is not None
    filtered = Filter(sys.stdout.buffer)
    descriptor = process.stdout.fileno()
    told = not freeze
    log = directory / LOG
    while True:
        ready, _, _ = select.select([descriptor], [], [], 0.25)
        if ready:
            data = os.read(descriptor, 65536)
            if not data:
                break
            filtered.feed(data)
        elif not told and log.exists() and "Triple fault" in log.read_text("utf-8", "replace"):
            told = True
            filtered.feed(FROZEN.encode())
    filtered.close()
    return LEFT in filtered.tail


@contextlib.contextmanager
def _terminal() -> Iterator[None]:
    """Restore the terminal afterwards: QEMU sets it to raw mode, and may be killed."""
    try:
        before = termios.tcgetattr(sys.stdin)
    except (termios.error, ValueError, OSError):
        yield
        return
    try:
        yield
    finally:
        with contextlib.suppress(termios.error):
            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)


def run(boot: Boot, freeze: bool) -> Exit:
    """Boot in QEMU with the terminal as the serial console; return the exit code of the verdict.

    With `freeze`, a reset stops the machine for inspection instead of ending QEMU.
    """
    boot = replace(boot, labels=True)
    with folder() as directory, _terminal():
        command = _command(boot, directory, freeze)
        print(f"tollgate: {KEYS}", file=sys.stderr)
        with (directory / STDERR).open("wb") as errors:
            child = Child(
                command,
                cwd=directory,
                stdin=None,
                stdout=subprocess.PIPE,
                stderr=errors,
                foreground=True,
            )
            try:
                left = _converse(child.process, directory, freeze)
                child.process.wait()
            finally:
                status = child.close()
        return _verdict(status, directory, left)


def _verdict(status: int, directory: Path, left: bool) -> Exit:
    texts = {
        name: (directory / name).read_bytes() if (directory / name).exists() else b""
        for name in (SERIAL, LOG, STDERR)
    }
    reader = RecordReader()
    records = reader.feed(texts[SERIAL]) + reader.close()
    ending = qemu.ending(status, texts[LOG].decode("utf-8", "replace"), texts[STDERR].decode())
    if left and not ending.triple_fault:
        print("tollgate: you left.", file=sys.stderr)
        return Exit.PASS
    runs = group(records)
    evidence = Evidence(
        serial_bytes=len(texts[SERIAL]),
        run=runs[-1] if runs else None,
        bad_lines=reader.counters.bad,
        triple_fault=ending.triple_fault,
        asked=ending.asked,
        left=ending.left,
        complaint=ending.complaint,
    )
    outcome, reason = judge(evidence)
    print(f"tollgate: {outcome.value}: {printable(reason)}.", file=sys.stderr)
    return outcome.exit_code
