"""The published figures of reference.csv, one chart and one table per unit.

A range such as 40-75 keeps both ends. A row whose `inferred` is yes carries a dagger everywhere:
its year, variant, processor, factor or number was inferred, not read.
"""

import math
from collections.abc import Sequence
from functools import cache
from itertools import groupby

import altair as alt

from tollgate.show.published import DAGGER as DAGGER
from tollgate.show.published import Published as Published
from tollgate.show.published import load as load
from tollgate.show.report import theme
from tollgate.show.report.headline import ranges
from tollgate.show.report.markup import (
    Html,
    esc,
    figure,
    folded,
    heading,
    paragraph,
    raw,
    slug,
    table,
)
from tollgate.show.report.model import Machine, shown

OURS = "Tollgate, this report"
UNIT_NAMES = {"ns": "nanoseconds", "s": "seconds", "ratio": "ratios"}
NOTES = {  # unit -> facts that a comparison needs
    "instructions": "Linux does more on the same path than a standard row: SWAPGS and per-CPU "
    "data, registers cleared, the number clamped against speculation, retpolines, interrupts on "
    "during the service, looks for seccomp, ptrace and audit. Its figures stand here "
    "minimal, with mitigations=off, and with those it chose; docs/linux.md has other calls."
}
LOG_FROM = 30  # ratio of largest to smallest value from which the scale is logarithmic
DECADES = 3  # the longest logarithmic scale with room for labels 1, 2 and 5 in each decade


def own(machines: Sequence[Machine], unit: str) -> list[Published]:
    """Our standard rows from ring 3 in this unit, in the form of published ones."""
    return [
        Published(OURS, "", r.arch, f"getpid, {r.id}", r.low, r.high, unit, "", inferred=False)
        for r in ranges([machine for machine in machines if machine.unit == unit])
        if r.id.endswith("/standard") and not r.id.startswith("trusted/")
    ]


def unit_section(unit: str, published: Sequence[Published], machines: Sequence[Machine]) -> Html:
    """The chart and the table of one unit; with ours only if the units agree."""
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
    charts = [
        chart(tuple(members), tuple(drawn), said, f"published-{slug(said)}-{place}", caption)
        for place, members in enumerate(beside_one_another(drawn), start=1)
    ]
    return raw(title, figure(charts, caption, after=after))


def nearest(machine: Machine) -> Html:
    """A run in cycles with published figures of the nearest processor; "" without figures."""
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
    """Every unit of the reference data: first the units shared with this report."""
    sources = list(dict.fromkeys(row.source for row in published))
    published = sorted(published, key=lambda row: sources.index(row.source))
    units = {row.unit: [r for r in published if r.unit == row.unit] for row in published}
    shared = {machine.unit for machine in machines}
    order = sorted(units, key=lambda unit: (unit not in shared, -len(units[unit])))
    return raw(*(unit_section(unit, units[unit], machines) for unit in order))


def axis(rows: Sequence[Published], unit: str) -> alt.X:
    """The axis from 0, or logarithmic if the figures differ too much."""
    low = min(row.low or 0.0 for row in rows)
    high = max(row.high or 0.0 for row in rows)
    if low <= 0 or high / low < LOG_FROM:
        scale = alt.Scale(domain=[0, 1.02 * high or 1.0], nice=False)
        return alt.X("low:Q", title=unit, scale=scale, axis=alt.Axis(tickCount=4, orient="top"))
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    steps = (1, 2, 5) if last - first <= DECADES else (1,)
    all_ticks = [step * 10**power for power in range(first, last + 1) for step in (1, 2, 5)]
    start = max(tick for tick in all_ticks if tick <= low)
    scale = alt.Scale(type="log", domain=[start, 1.05 * high], nice=False)
    marked = [step * 10**power for power in range(first, last + 1) for step in steps]
    ticks = [tick for tick in marked if start <= tick <= high]
    chosen = alt.Axis(values=ticks, orient="top", format="~s", labelOverlap=True)
    return alt.X("low:Q", title=unit, scale=scale, axis=chosen)


