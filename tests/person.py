"""A person at a machine's console, who types and waits for lines."""

import contextlib
import os
import re
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tollgate.errors import TollgateError
from tollgate.machines import cpio, qemu
from tollgate.machines.boot import BUILD
from tollgate.machines.clock import Clock
from tollgate.machines.outcome import Outcome

BEGIN, END = "--- begin", "--- end"

LOG = "serial.log"
SEEN_IN = 20.0
"""Seconds that the machine may use."""

Steps = list[tuple[str, str]]
"""A line, and the input to type after it; the first input is typed before the prompt."""


def files(arch: str) -> dict[str, bytes]:
    """The programs of the console, as in `make run`."""
    folder = BUILD / arch / "console"
    there = {f"bin/{file.name}": file.read_bytes() for file in folder.iterdir()}
    return {**there, "trusted/yes": there["bin/yes"], "tmp/.here": b""}


class Person:
    """A person at one machine, who types at its serial line or at its keyboard."""

    def __init__(self, boot: Any, folder: Path) -> None:
        self._boot = boot
        self._line = folder / "line"
        for end in ("in", "out"):
            os.mkfifo(f"{self._line}.{end}")
        self._typed = os.open(f"{self._line}.in", os.O_RDWR)

    def at_the_line(self, text: str, directory: Path) -> None:
        """Type at the serial line."""
        os.write(self._typed, text.encode())

    def at_the_keyboard(self, text: str, directory: Path) -> None:
        """Press the keys of a US keyboard."""
        *first, last = ({"command-line": f"sendkey {key(c)} 5"} for c in EACH.findall(text))
        if first:
            qemu.qmp(directory, "human-monitor-command", *first)
        with contextlib.suppress(TollgateError):  # the machine may end before that answers
            qemu.qmp(directory, "human-monitor-command", last)

    def sees(self, text: str, directory: Path) -> None:
        """Wait until the machine has printed this text, even without a newline."""
        clock = Clock(os.getpid(), family=True)
        while text not in (directory / LOG).read_text("utf-8", "replace"):
            assert clock.read() < SEEN_IN, f"never came: {text!r}"
            time.sleep(0.01)

    def works(
        self,
        arch: str,
        steps: Steps,
        types: Callable[[str, Path], None],
        more: dict[str, bytes] | None = None,
        second: Path | None = None,
        suite: str = "init",
        ends: Outcome = Outcome.PASS,
        extra: Sequence[str] = (),
        **options: Any,
    ) -> str:
        """Boot into the shell; return the machine's output up to the message that it has passed.

        All steps must have been taken.  `more` are further files, `second` is the socket of a
        second serial line.  Another suite than the shell may end differently.
        """
        left = list(steps)

        def watch(line: str, directory: Path) -> None:
            # (Input typed before ^C is echoed before the prompts.)
            said = re.sub("^(/ # )+", "", line)
            if left and (said == left[0][0] or (line[:1] == "@" and not left[0][0])):
                types(left.pop(0)[1], directory)

        result = self._boot(
            arch,
            cmdline=f"suite={suite}",
            module=cpio.build({**files(arch), **(more or {})}),
            extra=(
                *extra,
                *("-chardev", f"pipe,id=line,path={self._line},logfile={LOG}"),
                *("-serial", "chardev:line"),
                *(("-chardev", f"socket,id=second,path={second}") if second else ()),
                *(("-serial", "chardev:second") if second else ()),
            ),
            timeout=180,
            qmp=True,
            watch=watch,
            **options,
        )
        assert not left, f"never came: {left[0][0]!r}"
        assert result.outcome is ends, result.reason
        assert not result.problems
        return str(result.text)

    def tries(
        self,
        arch: str,
        scripts: Mapping[str, str],
        more: dict[str, bytes] | None = None,
        **options: Any,
    ) -> dict[str, str]:
        """The output of each script, and the kernel's messages: one boot for all.

        Each runs in an empty folder of its own, in a separate shell.
        """
        files = {f"scripts/{name}": f"{text}\n".encode() for name, text in scripts.items()}
        files["all"] = "".join(
            f"mkdir /tmp/{name}; cd /tmp/{name}; echo '{BEGIN} {name}'\n"
            f"sh /scripts/{name} < /dev/null 2> /dev/null; echo '{END} {name}'\n"
            for name in scripts
        ).encode()
        steps = [("", "sh /all\nexit\n")]
        said = self.works(arch, steps, self.at_the_line, {**files, **(more or {})}, **options)
        return {
            name: said.partition(f"{BEGIN} {name}\n")[2].partition(f"{END} {name}\n")[0]
            for name in scripts
        }

    def leaves(self) -> None:
        """Stop typing."""
        os.close(self._typed)


KEYS = {
    " ": "spc",
    "\x1b[A": "up",
    "\x1b[B": "down",
    "\x1b[D": "left",
    "\x1b[1~": "home",
    "\x1b[4~": "end",
    "\n": "ret",
    "\x7f": "backspace",
    "\x1c": "ctrl-backslash",
    "/": "slash",
    ";": "semicolon",
    "'": "apostrophe",
    "-": "minus",
    "=": "equal",
    ".": "dot",
    ">": "shift-dot",
    "$": "shift-4",
    "?": "shift-slash",
    "&": "shift-7",
}


EACH = re.compile(r"\x1b\[(?:\d~|.)|.", re.S)
"""The sequence of one key."""


def key(c: str) -> str:
    """QEMU's names for the keys of a character."""
    if c in KEYS:
        return KEYS[c]
    if c < " ":
        return f"ctrl-{chr(ord(c) + 0x60)}"
    return f"shift-{c.lower()}" if c.isupper() else c
