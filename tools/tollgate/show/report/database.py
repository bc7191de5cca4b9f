"""The suite `wisconsin` in the report: its tables, and the article's for comparison."""

from collections.abc import Sequence

from tollgate.show import wisconsin
from tollgate.show.report.markup import Html, esc, paragraph, raw, table
from tollgate.show.report.model import Machine
from tollgate.show.report.tables import NOT_TESTABLE
from tollgate.suites import find

SUITE = wisconsin.SUITE
CLAIM = (
    "The article says that KML takes 3 % less of the processor\u2019s time, 1 % in the program and "
    "14 % in the kernel. Instructions are a path\u2019s length; of time: "
)


def section(machines: Sequence[Machine]) -> Html:
    """All tables of each machine with the suite."""
    found = [machine for machine in machines if machine.of(SUITE)]
    known = find(SUITE)
    silicon = any(machine.unit == "cycles" for machine in found)
    made = []
    for machine in found:
        figures = {(row.suite, row.id): row.stats for row in machine.rows}
        boot = wisconsin.Boot(machine.word("arch"), figures, machine.unit == "cycles")
        for each in wisconsin.tables(boot):
            caption = f"{machine.title}: {SUITE}, {each.caption}; in {machine.unit}"
            numeric = len(each.columns) - each.words
            lines = [[esc(cell) for cell in line] for line in each.lines]
            made.append(table(caption, each.columns, lines, numeric=numeric))
    return raw(
        paragraph(f"{known.says[0].upper()}{known.says[1:]}. {known.note}") if known else "",
        "" if silicon else paragraph(CLAIM + NOT_TESTABLE),
        *made,
    )
