"""A bench's result in a few lines: the cost of crossing into ring 0, machine by machine."""

from collections.abc import Sequence
from typing import Any

from tollgate.records.format import MachineRun

FROM = {"user": "from ring 3", "compat": "from 32-bit code", "trusted": "from ring 0"}
"""An origin in words; others use their name."""


def _crossings(results: Sequence[dict[str, Any]], unit: str) -> list[str]:
    """A line for each origin: its mechanisms with the median of the complete system call."""
    costs: dict[str, list[str]] = {}
    for result in results:
        origin, mechanism, variant = result["id"].split("/")
        if variant == "standard":
            costs.setdefault(origin, []).append(f"{mechanism} {result['median']:g}")
    return [
        f"a system call {FROM.get(origin, origin)}: {', '.join(found)} {unit}"
        for origin, found in costs.items()
    ]


def places(run: MachineRun) -> list[str]:
    """What the place of an entry in a line of memory costs, for each row with all places."""
    swept = [result for result in run.results if "places" in result]
    if swept and run.unit == "instructions":
        return [
            f"entry's place: each of {len(swept)} ways in costs the same at all places in a line. "
            "Instructions are counted, and only time can differ."
        ]
    ends = "{median} ({low} to {high}) at {at}"
    return [
        f"entry's place: {row['id']}: best {ends.format(**row['best'])}, worst "
        f"{ends.format(**row['worst'])}, spread {row['worst']['median'] - row['best']['median']}"
        for row in swept
    ]


def lines(run: MachineRun) -> list[str]:
    """A machine's result: a line for each origin of its toll rows, three at most.

    For a machine without toll rows, the number of rows of each suite.
    """
    toll = [result for result in run.results if result["suite"] == "toll"]
    if toll:
        first, *others = _crossings(toll, run.unit) or [f"{len(toll)} rows of toll"]
        return [f"{run.name}: {first}", *(f"    {line}" for line in others)]
    counts: dict[str, int] = {}
    for result in run.results:
        if result["suite"] != "control":
            counts[result["suite"]] = counts.get(result["suite"], 0) + 1
    rows = ", ".join(f"{count} rows of {suite}" for suite, count in counts.items())
    return [f"{run.name}: {rows}"] if rows else []
