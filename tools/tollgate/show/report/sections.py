"""Bars of sections: figures 4 to 6 of Schneider and Baumgartl, and the eight points."""

from collections.abc import Sequence
from itertools import groupby, pairwise

from tollgate.show.report import charts, theme
from tollgate.show.report.markup import (
    Html,
    code,
    esc,
    figure,
    folded,
    heading,
    panel_of,
    raw,
    slug,
    swatches,
    table,
)
from tollgate.show.report.model import (
    POINTS,
    SIDE_BY_SIDE,
    Machine,
    Row,
    names,
    platforms,
    samples,
    shown,
    span,
)

SECTIONS = (  # the parts of a bar, in order: the points at their ends, and the work between them
    ("MP1\u2013MP2", "the gate, going in"),
    ("MP2\u2013MP3", "work before the service"),
    ("MP3\u2013MP5", "call of the service, and the service"),
    ("MP5\u2013MP6", "return from the service"),
    ("MP6\u2013MP7", "work after the service"),
    ("MP7\u2013MP8", "the gate, going out"),
)
BY_PROCESSOR = (  # rows that are drawn over processors, each with its title and its file
    ("user/int/standard", "Figure 4", "figure-4"),
    ("user/sysenter/standard", "Figure 5", "figure-5"),
    ("user/syscall/standard", "Not in the paper", "figure-5-syscall"),
)


def six(row: Row) -> tuple[float, ...]:
    """The six drawn sections: MP4-MP5, the service itself, is added to the section of its call.

    Unit of the run. Source: figure 3 of the paper, which shows six because its service is empty.
    """
    s = row.sections
    return (s[0], s[1], s[2] + s[3], s[4], s[5], s[6]) if s else ()


NAMES = 164
"""px for a machine's name next to its bar; figures 4 to 6 share a scale, like the paper's."""


def scale_of(machines: Sequence[Machine]) -> charts.Scale:
    """The one scale of a unit, with room for the totals at the ends of bars."""
    lines = [line(row, machine, "", "") for machine in machines for row in machine.toll]
    return charts.scale_of(machines[0].unit, [("", lines)], NAMES)


def total(row: Row, machine: Machine) -> str:
    """The figure printed after a bar: the clean median, with nanoseconds if known."""
    median = row.median or 0.0
    if machine.hertz:
        return f"{shown(median)} ({median * 1e9 / machine.hertz:,.0f} ns)"
    return shown(median)


def line(row: Row, machine: Machine, name: str, label: str) -> charts.Line:
    """A row's bar."""
    tick = row.median if row.residue else None
    parts = pieces(row, machine.unit)
    return charts.Line(name, parts, total(row, machine), label, tick, sure=row.sure)


def pieces(row: Row, unit: str) -> list[charts.Piece]:
    """A bar's pieces from left to right; a row without sections is a single piece."""
    lengths = [max(0.0, part) for part in six(row)]
    if not lengths:
        text = f"{row.id}: {shown(row.median)} {unit}, not divided"
        return [charts.Piece(row.median or 0.0, theme.UNDIVIDED, text, "not divided")]
    return [
        charts.Piece(
            length,
            colour,
            f"{row.id}, {points}, {meaning}: {shown(length)} of {shown(row.median)} {unit}",
            shown(length),
            theme.ON if place < DARK else theme.INK,
        )
        for place, (length, colour, (points, meaning)) in enumerate(
            zip(lengths, theme.SECTION_COLOURS, SECTIONS, strict=True)
        )
    ]


DARK = 3
"""The number of the six colours on which figures are light."""


def key() -> Html:
    """The meaning of the six colours."""
    meanings = [f"{points} {meaning}" for points, meaning in SECTIONS]
    return swatches(((f"s{place}", meaning) for place, meaning in enumerate(meanings)))


