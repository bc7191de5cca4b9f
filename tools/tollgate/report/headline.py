"""The headline: every way in on one scale, from the bare gate to the standard path."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

import altair as alt

from tollgate.report import theme
from tollgate.report.markup import Html, figure, swatches
from tollgate.report.model import Machine, Row, platforms, samples, span, woven

KEY_ROOM = 130  # px left of the scale
WIDTH = 960  # px, of all columns
MEANINGS = {
    "standard": "standard: registers, number, table, pending work",
    "nowork": "nowork: without the look for pending work",
    "service": "service: straight to the service routine",
    "bare": "bare: the gate and its return, nothing between",
}


@dataclass(frozen=True)
class Range:
    """The clean medians of one row over all machines of one unit and one architecture."""

    arch: str
    id: str
    label: str
    low: float
    high: float

    @property
    def text(self) -> str:
        return span([self.low, self.high])


def ranges(machines: Sequence[Machine]) -> list[Range]:
    """Lowest and highest clean median of each row per architecture, in the machines' unit."""
    found: dict[tuple[str, str], list[Row]] = {}
    for machine in machines:
        for row in machine.toll:
            found.setdefault((machine.word("arch"), row.id), []).append(row)
    spans = []
    for (arch, row_id), rows in found.items():
        medians = [row.median or 0.0 for row in rows]
        spans.append(Range(arch, row_id, rows[0].label, min(medians), max(medians)))
    order = woven([row.id for row in machine.toll] for machine in machines)
    return sorted(spans, key=lambda r: (r.arch != "i386", r.arch, order.index(r.id)))


def panels(machines: Sequence[Machine]) -> list[tuple[str, list[Range]]]:
    """A title and the rows of each panel: an architecture whose machines agree on every row has
    one, otherwise each of its machines has its own."""
    found = []
    for arch in dict.fromkeys(machine.word("arch") for machine in machines):
        group = [machine for machine in machines if machine.word("arch") == arch]
        agree = all(r.low == r.high for r in ranges(group))
        for members in [group] if agree else [[machine] for machine in group]:
            title = f"{arch}: {', '.join(m.tag for m in members)}" if agree else members[0].title
            rows = ranges(members)
            found += [(title, rows)] if rows else []
    return found


def headline_figure(machines: Sequence[Machine]) -> Html:
    """One chart for the machines of one unit: a dot per variant, all panels on one scale."""
    unit = machines[0].unit
    parts = panels(machines)
    if not parts:
        return Html("")
    upto = 1.12 * max(r.high for _, rows in parts for r in rows) or 1.0
    width = WIDTH // min(len(parts), 2) - KEY_ROOM
    caption = (
        f"A getpid round trip by each way in, in {unit}: clean medians, "
        f"platform {platforms(machines)}, n\u00a0=\u00a0{samples(machines)} per row. The number is "
        "the standard variant\u2019s."
    )
    colours = shades(r.id for _, rows in parts for r in rows)
    drawn = [panel(title, rows, unit, upto, width, colours) for title, rows in parts]
    chart = theme.svg(alt.concat(*drawn, columns=2, spacing=30), caption)
    return figure(chart, caption, key=key(colours))


def shades(ids: Iterable[str]) -> dict[str, str]:
    """A colour for each variant, by its rank among all that there are."""
    ways = groupby((row_id.rpartition("/") for row_id in ids), key=lambda parts: parts[0])
    variants = woven([parts[2] for parts in way] for _, way in ways)
    return {v: theme.shade(rank, len(variants)) for rank, v in enumerate(variants)}


def key(colours: Mapping[str, str]) -> Html:
    """What the shades of the dots mean."""
    return swatches((colour, MEANINGS.get(variant, variant)) for variant, colour in colours.items())


def panel(
    title: str,
    spans: Sequence[Range],
    unit: str,
    upto: float,
    width: int,
    colours: Mapping[str, str],
) -> alt.LayerChart | alt.FacetChart:
    """Every way in of one panel: a line from its cheapest variant to its dearest, dots between."""
    lines: theme.Values = []
    dots: theme.Values = []
    for place, (way, grouped) in enumerate(groupby(spans, key=lambda r: r.id.rpartition("/")[0])):
        members = list(grouped)
        y = (place + 0.5) * 1.3 * theme.LINE
        ends = [r.high for r in members]
        lines.append({"y": y, "way": way, "x0": min(ends), "x1": max(ends)})
        for r in reversed(members):
            variant = r.id.rpartition("/")[2]
            text = r.text if variant == "standard" else ""
            dots.append({"y": y, "x": r.high, "colour": colours[variant], "text": text})
    paths = (
        alt.Chart(theme.values(lines))
        .mark_rule(stroke=theme.ACCENT, strokeWidth=1.5, opacity=0.5)
        .encode(x=theme.axis_x(unit, upto, "x0", ticks=5), x2=alt.X2("x1:Q"), y=theme.pixel("y"))
    )
    base = alt.Chart(theme.values(dots)).encode(x=alt.X("x:Q"), y=theme.pixel("y"))
    points = base.mark_circle(size=110, stroke=theme.ACCENT, strokeWidth=1.5, opacity=1).encode(
        fill=alt.Fill("colour:N", scale=None)
    )
    numbers = base.mark_text(align="left", dx=11, baseline="middle", fontWeight="bold").encode(
        text=alt.Text("text:N")
    )
    ways = theme.words(lines, -KEY_ROOM, "way", align="left", limit=KEY_ROOM - 10)
    return alt.layer(paths, points, numbers, ways).properties(
        title=alt.TitleParams(title, limit=width + KEY_ROOM, offset=10),
        width=width,
        height=round(len(lines) * 1.3 * theme.LINE),
    )
