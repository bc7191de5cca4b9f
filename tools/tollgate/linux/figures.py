"""The figures of docs/linux.md: one file that `make linux` wrote, and what is made of it.

`rows`: by a program's width and a row, the least and the median of each processor and system.
`paths`: by call and system, how many instructions each cause has.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from tollgate.boot import ROOT
from tollgate.linux import account, beside
from tollgate.records import MachineRun

FILE = ROOT / "docs" / "linux.json"
DOCUMENT = ROOT / "docs" / "linux.md"
OURS = beside.OURS
ALL = "all"
"""The sum of a call's causes."""


def of_runs(runs: Sequence[MachineRun]) -> dict[str, Any]:
    """What the tables of all rows are made of."""
    rows = {
        " ".join(row): {
            " ".join(column): [value.least, value.median] for column, value in found.items()
        }
        for row, found in beside.cells(runs).items()
    }
    flaws = {
        " ".join(beside.column(run)): run.run["mitigations"]
        for run in runs
        if "mitigations" in run.run and run.run["arch"] == "amd64"
    }
    return {
        "heading": beside.said_of(runs),
        "columns": [" ".join(column) for column in beside.columns(runs)],
        "rows": rows,
        "mitigations": flaws,
    }


def keep(found: dict[str, Any], place: Path) -> None:
    """Write a file of figures, a line for each row."""
    parts = []
    for name, part in found.items():
        lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in items(part)]
        text = "{\n" + ",\n".join(lines) + "\n}" if lines else json.dumps(part)
        parts.append(f"{json.dumps(name)}: {text}")
    place.write_text("{\n" + ",\n".join(parts) + "\n}\n")


def items(part: Any) -> Sequence[tuple[str, Any]]:
    """What has a line of its own."""
    return list(part.items()) if isinstance(part, Mapping) else []


@lru_cache
def load() -> Any:
    """What the documents' figures are of."""
    return json.loads(FILE.read_text())


def least(width: str, column: str, row: str) -> int:
    """The least of a row, such as `amd64 user`, `EPYC off`, `getpid/syscall`."""
    return int(load()["rows"][f"{width} {row}"][column][0])


def of_cause(call: str, system: str, name: str) -> int:
    """How many instructions a cause has in a call on a system; ALL: how many there are."""
    bill = load()["paths"][call][system]
    return int(sum(bill.values()) if name == ALL else bill.get(name, 0))


def tables() -> dict[str, str]:
    """The document's text between a marker and the next one."""
    found = load()
    columns = [(name.split(" ", 1)[0], name.split(" ", 1)[1]) for name in found["columns"]]
    cells: dict[beside.Row, dict[beside.Column, beside.Figure]] = {}
    for name, row in found["rows"].items():
        width, _, what = name.rpartition(" ")
        cells[width, what] = {
            column: beside.Figure(*row[" ".join(column)])
            for column in columns
            if " ".join(column) in row
        }
    return {
        "tables": beside.page(found["heading"], cells, columns),
        "paths": account.page(found["paths"]),
    }


def take(runs: Sequence[MachineRun], paths: Mapping[str, Mapping[str, Any]]) -> None:
    """Put ours in, measured anew; Linux's stay."""
    found = load()
    for run in runs:
        column = " ".join(beside.column(run))
        fresh: dict[str, list[float]] = {}
        for row, value in beside.rows_of(run):
            fresh.setdefault(" ".join(row), [value.least, value.median])
        for name in fresh.keys() & found["rows"].keys():
            found["rows"][name][column] = fresh[name]
    for call, systems in paths.items():
        found["paths"][call] |= systems
    keep(found, FILE)
    load.cache_clear()
