"""Saves a bench's results while it runs, so that no measurement is lost.

After each boot results.jsonl is written again, with a `missing` record that names the outstanding
boots, until it is complete.
"""

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tollgate.machines.boot import Boot, BootResult
from tollgate.records.format import MachineRun, save

RECORDS = "results.jsonl"


@dataclass
class Kept:
    """The saved records of a bench in the folder `out`."""

    out: Path
    boots: Sequence[Boot]
    runs: list[MachineRun] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    """The names of boots without records so far."""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, result: BootResult) -> None:
        """A boot has ended: save its records, if any."""
        with self._lock:
            if result.runs:
                self.missing.remove(result.boot.name)
                self.runs += result.runs
                save(sorted(self.runs, key=self._place), self.out / RECORDS, self.missing)

    def _place(self, run: MachineRun) -> int:
        names = [boot.name for boot in self.boots]
        return names.index(run.name) if run.name in names else len(names)


def begin(out: Path, boots: Sequence[Boot]) -> Kept:
    """Begin a bench in a folder."""
    (out / RECORDS).unlink(missing_ok=True)
    return Kept(out, boots, missing=[boot.name for boot in boots])
