"""`tollgate show`: a row as its machine executes it, one instruction per line."""

import difflib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tollgate.errors import UsageError
from tollgate.machines.boot import ROOT, Boot
from tollgate.machines.platforms import DEFAULT, default_machines, find
from tollgate.machines.row_path import Kernel, Paths, Step, count, walk
from tollgate.records import budgets, parts
from tollgate.show import here as on_this_machine

LEGEND = (
    "\u2192 a field of struct frame is written, \u2190 is read or passed over, by its place on the "
    "stack; else the register that is written. An instruction without a number faults, and does "
    "not count."
)
NEAREST = 3


def part_of(step: Step) -> str:
    """The part that an instruction belongs to (kernel/core/entry/part/); "" if to none."""
    file = Path(step.file)
    return file.stem.replace("_", "-") if file.parent.name == "part" else ""


def lines(steps: Sequence[Step]) -> list[str]:
    """A path as text: one line per measurement point, and one numbered line per instruction."""
    places = [f"{step.file}:{step.line}" for step in steps]
    text = max(len(step.text) for step in steps)
    touches = max(len(step.touches) for step in steps)
    place = max(map(len, places))
    made: list[str] = []
    number = 0
    part = ""
    for step, at in zip(steps, places, strict=True):
        made += step.points
        if (now := part_of(step)) != part:
            part = now
            made.append(f"{part or 'the path'}:")
        number += step.counted
        shown = number if step.counted else "-"
        line = f"{shown:>4}  {step.text:{text}}  {step.touches:{touches}}  {at:{place}}"
        made.append(f"{line}  {step.macro}".rstrip())
    return [*made, "MP8"]


def _machines(arch: str, cpu: str) -> list[Boot]:
    """The named machine, or the machines of a bench until one has the row."""
    arch = arch or "amd64"
    models = [cpu] if cpu else [c for a, c in default_machines(find(DEFAULT)[0]) if a == arch]
    return [Boot(arch, cpu=model) for model in models]


def find_row(row: str, boots: Sequence[Boot]) -> tuple[Boot, Paths]:
    """The first machine with the row; UsageError has the reason and the existing rows."""
    known: dict[str, None] = {}
    reasons = []
    for boot in boots:
        paths = walk(boot)
        if row in paths.rows:
            return boot, paths
        if row in paths.missing:
            reasons.append(f"{row} is not on {boot.arch} {boot.cpu}: {paths.missing[row]}.")
        known |= dict.fromkeys([*paths.rows, *paths.missing])
    if reasons:
        raise UsageError(f"{' '.join(reasons)} CPU= names another processor.")
    near = difflib.get_close_matches(row, known, n=NEAREST, cutoff=0.5)
    said = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(known)}."
    raise UsageError(f"There is no row {row!r} in the {boots[0].arch} kernel; {said}")


def show(row: str, arch: str, cpu: str, here: bool = False) -> list[str]:
    """The lines of `tollgate show ROW`; `here`: also the path's time on this machine."""
    arch = arch or "amd64"
    if here:
        on_this_machine.check(row, arch)
    words = parts.word_for(row)
    base, _, part = row.partition("+")
    if base in budgets.load("switch", arch) and (steps := Kernel(arch).at_switch(part)):
        said = "at each switch to another thread; a loop's rounds are listed once"
        return [f"{row} on {arch}: {said}", "", *lines(steps)[:-1]]
    boots = [replace(boot, platform=DEFAULT, words=words) for boot in _machines(arch, cpu)]
    boot, paths = find_row(row, boots)
    steps = paths.rows[row]
    title = f"{row} on {boot.arch} {boot.cpu}: {count(steps)} instructions from MP1 to MP8"
    built = boot.kernel_file().stat().st_mtime
    later = sorted({s.file for s in steps if (ROOT / s.file).stat().st_mtime > built})
    stale = [f"{', '.join(later)}: changed since the kernel was built; `make` builds it."]
    timed = ["", *on_this_machine.lines(steps)] if here else []
    return [title, LEGEND, *(stale if later else []), "", *lines(steps), *timed]
