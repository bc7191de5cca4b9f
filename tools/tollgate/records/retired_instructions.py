"""The processor's own count of instructions for each row, compared with tests/budgets.toml.

The counter is Intel's fixed counter 0 or AMD's event C0h (kernel/toll/cycle.c).  A row's `retired`
is the mean of one call in a batch, minus the batch of the empty pair, like `batch` in the run's
unit.  Interrupts that cannot be masked, such as SMIs, add their instructions.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tollgate.records import budgets

NEAR = 0.05
"""Instructions: smaller differences of a mean count as equal."""
OUTSIDE = {"selfint": 2}
"""Instructions of a mechanism's call outside of the stamps, which are in a batch but in no sample:
two CLI (kernel/core/entry/selfint.asm)."""


@dataclass
class Compared:
    """Rows that the processor counted: their number, and the rows that differ from the budget."""

    rows: int = 0
    other: dict[str, tuple[float, int]] = field(default_factory=dict)
    """Rows by id: retired, and the value in tests/budgets.toml."""

    def __str__(self) -> str:
        """For people."""
        equal = f"{self.rows - len(self.other)} of {self.rows} rows retire as many instructions as "
        named = "; ".join(f"{name} {is_:g}, not {was}" for name, (is_, was) in self.other.items())
        return f"{equal}tests/budgets.toml counts" + (f"; {named}" if named else "")


def compared(run: Mapping[str, Any], rows: Iterable[Mapping[str, Any]]) -> Compared:
    """Compare each row with a count and an exact budget; arguments as in the records.

    If the budget is for one compiler, the kernel must be built with it.
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
