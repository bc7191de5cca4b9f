"""The process that cleans up when we cannot, because a signal such as SIGKILL ended us.

It holds the other end of a pipe, and is told which programs run and which temporary folders exist.
When the pipe closes before they are reported gone, it ends and removes them. It ignores signals
from the terminal.
"""

import atexit
import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tollgate.machines.proc import family

LAST = 5.0
"""Seconds that killed processes get to disappear."""
PROCESS, FOLDER = "process", "folder"

_lock = threading.Lock()
_pipe: int | None = None
_owner = 0


def end(pids: Iterable[int]) -> None:
    """Kill these processes, their descendants and their sessions, and wait until they are gone."""
    seen = set(pids)
    limit = time.monotonic() + LAST
    while living := family(seen):
        seen |= living
        for pid in living:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        if time.monotonic() > limit:
            break
        time.sleep(0.001)


def _tell(sign: str, kind: str, name: str) -> None:
    with _lock, contextlib.suppress(OSError):
        os.write(_start(), f"{sign} {kind} {name}\0".encode())


def _start() -> int:
    """The pipe to our warden, started at the first use; a forked child has its own."""
    global _pipe, _owner
    if _pipe is None or _owner != os.getpid():
        ours, theirs = os.pipe()
        warden = subprocess.Popen(
            [sys.executable, "-I", "-S", __file__],
            stdin=ours,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            start_new_session=True,
        )
        os.close(ours)
        _pipe, _owner = theirs, os.getpid()
        atexit.register(_leave, warden, theirs)
    return _pipe


def _leave(warden: subprocess.Popen[bytes], pipe: int) -> None:
    if _owner == os.getpid():
        os.close(pipe)
        warden.wait()


@contextlib.contextmanager
def process(pid: int) -> Iterator[None]:
    """While the block runs, the process and its descendants end with us at the latest."""
    _tell("+", PROCESS, str(pid))
    try:
        yield
    finally:
        _tell("-", PROCESS, str(pid))


@contextlib.contextmanager
def folder(prefix: str = "tollgate-") -> Iterator[Path]:
    """A temporary folder that is removed after the block, or with us."""
    with tempfile.TemporaryDirectory(prefix=prefix, ignore_cleanup_errors=True) as name:
        _tell("+", FOLDER, name)
        try:
            yield Path(name)
        finally:
            _tell("-", FOLDER, name)


def main() -> None:
    """Act as the warden of the process at the other end of standard input."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_IGN)
    there: set[tuple[str, str]] = set()
    words = b""
    while data := os.read(0, 65536):
        *whole, words = (words + data).split(b"\0")
        for word in whole:
            sign, kind, name = word.decode().split(" ", 2)
            (there.add if sign == "+" else there.discard)((kind, name))
    end(int(name) for kind, name in there if kind == PROCESS)
    for kind, name in there:
        if kind == FOLDER:
            shutil.rmtree(name, ignore_errors=True)


if __name__ == "__main__":
    main()
