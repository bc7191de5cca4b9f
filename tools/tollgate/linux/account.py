"""`tollgate linux --paths`: where the instructions of a call are, on ours and on Linux.

A page has a table for each call, by cause; beside it lies a file for each call and system: how many
instructions each function has, and then all of them, in their order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tollgate.linux import beside, cause, guest, package, walk
from tollgate.linux.walk import Step, Walked

PAGE = "paths.md"
FOLDER = "paths"
CPU = guest.CPUS[0]
Systems = Mapping[str, Sequence[Walked]]
"""The paths of a boot, by whose they are."""


def walk_all(kernels: Sequence[package.Kernel]) -> Systems:
    """Every call on ours, and on each of these kernels, without and with its mitigations."""
    found: dict[str, Sequence[Walked]] = {beside.OURS: walk.walk_ours(CPU)}
    for kernel in kernels:
        minimal = kernel.path.name == "bzImage"
        for system in (guest.MINIMAL,) if minimal else guest.MITIGATIONS:
            one = walk.as_walked(kernel, CPU, system)
            found[system] = walk.walk_linux(one, package.symbols(kernel))
    return {name: found[name] for name in beside.SYSTEMS if name in found}


def bills(systems: Systems) -> dict[str, dict[str, Mapping[str, int]]]:
    """By call and system, how many instructions each cause has."""
    found: dict[str, dict[str, Mapping[str, int]]] = {}
    for system, walked in systems.items():
        for one in walked:
            found.setdefault(one.call.name, {})[system] = cause.bill(one)
    return found


def page(calls: Mapping[str, Mapping[str, Mapping[str, int]]]) -> str:
    """A table for each call: its causes, in the order of their file, by systems."""
    names = (cause.PROGRAM, *dict.fromkeys(name for name, _ in cause.rules()), cause.NONE)
    lines: list[str] = []
    for call, systems in calls.items():
        heads = [name if name == beside.OURS else f"Linux, {name}" for name in systems]
        lines += [f"| {call} | {' | '.join(heads)} |", "|---" * (len(heads) + 1) + "|"]
        lines.append(row("all", [sum(bill.values()) for bill in systems.values()]))
        for name in names:
            counts = [bill.get(name, 0) for bill in systems.values()]
            if any(counts):
                lines.append(row(name, counts))
        lines.append("")
    return "\n".join(lines)


def row(name: str, counts: Sequence[int]) -> str:
    """A line of a table; what is not there stays empty."""
    return f"| {name} | {' | '.join(f'{count:,}' if count else '' for count in counts)} |"


def functions(walked: Walked) -> Counter[str]:
    """How many instructions each function has, the program's own together."""
    counted = Counter(step.function or cause.PROGRAM for step in walked.steps)
    counted[cause.PROGRAM] -= walked.empty
    return counted


def listing(walked: Walked) -> Iterator[str]:
    """A call on one system as a file."""
    yield f"{walked.figure} instructions; the stamps around them are {walked.empty} more\n"
    for name, count in functions(walked).most_common():
        yield f"{count:7} {name}"
    yield ""
    for number, step in enumerate(walked.steps, start=1):
        yield f"{number:7} {step.address:016x}  {step.text:44} {origin(step)}"


def origin(step: Step) -> str:
    """Where an instruction comes from, and why."""
    places = " < ".join(map(str, step.frames))
    return f"[{cause.cause(step)}] {places}"


def write(systems: Systems, place: Path) -> None:
    """The page, and a file for each path."""
    (place / PAGE).write_text(page(bills(systems)))
    (place / FOLDER).mkdir(exist_ok=True)
    for system, walked in systems.items():
        for one in walked:
            name = f"{one.call.name.replace(' ', '-')}.{system}.txt"
            (place / FOLDER / name).write_text("\n".join(listing(one)) + "\n")
