"""The console inside the machine: what a person types, and what comes of it."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tollgate import cpio, qemu
from tollgate.boot import ROOT
from tollgate.outcome import Outcome

ARCHES = ("i386", "amd64")
SCRIPTS = tomllib.loads((ROOT / "tests" / "console.toml").read_text())
BEGIN, END = "--- begin", "--- end"

arches = pytest.mark.parametrize("arch", ARCHES)

Steps = list[tuple[str, str]]
"""A line, and what to type once it has come; the first text is typed before the prompt is there."""


def files(arch: str) -> dict[str, bytes]:
    """The programs of the console, where `make run` has them."""
    folder = ROOT / "build" / arch / "console"
    there = {f"bin/{file.name}": file.read_bytes() for file in folder.iterdir()}
    return {**there, "trusted/yes": there["bin/yes"], "tmp/.here": b""}


class Person:
    """Somebody at one machine, who types at its serial line or at its keyboard."""

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
        for c in text:
            command = {"command-line": f"sendkey {key(c)} 5"}
            qemu.qmp(directory, "human-monitor-command", command)

    def works(
        self,
        arch: str,
        steps: Steps,
        types: Callable[[str, Path], None],
        more: dict[str, bytes] | None = None,
        **options: Any,
    ) -> str:
        """Boot into the shell, and what the machine says, until it says that all is well.

        All steps must have been taken.  `more` are further files.
        """
        left = list(steps)

        def watch(line: str, directory: Path) -> None:
            if left and (line.removeprefix("/ # ") == left[0][0] or line[:1] == "@" > left[0][0]):
                types(left.pop(0)[1], directory)

        result = self._boot(
            arch,
            cmdline="suite=init",
            module=cpio.build({**files(arch), **(more or {})}),
            extra=(
                *("-chardev", f"pipe,id=line,path={self._line},logfile=serial.log"),
                *("-serial", "chardev:line"),
            ),
            timeout=20,
            qmp=True,
            watch=watch,
            **options,
        )
        assert not left, f"never came: {left[0][0]!r}"
        assert result.outcome is Outcome.PASS, result.reason
        assert not result.problems
        return str(result.text)

    def leaves(self) -> None:
        """No more is typed."""
        os.close(self._typed)


@pytest.fixture
def person(boot: Any, tmp_path: Path) -> Iterator[Person]:
    someone = Person(boot, tmp_path)
    yield someone
    someone.leaves()


KEYS = {
    **{" ": "spc", "\n": "ret", "/": "slash", ";": "semicolon", "'": "apostrophe", "-": "minus"},
    **{"=": "equal", ".": "dot", ">": "shift-dot", "$": "shift-4", "?": "shift-slash", "&": "shift-7"},
    **{"\x7f": "backspace", "\x1c": "ctrl-backslash"},
}


def key(c: str) -> str:
    """QEMU's name of the keys that make a character."""
    if c in KEYS:
        return KEYS[c]
    if c < " ":
        return f"ctrl-{chr(ord(c) + 0x60)}"
    return f"shift-{c.lower()}" if c.isupper() else c


@arches
def test_every_script_says_what_it_says_on_linux(person: Person, arch: str) -> None:
    """One boot for all of tests/console.toml: each script in an empty folder, by its own shell."""
    scripts = {name: script for name, script in SCRIPTS.items() if "linux" not in script}
    more = {f"scripts/{name}": s["run"].encode() + b"\n" for name, s in scripts.items()}
    more["all"] = b"".join(
        f"mkdir /tmp/{name}; cd /tmp/{name}; echo '{BEGIN} {name}'\n"
        f"sh /scripts/{name} < /dev/null 2> /dev/null; echo '{END} {name}'\n".encode()
        for name in scripts
    )
    said = person.works(arch, [("", "sh /all\nexit\n")], person.at_the_line, more)
    wrong = {}
    for name, script in scripts.items():
        came = said.partition(f"{BEGIN} {name}\n")[2].partition(f"{END} {name}\n")[0]
        if came != script["output"]:
            wrong[name] = came
    assert not wrong


def front(command: str) -> str:
    """A program that says when it is in front: ^C before that would be for the shell."""
    return f"sh -c 'echo ready; exec {command}'\n"


EVENING: Steps = [
    ("", front("yes > /dev/null")),
    ("ready", "\x03"),
    ("sh: sh: killed by SIGINT", "echo status $?\n"),
    ("status 130", front("/trusted/yes > /dev/null")),
    ("ready", "\x03"),
    ("sh: sh: killed by SIGINT", front("sleep 100")),
    ("ready", "\x1c"),
    ("sh: sh: killed by SIGQUIT", "\x1cecho ignored at the prompt\n"),
    ("ignored at the prompt", "echo not this\x03"),
    ("echo not this^C", "echo but this\n"),
    ("but this", "rubbish\x15ecko\x7f\x7fho erased\n"),
    ("erased", front("cat")),
    ("ready", "typed\n"),
    ("typed", "more\x04\x04A=$?; echo; echo end of file $A\n"),
    ("end of file 0", "sh -c 'sleep 100 & echo $? started; exit 3'\n"),
    ("0 started", "exec nosuch\n"),
    ("sh: nosuch: not found", "exec nosuch > /dev/null\n"),
    ("sh: nosuch: not found", "false\n\x04"),
]


@pytest.mark.parametrize("way", ["at_the_line", "at_the_keyboard"])
@arches
def test_an_evening_at_the_console(person: Person, arch: str, way: str) -> None:
    said = person.works(arch, EVENING, getattr(person, way))
    assert "not this\n" not in said
    assert "more" in said
