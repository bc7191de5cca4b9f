"""Figures of rows that have no budget, for the documents: docs/measured.json.

`make docs` measures again each row that the file names.  A figure is a median; of `latency`, whose
rows are the longest stretches of many, the maximum.  Unit: instructions, qemu-icount.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from tollgate.boot import ROOT, Boot, disk_for, module_for
from tollgate.budgets import suite_of
from tollgate.errors import TollgateError
from tollgate.machine import run_boot
from tollgate.outcome import Outcome
from tollgate.suites import find

FILE = ROOT / "docs" / "measured.json"
CPU = "EPYC"
"""The processor of a machine that is named by its kernel alone; others are `amd64:MODEL`."""


@lru_cache
def load() -> dict[str, int]:
    """The figure of each `MACHINE SUITE ROW`."""
    figures: dict[str, int] = json.loads(FILE.read_text(encoding="utf-8"))
    return figures


def value(machine: str, suite: str, row: str) -> int:
    """The figure of a row of a machine such as `amd64` or `amd64:Skylake-Client`."""
    name = f"{machine} {suite} {row}"
    if name not in load():
        raise TollgateError(f"{FILE}: there is no figure of {name}.")
    return load()[name]


def boot(machine: str, suite: str) -> dict[str, int]:
    """The figures of all rows of a suite; TollgateError for a boot that does not pass."""
    arch, _, cpu = machine.partition(":")
    words = (f"suite={suite}",)
    with tempfile.TemporaryDirectory(prefix="tollgate.") as folder:
        made = Boot(
            arch,
            cpu=cpu or CPU,
            words=words,
            disk=disk_for(words),
            module=module_for(arch, words),
        )
        done = run_boot(made, Path(folder))
    if done.outcome is not Outcome.PASS:
        raise TollgateError(f"{machine}, {words[0]}: {done.reason}; no figure is changed.")
    figures = {}
    for row in done.results:
        known = find(row["suite"])
        name = f"{machine} {suite_of(row)} {row['id']}"
        figures[name] = round(row["max" if known and known.worst else "median"])
    return figures


def anew(names: Mapping[str, int]) -> dict[str, int]:
    """The rows of the file, measured again: a boot for each suite of a machine."""
    found: dict[str, int] = {}
    for machine, suite in dict.fromkeys((name.split()[0], name.split()[1]) for name in names):
        found |= boot(machine, suite)
    return {name: found[name] for name in names}


if __name__ == "__main__":
    FILE.write_text(json.dumps(anew(load()), indent=0) + "\n", encoding="utf-8")
