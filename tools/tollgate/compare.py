"""Compares two results files, row by row: the same machine, the same unit, the median."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from tollgate.errors import Exit, TollgateError
from tollgate.printable import plain
from tollgate.records import MachineRun, load
from tollgate.rules import told
from tollgate.table import figure

Machine = tuple[str, str, str]
"""Architecture, platform and processor model."""

EXACT = ("instructions",)
"""Units in which every difference is one."""
NOISY_THRESHOLD = 5.0
"""Per cent; what a figure in a noisy unit may grow before it counts."""


@dataclass(frozen=True)
class Change:
    """One row in both files; medians in `unit`."""

    machine: Machine
    row: str
    before: float
    after: float
    unit: str
    threshold: float

    @property
    def percent(self) -> float:
        """Growth in per cent; from 0 to anything counts as infinite."""
        if not self.before:
            return float("inf") if self.after else 0.0
        return 100.0 * (self.after - self.before) / self.before

    @property
    def regression(self) -> bool:
        """Whether the row grew by more than its threshold."""
        return self.after > self.before and self.percent > self.threshold

    def __str__(self) -> str:
        name = f"{' '.join(self.machine)}: {self.row}"
        medians = f"{figure(self.before)} -> {figure(self.after)} {self.unit}"
        return f"{name}: {medians} ({self.percent:+.1f} %)"


@dataclass
class Comparison:
    """What two files say about each other; `lost` and `unread` are sentences without full stops."""

    changes: list[Change]
    lost: list[str]
    unread: list[str]

    @property
    def regressions(self) -> list[Change]:
        """The rows that grew beyond their threshold."""
        return [change for change in self.changes if change.regression]

    @property
    def exit_code(self) -> Exit:
        """FAIL on a regression, a row or machine that is gone, or a run that cannot be read."""
        return Exit.FAIL if self.regressions or self.lost or self.unread else Exit.PASS


def machine_of(run: MachineRun) -> Machine:
    """What must be equal for two runs to be comparable (besides the unit)."""
    return run.run["arch"], run.run["platform"], run.run["cpu_model"]


def medians(runs: Sequence[MachineRun]) -> dict[str, float]:
    """The median of each row, by `suite id`; of rows measured more than once, the lowest."""
    found: dict[str, float] = {}
    for run in runs:
        for result in run.results:
            if result["suite"] == "control":
                continue
            row = f"{result['suite']} {result['id']}"
            found[row] = min(found.get(row, result["median"]), result["median"])
    return found


def _by_machine(runs: Sequence[MachineRun]) -> dict[Machine, list[MachineRun]]:
    machines: dict[Machine, list[MachineRun]] = {}
    for run in runs:
        machines.setdefault(machine_of(run), []).append(run)
    return machines


def _units(runs: Sequence[MachineRun]) -> set[str]:
    return {run.unit for run in runs}


def compare(
    before: Sequence[MachineRun], after: Sequence[MachineRun], threshold: float | None = None
) -> Comparison:
    """Compare `after` with `before`; `threshold` is in per cent, None for the default of each unit.

    TollgateError when no machine stands in both.
    """
    comparison = Comparison([], [], [])
    for name, runs in (("before", before), ("after", after)):
        comparison.unread += [f"{run.name} {name}: {told(run)}" for run in runs if told(run)]
    old, new = _by_machine(before), _by_machine(after)
    if comparison.unread:
        return comparison
    shared = [machine for machine in old if machine in new]
    if not shared:
        raise TollgateError(
            "The two files have no machine in common: "
            f"{_names(old)} against {_names(new)}; nothing can be compared."
        )
    comparison.lost += [f"{' '.join(m)}: the machine is gone" for m in old if m not in new]
    for machine in shared:
        _compare_machine(machine, old[machine], new[machine], threshold, comparison)
    return comparison


def _names(machines: Mapping[Machine, Any]) -> str:
    return ", ".join(" ".join(machine) for machine in machines)


def _compare_machine(
    machine: Machine,
    before: Sequence[MachineRun],
    after: Sequence[MachineRun],
    threshold: float | None,
    comparison: Comparison,
) -> None:
    units = _units(before) | _units(after)
    if len(units) > 1:
        raise TollgateError(
            f"{' '.join(machine)} counts {' and '.join(sorted(units))}; "
            "figures in different units cannot be compared."
        )
    unit = units.pop()
    limit = threshold if threshold is not None else 0.0 if unit in EXACT else NOISY_THRESHOLD
    old, new = medians(before), medians(after)
    for row, value in old.items():
        if row in new:
            comparison.changes.append(Change(machine, row, value, new[row], unit, limit))
        else:
            comparison.lost.append(f"{' '.join(machine)}: {row} is no longer measured")


def print_comparison(comparison: Comparison, console: Console) -> None:
    """Print every row that moved, everything that could not be compared, and the verdict."""
    for text in comparison.unread:
        console.print(plain(f"cannot be read: {text}"), style="red")
    for text in comparison.lost:
        console.print(plain(f"lost: {text}"), style="red")
    for change in comparison.changes:
        if change.after == change.before:
            continue
        word = "worse" if change.regression else "better" if change.percent < 0 else "within"
        console.print(plain(f"{word}: {change}"), style="red" if change.regression else None)
    same = sum(change.after == change.before for change in comparison.changes)
    console.print(
        f"{len(comparison.changes)} rows compared, {same} the same, "
        f"{len(comparison.regressions)} worse, {len(comparison.lost)} lost."
    )


def compare_files(first: Path, second: Path, threshold: float | None, console: Console) -> Exit:
    """Compare two results files or folders and print what moved."""
    comparison = compare(load(first).runs, load(second).runs, threshold)
    print_comparison(comparison, console)
    return comparison.exit_code
