"""Arcangeli's question, from the records of `vsyscall`: the saving of a call that never enters the
kernel.

For four machines the talk gives the cycles that getpid takes to enter and leave the kernel, and
says that the function saves all of these. Ours: getpid by each gate, and the time by function and
by each gate, with the ratio. (A. Arcangeli, x86-64 vsyscalls, UKUUG 2001)
"""

from collections.abc import Mapping, Sequence

from tollgate.show.report.markup import Html, code, esc, paragraph, raw, table
from tollgate.show.report.model import Machine, shown
from tollgate.show.report.tables import NOT_TESTABLE

SUITE = "vsyscall"
CALLS = ("gettimeofday", "time", "clock_gettime")
BESIDE = ("function", "twin")
"""Rows of a call that are not a gate."""
ARTICLE = "Arcangeli, getpid, enter and exit of Linux 2.2 and 2.4, in cycles"
MACHINES = (
    ("Pentium, 166 MHz", "125"),
    ("Pentium II, 450 MHz", "292"),
    ("Athlon, 1 GHz", "260"),
    ("Alpha 21264, 500 MHz", "146"),
)
NOTE = (
    "The function of the image runs with the program\u2019s privilege: it saves what entering and "
    "leaving cost, and no more of the work. The ratio is the system call by that gate over the "
    "function. What the talk measured is beside it in cycles: "
)


def gates(figures: Mapping[str, float], origin: str, call: str) -> dict[str, float]:
    """The cost of a call by each gate of its origin."""
    found = {
        row.rpartition("/")[2]: median
        for row, median in figures.items()
        if row.startswith(f"{origin}/{call}/")
    }
    return {gate: median for gate, median in found.items() if gate not in BESIDE}


def getpid(machine: Machine, origin: str, gate: str) -> float | None:
    """The toll's row for this gate, if measured, too."""
    row = machine.find(f"{origin}/{gate}/standard")
    return row.median if row else None


def lines_of(machine: Machine, figures: Mapping[str, float]) -> list[list[Html]]:
    """A line for each call, gate and origin."""
    lines = []
    for origin in dict.fromkeys(row.partition("/")[0] for row in figures):
        for call in CALLS:
            function = figures.get(f"{origin}/{call}/function")
            for gate, median in gates(figures, origin, call).items():
                ratio = f"{median / function:.1f}" if function else ""
                cells = (
                    shown(getpid(machine, origin, gate)),
                    shown(median),
                    shown(function),
                    ratio,
                )
                lines.append([code(f"{origin}/{call}/{gate}"), *map(esc, cells)])
    return lines


def compared(machine: Machine) -> Html:
    """One machine's system calls compared with its functions, in its own unit."""
    figures = {row.id: row.median for row in machine.of(SUITE) if row.median is not None}
    columns = ["call", "getpid", "system call", "function", "ratio"]
    caption = f"{machine.title}: system call and function, in {machine.unit}"
    return table(caption, columns, lines_of(machine, figures), numeric=4)


def section(found: Sequence[Machine]) -> Html:
    """The report's section above the plain rows, for machines with the suite."""
    silicon = all(machine.unit == "cycles" for machine in found)
    article = table(
        ARTICLE, ["machine", "cycles"], [[esc(m), esc(c)] for m, c in MACHINES], numeric=1
    )
    told = "compare." if silicon else f"{NOT_TESTABLE}."
    return raw(paragraph(NOTE + told), *(compared(machine) for machine in found), article)
