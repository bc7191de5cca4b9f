"""The static web server at three levels, from the records of `web`: the cost of a request for each
pair of client and server, and its parts."""

from collections.abc import Sequence

from tollgate.show.report.markup import Html, code, esc, paragraph, raw, table
from tollgate.show.report.model import Machine, Row, shown

SUITE = "web"
PARTS = "100"
"""Bytes of the file whose requests are divided into parts."""

NOTE = (
    "Two documents announce a web server inside the kernel as the next step (Rubini, the HTML "
    "parser). Neither prints a figure of one, so there is nothing to compare these with. The "
    "server is one program. In ring 3 or trusted it makes system calls; as the first document "
    "means it, it calls the kernel\u2019s functions by name. A call from ring 3 lets interrupts "
    "in where its work may be long, and a trusted program\u2019s does not: most of what separates "
    "these two is that, and not the gate."
)


def grid(machine: Machine) -> Html:
    """Medians: pairs of client and server by the size of the file."""
    found = machine.of(SUITE)
    sizes = list(dict.fromkeys(row.variant for row in found))
    pairs: dict[str, dict[str, Row]] = {}
    for row in found:
        pairs.setdefault(row.group, {})[row.variant] = row
    lines = [
        [code(pair), *(esc(of[size].said if size in of else "") for size in sizes)]
        for pair, of in pairs.items()
    ]
    caption = f"{machine.title}: a request by client/server and bytes, in {machine.unit}"
    return table(caption, ["client/server", *sizes], lines, numeric=len(sizes))


def share(row: Row) -> str:
    """The share of entering and leaving the kernel in a request, such as 6.9 %."""
    entry, whole = row.stats["entry"], row.median
    return f"{100 * entry / whole:.1f} %" if entry is not None and whole else ""


def parts(machine: Machine) -> Html:
    """The parts of a request, pair by pair."""
    keys = ("median", "calls", "client", "server", "kernel", "entry")
    lines = [
        [code(row.group), *(esc(shown(row.stats[key])) for key in keys), esc(share(row))]
        for row in machine.of(SUITE)
        if row.variant == PARTS and row.stats["calls"] is not None
    ]
    caption = f"{machine.title}: a request of {PARTS} bytes and its parts, in {machine.unit}"
    columns = ["client/server", "in all", "calls", "client", "server", "kernel"]
    return table(caption, [*columns, "of it in and out", "share"], lines, numeric=7)


def section(found: Sequence[Machine]) -> Html:
    """The report's section above the plain rows, for machines with the suite."""
    return raw(paragraph(NOTE), *(each(machine) for machine in found for each in (grid, parts)))
