"""The share of direct calls among the system calls that unmodified programs execute in ring 0.

shares.csv has the figures: tests/trusted/test_shares.py counts them, on amd64 as EPYC, with Debian
12's packages, Go 1.26 and Rust 1.95.
"""

import csv
from pathlib import Path
from typing import NamedTuple

PATH = Path(__file__).parent / "shares.csv"


class Share(NamedTuple):
    """A program: its system calls, its start included, and the percentage that are calls."""

    program: str
    calls: int
    percent: int


def load() -> list[Share]:
    """The programs in order."""
    with PATH.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file)
        return [Share(row["program"], int(row["calls"]), int(row["share"])) for row in rows]


def markdown() -> str:
    """The table of docs/trusted.md."""
    lines = ["| program | system calls | of them calls |", "|---|--:|--:|"]
    lines += [f"| {each.program} | {each.calls:,} | {each.percent} % |" for each in load()]
    return "\n".join(lines)
