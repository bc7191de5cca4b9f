"""Bars of sections: figures 4 to 6 of Schneider and Baumgartl, and the eight points behind them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby, pairwise

import altair as alt

from tollgate.report import theme
from tollgate.report.markup import Html, code, esc, figure, folded, heading, raw, swatches, table
from tollgate.report.model import POINTS, Machine, Row, names, platforms, samples, shown, span

SECTIONS = (  # what a bar shows, in order: the points it runs between, and what happens there
    ("MP1\u2013MP2", "the gate, going in"),
    ("MP2\u2013MP3", "work before the service"),
    ("MP3\u2013MP5", "call of the service, and the service"),
    ("MP5\u2013MP6", "return from the service"),
    ("MP6\u2013MP7", "work after the service"),
    ("MP7\u2013MP8", "the gate, going out"),
)
BY_PROCESSOR = (  # the rows that are drawn over processors
    ("user/int/standard", "figure 4 of the paper"),
    ("user/sysenter/standard", "figure 5 of the paper"),
    ("user/syscall/standard", "not in the paper"),
)
KEY_ROOM = 290  # px left of the scale, for the row's name and the paper's label


@dataclass(frozen=True)
class Bar:
    """One line of a chart: its name, the paper's label beside it, the row and ns per unit."""

    name: str
    label: str
    row: Row
    hertz: float


Group = tuple[str, Sequence[Bar]]  # a title, or nothing, above bars that stand together


def six(row: Row) -> tuple[float, ...]:
    """The six sections that are drawn: MP4-MP5, the service itself, joins the section of its call.

    Unit of the run. Source: figure 3 of the paper, which shows six because its service is empty.
    """
    s = row.sections
    return (s[0], s[1], s[2] + s[3], s[4], s[5], s[6]) if s else ()


def scale_end(machines: Sequence[Machine]) -> float:
    """The end of the one scale of a unit, with room for the totals after the bars."""
    lengths = [
        max(row.median or 0.0, sum(max(0.0, part) for part in six(row)))
        for machine in machines
        for row in machine.toll
    ]
    return 1.1 * max(lengths, default=0.0) or 1.0


def total(bar: Bar, unit: str) -> str:
    """The figure printed after a bar: the clean median, with nanoseconds where they are known."""
    median = bar.row.median or 0.0
    if unit == "cycles" and bar.hertz:
        return f"{shown(median)}  ({median * 1e9 / bar.hertz:,.0f} ns)"
    return shown(median)


def bars(groups: Iterable[Group], unit: str, upto: float, meaning: str) -> Html:
    """Bars of sections under one scale that ends at `upto` (in `unit`)."""
    titles: theme.Values = []
    lines: theme.Values = []
    parts: theme.Values = []
    marks: theme.Values = []
    top = 0
    for title, members in groups:
        if title:
            titles.append({"y": top + theme.LINE / 2, "text": title})
            top += theme.LINE
        for bar in members:
            place = {"y0": top + 3, "y1": top + theme.LINE - 3, "y": top + theme.LINE / 2}
            pieces = segments(bar.row, upto)
            end = max([bar.row.median or 0.0, *(float(str(piece["x1"])) for piece in pieces)])
            text = {"name": bar.name, "label": bar.label, "total": total(bar, unit), "end": end}
            lines.append(place | text)
            parts += [place | piece for piece in pieces]
            if bar.row.residue:
                marks.append(place | {"x": bar.row.median})
            top += theme.LINE
        top += theme.LINE // 2
    blocks = (
        alt.Chart(theme.values(parts))
        .mark_rect(stroke="white", strokeWidth=1)
        .encode(
            x=theme.axis_x(unit, upto, "x0"),
            x2=alt.X2("x1:Q"),
            y=theme.pixel("y0"),
            y2=alt.Y2("y1:Q"),
            fill=alt.Fill("colour:N", scale=None),
        )
    )
    counts = (
        alt.Chart(theme.values([part for part in parts if part["text"]]))
        .mark_text(fontSize=10, baseline="middle")
        .encode(
            x=alt.X("middle:Q"),
            y=theme.pixel("y"),
            text=alt.Text("text:N"),
            fill=alt.Fill("ink:N", scale=None),
        )
    )
    ends = (
        alt.Chart(theme.values(lines))
        .mark_text(align="left", dx=6, fontWeight="bold", baseline="middle")
        .encode(x=alt.X("end:Q"), y=theme.pixel("y"), text=alt.Text("total:N"))
    )
    medians = (
        alt.Chart(theme.values(marks))
        .mark_rule(stroke=theme.INK, strokeWidth=2)
        .encode(x=alt.X("x:Q"), y=theme.pixel("y0"), y2=alt.Y2("y1:Q"))
    )
    room = KEY_ROOM
    chart = alt.layer(
        blocks,
        counts,
        medians,
        ends,
        theme.words(titles, -room, "text", align="left", fontWeight="bold"),
        theme.words(lines, -room, "name", align="left", limit=room - 60),
        theme.words(
            lines, -12, "label", align="right", limit=60, fill=theme.ACCENT, fontWeight="bold"
        ),
    ).properties(width=theme.PLOT, height=max(top, theme.LINE))
    return theme.svg(chart, meaning)


