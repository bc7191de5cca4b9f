"""`tollgate gdb` and `tollgate lesson`: QEMU stopped at its first instruction, gdb on the kernel.

The i386 kernel is debugged in qemu-system-i386, because gdb refuses the 64-bit machine that
qemu-system-x86_64 describes; if only that has the feature, gdb32.py translates.
"""

import signal
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

from tollgate.errors import Exit, TollgateError, UsageError
from tollgate.machines import qemu
from tollgate.machines.boot import BUILD, KERNELS, ROOT, SYMBOLS, Boot, built
from tollgate.machines.child import Child, run
from tollgate.machines.cleanup import folder
from tollgate.machines.clock import LOOK, Clock
from tollgate.machines.emulator import resolve
from tollgate.machines.gdb32 import narrowed
from tollgate.machines.plan import LOG, SERIAL, STDERR
from tollgate.machines.platforms import QEMU, emulator, installed, require
from tollgate.teach.lessons import find, together

GDB = ROOT / "tools" / "gdb"
VOCABULARY = ("tollgate.gdb", "tollgate.py")
"""Sourced from tools/gdb, in this order, if they exist."""

START_LIMIT = 10.0
"""Seconds that QEMU may use before it opens its gdb socket."""
LESSON_LIMIT = 300.0
UNWIND_LIMIT = 60.0
"""Seconds that gdb and QEMU may use for a headless lesson."""
SLOW = 60
"""Seconds that gdb waits for an answer: after its own 2 it asks again, and QEMU takes any byte
during a run for a request to stop."""
AGAIN = 75
"""gdb's exit status if a lesson requests a new machine (tools/gdb/lesson.py)."""
NOTEBOOK = "notebook"
"""A lesson's notes for itself on the next machine."""


@dataclass(frozen=True)
class Session:
    """A machine waiting for gdb."""

    boot: Boot
    directory: Path
    pid: int = 0
    """QEMU's process, while it runs."""
    frozen: bool = False
    """After a triple fault the machine is kept; every vector taken is logged."""
    ended: Callable[[float], bool] = lambda seconds: True
    """Whether QEMU has exited, after this many seconds at most."""
    narrow: Path | None = None
    """The socket where gdb sees a 64-bit machine as 32 bits wide, like its kernel (gdb32.py)."""

    @property
    def socket(self) -> Path:
        """QEMU's gdb stub: a Unix socket, private to this session."""
        return self.directory / "gdb.sock"

    @property
    def serial(self) -> Path:
        """The file with the guest's serial output."""
        return self.directory / SERIAL

    def gdb(
        self,
        script: Path | None,
        headless: bool,
        notebook: Path | None = None,
        record: Path | None = None,
    ) -> list[str]:
        """The command line of gdb on this machine."""
        program = installed("gdb")
        symbols = built(KERNELS / SYMBOLS[self.boot.arch])
        command = [program, "-q", "-nx", *(["-batch"] if headless else []), str(symbols)]
        settings = ["confirm off", "pagination off", f"$headless = {int(headless)}"]
        settings += [f"remotetimeout {SLOW}"]
        settings += [f'$trace = "{self.directory / LOG}"'] if self.frozen else []
        settings += [f'$notebook = "{notebook}"'] if notebook else []
        settings += [f'$record = "{record}"'] if record else []
        for setting in settings:
            command += ["-ex", f"set {setting}"]
        command += ["-ex", f"target remote {self.narrow or self.socket}"]
        for name in VOCABULARY:
            if (GDB / name).is_file():
                command += ["-x", str(GDB / name)]
        return [*command, "-x", str(script)] if script else command

    def run(
        self,
        command: Sequence[str],
        limit: float,
        text: str = "",
        stop: threading.Event | None = None,
    ) -> subprocess.CompletedProcess[str]:
        """Run gdb; LimitError if it and the machine could have used `limit` seconds."""
        return run(command, limit, cwd=ROOT, text=text, merge=True, stop=stop, beside=[self.pid])

    def lessons(
        self,
        names: Sequence[str],
        headless: bool,
        notebook: Path | None,
        record: Path | None = None,
    ) -> list[str]:
        """gdb's command line for lessons, one after the other; `record` receives their events."""
        wanted = ", ".join(map(repr, names))
        command = self.gdb(None, headless, notebook, record)
        return [*command, "-ex", f"python import course; course.give({wanted})"]


