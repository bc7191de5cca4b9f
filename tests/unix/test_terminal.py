"""The terminal: input from the serial line and from the keyboard, as a program reads it."""

import contextlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tollgate.errors import TollgateError
from tollgate.machines import qemu
from tollgate.machines.outcome import Outcome

from .test_files import program

LINES = b"ab\x03c\rhello\rwrnog\x7f\x7f\x7fong\nall\x15@{one\x08\x08\x08two\rend\x04\x04"
READ = ["c\n", "hello\n", "wrong\n", "@{two\n", "end"]
BYTES = b"x\x03\x04\x7f\rq"


def shown(data: bytes) -> str:
    return f"read {len(data)}:" + "".join(f" {byte:02x}" for byte in data)


def typist(do: dict[str, Callable[[Path], None]]) -> Callable[[str, Path], None]:
    """Actions for the lines by which the guest asks for input."""

    def watch(line: str, directory: Path) -> None:
        if line in do:
            do[line](directory)

    return watch


@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_what_is_typed_at_the_serial_line(boot: Any, tree: Any, arch: str, tmp_path: Path) -> None:
    """Here the line is a pair of pipes, and the harness follows its log."""
    for end in ("in", "out"):
        os.mkfifo(tmp_path / f"line.{end}")
    typed = os.open(tmp_path / "line.in", os.O_RDWR)

    def type_in(data: bytes) -> Callable[[Path], None]:
        def write(directory: Path) -> None:
            os.write(typed, data)

        return write

    serial = f"pipe,id=line,path={tmp_path}/line,logfile=serial.log"
    result = boot(
        arch,
        cmdline="suite=terminal",
        module=tree({"bin/terminal": program(arch, "terminal")}),
        extra=("-chardev", serial, "-serial", "chardev:line"),
        watch=typist({"type lines": type_in(LINES), "type bytes": type_in(BYTES)}),
    )
    os.close(typed)
    assert result.outcome is Outcome.PASS, result.reason
    said = result.text
    for line in READ:
        assert shown(line.encode()) in said, line
    lines = said.partition("type bytes")[2].splitlines()
    got = "".join(line.partition(":")[2] for line in lines if line.startswith("read "))
    assert bytes.fromhex(got) == BYTES.replace(b"\r", b"\n")
    assert said.count("\b \b") == 3 + 3 + 3, "what was rubbed out"
    assert "^C" in said
    assert not result.problems


# The names of QEMU's keys: Hello, a deleted line, and the end of file; then a byte.
KEYS = "shift-h e l l o x backspace ret  ctrl-u shift-1 semicolon slash kp_divide ret  ctrl-d"


@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_what_is_typed_at_the_keyboard(boot: Any, tree: Any, arch: str) -> None:
    def press(keys: str) -> Callable[[Path], None]:
        def send(directory: Path) -> None:
            presses = ({"command-line": f"sendkey {key} 5"} for key in keys.split())
            with contextlib.suppress(TollgateError):  # the last key may end the machine first
                qemu.qmp(directory, "human-monitor-command", *presses)

        return send

    result = boot(
        arch,
        cmdline="suite=terminal",
        module=tree({"bin/terminal": program(arch, "terminal")}),
        qmp=True,
        watch=typist({"type lines": press(KEYS), "type bytes": press("ctrl-c q")}),
    )
    assert result.outcome is Outcome.PASS, result.reason
    assert shown(b"Hello\n") in result.text
    assert shown(b"!;//\n") in result.text
    assert " 03" in result.text.partition("type bytes")[2]
