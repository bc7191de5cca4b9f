"""What a bench keeps while it goes, so that nothing that was measured is lost.

After each boot results.jsonl is written anew: with a `missing` record, which names the boots that
are not in it, until it is whole. Beside it lies what was asked for, so that the rest can follow
later.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tollgate.errors import TollgateError, UsageError
from tollgate.machines.boot import Boot, BootResult
from tollgate.records.format import MachineRun, RecordsError, load, save

RECORDS = "results.jsonl"
ASKED = "asked.json"
"""The options of an unfinished bench: there until it is whole."""


@dataclass
class Kept:
    """The records of a bench in the folder `out`: of earlier runs, and of the boots done now."""

    out: Path
    boots: Sequence[Boot]
    earlier: list[MachineRun] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    """The names of the boots that have no records yet."""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def path(self) -> Path:
        """The results file."""
        return self.out / RECORDS

    def add(self, result: BootResult) -> None:
        """A boot is over: keep its records, if there are any."""
        with self._lock:
            if result.runs:
                self.missing.remove(result.boot.name)
                self.earlier += result.runs
                save(sorted(self.earlier, key=self._place), self.path, self.missing)
            if not self.missing:
                (self.out / ASKED).unlink(missing_ok=True)

    def _place(self, run: MachineRun) -> int:
        names = [boot.name for boot in self.boots]
        return names.index(run.name) if run.name in names else len(names)


def begin(out: Path, boots: Sequence[Boot], verb: str, asked: Mapping[str, str]) -> Kept:
    """Begin a bench in a folder."""
    (out / RECORDS).unlink(missing_ok=True)
    (out / ASKED).write_text(json.dumps({"verb": verb, **asked}), encoding="utf-8")
    return Kept(out, boots, missing=[boot.name for boot in boots])


def asked(out: Path, verb: str) -> dict[str, str]:
    """The options of the unfinished bench in a folder; UsageError when there is none."""
    try:
        values = json.loads((out / ASKED).read_text("utf-8"))
        begun = str(values.pop("verb"))
        words = {str(name): str(value) for name, value in values.items()}
    except FileNotFoundError:
        raise UsageError(f"{out} holds no bench or sweep that was interrupted.") from None
    except (OSError, ValueError, KeyError, AttributeError) as error:
        raise TollgateError(f"{out / ASKED} cannot be read: {error}; measure again.") from None
    if begun != verb:
        raise UsageError(
            f"{out} holds a {begun}; `.venv/bin/tollgate {begun} --resume={out}` goes on with it."
        )
    return words


def resume(out: Path, boots: Sequence[Boot]) -> Kept:
    """Go on with the bench in a folder: what it has stays, what it has not is missing."""
    names = [boot.name for boot in boots]
    if not (out / RECORDS).exists():
        return Kept(out, boots, missing=names)
    results = load(out / RECORDS)
    if strange := set(results.missing) - set(names):
        raise RecordsError(f"{out / RECORDS} misses {min(strange)}, which is no machine of it.")
    return Kept(out, boots, results.runs, results.missing)
