"""Linux and ours in one table: what each call costs on both, in instructions of one emulator.

A row is a program's width and its operation. Each processor has columns for these systems: ours; a
minimal Linux, if it was built; Linux with mitigations=off; and Linux with the mitigations that it
chose for that processor, as its boot says.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console

from tollgate.linux.record import PLATFORM
from tollgate.printable import plain
from tollgate.records.format import MachineRun
from tollgate.show.table import figure, new_table

OURS = "Tollgate"
SYSTEMS = (OURS, "minimal", "off", "default")
"""The columns of a processor; all but the first are Linux's."""
NAMES = {"off": "mitigations=off", "default": "chosen"}
"""Column names that differ from those in the records."""
DONE = "Mitigation: "
"""The prefix of a flaw's state when a mitigation is in force."""
HEADING = (
    "instructions, the least of {samples} samples at most, and behind a dash the median where it "
    "is another"
)
TOLL = re.compile(r"(\w+)/(\w+)/standard")
"""A row of the toll: getpid by a mechanism."""
GATES = {"int": "int80"}
"""The mechanisms that have another name in Linux's programs."""


@dataclass(frozen=True)
class Figure:
    """The least and the median of a row."""

    least: float
    median: float

    def __str__(self) -> str:
        least, median = figure(self.least), figure(self.median)
        return least if least == median else f"{least}-{median}"


Row = tuple[str, str]
"""A program's width on a kernel, such as `amd64 compat`, and its operation."""
Column = tuple[str, str]
"""A processor, and a system."""


def column(run: MachineRun) -> Column:
    """The column of a boot."""
    cpu = str(run.run["cpu_model"]).partition(",")[0]
    return cpu, run.run["mitigations"]["all"] if run.run["platform"] == PLATFORM else OURS


def rows_of(run: MachineRun) -> Iterator[tuple[Row, Figure]]:
    """Every row of a boot; of the toll only rows that a Linux program could measure, as getpid."""
    late: list[dict[str, Any]] = []
    for result in run.results:
        if result["suite"] == "toll":
            late.append(result)
            continue
        origin, _, what = result["id"].partition("/")
        yield (f"{run.run['arch']} {origin}", what), Figure(result["min"], result["median"])
    for result in late:
        if match := TOLL.fullmatch(result["id"]):
            what = f"getpid/{GATES.get(match[2], match[2])}"
            yield (f"{run.run['arch']} {match[1]}", what), Figure(result["min"], result["median"])


def cells(runs: Sequence[MachineRun]) -> dict[Row, dict[Column, Figure]]:
    """Every row that Linux has, in the order of its records, with the figures of each column.

    If two suites measure the same, the first counts.
    """
    found: dict[Row, dict[Column, Figure]] = {}
    for run in sorted(runs, key=lambda run: run.run["platform"] != PLATFORM):
        theirs = run.run["platform"] == PLATFORM
        for row, value in rows_of(run):
            if theirs or row in found:
                found.setdefault(row, {}).setdefault(column(run), value)
    return found


def columns(runs: Sequence[MachineRun]) -> list[Column]:
    """The processors' systems, in Linux's order of processors."""
    there = {column(run) for run in runs}
    cpus = dict.fromkeys(cpu for cpu, system in map(column, runs) if system != OURS)
    return [(cpu, name) for cpu in cpus for name in SYSTEMS if (cpu, name) in there]


def title(column: Column) -> str:
    """The heading of a column."""
    cpu, name = column
    return f"{cpu} {OURS}" if name == OURS else f"{cpu} Linux, {NAMES.get(name, name)}"


def mitigations(run: MachineRun) -> dict[str, str]:
    """The active mitigations, by flaw, as the boot reports them."""
    said = run.run["mitigations"].items()
    return {flaw: text.removeprefix(DONE) for flaw, text in sorted(said) if text.startswith(DONE)}


def chosen(runs: Sequence[MachineRun]) -> str:
    """The mitigations in force, in a sentence for each column that has any."""
    told = {
        f"{title(column(run))}: {'; '.join(f'{f} ({text})' for f, text in done.items())}."
        for run in runs
        if run.run["platform"] == PLATFORM and (done := mitigations(run))
    }
    return " ".join(sorted(told))


def kernels(runs: Sequence[MachineRun]) -> str:
    """The versions of Linux that were measured."""
    theirs = (run.run for run in runs if run.run["platform"] == PLATFORM)
    return "; ".join(dict.fromkeys(f"{run['arch']}: {run['kernel']}" for run in theirs))


def samples(runs: Sequence[MachineRun]) -> int:
    """The most samples of a row."""
    return max((result["n"] for run in runs for result in run.results), default=0)


def widths(found: Mapping[Row, object]) -> dict[str, list[Row]]:
    """The rows, grouped by program's width."""
    groups: dict[str, list[Row]] = {}
    for row in found:
        groups.setdefault(row[0], []).append(row)
    return groups


def show(runs: Sequence[MachineRun], console: Console) -> None:
    """The table on a terminal."""
    found, heads = cells(runs), columns(runs)
    console.print("Beside Linux", style="bold")
    console.print(plain(said_of(runs)), soft_wrap=True)
    table = new_table(["", *map(title, heads)], 1, narrow=True)
    for width, rows in widths(found).items():
        table.add_row(plain(width), style="bold")
        for row in rows:
            table.add_row(plain(row[1]), *(str(found[row].get(head, "")) for head in heads))
    console.print(table)


def said_of(runs: Sequence[MachineRun]) -> str:
    """The lines above the tables."""
    told = f"Kernels: {kernels(runs)}. In {HEADING.format(samples=samples(runs))}."
    return f"{told}\n\nMitigations that were in force: {words}" if (words := chosen(runs)) else told


def page(
    heading: str, found: Mapping[Row, Mapping[Column, Figure]], heads: Sequence[Column]
) -> str:
    """The same for a page."""
    lines = [heading, ""]
    for width, rows in widths(found).items():
        lines += [f"| {width} | {' | '.join(map(title, heads))} |", "|---" * (len(heads) + 1) + "|"]
        for row in rows:
            figures = " | ".join(str(found[row].get(head, "")) for head in heads)
            lines.append(f"| `{row[1]}` | {figures} |")
        lines.append("")
    return "\n".join(lines)


def markdown(runs: Sequence[MachineRun]) -> str:
    """The page of a run."""
    return page(said_of(runs), cells(runs), columns(runs))