@contextmanager
def session(
    boot: Boot, as_measured: bool = False, frozen: bool = False, narrow: bool = False
) -> Iterator[Session]:
    """Start QEMU stopped at its first instruction; it ends with the block.

    `as_measured`: in the QEMU program of this machine's bench, even if gdb sees it differently.
    `frozen`: after a triple fault the machine is kept, and the vectors are logged. `narrow`: as
    measured, and gdb sees a machine as wide as the kernel.
    """
    boot, platform = resolve(boot)
    if platform.family != "qemu":
        raise UsageError(f"gdb needs one of QEMU's own platforms, not {platform.name}.")
    measured = emulator(platform, boot.arch, boot.cpu)
    program = require(platform, measured if as_measured or narrow else QEMU[boot.arch])
    with folder() as directory:
        started = Session(boot, directory, frozen=frozen)
        command = [
            program,
            *qemu.machine_arguments(boot, platform, started.directory),
            *qemu.watch_resets(LOG, exceptions=frozen),
            *(["-no-shutdown"] if frozen else []),
            *("-display", "none", "-monitor", "none", "-serial", f"file:{SERIAL}"),
            *("-S", "-gdb", f"unix:{started.socket.name},server=on,wait=off"),
        ]
        with (started.directory / STDERR).open("wb") as errors:
            child = Child(command, cwd=started.directory, stdout=errors, stderr=errors)
        try:
            _wait_for_socket(started, child)
            between = narrowed(started.socket, child.pid) if narrow else nullcontext()
            with between as socket:
                yield replace(started, pid=child.pid, narrow=socket, ended=child.ended)
        finally:
            child.close()


def _wait_for_socket(started: Session, child: Child) -> None:
    clock = Clock(child.pid)
    while not started.socket.exists():
        if child.ended(0.01) or clock.read() > START_LIMIT:
            text = (started.directory / STDERR).read_text("utf-8", "replace")
            raise TollgateError(f"QEMU did not start: {qemu.complaint(text)}.")


def _in_foreground(command: list[str]) -> int:
    """Run gdb on the terminal: Ctrl-C goes to gdb, which stops the guest, not to us."""
    child = Child(command, cwd=ROOT, stdin=None, foreground=True)
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        child.process.wait()
    finally:
        signal.signal(signal.SIGINT, before)
        status = child.close()
    return status


def gdb(boot: Boot, say: Callable[[str], None], wait: bool = False) -> Exit:
    """Open gdb on `boot`, stopped before its first instruction; or `wait` for another gdb.

    A waiting machine is not kept after a triple fault: since QEMU 8 gdb's `kill` is a shutdown as
    well, so a machine that is kept could not be ended.
    """
    with session(boot, frozen=not wait) as started:
        say(f"serial output: {started.serial} (another terminal: tail -f)")
        for word in (word for word in boot.words if word.startswith("align=")):
            say(f"{word}: each entry begins so many bytes behind the address that gdb has for it")
        if wait:
            return _wait(started, say)
        command = started.gdb(None, headless=False)
        return Exit.PASS if _in_foreground(command) == 0 else Exit.ERROR


def unwound(
    boot: Boot, symbols: Sequence[str], rows: Sequence[str], narrow: bool = False
) -> list[str]:
    """What gdb finds that unwinds from each instruction of these rows: a line a row
    (gdb/unwind.py). gdb's commands `symbols` load those of the program that calls the rows."""
    with session(boot, narrow=narrow) as machine:
        command = machine.gdb(None, headless=True)
        for said in (*symbols, f'set $rows = "{" ".join(rows)}"'):
            command += ["-ex", said]
        done = machine.run([*command, "-x", str(GDB / "unwind.py")], UNWIND_LIMIT)
    begins = ("user/", "compat/", "trusted/", "vector/", "site/")
    return [line for line in done.stdout.splitlines() if line.startswith(begins)]


def _wait(started: Session, say: Callable[[str], None]) -> Exit:
    """Wait until the machine has ended; its socket has a fixed name for an editor's settings."""
    link = BUILD / started.boot.arch / "gdb.sock"
    link.unlink(missing_ok=True)
    link.symlink_to(started.socket)
    try:
        say(f"the machine waits for gdb: target remote {link}")
        while not started.ended(LOOK):
            pass
    finally:
        link.unlink(missing_ok=True)
    return Exit.PASS


def lesson(names: Sequence[str], arch: str, cpu: str, say: Callable[[str], None]) -> Exit:
    """Walk through a lesson with a person at the terminal."""
    if len(names) > 1:
        raise UsageError("A person takes one lesson at a time.")
    found = find(names[0])
    boot = found.boot(arch, cpu)
    with folder() as place:
        while True:
            with session(boot, frozen=True, narrow=boot.arch in found.wide) as started:
                command = started.lessons([found.name], False, place / NOTEBOOK)
                status = _in_foreground(command)
            if status != AGAIN:
                return Exit.PASS if status == 0 else Exit.FAIL
            say("a fresh machine")


def headless(names: Sequence[str], arch: str, cpu: str, say: Callable[[str], None]) -> Exit:
    """Run lessons without a person, on one machine; every claim must hold."""
    some = [find(name) for name in names]
    boot = together(some, arch or some[0].kernels[-1], cpu)
    with session(boot, frozen=True, narrow=boot.arch in some[0].wide) as started:
        child = Child(started.lessons(names, True, None), cwd=ROOT)
        clock = Clock(child.pid, started.pid)
        try:
            while not child.ended(LOOK):
                if clock.read() > LESSON_LIMIT:
                    say(f"{', '.join(names)}: no end after {LESSON_LIMIT:g} s")
                    return Exit.HANG
        finally:
            status = child.close()
        return Exit.PASS if status == 0 else Exit.FAIL