def beside_one_another(rows: Sequence[Published]) -> list[list[Published]]:
    """The rows in as many charts as fit next to one another, or more if they would be taller than a
    page; a source is divided only if it has more rows than one chart can hold."""
    count = max(min(COLUMNS, -(-len(rows) // SHORT)), math.ceil(tall(rows) / ROOM_BELOW))
    found: list[list[Published]] = [[]]
    for _, group in groupby(rows, key=lambda row: row.source):
        source = list(group)
        for first in range(0, len(source), MOST_ROWS):
            piece = source[first : first + MOST_ROWS]
            full = sum(map(len, found)) >= len(rows) * len(found) / count
            if found[-1] and (full or tall(found[-1] + piece) > ROOM_BELOW):
                found.append([])
            found[-1] += piece
    return found


def tall(rows: Sequence[Published]) -> float:
    """px of rows below the scale, with their sources above them."""
    titles = sum(1 for _ in groupby(rows, key=lambda row: row.source))
    return FIRST + len(rows) * PAIR + titles * (theme.LINE + GAP)


COLUMNS = 3
SHORT = 14
"""A chart with at most this many rows may be without a neighbour."""
TRACK = 15
"""px below a row's words, for its figure."""
ABOVE, FIRST, PAIR, GAP, BELOW = 40, 4, 2 * TRACK + 2, 8, 4
"""px of the scale, before the first source, of a row, after a source, and at the end."""
ROOM_BELOW = theme.TALL - ABOVE - BELOW
MOST_ROWS = int((ROOM_BELOW - FIRST - theme.LINE - GAP) / PAIR)
"""Rows of a source in a chart of its own."""


@cache
def chart(
    rows: tuple[Published, ...], all_rows: tuple[Published, ...], unit: str, name: str, meaning: str
) -> Html:
    """Dots (lines for ranges) under the words of each row, by source, on one scale."""
    scaled = axis(all_rows, unit)
    titles: theme.Values = []
    lines: theme.Values = []
    top = float(FIRST)
    for source, grouped in groupby(rows, key=lambda row: row.source):
        members = list(grouped)
        known = sorted({row.year for row in members if row.year})
        years = "\u2013".join(dict.fromkeys([*known[:1], *known[-1:]]))
        room = theme.WIDE - theme.BOLD * (len(years) + 2)
        title = theme.fitted(source, room, theme.BOLD) + (f", {years}" if years else "")
        titles.append({"y": top + theme.LINE / 2, "text": title})
        top += theme.LINE
        for row in members:
            ours = row.source == OURS
            said = row.operation + (f" \u00b7 {row.cpu}" if row.cpu else "")
            lines.append(
                {"at": top + 7, "y": top + 7 + TRACK, "said": theme.fitted(said, theme.WIDE),
                 "value": row.value, "low": row.low, "high": row.high,
                 "colour": theme.ACCENT if ours else theme.OTHER,
                 "means": f"{row.source}: {row.operation}, {row.cpu}: {row.value} {unit}"}
            )  # fmt: skip
            top += PAIR
        top += GAP
    paint = alt.Color("colour:N", scale=None)
    base = alt.Chart(theme.values(lines))
    whole_range = base.mark_rule(strokeWidth=4, aria=False).encode(
        x=scaled, x2=alt.X2("high:Q"), y=theme.pixel("y"), color=paint
    )
    dots = base.mark_circle(size=55, opacity=1).encode(
        x=alt.X("high:Q"), y=theme.pixel("y"), color=paint, description=alt.Description("means:N")
    )
    numbers = base.mark_text(
        align="left", dx=7, fontSize=11, fontWeight="bold", baseline="middle", aria=False
    ).encode(x=alt.X("high:Q"), y=theme.pixel("y"), text=alt.Text("value:N"))
    labels = base.mark_text(align="left", fontSize=11, baseline="middle", aria=False).encode(
        x=alt.XValue(-EDGE), y=theme.pixel("at"), text=alt.Text("said:N")
    )
    layers = alt.layer(
        whole_range, dots, numbers, labels,
        theme.words(titles, -EDGE, "text", align="left", fontWeight="bold"),
    )  # fmt: skip
    return theme.svg(layers, name, meaning, top, EDGE, ROOM, top=ABOVE, bottom=BELOW)


EDGE, ROOM = 6, 64
"""px left and right of the scale: half a dot, and a figure."""
