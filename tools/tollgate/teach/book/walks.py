"""Runs every lesson on its machine, without a person, and records each."""

import re
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tollgate.errors import TollgateError
from tollgate.machines.boot import ROOT
from tollgate.machines.debug import LESSON_LIMIT, session
from tollgate.machines.row_path import Kernel
from tollgate.teach.book.walk import Instruction, Source, State, Walk, read
from tollgate.teach.lessons import find, machines, together

AROUND = 2
"""Lines of source before and after an instruction's own."""


def give(
    arch: str, names: Sequence[str], record: Path, stop: threading.Event | None = None
) -> list[Walk]:
    """Run lessons on one machine; TollgateError if one of their claims fails."""
    some = [find(name) for name in names]
    boot = together(some, arch)
    with session(boot, frozen=True, narrow=arch in some[0].wide) as started:
        command = started.lessons(names, True, None, record)
        done = started.run(command, LESSON_LIMIT, stop=stop)
    wrong = re.findall(r"^(?:not ok|Bail out!).*", done.stdout, re.MULTILINE)
    if done.returncode or wrong:
        said = [*wrong, *done.stdout.strip().splitlines()[-1:], "gdb said nothing"][0]
        raise TollgateError(f"A lesson of {', '.join(names)} on {boot.name} does not hold: {said}.")
    with record.open(encoding="utf-8") as lines:
        return read(lines, record.name)


def groups(wanted: Sequence[str]) -> list[tuple[str, list[str]]]:
    """The machines, and the wanted lessons on each; all lessons if none is named."""
    return [
        (arch, kept)
        for arch, names in machines()
        if (kept := [name for name in names if not wanted or name in wanted])
    ]


def with_lines(walks: Sequence[Walk]) -> list[Walk]:
    """Names for addresses; and lines that gdb lacks, as it does not take the gate page for code."""
    kernels = {arch: Kernel(arch) for arch in {walk.arch for walk in walks}}
    return [_with_lines(walk, kernels[walk.arch]) for walk in walks]


def _with_lines(walk: Walk, kernel: Kernel) -> Walk:
    known: dict[int, Source | None] = {}

    def better(state: State) -> State:
        here = state.registers["ip"]
        source = state.source
        if source is None and state.place in ("gate page", "entry stub"):
            if here not in known:
                known[here] = _source(*kernel.origin(here))
            source = known[here]
        return replace(state, source=source, next=kernel.readable(state.next))

    def both(one: Instruction) -> Instruction:
        return replace(one, before=better(one.before), after=better(one.after))

    for step in walk.steps:
        step.start = better(step.start)
        step.end = better(step.end) if step.end else None
        step.instructions = [both(one) for one in step.instructions]
    walk.paths = [[both(one) for one in path] for path in walk.paths]
    return walk


def _source(file: str, line: int) -> Source | None:
    path = ROOT / file
    if not path.is_file():
        return None
    lines = path.read_text(encoding="utf-8").splitlines()
    first = max(line - AROUND, 1)
    return Source(file, line, first, tuple(lines[first - 1 : line + AROUND]))
