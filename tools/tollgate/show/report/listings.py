"""The instructions behind each row, where a bench has walked through them."""

from collections.abc import Sequence

from tollgate.machines.row_path import BESIDE, count
from tollgate.show.listing import LEGEND, lines
from tollgate.show.report.markup import Html, code, esc, folded, heading, paragraph, raw, tag
from tollgate.show.report.model import Machine, Row, shown
from tollgate.suites import WALKED

NOTE = (
    "One round trip of each row as it was executed, by the clean copies of its halves, from MP1 to "
    f"MP8. The numbers are the count; beside each instruction: {LEGEND} Then the line of the "
    "source that it came from, and the macro or the half that this line belongs to."
)


def listings(machines: Sequence[Machine]) -> Html:
    """A fold for each row that has a path, and a sentence for each machine that has none."""
    having = [m for m in machines if not m.faults and any(m.of(suite) for suite in WALKED)]
    if not having:
        return raw()
    return raw(paragraph(NOTE), *(of_machine(machine) for machine in having))


def of_machine(machine: Machine) -> Html:
    """The listings of one machine."""
    title = heading(3, machine.title, f"listings-{machine.tag}")
    if not machine.paths:
        missing = (
            f"There are no listings of this machine: a bench in QEMU writes them to {BESIDE} "
            "beside its results.jsonl, and this report found none there."
        )
        return raw(title, paragraph(missing))
    rows = [row for suite in WALKED for row in machine.of(suite) if row.id in machine.paths]
    return raw(title, *(listing(machine, row) for row in rows))


def listing(machine: Machine, row: Row) -> Html:
    """One row's fold; it says so where it is not the path that was measured."""
    steps = machine.paths[row.id]
    other = machine.unit == "instructions" and row.median != count(steps)
    note = (
        f"This path has {count(steps)} instructions, and the row {shown(row.median)}: they are of "
        "different kernels."
    )
    text = tag("pre", esc("\n".join(lines(steps))), tabindex="0", id=anchor(machine, row))
    summary = f"{row.id}: {count(steps)} instructions"
    return folded(summary, raw(paragraph(note, class_="warning") if other else "", text))


def anchor(machine: Machine, row: Row) -> str:
    """Where a row's listing stands in the page."""
    return f"listing-{machine.tag}-{row.id.replace('/', '-')}"


def link(machine: Machine, row: Row) -> Html:
    """A row's id, and the way to its listing where there is one."""
    name = code(row.id)
    if row.id not in machine.paths:
        return name
    there = f"#{anchor(machine, row)}"
    said = f"the instructions of {row.id}"
    return raw(name, " ", tag("a", "listing", href=there, class_="file", aria_label=said))
