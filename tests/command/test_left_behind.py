"""However a command ends, it leaves no process, socket or folder behind.

The commands are a person's, on real machines; they end as terminals, shells and time-outs end them.
"""

import fcntl
import os
import pty
import shlex
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tollgate.machines import child
from tollgate.machines.boot import ROOT
from tollgate.machines.clock import Clock
from tollgate.machines.proc import family

pytestmark = pytest.mark.patient
AS_AT_LOGIN = ["/usr/bin/env", "--default-signal"]
"""These tests may run in the background or under nohup, where signals are ignored."""
TOLLGATE = [sys.executable, "-m", "tollgate"]
COMMANDS = {
    "bench": "bench --suite=share --arch=i386 --out=out",
    "sweep": "sweep --suite=share --platform=qemu-icount --arch=amd64 --out=out",
    "run": "run --arch=i386",
    "lesson": "lesson int --headless",
    "book": "book int --out=out",
}
ENDS = {
    "^C": signal.SIGINT,
    "SIGTERM": signal.SIGTERM,
    "SIGHUP": signal.SIGHUP,
    "SIGKILL": signal.SIGKILL,
}
PATIENCE = 60.0
"""Seconds that a command may use until it works or has ended."""

TICK = 0.1
"""Seconds between two checks, each of which reads all of /proc."""

SESSION = """
from tollgate.machines import child, cleanup
with cleanup.folder() as folder:
    child.run(["/bin/sh", "-c", "sleep 999 & (setsid sleep 999 & sleep 999) & wait"], {limit})
"""
"""A program with grandchildren: some in its session, one in another."""


class Started:
    """A command on a terminal of its own, and its processes."""

    def __init__(self, command: list[str], place: Path, ready: Callable[[set[int]], bool]) -> None:
        self.temporary = place / "t"
        self.temporary.mkdir()
        self.there: set[int] = set()
        self.terminal, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.process = subprocess.Popen(
            [*AS_AT_LOGIN, *command],
            cwd=place,
            env=os.environ | {"TMPDIR": str(self.temporary), "PYTHONPATH": str(ROOT / "tools")},
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(theirs)
        os.set_blocking(self.terminal, False)
        clock = Clock(self.process.pid, family=True)
        while not ready(there := family([self.process.pid])):
            assert self.process.poll() is None, self.said()
            assert clock.read() < PATIENCE, self.said()
            time.sleep(TICK)
        self.there = there

    def said(self) -> str:
        """The terminal's new text."""
        try:
            return os.read(self.terminal, 9999).decode("utf-8", "replace")
        except OSError:
            return ""

    def says(self, word: str) -> None:
        """Wait for a word on the terminal."""
        clock = Clock(self.process.pid, family=True)
        said = ""
        while word not in said:
            said += self.said()
            assert clock.read() < PATIENCE, said
            time.sleep(TICK)

    def leaves_nothing(self) -> None:
        """Wait for the end, then for remaining processes."""
        clock = Clock(os.getpid())
        while True:
            self.process.poll()
            living = family(self.there)
            left = list(self.temporary.iterdir())
            if not living and not left:
                return
            assert clock.read() < PATIENCE, (left, [name(pid) for pid in living])
            time.sleep(TICK)

    def hangs_up(self) -> None:
        """Close the terminal."""
        os.close(self.terminal)
        self.terminal = -1

    def close(self) -> None:
        """Clean up anything left."""
        for pid in family(self.there):
            os.kill(pid, signal.SIGKILL)
        self.process.wait()
        if self.terminal >= 0:
            os.close(self.terminal)


def name(pid: int) -> str:
    """The name of a process, "" if it has ended."""
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def an_emulator_runs(pids: set[int]) -> bool:
    return any(name(pid).startswith("qemu-system") for pid in pids)


def all_sleep(pids: set[int]) -> bool:
    return [name(pid) for pid in pids].count("sleep") == 3


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Started]]:
    """A callable that starts a command and waits until it is at work."""
    started: list[Started] = []

    def begin(command: list[str], ready: Callable[[set[int]], bool]) -> Started:
        started.append(Started(command, tmp_path, ready))
        return started[-1]

    yield begin
    for each in started:
        each.close()


@pytest.mark.parametrize(
    ("verb", "end"),
    [
        ("bench", "^C"),
        ("lesson", "SIGKILL"),
        pytest.param("run", "SIGTERM", marks=pytest.mark.long),
        pytest.param("sweep", "SIGHUP", marks=pytest.mark.long),
        pytest.param("book", "^C", marks=pytest.mark.long),
    ],
)
def test_a_signal_leaves_nothing(start: Callable[..., Started], verb: str, end: str) -> None:
    started = start([*TOLLGATE, *COMMANDS[verb].split()], an_emulator_runs)
    os.kill(started.process.pid, ENDS[end])
    started.leaves_nothing()


@pytest.mark.parametrize("verb", ["bench", "run"])
def test_a_closed_terminal_leaves_nothing(start: Callable[..., Started], verb: str) -> None:
    started = start([*TOLLGATE, *COMMANDS[verb].split()], an_emulator_runs)
    started.hangs_up()
    started.leaves_nothing()


@pytest.mark.parametrize("end", ["SIGTERM", "SIGKILL"])
def test_grandchildren_go_too(start: Callable[..., Started], end: str) -> None:
    started = start([sys.executable, "-c", SESSION.format(limit=1000)], all_sleep)
    os.kill(started.process.pid, ENDS[end])
    started.leaves_nothing()


def test_a_time_out_leaves_nothing(start: Callable[..., Started]) -> None:
    started = start([sys.executable, "-c", SESSION.format(limit=2)], all_sleep)
    started.leaves_nothing()
    assert started.process.wait() == 1
    assert "has not ended in 2 s that it could use" in started.said()


BACKGROUND = """
import os, signal, sys
for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
os.setsid()
os.close(0)
os.execv(sys.argv[1], sys.argv[1:])
"""


def test_a_bench_works_in_the_background(tmp_path: Path) -> None:
    """Under nohup, cron or `&`: signals ignored, no terminal, no standard input."""
    machine = "--arch=i386 --platform=qemu-icount --cpu=EPYC"
    words = f"bench --suite=usystime --samples=10 {machine} --out=out".split()
    done = subprocess.run(
        [sys.executable, "-c", BACKGROUND, *TOLLGATE, *words],
        cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT / "tools")},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert (tmp_path / "out" / "results.jsonl").is_file()


def test_a_program_that_seeks_in_its_output_loses_none_of_it() -> None:
    seek = f"{shlex.quote(sys.executable)} -c 'import os; os.lseek(1, 0, 0)'"
    assert child.run(["sh", "-c", f"echo one; {seek}; echo two"], 60).stdout == "one\ntwo\n"