def segments(row: Row, upto: float) -> theme.Values:
    """A bar's pieces from left to right; a row without sections is one piece, undivided."""
    lengths = [max(0.0, part) for part in six(row)] or [row.median or 0.0]
    colours = theme.SECTION_COLOURS if row.sections else (theme.UNDIVIDED,)
    pieces: theme.Values = []
    for place, (length, end) in enumerate(zip(lengths, accumulate(lengths), strict=True)):
        text = shown(length) if row.sections else "not divided"
        wide = length / upto * theme.PLOT > 7 * len(text) + 4
        pieces.append(
            {
                "x0": end - length,
                "x1": end,
                "middle": end - length / 2,
                "colour": colours[place],
                "ink": "white" if row.sections and place < 3 else theme.INK,
                "text": text if wide else "",
            }
        )
    return [piece for piece in pieces if piece["x1"] != piece["x0"]]


def key() -> Html:
    """What the six colours mean."""
    meanings = [f"{points} {meaning}" for points, meaning in SECTIONS]
    return swatches(zip(theme.SECTION_COLOURS, meanings, strict=True))


def machine_figure(machines: Sequence[Machine], upto: float) -> Html:
    """Figure 6, drawn once for machines whose figures are the same: every row of one processor."""
    machine = machines[0]
    caption = (
        f"{machine.title}. Round trip in {machine.unit}, clean median after each bar; "
        f"platform {machine.word('platform')}, fence {machine.word('fence')}, "
        f"n\u00a0=\u00a0{machine.samples}."
    )
    if machines[1:]:
        caption += f" The figures of {names(machines[1:])} are the same, to the last digit."
    groups = [
        ("", [Bar(row.id, row.label, row, machine.hertz) for row in rows])
        for _, rows in groupby(machine.toll, key=lambda row: row.group)
    ]
    drawn = figure(
        bars(groups, machine.unit, upto, caption),
        caption,
        after=folded("The same as numbers", section_table(machine)),
    )
    return raw(heading(4, first_of(machines), f"bars-{machine.tag}"), drawn)


def first_of(machines: Sequence[Machine]) -> str:
    """The title of the first machine, and how many share its figure."""
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
            esc(shown(row.median)),
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


def processor_figure(machines: Sequence[Machine], upto: float) -> Html:
    """Figures 4 and 5: the standard variant of one mechanism over the machines of one unit."""
    unit = machines[0].unit
    groups = []
    for row_id, origin in BY_PROCESSOR:
        found = [(machine, machine.find(row_id)) for machine in machines]
        members = [
            Bar(machine.title, row.label, row, machine.hertz) for machine, row in found if row
        ]
        if members:
            groups.append((f"{row_id} ({origin})", members))
    caption = (
        f"The standard variant over processors. Round trip in {unit}, clean median after each bar; "
        f"platform {platforms(machines)}, "
        f"n\u00a0=\u00a0{samples(machines)}."
    )
    title = heading(4, "Over processors", f"bars-over-processors-{unit}")
    return raw(title, figure(bars(groups, unit, upto, caption), caption))


def notes(machines: Sequence[Machine], unit: str) -> str:
    """What the third section holds besides the call, and what a tick in a bar means."""
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
