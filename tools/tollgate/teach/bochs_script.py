"""A lesson as a script for Bochs' own debugger: tools/bochs/NAME.rc, run, and its claims compared.

The debugger reads commands from a file and prints no more than their answers, so a number is
calculated between two commands: what it prints for that parts the answers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from tollgate.errors import Exit, UsageError
from tollgate.machines import bochs
from tollgate.machines.boot import ARCHES, ROOT, Boot
from tollgate.machines.child import LimitError, run
from tollgate.machines.cleanup import folder
from tollgate.machines.emulator import resolve
from tollgate.machines.platforms import default_cpu, find
from tollgate.machines.row_path import Kernel

FOLDER = ROOT / "tools" / "bochs"
WORDS = ("suite=walk", "samples=1")
LIMIT = 120.0
"""Seconds that Bochs may use."""
PART = 0x70110000
"""The first of the numbers between two commands."""
DEBUGGER = "debugger"

Say = Callable[[str], None]


@dataclass
class Command:
    """A command, the story before it, and what Bochs must answer."""

    text: str
    story: list[str] = field(default_factory=list)
    claims: list[str] = field(default_factory=list)


def _lines(text: str, arch: str) -> Iterator[str]:
    """The lines for one kernel."""
    for line in text.splitlines():
        own = re.match(r"#(\w+)([:=]) ?(.*)", line)
        if not own or own[1] not in ARCHES:
            yield line
        elif own[1] == arch:
            yield own[3] if own[2] == ":" else f"#= {own[3]}"


def _with_addresses(line: str, symbols: Mapping[str, int]) -> str:
    def address(found: re.Match[str]) -> str:
        if found[1] not in symbols:
            raise UsageError(f"The kernel has no symbol {found[1]}: {line}")
        return hex(symbols[found[1]] + int(found[2] or 0))

    return re.sub(r"\$(\w+(?:\.MP[1-8])?)(?:\+(\d+))?", address, line)


def commands(text: str, arch: str, symbols: Mapping[str, int]) -> list[Command]:
    """A script for one kernel, with addresses for symbols."""
    found: list[Command] = []
    story: list[str] = []
    for line in _lines(text, arch):
        if line.startswith("#= "):
            found[-1].claims.append(_with_addresses(line[3:], symbols))
        elif line.startswith("#"):
            story.append(line[1:].strip())
        elif line:
            found.append(Command(_with_addresses(line, symbols), story))
            story = []
    return found


def names() -> list[str]:
    """The lessons that Bochs' debugger gives."""
    return sorted(path.stem for path in FOLDER.glob("*.rc"))


def _dialogue(boot: Boot, asked: list[Command]) -> list[str]:
    """The answers of Bochs to each command."""
    boot, platform = resolve(boot)
    with folder() as directory:
        plan = bochs.plan(boot, platform, directory)
        lines = [
            line
            for n, command in enumerate(asked)
            for line in (command.text, f"calc {PART + n:#x}")
        ]
        (directory / DEBUGGER).write_text("\n".join([*lines, "q", ""]), encoding="ascii")
        try:
            said = run(plan.command, LIMIT, cwd=directory).stdout
        except LimitError as error:
            said = error.output
    answers = []
    for n in range(len(asked)):
        before, _, said = said.partition(f"{PART + n:#x} {PART + n}\n")
        answers.append(before)
    return answers


def give(name: str, arch: str, cpu: str, say: Say) -> Exit:
    """The lesson, as TAP: the story and Bochs' answers as comments, and the claims."""
    if name not in names():
        raise UsageError(
            f"The lesson {name} has no script for Bochs; {', '.join(names())} has one. Without "
            "PLATFORM=bochs gdb gives it."
        )
    platform = find("bochs")[0]
    arch = arch or ARCHES[-1]
    boot = Boot(arch, platform=platform.name, words=WORDS)
    boot = replace(boot, cpu=cpu or default_cpu(platform, arch))
    text = (FOLDER / f"{name}.rc").read_text(encoding="ascii")
    asked = commands(text, arch, Kernel(arch).symbols)
    number = failed = 0
    for command, answer in zip(asked, _dialogue(boot, asked), strict=True):
        for line in (*command.story, f"<bochs> {command.text}", *answer.strip().splitlines()):
            say(f"# {line}".rstrip())
        for claim in command.claims:
            number += 1
            failed += claim not in answer
            say(f"{'ok' if claim in answer else 'not ok'} {number} - {command.text}: {claim}")
    say(f"1..{number}")
    return Exit.FAIL if failed else Exit.PASS
