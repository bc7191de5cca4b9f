"""Compares two results files, row by row: medians of the same rows in the same unit.

A machine is compared with itself: architecture, platform and processor are equal.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console

from tollgate.errors import Exit, TollgateError
from tollgate.machines.outcome import moved
from tollgate.printable import plain
from tollgate.records import around, state
from tollgate.records.format import MachineRun, load
from tollgate.records.rules import told
from tollgate.show.table import figure

Machine = tuple[str, str, str]
"""Architecture, platform and processor model."""
Machines = Mapping[Machine, Sequence[MachineRun]]

EXACT = ("instructions",)
"""Units in which every difference counts."""
NOISY_THRESHOLD = 5.0
"""Per cent; a figure in a noisy unit may grow by this much."""


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

    @property
    def word(self) -> str:
        """The change in a word: same, better, within (its threshold) or worse."""
        if self.after == self.before:
            return "same"
        return "worse" if self.regression else "better" if self.after < self.before else "within"

    def __str__(self) -> str:
        name = f"{' '.join(self.machine)}: {self.row}"
        medians = f"{figure(self.before)} -> {figure(self.after)} {self.unit}"
        return f"{name}: {medians} ({self.percent:+.1f} %)"


@dataclass
class Comparison:
    """The comparison of two files; all fields but `changes` are sentences without full stops."""

    changes: list[Change] = field(default_factory=list)
    new: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    differs: list[str] = field(default_factory=list)
    unlike: list[str] = field(default_factory=list)

    @property
    def regressions(self) -> list[Change]:
        """The rows that grew beyond their threshold."""
        return [change for change in self.changes if change.regression]

    @property
    def exit_code(self) -> Exit:
        """FAIL on a regression, a missing row or machine, or an unreadable run.

        UNLIKE if none of these, but the two were not measured alike.
        """
        if self.regressions or self.lost or self.unread:
            return Exit.FAIL
        return Exit.UNLIKE if self.unlike else Exit.PASS

    def counts(self) -> str:
        """The number of rows for each verdict, in one sentence."""
        words = [change.word for change in self.changes]
        found = ", ".join(f"{words.count(w)} {w}" for w in ("same", "better", "within", "worse"))
        return f"{len(words)} rows compared: {found}; {len(self.new)} new, {len(self.lost)} lost."


def machine_of(run: MachineRun) -> Machine:
    """The fields that are equal in two boots of one machine."""
    return run.run["arch"], run.run["platform"], run.run["cpu_model"]


def measured(runs: Sequence[MachineRun]) -> list[dict[str, Any]]:
    """The results of several boots, without the controls."""
    return [result for run in runs for result in run.results if result["suite"] != "control"]


def medians(runs: Sequence[MachineRun]) -> dict[str, float]:
    """The figure of each row, by `suite id`: the median, or the maximum over many conditions; for
    rows measured more than once, the lowest."""
    found: dict[str, float] = {}
    for result in measured(runs):
        row = f"{result['suite']} {result['id']}"
        found[row] = min(found.get(row, around.figure(result)), around.figure(result))
    return found


def outcomes(runs: Sequence[MachineRun]) -> dict[str, str]:
    """The outcome of each boot that does not end with its own verdict, by `suite id`."""
    ends = [run.outcome for run in runs if run.outcome]
    return {f"{end['suite']} {end['id']}": f"{end['ended']}, {end['chain']}" for end in ends}


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
    """Compare `after` with `before`; `threshold` is in per cent, None for each unit's default.

    TollgateError for files without a common machine, unit or suite.
    """
    comparison = Comparison()
    for name, runs in (("before", before), ("after", after)):
        comparison.unread += [f"{run.name} {name}: {told(run)}" for run in runs if told(run)]
        noisy = [run for run in runs if run.noisy]
        comparison.differs += [f"{run.name} {name} is noisy: {moved(run)}" for run in noisy]
    if comparison.unread:
        return comparison
    old, new = _by_machine(before), _by_machine(after)
    _refuse(before, after, old, new)
    comparison.lost += [f"{' '.join(m)}: the machine is gone" for m in old if m not in new]
    comparison.new += [f"{' '.join(m)}: the machine is new" for m in new if m not in old]
    for machine in (m for m in old if m in new):
        comparison.differs += differences(machine, old[machine], new[machine])
        comparison.unlike += differences(machine, old[machine], new[machine], MUST)
        _compare_machine(machine, old[machine], new[machine], threshold, comparison)
        _compare_outcomes(machine, outcomes(old[machine]), outcomes(new[machine]), comparison)
    return comparison


def _refuse(
    before: Sequence[MachineRun], after: Sequence[MachineRun], old: Machines, new: Machines
) -> None:
    """Raise TollgateError for files that cannot be compared at all."""
    for machine in old.keys() & new.keys():
        units = _units(old[machine]) | _units(new[machine])
        if len(units) > 1:
            raise _other_units(" ".join(machine), units)
    if not old.keys() & new.keys():
        raise TollgateError(
            "The two files have no machine in common: "
            f"{_names(old)} against {_names(new)}; nothing can be compared."
        )
    suites = [{result["suite"] for result in measured(runs)} for runs in (before, after)]
    if all(suites) and not suites[0] & suites[1]:
        first, second = (", ".join(sorted(names)) for names in suites)
        raise TollgateError(
            f"The files measure different suites, {first} against {second}; nothing can be "
            "compared."
        )


def _other_units(who: str, units: set[str]) -> TollgateError:
    return TollgateError(
        f"{who} counts {' and '.join(sorted(units))}; figures in different units cannot be "
        "compared."
    )


def _names(machines: Machines) -> str:
    return ", ".join(" ".join(machine) for machine in machines)


KEYS = ("firmware", "hypervisor", "fence", "version")
"""Fields of a run record that are compared before its rows."""
MUST = ("fence", "compiler", "n")
"""The keys that must be equal in two measurements of one thing."""


def traits(runs: Sequence[MachineRun]) -> dict[str, str]:
    """Influences on a figure besides the code: the machine, its tools, and n."""
    run = runs[0].run
    samples = sorted({result["n"] for result in measured(runs)})
    return {
        **{key: str(run[key]) for key in KEYS},
        **{key: str(value) for key, value in run["tools"].items()},
        "n": ", ".join(map(str, samples)),
        **state.traits(runs[0]),
    }


def differences(
    machine: Machine, old: Sequence[MachineRun], new: Sequence[MachineRun], keys: Sequence[str] = ()
) -> list[str]:
    """The differences between two runs, in one sentence; none if they agree.

    `keys` are the traits to compare; none means all.
    """
    before, after = (
        {key: value for key, value in traits(runs).items() if not keys or key in keys}
        for runs in (old, new)
    )
    found = [
        f"{key} {before.get(key) or 'none'} against {after.get(key) or 'none'}"
        for key in before | after
        if before.get(key) != after.get(key)
    ]
    return [f"{' '.join(machine)}: {'; '.join(found)}"] if found else []


def _compare_machine(
    machine: Machine,
    before: Sequence[MachineRun],
    after: Sequence[MachineRun],
    threshold: float | None,
    comparison: Comparison,
) -> None:
    unit = before[0].unit
    limit = threshold if threshold is not None else 0.0 if unit in EXACT else NOISY_THRESHOLD
    old, new = medians(before), medians(after)
    name = " ".join(machine)
    for row, value in old.items():
        if row in new:
            comparison.changes.append(Change(machine, row, value, new[row], unit, limit))
        else:
            comparison.lost.append(f"{name}: {row} is no longer measured")
    comparison.new += [f"{name}: {row}: {figure(new[row])} {unit}" for row in new if row not in old]


def _compare_outcomes(
    machine: Machine, old: Mapping[str, str], new: Mapping[str, str], comparison: Comparison
) -> None:
    for row, end in old.items():
        if row not in new:
            comparison.lost.append(f"{' '.join(machine)}: {row} is no longer tried")
        elif new[row] != end:
            comparison.lost.append(f"{' '.join(machine)}: {row}: {end}; now {new[row]}")


def print_comparison(comparison: Comparison, console: Console) -> None:
    """Print differences, every changed row, everything not comparable, and the verdict."""

    def show(word: str, texts: Sequence[object], style: str | None = None) -> None:
        for text in texts:
            console.print(plain(f"{word}: {text}", longest=2000), style=style, soft_wrap=True)

    show("cannot be read", comparison.unread, "red")
    if comparison.unread:
        return
    show("differs", comparison.differs)
    show("lost", comparison.lost, "red")
    show("new", comparison.new)
    for change in comparison.changes:
        if change.word != "same":
            show(change.word, [change], "red" if change.regression else None)
    console.print(comparison.counts())
    show("not measured alike", comparison.unlike, "red")


def compare_files(before: Path, after: Path, threshold: float | None, console: Console) -> Exit:
    """Compare two results files or folders, and print the changes."""
    files = [load(path) for path in (before, after)]
    for results in files:
        if results.missing:
            text = f"{results.path} is not whole: {', '.join(results.missing)} is missing."
            console.print(plain(text, longest=2000), soft_wrap=True)
    comparison = compare(files[0].runs, files[1].runs, threshold)
    print_comparison(comparison, console)
    return comparison.exit_code
