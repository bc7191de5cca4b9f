"""Programs that we start: none of their descendants outlives them, or us.

They start as from a shell: a signal that is ignored here (SIGINT in the background, SIGHUP by
nohup) is reset, because execve would keep it ignored.
"""

import contextlib
import fcntl
import os
import select
import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

from tollgate.errors import TollgateError
from tollgate.machines import cleanup
from tollgate.machines.clock import LOOK, Clock

START = ("/usr/bin/env", "--default-signal", "/usr/bin/setpriv", "--pdeathsig", "KILL")
"""Commands (coreutils, util-linux) that reset signals, and end a program with its parent."""

Command = Sequence[str | Path]


class LimitError(Exception):
    """A program did not end within its time; `output` is its output so far."""

    def __init__(self, command: Command, limit: float, output: str) -> None:
        super().__init__(f"{command[0]} has not ended in {limit:g} s that it could use: {output}")
        self.output = output


class StoppedError(Exception):
    """A program was given up at its caller's request."""


class Child:
    """A running program, in a session of its own; with `foreground` it has our terminal. `keep` are
    descriptors that stay open in it.

    TollgateError if it cannot be started.
    """

    def __init__(
        self,
        command: Command,
        *,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        stdin: int | IO[bytes] | None = subprocess.DEVNULL,
        stdout: int | IO[bytes] | None = None,
        stderr: int | IO[bytes] | None = None,
        foreground: bool = False,
        keep: Sequence[int] = (),
    ) -> None:
        try:
            self.process = subprocess.Popen(
                [*START, *command],
                cwd=cwd,
                env=env,
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                start_new_session=not foreground,
                pass_fds=keep,
            )
        except OSError as error:
            raise TollgateError(f"{command[0]} cannot be started: {error.strerror}.") from None
        self.pid = self.process.pid
        self._guard = cleanup.process(self.pid)
        self._guard.__enter__()
        self._handle = os.pidfd_open(self.pid)

    def ended(self, timeout: float = 0.0) -> bool:
        """Wait up to `timeout` seconds for the end; return whether it has ended."""
        ready, _, _ = select.select([self._handle], [], [], timeout)
        return bool(ready)

    def close(self) -> int:
        """End it and its descendants; return the program's status (negative: a signal)."""
        cleanup.end([self.pid])
        status = self.process.wait()
        self._guard.__exit__(None, None, None)
        os.close(self._handle)
        return status


def run(
    command: Command,
    limit: float,
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    text: str = "",
    merge: bool = False,
    stop: threading.Event | None = None,
    beside: Sequence[int] = (),
) -> subprocess.CompletedProcess[str]:
    """Run a program to its end, with `text` as input; `merge` adds its errors to its output.

    LimitError if it, its descendants and the processes `beside`, for which it waits, could have
    used `limit` seconds; StoppedError if `stop` was set. Then it and its descendants are ended.
    """
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        for stream in (out, errors):  # a program may seek in its output; the data stay
            fcntl.fcntl(stream, fcntl.F_SETFL, os.O_APPEND)
        child = Child(
            command,
            cwd=cwd,
            env=env,
            stdin=subprocess.PIPE,
            stdout=out,
            stderr=out if merge else errors,
        )
        ended = False
        try:
            _type(child.process, text)
            clock = Clock(child.pid, *beside, family=True)
            while not (ended := child.ended(LOOK)) and clock.read() <= limit:
                if stop is not None and stop.is_set():
                    raise StoppedError
        finally:
            status = child.close()
        said = [_text(stream) for stream in (out, errors)]
    if not ended:
        raise LimitError(command, limit, "".join(said)[-2000:])
    return subprocess.CompletedProcess([str(word) for word in command], status, *said)


def _type(process: subprocess.Popen[bytes], text: str) -> None:
    assert process.stdin is not None
    with contextlib.suppress(BrokenPipeError), process.stdin as stream:
        stream.write(text.encode())


def _text(stream: IO[bytes]) -> str:
    stream.seek(0)
    return stream.read().decode("utf-8", "replace")