def machine_figures(groups: Sequence[Sequence[Machine]], scale: charts.Scale) -> Html:
    """Figure 6: every row of each processor, drawn once for machines with equal figures."""
    machines = [same[0] for same in groups]
    caption = (
        f"Every way in by every variant. Round trip in {machines[0].unit}, clean median after each "
        f"bar; platform {platforms(machines)}, n\u00a0=\u00a0{samples(machines)}."
        f"{charts.sure_note(row.sure for m in machines for row in m.toll)}"
    )
    for first, *others in groups:
        if others:
            caption += f" {first.tag} stands for {names(others)}: the same, to the last digit."
    panels = [panel(same, scale, f"{same[0].title}. {caption}") for same in groups]
    tables = raw(*(section_table(machine) for machine in machines))
    title = "Figure 6 of the paper: every variant on one processor"
    drawn = figure(panels, caption, after=folded("The same as numbers", tables))
    many = len(groups) > SIDE_BY_SIDE
    return raw(
        heading(4, title, f"bars-machines-{machines[0].unit}"),
        folded(f"Each of the {len(groups)} processors", drawn) if many else drawn,
    )


def panel(machines: Sequence[Machine], scale: charts.Scale, meaning: str) -> Html:
    """The bars of one processor, under its name."""
    machine = machines[0]
    groups = [
        (way, [line(row, machine, row.variant, row.label) for row in rows])
        for way, rows in groupby(machine.toll, key=lambda row: row.group)
    ]
    drawn = charts.bars(groups, scale, f"figure-6-{machine.tag.lower()}", meaning)
    return panel_of(first_of(machines), drawn)


def first_of(machines: Sequence[Machine]) -> str:
    """The title of the first machine, and the number of machines that share its figure."""
    others = len(machines) - 1
    return machines[0].title + (f", and {others} with the same figures" if others else "")


def section_table(machine: Machine) -> Html:
    """Medians of all seven sections of one machine's rows."""
    pairs = [f"{a}\u2013{b}" for a, b in pairwise(POINTS)]
    rows = [
        [
            code(row.id),
            esc(row.label),
            *(esc(shown(part)) for part in row.sections),
            esc(shown(sum(row.sections))),
            esc(row.said),
        ]
        for row in machine.toll
        if row.sections
    ]
    return table(
        f"{machine.title}: medians of the sections in {machine.unit}, net of the probe",
        ["row", "label", *pairs, "sum", "clean"],
        rows,
        numeric=9,
    )


def processor_figure(machines: Sequence[Machine], scale: charts.Scale) -> Html:
    """Figures 4 and 5: the standard variant of one mechanism over the machines of one unit."""
    unit = machines[0].unit
    caption = (
        f"The standard variant over processors. Round trip in {unit}, clean median after each bar; "
        f"platform {platforms(machines)}, n\u00a0=\u00a0{samples(machines)}."
        f"{charts.sure_note(row.sure for m in machines for row in m.toll)}"
    )
    panels = []
    for row_id, title, name in BY_PROCESSOR:
        found = [(machine, machine.find(row_id)) for machine in machines]
        members = [line(row, machine, place(machine), "") for machine, row in found if row]
        if members:
            group = (f"{title}: {row_id}", members)
            told = f"{title}: {row_id} over processors. {caption}"
            panels.append(charts.bars([group], scale, f"{name}-{slug(unit)}", told))
    title = heading(4, "Figures 4 and 5 of the paper: over processors", f"bars-over-{unit}")
    return raw(title, figure(panels, caption)) if panels else raw()


def place(machine: Machine) -> str:
    """A machine's name, short enough for the space next to a bar."""
    return f"{machine.tag} {machine.word('arch')} {machine.word('cpu_model')}"


def notes(machines: Sequence[Machine], unit: str) -> str:
    """Notes: the rest of the third section besides the call, and the meaning of a tick in a bar."""
    rows = [row for machine in machines for row in machine.toll if row.sections]
    if not rows:
        return ""
    said = (
        "The paper shows six sections, because its service does nothing. So do these bars: the "
        f"service itself (MP4\u2013MP5, {span(row.sections[3] for row in rows)} {unit} here) is "
        "drawn with its call."
    )
    if any(row.residue for row in rows):
        said += (
            " A tick marks the clean median where the sections do not add up to it; the distance "
            "to the bar\u2019s end is the residue. A section below 0 is drawn as 0."
        )
    return said
