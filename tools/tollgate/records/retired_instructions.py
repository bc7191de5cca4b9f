"""What a processor's own counter says of each row, beside what tests/budgets.toml counts.

The counter is Intel's fixed counter 0 or AMD's event C0h (kernel/toll/cycle.c).  A row's `retired`
is the mean of one call in a batch, less the batch of the empty pair, as `batch` is in the run's
unit.  An interrupt that nobody can hold back, such as an SMI, adds its instructions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tollgate.records import budgets

NEAR = 0.05
"""Instructions: a mean of calls that differs by less is equal."""
OUTSIDE = {"selfint": 2}
"""Instructions of a mechanism's call that are before the first stamp and behind the last, so in a
batch and in no sample: two CLI (kernel/core/entry/selfint.asm)."""


@dataclass
class Compared:
    """Rows that the processor has counted: how many, and those that differ from the budget."""

    rows: int = 0
    other: dict[str, tuple[float, int]] = field(default_factory=dict)
    """By id: retired, and what it should be by tests/budgets.toml."""

    def __str__(self) -> str:
        """For people."""
        equal = f"{self.rows - len(self.other)} of {self.rows} rows retire as many instructions as "
        named = "; ".join(f"{name} {is_:g}, not {was}" for name, (is_, was) in self.other.items())
        return f"{equal}tests/budgets.toml counts" + (f"; {named}" if named else "")


def compared(run: Mapping[str, Any], rows: Iterable[Mapping[str, Any]]) -> Compared:
    """Compare each row that has a count and an exact budget; run and rows as the records have them.

    Where the budget is one compiler's, the kernel must be that compiler's.
    """
    arch, compiler = str(run["arch"]), budgets.compiler_of(run)
    found = Compared()
    for row in rows:
        retired = row.get("retired")
        if not isinstance(retired, int | float):
            continue
        budget = budgets.load(budgets.suite_of(row), arch).get(str(row["id"]))
        exact = budget[0] if isinstance(budget, list) else (budget or {}).get(compiler)
        if exact is None:
            continue
        found.rows += 1
        wanted = exact + OUTSIDE.get(str(row["id"]).split("/")[1], 0)
        if abs(retired - wanted) > NEAR:
            found.other[str(row["id"])] = (retired, wanted)
    return found
