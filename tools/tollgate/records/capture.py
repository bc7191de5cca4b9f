"""`tollgate capture`: reads a machine's records from a serial cable.

The line is set like the kernel's (kernel/core/machine/serial.c): 115200 baud, 8 bits, no parity,
one stop bit, no flow control.  Every byte is saved; noise and resets damage only what they hit.
"""

import errno
import os
import select
import stat
import termios
import tty
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console

from tollgate.bench import make_out
from tollgate.errors import TollgateError
from tollgate.machines.clock import LOOK
from tollgate.machines.plan import SERIAL
from tollgate.machines.progress import Progress
from tollgate.printable import plain
from tollgate.records.format import MachineRun, Record, RecordReader, save
from tollgate.records.results_folder import RECORDS
from tollgate.records.retransmissions import Sendings, is_whole

BYTES = 65536
AGAIN = "then=reset"
"""A word on the command line of a boot that is followed by another."""

ASK = "Not all records have come whole: press x at the machine, and it sends them again."


@dataclass
class Line:
    """The bytes and records received over the cable."""

    reader: RecordReader = field(default_factory=RecordReader)
    sendings: Sendings = field(default_factory=Sendings)
    over: bool = False
    asked: bool = False
    """The machine can send damaged records again: a person must press a key there."""
    _rest: bytes = b""

    def feed(self, data: bytes) -> list[Record]:
        """Take the next bytes; return the records that they complete.  Text after the end belongs
        to no boot of this capture."""
        found: list[Record] = []
        *lines, self._rest = (self._rest + data).split(b"\n")
        for text in [] if self.over else lines:
            found += self.reader.feed(text + b"\n")
            if self.sendings.feed(text):
                self._end_of_sending()
                if self.over:
                    break
        return found

    def _end_of_sending(self) -> None:
        if self.runs and is_whole(self.sendings.boots[-1]):
            self.over = AGAIN not in str(self.runs[-1].run["cmdline"]).split()
            return
        run = self.runs[-1].run if self.runs else {}
        words = str(run.get("cmdline", "")).split()
        then = [word for word in words if word.startswith("then=")]
        self.asked = run.get("platform") == "hardware" and then in ([], ["then=menu"])
        self.over = bool(run) and not self.asked and AGAIN not in words

    def close(self) -> None:
        """The last line may lack its end."""
        if not self.over:
            self.reader.feed(self._rest)
            self.reader.close()
            self.sendings.feed(self._rest)
            self.sendings.close()

    @property
    def runs(self) -> list[MachineRun]:
        """The boots so far; all except the last may be incomplete because of a reset."""
        return self.sendings.runs


def _set(line: int) -> None:
    """Give a line the kernel's settings."""
    tty.setraw(line)
    settings = termios.tcgetattr(line)
    settings[2] &= ~(termios.CSIZE | termios.PARENB | termios.CSTOPB | termios.CRTSCTS)
    settings[2] |= termios.CS8 | termios.CLOCAL | termios.CREAD
    settings[4] = settings[5] = termios.B115200
    termios.tcsetattr(line, termios.TCSANOW, settings)


@contextmanager
def opened(device: Path) -> Iterator[int]:
    """The device with the kernel's settings; they are restored at the end."""
    try:
        line = os.open(device, os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK)
    except OSError as error:
        raise TollgateError(
            f"{device} cannot be opened: {error.strerror}; a USB adapter is /dev/ttyUSB0, a serial "
            "port of the machine /dev/ttyS0, and reading them needs the group dialout."
        ) from None
    try:
        if not stat.S_ISCHR(os.fstat(line).st_mode) or not os.isatty(line):
            raise TollgateError(
                f"{device} is no serial line; `tollgate report` reads a log that is a file."
            )
        before = termios.tcgetattr(line)
        try:
            try:
                _set(line)
            except termios.error as error:
                if error.args[0] != errno.EIO:  # else it has gone: reading it says so
                    raise TollgateError(f"{device} cannot be set: {error.args[1]}.") from None
            yield line
        finally:
            with suppress(termios.error):  # unplugged
                termios.tcsetattr(line, termios.TCSANOW, before)
    finally:
        os.close(line)


def _read(line: int) -> bytes | None:
    """The received bytes; None if the device has disappeared."""
    if not select.select([line], [], [], LOOK)[0]:
        return b""
    try:
        return os.read(line, BYTES) or None
    except BlockingIOError:
        return b""
    except OSError:
        return None


def capture(device: Path, out: str, console: Console) -> Path:
    """Read until a boot's last line, and save everything in the folder `out`, which is returned.

    "" is a new folder in results/.  An interrupt ends it, too, and the data so far are saved.
    TollgateError if there is no such device, or it disappeared before a record.
    """
    came = Line()
    with opened(device) as line:
        folder = make_out(out)
        _listen(line, device, folder, came, console)
    for problem in came.reader.problems:
        console.print(plain(f"damaged on the way: {problem}"), soft_wrap=True)
    if not came.runs:
        raise TollgateError(f"No boot came over {device}; what came is in {folder / SERIAL}.")
    save(came.runs, folder / RECORDS)
    return folder


def _listen(line: int, device: Path, folder: Path, came: Line, console: Console) -> None:
    with (
        (folder / SERIAL).open("wb", buffering=0) as log,
        Progress(console, [str(device)]) as progress,
    ):
        console.print(f"{device}: switch the machine on; ^C ends it and keeps what came.")
        progress.start(0)
        state = "over"
        try:
            while not came.over:
                data = _read(line)
                if data is None:
                    state = "the device has gone"
                    break
                log.write(data)
                came.asked = False
                for record in came.feed(data):
                    progress.advance(0)
                    if record.type == "run":
                        name = came.runs[-1].name
                        console.print(plain(f"a boot has begun: {name}"), soft_wrap=True)
                if came.asked:
                    console.print(ASK, soft_wrap=True)
        except KeyboardInterrupt:
            state = "stopped"
        came.close()
        progress.finish(0, state)
