"""The published figures of reference.csv, one chart and one table per unit.

A range such as 40-75 keeps both ends. A row whose `inferred` is yes carries a dagger wherever it is
shown: its year, variant, processor, factor or number was concluded and not read.
"""

import math
from collections.abc import Sequence
from functools import cache
from itertools import groupby

import altair as alt

from tollgate.published import DAGGER as DAGGER
from tollgate.published import Published as Published
from tollgate.published import load as load
from tollgate.report import theme
from tollgate.report.headline import ranges
from tollgate.report.markup import Html, esc, figure, folded, heading, paragraph, raw, table
from tollgate.report.model import Machine, shown

OURS = "Tollgate, this report"
UNIT_NAMES = {
    "": "words, without a figure",
    "ns": "nanoseconds",
    "s": "seconds",
    "ratio": "ratios",
    "cycles~": "cycles, reckoned from nanoseconds and the nominal clock",
}
NOTES = {  # unit -> what must be known to compare
    "instructions": "Linux does more on the same path than a standard row: SWAPGS and per-CPU "
    "data, registers cleared, the number clamped against speculation, retpolines, interrupts on "
    "during the service, looks for seccomp, ptrace and audit. Its figures stand here with the "
    "processor\u2019s mitigations and without.",
}
LOG_FROM = 30  # largest over smallest value from which the scale is logarithmic
DECADES = 3  # the longest logarithmic scale that has room for 1, 2 and 5 of each
KEY_ROOM = 430  # px left of the scale


def own(machines: Sequence[Machine], unit: str) -> list[Published]:
    """Our standard rows from ring 3 in this unit, in the shape of published ones."""
    return [
        Published(OURS, "", r.arch, f"getpid, {r.id}", r.low, r.high, unit, "", inferred=False)
        for r in ranges([machine for machine in machines if machine.unit == unit])
        if r.id.endswith("/standard") and not r.id.startswith("trusted/")
    ]


def unit_section(unit: str, published: Sequence[Published], machines: Sequence[Machine]) -> Html:
    """The chart and the table of one unit; ours stand beside theirs only where the units agree."""
    ours = own(machines, unit)
    rows = [*ours, *published]
    drawn = [row for row in rows if row.low is not None and row.high is not None]
    said = UNIT_NAMES.get(unit, unit)
    caption = f"Published figures in {said}; platform and conditions are each source\u2019s own."
    if ours:
        caption += (
            f" On top, in colour, what this report measured, also in {unit}: clean medians over "
            "all machines of an architecture."
        )
    if any(row.inferred for row in published):
        caption += f" {DAGGER} something is inferred, see the table."
    cells = [
        [esc(cell) for cell in (r.source, r.year, r.cpu, r.operation, r.conditions, r.value)]
        for r in published
    ]
    columns = ["source", "year", "processor", "operation", "conditions", said]
    note = paragraph(NOTES[unit]) if unit in NOTES else ""
    title = raw(heading(3, f"In {said}", f"published-{said}"), note)
    numbers = table(f"Published figures in {said}", columns, cells, numeric=1)
    if not drawn:
        return raw(title, numbers)
    after = folded(f"The {len(published)} published figures as a table", numbers)
    return raw(title, figure(chart(tuple(drawn), said, caption), caption, after=after))


def nearest(machine: Machine) -> Html:
    """A run in cycles beside what is published of the nearest processor; nothing for others."""
    if not machine.beside:
        return raw()
    cells = [
        [
            *map(esc, (each.id, each.published.operation, each.published.cpu)),
            *map(esc, (each.published.source, each.published.conditions)),
            *map(esc, (shown(each.median), shown(each.core), each.published.value)),
        ]
        for each in machine.beside
    ]
    columns = ["row", "operation", "processor", "source", "conditions"]
    columns += ["here, TSC cycles", "here, core cycles", "there, cycles"]
    title = f"{machine.title}: beside the nearest processor that is published"
    return raw(heading(3, title, f"nearest-{machine.number}"), table(title, columns, cells, 3))


def reference_charts(published: Sequence[Published], machines: Sequence[Machine]) -> Html:
    """Every unit of the reference data in turn, those that this report shares first."""
    sources = list(dict.fromkeys(row.source for row in published))
    published = sorted(published, key=lambda row: sources.index(row.source))
    units = {row.unit: [r for r in published if r.unit == row.unit] for row in published}
    shared = {machine.unit for machine in machines}
    order = sorted(units, key=lambda unit: (unit not in shared, -len(units[unit])))
    return raw(*(unit_section(unit, units[unit], machines) for unit in order))


def axis(rows: Sequence[Published], unit: str) -> alt.X:
    """From 0, or logarithmic where the figures lie too far apart to be told apart otherwise."""
    low = min(row.low or 0.0 for row in rows)
    high = max(row.high or 0.0 for row in rows)
    if low <= 0 or high / low < LOG_FROM:
        scale = alt.Scale(domain=[0, 1.12 * high or 1.0], nice=False)
        return alt.X("low:Q", title=unit, scale=scale, axis=alt.Axis(tickCount=6, orient="top"))
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    ticks = [step * 10**power for power in range(first, last + 1) for step in (1, 2, 5)]
    below = [tick for tick in ticks if tick <= low]
    scale = alt.Scale(type="log", domain=[below[-1], 2 * high], nice=False)
    shown_ticks = [tick for tick in ticks if below[-1] <= tick <= 2 * high]
    if last - first > DECADES:
        shown_ticks = [tick for tick in shown_ticks if math.log10(tick).is_integer()]
    return alt.X("low:Q", title=unit, scale=scale, axis=alt.Axis(values=shown_ticks, orient="top"))


@cache
def chart(rows: tuple[Published, ...], unit: str, meaning: str) -> Html:
    """Dots (lines for ranges) in one unit, grouped by source."""
    titles: theme.Values = []
    lines: theme.Values = []
    top = 0.0
    for source, grouped in groupby(rows, key=lambda row: row.source):
        members = list(grouped)
        years = sorted({row.year for row in members if row.year})
        title = f"{source}, {' '.join(years)}" if years else source
        titles.append({"y": top + theme.LINE / 2, "text": title})
        top += theme.LINE
        for row in members:
            colour = theme.ACCENT if row.source == OURS else theme.GREY
            lines.append(
                {"y": top + 8, "operation": row.operation, "cpu": row.cpu, "value": row.value,
                 "low": row.low, "high": row.high, "colour": colour}
            )  # fmt: skip
            top += 17
        top += 8
    paint = alt.Color("colour:N", scale=None)
    base = alt.Chart(theme.values(lines))
    whole = base.mark_rule(strokeWidth=4).encode(
        x=axis(rows, unit), x2=alt.X2("high:Q"), y=theme.pixel("y"), color=paint
    )
    dots = base.mark_circle(size=60, opacity=1).encode(
        x=alt.X("high:Q"), y=theme.pixel("y"), color=paint
    )
    numbers = base.mark_text(align="left", dx=8, fontSize=11, baseline="middle").encode(
        x=alt.X("high:Q"), y=theme.pixel("y"), text=alt.Text("value:N")
    )
    room = KEY_ROOM
    labels = [
        theme.words(titles, -room, "text", align="left", fontWeight="bold"),
        theme.words(lines, -room, "operation", align="left", fontSize=11, limit=room - 180),
        theme.words(lines, -12, "cpu", align="right", fontSize=11, fill=theme.GREY, limit=160),
    ]
    layers = alt.layer(whole, dots, numbers, *labels)
    return theme.svg(layers.properties(width=theme.PLOT - room + 230, height=round(top)), meaning)
