"""The published figures of reference.csv, and those of the processor nearest to a given one.

A range such as 40-75 keeps both ends.
"""

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tollgate.printable import shown
from tollgate.records.format import MachineRun

PATH = Path(__file__).parent / "reference.csv"
DAGGER = "\u2020"


@dataclass(frozen=True)
class Published:
    """A row of reference.csv; `low` and `high` in `unit`, None if only words were published."""

    source: str
    year: str
    cpu: str
    operation: str
    low: float | None
    high: float | None
    unit: str
    conditions: str
    inferred: bool

    @property
    def value(self) -> str:
        """The figure as printed, with its dagger."""
        ends = shown(self.low)
        if self.high != self.low:
            ends += f"\u2013{shown(self.high)}"
        return ends + (DAGGER if self.inferred else "")


def load(path: Path = PATH) -> list[Published]:
    """The rows of reference.csv in order; raises ValueError for a value that is not a number."""
    with path.open(encoding="utf-8", newline="") as file:
        return [read(row) for row in csv.DictReader(file)]


def read(row: dict[str, str]) -> Published:
    """One row; its value is empty, a number, or two numbers separated by a dash."""
    ends = [float(end) for end in row["value"].split("-")] if row["value"] else []
    return Published(
        source=row["source"],
        year=row["year"],
        cpu=row["cpu"],
        operation=row["operation"],
        low=ends[0] if ends else None,
        high=ends[-1] if ends else None,
        unit=row["unit"],
        conditions=row["conditions"],
        inferred=row["inferred"] == "yes",
    )


INTEL, AMD = "GenuineIntel", "AuthenticAMD"
GENERATIONS: Sequence[tuple[str, int, frozenset[int], tuple[str, ...]]] = (
    (INTEL, 5, frozenset(), ("Pentium 166", "Pentium")),
    (INTEL, 15, frozenset({0, 1, 2}), ("Northwood", "Pentium 4 1400", "P4-era")),
    (INTEL, 15, frozenset(), ("Prescott", "Pentium 4 660", "Celeron D 341")),
    (INTEL, 6, frozenset(range(1, 12)), ("Pentium II", "PII")),
    (INTEL, 6, frozenset({0x0F, 0x16, 0x17, 0x1D}), ("Core 2",)),
    (INTEL, 6, frozenset({0x1A, 0x1E, 0x1F, 0x2E, 0x25, 0x2C, 0x2F}), ("i7-920",)),
    (
        *(INTEL, 6, frozenset({0x2A, 0x2D, 0x3A, 0x3E, 0x3C, 0x3F, 0x45, 0x46})),
        ("Haswell", "i7-4790K", "i5-4670K"),
    ),
    (INTEL, 6, frozenset({0x3D, 0x47, 0x4F, 0x56}), ("E5-2650v4", "i5-5675C")),
    (INTEL, 6, frozenset(), ("Skylake", "i5-7200U", "i7-9700")),
    (AMD, 6, frozenset(), ("Athlon",)),
    (AMD, 15, frozenset(), ("Opteron", "Athlon")),
    (AMD, 21, frozenset(), ("A10-7850K",)),
    (AMD, 23, frozenset(), ("Ryzen", "Threadripper")),
    (AMD, 25, frozenset(), ("Ryzen",)),
    (AMD, 26, frozenset(), ("Ryzen",)),
)
"""Vendor, family, models (none: all others), and words of the published processors of the same
generation, or of the nearest published one."""

OPERATIONS = (
    (r"^int( gate)?\+iret", ("user/int/bare",)),
    (r"^sysenter\+sysexit", ("user/sysenter/bare",)),
    (r"^syscall\+sysret", ("user/syscall/bare",)),
    (r"^call gate\+retf", ("user/callgate/bare",)),
    (
        r"^(linux )?(noop|invalid) syscall|^(getpid|getuid|mode switch|non-existent)",
        ("user/syscall/standard", "user/sysenter/standard", "user/int/standard"),
    ),
    (r"^rdtsc( pair)?$", ("user/usystime/rdtsc",)),
)
"""A published operation, and our rows; the first one present is compared with it."""


def near(cpu: dict[str, Any], rows: Sequence[Published]) -> list[Published]:
    """Figures of the same model, by the brand; otherwise of its generation; otherwise none."""
    models = [
        word for word in str(cpu["brand"]).split() if re.fullmatch(r"[A-Za-z0-9-]*\d{3}\w*", word)
    ]
    same = [row for row in rows if any(model in row.cpu.split() for model in models)]
    if same:
        return same
    for vendor, family, numbers, words in GENERATIONS:
        same_family = (cpu["vendor"], cpu["family"]) == (vendor, family)
        if same_family and (not numbers or cpu["model"] in numbers):
            return [row for row in rows if any(word in row.cpu for word in words)]
    return []


@dataclass(frozen=True)
class Beside:
    """A row of a run, and a comparable published figure in the same unit."""

    id: str
    median: float
    core: float | None
    """The median in core cycles, if these were counted."""
    published: Published


def core_cycles(result: dict[str, Any]) -> float | None:
    """The median of a row in core cycles; None if these were not counted."""
    core, reference = result.get("core", 0), result.get("reference", 0)
    return float(result["median"]) * core / reference if core and reference else None


def beside(run: MachineRun) -> Iterator[Beside]:
    """Published figures of the processor nearest to a run's, for rows in the run."""
    if run.unit != "cycles":
        return
    results = {result["id"]: result for result in run.results}
    rows = [row for row in load() if row.unit == run.unit and row.low is not None]
    for row in near(run.run["cpu"], rows):
        ids = [i for pattern, ids in OPERATIONS if re.search(pattern, row.operation) for i in ids]
        if found := next((results[i] for i in ids if i in results), None):
            yield Beside(found["id"], found["median"], core_cycles(found), row)
